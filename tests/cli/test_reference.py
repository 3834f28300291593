from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from benchsite.cli.main import SECTIONS, cli
from benchsite.cli.reference import reference


def commands(group: click.Group, path: str = "benchsite") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group, info_name=path)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None, f"{path} {name} does not load"
        yield f"{path} {name}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")


def test_the_page_is_what_the_commands_say(root: Path) -> None:
    page = (root / "content/docs/cli.md").read_text(encoding="utf-8")
    assert page == reference(), "content/docs/cli.md is stale: make reference"


def test_every_command_and_option_says_what_it_does() -> None:
    for path, command in commands(cli):
        assert command.help, f"{path} has no help"
        for item in command.params:
            if isinstance(item, click.Option) and item.name not in ("repeats", "seed"):
                assert item.help, f"{path}: {item.opts} has no help"


def test_every_command_stands_in_one_section() -> None:
    names = [name for section in SECTIONS.values() for name in section]
    assert len(names) == len(set(names))


def test_every_top_level_command_is_used_in_the_prose(root: Path) -> None:
    """A command without documentation fails: beside the reference, some page or the README shows it in use."""
    prose = (root / "README.md").read_text(encoding="utf-8") + "".join(
        page.read_text(encoding="utf-8")
        for page in sorted((root / "content").rglob("*.md"))
        if page.name != "cli.md"
    )
    for section in SECTIONS.values():
        for name in section:
            assert f"benchsite {name}" in prose, f"no page shows `benchsite {name}`"
