"""Positional heads of a trained model: what its position table alone makes them attend to. Ours."""

from __future__ import annotations

from importlib import resources

from verify.statements import Measured, Measurement, Profile, Statement

EXTRACT = "all-minilm-l6-v2-heads.zip"


def head(name: str, task: str, full: str, causal: str) -> Measurement:
    """One head, named layer.head, and its counts under either visibility."""

    def run(profile: Profile) -> Measured:
        from verify.checkpoints.measured import counts

        with resources.as_file(resources.files("proofs") / "data" / EXTRACT) as path:
            return counts(path, name, task, {"causal": causal, "full": full}, profile.pick(64, 512))

    return Measurement(name, f"layer.head {name} on {task}: hits over rows", "512 rows", run)


STATEMENTS = (
    Statement(
        id="positional-heads",
        title="Heads of a sentence encoder that attend by position",
        latex=r"\arg\max_j\ (W_Q p_i)^\top (W_K p_j) \in \{i-1,\ i-2\}\ \text{for almost every } i",
        words="all-MiniLM-L6-v2 has 512 learned positions p_i. Through the query and key matrices"
        " of three of its heads the position table alone, without content, biases and layer norm,"
        " has its largest logit on the previous key, or two back, on almost every row. Weights are"
        " dyadic rationals, so each row is decided exactly. What the trained head does with content"
        " is not stated.",
        source="ours; the model: sentence-transformers/all-MiniLM-L6-v2, Apache License 2.0",
        status="measured",
        obligations=(
            head("0.5", "previous", full="502/511", causal="502/511"),
            head("1.11", "previous", full="499/511", causal="509/511"),
            head("1.6", "skip:k=2", full="483/510", causal="484/510"),
        ),
    ),
)
