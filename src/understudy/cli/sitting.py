"""A game between a person at the terminal and a player, turn by turn; two people may share the terminal, too.

Draws, repetition and illegal moves are settled as in a match. What a person may say instead of a move is in
`sayings.py`.
"""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from shlex import quote

from understudy.cli.sayings import ALIASES, SAYINGS
from understudy.cli.terminal import Terminal, draw
from understudy.cli.wording import SCALE, word_choice, word_end, word_loss
from understudy.errors import IllegalMove, NotationError, UnderstudyError
from understudy.match import advance, settle
from understudy.players import think
from understudy.protocols import Choice, Player
from understudy.saved import SavedGame, replay
from understudy.thoughts import Thought

HUMAN = "human"
"""The name of a person among the players."""


class Sitting:
    """A game under way, with a person on one side or on both."""

    def __init__(self, saved: SavedGame, opponent: Player | None, terminal: Terminal, file: Path | None = None) -> None:
        self.game, self.players, self.course = saved.game, saved.players, saved.course
        self.opponent, self.terminal, self.file = opponent, terminal, file
        self.thinks_aloud = self.unsaved = False
        self._left = self._explained = False
        self._shown: object = None

    @property
    def person(self) -> int | None:
        """The side of the person; None where both sides are people's."""
        sides = [side for side, colour in enumerate(self.game.colours) if self.players[colour] == HUMAN]
        return sides[0] if len(sides) == 1 else None

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.course.played is not None

    def play(self) -> None:
        """Play until the game is over and the person has seen it, or leaves."""
        try:
            while not self._left:
                if self.over or self._is_persons_turn():
                    self._hear()
                else:
                    self._answer()
        except (EOFError, KeyboardInterrupt) as stop:
            self.terminal.say()
            self.leave()
            if isinstance(stop, KeyboardInterrupt):
                raise

    def go_back(self) -> bool:
        """Go back to where a person was to move before; tell whether there is such a place."""
        for plies in range(len(self.course.moves) - (not self.over), -1, -1):
            course = replay(self.game, self.course, plies)
            if course.played is None and self.players[self.game.colours[course.position.ply % 2]] == HUMAN:
                self.course, self.unsaved = course, True
                return True
        return False

    def give_up(self) -> None:
        """Lose the game for the side to move."""
        settle(self.game, self.course, Choice(-1, fault="resignation"))
        self.unsaved = True

    def save(self, file: Path) -> bool:
        """Save the game; tell whether that went well."""
        try:
            SavedGame(self.game, self.players, self.course).save(file)
        except UnderstudyError as error:
            self.terminal.tell(str(error))
            return False
        self.file, self.unsaved = file, False
        self.terminal.say(f"Saved in {file}.")
        return True

    def leave(self) -> None:
        """Say goodbye, and how to go on."""
        self._left = True
        if self.unsaved:
            self.terminal.say("The game was not saved.")
        elif self.file is not None and not self.over:
            self.terminal.say(f"Go on with: understudy play --continue {quote(str(self.file))}")

    def show(self) -> None:
        """Draw the board."""
        self.terminal.say("\n" + draw(self.game, self.course, colour=self.terminal.colour))

    def think_of(self, player: Player) -> Thought:
        """Return what a player thinks of the position, while the person waits."""
        position, past = self.course.position, self.course.history
        return self.terminal.attend(lambda: think(player, self.game, position, past), lambda: f"{player.name} thinks")

    def explain(self, value: float | None) -> None:
        """Tell what a value is, when the first one was told."""
        if value is not None and not self._explained:
            self.terminal.tell(SCALE)
            self._explained = True

    def _mover(self) -> str:
        return self.game.colours[self.course.position.ply % 2]

    def _is_persons_turn(self) -> bool:
        return self.players[self._mover()] == HUMAN

    def _hear(self) -> None:
        """Show what is new, ask, and do what the person says: a word of the table, or a move."""
        if self._shown is not (self.course.played or self.course.position):
            self._shown = self.course.played or self.course.position
            self.show()
            if self.over:
                self.terminal.say(word_end(self.game, self.course, self.person))
        over = "'save FILE' keeps the game, 'undo' takes back, Enter leaves:"
        answer = self.terminal.ask(over if self.over else f"{self._mover().title()} to move:")
        first, _, rest = answer.partition(" ")
        word = ALIASES.get(first.lower(), first.lower())
        if word in SAYINGS:
            SAYINGS[word].act(self, rest.strip())
        elif self.over:
            self._left = True
        elif answer:
            self._move(answer)

    def _move(self, text: str) -> None:
        try:
            move = self.game.read_move(self.course.position, text)
        except IllegalMove:
            self.terminal.tell(f"{text} is not a legal move here; 'moves' lists those that are.")
        except NotationError as error:
            meant = get_close_matches(text.split()[0].lower(), SAYINGS, n=1)
            advice = f"did you mean '{meant[0]}'?" if meant else "'help' tells what else you can say."
            self.terminal.tell(f"{error}; {advice}")
        else:
            advance(self.game, self.course, move)
            self.unsaved = True

    def _answer(self) -> None:
        """Let the opponent move, and tell what it plays and thinks."""
        assert self.opponent is not None
        position, player = self.course.position, self.opponent
        choice, thought = self.terminal.attend(lambda: self._ask(player), lambda: f"{player.name} thinks")
        if self.thinks_aloud and thought is not None:
            self.terminal.say(f"\n{thought}\n")
        legal = choice.fault is None and choice.move in self.game.moves(position)
        settle(self.game, self.course, choice)
        self.unsaved = True
        if legal:
            self.terminal.tell(word_choice(self.game, position, choice, thought, name=player.name))
            self.explain(choice.value)
        else:
            self.terminal.tell(word_loss(choice, name=player.name))

    def _ask(self, player: Player) -> tuple[Choice, Thought | None]:
        """Return a player's choice, with what it thinks where that is asked for or costs nothing.

        A search that tells of all moves has less time for the best one, so it is asked only on demand.
        """
        if self.thinks_aloud or (hasattr(player, "think") and not hasattr(player, "think_aloud")):
            try:
                thought = think(player, self.game, self.course.position, self.course.history)
                return thought.choice, thought
            except UnderstudyError:  # asked for its choice alone, a player says there why it has none
                pass
        return player.choose([self.course.position], [self.course.history])[0], None
