"""The commands. Everything heavy is imported by the command that needs it, so that `--help` answers at once."""

from __future__ import annotations

import os
import sys

import click

from understudy import __version__
from understudy.cli.chess import ladder, quality, suite, technique
from understudy.cli.data import data
from understudy.cli.fetching import fetch
from understudy.cli.games import games, moves, perft, show
from understudy.cli.judging import judge
from understudy.cli.labels import label, sample
from understudy.cli.learning import experiments, report, run, train, tune, watch
from understudy.cli.play import export, play
from understudy.cli.playing import gaming, match, tournament
from understudy.cli.serving import serve, socket, uci
from understudy.cli.solving import solve, tablebase
from understudy.cli.thinking import think
from understudy.errors import UnderstudyError, UnknownName, first_line

BAD_INPUT = 2
LONGEST = 1000
"""Characters of what is said of bad input; there may be a megabyte of it."""
EXTRAS = ("torch", "onnx", "onnxscript", "optuna", "pyarrow", "matplotlib")
"""What comes with `understudy-games[learn]`."""


HEADINGS: dict[str, tuple[click.Command, ...]] = {
    "Play": (play, serve, think, match, tournament, games, show, moves, perft, export),
    "Learn": (experiments, run, watch, train, tune, report),
    "Judge": (judge, gaming, suite, ladder, quality, technique),
    "Data": (fetch, data, sample, label, solve, tablebase),
    "Serve": (uci, socket),
}
"""The commands as `--help` lists them."""
RENAMED = {"endings": "tablebase", "endgames": "technique"}
"""Names that commands had before; they still work, and say the new one."""


class Commands(click.Group):
    """A group that lists its commands by what they are for, and guesses what a misspelt one meant."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] in RENAMED:
            click.echo(f"understudy: {args[0]!r} is called {RENAMED[args[0]]!r} now", err=True)
            args = [RENAMED[args[0]], *args[1:]]
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            raise UnknownName("command", args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        widest = max(len(name) for name in self.commands)
        room = formatter.width - 6 - widest
        for heading, listed in HEADINGS.items():
            rows = [(f"{command.name:<{widest}}", command.get_short_help_str(room)) for command in listed]
            with formatter.section(heading):
                formatter.write_dl(rows)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="understudy")
def commands() -> None:
    """Neural networks that learn board games by watching a teacher.

    GAME is morris, konane, lines_of_action or chess. A PLAYER is written as a name with options: random,
    stochastic:depth=3, searcher:depth=4,evaluator=handmade, searcher:time=0.5, engine:stockfish,depth=8 (chess),
    engine:sanmill,skill=4 (morris), human, student:morris (one that ships), student:runs/x (one that you
    trained), perfect (konane up to 6x6, lines_of_action on 4x4 and 5x5, chess endings).
    """


for listed in HEADINGS.values():
    for command in listed:
        commands.add_command(command)


def main() -> None:
    """Run the command line: bad input is one sentence on standard error and exit code 2."""
    try:
        commands.main(standalone_mode=False)
    except UnderstudyError as error:
        _fail(str(error))
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in EXTRAS:
            raise
        _fail(f"this command needs {error.name}, which comes with: pip install 'understudy-games[learn]'")
    except (click.exceptions.Abort, KeyboardInterrupt):
        click.echo("understudy: stopped", err=True)
        os._exit(130)  # at once: worker threads are inside kernels, and leaving politely would wait for their games
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        sys.exit(BAD_INPUT)
    except click.ClickException as error:
        _fail(error.format_message())
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        _fail_unwritten(error)
    except MemoryError as error:
        _fail(f"there is not enough memory: {first_line(error)}")
    except RecursionError:
        _fail("something in what was given is nested too deeply")


def _fail_unwritten(error: OSError) -> None:
    """Tell of a disk that takes or gives nothing, and end at once: leaving politely would try to print the rest."""
    place = f"{str(error.filename)!r}" if error.filename else "what it prints"
    click.echo(f"understudy: cannot read or write {place}: {error.strerror or first_line(error)}", err=True)
    os._exit(BAD_INPUT)


def _fail(message: str) -> None:
    line = " ".join(message.split())
    cut = line if len(line) <= LONGEST else f"{line[: LONGEST // 2]} ... {line[-LONGEST // 2 :]}"
    click.echo(f"understudy: {cut}", err=True)
    sys.exit(BAD_INPUT)
