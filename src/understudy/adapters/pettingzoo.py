"""Any game of ours as an environment of PettingZoo, in which agents move in turn (AEC): see docs/adapters.md.

The agents are the game's colours. Games end as they do in a match: by the rules, by repetition, by what the game calls
a draw, and at the limit of plies, which alone is a truncation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from understudy.adapters.actions import Actions, choose_game
from understudy.errors import BadOption, IllegalMove, MissingPackage, UnknownName
from understudy.games import CompiledGame
from understudy.games.drawing import draw_text
from understudy.match import PLY_LIMIT, Course, advance, resume

try:
    from gymnasium.spaces import Box, Dict, Discrete
    from pettingzoo import AECEnv
    from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper
except ModuleNotFoundError:
    raise MissingPackage("an environment of PettingZoo", "the package pettingzoo", "pettingzoo") from None

RENDER_MODES = ("ansi",)

ILLEGAL_REWARD = -1.0
"""As much as a lost game: in a match an illegal move loses. The other agent gets 0, as PettingZoo has it."""


def env(
    game: str | CompiledGame,
    size: str | int | tuple[int, int] | None = None,
    *,
    render_mode: str | None = None,
    **switches: str,
) -> AECEnv[str, Any, int]:
    """Return a game as an environment in PettingZoo's usual wrappers: an illegal action ends the game with -1."""
    raw = raw_env(game, size, render_mode=render_mode, **switches)
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(TerminateIllegalWrapper(raw, ILLEGAL_REWARD)))


def raw_env(
    game: str | CompiledGame,
    size: str | int | tuple[int, int] | None = None,
    *,
    render_mode: str | None = None,
    **switches: str,
) -> GameEnv:
    """Return a game as a bare environment, in which an illegal action raises IllegalMove and changes nothing."""
    return GameEnv(choose_game(game, size, switches), render_mode)


class GameEnv(AECEnv[str, Any, int]):
    """A game between two agents; what one wins the other loses."""

    possible_agents: list[str]
    infos: dict[str, dict[str, Any]]

    def __init__(self, game: CompiledGame, render_mode: str | None = None) -> None:
        super().__init__()
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise UnknownName("render mode", render_mode, RENDER_MODES)
        self.game, self.render_mode, self.actions = game, render_mode, Actions(game)
        self.metadata = {"name": f"{game.name}_v0", "render_modes": list(RENDER_MODES), "is_parallelizable": False}
        self.possible_agents = list(game.colours)
        self._action_spaces = {agent: Discrete(self.actions.count) for agent in self.possible_agents}
        self._observation_spaces = {agent: self._view() for agent in self.possible_agents}

    def _view(self) -> Dict:
        sizes = {"observation": self.game.feature_count, "action_mask": self.actions.count}
        return Dict({name: Box(0, 1, (size,), np.int8) for name, size in sizes.items()})

    def observation_space(self, agent: str) -> Dict:
        """Return what *agent* sees: features that hold, and its legal actions."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """Return all moves of the game by number."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game, at the `position` that *options* may hold as text; a *seed* has nothing to decide."""
        self.course = self._begin((options or {}).get("position"))
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None  # PettingZoo keeps here, from the last game, who moves once the dead are gone
        self.agent_selection = self._mover()

    def _begin(self, text: str | None) -> Course:
        course = resume(self.game, self.game.start() if text is None else self.game.read(text), [])
        if course.played is not None:
            raise BadOption(f"{self.game.name}: the game is over in {text!r} ({course.played.reason})")
        return course

    def _mover(self) -> str:
        return self.possible_agents[int(self.course.position.ply) % 2]

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the position as *agent* sees it, and its legal actions: none where the other is to move."""
        position, to_move = self.course.position, self.course.played is None and agent == self._mover()
        mask = self.actions.mask(position) if to_move else np.zeros(self.actions.count, np.int8)
        return {
            "observation": self.actions.features(position, self.possible_agents.index(agent)),
            "action_mask": mask,
        }

    def step(self, action: int | None) -> None:
        """Play the move with this number; agents of a finished game can only leave, by the action None."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise IllegalMove(f"{self.game.name}: {agent} is to move and gave no action")
        advance(self.game, self.course, self.actions.move(int(action)))
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.agent_selection = self._mover()
        if self.course.played is not None:
            self._end(self.course.played.result, self.course.played.reason)
        self._accumulate_rewards()

    def _end(self, result: int, reason: str) -> None:
        self.rewards = dict(zip(self.possible_agents, (float(result), float(-result)), strict=True))
        cut = reason == PLY_LIMIT
        self.truncations = dict.fromkeys(self.agents, cut)
        self.terminations = dict.fromkeys(self.agents, not cut)
        self.infos = {agent: {"reason": reason} for agent in self.agents}

    def render(self) -> str | None:
        """Return the board as text, where the render mode is `ansi`."""
        if self.render_mode is None:
            return None
        return draw_text(self.game.board, self.game.stones(self.course.position))

    def close(self) -> None:
        """Let go of nothing: there is no window."""
