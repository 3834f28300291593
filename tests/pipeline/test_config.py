from __future__ import annotations

from pathlib import Path

import pytest
from watching import NAMES, witness

from benchsite.errors import InputError, PrerequisiteError
from benchsite.log import Witness
from benchsite.pipeline.instance.config import MAX_WITNESSES, Config

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
            r"line 4: extra\.benchsite\.origin: must be a URL prefix without",
        ),
        (GOOD + "    orgin: y\n", r"line 5: extra\.benchsite\.orgin"),
        (
            GOOD + "    root_keys: [abc]\n",
            r"line 5: extra\.benchsite\.root_keys\.0: must be \"sha256:\" and 64",
        ),
        (GOOD + "    site_size_limit_mb: 0\n", r"line 5: extra\.benchsite\.site_size_limit_mb"),
    ],
)
def test_faults_name_line_and_key(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        Config.read(write(tmp_path, text))


def test_another_programs_configuration_is_no_instance(tmp_path: Path) -> None:
    with pytest.raises(PrerequisiteError, match="not a benchsite instance"):
        Config.read(write(tmp_path, "site_name: somebody else's\n"))


def test_a_folder_without_configuration_is_no_instance(tmp_path: Path) -> None:
    with pytest.raises(PrerequisiteError, match=r"holds no mkdocs\.yml"):
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
        (("nonsense",), r"line 6: extra\.benchsite\.witnesses\.0: 'nonsense' is not a verifier key"),
        ((str(ONE), str(TWO)[:-1]), r"line 7: extra\.benchsite\.witnesses\.1: .* is not base64"),
        ((str(ONE), str(ONE)), r"line 7: extra\.benchsite\.witnesses\.1: one\.example/w is named twice"),
        (
            (str(ONE), str(Witness("other.example", ONE.public_key))),
            r"line 7: .*: other\.example has the same key as one\.example/w",
        ),
        (("7",), r"line 6: extra\.benchsite\.witnesses\.0: input should be a valid string"),
        ((str(ONE),) * (MAX_WITNESSES + 1), r"line 6: extra\.benchsite\.witnesses: .* at most 64 items"),
    ],
)
def test_faulty_witnesses_name_line_and_place(tmp_path: Path, texts: tuple[str, ...], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        witnesses(tmp_path, *texts)
