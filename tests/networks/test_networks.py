"""Networks as deep as asked, tied exactly, and the same in ONNX Runtime as in PyTorch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from understudy.errors import BadOption, UnknownName
from understudy.games import find_game
from understudy.games.layout import find_encoder
from understudy.games.morris.notation import NUMBER, SYMMETRIES
from understudy.games.parts import order_places
from understudy.networks import build_units, check_student, network_options
from understudy.networks.architectures import Residual, ResidualOptions
from understudy.networks.convolutions import ConvolutionOptions, Entry, Spreading
from understudy.networks.files import save_student
from understudy.networks.planes import Planes, PlanesOptions
from understudy.networks.students import Playing, Separated, StudentOptions
from understudy.players.graphs import check_graph
from understudy.players.student_files import SHIPPED

MORRIS = find_game("morris")
RAWEST = find_encoder(find_game("morris"), "rawest")
SMALL: dict[str, Any] = {
    "kind": "residual",
    "width": 50,
    "hidden": 50,
    "blocks": 2,
    "symmetric": True,
    "zero_start": False,
}


def units(settings: dict[str, Any], **student: Any) -> Any:
    return build_units(MORRIS, StudentOptions(**student), dict.fromkeys(MORRIS.part_names, settings))


def close(found: torch.Tensor, expected: torch.Tensor) -> bool:
    """Log-probabilities reach into the hundreds, and what rounding leaves grows with the largest."""
    return torch.allclose(found, expected, atol=1e-5 * expected.detach().abs().max().item())


def shake(made: Any) -> None:
    """Move all weights a little: what begins with zeros would say the same of everything."""
    torch.manual_seed(1)
    with torch.no_grad():
        for weight in (weight for unit in made for weight in unit.parameters()):
            weight += 0.1 * torch.randn_like(weight)


def weights(blocks: int, inputs: int) -> int:
    network = Residual(ResidualOptions(blocks=blocks), RAWEST.extended([25] * ((inputs - 90) // 25)), RAWEST.part(25))
    return sum(weight.numel() for weight in network.parameters())


def test_depth_is_real_and_the_sizes_are_the_published_ones() -> None:
    assert [weights(1, inputs) for inputs in (90, 115, 140)] == [143_725, 148_725, 153_725]
    assert weights(10, 90) == 1_228_225
    assert weights(30, 140) == 3_648_225


def test_every_block_reaches_the_output() -> None:
    network = Residual(ResidualOptions(blocks=5, zero_start=False), RAWEST.layout, RAWEST.part(25))
    network(torch.ones(3, 90)).sum().backward()
    assert all(weight.grad is not None and weight.grad.abs().sum() > 0 for weight in network.parameters())


def test_blocks_are_left_out_while_learning_the_deeper_the_more_often() -> None:
    options = ResidualOptions(width=20, hidden=20, blocks=4, zero_start=False, drop_blocks=0.6)
    torch.manual_seed(3)
    network = Residual(options, RAWEST.layout, RAWEST.part(25))
    blocks: list[Any] = list(network.stem.steps)[2:]
    assert [block.drop for block in blocks] == pytest.approx([0.15, 0.3, 0.45, 0.6])
    inputs = torch.randn(1, 20).expand(40_000, 20)
    for block in blocks:
        added = (block.train()(inputs) - inputs).detach()
        whole = (block.eval()(inputs) - inputs).detach()
        left_out = added.abs().sum(dim=1) == 0
        assert left_out.float().mean().item() == pytest.approx(block.drop, abs=0.015)
        assert torch.allclose(added[~left_out], whole[~left_out] / (1 - block.drop), atol=1e-5)
        assert torch.allclose(added.mean(dim=0), whole[0], atol=0.03 * whole.abs().max().item())


def test_where_no_block_is_left_out_nothing_is_drawn() -> None:
    states = []
    for settings in ({}, {"drop_blocks": 0.0}):
        torch.manual_seed(3)
        network = Residual(ResidualOptions(width=20, **settings), RAWEST.layout, RAWEST.part(25)).train()
        before = torch.get_rng_state()
        states.append(network(torch.ones(3, 90)))
        assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(*states)


def test_pairs_of_classes_fall_into_59_relations() -> None:
    relation = RAWEST.layout.classes.relation
    assert np.array_equal(np.unique(relation), np.arange(59))
    # Burnside: the orbits of pairs are as many as the mean of squared fixed points.
    numbers = np.array(NUMBER)
    moved = np.zeros((16, 25), int)
    moved[:, numbers[1:]] = numbers[SYMMETRIES + 1]
    fixed = (moved == np.arange(25)).sum(axis=1)
    assert (fixed**2).mean() == 59


@pytest.mark.parametrize("student", [{"design": "cascade"}, {"design": "whole"}, {"presence": ("from", "remove")}])
def test_a_tied_student_answers_alike_in_all_images(student: dict[str, Any]) -> None:
    playing = Playing(units(SMALL, **student))
    rng = np.random.default_rng(1)
    cells = rng.integers(0, 3, (6, 24))
    hands = rng.integers(0, 2, (6, 18))
    numbers = np.array(NUMBER)
    plain = np.concatenate([cells == kind for kind in range(3)] + [hands], axis=1).astype(np.float32)
    given = torch.tensor(rng.integers(0, 25, (6, 2)))
    scores, _ = playing(torch.tensor(plain), given)
    for permutation in SYMMETRIES[1:]:
        moved = np.zeros(25, int)
        moved[numbers[1:]] = numbers[permutation + 1]
        turned = np.empty_like(cells)
        turned[:, moved[1:] - 1] = cells
        image = np.concatenate([turned == kind for kind in range(3)] + [hands], axis=1).astype(np.float32)
        again, _ = playing(torch.tensor(image), torch.tensor(moved)[given])
        assert close(again[:, :, moved], scores)


@pytest.mark.parametrize(
    ("settings", "student"),
    [
        (SMALL, {"design": "whole", "order": "FTR"}),
        (SMALL, {"design": "cascade", "order": "RFT"}),
        ({"kind": "feedforward", "layers": [40, 30], "batch_norm": True, "dropout": 0.5}, {}),
        ({"kind": "dense", "width": 30, "growth": 20}, {"encoder": "integer"}),
        ({"kind": "dense", "head_sees": "last"}, {"encoder": "augmented"}),
        ({"kind": "residual", "blocks": 2, "batch_norm": True, "input_dropout": 0.1}, {"encoder": "raw"}),
        ({"kind": "residual", "blocks": 3, "drop_blocks": 0.5, "zero_start": False}, {}),
        (SMALL, {"order": "RFT", "presence": ("from", "remove")}),
        ({"kind": "dense", "width": 30, "growth": 20}, {"presence": ("remove",)}),
    ],
)
def test_onnx_equals_pytorch(settings: dict[str, Any], student: dict[str, Any], tmp_path: Path) -> None:
    import onnxruntime

    made = units(settings, **student)
    encoder = find_encoder(find_game("morris"), student.get("encoder", "rawest"))
    facts = {"game": "morris", "encoder": encoder.name, "columns": encoder.layout.width, "order": "TFR"}
    save_student(tmp_path, "student", made, facts)
    check_graph(tmp_path / "student.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "student.onnx")
    rng = np.random.default_rng(0)
    for rows in (1, 7):
        inputs = rng.integers(0, 2, (rows, encoder.layout.width)).astype(np.float32)
        given = rng.integers(-1, 25, (rows, 2))
        scores, choices = session.run(None, {"inputs": inputs, "given": given})
        expected, wanted = Playing(made)(torch.tensor(inputs), torch.tensor(given))
        assert close(torch.tensor(scores), expected)
        assert np.array_equal(choices, wanted.numpy())
    assert b"site-packages" not in (tmp_path / "student.onnx").read_bytes()


@pytest.mark.parametrize(
    ("game", "settings", "student"),
    [
        (("konane", (5, 5)), {"width": 52, "symmetric": True}, {"design": "whole", "order": "TF"}),
        (("konane", (10, 10)), {"width": 20}, {}),
        (("lines_of_action", (6, 6)), {"width": 65, "hidden": 65, "symmetric": True}, {"order": "TF"}),
        (("chess",), {"width": 40}, {"design": "whole", "order": "PTF"}),
        (("chess",), {"width": 40, "kind": "dense"}, {"encoder": "features"}),
        (("konane", (4, 6)), {"kind": "convolution", "channels": 8, "hidden": 6}, {"design": "whole"}),
        (("lines_of_action",), {"kind": "convolution", "channels": 4, "blocks": 1}, {"order": "TF"}),
        (("chess",), {"kind": "convolution", "channels": 8, "blocks": 2}, {"design": "whole"}),
        (("chess",), {"kind": "convolution", "channels": 4, "blocks": 1}, {"order": "PTF"}),
        (("chess",), {"kind": "planes", "channels": 6, "blocks": 1}, {"design": "whole"}),
        (("chess",), {"kind": "planes", "channels": 6, "blocks": 0}, {"design": "whole", "order": "PTF"}),
        (("konane", (5, 6)), {"kind": "planes", "channels": 6}, {"design": "whole", "order": "TF"}),
        (("lines_of_action", (6, 6)), {"kind": "planes", "channels": 6}, {"design": "whole"}),
    ],
)
def test_students_of_any_game_are_the_same_in_onnx(
    game: Any, settings: dict[str, Any], student: dict[str, Any], tmp_path: Path
) -> None:
    import onnxruntime

    board = find_game(*game)
    small = settings if settings.get("kind") else {"hidden": settings["width"], "blocks": 1, **settings}
    options = StudentOptions(**student)
    made = build_units(board, options, dict.fromkeys(board.part_names, small))
    shake(made)
    encoder, order = find_encoder(board, options.encoder), order_places(board.part_names, options.order)
    sizes = [board.part_sizes[part] for part in order]
    facts = {"game": board.name, "encoder": encoder.name, "columns": encoder.layout.width, "order": options.order}
    save_student(tmp_path, "student", made, facts)
    check_graph(tmp_path / "student.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "student.onnx")
    rng = np.random.default_rng(0)
    inputs = rng.integers(0, 2, (5, encoder.layout.width)).astype(np.float32)
    given = np.stack([rng.integers(-1, size, 5) for size in sizes[:-1]], axis=1)
    scores, choices = session.run(None, {"inputs": inputs, "given": given})
    expected, wanted = Playing(made)(torch.tensor(inputs), torch.tensor(given))
    assert scores.shape == (5, len(sizes), max(sizes)) and np.array_equal(choices, wanted.numpy())
    for place, size in enumerate(sizes):
        assert close(torch.tensor(scores[:, place, :size]), expected[:, place, :size])
        assert np.allclose(np.exp(scores[:, place, :size]).sum(axis=1), 1.0, atol=1e-4)
        assert (scores[:, place, size:] == -np.inf).all(), "classes that a part lacks have no chance"


def test_a_convolution_sees_the_same_wherever_on_the_board_it_is() -> None:
    """By plain loops: what reaches a cell comes from every other by the step that leads here."""
    board = find_encoder(find_game("konane", (4, 6)), "cells").layout.classes
    block = Spreading(ConvolutionOptions(channels=3, hidden=5), board)
    shake([block])
    channels = torch.randn(3, 2, 24)
    seen = torch.zeros_like(channels)
    for a, b in np.ndindex(24, 24):
        up, right = b // 6 - a // 6, b % 6 - a % 6
        seen[:, :, b] += block.spread[:, (up + 3) * 11 + right + 5, None] * channels[:, :, a]
    units = torch.relu(torch.einsum("hc,cps->hps", block.inner, seen) + block.bias)
    assert torch.allclose(block(channels), channels + torch.einsum("ch,hps->cps", block.outer, units), atol=1e-5)


def test_a_convolution_counts_every_column_once() -> None:
    encoder = find_encoder(find_game("chess"), "bitmap")
    entry = Entry(ConvolutionOptions(channels=2), encoder.extended([64, 5]))
    assert sorted([*entry.columns.tolist(), *entry.others.tolist()]) == list(range(encoder.layout.width + 69))
    assert len(entry.columns) == 13 * 64 and entry.weight.shape == (2, 13)


def test_students_that_ship_do_not_tell_whose_disk_they_come_from() -> None:
    for path in SHIPPED.glob("*.onnx"):
        assert b"site-packages" not in path.read_bytes(), path.name


def test_given_parts_are_obeyed() -> None:
    playing = Playing(units(SMALL))
    inputs = torch.zeros(2, 90)
    own, choices = playing(inputs, torch.full((2, 2), -1))
    same, _ = playing(inputs, choices[:, :2])
    other, _ = playing(inputs, (choices[:, :2] + 1) % 25)
    assert torch.equal(own, same)
    assert torch.equal(own[:, 0], other[:, 0]) and not torch.allclose(own[:, 1], other[:, 1])


@pytest.mark.parametrize(
    ("settings", "student", "message"),
    [
        ({"kind": "residul"}, {}, "did you mean 'residual'"),
        ({"kind": "residual", "layers": 3}, {}, "no option of .network. 'layers'"),
        ({"kind": "residual", "symmetric": True, "width": 210}, {}, "network.width must be a multiple of 25"),
        ({"kind": "residual", "symmetric": True, "batch_norm": True}, {}, "batch_norm does not go"),
        (
            SMALL,
            {"encoder": "integer"},
            "cannot see positions as 'integer'; these it can: rawest, rawer, raw, patterns$",
        ),
        ({"kind": "dense", "head_sees": "some"}, {}, "all or last"),
        (
            {"kind": "dense"},
            {"design": "whole"},
            "needs one of network.kind 'residual', 'convolution', 'planes', not 'dense'",
        ),
        ({"kind": "convolution"}, {}, "^network.kind: a 'convolution' needs a board of rows, and morris says of none"),
        ({"kind": "convolution", "channels": 0}, {}, "network.channels must be from 1 to"),
        ({"dropout": 1.5}, {}, "network.dropout must be from 0 to 0.95"),
        ({"drop_blocks": 1.0}, {}, "network.drop_blocks must be from 0 to 0.95"),
        ({"kind": "dense", "drop_blocks": 0.1}, {}, "no option of .network. 'drop_blocks'"),
        (SMALL, {"design": "hole"}, "did you mean 'whole'"),
    ],
)
def test_bad_settings_are_told(settings: dict[str, Any], student: dict[str, Any], message: str) -> None:
    with pytest.raises((BadOption, UnknownName), match=message):
        units(settings, **student)


@pytest.mark.parametrize(
    ("game", "student", "message"),
    [
        ("chess", {}, "^network.symmetric: chess has no symmetries that the weights of a network could share$"),
        ("konane", {"encoder": "features"}, "cannot see positions as 'features'; these it can: cells$"),
        ("konane", {"encoder": "bitmap"}, "encoder for konane 'bitmap'"),
        ("lines_of_action", {"order": "TFR"}, "'TFR' is not an order of the letters F, T$"),
    ],
)
def test_what_a_game_does_not_have_is_refused(game: str, student: dict[str, Any], message: str) -> None:
    board = find_game(game)
    networks = {part: {**SMALL, "width": 65} for part in board.part_names}
    with pytest.raises((BadOption, UnknownName), match=message):
        build_units(board, StudentOptions(**student), networks)


@pytest.mark.parametrize(
    ("game", "student", "message"),
    [
        ("morris", {"presence": ("form",)}, "^no student.presence 'form'; did you mean 'from'"),
        ("morris", {"presence": ("from",), "design": "whole"}, "^student.presence: .* in the design 'cascade' alone$"),
        ("konane", {"presence": ("to",)}, "^student.presence: no move of konane lacks its 'to'$"),
        ("chess", {"presence": ("from",)}, "^student.presence: no move of chess lacks its 'from'$"),
    ],
)
def test_whose_presence_cannot_be_asked_is_refused(game: str, student: dict[str, Any], message: str) -> None:
    with pytest.raises((BadOption, UnknownName), match=message):
        check_student(find_game(game), StudentOptions(**student), [])


def test_whether_and_which_are_two_networks_that_learn_apart() -> None:
    """Of 25 classes the first is what one network says, and the others are shared out by the other."""
    to, origin, remove = units({"kind": "feedforward", "layers": [20]}, presence=("from", "remove"))
    assert not isinstance(to.network, Separated)
    assert isinstance(origin.network, Separated) and isinstance(remove.network, Separated)
    inputs, before = torch.rand(6, 90), [torch.zeros(6, dtype=torch.int64)]
    logits = origin.logits(1, inputs, before)
    assert logits.shape == (6, 25) and torch.allclose(logits.exp().sum(dim=1), torch.ones(6))
    shown = torch.cat([inputs, torch.eye(25)[before[0]]], dim=1)
    there, which = (network(shown).softmax(dim=1) for network in (origin.network.presence, origin.network.position))
    assert there.shape[1] == 2 and which.shape[1] == 24
    assert torch.allclose(logits[:, 0].exp(), there[:, 0]) and torch.allclose(logits[:, 1:].exp(), there[:, 1:] * which)
    torch.nn.functional.cross_entropy(logits, torch.zeros(6, dtype=torch.int64)).backward()
    moved = [
        max(float(weight.grad.abs().max()) for weight in network.parameters() if weight.grad is not None)
        for network in (origin.network.presence, origin.network.position)
    ]
    assert moved[0] > 1e-3 > 1e-6 > moved[1], "where there is no part, nothing is learned of which one it is"


def test_a_convolution_needs_to_know_where_cells_lie() -> None:
    board = find_game("chess")
    networks = {part: {"kind": "convolution"} for part in board.part_names}
    with pytest.raises(BadOption, match=r"a 'convolution' cannot see positions as 'features'; these it can: bitmap$"):
        build_units(board, StudentOptions(encoder="features"), networks)


def test_planes_know_on_all_cells_what_they_learned_on_one() -> None:
    chess, options = find_game("chess"), PlanesOptions(channels=5, blocks=0)
    planes = Planes(options, find_encoder(chess, "bitmap"), (64, 64, 5), (8, 8)).eval()
    boards = torch.zeros(2, 780)
    boards[0, 64 * 3 + 27] = boards[1, 64 * 3 + 36] = 1.0  # a rook on d4, and on e5: a rank and a file further
    one, other = planes.hidden(boards)
    assert torch.allclose(one[:, :-1, :-1], other[:, 1:, 1:], atol=1e-6) and not torch.allclose(one, other)
    for weight in planes.parameters():
        torch.nn.init.normal_(weight, std=0.3)
    hidden = planes.hidden(boards)
    here, there = (planes.logits(1, hidden, [torch.tensor([cell, cell])]) for cell in (27, 3))
    assert here.shape == (2, 64) and not torch.allclose(here, there), "where one goes depends on where one comes from"
    facts = boards.clone()
    facts[:, 768] = 1.0
    assert not torch.allclose(planes.hidden(facts), hidden), "who may castle is no cell, and seen all the same"


@pytest.mark.parametrize(
    ("game", "student", "message"),
    [
        ("morris", {"design": "whole"}, "needs a board of rows and columns and inputs about its cells, which morris"),
        ("chess", {"design": "whole", "encoder": "features"}, "which chess seen as 'features' does not have"),
        ("chess", {}, "'planes' needs student.design 'whole'"),
    ],
)
def test_who_sees_no_planes_is_refused(game: str, student: dict[str, Any], message: str) -> None:
    with pytest.raises(BadOption, match=message):
        check_student(find_game(game), StudentOptions(**student), [PlanesOptions()])
    networks = {part: {"kind": "planes"} for part in find_game(game).part_names}
    with pytest.raises(BadOption, match="planes"):
        build_units(find_game(game), StudentOptions(**student), networks)


def test_orders() -> None:
    assert order_places(MORRIS.part_names, "RFT") == (2, 1, 0)
    assert order_places(("from", "to"), "TF") == (1, 0)
    with pytest.raises(BadOption, match="'TTR' is not an order of the letters T, F, R"):
        order_places(MORRIS.part_names, "TTR")
    assert network_options({}).blocks == 10
