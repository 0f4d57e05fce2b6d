"""A match between two students of labels, as an engine sees it: Sabatelli (2017), figures 8.4 to 8.7 and section 8.2.3.

Both colours of each of its twenty openings; then an engine's opinion after every ply of every game, and the endings
that were won by it. Nothing is picked by hand, unlike the source's eighteen games.
"""

from __future__ import annotations

from typing import Any

from understudy.games.chess.judges.match_endings import endings_json, find_endings
from understudy.games.chess.judges.openings import book_json, load_book, play_openings
from understudy.games.chess.judges.quality import all_positions, judge_games, of_meeting, quality_json
from understudy.games.chess.records.opinions import Analysis
from understudy.judges.tournament import Meeting
from understudy.lab.options.labels import Experiment
from understudy.lab.run import Run

MATCH = "match.json"
BOOK = "sabatelli"
SEED = 61_000
"""Of ties between moves; apart from that of the games on the ladder."""


def play_match(run: Run[Experiment]) -> None:
    """Let the two students of `[judging] match` play, and keep what an engine says of their games."""
    judging = run.experiment.judging
    if not judging.match or (run.folder / MATCH).exists():
        return
    book, names = load_book(BOOK, most=judging.match_games), (judging.match[0], judging.match[1])
    played = 0

    def note_games(games: int) -> None:
        nonlocal played
        played += games
        run.tell("the match", played / judging.match_games, f"{played} games")

    players = (_player(run, names[0]), _player(run, names[1]))
    meeting = play_openings(
        players, book, games=judging.match_games, seed=SEED, backend=run.backend, progress=note_games
    )
    named = meeting._replace(players=names)
    run.save(MATCH, {"book": BOOK, **book_json(named, book), **_judge(run, named)})


def _player(run: Run[Experiment], text: str) -> str:
    """Return the player that an entry of the match names: a student, with options behind a comma."""
    name, comma, options = text.partition(",")
    suffix = run.load("labels.json")["students"][name]["suffix"]
    return f"student:{run.folder / f'student_{name}'}.{suffix}{comma}{options}"


def _judge(run: Run[Experiment], meeting: Meeting) -> dict[str, Any]:
    """Return how well the games were played, and which won endings there were."""
    judging, games = run.experiment.judging, of_meeting(meeting)
    positions, seen = len(all_positions(games)), 0

    def note_positions(more: int) -> None:
        nonlocal seen
        seen += more
        run.tell("the engine looks at the match", seen / max(positions, 1), f"{seen} positions")

    analysis = Analysis(engine=judging.engine, depth=judging.match_depth)
    name, judged = judge_games(games, analysis, backend=run.backend, progress=note_positions)
    return {"quality": quality_json(name, judged), "won_endings": endings_json(find_endings(judged), meeting.players)}
