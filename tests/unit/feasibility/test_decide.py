"""Verdicts of the exact feasibility engine, checked by plain fractions and against z3."""

from __future__ import annotations

from fractions import Fraction

import pytest
import z3
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.feasibility.families import (
    ABSOLUTE,
    RELATIVE,
    TASKS,
    constraints,
    family_system,
    near_boundary,
    polynomial,
    random_integers,
    refutes,
    satisfies,
    single_row,
    task_rows,
)
from verify.engines.feasibility import (
    BilinearGrid,
    LinearGrid,
    Refutation,
    Row,
    StrictSystem,
    Undecided,
    Witness,
    decide,
)

FAMILIES = sorted({**ABSOLUTE, **RELATIVE})
SMALL_FAMILIES = ("affine", "poly2", "poly3", "clamped", "rnd4", "circ2", *sorted(RELATIVE))


def decided(system: StrictSystem) -> Witness | Refutation:
    """The answer, after its independent check."""
    answer = decide(system)
    if isinstance(answer, Witness):
        assert satisfies(system, answer)
    else:
        assert isinstance(answer, Refutation)
        assert refutes(system, answer)
    return answer


def z3_verdict(system: StrictSystem) -> type[Witness] | type[Refutation] | None:
    solver = z3.SolverFor("QF_LRA")
    solver.set("timeout", 10_000)
    solver.set("random_seed", 0)
    first = next(constraints(system))
    unknowns = [z3.Real(f"w{k}") for k in range(len(first[2]))]
    for _, _, vector in constraints(system):
        terms = [
            z3.Q(x.numerator, x.denominator) * w for x, w in zip(vector, unknowns, strict=True) if x
        ]
        solver.add(z3.Sum([z3.RealVal(0), *terms]) > 0)
    verdict = solver.check()
    if verdict == z3.unknown:
        return None
    return Witness if verdict == z3.sat else Refutation


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_is_decided_with_a_valid_certificate(family: str, task: str) -> None:
    decided(family_system(family, task, 8))


@pytest.mark.slow
@pytest.mark.parametrize("length", [20, 32])
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("family", FAMILIES)
def test_longer_grids_are_decided(family: str, task: str, length: int) -> None:
    decided(family_system(family, task, length))


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("family", SMALL_FAMILIES)
def test_verdict_is_that_of_z3(family: str, task: str) -> None:
    system = family_system(family, task, 7)
    expected = z3_verdict(system)
    assert expected is not None
    assert isinstance(decided(system), expected)


@pytest.mark.parametrize(
    ("family", "task", "length", "expected", "method"),
    [
        # An affine logit is monotone in the key: no interior target.
        ("affine", "previous", 4, Refutation, "structure"),
        ("affine", "attend-first", 12, Witness, "simplex"),
        ("poly2", "previous", 12, Witness, "simplex"),
        ("onehot", "copy", 12, Witness, "softmax"),
        # Clamped positions share a feature: the target is its own competitor.
        ("clamped", "previous", 12, Refutation, "zero constraint"),
        # Offset 2 must beat offset 1 and the other way round.
        ("relfs8", "reverse", 8, Refutation, "structure"),
        ("rnd8", "previous", 32, Refutation, "softmax"),
        # 0 is on the boundary of the hull: found on a face, with rank-deficient constraints.
        ("rnd8", "attend-first", 20, Refutation, "softmax"),
    ],
)
def test_known_cells(family: str, task: str, length: int, expected: type, method: str) -> None:
    answer = decided(family_system(family, task, length))
    assert isinstance(answer, expected)
    assert answer.method == method


@pytest.mark.parametrize("sign", [1, 0, -1])
@pytest.mark.parametrize(
    ("order", "bits"), [(3, 80), *((8, q) for q in range(10, 90, 10)), (20, 30), (20, 60)]
)
def test_margins_far_below_float_precision(order: int, bits: int, sign: int) -> None:
    answer = decided(near_boundary(order, bits, seed=bits, sign=sign))
    assert isinstance(answer, Witness if sign > 0 else Refutation)


@pytest.mark.parametrize("width", [2, 3])
def test_lengths_with_their_own_features_share_one_parameter(width: int) -> None:
    """Scale-hinted features `(i/n)^e`: each length alone is easy, and one parameter serves all."""
    lengths = range(3, 9)
    grids = tuple(
        BilinearGrid(tuple(tuple(Fraction(i, n) ** e for e in range(width)) for i in range(n)))
        for n in lengths
    )
    rows = tuple(r for g, n in enumerate(lengths) for r in task_rows("previous", n, g))
    answer = decided(StrictSystem(grids, rows))
    assert isinstance(answer, Witness if width == 3 else Refutation)


def test_full_attention_sees_later_keys() -> None:
    grid = (BilinearGrid(tuple(polynomial(1, 5))),)
    rows = (Row(0, 2, 2),)
    assert isinstance(decided(StrictSystem(grid, rows, causal=True)), Witness)
    assert isinstance(decided(StrictSystem(grid, rows, causal=False)), Refutation)
    offsets = (LinearGrid(tuple((o,) for o in range(-4, 5)), 5, first=-4),)
    assert isinstance(decided(StrictSystem(offsets, rows, causal=True)), Witness)
    assert isinstance(decided(StrictSystem(offsets, rows, causal=False)), Refutation)


def test_queries_and_keys_may_have_their_own_features() -> None:
    keys = tuple(random_integers(3, 9))
    queries = tuple((1, i) for i in range(9))
    system = StrictSystem((BilinearGrid(keys, queries),), task_rows("attend-first", 9))
    assert system.shape == (2, 3)
    answer = decided(system)
    if isinstance(answer, Witness):
        assert len(answer.parameter) == 2


def test_rows_may_name_their_competitors() -> None:
    """Exchanging target and key negates a constraint: a row and its negation conflict."""
    grid = (BilinearGrid(tuple(random_integers(4, 6))),)
    one, two = Row(0, 4, 2, (1,)), Row(0, 4, 1, (2,))
    assert isinstance(decided(StrictSystem(grid, (one,))), Witness)
    answer = decided(StrictSystem(grid, (one, two)))
    assert isinstance(answer, Refutation)
    assert sorted(answer.multipliers) == [(0, 1, 1), (1, 2, 1)]


def test_a_cycle_of_comparisons_is_a_refutation_with_multipliers_one() -> None:
    """Offsets 1 > 2, 2 > 3, 3 > 1 at incommensurable features."""
    psi = tuple((3 * o * o + 1, 7 * o + 2, o**3) for o in range(4))
    rows = (Row(0, 3, 2, (1,)), Row(0, 3, 1, (0,)), Row(0, 3, 0, (2,)))
    answer = decided(StrictSystem((LinearGrid(psi, 4),), rows))
    assert isinstance(answer, Refutation)
    assert sorted(answer.multipliers) == [(0, 1, 1), (1, 0, 1), (2, 2, 1)]


def test_entries_beyond_the_range_of_floats() -> None:
    scale = 2**2000
    table = tuple((x * scale, y) for x, y in random_integers(2, 6))
    rows = task_rows("attend-first", 6)
    huge = decided(StrictSystem((BilinearGrid(table),), rows))
    plain = decided(StrictSystem((BilinearGrid(tuple(random_integers(2, 6))),), rows))
    assert type(huge) is type(plain)


def test_small_numbers_are_preferred() -> None:
    answer = decided(family_system("onehot", "previous", 12))
    assert isinstance(answer, Witness)
    assert {abs(x) for row in answer.parameter for x in row} <= {0, 1, 2, 3}


@given(
    st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=1, max_size=9),
)
def test_random_vectors_are_decided(vectors: list[list[int]]) -> None:
    decided(single_row(vectors))


@given(st.data())
def test_random_bilinear_systems_are_decided(data: st.DataObject) -> None:
    width, length = data.draw(st.integers(1, 3)), data.draw(st.integers(2, 6))
    entry = st.integers(-2, 2) | st.fractions(-2, 2, max_denominator=3)
    table = data.draw(
        st.lists(st.tuples(*[entry] * width), min_size=length, max_size=length).map(tuple)
    )
    targets = [data.draw(st.integers(0, i)) for i in range(1, length)]
    rows = tuple(Row(0, i, t) for i, t in enumerate(targets, start=1))
    decided(StrictSystem((BilinearGrid(table),), rows))


def test_a_known_witness_is_tried_first() -> None:
    system = family_system("poly2", "previous", 8)
    first = decide(system)
    assert isinstance(first, Witness)
    again = decide(system, start=first)
    assert isinstance(again, Witness)
    assert (again.parameter, again.method) == (first.parameter, "start")
    wrong = Witness(((Fraction(1),) * 3,) * 3, "guess")
    assert decide(system, start=wrong) == first
    with pytest.raises(ValueError, match=r"start: shape \(3,\) given"):
        decide(system, start=Witness((Fraction(1),) * 3, "guess"))


def test_the_time_limit_is_undecided_not_an_answer() -> None:
    answer = decide(family_system("rnd8", "previous", 32), time_limit=1e-9)
    assert isinstance(answer, Undecided)
    assert "time limit" in answer.reason


def test_answers_do_not_depend_on_the_run() -> None:
    for family, task in (("rnd8", "previous"), ("circ2", "attend-first"), ("fs8", "copy")):
        system = family_system(family, task, 12)
        assert decide(system) == decide(system)


GRID = BilinearGrid(((1, 0), (1, 1), (1, 2)))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: StrictSystem((), ()), "grids: empty"),
        (lambda: StrictSystem((GRID,), ()), "rows: no row with a competing key"),
        (lambda: StrictSystem((GRID,), (Row(0, 0, 0),)), "rows: no row with a competing key"),
        (lambda: StrictSystem((GRID,), (Row(1, 1, 0),)), "names grid 1 of 1"),
        (lambda: StrictSystem((GRID,), (Row(0, 3, 0),)), "query outside 0..2"),
        (lambda: StrictSystem((GRID,), (Row(0, 1, 2),)), "target that its query does not see"),
        (lambda: StrictSystem((GRID,), (Row(0, 1, 0, (2,)),)), "key that its query does not see"),
        (
            lambda: StrictSystem((GRID, BilinearGrid(((1,), (2,)))), (Row(0, 1, 0),)),
            r"grid 1 has features of shape \(1, 1\)",
        ),
        (
            lambda: StrictSystem((LinearGrid(((1,), (2,)), 3),), (Row(0, 2, 0),)),
            "needs offsets 0..2; its grid has 0..1",
        ),
        (lambda: BilinearGrid(()), "keys: empty"),
        (lambda: BilinearGrid(((1, 2), (1,))), "keys: row 1 has 1 entries and row 0 has 2"),
        (lambda: BilinearGrid(((1,), (2,)), ((1,),)), "queries: 1 rows for 2 keys"),
        (lambda: BilinearGrid(((0.5,), (1,))), "holds 0.5 of type float"),
    ],
)
def test_bad_input_is_named(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()  # type: ignore[operator]
