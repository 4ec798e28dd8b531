"""Formulas that users write: parsed over a whitelist of Python's syntax, evaluated exactly.

Numbers are integers, fractions and decimals (0.1 is 1/10), operations `+ - * / // % **`,
comparisons, `and or not`, `x if c else y`, and the functions min, max, abs, floor, ceil, cos, sin,
sqrt(x), root(x, k), and chebyshev(k, x) = T_k(x), which is cos(k a) for cos(a) = x and rational for
a rational x. No user text is ever executed; size, depth and powers are bounded. `pi` is excluded:
with it the exact zero test would no longer be complete.
"""

from __future__ import annotations

import ast
import difflib
import math
import operator
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, NoReturn

from verify.kernel import Expression, apply, number
from verify.theory import numbers

MAX_TEXT: Final = 20_000
MAX_FORMULA: Final = 2_000
_MAX_DEPTH, _MAX_POWER_BITS, _MAX_TERMS, _MAX_EXPONENT = 80, 1 << 14, 1 << 12, 400

Number = int | Fraction | Expression
Value = Number | bool | None
Environment = Mapping[str, int]
_Program = Callable[[Environment], Any]
_FUNCTIONS: Final = {
    "min": (1, 99), "max": (1, 99), "abs": (1, 1), "floor": (1, 1), "ceil": (1, 1),
    "cos": (1, 1), "sin": (1, 1), "sqrt": (1, 1), "root": (2, 2), "chebyshev": (2, 2),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Formula:
    """One formula. `text` is canonical and parses back to the same formula."""

    text: str
    names: frozenset[str]
    rational: bool  # certainly rational wherever it is defined

    def value(self, **at: int) -> Number | None:
        """The exact value at integer arguments: int, Fraction or, if irrational, an Expression.

        None where the formula says `None`. ValueError names the formula and the point when it
        divides by zero, takes a root of a negative number or grows too large.
        """
        (name, last), *rest = at.items() or [("", 0)]
        return next(self.along(name, (last,), **dict(rest)))

    def along(self, name: str, values: Iterable[int], **at: int) -> Iterator[Number | None]:
        """The exact values while one name runs over integers and the others stay."""
        run, point = _program(self.text), dict(at)
        for value in values:
            point[name] = value
            try:
                result = run(point)
                if isinstance(result, bool):
                    raise ValueError("it is a comparison; write `x if ... else y`")
            except ValueError as problem:
                where = ", ".join(f"{n} = {point[n]}" for n in sorted(self.names))
                at_point = f" at {where}" if where else ""
                raise ValueError(f"the expression {self.text!r}{at_point}: {problem}") from None
            yield result


def formula(source: str, names: Iterable[str], what: str = "the expression") -> Formula:
    """Parse one formula in these names; `what` names it in errors. ValueError if it is none."""
    if len(source) > MAX_FORMULA:
        raise ValueError(f"{what} has {len(source)} characters; at most {MAX_FORMULA} are read")
    return _formula(_parse(source, what), source, tuple(names), what)


def formulas(source: str, names: Iterable[str], what: str = "the expression") -> list[Formula]:
    """Parse a list such as `[1, i, i**2]`; ValueError if it is not one, or empty."""
    node = _parse(source, what)
    if not isinstance(node, ast.List) or not node.elts:
        raise ValueError(f"{what} must be a list such as [1, i, i**2], not {_cut(source)}")
    return [_formula(item, source, tuple(names), what) for item in node.elts]


def constant(source: str, what: str) -> Expression:
    """The exact number that a formula without names spells; `what` names it in errors."""
    result = formula(source, (), what).value()
    if result is None:
        raise ValueError(f"{what} must be a number, not None")
    return lift(result)


def rational(source: str, what: str) -> Fraction:
    """The rational number that a formula without names spells; `what` names it in errors."""
    result = constant(source, what).constant()
    if result is None:
        raise ValueError(f"{what} must be a rational number, and {_cut(source)} is irrational")
    return result


def lift(value: Number) -> Expression:
    """The value as an expression of the kernel."""
    return value if isinstance(value, Expression) else number(value)


def suggestion(name: str, known: Iterable[str]) -> str:
    """The end of an error about an unknown name: what was probably meant, or all there is."""
    known = list(known)
    close = difflib.get_close_matches(name, known, 1)
    return f"did you mean {close[0]!r}?" if close else f"known are {', '.join(known)}"


def _cut(source: str) -> str:
    return repr(source if len(source) <= 60 else source[:57] + "...")


def _parse(source: str, what: str) -> ast.expr:
    if len(source) > MAX_TEXT or not source.isascii():
        raise ValueError(f"{what} must be at most {MAX_TEXT} ASCII characters")
    try:
        with warnings.catch_warnings(action="ignore", category=SyntaxWarning):  # as for `0if i`
            return ast.parse(source.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f"{what} {_cut(source)} is not an expression such as i//2 + 1") from None


def _formula(node: ast.expr, source: str, names: tuple[str, ...], what: str) -> Formula:
    used: set[str] = set()
    tree = _canonical(node, source.strip(), (*names, what), used, 0)
    text = ast.unparse(tree)
    if len(text) > MAX_FORMULA:
        raise ValueError(f"{what} has {len(text)} characters; at most {MAX_FORMULA} are read")
    rational = not any(
        (isinstance(n, ast.Call) and getattr(n.func, "id", "") in ("cos", "sin", "sqrt", "root"))
        or (isinstance(n, ast.BinOp) and isinstance(n.op, ast.Pow) and _fractional(n.right))
        for n in ast.walk(tree)
    )
    return Formula(text, frozenset(used), rational)


def _fractional(node: ast.expr) -> bool:
    return any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div) for n in ast.walk(node))


def _refuse(node: ast.AST, what: str) -> NoReturn:
    raise ValueError(
        f"{what} may not contain {_cut(ast.unparse(node))}; allowed are numbers, names, "
        f"+ - * / // % **, comparisons, x if c else y, and {', '.join(_FUNCTIONS)}"
    )


_OPERATORS: Final = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_COMPARISONS: Final = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)


def _canonical(
    node: ast.expr, source: str, context: tuple[str, ...], used: set[str], depth: int
) -> ast.expr:
    """The whitelisted node, with decimals as fractions; anything else is a ValueError."""
    *names, what = context

    def inner(child: ast.expr) -> Any:
        return _canonical(child, source, context, used, depth + 1)

    if depth > _MAX_DEPTH:
        raise ValueError(f"{what} is nested more than {_MAX_DEPTH} deep")
    match node:
        case ast.Constant(value=None):
            return node
        case ast.Constant(value=int(v)) if not isinstance(v, bool):
            return ast.Constant(v)
        case ast.Constant(value=float()):
            spelled = (ast.get_source_segment(source, node) or "").replace("_", "").lower()
            if abs(int(spelled.partition("e")[2] or 0)) > _MAX_EXPONENT:
                raise ValueError(f"{what} contains {spelled}, which is too large or too small")
            exact = Fraction(spelled)
            if exact.denominator == 1:
                return ast.Constant(exact.numerator)
            return ast.BinOp(
                ast.Constant(exact.numerator), ast.Div(), ast.Constant(exact.denominator)
            )
        case ast.Name(id=name):
            if name not in names:
                known = [*names, *_FUNCTIONS]
                raise ValueError(
                    f"{what} contains {name!r}, which is unknown; {_hint(name, known)}"
                )
            used.add(name)
            return node
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Not() as op, operand=operand):
            return ast.UnaryOp(op, inner(operand))
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _OPERATORS):
            return ast.BinOp(inner(left), op, inner(right))
        case ast.BoolOp(op=op, values=values):
            return ast.BoolOp(op, [inner(v) for v in values])
        case ast.Compare(left=left, ops=ops, comparators=others) if all(
            isinstance(op, _COMPARISONS) for op in ops
        ):
            return ast.Compare(inner(left), ops, [inner(other) for other in others])
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return ast.IfExp(inner(test), inner(body), inner(orelse))
        case ast.Call(func=ast.Name(id=name) as function, args=arguments, keywords=[]):
            if name not in _FUNCTIONS:
                hint = _hint(name, _FUNCTIONS)
                raise ValueError(f"{what} calls {name!r}, which is unknown; {hint}")
            low, high = _FUNCTIONS[name]
            if not low <= len(arguments) <= high:
                raise ValueError(f"{what} calls {name} with {len(arguments)} arguments, not {low}")
            return ast.Call(function, [inner(a) for a in arguments], [])
    _refuse(node, what)


def _hint(name: str, known: Iterable[str]) -> str:
    if name == "pi":
        return "pi is excluded, because the exact zero test needs algebraic angles"
    return suggestion(name, known)


# ------------------------------------------------------------ evaluation


@lru_cache(maxsize=1 << 10)
def _program(text: str) -> _Program:
    return _compile(ast.parse(text, mode="eval").body)


def _compile(node: ast.expr) -> _Program:
    """A function of the environment; the node went through `_canonical`."""
    match node:
        case ast.Constant(value=v):
            return lambda at: v
        case ast.Name(id=name):
            return lambda at: at[name]
        case ast.UnaryOp(op=op, operand=operand):
            inner = _compile(operand)
            if isinstance(op, ast.Not):
                return lambda at: not _truth(inner(at))
            negative = isinstance(op, ast.USub)
            return lambda at: -_numeric(inner(at)) if negative else _numeric(inner(at))
        case ast.BinOp(left=left, op=op, right=right):
            a, b, function = _compile(left), _compile(right), _BINARY[type(op)]
            return lambda at: function(a(at), b(at))
        case ast.BoolOp(op=op, values=values):
            parts, every = [_compile(v) for v in values], isinstance(op, ast.And)
            if every:
                return lambda at: all(_truth(part(at)) for part in parts)
            return lambda at: any(_truth(part(at)) for part in parts)
        case ast.Compare(left=left, ops=ops, comparators=others):
            sides = [_compile(side) for side in (left, *others)]
            tests = [_RELATIONS[type(op)] for op in ops]
            return lambda at: _compare(sides, tests, at)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            c, x, y = _compile(test), _compile(body), _compile(orelse)
            return lambda at: x(at) if _truth(c(at)) else y(at)
        case ast.Call(func=ast.Name(id=name), args=arguments):
            called, inputs = _CALLS[name], [_compile(a) for a in arguments]
            return lambda at: called(*[_numeric(x(at)) for x in inputs])
    raise AssertionError(node)


def _truth(value: Value) -> bool:
    if not isinstance(value, bool):
        raise ValueError("a condition must be a comparison, not a number")
    return value


def _numeric(value: Value) -> Number:
    if value is None or isinstance(value, bool):
        kind = "None" if value is None else "a comparison"
        raise ValueError(f"{kind} is used as a number")
    return value


def _lower(value: Expression) -> Number:
    exact = value.constant()
    return value if exact is None else exact


def _arithmetic(function: Callable[[Any, Any], Any]) -> Callable[[Value, Value], Number]:
    def both(a: Value, b: Value) -> Number:
        if type(a) is int and type(b) is int:
            return function(a, b)  # type: ignore[no-any-return]
        a, b = _numeric(a), _numeric(b)
        if not isinstance(a, Expression) and not isinstance(b, Expression):
            return function(a, b)  # type: ignore[no-any-return]
        a, b = lift(a), lift(b)
        if len(a.terms) * len(b.terms) > _MAX_TERMS:
            raise ValueError("an irrational number grows too large")
        return _lower(function(a, b))

    return both


_multiply: Final = _arithmetic(operator.mul)
_subtract: Final = _arithmetic(operator.sub)


_BY_ZERO: Final = "division by zero; guard it with `... if ... else ...`"


def _divide(a: Value, b: Value) -> Number:
    a, b = _numeric(a), _numeric(b)
    if not isinstance(b, Expression):
        if b == 0:
            raise ValueError(_BY_ZERO)
        return (
            Fraction(a) / b if not isinstance(a, Expression) else numbers.times(a, 1 / Fraction(b))
        )
    if len(b.terms) != 1 or not all(term.head.isdigit() for term, _ in b.terms[0][0]):
        raise ValueError("division by a number that is neither rational nor a root")
    inverse = number(1 / b.terms[0][1])
    for term, exponent in b.terms[0][0]:
        inverse = inverse * numbers.radical(int(term.head), -exponent)
    return _multiply(a, inverse)


def _floor(a: Number) -> int:
    return numbers.floor(a) if isinstance(a, Expression) else math.floor(a)


def _floordiv(a: Value, b: Value) -> int:
    if type(a) is int and type(b) is int and b:
        return a // b
    return _floor(_divide(a, b))


def _modulo(a: Value, b: Value) -> Number:
    return _subtract(a, _multiply(b, _floordiv(a, b)))


def _power(a: Value, b: Value) -> Number:
    a, b = _numeric(a), _numeric(b)
    if isinstance(b, Expression):
        raise ValueError("an exponent must be rational")
    exponent = Fraction(b)
    if isinstance(a, Expression):
        if exponent.denominator > 1 or not 0 <= exponent <= 64:
            raise ValueError("an irrational number has natural powers up to 64 only")
        if math.comb(len(a.terms) + int(exponent), int(exponent)) > _MAX_TERMS:
            raise ValueError("an irrational number grows too large")
        return _lower(math.prod([a] * int(exponent), start=number(1)))
    base = Fraction(a)
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if bits > 1 and abs(exponent) * bits > _MAX_POWER_BITS:
        raise ValueError(f"a power has more than {_MAX_POWER_BITS} bits")
    if exponent.denominator == 1:
        if base == 0 and exponent < 0:
            raise ValueError(_BY_ZERO)
        return base**exponent.numerator
    if exponent.denominator > 1 << 10:
        raise ValueError("the denominator of an exponent must be at most 1024")
    return _lower(numbers.radical(base, exponent))


def _root(a: Number, k: Number) -> Number:
    if isinstance(k, Expression) or k != int(k) or k < 1:
        raise ValueError("root(x, k) needs a positive integer k")
    if isinstance(a, Expression):
        raise ValueError("a root must be taken of a rational number")
    return _power(a, Fraction(1, int(k)))


def _chebyshev(k: Number, x: Number) -> Number:
    """T_k(x) of the first kind by T_2m = 2 T_m^2 - 1 and T_(2m+1) = 2 T_m T_(m+1) - x."""
    if isinstance(k, Expression) or k != int(k):
        raise ValueError("chebyshev(k, x) needs an integer k")
    if isinstance(x, Expression):
        raise ValueError("chebyshev(k, x) needs a rational x")
    base, degree = Fraction(x), abs(int(k))  # T_-k = T_k
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if bits > 1 and degree * (bits + 1) > _MAX_POWER_BITS:
        raise ValueError(f"a Chebyshev polynomial has more than {_MAX_POWER_BITS} bits")
    low, high = Fraction(1), base  # T_m, T_(m+1), m the leading bits of the degree
    for bit in f"{degree:b}":
        middle = 2 * low * high - base
        if bit == "1":
            low, high = middle, 2 * high * high - 1
        else:
            low, high = 2 * low * low - 1, middle
    return low


def _sign(a: Number) -> int:
    return numbers.sign(a) if isinstance(a, Expression) else (a > 0) - (a < 0)


def _wave(head: str) -> Callable[[Number], Number]:
    def wave(a: Number) -> Number:
        angle = lift(a)
        if any(t.head in ("cos", "sin") for monomial, _ in angle.terms for t, _ in monomial):
            raise ValueError(f"the argument of {head} must be algebraic, without cos and sin")
        return _lower(apply(head, (angle,)))

    return wave


def _extreme(direction: int) -> Callable[..., Number]:
    def extreme(first: Number, *others: Number) -> Number:
        for other in others:
            if direction * _sign(_subtract(other, first)) > 0:
                first = other
        return first

    return extreme


def _compare(
    sides: list[_Program], tests: list[Callable[[int, int], bool]], at: Environment
) -> bool:
    values = [_numeric(side(at)) for side in sides]
    return all(
        test(_sign(_subtract(a, b)), 0)
        for a, b, test in zip(values[:-1], values[1:], tests, strict=True)
    )


_RELATIONS: Final[dict[type, Callable[[int, int], bool]]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip
_BINARY: Final[dict[type, Callable[[Value, Value], Number]]] = {
    ast.Add: _arithmetic(operator.add), ast.Sub: _subtract, ast.Mult: _multiply,
    ast.Div: _divide, ast.FloorDiv: _floordiv, ast.Mod: _modulo, ast.Pow: _power,
}  # fmt: skip
_CALLS: Final[dict[str, Callable[..., Number]]] = {
    "min": _extreme(-1), "max": _extreme(1), "floor": _floor,
    "abs": lambda a: a if _sign(a) >= 0 else -a, "ceil": lambda a: -_floor(-a),
    "cos": _wave("cos"), "sin": _wave("sin"), "sqrt": lambda a: _root(a, 2), "root": _root,
    "chebyshev": _chebyshev,
}  # fmt: skip
