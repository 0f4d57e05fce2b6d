"""The ladder: fits with a known truth, games where they tell most, and engines that cannot or do not play."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.games.chess.chess_engines import counter
from understudy.backends import Local
from understudy.errors import BadOption, EngineError
from understudy.games import find_game
from understudy.games.chess.judges.ladder import (
    Fit,
    Ladder,
    Rung,
    climb,
    coarse,
    find_rungs,
    fit,
    ladder_json,
    near,
    rung_strengths,
    strengths,
)
from understudy.games.chess.judges.openings import random_book
from understudy.games.chess.judges.rungs import LOW
from understudy.games.chess.judges.tables import ladder_text
from understudy.judges.measures import expected_shares

BOOK = random_book(find_game("chess"), most=6, plies=4, seed=1)


def test_a_fit_is_where_the_points_are_expected() -> None:
    assert fit([Rung(1000), Rung(1500, 10, 20, 10), Rung(2000)]).elo == 1500
    rating = fit([Rung(1000, 75, 0, 25), Rung(2000)])
    assert rating.elo == pytest.approx(1000 + 400 * np.log10(3), abs=1)
    assert rating.low is not None and rating.high is not None
    wide = fit([Rung(1000, 15, 0, 5), Rung(2000)])
    assert wide.low is not None and wide.high is not None
    assert rating.high - rating.low < (wide.high - wide.low) * 0.6


def test_the_interval_covers_the_truth() -> None:
    rng = np.random.default_rng(5)
    rungs = np.arange(1350, 2851, 150)
    covered = 0
    for _ in range(400):
        truth = rng.uniform(1400, 2800)
        wins = rng.binomial(8, expected_shares(truth, rungs.astype(np.float64)))
        rating = fit([Rung(int(elo), int(won), 0, 8 - int(won)) for elo, won in zip(rungs, wins, strict=True)])
        assert rating.elo is not None
        covered += (rating.low or -np.inf) <= truth <= (rating.high or np.inf)
    assert 0.92 <= covered / 400 <= 0.98


def test_off_the_ladder_the_interval_is_open() -> None:
    lost = fit([Rung(1350, 0, 0, 20), Rung(1500, 0, 0, 4)])
    assert (lost.elo, lost.low, lost.place) == (None, None, "below")
    # Twenty lost games on the lowest rung: at this rating that would happen once in forty times.
    assert lost.high is not None
    assert 1000 < lost.high < 1350
    won = fit([Rung(1350), Rung(1500, 9, 0, 0)])
    assert (won.elo, won.high, won.place) == (None, None, "above")
    weak = fit([Rung(1350, 1, 1, 18), Rung(1500)])
    assert weak.low is None and weak.elo is not None and weak.elo < 1350 and weak.place == "below"
    assert fit([Rung(1350)]) == Fit(None, None, None, "on")


def test_rungs_reach_both_ends() -> None:
    assert rung_strengths(1350, 2850, 150) == list(range(1350, 2851, 150))
    assert rung_strengths(1320, 3190, 500) == [1320, 1820, 2320, 2820, 3190]
    assert coarse(11, 50) == [0, 2, 5, 8, 10]
    assert coarse(11, 2) == [5]
    assert coarse(2, 50) == [0, 1]


def test_games_go_where_they_tell_most() -> None:
    rungs = [Rung(elo) for elo in range(1350, 2851, 150)]
    rungs[3], rungs[10] = rungs[3].plus([1, 1, -1, -1]), rungs[10].plus([-1, -1])
    chosen = near(rungs, 40)
    tally = {rungs[place].elo: chosen.count(place) for place in set(chosen)}
    assert sum(tally.values()) == 40
    assert min(tally) >= 1350 and max(tally) <= 1800 + 2 * 150 + 100
    assert tally[1650] == max(tally.values()) or tally[1800] == max(tally.values())
    hopeless = [Rung(elo).plus([-1] * 20) for elo in range(1350, 2851, 150)]
    assert set(near(hopeless, 5)) == {0}


def test_a_climb_is_the_same_for_any_number_of_workers(tmp_path: Path) -> None:
    ladder = Ladder(engine=counter(tmp_path), step=500, time=None, depth=1)
    runs = [
        climb("searcher:depth=2,ties=random", ladder, BOOK, games=12, backend=Local(workers), seed=7)
        for workers in (1, 3)
    ]
    assert runs[0] == runs[1]
    facts = ladder_json(runs[0])
    assert facts["games"] == 12 == sum(rung["games"] for rung in facts["rungs"])
    assert [rung["elo"] for rung in facts["rungs"]] == [1000, 1500, 2000]
    assert facts["limits"] == {"depth": 1}
    assert all(rung["games"] % 2 == 0 for rung in facts["rungs"])
    assert "Elo" in ladder_text(facts)


def make_stockfish(folder: Path) -> str:
    """Return the path of the small engine under the name of one beside whom our own players were placed."""
    engine = Path(counter(folder))
    engine.write_text(engine.read_text().replace("Counter 1", "Stockfish 0"))
    return str(engine)


def test_below_stockfishs_weakest_stand_players_of_ours(tmp_path: Path) -> None:
    ladder = Ladder(engine=make_stockfish(tmp_path), step=500, time=None, depth=1)
    own = [low for low in LOW if low.elo < 1000]  # the lowest strength of this engine
    assert len(own) >= 3 and [low.elo for low in own] == sorted({low.elo for low in own})
    assert [(rung.elo, rung.player) for rung in find_rungs(ladder)] == [
        *((low.elo, low.player) for low in own), (1000, ""), (1500, ""), (2000, ""),
    ]  # fmt: skip
    assert [rung.elo for rung in find_rungs(replace(ladder, engine=counter(tmp_path, "plain")))] == [1000, 1500, 2000]
    facts = ladder_json(climb("random", ladder, BOOK, games=8, backend=Local(1), seed=3))
    assert (facts["lowest_rung"], facts["rungs"][0]["player"]) == (LOW[0].elo, LOW[0].player)
    assert facts["rungs"][0]["games"] > 0 and LOW[0].player in ladder_text(facts)
    assert facts["rungs"][-1]["player"] == f"engine:{ladder.engine},elo=2000,depth=1"


def test_who_loses_all_to_the_engine_has_an_interval_by_the_rungs_below() -> None:
    lost = Rung(1350, 0, 0, 10)
    assert (fit([lost, Rung(1500)]).place, fit([lost, Rung(1500)]).low) == ("below", None)
    rating = fit([Rung(236, 9, 0, 1, player=LOW[1].player), Rung(796, 5, 0, 5), Rung(1060, 2, 0, 8), lost])
    assert rating.place == "on" and rating.elo is not None and rating.low is not None and rating.high is not None
    assert 500 < rating.low < rating.elo < rating.high < 1060


def test_the_strong_climb_above_and_the_games_played_so_far_count(tmp_path: Path) -> None:
    ladder = Ladder(engine=counter(tmp_path), step=1000, time=None, depth=1)
    facts = ladder_json(climb("searcher:depth=3", ladder, BOOK, games=4, backend=Local(1)))
    assert (facts["place"], facts["elo"], facts["high"]) == ("above", None, None)
    assert "above the highest rung, 2000 (all points); 95 % interval open, from" in ladder_text(facts)

    def stop(games: int) -> None:
        raise KeyboardInterrupt

    stopped = climb("searcher:depth=1", ladder, BOOK, games=8, backend=Local(1), progress=stop)
    assert stopped.stopped
    assert 0 < sum(rung.games for rung in stopped.rungs) < 8
    assert "(stopped early)" in ladder_text(ladder_json(stopped))


def test_ladders_that_cannot_stand(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="it has no option UCI_Elo"):
        strengths(counter(tmp_path, "full"))
    with pytest.raises(EngineError, match="no engine 'stokfish'"):
        strengths("stokfish")
    with pytest.raises(BadOption, match="even number of games, at least 2, not 5"):
        climb("random", Ladder(engine=counter(tmp_path)), BOOK, games=5, backend=Local(1))
    with pytest.raises(EngineError, match="failed in a game \\(engine crash\\), so it rates nobody"):
        climb("random", Ladder(engine=counter(tmp_path, "crash")), BOOK, games=2, backend=Local(1))


def test_stockfish_says_how_weak_it_can_be(stockfish: str) -> None:
    low, high = strengths(stockfish)
    assert 1000 <= low < 2000 < high
    ladder = Ladder(engine=stockfish, step=2000, time=None, nodes=200)
    climbed = climb("random", ladder, BOOK, games=2, backend=Local(1))
    assert climbed.fit.place == "below"
