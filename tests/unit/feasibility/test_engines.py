"""Each engine on its own, and that its exact check decides."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpz, fmpz_mat, nmod_mat

from tests.unit.feasibility.families import (
    ABSOLUTE,
    TASKS,
    family_system,
    near_boundary,
    random_integers,
    refutes,
    satisfies,
    single_row,
    task_rows,
)
from verify.engines.feasibility import (
    BilinearGrid,
    Refutation,
    Row,
    StrictSystem,
    Witness,
    decide,
)
from verify.engines.feasibility.answers import checked
from verify.engines.feasibility.basis import EliminatedBasis, LiftedBasis
from verify.engines.feasibility.clock import Clock, TimeUpError
from verify.engines.feasibility.conditioning import coordinates_of
from verify.engines.feasibility.correction import corrected
from verify.engines.feasibility.floats import float_system
from verify.engines.feasibility.integers import (
    PRIME,
    Problem,
    compile_system,
    independent_columns,
)
from verify.engines.feasibility.lp import lp_hint
from verify.engines.feasibility.rounding import small_witness
from verify.engines.feasibility.simplex import exact_simplex, independent_constraints
from verify.engines.feasibility.softmax import descend, sharpen
from verify.engines.feasibility.structure import structural_weights


def problem_of(system: StrictSystem) -> Problem:
    problem = compile_system(system)
    assert isinstance(problem, Problem)
    return problem


def two_lengths() -> StrictSystem:
    """Two grids with features of their own, so that several blocks are in play."""
    grids = (
        BilinearGrid(tuple(random_integers(3, 7))),
        BilinearGrid(tuple(random_integers(3, 9, 1))),
    )
    return StrictSystem(grids, task_rows("previous", 7) + task_rows("copy", 9, 1))


SYSTEMS = {
    "bilinear": lambda: family_system("rnd4", "previous", 9),
    "dependent columns": lambda: family_system("affine", "copy", 9),
    "linear": lambda: family_system("relcirc4", "copy", 10),
    "two lengths": two_lengths,
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_values_and_combinations_agree_with_the_vectors(name: str) -> None:
    problem = problem_of(SYSTEMS[name]())
    rows, columns = problem.width
    rng = random.Random(0)
    parameter = [rng.randint(-99, 99) for _ in range(rows * columns)]
    weights = [(k, rng.randint(1, 99)) for k in range(len(problem.constraints))]
    vectors = [problem.vector(k) for k in range(len(problem.constraints))]
    values = problem.values(fmpz_mat(rows, columns, parameter))
    assert values == [sum(a * w for a, w in zip(v, parameter, strict=True)) for v in vectors]
    total = problem.combination(weights).entries()
    assert total == [sum(y * vectors[k][c] for k, y in weights) for c in range(rows * columns)]


@pytest.mark.parametrize("name", SYSTEMS)
def test_floats_agree_with_the_exact_constraints(name: str) -> None:
    """Margins, combinations, vectors and the second moment are those of one float matrix."""
    problem = problem_of(SYSTEMS[name]())
    system = float_system(problem)
    rng = np.random.default_rng(0)
    parameter = rng.normal(size=system.width)
    matrix = system.vectors(np.arange(system.count))
    assert np.linalg.norm(matrix, axis=1) == pytest.approx(1)
    margins = system.margins(parameter)
    assert margins == pytest.approx(matrix @ parameter.ravel())
    weights = rng.random(system.count)
    assert system.combination(weights).ravel() == pytest.approx(matrix.T @ weights)
    assert system.second_moment(weights) == pytest.approx(matrix.T @ (matrix * weights[:, None]))
    # Lifted to the exact columns, every margin keeps its sign and, to a common factor, its size.
    exact = np.array([float(x) for x in problem.values(system.lift(parameter))])
    ratios = exact * system.scales() / margins
    assert ratios == pytest.approx(ratios[0])
    assert ratios[0] > 0


def test_coordinates_of_an_ill_conditioned_table_are_orthonormal() -> None:
    """Columns that agree to 2^-90: far beyond one float QR."""
    rng = random.Random(1)
    noise = [[rng.randint(-9, 9) for _ in range(5)] for _ in range(12)]
    table = fmpz_mat([[2**90 * (i + 1) + x for x in row] for i, row in enumerate(noise)])
    coordinates = coordinates_of(table)
    assert coordinates.exact is not None
    floats = coordinates.apply(table)
    assert floats.T @ floats == pytest.approx(np.eye(5), abs=1e-8)


def test_lifted_basis_equals_elimination_through_exchanges() -> None:
    rng = random.Random(2)
    order = 7
    rows = [[fmpz(rng.randint(-50, 50)) for _ in range(order)] for _ in range(order)]
    matrix = fmpz_mat(rows)
    plain = EliminatedBasis(matrix)
    lifted = LiftedBasis(matrix, nmod_mat(matrix, PRIME).inv())
    for position in (3, 0, 6, 3):
        row = [fmpz(rng.randint(-(2**70), 2**70)) for _ in range(order)]
        plain, lifted = plain.exchange(position, row), lifted.exchange(position, row)
        right = fmpz_mat(order, 2, [rng.randint(-(2**80), 2**80) for _ in range(2 * order)])
        for method in ("solve", "solve_transposed"):
            expected, denominator = getattr(plain, method)(right)
            found, other = getattr(lifted, method)(right)
            assert found * denominator == expected * other
            assert other > 0


@pytest.mark.parametrize("task", TASKS)
def test_simplex_alone_decides(task: str) -> None:
    for family in ("poly2", "rnd4", "onehot", "relcirc4", "circ2"):
        system = family_system(family, task, 8)
        problem = compile_system(system)
        if not isinstance(problem, Problem):
            continue
        answer = checked(problem, exact_simplex(problem, (), Clock()), "simplex")
        assert answer is not None
        assert isinstance(answer, type(decide(system)))


def test_simplex_ends_on_degenerate_ties() -> None:
    """Every ratio ties: vectors e_i - e_j of a cycle and its chords, in every order of the hint."""
    size = 6
    unit = [[int(i == c) for c in range(size)] for i in range(size)]
    vectors = [
        [x - y for x, y in zip(unit[i], unit[(i + s) % size], strict=True)]
        for s in (1, 2, 3)
        for i in range(size)
    ]
    problem = problem_of(single_row(vectors))
    for seed in range(20):
        hint = list(range(len(vectors)))
        random.Random(seed).shuffle(hint)
        weights = exact_simplex(problem, hint, Clock(), pivots=500)
        assert isinstance(weights, list)
        assert problem.cancels(weights)


def test_simplex_keeps_the_dual_feasible() -> None:
    """With a wrong ratio test it wanders: 854 exchanges here instead of 86."""
    problem = problem_of(family_system("rnd8", "previous", 20))
    found = exact_simplex(problem, (), Clock(), pivots=120)
    assert isinstance(found, fmpz_mat)
    assert all(x > 0 for x in problem.values(found))


def test_simplex_does_not_take_a_tie_for_a_hit() -> None:
    """The first basic solution has equal coordinates, so the third margin is zero."""
    problem = problem_of(single_row([(1, 0), (0, 1), (1, -1)]))
    found = exact_simplex(problem, (0, 1, 2), Clock())
    assert isinstance(found, fmpz_mat)
    assert all(x > 0 for x in problem.values(found))


def test_simplex_stops_at_its_limits() -> None:
    problem = problem_of(family_system("rnd8", "previous", 20))
    assert exact_simplex(problem, (), Clock(), pivots=1) is None
    with pytest.raises(TimeUpError):
        exact_simplex(problem, (), Clock(deadline=0.0))


def test_simplex_starts_from_the_hint() -> None:
    """From the support of a refutation it needs one exchange."""
    problem = problem_of(family_system("rnd4", "previous", 20))
    cold = exact_simplex(problem, (), Clock())
    assert isinstance(cold, list)
    hint = [k for k, _ in cold]
    support = problem.subset(hint)
    warm = exact_simplex(support, range(len(hint)), Clock(), pivots=1)
    assert isinstance(warm, list)
    assert support.cancels(warm)


def test_independent_constraints_span_all_and_follow_the_hint() -> None:
    problem = problem_of(family_system("rnd8", "copy", 16))
    every = fmpz_mat([problem.vector(k) for k in range(len(problem.constraints))])
    hint = list(range(len(problem.constraints)))[::-1]
    frame = independent_constraints(problem, hint)
    assert frame.chosen[0] == hint[0]
    assert len(frame.chosen) == len(frame.columns) == nmod_mat(every, PRIME).rank()
    square = fmpz_mat([[problem.vector(k)[c] for c in frame.columns] for k in frame.chosen])
    assert square.det() != 0


def test_independent_columns_are_the_first_ones() -> None:
    assert independent_columns(fmpz_mat([[0, 2, 4, 1], [0, 1, 2, 5]])) == (1, 3)


@pytest.mark.parametrize(
    ("family", "task", "length"),
    [
        ("rnd8", "previous", 32),  # split: every query has enough keys
        ("circ4", "attend-first", 20),  # a face: some weights tend to 0
        ("relcirc8", "attend-first", 64),
        ("rnd4", "attend-first", 12),
    ],
)
def test_softmax_and_correction_refute_alone(family: str, task: str, length: int) -> None:
    problem = problem_of(family_system(family, task, length))
    system = float_system(problem)
    rough = descend(system, Clock(), 1e-7, 200)
    assert not rough.feasible
    fine = sharpen(system, Clock(), rough.parameter, 1e-13)
    assert fine.residual < 1e-10
    assert fine.weights.sum() == pytest.approx(1)
    weights = corrected(problem, system, fine.weights)
    assert weights is not None
    assert problem.cancels(weights)


def test_softmax_alone_finds_witnesses() -> None:
    for family in ("fs16", "onehot", "circ8", "poly3"):
        problem = problem_of(family_system(family, "previous", 16))
        system = float_system(problem)
        last = descend(system, Clock(), 1e-7, 200)
        assert last.feasible
        assert all(x > 0 for x in problem.values(system.lift(last.parameter)))


@pytest.mark.parametrize("sign", [1, -1])
def test_lp_alone_hints_at_the_answer(sign: int) -> None:
    problem = problem_of(near_boundary(8, 4, seed=3, sign=sign))
    system = float_system(problem)
    found = lp_hint(system, list(range(system.count)), Clock())
    assert found is not None
    if sign > 0:
        assert found.parameter is not None
        assert all(x > 0 for x in problem.values(system.lift(found.parameter)))
    else:
        assert found.parameter is None
        support = problem.subset(found.hint)
        weights = exact_simplex(support, range(len(found.hint)), Clock(), pivots=1)
        assert isinstance(weights, list)
        assert support.cancels(weights)


def test_lp_adds_violated_rows_and_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    problem = problem_of(family_system("rnd8", "copy", 24))
    system = float_system(problem)
    found = lp_hint(system, list(range(10)), Clock())
    assert found is not None
    assert found.parameter is not None
    assert system.margins(found.parameter).min() > 0
    assert capfd.readouterr().out == ""


def test_structure_finds_antipodal_differences_between_queries() -> None:
    """Queries q and -2q, differences d and 3d: multipliers 6 and 1."""
    keys = ((0, 0), (1, 2), (3, 6), (5, 5))
    queries = ((1, 0), (1, 1), (-2, -2), (0, 1))
    system = StrictSystem((BilinearGrid(keys, queries),), (Row(0, 1, 1, (0,)), Row(0, 2, 2, (0,))))
    problem = problem_of(system)
    weights = structural_weights(problem)
    assert weights is not None
    assert sorted(weights) == [(0, 6), (1, 1)]
    assert problem.cancels(weights)


def test_structure_is_silent_where_a_parameter_exists() -> None:
    for family in ABSOLUTE:
        problem = compile_system(family_system(family, "attend-first", 4))
        if isinstance(problem, Problem) and structural_weights(problem) is not None:
            assert isinstance(decide(family_system(family, "attend-first", 4)), Refutation)


def test_rounding_prefers_small_integers_and_keeps_what_it_must() -> None:
    problem = problem_of(single_row([(3, 1), (1, 3)]))
    assert small_witness(problem, fmpz_mat(1, 2, [1000, 1001])) == ((1, 1),)
    # 1.0005 < w1 / w0 < 1.001 has no small solution (in reduced columns w1 is scaled by 1000).
    tight = problem_of(single_row([(1001, -1000), (-10005, 10000)]))
    exact = small_witness(tight, fmpz_mat(1, 2, [10000, 10007000]))
    assert exact is not None
    assert tight.satisfied(exact)
    assert small_witness(tight, fmpz_mat(1, 2, [1, 5])) is None
    assert small_witness(tight, fmpz_mat(1, 2, [0, 0])) is None


def test_false_answers_of_an_engine_do_not_pass() -> None:
    """Multipliers that do not cancel or are negative, and parameters that miss, are refused."""
    problem = problem_of(family_system("rnd4", "previous", 20))
    true = exact_simplex(problem, (), Clock())
    assert isinstance(true, list)
    assert checked(problem, true, "x") is not None
    (k, y), *rest = true
    assert checked(problem, [(k, y + 1), *rest], "x") is None
    assert checked(problem, [(k, -y) for k, y in true], "x") is None
    assert checked(problem, [], "x") is None
    assert checked(problem, rest, "x") is None
    assert checked(problem, fmpz_mat(4, 4, list(range(16))), "x") is None


@pytest.mark.parametrize("lie", [[(0, 1)], [(0, 1), (1, Fraction(1, 3))]])
def test_the_next_engine_answers_when_one_lies(
    lie: list[tuple[int, int | Fraction]], monkeypatch: pytest.MonkeyPatch
) -> None:
    module = "verify.engines.feasibility.decision"
    monkeypatch.setattr(f"{module}.structural_weights", lambda problem: lie)
    monkeypatch.setattr(f"{module}.exact_simplex", lambda *arguments: lie)
    system = family_system("rnd4", "previous", 20)
    answer = decide(system)
    assert isinstance(answer, Refutation)
    assert answer.method == "softmax"
    assert refutes(system, answer)
    easy = family_system("poly2", "previous", 8)
    found = decide(easy)
    assert isinstance(found, Witness)
    assert satisfies(easy, found)


def test_columns_that_vanish_modulo_the_prime_are_kept() -> None:
    keys = ((PRIME, 1), (2 * PRIME, 1), (5 * PRIME, 3))
    system = StrictSystem(
        (BilinearGrid(keys, ((PRIME,), (3 * PRIME,), (PRIME,))),), (Row(0, 2, 1),)
    )
    # Columns are divided by their content, so spoil that too.
    spoiled = StrictSystem(
        (BilinearGrid(keys, ((PRIME, 0), (3 * PRIME, 2 * PRIME), (PRIME, 0))),), (Row(0, 1, 0),)
    )
    for each in (system, spoiled):
        answer = decide(each)
        assert isinstance(answer, Witness)
        assert satisfies(each, answer)


def test_faces_may_leave_a_length_without_constraints() -> None:
    problem = problem_of(two_lengths())
    first = problem.subset([k for k, c in enumerate(problem.constraints) if c.block == 0])
    system = float_system(first)
    assert system.second_moment(np.ones(system.count)).shape == (9, 9)
    assert system.vectors(np.arange(system.count)).shape == (system.count, 9)
    assert system.scales().min() > 0
