"""A player's name means one player everywhere: as a player, inside a kernel, in every kind of experiment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import random_line
from understudy.errors import BadOption, UnderstudyError
from understudy.games import find_game
from understudy.judges.duels import play_duel
from understudy.lab.experiments import make_experiment
from understudy.players import make_player, read_player
from understudy.players.choosers import CHOOSERS, make_chooser, make_plain_chooser
from understudy.players.names import former_name, plain_name
from understudy.players.searcher import USUAL_DEPTH, Searcher
from understudy.search.choosers import Anyone, Guessing, Looking, Minimax, choose, make_room
from understudy.search.evaluators import find_evaluator

FIVE = find_game("lines_of_action", (5, 5))
FOUR = find_game("konane", (4, 4))
Q, ALOA = find_evaluator("konane", "q"), find_evaluator("lines_of_action", "aloa")
PLAIN = "searcher:evaluator=q,depth=2,method=minimax,ties=random"


@pytest.mark.parametrize(
    ("text", "game", "chooser"),
    [
        ("random", FIVE, Anyone()),
        ("stochastic", FIVE, Guessing(3)),
        ("stochastic:depth=2", FIVE, Guessing(2)),
        ("searcher", FIVE, Looking(ALOA, USUAL_DEPTH, 0)),
        ("searcher:evaluator=q", FOUR, Looking(Q, USUAL_DEPTH, 0)),
        ("searcher:evaluator=q,method=negascout,ties=first", FOUR, Looking(Q, USUAL_DEPTH, 0)),
        ("searcher:evaluator=q,depth=2", FOUR, Looking(Q, 2, 0)),
        ("searcher:evaluator=q,depth=2,ties=random", FOUR, Looking(Q, 2, 1)),
        ("searcher:evaluator=q,method=minimax,ties=random", FOUR, Minimax(Q, USUAL_DEPTH)),
        (PLAIN, FOUR, Minimax(Q, 2)),
    ],
)
def test_a_kernel_reads_a_name_as_players_do(text: str, game: Any, chooser: Any) -> None:
    assert type(make_chooser(text, game)) is type(chooser) and make_chooser(text, game) == chooser
    player = make_player(text, game)
    if isinstance(player, Searcher):
        assert player.limits.depth == chooser.depth and player.evaluator == chooser.evaluator
        assert (player.options.method == "minimax") == isinstance(chooser, Minimax)
        assert (player.options.ties == "random") == (isinstance(chooser, Minimax) or chooser.shuffled == 1)


def test_plain_minimax_takes_the_same_moves_as_player_and_inside_a_kernel() -> None:
    """One of equals by chance: each finds all of them and nothing else."""
    room, chooser = make_room(FOUR.most_moves, np.random.default_rng(0)), make_chooser(PLAIN, FOUR)
    for position in [position for position, _ in random_line(FOUR, 8, 1) if FOUR.moves(position)]:
        inside = {int(room.codes[choose(chooser, position, room)]) for _ in range(150)}
        outside = {make_player(PLAIN, FOUR, seed=seed).choose([position])[0].move for seed in range(150)}
        assert inside == outside


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("human", "'human' cannot play inside a kernel; these can: random, stochastic, searcher, student"),
        ("engine:stockfish", "lines_of_action has no engines: no protocol is known in which programs play it"),
        ("searcher:time=1", "plays inside a kernel; evaluator, depth, method and ties can be chosen, not time"),
        ("searcher:nodes=5", "can be chosen, not nodes"),
        ("searcher:hidden=3", "can be chosen, not hidden"),
        ("searcher:selective=true", "can be chosen, not selective"),
        ("searcher:selective=false", "can be chosen, not selective"),
        ("searcher:evaluator=perceptron,weights=x", "can be chosen, not weights"),
        ("searcher:evaluator=perceptron", "plays inside a kernel, where there is no evaluator=perceptron"),
        ("searcher:method=minimax", "takes one of equals by chance; write ties=random, not ties=first"),
        ("searcher:method=minmax", "no method of searcher 'minmax'; did you mean 'minimax'"),
        ("searcher:ties=last", "no ties of searcher 'last'"),
        ("searcher:depth=0", "depth must be from 1 to 8, not 0"),
        ("searcher:depth=9", "depth must be from 1 to 8, not 9"),
        ("stochastic:depth=0", "depth must be from 1 to 8, not 0"),
        ("searcher:evaluator=alao", "no evaluator of lines_of_action 'alao'; did you mean 'aloa'"),
        ("searcher:dept=3", "did you mean 'depth'"),
        ("sercher", "no player 'sercher'; did you mean 'searcher'"),
        ("random:depth=3", "takes no options"),
        ("student:no_such_student", "there is no student 'no_such_student'"),
        ("student:konane_4", "cannot play inside a kernel; of students only evolved networks can"),
        ("student:lines_of_action,time=1", "depth can be chosen, not time"),
    ],
)
def test_what_a_kernel_cannot_do_is_one_sentence_that_names_it(text: str, message: str) -> None:
    with pytest.raises(UnderstudyError) as caught:
        make_chooser(text, FIVE)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_every_chooser_is_a_player() -> None:
    assert all(read_player(name, FIVE)[0] == name for name in CHOOSERS)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("searcher", "searcher:depth=1,method=minimax,ties=random"),
        ("searcher:evaluator=q", "searcher:evaluator=q,depth=1,method=minimax,ties=random"),
        ("searcher:evaluator=q,depth=2", PLAIN),
        ("searcher:evaluator=q,depth=2,ties=random", PLAIN),
        ("searcher:ties=first,evaluator=q,depth=2,method=negascout", PLAIN),
    ],
)
def test_negascout_is_refused_where_minimax_is_needed(text: str, written: str) -> None:
    with pytest.raises(BadOption) as caught:
        make_plain_chooser(text, FOUR, place="training.teacher")
    assert str(caught.value).startswith(f"training.teacher: {text!r} is NegaScout")
    assert str(caught.value).endswith(f"; write {written!r}")
    assert isinstance(make_plain_chooser(written, FOUR, place=""), Minimax)


@pytest.mark.parametrize("text", ["random", "stochastic:depth=2", PLAIN])
def test_others_than_negascout_play_where_minimax_is_needed(text: str) -> None:
    chooser = make_plain_chooser(text, FOUR, place="")
    assert chooser == make_chooser(text, FOUR)
    assert play_duel(FOUR, Anyone(), chooser, games=4, seed=0, name=text).games == 4


ONLINE = {"experiment": {"kind": "online", "game": "konane", "size": "4x4"}}
OFFLINE = {"experiment": {"kind": "offline", "game": "lines_of_action", "size": "5x5"}}
OLD = "searcher:evaluator=q,depth=2"


@pytest.mark.parametrize(
    ("place", "settings"),
    [
        ("training.teacher", ONLINE | {"training": {"teacher": OLD}}),
        ("training.opponent", ONLINE | {"training": {"opponent": OLD}}),
        ("judging.opponents", ONLINE | {"judging": {"opponents": ["random", OLD]}}),
        ("sampling.opponent", OFFLINE | {"sampling": {"opponent": "searcher:depth=2"}}),
    ],
)
def test_an_old_file_never_means_another_player_without_a_word(place: str, settings: dict[str, Any]) -> None:
    with pytest.raises(BadOption, match=f"^{place}: 'searcher.*' is NegaScout.*method=minimax,ties=random'$"):
        make_experiment("old", settings, folder=Path())


@pytest.mark.parametrize(
    ("teacher", "fingerprint"),
    [
        ("searcher:evaluator=q,depth=1,method=minimax,ties=random", "9d9c0589b7ffdb21"),
        (PLAIN, "ef7cb640571f2f6a"),
    ],
)
def test_trainings_of_the_time_of_short_names_are_recognised(teacher: str, fingerprint: str) -> None:
    """These are the fingerprints that `searcher:evaluator=q,depth=1` and `depth=2` had."""
    experiment = make_experiment("x", ONLINE | {"training": {"teacher": teacher}}, folder=Path())
    assert experiment.lessons[0].fingerprint(experiment.about, 0) == fingerprint


@pytest.mark.parametrize(
    ("opponent", "fingerprint"),
    [
        ("searcher:depth=2,evaluator=aloa,method=minimax,ties=random", "5bd541122112ae06"),
        ("searcher:depth=1,evaluator=aloa,method=minimax,ties=random", "c113d0a18ec45598"),
    ],
)
def test_tables_of_the_time_of_short_names_are_recognised(opponent: str, fingerprint: str) -> None:
    experiment = make_experiment("x", OFFLINE | {"sampling": {"opponent": opponent}}, folder=Path())
    assert experiment.lessons[0].tables(experiment.about) == fingerprint


def test_a_former_name_is_that_of_plain_minimax_alone() -> None:
    assert former_name(PLAIN) == OLD and plain_name(OLD) == PLAIN
    for text in ("random", "searcher:depth=2,ties=random", "A chosen 0"):
        assert former_name(text) == text
