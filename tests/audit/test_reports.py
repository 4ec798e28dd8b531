"""Reports of findings, the command line, the pytest plugin and the assertions."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from verify.audit import audit, report
from verify.audit.findings import HELP, KINDS
from verify.report.json_report import schema
from verify.testing import (
    assert_alpha,
    assert_decisions,
    assert_encoding,
    assert_kernel,
    assert_mask,
)

ROOT = Path(__file__).parents[2]
FAULTY = ("learned_table_clamped:features", "onehot:length=16")


def run(*arguments, folder, code=0):
    done = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=folder, capture_output=True, text=True,
        timeout=120, check=False,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "COLUMNS": "200"},
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def clamped(request):
    sys.path.insert(0, str(Path(__file__).parent / "cases"))
    try:
        return audit(*FAULTY, length=32)
    finally:
        sys.path.pop(0)


def test_json_follows_its_schema(clamped):
    fastjsonschema = pytest.importorskip("fastjsonschema")
    document = json.loads(json.dumps(report.document(clamped), allow_nan=False))
    fastjsonschema.compile(schema("audit"))(document)
    kinds = schema("audit")["definitions"]["finding"]["properties"]["kind"]["enum"]
    assert tuple(kinds) == KINDS
    assert [f["position"] for f in document["findings"] if f["kind"] == "tie"] == [16]


def test_sarif_has_a_rule_with_help_for_every_kind_and_a_place_for_every_result(clamped):
    (one_run,) = report.sarif_log([clamped])["runs"]
    rules = one_run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [f"pe-verify/{kind}" for kind in KINDS]
    assert all(rule["help"]["text"] == HELP[rule["name"]] for rule in rules)
    assert len(one_run["results"]) == len(clamped.findings) == 3
    for result, finding in zip(one_run["results"], clamped.findings, strict=True):
        assert rules[result["ruleIndex"]]["name"] == finding.kind
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"].endswith("learned_table_clamped.py")
        assert place["region"]["startLine"] == 9
    assert len({r["partialFingerprints"]["identity/v1"] for r in one_run["results"]}) == 3


def test_junit_has_a_case_for_every_property(clamped):
    suite = ElementTree.fromstring(report.junit([clamped])).find("testsuite")
    assert suite is not None
    failed = {case.get("name") for case in suite if case.find("failure") is not None}
    assert failed == {"features::clamped", "features::collision", "features::tie"}
    assert suite.get("tests") == str(len(clamped.properties))
    assert suite.get("failures") == "3"


def test_markdown_escapes_tables(clamped):
    words = report.markdown([clamped])
    assert words.startswith("### pe-verify audit: 3 findings in 1 subject")
    assert "| `learned_table_clamped:features` | collision | position 15 | 17 |" in words


@pytest.mark.parametrize("kind", ["collision", "clamped"])
def test_the_reproduction_runs(clamped, kind, cases):
    done = subprocess.run(
        [sys.executable, "-c", clamped.of(kind)[0].reproduce], cwd=cases, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    assert done.stdout.count("1.]") == 2  # both rows are that of position 15


# ------------------------------------------------------------ command line


def test_exit_codes_of_the_command(cases, tmp_path):
    found = run("verify", "audit", FAULTY[0], "--spec", FAULTY[1], "--length", "32",
                "--json", "-", folder=cases, code=1)  # fmt: skip
    assert {f["kind"] for f in json.loads(found.stdout)["findings"]} == {
        "clamped",
        "collision",
        "tie",
    }
    run("verify", "audit", "learned_table_clamped:strict_features", "--spec", FAULTY[1], "--length",
        "32", folder=cases, code=0)  # fmt: skip
    bad = run("verify", "audit", FAULTY[0], "--known", str(tmp_path / "none"), folder=cases, code=2)
    assert bad.stderr.count("\n") == 1
    assert "cannot be read" in bad.stderr


def test_known_failures_of_the_command_are_strict(cases, tmp_path):
    known = tmp_path / "known.txt"
    ids = [f"{FAULTY[0]}::features::{kind}" for kind in ("clamped", "collision", "tie")]
    known.write_text("# a learned table\n" + "\n".join(ids) + "  # clamped on purpose\n")
    arguments = ("verify", "audit", FAULTY[0], "--spec", FAULTY[1], "--length", "32", "--known")
    assert "3 known failures" in run(*arguments, str(known), folder=cases).stdout
    known.write_text("\n".join([*ids, f"{FAULTY[0]}::features::flip"]))
    stale = run(*arguments, str(known), folder=cases, code=1)
    assert "stale known failure: learned_table_clamped:features::features::flip" in stale.stdout


# ------------------------------------------------------------ pytest plugin

INSTALLED = any(
    point.name == "pe_verify" for point in importlib.metadata.entry_points(group="pytest11")
)


def pytest_run(folder, *arguments, code):
    plugin = () if INSTALLED else ("-p", "verify.pytest_plugin")
    configuration = folder / "pytest.ini"
    if not configuration.exists():
        configuration.write_text("[pytest]\npythonpath = .\n")
    return run(
        "pytest", *plugin, "-c", str(configuration), "-q", *arguments, folder=folder, code=code
    )


@pytest.fixture
def project(tmp_path, cases):
    (tmp_path / "table.py").write_text((cases / "learned_table_clamped.py").read_text())
    return tmp_path


def test_one_test_for_each_property(project):
    options = ("--pe-subject", "table:features", "--pe-spec", FAULTY[1], "--pe-length", "32")
    done = pytest_run(project, *options, code=1)
    assert "3 failed, 8 passed" in done.stdout
    assert "FAILED table:features::features::clamped" in done.stdout
    assert "position 16 is past the end of a table of 16" in done.stdout
    assert "Traceback" not in done.stdout
    chosen = pytest_run(project, *options, "-k", "tie", code=1)
    assert "1 failed, 10 deselected" in chosen.stdout


def test_configuration_known_failures_and_skips(project):
    (project / "dead.py").write_text("def features(positions): raise OSError('no')\n")
    (project / "known.txt").write_text(
        "\n".join(f"table:features::features::{k}" for k in ("clamped", "collision", "tie"))
        + "\ndead:features::features::error\n"
    )
    (project / "pytest.ini").write_text(
        "[pytest]\npythonpath = .\npe_known = known.txt\npe_audits =\n"
        f"    table:features {FAULTY[1]} length=32\n    dead:features length=8\n"
    )
    done = pytest_run(project, code=0)
    assert "13 audited, 9 not examined; 4 known failures" in done.stdout.replace(
        "properties: ", ""
    ), done.stdout
    assert "4 xfailed" in done.stdout


def test_stale_known_failures_are_errors(project):
    options = ("--pe-subject", "table:strict_features", "--pe-spec", FAULTY[1], "--pe-length", "32")
    known = project / "known.txt"
    known.write_text("table:strict_features::features::tie\n")
    done = pytest_run(project, *options, "--pe-known", "known.txt", code=1)
    assert "XPASS(strict)" in done.stdout
    known.write_text("table:strict_features::features::tied\n")
    done = pytest_run(project, *options, "--pe-known", "known.txt", code=4)
    assert "is stale: no property has this id" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--pe-subject", "nothing:features"), "there is no module 'nothing'"),
        (("--pe-subject", "table:TABLE"), "is of no known kind"),
        (("--pe-subject", "table:features", "--pe-known", "none.txt"), "cannot be read"),
        (("--pe-subject", "table:features", "--pe-length", "many"), "many"),
    ],
)
def test_bad_input_to_the_plugin(project, options, words):
    done = pytest_run(project, *options, code=4)
    assert words in done.stdout + done.stderr


def test_the_plugin_imports_nothing_of_the_package():
    code = (
        "import sys; import pytest; before = set(sys.modules); import verify.pytest_plugin\n"
        "new = set(sys.modules) - before\n"
        "print(sorted(n for n in new if n.partition('.')[0] in ('verify', 'numpy', 'flint')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "['verify', 'verify.pytest_plugin']"


# ------------------------------------------------------------ assertions


def test_assert_encoding():
    with pytest.raises(AssertionError, match=r"positions 15, 16, 17, 18, \.\.\. have identical"):
        assert_encoding(*FAULTY, length=32)
    result = assert_encoding("learned_table_clamped:strict_features", FAULTY[1], length=32)
    assert any(note.name == "out of range raises" for note in result.notes)


def test_assert_kernel():
    def right(offsets):
        return -offsets / 2

    def wrong(offsets):
        return -np.minimum(offsets, 40) / 2

    assert_kernel(right, "alibi:heads=8,head=0", length=64)
    with pytest.raises(
        AssertionError, match=r"the logit of offset 41 is -20 where -20\.5 is right"
    ):
        assert_kernel(wrong, "alibi:heads=8,head=0", length=64)


def test_assert_mask():
    assert_mask(lambda n: np.tri(n, dtype=bool))
    with pytest.raises(AssertionError, match="row 0 may see key 1, which causal attention hides"):
        assert_mask(lambda n: np.ones((n, n), bool))
    assert_mask(lambda n: np.ones((n, n), bool), visibility="full")


def test_assert_decisions():
    def exact(n):
        return [[Fraction(-abs(i - j), 3) for j in range(n)] for i in range(n)]

    assert_decisions(lambda n: np.array(exact(n), float), exact, length=20)
    with pytest.raises(AssertionError, match="row 1 ties between keys 0, 1"):
        assert_decisions(lambda n: np.zeros((n, n)), exact, length=20)


def test_assert_alpha():
    def previous_in_half_precision(n):
        """Key j < i has the logit 120 + j/16; float16 resolves sixteenths below 128 only."""
        j = np.arange(n)
        logits = (120 + j / 16).astype(np.float16)
        return np.where(j < j[:, None], logits, np.float16(0))

    assert assert_alpha(previous_in_half_precision, "previous", train=10, length=130) == 1
    wrong = r"row 130 ties between 128, 129 where 129 is the target of previous; 15 of 150 new rows"
    with pytest.raises(AssertionError, match=wrong):
        assert_alpha(previous_in_half_precision, "previous", train=10, length=160)
    share = assert_alpha(
        previous_in_half_precision, "previous", train=10, length=160, at_least=Fraction(1, 2)
    )
    assert share == Fraction(9, 10)
    with pytest.raises(ValueError, match="no new row"):
        assert_alpha(previous_in_half_precision, "previous", train=20, length=20)
