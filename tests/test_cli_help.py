"""The list of commands, names that changed, and what a shell offers after TAB."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from understudy.cli import HEADINGS, RENAMED, commands
from understudy.cli.completing import KINDS_OF_PLAYERS
from understudy.games import game_names
from understudy.lab.experiments import shipped
from understudy.players import PLAYERS


def test_every_command_stands_under_one_heading_and_fits() -> None:
    told = CliRunner().invoke(commands, ["--help"], terminal_width=80).stdout
    listed = [command.name for group in HEADINGS.values() for command in group]
    assert sorted(name or "" for name in listed) == sorted(commands.commands)
    for heading in ("Play:", "Learn:", "Judge:", "Data:", "Serve:"):
        assert f"\n{heading}\n" in told
    assert "..." not in told.partition("Play:")[2]
    assert "endings " not in told.partition("Play:")[2].replace("endings of", "").replace("endings that", "")


@pytest.mark.parametrize(("old", "new"), sorted(RENAMED.items()))
def test_former_names_work_and_say_the_new_one(old: str, new: str) -> None:
    former = CliRunner().invoke(commands, [old, "--help"])
    assert former.exit_code == 0
    assert former.stderr == f"understudy: {old!r} is called {new!r} now\n"
    assert former.stdout == CliRunner().invoke(commands, [new, "--help"]).stdout
    assert old not in commands.list_commands(None)  # type: ignore[arg-type]


def offered(*words: str, typed: str) -> list[str]:
    shell = ShellComplete(commands, {}, "understudy", "_UNDERSTUDY_COMPLETE")
    return [item.value for item in shell.get_completions(list(words), typed)]


def test_a_shell_offers_names() -> None:
    assert offered(typed="th") == ["think"]
    assert set(offered("play", typed="")) == set(game_names())
    assert offered("think", "chess", typed="search") == ["searcher"]
    assert offered("match", "konane", "random", typed="student:konane_6") == ["student:konane_6"]
    assert offered("play", "chess", "--opponent", typed="stoch") == ["stochastic"]
    assert offered("run", typed="konane") == sorted(name for name in shipped() if name.startswith("konane"))
    assert offered("run", typed="./my") == ["./my"]
    assert set(KINDS_OF_PLAYERS) == set(PLAYERS)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_there_is_a_script_for_each_shell(shell: str) -> None:
    """Bash's version is asked of Bash itself, which may be too old or missing: its script must come nevertheless."""
    script = complete(f"{shell}_source")
    assert "_UNDERSTUDY_COMPLETE" in script


def complete(instruction: str, **variables: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", COMPLETED], capture_output=True, text=True, check=True,
        env=os.environ | {"_UNDERSTUDY_COMPLETE": instruction} | variables,
    ).stdout  # fmt: skip


COMPLETED = """
import sys
sys.argv = ["understudy"]
from understudy.cli import main
try:
    main()
finally:
    print({"numpy", "numba"} & set(sys.modules) or "nothing heavy")
"""


def test_completing_loads_nothing_heavy() -> None:
    for words, place, name in (
        ("understudy play ", "2", "morris"),
        ("understudy think chess ", "3", "searcher"),
        ("understudy run ", "2", "konane_4x4"),
    ):
        told = complete("bash_complete", COMP_WORDS=words, COMP_CWORD=place)
        assert f"plain,{name}\n" in told
        assert told.endswith("nothing heavy\n")
