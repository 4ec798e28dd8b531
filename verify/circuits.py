"""Tasks as circuit families: which unit operators they need at each length, and how they are wired.

The model is ours (the second paper's definitions are not public to us in full). A family gives, for
each n, steps that each write one token from earlier ones by a *unit operator*, a finite table. The
number of distinct operators bounds the sequential complexity at n from above; for a single linear
layer (copy, shift, reverse: A*_n has entries 0 and 1) the number of distinct non-zero entries is
the complexity itself, zero being no operator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product


@dataclass(frozen=True, slots=True)
class Operator:
    """A function of `arity` tokens below `base`, by its table: equal tables are one operator."""

    base: int
    table: tuple[int, ...]

    @property
    def arity(self) -> int:
        """How many tokens it reads."""
        arity = 0
        while self.base**arity < len(self.table):
            arity += 1
        return arity

    def __call__(self, *tokens: int) -> int:
        """The token that it writes."""
        index = 0
        for token in tokens:
            index = index * self.base + token
        return self.table[index]


def operator(base: int, arity: int, rule: Callable[..., int]) -> Operator:
    """The operator that a rule computes on all token tuples."""
    return Operator(base, tuple(rule(*tokens) for tokens in product(range(base), repeat=arity)))


@dataclass(frozen=True, slots=True)
class Circuit:
    """`inputs` tokens, then a token for each step (operator, positions read); `answer`: where."""

    inputs: int
    steps: tuple[tuple[Operator, tuple[int, ...]], ...]
    answer: tuple[int, ...]

    def run(self, tokens: Sequence[int]) -> tuple[int, ...]:
        """The answer tokens for these inputs. ValueError for another number of inputs."""
        if len(tokens) != self.inputs:
            raise ValueError(f"the circuit reads {self.inputs} tokens, not {len(tokens)}")
        line = list(tokens)
        for unit, places in self.steps:
            line.append(unit(*(line[place] for place in places)))
        return tuple(line[place] for place in self.answer)

    @property
    def operators(self) -> frozenset[Operator]:
        """The distinct unit operators."""
        return frozenset(unit for unit, _ in self.steps)


@dataclass(frozen=True, slots=True)
class Family:
    """A task solved by circuits, one for each n >= `first`.

    exact: whether the number of operators is the complexity itself (a linear task), not a bound.
    expected: what the answer must be, for tests.
    """

    name: str
    words: str
    first: int
    exact: bool
    build: Callable[[int], Circuit]
    expected: Callable[[int, Sequence[int]], tuple[int, ...]]


BASE = 3  # digits of the arithmetic families
DIGIT = 2  # the fixed factor of `multiply`
_SAME = operator(2, 1, lambda a: a)


def _moves(sources: Callable[[int], Sequence[int]]) -> Callable[[int], Circuit]:
    """Every answer token is a copy of one input."""

    def build(n: int) -> Circuit:
        places = sources(n)
        steps = tuple((_SAME, (place,)) for place in places)
        return Circuit(n, steps, tuple(range(n, n + len(places))))

    return build


def _parity_at_once(n: int) -> Circuit:
    """Prefix parities, each from all its inputs in one operator."""
    steps = tuple(
        (operator(2, k + 1, lambda *bits: sum(bits) % 2), tuple(range(k + 1))) for k in range(n)
    )
    return Circuit(n, steps, (2 * n - 1,))


def _parity_step_by_step(n: int) -> Circuit:
    """Prefix parities, each from the one before and one input (chain of thought)."""
    xor = operator(2, 2, lambda a, b: a ^ b)
    later = tuple((xor, (n + k - 1, k)) for k in range(1, n))
    return Circuit(n, ((_SAME, (0,)), *later), (2 * n - 1,))


def _adder(n: int, m: int) -> Circuit:
    """Digits of a (n of them) and b (m <= n), lowest first; each step a sum and a carry."""
    first = [
        operator(BASE, 2, lambda a, b: (a + b) % BASE),
        operator(BASE, 2, lambda a, b: (a + b) // BASE),
    ]
    both = [
        operator(BASE, 3, lambda a, b, c: (a + b + c) % BASE),
        operator(BASE, 3, lambda a, b, c: (a + b + c) // BASE),
    ]
    alone = [
        operator(BASE, 2, lambda a, c: (a + c) % BASE),
        operator(BASE, 2, lambda a, c: (a + c) // BASE),
    ]
    steps: list[tuple[Operator, tuple[int, ...]]] = []
    for k in range(n):
        carry = n + m + 2 * k - 1
        places = (k, n + k) if k < m else (k,)
        units = first if k == 0 else both if k < m else alone
        read = places if k == 0 else (*places, carry)
        steps += [(units[0], read), (units[1], read)]
    sums = tuple(n + m + 2 * k for k in range(n))
    return Circuit(n + m, tuple(steps), (*sums, n + m + 2 * n - 1))


def _multiply(n: int) -> Circuit:
    """The digits of a, lowest first, times a fixed digit; each step a digit and a carry."""
    first = [
        operator(BASE, 1, lambda a: DIGIT * a % BASE),
        operator(BASE, 1, lambda a: DIGIT * a // BASE),
    ]
    later = [
        operator(BASE, 2, lambda a, c: (DIGIT * a + c) % BASE),
        operator(BASE, 2, lambda a, c: (DIGIT * a + c) // BASE),
    ]
    steps: list[tuple[Operator, tuple[int, ...]]] = []
    for k in range(n):
        read = (k,) if k == 0 else (k, n + 2 * k - 1)
        units = later if k else first
        steps += [(units[0], read), (units[1], read)]
    return Circuit(n, tuple(steps), (*(n + 2 * k for k in range(n)), 3 * n - 1))


def _value(digits: Sequence[int]) -> int:
    return sum(digit * BASE**k for k, digit in enumerate(digits))


def _digits(value: int, count: int) -> tuple[int, ...]:
    return tuple(value // BASE**k % BASE for k in range(count))


def _sum(n: int, m: int) -> Callable[[Sequence[int]], tuple[int, ...]]:
    return lambda x: _digits(_value(x[:n]) + _value(x[n : n + m]), n + 1)


def short(n: int) -> int:
    """How many digits the second number has without padding: half as many, rounded up."""
    return -(-n // 2)


FAMILIES = (
    Family("copy", "repeat the input", 1, True, _moves(range), lambda n, x: tuple(x)),
    Family("shift", "the input one place later", 2, True, _moves(lambda n: range(n - 1)),
           lambda n, x: tuple(x[:-1])),
    Family("reverse", "the input backwards", 1, True, _moves(lambda n: range(n - 1, -1, -1)),
           lambda n, x: tuple(reversed(x))),
    Family("parity", "prefix parities at once, no chain of thought", 1, False, _parity_at_once,
           lambda n, x: (sum(x) % 2,)),
    Family("parity-cot", "prefix parities step by step", 1, False, _parity_step_by_step,
           lambda n, x: (sum(x) % 2,)),
    Family("addition-padded", "two numbers of n digits, zeros in front", 1, False,
           lambda n: _adder(n, n), lambda n, x: _sum(n, n)(x)),
    Family("addition", "a number of n digits and one of ceil(n/2)", 1, False,
           lambda n: _adder(n, short(n)), lambda n, x: _sum(n, short(n))(x)),
    Family("multiply", f"a number of n digits times {DIGIT}", 1, False, _multiply,
           lambda n, x: _digits(DIGIT * _value(x), n + 1)),
)  # fmt: skip
