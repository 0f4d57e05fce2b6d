"""Students learning, in PyTorch: the table of architectures, and how a student is built from its options."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from understudy.config import build, check_range
from understudy.errors import BadOption, UnknownName
from understudy.games import CompiledGame
from understudy.games.layout import Encoder, Layout, facts, find_encoder, find_encoders
from understudy.games.parts import may_lack, order_places
from understudy.networks.architectures import (
    Dense,
    DenseOptions,
    FeedForward,
    FeedForwardOptions,
    Residual,
    ResidualOptions,
)
from understudy.networks.convolutions import Convolution, ConvolutionOptions
from understudy.networks.planes import PlanesOptions, find_grid, make_planes
from understudy.networks.students import Separated, Single, StudentOptions, Unit, whole_convolution, whole_residual


class Architecture(NamedTuple):
    """What makes a network: its class and its options."""

    network: type[FeedForward] | type[Residual] | type[Dense] | type[Convolution] | None
    """None where there are whole-move students alone."""
    options: type[Any]
    whole: Callable[..., Unit] | None = None
    """Makes a network for the whole move; None where there is none of this kind."""


NETWORKS: dict[str, Architecture] = {
    "feedforward": Architecture(FeedForward, FeedForwardOptions),
    "residual": Architecture(Residual, ResidualOptions, whole_residual),
    "dense": Architecture(Dense, DenseOptions),
    "convolution": Architecture(Convolution, ConvolutionOptions, whole_convolution),
    "planes": Architecture(None, PlanesOptions, make_planes),
}

DESIGNS = ("cascade", "whole")


def network_options(settings: Mapping[str, Any]) -> Any:
    """Return the options of the network that a `[network]` section describes; `kind` names the architecture."""
    kind = settings.get("kind", "residual")
    if kind not in NETWORKS:
        raise UnknownName("network", str(kind), NETWORKS)
    options = build(NETWORKS[kind].options, {k: v for k, v in settings.items() if k != "kind"}, place="[network]")
    for name in ("dropout", "input_dropout", "drop_blocks"):
        check_range(f"network.{name}", getattr(options, name, None), 0, 0.95)
    widths = (("width", 100_000), ("hidden", 100_000), ("growth", 100_000), ("channels", 10_000))
    for name, most in (*widths, ("blocks", 1000)):
        check_range(f"network.{name}", getattr(options, name, None), 0 if name == "blocks" else 1, most)
    return options


def build_units(game: CompiledGame, student: StudentOptions, networks: Mapping[str, Mapping[str, Any]]) -> list[Unit]:
    """Return the untrained networks of a student in their order; *networks* hold the settings for each part."""
    if student.design not in DESIGNS:
        raise UnknownName("design of a student", student.design, DESIGNS)
    encoder, order = find_encoder(game, student.encoder), order_places(game.part_names, student.order)
    names, sizes = [game.part_names[part] for part in order], [game.part_sizes[part] for part in order]
    options = [network_options(networks[name]) for name in names]
    _check_inputs(game, encoder, options)
    if student.design == "whole":
        return [_whole(student, _kind(networks[names[0]]), options[0], encoder, sizes)]
    return [
        Single(
            _make_part(networks[name], chosen, encoder, sizes[: place + 1], separated=name in student.presence),
            sizes[:place],
            name,
            one_hot=encoder.one_hot,
        )
        for place, (name, chosen) in enumerate(zip(names, options, strict=True))
    ]


def _make_part(
    settings: Mapping[str, Any], options: Any, encoder: Encoder, sizes: Sequence[int], *, separated: bool
) -> FeedForward | Residual | Dense | Convolution | Separated:
    """Return what decides the last of the parts that have so many classes, told those before: one network, or two."""
    inputs, classes = encoder.extended(sizes[:-1]), sizes[-1]
    if not separated:
        return _network(settings, options, inputs, encoder.part(classes))
    presence = _network(settings, options, inputs, facts(encoder.layout.classes, 2))
    return Separated(presence, _network(settings, options, inputs, encoder.part(classes - 1)))


def _network(
    settings: Mapping[str, Any], options: Any, inputs: Layout, outputs: Layout
) -> FeedForward | Residual | Dense | Convolution:
    """Return one network of a cascade."""
    kind = NETWORKS[_kind(settings)].network
    if kind is None:
        raise BadOption(f"network.kind: {_kind(settings)!r} needs student.design 'whole'")
    return kind(options, inputs, outputs)


def check_student(game: CompiledGame, student: StudentOptions, options: Sequence[Any]) -> None:
    """Raise unless a student of *game* can be built of networks with these *options*; nothing is built."""
    if student.design not in DESIGNS:
        raise UnknownName("design of a student", student.design, DESIGNS)
    check_range("student.head_blocks", student.head_blocks, 0, 100)
    order_places(game.part_names, student.order)
    _check_only(game, student)
    _check_presence(game, student)
    encoder = find_encoder(game, student.encoder)
    _check_inputs(game, encoder, options)
    if student.design != "whole" and any(isinstance(choice, PlanesOptions) for choice in options):
        raise BadOption("network.kind: 'planes' needs student.design 'whole'")


def _check_only(game: CompiledGame, student: StudentOptions) -> None:
    """Raise unless the part that a student is to learn alone has a network of its own."""
    if student.only and student.only not in game.part_names:
        raise UnknownName("student.only", student.only, game.part_names)
    if student.only and student.design != "cascade":
        raise BadOption("student.only: a part is learned alone where it has a network of its own: design 'cascade'")


def _check_presence(game: CompiledGame, student: StudentOptions) -> None:
    """Raise unless the parts whose presence has a network of its own have one, and may be lacking."""
    for part in student.presence:
        if part not in game.part_names:
            raise UnknownName("student.presence", part, game.part_names)
        if not may_lack(game, game.part_names.index(part)):
            raise BadOption(f"student.presence: no move of {game.name} lacks its {part!r}")
    if student.presence and student.design != "cascade":
        raise BadOption("student.presence: parts have networks of their own in the design 'cascade' alone")


def _check_inputs(game: CompiledGame, encoder: Encoder, options: Sequence[Any]) -> None:
    """Raise unless networks with these *options* can use what *encoder* shows them."""
    if any(isinstance(choice, PlanesOptions) for choice in options):
        find_grid(game.name, encoder)
    if any(getattr(choice, "symmetric", False) for choice in options):
        _check_symmetric(game, encoder)
    if any(isinstance(choice, ConvolutionOptions) for choice in options):
        _check_rows(game, encoder)


def _check_rows(game: CompiledGame, encoder: Encoder) -> None:
    if encoder.layout.classes.columns and encoder.one_hot:
        return
    fitting = ", ".join(name for name, other in find_encoders(game).items() if other.layout.classes.columns)
    if not fitting:
        raise BadOption(
            f"network.kind: a 'convolution' needs a board of rows, and {game.name} says of none how it lies"
        )
    raise BadOption(
        f"student.encoder: a 'convolution' cannot see positions as {encoder.name!r}; these it can: {fitting}"
    )


def _check_symmetric(game: CompiledGame, encoder: Encoder) -> None:
    if encoder.symmetric:
        return
    fitting = ", ".join(name for name, other in find_encoders(game).items() if other.symmetric)
    if not fitting:
        raise BadOption(f"network.symmetric: {game.name} has no symmetries that the weights of a network could share")
    raise BadOption(
        f"student.encoder: a symmetric network cannot see positions as {encoder.name!r}; these it can: {fitting}"
    )


def _whole(student: StudentOptions, kind: str, options: Any, encoder: Encoder, sizes: Sequence[int]) -> Unit:
    make = NETWORKS[kind].whole
    if make is None:
        fitting = ", ".join(repr(name) for name, other in NETWORKS.items() if other.whole)
        raise BadOption(f"student.design: a whole-move student needs one of network.kind {fitting}, not {kind!r}")
    return make(options, encoder, sizes, student)


def _kind(settings: Mapping[str, Any]) -> str:
    return str(settings.get("kind", "residual"))
