"""`pe-verify recheck`: the claim comes from the subject, the kernel decides, nothing else runs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernel.test_fuzz import JUNK, places, put
from verify import certificates, kernel, recheck, statements
from verify.__main__ import main

ROOT = Path(__file__).parents[2]
COMMITTED = ROOT / "proofs" / "certificates"
PREVIOUS = [["-1", "-2", "-1"], ["2", "2", "0"], ["-1", "0", "0"]]  # -(i - 1 - j)**2
ALIBI = {"encoding": "alibi", "task": "attend-first"}
QUESTIONS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "realizable": (
        {
            **{"question": "realizable", "encoding": "polynomial:degree=2", "task": "previous"},
            "rows": [[4], [8, 4, 8]],
        },
        {"rule": "witness", "parameter": PREVIOUS},
    ),
    "unrealizable": (
        {"question": "unrealizable", "encoding": "affine", "task": "previous", "rows": [[3]]},
        {"rule": "farkas", "multipliers": [[1, 0, "1"], [1, 2, "1"]]},
    ),
    "an impossible row": (
        {
            **{"question": "unrealizable", "encoding": "alibi", "task": "expr:0 if i < 3 else i"},
            "rows": [[3], [5, 4, 5]],
        },
        {"rule": "farkas", "multipliers": [[0, 0, "1"], [2, 1, "1"]]},
    ),
    "forced": (
        {"question": "forced", **ALIBI, "rows": [[2]], "row": [4, 3]},
        {"rule": "cone", "cones": [[[0, 0, "3"]], [[0, 0, "2"]], [[0, 0, "1"]]]},
    ),
    "decisions": (
        {
            **{"question": "decisions", "encoding": "rope:frequencies=2", "task": "attend-first"},
            **{"rows": [[6, 1, 6]], "parameter": ["-1", "0", "0", "0"]},
            **{"outcomes": "hhhmm", "margin": "1/3"},
        },
        {"rule": "evaluate", "bits": 32},
    ),
    "full attention": (
        {
            **{"question": "decisions", "encoding": "alibi", "task": "expr:n - 1"},
            **{"rows": [[3]], "parameter": ["0", "-1"], "outcomes": "hhh", "margin": "1"},
            "visibility": "full",
        },
        {"rule": "evaluate"},
    ),
}


def certificate(subject: dict[str, Any], proof: dict[str, Any]) -> dict[str, Any]:
    _, claim = recheck.rebuild(subject, statements.registry())
    return certificates.envelope(claim, proof, subject)


def written(folder: Path, name: str, value: dict[str, Any]) -> Path:
    path = folder / f"{name}.json"
    certificates.write(path, value)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, (subject, proof) in QUESTIONS.items():
        written(tmp_path, name, certificate(subject, proof))
    return tmp_path


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    subject, proof = QUESTIONS[name]
    path = written(tmp_path, "a", certificate(subject, proof))
    assert main(["recheck", str(path)]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert said.out.splitlines()[0] == str(path)
    assert said.out.endswith("  valid\n1 valid\n")
    assert subject["task"] in said.out


def test_an_obligation_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    path = COMMITTED / "theorem-2--counting.json"
    entry = statements.registry()["theorem-2"].all_obligations()["counting"]
    assert main(["recheck", str(path)]) == 0
    said = capsys.readouterr().out
    assert entry.words in said
    assert "For all" in said and "then for all" in said
    assert main(["recheck", "--claim", str(path)]) == 0
    whole = capsys.readouterr().out
    assert isinstance(entry, statements.Obligation)
    assert json.dumps(entry.claim(statements.Profile()), indent=1) in whole


def test_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = folder / "out" / "result.txt"
    target.parent.mkdir()
    assert main(["recheck", str(folder), "--json", str(target)]) == 0
    capsys.readouterr()
    assert main(["recheck", str(folder), "--json", "-"]) == 0
    text = capsys.readouterr().out
    assert text == target.read_text("utf-8")
    found = json.loads(text)
    assert found["exit_code"] == 0
    assert [Path(c["file"]).stem for c in found["certificates"]] == sorted(QUESTIONS)
    assert {c["outcome"] for c in found["certificates"]} == {"valid"}
    assert all(c["digest"].startswith("sha256:") for c in found["certificates"])


def test_invalid_and_holey(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    subject, proof = QUESTIONS["unrealizable"]
    wrong = certificate(subject, {**proof, "multipliers": [[1, 0, "1"]]})
    written(folder, "wrong", wrong)
    assert main(["recheck", str(folder)]) == 1
    assert "invalid: the multiplied constraints" in capsys.readouterr().out
    (folder / "wrong.json").unlink()
    read = certificates.read(COMMITTED / "proposition-1--endpoint.json")
    goals = [
        {"rule": "fix", "then": {"rule": "hole", "why": "later"}} for _ in read["proof"]["goals"]
    ]
    written(folder, "open", {**read, "proof": {"rule": "goals", "goals": goals}})
    assert main(["recheck", str(folder)]) == 1
    assert "holey: later" in capsys.readouterr().out


def test_the_claim_is_never_taken_from_the_file(tmp_path: Path) -> None:
    """A proof of an easier claim, whose digest the file gives, is refused."""
    subject, _ = QUESTIONS["unrealizable"]
    easy = {
        "kind": "unrealizable",
        "system": {"vectors": [["0"], ["0"]], "rows": [[0, 0, 2, 0]]},
    }
    proof = {"rule": "farkas", "multipliers": [[0, 1, "1"]]}
    assert (
        kernel.check(easy, certificates.envelope(easy, proof, {}) | {"subject": {}}).outcome
        == "valid"
    )
    forged = certificates.envelope(easy, proof, subject)
    assert main(["recheck", str(written(tmp_path, "a", forged))]) == 1
    path = tmp_path / "a.json"
    path.write_text(json.dumps({**forged, "system": easy["system"]}), "utf-8")
    assert main(["recheck", str(path)]) == 2


MALFORMED: dict[str, Any] = {
    "no subject": None,
    "an unknown statement": {"statement": "theorem-99", "obligation": "x"},
    "an unknown obligation": {"statement": "theorem-2", "obligation": "x"},
    "a measurement": {"statement": "monte-carlo-proposition-2", "obligation": "rates"},
    "an unknown profile": {"statement": "theorem-2", "obligation": "counting", "profile": "fast"},
    "an unknown key": {"statement": "theorem-2", "obligation": "counting", "claim": {}},
    "an unknown question": {**QUESTIONS["forced"][0], "question": "possible"},
    "an unknown encoding": {**QUESTIONS["forced"][0], "encoding": "alibis"},
    "an unknown task": {**QUESTIONS["forced"][0], "task": "nothing"},
    "a file as encoding": {**QUESTIONS["forced"][0], "encoding": "/etc/passwd.json"},
    "a file as task": {**QUESTIONS["forced"][0], "task": "task.json"},
    "no rows": {**QUESTIONS["forced"][0], "rows": []},
    "rows of a huge length": {**QUESTIONS["forced"][0], "rows": [[10**12]]},
    "rows that are true": {**QUESTIONS["forced"][0], "rows": [[True]]},
    "rows with a start alone": {**QUESTIONS["forced"][0], "rows": [[5, 1]]},
    "a row that is not asked": {**QUESTIONS["forced"][0], "row": [4, 0]},
    "a row outside of the length": {**QUESTIONS["forced"][0], "row": [4, 9]},
    "an unknown visibility": {**QUESTIONS["forced"][0], "visibility": "none"},
    "outcomes that are too few": {**QUESTIONS["decisions"][0], "outcomes": "h"},
    "a margin that is a decimal": {**QUESTIONS["decisions"][0], "margin": "0.5"},
    "a parameter of another shape": {**QUESTIONS["decisions"][0], "parameter": ["1"]},
    "code in a task": {**QUESTIONS["forced"][0], "task": "expr:__import__('os').getpid()"},
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_subjects(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = certificate(*QUESTIONS["unrealizable"])
    del made["subject"]
    if MALFORMED[name] is not None:
        made["subject"] = MALFORMED[name]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(made), "utf-8")
    assert main(["recheck", str(path)]) == 2
    said = capsys.readouterr()
    assert said.err.count("\n") == 1
    assert said.err.startswith(f"pe-verify recheck: {path}: ")


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"a": 1, "a": 2}', '{"a": NaN}', "[" * 10**5, '{"format": "1.0"}']
)
def test_malformed_files(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, "utf-8")
    written(tmp_path, "b", certificate(*QUESTIONS["forced"]))
    assert main(["recheck", str(tmp_path)]) == 2
    said = capsys.readouterr()
    assert said.err.count("\n") == 1
    assert "1 valid, 1 malformed" in said.out


@pytest.mark.parametrize(
    "arguments",
    [[], ["--fast", "a.json"], ["nowhere.json"], ["--json"], ["--statements", "no.py", "a.json"]],
    ids=" ".join,
)
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recheck", *arguments]) == 2
    said = capsys.readouterr()
    assert said.err and "Traceback" not in said.err


def test_an_empty_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recheck", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recheck", "--help"]) == 0
    assert "Exit codes" in capsys.readouterr().out


@given(st.data())
@settings(max_examples=150)
def test_junk_in_a_subject(data: st.DataObject) -> None:
    """A claim, or Malformed."""
    subject, _ = QUESTIONS[data.draw(st.sampled_from(sorted(QUESTIONS)))]
    changed = put(subject, data.draw(st.sampled_from(places(subject))), data.draw(JUNK))
    try:
        words, claim = recheck.rebuild(changed, statements.registry())
    except kernel.Malformed:
        return
    assert words and claim["kind"] in ("realizable", "unrealizable", "forced", "decisions")


def test_statements_of_a_user(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text(
        "from verify.statements import Given, Obligation, Statement, theorem\n"
        "claim = theorem('real x', {}, ['x*x >= 0'])\n"
        "o = Obligation('square', 'squares', 'all x', lambda p: claim, Given({}))\n"
        "STATEMENTS = (Statement('mine', 'Mine', '', '', '', 'proved', obligations=(o,)),)\n",
        "utf-8",
    )
    claim = statements.theorem("real x", {}, ["x*x >= 0"])
    leaf = {"rule": "close", "sum": [["1", [0]], ["1", [1, 1]]], "equal": []}
    split = {"rule": "split", "on": "x >= 0", "yes": leaf, "no": leaf}
    proof = {"rule": "goals", "goals": [{"rule": "fix", "then": split}]}
    subject = {"statement": "mine", "obligation": "square"}
    path = written(tmp_path, "a", certificates.envelope(claim, proof, subject))
    assert main(["recheck", str(path), "--statements", str(tmp_path / "mine.py")]) == 0
    assert main(["recheck", str(path)]) == 2
    capsys.readouterr()


# ---------------------------------------------------------------- with the standard library alone

BLOCKED = """
import sys
sys.path.insert(0, {root!r})

class Blocker:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in sys.stdlib_module_names and top not in ("verify", "proofs"):
            raise ModuleNotFoundError(f"blocked: {{name}}", name=name)
        return None

sys.meta_path.insert(0, Blocker())
for name in ("click", "numpy", "sympy"):
    try:
        __import__(name)
    except ModuleNotFoundError:
        continue
    raise SystemExit(f"{{name}} was not blocked")
import runpy
sys.argv = ["pe-verify", *sys.argv[1:]]
runpy.run_module("verify", run_name="__main__")
"""


def isolated(*arguments: str) -> subprocess.CompletedProcess[str]:
    """`python -m verify` with every third-party import refused, and none installed (-S)."""
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", BLOCKED.format(root=str(ROOT)), *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_recheck_needs_the_standard_library_alone(folder: Path) -> None:
    done = isolated("recheck", str(folder), str(COMMITTED / "theorem-2--counting.json"))
    assert done.stderr == ""
    assert done.returncode == 0
    assert done.stdout.endswith(f"\n{len(QUESTIONS) + 1} valid\n")


def test_a_forged_certificate_with_the_standard_library_alone(folder: Path) -> None:
    path = folder / "forced.json"
    path.write_text(path.read_text("utf-8").replace('"3"', '"4"'), "utf-8")
    done = isolated("recheck", str(folder))
    assert done.returncode == 1, done.stderr
    path.write_text("{", "utf-8")
    done = isolated("recheck", str(folder))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


def test_other_commands_do_need_the_command_line_library() -> None:
    done = isolated("list")
    assert done.returncode != 0
    assert "click" in done.stderr


@pytest.mark.slow
def test_every_committed_certificate_with_the_standard_library_alone() -> None:
    done = isolated("recheck", str(COMMITTED))
    assert done.stderr == ""
    assert done.returncode == 0
    assert done.stdout.endswith(f"\n{len(list(COMMITTED.glob('*.json')))} valid\n")


def test_python_m_verify_goes_to_the_command_line() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "verify", "--version"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0
    assert done.stdout.startswith("pe-verify ")
