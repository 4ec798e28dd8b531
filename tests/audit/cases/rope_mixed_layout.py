"""A half-split table applied to interleaved pairs: no rotation. Exact, by Pythagorean angles."""

from fractions import Fraction

REPORTS = ["rasbt/LLMs-from-scratch#838", "pytorch/torchtitan#801", "jzhang38/TinyLlama#24"]
ANGLES = [(Fraction(3, 5), Fraction(4, 5)), (Fraction(5, 13), Fraction(12, 13))]


def _turns(position):
    """(cos, sin) of position times each angle."""
    result = []
    for c, s in ANGLES:
        x, y = Fraction(1), Fraction(0)
        for _ in range(position):
            x, y = x * c - y * s, x * s + y * c
        result.append((x, y))
    return result


def _rotate(x, position, table):
    x = [Fraction(value) for value in x]
    turned = [-x[1], x[0], -x[3], x[2]]
    return [c * a + s * b for (c, s), a, b in zip(table(_turns(position)), x, turned, strict=True)]


def rotate(x, positions):
    rows = zip(x, positions, strict=True)
    return [_rotate(row, p, lambda t: [t[0], t[1], t[0], t[1]]) for row, p in rows]


def right_rotate(x, positions):
    rows = zip(x, positions, strict=True)
    return [_rotate(row, p, lambda t: [t[0], t[0], t[1], t[1]]) for row, p in rows]


rotate.array = right_rotate.array = "list"  # the array library that arguments come in
