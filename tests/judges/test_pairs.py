"""Pairs of games: the same game counts once, both colours are one unit, and intervals stay honest at the ends."""

from __future__ import annotations

import math

import pytest

from understudy.backends import Local
from understudy.games import find_game
from understudy.judges.duels import NOTHING, Score, added, play_duel, read_score, write_meeting, write_score
from understudy.judges.measures import Measure, wilson
from understudy.judges.pairs import (
    NO_PAIRS,
    Pairs,
    add_pairs,
    count_points,
    describe,
    find_pairs,
    find_repeated,
    measure_points,
    rate_difference,
    write_difference,
    write_sample,
)
from understudy.judges.students import strict
from understudy.judges.tables import meeting_json, meeting_text, standings_text, table_rows
from understudy.judges.tournament import Meeting, play_match, round_robin
from understudy.lab.experiments import find_experiment, list_experiments, load_experiment
from understudy.lab.options.online import OnlineJudging
from understudy.lab.options.values import ValuesJudging
from understudy.match import Played, seeded_openings
from understudy.players.choosers import make_chooser

FOUR, SIX = find_game("konane", (4, 4)), find_game("konane", (6, 6))
WON, LOST, DRAWN = (Played((number,), 0, result, "") for number, result in ((1, 1), (2, -1), (3, 0)))


def repeat_pairs(*pairs: tuple[Played, Played], times: int = 1) -> list[Played]:
    return [game for _ in range(times) for pair in pairs for game in pair]


def test_a_pair_is_seen_by_the_first_player_of_the_match() -> None:
    both_won, both_lost, shared = (WON, LOST), (LOST, WON), (WON, WON)
    pairs = find_pairs(repeat_pairs(both_won, both_lost, shared, (DRAWN, LOST), (DRAWN, WON)))
    assert pairs.counts == (1, 1, 1, 1, 1)
    assert (pairs.number, pairs.points, pairs.games) == (5, 5.0, 10)
    assert pairs.turned().counts == (1, 1, 1, 1, 1)
    assert find_pairs([WON, LOST]).turned().counts == (1, 0, 0, 0, 0)


def test_repeated_pairs_and_games_count_once() -> None:
    once = find_pairs(repeat_pairs((WON, LOST), (WON, WON)))
    often = find_pairs(repeat_pairs((WON, LOST), (WON, WON), times=50))
    assert often.counts == once.counts == (0, 0, 1, 0, 1)
    assert (often.games, often.different) == (200, once.different)
    assert once.different == 3  # the first game of both pairs is the same one
    assert find_repeated(repeat_pairs((WON, LOST), (WON, WON))) == [False, False, True, False]
    assert measure_points(often) == measure_points(once)


def test_the_same_moves_are_another_game_from_another_start_or_with_the_other_colours() -> None:
    elsewhere = WON._replace(start="there")
    assert find_pairs([WON, WON, elsewhere, WON]).number == 2
    assert find_pairs([WON, WON]).different == 2
    late = WON._replace(result=-1, reason="time")
    assert find_pairs([WON, WON, late, WON]).number == 2


def test_an_odd_last_game_is_half_a_pair_unless_it_repeats_another() -> None:
    odd = find_pairs([WON, LOST, DRAWN])
    assert (odd.number, odd.size, odd.points, odd.half) == (1, 1.5, 2.5, 0.5)
    assert find_pairs([WON, LOST, WON]).half is None
    assert find_pairs([WON]).size == 0.5
    measure = measure_points(find_pairs([WON]))
    assert measure.value == 1.0
    assert measure.low < 0.2
    assert measure.sample == 0


def test_who_won_everything_gets_the_interval_of_as_many_independent_games() -> None:
    for pairs in (2, 10, 500):
        measure = measure_points(Pairs((0, 0, 0, 0, pairs), None, 2 * pairs, 2 * pairs))
        assert (measure.low, measure.high) == pytest.approx(wilson(1.0, 2 * pairs))
        assert measure_points(Pairs((pairs, 0, 0, 0, 0), None, 2 * pairs, 2 * pairs)).high == pytest.approx(
            1 - measure.low
        )


def test_openings_that_favour_a_colour_make_a_result_surer_and_equal_pairs_less_sure() -> None:
    def width(*counts: int) -> float:
        measure = measure_points(Pairs((counts[0], counts[1], counts[2], counts[3], counts[4]), None, 200, 200))
        return measure.high - measure.low

    assert width(10, 0, 80, 0, 10) < width(25, 0, 50, 0, 25) < width(50, 0, 0, 0, 50)
    low, high = wilson(0.5, 200)
    assert width(25, 0, 50, 0, 25) == pytest.approx(high - low, rel=0.02)


def test_no_games_tell_nothing() -> None:
    assert measure_points(find_pairs([])) == Measure(None, 0.0, 1.0, 0)
    assert describe(find_pairs([]))["elo"] == {"elo": 0.0, "low": None, "high": None}


def test_elo_follows_the_share() -> None:
    rating = rate_difference(Measure(0.75, 0.5, 1.0, 40))
    assert rating.elo == pytest.approx(400 * math.log10(3))
    assert (rating.low, rating.high) == (0.0, math.inf)
    assert write_difference(Measure(0.75, 0.5, 1.0, 40)) == "Elo difference +191 (+0 to +∞)"


def test_few_pairs_are_told() -> None:
    assert write_sample(1000, 18, 9) == "1000 games, 18 different; from 9 different pairs: too few to trust"
    assert write_sample(1000, 800, 400) == "1000 games, 800 different; from 400 different pairs"


def test_pairs_of_several_matches_add_up() -> None:
    total = add_pairs([find_pairs([WON, LOST]), find_pairs([WON, LOST, DRAWN])])
    assert total == Pairs((0, 0, 0, 0, 2), None, 5, 5)
    assert add_pairs([]).counts == NO_PAIRS == count_points([])


@pytest.fixture(scope="module")
def deterministic() -> Meeting:
    players = ("searcher:depth=2", "searcher:depth=1")
    return play_match(FOUR, players, games=200, seed=0, backend=Local(1), opening_plies=2)


def test_a_match_without_chance_says_how_few_games_differ(deterministic: Meeting) -> None:
    facts, text = meeting_json(FOUR, deterministic), meeting_text(deterministic)
    assert len(facts["games"]) == 200
    assert facts["different"] == len({(place % 2, game.moves) for place, game in enumerate(deterministic.games)}) < 60
    assert facts["pairs"] == sum(facts["pentanomial"]) < 30
    assert f"200 games, {facts['different']} different; from {facts['pairs']} different pairs: too few to trust" in text
    low, high = facts["interval"]
    assert low <= facts["share"] <= high
    assert high - low > 0.1


def test_ratings_and_strict_shares_do_not_get_surer_by_repetition() -> None:
    players = ("searcher:depth=2", "searcher:depth=1")
    few, many = (
        round_robin(FOUR, players, games=games, seed=0, backend=Local(1), opening_plies=0) for games in (2, 100)
    )
    assert few.ratings == many.ratings
    row = table_rows(many)[0]
    assert (row["games"], row["different"]) == (100, 2)
    assert "fewest different pairs of two players: 1, too few to trust" in standings_text(FOUR, many)
    verdict = strict(FOUR, *players, games=50, seed=0, backend=Local(1), opening_plies=0)
    assert {measure.sample for measure in verdict.values()} == {2}


def test_stored_scores_keep_how_many_games_repeat(deterministic: Meeting) -> None:
    counts = write_meeting(deterministic)
    score = read_score(counts)
    assert score.games == 200
    assert score.different == deterministic.pairs().different
    assert sum(score.pairs or ()) == deterministic.pairs().number == score.won().sample
    assert score.won().high - score.won().low > 0.1
    assert write_score(score) == counts
    assert read_score([[1, 2, 3], [4, 5, 6]]) == Score((1, 2, 3), (4, 5, 6))
    assert write_score(Score((1, 2, 3), (4, 5, 6))) == [[1, 2, 3], [4, 5, 6]]
    assert added(score, NOTHING) == score


def test_duels_from_openings_play_both_sides_of_each_and_the_plain_start_stays_as_it_was() -> None:
    two, one = (make_chooser(f"searcher:evaluator=q,depth={depth},method=minimax,ties=random", SIX) for depth in (2, 1))
    plain = play_duel(SIX, two, one, games=40, seed=1, name="x")
    assert plain == play_duel(SIX, two, one, games=40, seed=1, name="x", opening_plies=0)
    varied = play_duel(SIX, two, one, games=41, seed=1, name="x", opening_plies=4)
    assert (sum(varied.first), sum(varied.second)) == (21, 20)
    assert varied == play_duel(SIX, two, one, games=41, seed=1, name="x", opening_plies=4)
    assert len({begun.position for begun in seeded_openings(SIX, 20, plies=4, seed=1)}) == 20
    assert {begun.position for begun in seeded_openings(SIX, 20, plies=0, seed=1)} == {SIX.start()}


VARIED = {
    "konane_4x4_field", "konane_4x4_hidden", "konane_4x4_remedies", "konane_6x6_hidden", "konane_6x6_local",
    "konane_6x6_temporal", "konane_10x10_temporal",
}  # fmt: skip
"""Their sources say little of how they judged, so their games begin as ours do, by random plies."""


def test_experiments_that_ship_say_from_where_their_games_begin() -> None:
    """So that a default for new experiments changes no figure of theirs."""
    kinds = {}
    for entry in list_experiments():
        judging = getattr(load_experiment(find_experiment(entry.name)), "judging", None)
        if isinstance(judging, OnlineJudging | ValuesJudging):
            kinds[entry.name] = judging.opening_plies
    assert len(kinds) >= 15
    assert {name for name, plies in kinds.items() if plies is None} == VARIED
    assert set(kinds.values()) == {0, None}
