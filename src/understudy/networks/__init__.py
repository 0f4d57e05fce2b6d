"""Students learning, in PyTorch: the table of architectures, and how a student is built from its options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from understudy.config import build, check_range
from understudy.errors import BadOption, UnknownName
from understudy.games import CompiledGame
from understudy.games.layout import Encoder, find_encoder, find_encoders
from understudy.games.parts import order_places
from understudy.networks.architectures import (
    Dense,
    DenseOptions,
    FeedForward,
    FeedForwardOptions,
    Residual,
    ResidualOptions,
)
from understudy.networks.students import Single, StudentOptions, Unit, Whole


class Architecture(NamedTuple):
    """What makes a network: its class and its options."""

    network: type[FeedForward] | type[Residual] | type[Dense]
    options: type[Any]


NETWORKS: dict[str, Architecture] = {
    "feedforward": Architecture(FeedForward, FeedForwardOptions),
    "residual": Architecture(Residual, ResidualOptions),
    "dense": Architecture(Dense, DenseOptions),
}

DESIGNS = ("cascade", "whole")


def network_options(settings: Mapping[str, Any]) -> Any:
    """Return the options of the network that a `[network]` section describes; `kind` names the architecture."""
    kind = settings.get("kind", "residual")
    if kind not in NETWORKS:
        raise UnknownName("network", str(kind), NETWORKS)
    options = build(NETWORKS[kind].options, {k: v for k, v in settings.items() if k != "kind"}, place="[network]")
    for name in ("dropout", "input_dropout"):
        check_range(f"network.{name}", getattr(options, name), 0, 0.95)
    for name, most in (("width", 100_000), ("hidden", 100_000), ("growth", 100_000), ("blocks", 1000)):
        check_range(f"network.{name}", getattr(options, name, None), 0 if name == "blocks" else 1, most)
    return options


def build_units(game: CompiledGame, student: StudentOptions, networks: Mapping[str, Mapping[str, Any]]) -> list[Unit]:
    """Return the untrained networks of a student in their order; *networks* hold the settings for each part."""
    if student.design not in DESIGNS:
        raise UnknownName("design of a student", student.design, DESIGNS)
    encoder, order = find_encoder(game, student.encoder), order_places(game.part_names, student.order)
    names, sizes = [game.part_names[part] for part in order], [game.part_sizes[part] for part in order]
    options = [network_options(networks[name]) for name in names]
    if any(choice.symmetric for choice in options):
        _check_symmetric(game, encoder)
    if student.design == "whole":
        return [_whole(student, options[0], encoder, sizes)]
    return [
        Single(
            NETWORKS[_kind(networks[name])].network(
                chosen, encoder.extended(sizes[:place]), encoder.part(sizes[place])
            ),
            sizes[:place],
            name,
            one_hot=encoder.one_hot,
        )
        for place, (name, chosen) in enumerate(zip(names, options, strict=True))
    ]


def check_student(game: CompiledGame, student: StudentOptions, options: Sequence[Any]) -> None:
    """Raise unless a student of *game* can be built of networks with these *options*; nothing is built."""
    order_places(game.part_names, student.order)
    encoder = find_encoder(game, student.encoder)
    if any(choice.symmetric for choice in options):
        _check_symmetric(game, encoder)


def _check_symmetric(game: CompiledGame, encoder: Encoder) -> None:
    if encoder.symmetric:
        return
    fitting = ", ".join(name for name, other in find_encoders(game).items() if other.symmetric)
    if not fitting:
        raise BadOption(f"network.symmetric: {game.name} has no symmetries that the weights of a network could share")
    raise BadOption(
        f"student.encoder: a symmetric network cannot see positions as {encoder.name!r}; these it can: {fitting}"
    )


def _whole(student: StudentOptions, options: Any, encoder: Encoder, sizes: Sequence[int]) -> Whole:
    if not isinstance(options, ResidualOptions):
        raise BadOption("student.design: a whole-move student needs network.kind 'residual'")
    check_range("student.head_blocks", student.head_blocks, 0, 100)
    return Whole(options, encoder, sizes, head_blocks=student.head_blocks)


def _kind(settings: Mapping[str, Any]) -> str:
    return str(settings.get("kind", "residual"))
