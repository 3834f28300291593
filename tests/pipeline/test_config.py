from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from watching import NAMES, witness

from benchsite.errors import InputError, PrerequisiteError
from benchsite.log import Witness
from benchsite.pipeline.workspace.config import MAX_WITNESSES, Config
from benchsite.track import Grant

GOOD = "site_name: x\nextra:\n  benchsite:\n    origin: a.example/log\n"


def write(folder: Path, text: str) -> Path:
    (folder / "mkdocs.yml").write_text(text)
    return folder


def test_defaults(tmp_path: Path) -> None:
    config = Config.read(write(tmp_path, GOOD))
    assert config.benchsite.origin == "a.example/log"
    assert config.benchsite.suite == ()
    assert config.benchsite.site_size_limit_mb == 900


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("extra:\n  benchsite:\n    suite: []\n", r"origin: field required"),
        (
            GOOD.replace("a.example/log", "https://a.example/log"),
            r"line 4: extra\.benchsite\.origin: ",
        ),
        (GOOD + "    orgin: y\n", r"line 5: extra\.benchsite\.orgin"),
        (
            GOOD + "    root_keys: [abc]\n",
            r"line 5: extra\.benchsite\.root_keys\.0: ",
        ),
        (GOOD.replace("x", "x" * 10_000, 1), "line 1: site_name: .*120"),
        (GOOD + "    site_size_limit_mb: 0\n", r"line 5: extra\.benchsite\.site_size_limit_mb"),
    ],
)
def test_faults_name_line_and_key(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        Config.read(write(tmp_path, text))


@pytest.mark.parametrize(
    "value",
    [
        "/srv/git/bench",
        "javascript:alert(1)",
        "git@code.example:lab/bench.git",  # mkdocs takes URLs only
        "https://user:s3cret@code.example",
        "https://user:s3cret@[bad/o/r",
        "https://s3cret[@code.example/o/r",  # urlsplit raises for a bracket, and for what NFKC makes a slash of
        "https://s3cret\u2100@code.example/o/r",
        "https://code.example/o/" + "s3cret" * 1_700,
        "https://code.example/\u202es3cret/r",
    ],
)
def test_a_repository_without_a_web_address_is_refused_by_line_and_never_shown(
    tmp_path: Path, value: str
) -> None:
    text = GOOD.replace("extra:", f"repo_url: {json.dumps(value)}\nextra:")
    with pytest.raises(InputError, match=r"^mkdocs\.yml, line 2: repo_url: ") as refused:
        Config.read(write(tmp_path, text))
    assert "s3cret" not in refused.value.message + refused.value.hint
    assert value not in refused.value.message + refused.value.hint


def test_a_web_address_of_the_repository_is_taken(tmp_path: Path) -> None:
    for value in ("https://user:s3cret@code.example/o/r.git", "http://localhost:3000/o/r", '""'):
        assert Config.read(write(tmp_path, f"repo_url: {value}\n{GOOD}")).site.repo_url == value.strip('"')


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_is_refused_and_not_waited_for(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "mkdocs.yml")
    with pytest.raises(InputError, match="not a regular file") as refused:
        Config.read(tmp_path)
    assert refused.value.hint


def test_grants_are_named_by_the_maintainer(tmp_path: Path) -> None:
    text = GOOD + (
        "    grants:\n      mem0:\n        network: true\n        env: [OPENAI_API_KEY]\n"
        '      "command:node adapter.js": {memory_mb: 512, env: [A_KEY]}\n'
        '      hosted: {hosts: [api.a.example, "*.b.example:8443"]}\n'
    )
    config = Config.read(write(tmp_path, text))
    assert config.grant("mem0") == Grant(network=True, environment=("OPENAI_API_KEY",))
    assert config.grant("command:node adapter.js") == Grant(memory_mb=512, environment=("A_KEY",))
    assert config.grant("hosted") == Grant(hosts=("api.a.example", "*.b.example:8443"))
    assert config.grant("bm25") == Grant(network=False, environment=(), memory_mb=8192)


def test_subjects_are_declared_by_id_with_a_title_and_a_name_on_each_track(tmp_path: Path) -> None:
    text = f'{GOOD}    subjects:\n      crane-2: {{title: "Crane 2", names: {{retrieval: crane, rubric: "Crane 2 Pro"}}}}\n'
    subjects = Config.read(write(tmp_path, text)).benchsite.subjects
    assert subjects["crane-2"].title == "Crane 2"
    assert subjects["crane-2"].names == {"retrieval": "crane", "rubric": "Crane 2 Pro"}
    assert Config.read(write(tmp_path, GOOD)).benchsite.subjects == {}


@pytest.mark.parametrize(
    ("subjects", "complaint"),
    [
        (
            "Crane: {title: Crane, names: {rubric: a}}",
            r"line 6: extra\.benchsite\.subjects\.Crane.*: must be 1 to 80 of",
        ),
        ("crane: {names: {rubric: a}}", r"line 6: extra\.benchsite\.subjects\.crane\.title: "),
        ('crane: {title: " ", names: {rubric: a}}', r"line 6: extra\.benchsite\.subjects\.crane\.title: "),
        ("crane: {title: Crane, names: {}}", r"line 6: extra\.benchsite\.subjects\.crane\.names: "),
        ("crane: {title: Crane, names: [a]}", r"line 6: extra\.benchsite\.subjects\.crane\.names: "),
        ("crane: {title: Crane, names: {rubric: 3}}", r"line 6: .*\.crane\.names\.rubric: "),
        (
            "crane: {title: Crane, names: {Rubric: a}}",
            r"line 6: .*\.crane\.names\.Rubric.*: must be 1 to 80 of",
        ),
        ("crane: {title: Crane, names: {rubric: a}, track: x}", r"line 6: .*\.crane\.track: "),
        (
            "crane: {title: Crane, names: {rubric: a, retrieval: b}}\n      heron: {title: Heron, names: {rubric: a}}",
            r"line 7: extra\.benchsite\.subjects\.heron\.names\.rubric: a of track rubric is already a name of crane",
        ),
        ("[crane]", r"line 6: extra\.benchsite\.subjects: "),
    ],
)
def test_faulty_subjects_name_line_and_key(tmp_path: Path, subjects: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        Config.read(write(tmp_path, f"{GOOD}    subjects:\n      {subjects}\n"))


@pytest.mark.parametrize(
    ("grants", "complaint"),
    [
        (
            "mem0: {network: 1}",
            r"line 6: extra\.benchsite\.grants\.mem0\.network: ",
        ),
        (
            "mem0: {hosts: [https://a.example]}",
            r"line 6: extra\.benchsite\.grants\.mem0\.hosts\.0: must be the name of a host",
        ),
        (
            "mem0: {memory_mb: 0}",
            r"line 6: extra\.benchsite\.grants\.mem0\.memory_mb: ",
        ),
        (
            "mem0:\n        env:\n          - A=B",
            r"line 8: extra\.benchsite\.grants\.mem0\.env\.0: ",
        ),
        (
            "mem0:\n        env:\n          - GOOD\n          - benchsite_log_key",
            r"line 9: .*\.mem0\.env\.1: benchsite_log_key",
        ),
        ("[mem0]", r"line 6: extra\.benchsite\.grants: "),
    ],
)
def test_faulty_grants_name_line_and_key(tmp_path: Path, grants: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        Config.read(write(tmp_path, f"{GOOD}    grants:\n      {grants}\n"))


def test_another_programs_configuration_is_no_instance(tmp_path: Path) -> None:
    with pytest.raises(PrerequisiteError, match="benchsite instance"):
        Config.read(write(tmp_path, "site_name: somebody else's\n"))


def test_a_folder_without_configuration_is_no_instance(tmp_path: Path) -> None:
    with pytest.raises(PrerequisiteError, match=r"has no mkdocs\.yml"):
        Config.read(tmp_path)


def witnesses(folder: Path, *texts: str) -> tuple[Witness, ...]:
    lines = "".join(f"      - {text}\n" for text in texts)
    return Config.read(write(folder, f"{GOOD}    witnesses:\n{lines}")).witnesses


ONE, TWO = map(witness, NAMES[:2])


def test_witnesses_are_verifier_keys(tmp_path: Path) -> None:
    assert witnesses(tmp_path, str(ONE), str(TWO)) == (ONE, TWO)
    assert Config.read(write(tmp_path, GOOD)).witnesses == ()


@pytest.mark.parametrize(
    ("texts", "complaint"),
    [
        (("nonsense",), r"line 6: extra\.benchsite\.witnesses\.0: 'nonsense'"),
        ((str(ONE), str(TWO)[:-1]), r"line 7: extra\.benchsite\.witnesses\.1: .*base64"),
        ((str(ONE), str(ONE)), r"line 7: extra\.benchsite\.witnesses\.1: one\.example/w .*twice"),
        (
            (str(ONE), str(Witness("other.example", ONE.public_key))),
            r"line 7: .*other\.example .*one\.example/w",
        ),
        (("7",), r"line 6: extra\.benchsite\.witnesses\.0: .*string"),
        ((str(ONE),) * (MAX_WITNESSES + 1), r"line 6: extra\.benchsite\.witnesses: .*64"),
    ],
)
def test_faulty_witnesses_name_line_and_place(tmp_path: Path, texts: tuple[str, ...], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        witnesses(tmp_path, *texts)
