"""`.ci/image.py`: reading and writing `extra.benchsite.images`."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from benchsite.errors import BenchsiteError, InputError, PrerequisiteError

ROOT = Path(__file__).resolve().parent.parent
IMAGE = "ghcr.io/someone/bench@sha256:" + "5e" * 32
OTHER = "registry.invalid:5000/a/b-c_d@sha256:" + "00" * 32


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("ci_image", ROOT / ".ci" / "image.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


image = script()
BARE = b"""\
site_name: x # a comment
extra:
  other: 1
  benchsite:
    # About the origin.
    origin: a.invalid/log

    # About the suite.
    suite: []
plugins: []
"""


def test_the_first_image_stands_above_the_comment_of_the_next_key() -> None:
    expected = BARE.replace(
        b"    # About the origin.", f"    images:\n      v0.1.0: {IMAGE}\n    # About the origin.".encode()
    )
    assert image.recorded(BARE, "v0.1.0", IMAGE) == expected


def test_a_newer_image_stands_above_the_older_one_and_both_can_be_read() -> None:
    once = image.recorded(BARE, "v0.1.0", IMAGE)
    twice = image.recorded(once, "v0.2.0-rc.1", OTHER)
    assert f"    images:\n      v0.2.0-rc.1: {OTHER}\n      v0.1.0: {IMAGE}\n".encode() in twice
    assert image.shown(twice, "0.1.0") == IMAGE
    assert image.shown(twice, "0.2.0-rc.1") == OTHER


def test_recording_again_changes_nothing_and_another_image_is_refused() -> None:
    once = image.recorded(BARE, "v0.1.0", IMAGE)
    assert image.recorded(once, "v0.1.0", IMAGE) == once
    with pytest.raises(InputError, match="never replaced"):
        image.recorded(once, "v0.1.0", OTHER)


def test_this_repositorys_own_configuration_can_be_recorded_in() -> None:
    config = (ROOT / "mkdocs.yml").read_bytes()
    edited = image.recorded(config, "v99.0.0", IMAGE).decode().splitlines()
    assert [line for line in edited if line not in config.decode().splitlines()] == [
        *([] if b"images:" in config else ["    images:"]),
        f"      v99.0.0: {IMAGE}",
    ]


@pytest.mark.parametrize("place", ["    # About the origin.\n", "    origin", "    suite", "plugins"])
def test_an_empty_mapping_is_filled_wherever_it_stands(place: str) -> None:
    config = BARE.replace(place.encode(), b"    images: {}\n" + place.encode())
    edited = image.recorded(config, "v0.1.0", IMAGE)
    assert yaml.safe_load(edited)["extra"]["benchsite"]["images"] == {"v0.1.0": IMAGE}
    assert edited.count(b"images:") == 1


@pytest.mark.parametrize(
    "config",
    [
        BARE.replace(b"    suite: []\n", f"    images: {{v0.0.1: '{OTHER}'}}\n".encode()),
        b"# all on one line\nextra: {benchsite: {origin: a.invalid/log}}\n",
        BARE.replace(b"    suite: []\n", b"    images:\n      {}\n"),
    ],
    ids=["a flow mapping", "everything a flow mapping", "an empty one on a line of its own"],
)
def test_a_layout_it_does_not_know_is_left_alone_with_a_way_out(config: bytes) -> None:
    with pytest.raises(InputError, match="cannot add") as refused:
        image.recorded(config, "v0.1.0", IMAGE)
    assert "as a block" in refused.value.hint


@pytest.mark.parametrize(
    "hostile",
    [
        "",
        "ghcr.io/a/b:v1",
        "ghcr.io/a/b@sha256:" + "5e" * 31,
        "ghcr.io/a/b@sha256:" + "5E" * 32,
        IMAGE + "\n",
        IMAGE + "\n    root_keys: []",
        IMAGE + " # x",
        "--privileged@sha256:" + "5e" * 32,
        "a: b@sha256:" + "5e" * 32,
        "$(id)@sha256:" + "5e" * 32,
        "../b@sha256:" + "5e" * 32,
    ],
)
def test_text_that_is_no_image_is_neither_written_nor_shown(hostile: str) -> None:
    with pytest.raises(InputError, match="image name"):
        image.recorded(BARE, "v0.1.0", hostile)
    config = yaml.safe_load(BARE)
    config["extra"]["benchsite"]["images"] = {"v0.1.0": hostile}
    with pytest.raises(InputError, match="image name"):
        image.shown(yaml.safe_dump(config).encode(), "0.1.0")


@pytest.mark.parametrize("tag", ["0.1.0", "v1", "v1.2.3\n", "v1.2.3: x", "v1.2.3-", "main"])
def test_a_tag_is_a_releases(tag: str) -> None:
    with pytest.raises(InputError, match="release tag"):
        image.recorded(BARE, tag, IMAGE)


def test_no_image_at_all_is_an_answer_and_none_for_this_version_is_not() -> None:
    assert image.shown(BARE, "0.1.0") == ""
    with pytest.raises(PrerequisiteError, match=r"v0\.1\.0 .*v0\.2\.0"):
        image.shown(image.recorded(BARE, "v0.1.0", IMAGE), "0.2.0")


_KEYS = st.sampled_from(
    ["    # note\n", "\n", "    suite: []\n", "    banner: 'images: {}'\n", "    images: {}\n"]
)


@given(st.lists(_KEYS, max_size=5, unique=True), st.sampled_from(["", "site_url: ''\n", "# end\n"]))
def test_what_is_recorded_is_read_back_and_all_else_stays(keys: list[str], after: str) -> None:
    config = ("extra:\n  benchsite:\n    origin: a.invalid/log\n" + "".join(keys) + after).encode()
    edited = image.recorded(config, "v0.1.0", IMAGE)
    assert image.shown(edited, "0.1.0") == IMAGE
    before, now = (yaml.safe_load(text)["extra"]["benchsite"] for text in (config, edited))
    assert {**before, "images": None} == {**now, "images": None}
    kept = [line for line in config.decode().splitlines() if not line.startswith("    images:")]
    assert [line for line in edited.decode().splitlines() if line in kept] == kept


@given(st.binary(max_size=200))
def test_any_other_file_is_an_error_in_words(data: bytes) -> None:
    with pytest.raises(BenchsiteError):
        image.recorded(data, "v0.1.0", IMAGE)


def test_the_command_answers_and_fails_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mkdocs.yml").write_bytes(BARE)
    assert image.main(["show"]) == 0
    assert image.main(["record", "v0.1.0", "no image"]) == 4
    assert image.main(["record"]) == 2
    assert (tmp_path / "mkdocs.yml").read_bytes() == BARE
    shown = capsys.readouterr()
    assert shown.out == "\n"
    assert "error: 'no image' is not an image name with digest" in shown.err
