"""One audit as its families of checks see it, and how they ask the subject."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from verify.audit.findings import Finding
from verify.audit.models import Model, default_model, model
from verify.audit.specifications import Reference, Specification
from verify.audit.subjects import Reply, Session, subject
from verify.audit.values import Values

PROMPTS: Final = (1, 2, 3, 5, 6, 8, 16, 31)


class Refused(Exception):
    """The subject did not answer with an array of real numbers of the right shape."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


class Unfit(ValueError):
    """The specification says nothing of this callable."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of the subject. `sampled` positions are examined, all of them below `length`;
    `prompts` and `steps` are for decoding, `visibility` says which keys a row may see when the
    subject has no mask, `targets` the key that each row of given logits shall answer."""

    session: Session
    specification: Specification | None
    length: int
    sampled: npt.NDArray[np.int64]
    dtype: str | None = None
    declared: str | None = None
    visibility: str = "causal"
    prompts: tuple[int, ...] = PROMPTS
    steps: int = 4
    targets: Sequence[int] | None = None
    cast: str | None = None
    reference: Session | None = None

    def model(self, values: Values) -> Model:
        """The declared rounding model, or the default one for the type of these values."""
        if self.declared is None:
            return default_model(values.float_type)
        return model(self.declared, values.float_type)

    def ask(self, kind: str, *arguments: Any, **keywords: Any) -> tuple[Values, ...]:
        """The arrays that the subject answers with, or Refused with the finding."""
        reply = self.session.call(
            kind, *arguments, dtype=self.dtype, length=self.length, **keywords
        )
        if reply.status != "value":
            raise Refused(refusal(self, kind, reply, arguments))
        return reply.values

    def expect(self, kind: str, *arguments: Any, **keywords: Any) -> Values | None:
        """What the reference specification answers to the same call, None without one."""
        if self.reference is None or kind not in self.reference.offered:
            return None
        reply = self.reference.call(kind, *arguments, length=self.length, **keywords)
        if reply.status != "value":
            assert isinstance(self.specification, Reference)
            raise ValueError(
                f"the reference {self.specification.subject} failed at {kind}: {reply.text}"
            )
        return reply.values[0]

    def reproduce(self, kind: str, *arguments: Any) -> str:
        """One line of Python that shows the fault."""
        module, _, name = self.session.subject.reference.partition(":")
        owner = f"{name}()" if self.session.made else name
        call = name if self.session.direct else f"{owner}.{kind}"
        library = self.session.libraries.get(kind, "numpy")
        given = [_literal(argument, library) for argument in arguments]
        imports = {"numpy": "numpy as np", "torch": "torch", "jax": "jax.numpy as np"}
        needed = [imports[library]] if library in imports else []
        if self.dtype is not None and "dtype" in self.session.offered.get(kind, ()):
            home = "torch" if library == "torch" else "np"
            if library == "numpy" and self.dtype.startswith(("bfloat", "float8")):
                home = "ml_dtypes"
                needed.append(home)
            given.append(f"dtype={home}.{self.dtype}")
        start = f"import {', '.join(needed)}; " if needed else ""
        first = name.partition(".")[0]
        return f"{start}from {module} import {first}; print({call}({', '.join(given)}))"


@contextmanager
def question_for(target: Any, kind: str, length: int, seconds: float) -> Iterator[Question]:
    """A question about one callable, for assertions that ask it themselves."""
    with Session(subject(target, kind), seconds) as session:
        yield Question(session, None, length, np.arange(length, dtype=np.int64))


def _literal(argument: Any, library: str) -> str:
    """The argument as Python source, in the library that the subject takes."""
    kind = argument.kind if isinstance(argument, Values) else ""
    if isinstance(argument, Values):
        argument = argument.array
    if not isinstance(argument, np.ndarray):
        return repr(argument)
    flat = argument.ravel()
    steps = np.diff(flat) if flat.dtype.kind == "i" else np.zeros(0)
    if library == "list":
        return repr(argument.tolist())
    home = "torch" if library == "torch" else "np"
    if argument.ndim == 1 and flat.size > 1 and len(steps) and (steps == 1).all():
        start = f"{flat[0]}, " if flat[0] else ""
        return f"{home}.arange({start}{flat[-1] + 1})"
    if argument.ndim == 2 and np.array_equal(argument, np.eye(len(argument))):
        source = f"{home}.eye({len(argument)})"
    else:
        maker = "tensor" if home == "torch" else "array"
        source = f"{home}.{maker}({argument.tolist()})"
    if kind in ("float32", "float64", "float16") and home == "np" and kind != "float64":
        source += f".astype(np.{kind})"
    return source


def refusal(question: Question, kind: str, reply: Reply, arguments: Sequence[Any]) -> Finding:
    """The finding for an answer that is none."""
    what = {
        "error": "raised",
        "shape": "did not return an array of real numbers:",
        "timeout": "gave",
        "died": "ended:",
    }[reply.status]
    return Finding(
        "shape" if reply.status == "shape" else "error",
        kind,
        f"{kind} {what} {reply.text}",
        exact="an array of finite numbers",
        observed=reply.text,
        reproduce=question.reproduce(kind, *arguments),
        details={"status": reply.status},
    )


def wrong_shape(
    question: Question, kind: str, found: tuple[int, ...], right: str, *arguments: Any
) -> Refused:
    """The answer has the wrong shape; `right` says which one it should have."""
    return Refused(
        Finding(
            "shape", kind, f"{kind} returned shape {found}; {right} is right", exact=right,
            observed=str(found), reproduce=question.reproduce(kind, *arguments),
        )
    )  # fmt: skip
