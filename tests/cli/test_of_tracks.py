"""Commands that tracks add: ours in their section, those of other packages listed, contained and without keys."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchsite import plugins
from benchsite.cli import main as command_line
from benchsite.cli.main import SECTIONS, cli, main
from benchsite.environment import Credentials
from benchsite.signing import PrivateKey
from benchsite.track import Track

COMMANDS = """
import click

@click.group()
def shout():
    "Shout."

@shout.command()
@click.argument("word")
@click.pass_obj
def loud(console, word):
    "Say a word loudly."
    console.say(word.upper())

@shout.command()
def crash():
    "Crash."
    raise ZeroDivisionError("by hand")

@shout.command()
@click.pass_context
def keys(ctx):
    "Say whether a key is left."
    click.echo(ctx.find_root().obj.has("log"))

def command(name):
    return {"shout": shout, "run": shout, "odd": "no command"}[name]
"""
LINES = {"shout": "Say words.", "run": "Not to be reached.", "odd": "Nothing to call."}


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A track of another package, installed as far as the command line sees."""
    package = tmp_path / "loud_track"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "commands.py").write_text(COMMANDS)
    monkeypatch.syspath_prepend(str(tmp_path))
    track = Track("loud", "Loud", "loud_track", commands=LINES)
    every = {**plugins.tracks(), "loud": track}
    monkeypatch.setattr(plugins, "_loaded", lambda: (every, {}))
    monkeypatch.setattr(command_line, "_has_other_tracks", lambda: True)
    for name in ("loud_track", "loud_track.commands"):
        monkeypatch.delitem(sys.modules, name, raising=False)


def test_help_lists_the_commands_of_our_tracks_with_the_tracks_own_lines() -> None:
    listed = {
        name: (entry.target, entry.summary)
        for commands in SECTIONS.values()
        for name, entry in commands.items()
        if entry.target.startswith("track:")
    }
    declared = {
        name: (f"track:{track.name}", line)
        for track in plugins.tracks().values()
        for name, line in track.commands.items()
    }
    assert listed == declared


def test_help_imports_no_track_of_ours() -> None:
    import subprocess

    code = "import sys; from benchsite.cli.main import cli; cli(['--help'], standalone_mode=False)"
    code += "; print([name for name in sys.modules if name.startswith('benchsite.tracks')])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"


@pytest.mark.usefixtures("foreign")
def test_a_command_of_another_package_is_listed_and_runs() -> None:
    shown = CliRunner().invoke(cli, ["--help"]).output
    assert "Track loud:" in shown
    assert "Say words." in shown
    assert CliRunner().invoke(cli, ["shout", "loud", "hey"]).output == "HEY\n"


@pytest.mark.usefixtures("foreign")
def test_a_command_of_ours_is_never_replaced() -> None:
    assert "Not to be reached." not in CliRunner().invoke(cli, ["--help"]).output
    assert "Run the suite" in CliRunner().invoke(cli, ["run", "--help"]).output


@pytest.mark.usefixtures("foreign")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["shout", "crash"], "track 'loud' failed in its command 'shout': ZeroDivisionError: by hand"),
        (["odd"], "track 'loud': its command 'odd' is of class str"),
    ],
)
def test_its_mistakes_are_errors_that_name_it(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 5
    assert said in capsys.readouterr().err


@pytest.mark.usefixtures("foreign")
def test_it_gets_no_signing_key() -> None:
    credentials = Credentials.of(log=PrivateKey.generate())
    assert credentials.has("log")
    assert CliRunner().invoke(cli, ["shout", "keys"], obj=credentials).output == "False\n"
