"""What several kinds ask of students that have learned: perfect play on a board that can be solved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from understudy.games import CompiledGame
from understudy.games.batches import size
from understudy.judges.measures import write_verdict
from understudy.judges.value_kept import exam_positions, grade_positions, value_kept
from understudy.lab.run import Run
from understudy.lab.samples import draw_kept
from understudy.players import make_player

SECTION, SAMPLES = "value kept", "samples.json"
LEARNED = "student:"
"""How players begin whose thoughts a report shows; it shows none of who did not learn."""


def opening_plies(run: Run[Any]) -> int:
    """Return how many random plies the judging games of a run begin with: what it says, or what its game is used to."""
    return count_plies(run.experiment.game, run.experiment.judging.opening_plies)


def count_plies(game: CompiledGame, plies: int | None) -> int:
    """Return so many random plies, or where nothing is said (None) as many as games of *game* usually begin with."""
    return game.conventions.opening_plies if plies is None else plies


def judge_value_kept(run: Run[Any], players: Mapping[str, str], *, positions: int) -> None:
    """Write to `verdicts.json` how often each player keeps the value of a position; who is there already stays."""
    game, verdicts = run.experiment.game, run.load("verdicts.json")
    section = verdicts.setdefault(SECTION, {})
    asked = {name: player for name, player in players.items() if name not in section}
    if not asked:
        return
    exam = exam_positions(game, limit=positions)
    done, total = 0, size(exam)

    def note(rows: int) -> None:
        nonlocal done
        done += rows
        run.tell("solving the exam", min(1.0, done / total), f"{done} of {total} positions")

    solved = grade_positions(game, exam, progress=note)
    samples = run.load(SAMPLES)
    for name, player in asked.items():
        made = make_player(player, game)
        section[name] = write_verdict(value_kept(made, solved))
        run.save("verdicts.json", verdicts)
        if player.startswith(LEARNED):
            samples.setdefault("students", {})[name] = draw_kept(made, game, solved)
            run.save(SAMPLES, samples)


def forget_value_kept(run: Run[Any], name: str) -> None:
    """Drop the verdict on a player that is not the same any more."""
    verdicts = run.load("verdicts.json")
    if verdicts.get(SECTION, {}).pop(name, None) is not None:
        run.save("verdicts.json", verdicts)
