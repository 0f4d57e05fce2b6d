"""How players are named, what they refuse, and how the simple ones behave."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.errors import BadOption, EngineError, FileError, UnderstudyError, UnknownName
from understudy.games import find_game
from understudy.players import PLAYERS, make_player, prepare
from understudy.players.basic import Human, NoOptions

MORRIS = find_game("morris")


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("randon", UnknownName, "no player 'randon'; did you mean 'random'?"),
        ("random:depth=2", BadOption, "player 'random' takes no options"),
        ("searcher:deep=2", UnknownName, "option of player 'searcher' 'deep'; did you mean 'depth'"),
        ("searcher:depth=two", BadOption, "depth must be a whole number, not 'two'"),
        ("searcher:depth=0", BadOption, "depth must be from 1 to 48, not 0"),
        ("searcher:depth=1,depth=2", BadOption, "option 'depth' is given twice"),
        ("searcher:time=-1", BadOption, "time must be from 0.001"),
        ("searcher:time=nan", BadOption, "time must be a finite number"),
        ("searcher:nodes=0", BadOption, "nodes must be from 1"),
        ("searcher:evaluator=handmad", UnknownName, "no evaluator of morris 'handmad'; did you mean 'handmade'?"),
        ("searcher:method=minmax,depth=1", UnknownName, "did you mean 'minimax'"),
        ("searcher:ties=never", UnknownName, "there are: first, random"),
        ("searcher:method=minimax,time=1", BadOption, "plain minimax is limited by depth alone"),
        ("searcher:weights=x.safetensors", BadOption, "goes with evaluator=perceptron"),
        (
            "searcher:evaluator=perceptron,weights=nowhere.safetensors",
            FileError,
            "'nowhere.safetensors' cannot be read",
        ),
        ("searcher:4", BadOption, "'4' is not of the form option=value"),
        ("stochastic:depth=99", BadOption, "depth must be from 1 to 48, not 99"),
        ("engine:no-such-miller", EngineError, "no engine 'no-such-miller': there is no such program that can be run"),
    ],
)
def test_bad_names_and_options_are_refused_in_one_sentence(text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        make_player(text, MORRIS)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_engine_is_refused_with_how_to_install_one() -> None:
    chess = find_game("chess")
    with pytest.raises(EngineError, match="no engine '/no/such/engine'"):
        make_player("engine:/no/such/engine", chess)
    with pytest.raises(EngineError, match="no such program"):
        make_player("engine:no-such-engine-anywhere,depth=3", chess)


@settings(max_examples=300)
@given(
    st.one_of(
        st.text(max_size=40),
        st.builds("{}:{}".format, st.sampled_from(sorted(PLAYERS)), st.text("abcdepth=,:.0123456789-", max_size=30)),
    )
)
def test_no_text_breaks_the_reader_of_players(text: str) -> None:
    try:
        make_player(text, MORRIS)
    except UnderstudyError as error:
        assert str(error)


def test_random_takes_every_move_alike() -> None:
    player = make_player("random", MORRIS, seed=3)
    chosen = Counter(choice.move for choice in player.choose([MORRIS.start()] * 4800))
    assert set(chosen) == set(MORRIS.moves(MORRIS.start()))
    assert all(140 < times < 260 for times in chosen.values())


def test_stochastic_takes_a_win_and_avoids_a_loss() -> None:
    win = MORRIS.read("MMOOOMOOOOOOOOMOOOEOOEEO0043")  # g4 to g7 closes a mill against the third-last stone
    winning = {move for move in MORRIS.moves(win) if MORRIS.outcome(MORRIS.play(win, move)) is not None}
    assert {MORRIS.write_move(win, move)[:4] for move in winning} == {"g4g7"}
    threatened = MORRIS.read("MOOEOOOOMOOMOOEOOOOOOEEO0034")  # only a stone on g1 stops g4 from closing there
    for seed in range(10):
        assert make_player("stochastic:depth=1", MORRIS, seed=seed).choose([win])[0].move in winning
        move = make_player("stochastic:depth=2", MORRIS, seed=seed).choose([threatened])[0].move
        assert MORRIS.write_move(threatened, move)[2:4] == "g1"
    varied = {
        make_player("stochastic:depth=1", MORRIS, seed=seed).choose([MORRIS.start()])[0].move for seed in range(30)
    }
    assert len(varied) > 5


def test_a_searcher_values_positions_for_the_side_to_move() -> None:
    ahead = MORRIS.read("MMMMOMOOOOOOOOOOOOOOOEEE0053")
    choice = make_player("searcher:depth=3", MORRIS).choose([ahead])[0]
    assert choice.value is not None
    assert choice.value > 0.5
    scored = make_player("searcher:depth=2,method=minimax", MORRIS).choose([ahead])[0]
    assert scored.scores is not None
    assert set(scored.scores) == set(MORRIS.moves(ahead))
    assert scored.scores[scored.move] == max(scored.scores.values())


def test_a_searcher_does_not_repeat_when_it_is_ahead() -> None:
    position = MORRIS.read("MMMMOMOOOOOOOOOOOOOOOEEE0053")
    player = make_player("searcher:depth=2", MORRIS)
    favourite = player.choose([position])[0].move
    reached = MORRIS.play(position, favourite)
    assert player.choose([position], [[reached]])[0].move != favourite


def test_a_human_is_asked_until_the_answer_is_legal(capsys: pytest.CaptureFixture[str]) -> None:
    answers = iter(["z9", "moves", "d2"])
    human = Human(MORRIS, NoOptions(), name="human", rng=np.random.default_rng(0), ask=lambda prompt: next(answers))
    choice = human.choose([MORRIS.start()])[0]
    assert MORRIS.write_move(MORRIS.start(), choice.move) == "d2"
    shown = capsys.readouterr().err
    assert "expected cells such as" in shown
    assert "a7 d7 g7" in shown

    def end(prompt: str) -> str:
        raise EOFError

    for ask in (end, lambda prompt: "resign", lambda prompt: "y" if "y/n" in prompt else "quit"):
        human = Human(MORRIS, NoOptions(), name="human", rng=np.random.default_rng(0), ask=ask)
        assert human.choose([MORRIS.start()])[0].fault == "resignation"


def test_a_human_sees_the_last_move_and_may_think_better_of_resigning(capsys: pytest.CaptureFixture[str]) -> None:
    answers = iter(["resign", "n", "", "g7"])
    human = Human(MORRIS, NoOptions(), name="human", rng=np.random.default_rng(0), ask=lambda prompt: next(answers))
    after = MORRIS.play(MORRIS.start(), MORRIS.read_move(MORRIS.start(), "a7"))
    choice = human.choose([after], [[MORRIS.start()]])[0]
    assert MORRIS.write_move(after, choice.move) == "g7"
    shown = capsys.readouterr().err
    assert "[O]" in shown and "in hand: white 8, black 9" in shown


def test_searchers_prepare_before_a_clock_runs() -> None:
    for text in ("searcher:time=0.05", "stochastic:depth=2", "random"):
        player = make_player(text, MORRIS, seed=1)
        prepare(player)
        assert player.choose([MORRIS.start()])[0].move in MORRIS.moves(MORRIS.start())
