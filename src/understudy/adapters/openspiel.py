"""Any game of ours as a game of OpenSpiel, for its algorithms; and its bots as players of ours: see docs/adapters.md.

Importing this module makes the game `python_understudy` known to OpenSpiel, whose parameters say which of our games it
is: `pyspiel.load_game("python_understudy(game=NAME,size=6x6)")`. Games end as they do in a match.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from understudy.adapters.actions import Actions, choose_game
from understudy.config import check_range
from understudy.errors import IllegalMove, MissingPackage, UnknownName
from understudy.games import CompiledGame
from understudy.match import advance, begin, resume
from understudy.players.basic import NO_MOVE
from understudy.players.names import PlayerKind, check_obeyed
from understudy.protocols import Choice

try:
    import pyspiel
    from open_spiel.python.algorithms.mcts import MCTSBot, RandomRolloutEvaluator
    from open_spiel.python.observation import IIGObserverForPublicInfoGame
except ModuleNotFoundError:
    raise MissingPackage("a game or a bot of OpenSpiel", "the package open_spiel", "openspiel") from None

NAME = "python_understudy"
"""OpenSpiel asks games written in Python to be called `python_...`."""

MOST = 1_000_000
"""Limit of what a bot may be told to do for one move: nobody waits longer."""

GAME_TYPE = pyspiel.GameType(
    short_name=NAME,
    long_name="A game of Understudy",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"game": "", "size": "", "rules": ""},
)


def load_game(game: str | CompiledGame, size: str | int | tuple[int, int] | None = None, **switches: str) -> SpielGame:
    """Return a game as OpenSpiel wants it; the same as `pyspiel.load_game` with its parameters written out."""
    chosen = choose_game(game, size, switches)
    rules = ";".join(f"{name}:{setting}" for name, setting in chosen.switches)
    parameters = {"game": chosen.name, "size": "{}x{}".format(*chosen.size), "rules": rules}
    loaded: SpielGame = pyspiel.load_game(NAME, parameters)
    return loaded


def read_parameters(parameters: Mapping[str, str]) -> CompiledGame:
    """Return the game that parameters of OpenSpiel's name; rules are written `name:setting;name:setting`."""
    pairs = [rule.partition(":") for rule in parameters.get("rules", "").split(";") if rule]
    switches = {name: setting for name, _, setting in pairs}
    return choose_game(parameters.get("game", ""), parameters.get("size") or None, switches)


class SpielGame(pyspiel.Game):
    """A game as OpenSpiel wants it; its actions are numbered as in `Actions`."""

    def __init__(self, params: Mapping[str, str] | None = None) -> None:
        actions = Actions(read_parameters(params or {}))
        info = pyspiel.GameInfo(
            num_distinct_actions=actions.count,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=actions.game.conventions.ply_limit,
        )
        super().__init__(GAME_TYPE, info, params or {})
        self.actions = actions

    def __reduce__(self) -> tuple[Any, ...]:
        return pyspiel.load_game, (str(self),)  # OpenSpiel's own way would leave the attributes behind

    def new_initial_state(self) -> SpielState:
        """Return the start of a game."""
        return SpielState(self)

    def state_at(self, position: Any, history: Sequence[Any] = ()) -> SpielState:
        """Return the state of a game that stands at *position*, which was reached through *history*."""
        state = self.new_initial_state()
        state.course = resume(self.actions.game, position, history)
        return state

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Return who looks at states: at the position, or at all moves so far where recall should be perfect."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return Observer(self.actions)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class SpielState(pyspiel.State):
    """A game under way as OpenSpiel wants it; OpenSpiel copies it by a deep copy of its attributes."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.actions, self.course = game.actions, begin(game.actions.game)

    def current_player(self) -> int:
        """Return 0 for the first colour, 1 for the second."""
        return int(pyspiel.PlayerId.TERMINAL) if self.is_terminal() else self.course.position.ply % 2

    def _legal_actions(self, player: int) -> list[int]:
        return self.actions.legal(self.course.position)

    def _apply_action(self, action: int) -> None:
        if self.course.played is not None:
            raise IllegalMove(f"{self.actions.game.name}: the game is over ({self.course.played.reason})")
        advance(self.actions.game, self.course, self.actions.move(action))

    def _action_to_string(self, player: int, action: int) -> str:
        game, position, move = self.actions.game, self.course.position, self.actions.move(action)
        if move in game.moves(position):
            return game.write_move(position, move)
        return "-".join(map(str, game.parts(move)))  # OpenSpiel may name any action at any time

    def is_terminal(self) -> bool:
        """Tell whether the game is over."""
        return self.course.played is not None

    def returns(self) -> list[float]:
        """Return what each side has won: nothing before the end."""
        result = 0 if self.course.played is None else self.course.played.result
        return [float(result), float(-result)]

    def __str__(self) -> str:
        position = self.course.position
        return f"{self.actions.game.write(position)} {self.actions.game.colours[position.ply % 2]}"


class Observer:
    """Looks at states: the features that hold, seen by the one who asks, and the position as text."""

    def __init__(self, actions: Actions) -> None:
        self.tensor = np.zeros(actions.game.feature_count, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: SpielState, player: int) -> None:
        """Write what *player* sees."""
        self.tensor[:] = state.actions.features(state.course.position, player)

    def string_from(self, state: SpielState, player: int) -> str:
        """Return what everybody sees."""
        return str(state)


pyspiel.register_game(GAME_TYPE, SpielGame)


@dataclass(frozen=True, kw_only=True)
class BotOptions:
    """Which bot of OpenSpiel plays, and how long `mcts` thinks."""

    bot: str = "mcts"
    simulations: int = 100
    """How many games in thought for each move."""
    rollouts: int = 1
    """How many random games value a leaf of the tree."""
    exploration: float = 2.0
    """The constant of UCT; what OpenSpiel's own example of MCTS takes."""


class BotPlayer:
    """A player that asks a bot of OpenSpiel, one for each side."""

    def __init__(self, game: CompiledGame, options: BotOptions, *, name: str, rng: np.random.Generator) -> None:
        if options.bot not in BOTS:
            raise UnknownName("bot of OpenSpiel that can play here", options.bot, BOTS)
        self.name, self.spiel = name, load_game(game)
        self.bots = [BOTS[options.bot](self.spiel, side, options, name, rng) for side in range(2)]

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        """Ask the bot of the side to move in each position."""
        pasts = histories or [()] * len(positions)
        states = [self.spiel.state_at(position, past) for position, past in zip(positions, pasts, strict=True)]
        return [self._choose(state) for state in states]

    def _choose(self, state: SpielState) -> Choice:
        if state.is_terminal():
            return Choice(NO_MOVE, fault="no move")
        return Choice(self.spiel.actions.move(self.bots[state.current_player()].step(state)))


def _make_mcts(spiel: SpielGame, side: int, options: BotOptions, name: str, rng: np.random.Generator) -> MCTSBot:
    """Return the bot that is written in Python: the one in C++ crashes on any game that is written in Python."""
    check_range(f"player {name!r}: simulations", options.simulations, 2, MOST)  # the first only opens the root
    check_range(f"player {name!r}: rollouts", options.rollouts, 1, MOST)
    check_range(f"player {name!r}: exploration", options.exploration, 0, MOST)
    search, leaves = (np.random.RandomState(_draw_seed(rng)) for _ in range(2))  # it knows no other generators
    evaluator = RandomRolloutEvaluator(options.rollouts, leaves)
    return MCTSBot(spiel, options.exploration, options.simulations, evaluator, random_state=search)


def _make_uniform(spiel: SpielGame, side: int, options: BotOptions, name: str, rng: np.random.Generator) -> pyspiel.Bot:
    check_obeyed(options, ("bot",), name=name, does="does not think")
    return pyspiel.make_uniform_random_bot(side, _draw_seed(rng))


def _draw_seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))  # seeds of OpenSpiel are 32 bits with a sign


BOTS = {"mcts": _make_mcts, "uniform_random": _make_uniform}
"""Those that play any game and draw from a seed of ours; OpenSpiel's others play one game, or lists of actions."""

OPENSPIEL = PlayerKind(BotPlayer, BotOptions, main="bot")
