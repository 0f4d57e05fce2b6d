"""Where evolution starts if not from chance: the champion of a smaller network, widened so that it says the same.

A network may see more inputs and have more hidden units than its ancestor's. Weights of new inputs to old units are 0,
and so are those of new units to the output: all values stay as they were. What new units see is drawn by lot, so that a
mutation of one weight, that to the output, is enough to hear of it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption, UnderstudyError
from understudy.games import CompiledGame
from understudy.players.evolved import Evolved, load_evolved
from understudy.players.student_files import student_file
from understudy.search.evaluators.chromosome import NetworkOptions, express, make_inputs, make_plan, places_of
from understudy.trainers.evolution.breeding import Alleles, usual_weights

OPTION = "trainer.ancestor"


def load_ancestor(text: str, game: CompiledGame) -> Evolved:
    """Return the champion that *text* names: a student that ships, a run folder, or a file."""
    try:
        path = student_file(text)
        if path.suffix != ".safetensors":
            raise BadOption(f"{str(path)!r} is no network that evolved")
        ancestor = load_evolved(path)
        _check_board(path, ancestor, game)
        express(make_plan(game, ancestor.network), ancestor.alleles)
    except UnderstudyError as error:
        raise BadOption(f"{OPTION}: {error}") from None
    return ancestor


def _check_board(path: Path, ancestor: Evolved, game: CompiledGame) -> None:
    board = {"game": game.name, "size": f"{game.size[0]}x{game.size[1]}"}
    for name, wanted in board.items():
        if ancestor.facts.get(name) != wanted:
            raise BadOption(f"{str(path)!r} has learned the {name} {ancestor.facts.get(name)}, not {wanted}")


def check_wider(game: CompiledGame, old: NetworkOptions, new: NetworkOptions, place: str) -> None:
    """Raise unless a network *new* can say all that a network *old* says; *place* is where that is wanted."""
    unseen = [name for name in old.inputs if name not in new.inputs]
    if unseen:
        raise BadOption(f"{place}: the ancestor sees {', '.join(unseen)}, which network.inputs does not name")
    if old.hidden > new.hidden:
        raise BadOption(f"{place}: the ancestor has {old.hidden} hidden units, more than network.hidden = {new.hidden}")
    if old.both != new.both:
        raise BadOption(f"{place}: the ancestor has both = {_written(old.both)}, network.both is {_written(new.both)}")
    for name in old.inputs:
        one, other = (make_inputs(game, (name,), options.reading) for options in (old, new))
        if not (np.array_equal(one.linear, other.linear) and np.array_equal(one.empty, other.empty)):
            raise BadOption(
                f"{place}: the ancestor has the reading {old.reading!r} of {name}, network.reading is {new.reading!r}"
            )
    _rows(game, old, new, place)


def _written(choice: bool) -> str:
    return str(choice).lower()


def widen(
    game: CompiledGame, old: NetworkOptions, alleles: Alleles, new: NetworkOptions, *, seed: int, place: str = OPTION
) -> Alleles:
    """Return the chromosome of a network *new* that says of every position what *alleles* say, a network *old*."""
    check_wider(game, old, new, place)
    before, after = make_plan(game, old), make_plan(game, new)
    table = alleles[:-1].reshape(before.rows + 2, old.hidden)
    scale = usual_weights(after.fan_in())[:-1].reshape(after.rows + 2, new.hidden)
    wide = np.random.default_rng([seed, 0xA7C]).normal(size=scale.shape) * scale
    wide[: after.rows, : old.hidden] = 0.0
    rows = _rows(game, old, new, place)
    wide[rows >= 0, : old.hidden] = table[rows[rows >= 0]]
    wide[-2], wide[-1, : old.hidden] = 0.0, table[-1]
    wide[-2, : old.hidden] = table[-2]
    return np.append(wide, alleles[-1])


def _rows(game: CompiledGame, old: NetworkOptions, new: NetworkOptions, place: str) -> NDArray[np.int64]:
    """Return for each row of the wider network's table, its last two aside, that of the other; -1 where it had none.

    The two rows of the output and of the biases are marked -1 as well: they are no inputs.
    """
    before, after = make_plan(game, old), make_plan(game, new)
    from_places, to_places = places_of(game, old), places_of(game, new)
    seen = np.full(len(after.classes), -1)
    for name, places in from_places.items():
        seen[to_places[name]] = before.classes[places]
    rows = np.full(after.rows + 2, -1)
    rows[after.classes] = seen
    if not np.array_equal(rows[after.classes], seen):
        raise BadOption(
            f"{place}: network.symmetric ties inputs that have different weights in the ancestor, or that it lacks"
        )
    return rows
