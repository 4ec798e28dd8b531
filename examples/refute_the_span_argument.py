"""The span argument, refuted by hand: a new row outside the training span that is a hit anyway."""

from verify import kernel

# phi(i) = [1, i, i^2]; training row 1 -> 0; the new row 2 -> 1
system = {"vectors": [["1", "0", "0"], ["1", "1", "1"], ["1", "2", "4"]],
          "rows": [[1, 0, 2, 0], [2, 0, 3, 1]]}  # fmt: skip


def decided(parameter: list[list[str]], outcomes: str) -> str:
    """What the kernel says to: this parameter gives these outcomes on the two rows."""
    claim = {
        "kind": "decisions", "system": system, "parameter": parameter, "outcomes": outcomes,
        "margin": "0",
    }  # fmt: skip
    proof = {"rule": "evaluate"}
    certificate = {"format": kernel.FORMAT, "claim": kernel.digest(claim), "proof": proof}
    return kernel.check(claim, certificate).outcome


# a parameter that is zero on the training constraint and not on the new row: outside the span
print("outside the span:", decided([["0", "0", "0"], ["0", "0", "0"], ["0", "-1", "1"]], "tm"))
# -(i - 1 - j)^2 hits the training row, and the new row as well
print("and still a hit:", decided([["-1", "-2", "-1"], ["2", "2", "0"], ["-1", "0", "0"]], "hh"))
