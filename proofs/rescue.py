"""Whether any parameter rescues learned-absolute features, by dimension and length."""

from __future__ import annotations

from verify.statements import Measured, Measurement, Profile, Statement

DIMENSIONS = (4, 6, 7, 8, 10)


def _measured(dimension: int) -> Measurement:
    def run(profile: Profile) -> Measured:
        from verify.rescues import curve

        return curve(dimension, profile.pick(4, 100))

    return Measurement(
        f"dimension-{dimension}",
        f"dimension {dimension}: share of samples for which some W realizes L0 = 20 and every new"
        " row up to L",
        lambda profile: f"{profile.pick(4, 100)} samples, each decided exactly",
        run,
    )


STATEMENT = Statement(
    id="rescue.learned-absolute",
    title="Learned-absolute: whether a rescuing W exists, decided sample by sample",
    latex=r"\Pr[\exists W\ \text{realizing } L_0 = 20 \text{ and the new rows below } L]",
    words="Independent Gaussian features (rounded to 2^-20), task previous: for each seeded sample"
    " the exact engine finds a parameter or refutes the system, with a certificate that the kernel"
    " checks. Published is 20-35%, without the dimension, the length or which rows are asked; the"
    " share falls with L and rises with the dimension, so the published range is met near the"
    " dimension at which the rows begin to outnumber the parameters.",
    source="A Positional Realizability Theory of Length Generalization, Proposition 2"
    " (Monte Carlo)",
    status="measured",
    obligations=tuple(map(_measured, DIMENSIONS)),
    remarks=(
        "rescue-by-dimension measures the same in float64 linear programs; here nothing is float.",
    ),
)
STATEMENTS = (STATEMENT,)
