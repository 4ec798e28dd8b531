"""`pe-verify recheck`: read certificates again with the kernel alone.

The claim of a certificate is rebuilt from its subject, by the theory and the declarations in
`proofs`; it is never taken from the file. Everything here and below imports the standard library
and this project only.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from verify import certificates, kernel, statements
from verify.kernel import Malformed
from verify.report.claims import sentences
from verify.synthesis.theorem import claim_of as all_lengths
from verify.theory import heads, tasks
from verify.theory.encodings import encoding

Claim = dict[str, Any]
LONGEST: Final = 1_000_000  # length of a question
SHOWN: Final = 200  # characters of an encoding or a task in a sentence

_QUESTION_KEYS = {
    "realizable": frozenset(),
    "unrealizable": frozenset(),
    "forced": frozenset({"row"}),
    "decisions": frozenset({"parameter", "outcomes", "margin"}),
}


@dataclass(frozen=True, slots=True)
class Found:
    """What came of one file. outcome: valid, invalid, holey or malformed; claim: None if none."""

    file: str
    outcome: str
    reason: str = ""
    question: str = ""
    claim: Claim | None = None
    digest: str = ""
    used: tuple[str, ...] = ()


# ------------------------------------------------------------ from a subject to its claim


def rebuild(subject: object, known: Mapping[str, statements.Statement]) -> tuple[str, Claim]:
    """The question of a subject in words, and its claim. Malformed if it names none."""
    rest = dict(subject) if isinstance(subject, dict) else {}
    try:
        match [rest.pop(key, None) for key in ("statement", "obligation")]:
            case [str(identity), str(name)]:
                profile = rest.pop("profile", "full")
                _no_more(rest)
                return _of_statement(identity, name, profile, known)
        match [rest.pop(key, None) for key in ("question", "encoding", "task")]:
            case ["all-lengths", str(spec), str(task)]:
                return _at_all_lengths(spec, task, rest)
            case [str(kind), str(spec), str(task)]:
                return _of_question(kind, spec, task, rest)
    except Malformed:
        raise
    except (ValueError, ArithmeticError, RecursionError) as problem:
        raise Malformed(f"the subject: {problem}") from None
    raise Malformed("the subject names no statement with an obligation, and no question")


def _no_more(rest: Mapping[str, Any]) -> None:
    if rest:
        raise Malformed(f"the subject has the unknown key {sorted(rest)[0][:40]!r}")


def _of_statement(
    identity: str, name: str, profile: object, known: Mapping[str, statements.Statement]
) -> tuple[str, Claim]:
    statement = known.get(identity)
    entry = statement.all_obligations().get(name) if statement else None
    if statement is None or not isinstance(entry, statements.Obligation):
        raise Malformed(f"there is no obligation {name[:60]!r} of a statement {identity[:60]!r}")
    if profile not in ("quick", "full"):
        raise Malformed(f"the profile is 'quick' or 'full', not {str(profile)[:40]!r}")
    chosen = statements.Profile(profile)
    words = f"{identity}, {name}: {entry.words} ({entry.scope_for(chosen)})"
    return words, entry.claim(chosen)


def _short(spec: str) -> str:
    """Tables hold thousands of numbers; a sentence shows their beginning."""
    return spec if len(spec) <= SHOWN else f"{spec[:SHOWN]}... ({len(spec)} characters)"


def _of_question(kind: str, spec: str, named: str, rest: dict[str, Any]) -> tuple[str, Claim]:
    """rows: a list of [n] (the task's rows of length n) and [n, start, stop] (those among them)."""
    if kind not in _QUESTION_KEYS:
        raise Malformed(f"the question is one of {', '.join(_QUESTION_KEYS)}, not {kind[:40]!r}")
    if spec.strip().endswith(".json") or named.strip().endswith(".json"):
        raise Malformed("a subject holds its tables itself and names no other file")
    visibility, entries = rest.pop("visibility", "causal"), rest.pop("rows", None)
    features, task = encoding(spec), tasks.task(named)
    rows = cache(lambda n: tasks.rows(task, n, visibility))
    groups = [_group(rows, entry) for entry in _listed(entries, "rows")]
    lengths = ", ".join(_where(entry) for entry in entries)
    given = {key: rest.pop(key, None) for key in _QUESTION_KEYS[kind]}
    _no_more(rest)
    of = f"{_short(features.spec)} on the task {_short(task.spec)} at {lengths}"
    of += "" if visibility == "causal" else " under full attention"
    match kind:
        case "realizable":
            return f"some parameter realizes {of}", heads.realizable_claim(
                features, groups, visibility
            )
        case "unrealizable":
            return f"no real parameter realizes {of}", heads.unrealizable_claim(
                features, groups, visibility
            )
        case "forced":
            n, i = _integers(given["row"], 2, "row")
            _, pairs = _group(rows, [n, i, i + 1])
            if not pairs:
                raise Malformed(f"the task asks nothing of row {i} at length {n}")
            words = f"every parameter that realizes {of} hits row {i} at length {n}"
            row = (n, i, pairs[0][1])
            return words, heads.forced_claim(features, groups, row, visibility)
    outcomes, margin = given["outcomes"], kernel.rational(given["margin"])
    if not isinstance(outcomes, str) or not isinstance(given["parameter"], list):
        raise Malformed("a subject about decisions gives parameter, outcomes and margin")
    words = f"what the given parameter does with {of}"
    parameter = heads.exact_parameter(features, given["parameter"])
    return words, heads.decisions_claim(features, groups, parameter, outcomes, margin, visibility)


def _at_all_lengths(spec: str, named: str, rest: dict[str, Any]) -> tuple[str, Claim]:
    """One parameter of a polynomial encoding, every length."""
    visibility, rows = (
        rest.pop("visibility", "causal"),
        _listed(rest.pop("parameter", None), "a parameter"),
    )
    _no_more(rest)
    parameter = [[kernel.rational(w) for w in _listed(row, "rows of numbers")] for row in rows]
    words = f"the given parameter of {spec} realizes the task {named} at every length"
    return words, all_lengths(named, spec, parameter, visibility)


def _listed(value: object, name: str) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise Malformed(f"the subject needs {name}: a list that is not empty")
    return value


def _integers(value: object, count: int, name: str) -> list[int]:
    found = _listed(value, name)
    if len(found) != count or any(type(k) is not int or not 0 <= k <= LONGEST for k in found):
        raise Malformed(f"{name} of the subject must be {count} integers from 0 to {LONGEST:,}")
    return found


def _group(rows: Callable[[int], list[tuple[int, int]]], entry: object) -> heads.Group:
    n, *ends = _integers(entry, len(entry) if isinstance(entry, list) else 1, "an entry of rows")
    if len(ends) not in (0, 2):
        raise Malformed("an entry of rows is [n], or [n, start, stop]")
    return n, [(i, t) for i, t in rows(n) if not ends or ends[0] <= i < ends[1]]


def _where(entry: list[int]) -> str:
    if len(entry) == 1:
        return f"length {entry[0]}"
    return f"length {entry[0]} (rows {entry[1]} to {entry[2] - 1})"


# ------------------------------------------------------------ files


def recheck(file: Path, known: Mapping[str, statements.Statement]) -> Found:
    """Read, rebuild, decide; whatever is wrong with the file is a Found, never an exception."""
    question, claim = "", None
    try:
        certificate = certificates.read(file)
        question, claim = rebuild(certificate.get("subject"), known)
        checked = kernel.check(claim, certificate)
    except Malformed as problem:
        return Found(str(file), "malformed", " ".join(str(problem).split()), question, claim)
    except OSError as problem:
        return Found(str(file), "malformed", problem.strerror or str(problem))
    except MemoryError:
        return Found(str(file), "malformed", "it is too large for the memory of this machine")
    return Found(
        str(file),
        checked.outcome,
        checked.reason,
        question,
        claim,
        checked.digest,
        tuple(sorted(checked.used)),
    )


def files(paths: Sequence[str]) -> Iterator[Path]:
    """The files named, and every *.json below the folders named, in order of name."""
    for path in map(Path, paths):
        if path.is_dir():
            yield from sorted(p for p in path.rglob("*.json") if p.is_file())
        else:
            yield path


def report(found: Found, whole: bool) -> str:
    """One file in words: the question, the claim, the outcome."""
    lines = [found.file]
    lines += [f"  {line}" for line in [found.question] if line]
    if found.claim is not None:
        lines += [f"    {sentence}" for sentence in sentences(found.claim)]
        if whole:
            lines.append(json.dumps(found.claim, indent=1))
    if found.used:
        lines.append(f"  uses {', '.join(found.used)}")
    lines.append(f"  {found.outcome}{': ' if found.reason else ''}{found.reason}")
    return "\n".join(lines)


def document(results: Sequence[Found]) -> dict[str, Any]:
    """What `--json` writes."""
    return {
        "exit_code": exit_code(results),
        "certificates": [
            {
                "file": found.file,
                "outcome": found.outcome,
                "reason": found.reason,
                "question": found.question,
                "digest": found.digest,
                "used": list(found.used),
            }
            for found in results
        ],
    }


def exit_code(results: Sequence[Found]) -> int:
    """2 if anything was malformed, else 1 if anything was not valid, else 0."""
    outcomes = {found.outcome for found in results}
    return 2 if "malformed" in outcomes else int(outcomes != {"valid"})


# ------------------------------------------------------------ the command


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pe-verify recheck",
        description="Check certificate files again with the kernel alone. Each claim is rebuilt "
        "from the statement or question that the file names. No third-party package is imported.",
        epilog="Exit codes: 0 all valid, 1 invalid or holey, 2 malformed or about nothing known.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="a certificate, or a folder")
    parser.add_argument("--claim", action="store_true", help="print each claim whole, as JSON")
    parser.add_argument("--json", metavar="FILE", help="write the results as JSON ('-': to stdout)")
    parser.add_argument(
        "--statements",
        metavar="FILE.py",
        type=Path,
        help="your own statements: a Python file with a tuple STATEMENTS (it is run)",
    )
    return parser


def main(argv: Sequence[str]) -> int:
    """Run `pe-verify recheck` with these arguments; the exit code."""
    try:
        options = _parser().parse_args(argv)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 2
    try:
        return _run(options)
    except BrokenPipeError:  # whoever read our output has left
        sys.stderr.close()
        return 141
    except KeyboardInterrupt:
        print("pe-verify recheck: interrupted", file=sys.stderr)
        return 130
    except (ValueError, OSError) as problem:
        print(f"pe-verify recheck: {' '.join(str(problem).split())}", file=sys.stderr)
        return 2


def _run(options: argparse.Namespace) -> int:
    known = statements.load(options.statements) if options.statements else statements.registry()
    paths = list(files(options.files))
    if not paths:
        raise ValueError(f"there is no *.json file below {', '.join(options.files)}")
    results = []
    for path in paths:
        results.append(recheck(path, known))
        if options.json != "-":
            print(report(results[-1], options.claim), flush=True)
    for found in results:
        if found.outcome == "malformed":
            print(f"pe-verify recheck: {found.file}: {found.reason}", file=sys.stderr)
    if options.json:
        text = json.dumps(document(results), indent=2) + "\n"
        if options.json == "-":
            sys.stdout.write(text)
        else:
            Path(options.json).write_text(text, encoding="utf-8")
    if options.json != "-":
        counts = {name: 0 for name in ("valid", "invalid", "holey", "malformed")}
        for found in results:
            counts[found.outcome] += 1
        print(", ".join(f"{count} {name}" for name, count in counts.items() if count))
    return exit_code(results)
