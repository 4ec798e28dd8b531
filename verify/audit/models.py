"""Rounding models: what a numeric implementation claims to compute, and the errors that allows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from verify.audit.dtypes import FLOAT32, FLOAT64, Floats, FloatType, float_type, ulp

# Of phase error, in units of the phase type's 2**-precision: the product's rounding is one unit,
# the frequency's another, and a power function adds a few. Sound float32 code stays below 10.
ALLOWANCE: Final = 16.0
STAGES: Final = ("position", "frequency", "phase", "product", "slope", "bias", "output")


@dataclass(frozen=True, slots=True)
class Model:
    """Angles (or products slope * distance) are good to ALLOWANCE units of `phase`, the result is
    rounded to `output`; `text` is how it was declared."""

    text: str
    phase: FloatType
    output: FloatType

    def bound(self, exact: Floats, angle: Floats, scaled: bool = False) -> Floats:
        """The error that the model allows: 1 ulp of the output (one more for a common factor)
        plus |angle| * ALLOWANCE units of the phase type."""
        ulps = 2.0 if scaled else 1.0
        return ulps * ulp(exact, self.output) + np.abs(angle) * (ALLOWANCE * self.phase.unit)


def default_model(output: FloatType | None) -> Model:
    """Phases in float32, or in the output's type if that is wider; then cast to the output."""
    output = output or FLOAT64
    phase = output if output.precision > FLOAT32.precision else FLOAT32
    then = "" if output is phase else f", then cast to {output.name}"
    return Model(f"{phase.name} phase{then}", phase, output)


_STEP: Final = re.compile(
    r"(?:then )?(?:cast(?: to (?P<cast>\w+))?"
    r"|(?P<type>\w+) (?P<stage>position|frequency|frequencie|phase|product|slope|bia|output)e?s*"
    r"|(?P<alone>\w+))"
)


def model(text: str, output: FloatType | None) -> Model:
    """Read a declared model: `float32 phase, then cast`, `bfloat16 product`, `bfloat16`.

    Steps are separated by commas; the narrowest type of position, frequency, phase, product, slope
    or bias is what angles are good to. ValueError names the step that is not understood.
    """
    base = default_model(output)
    phase, final = None, base.output
    for step in text.lower().replace(";", ",").split(","):
        match = _STEP.fullmatch(" ".join(step.split()))
        if match is None:
            raise ValueError(
                f"model step {step.strip()!r} is not understood; write for instance "
                "'float32 phase, then cast to bfloat16' or 'bfloat16 product'"
            )
        if match["stage"] == "output" or match["cast"]:
            final = float_type(match["type"] or match["cast"])
        elif name := match["type"] or match["alone"]:
            kind = float_type(name)
            phase = kind if phase is None or kind.precision < phase.precision else phase
    return Model(text, phase or base.phase, final)
