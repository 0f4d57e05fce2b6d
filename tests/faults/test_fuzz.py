"""The table of all readers with inputs that are right, and their short fuzzing; `tests.faults.fuzz` tries longer."""

from __future__ import annotations

import atexit
import bz2
import contextlib
import functools
import io
import json
import math
import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.faults.effort import times
from tests.faults.fuzz import Reader, fuzz
from tests.faults.tally import tally
from understudy.games import CompiledGame, find_game
from understudy.tensors import load_arrays, save_arrays

if TYPE_CHECKING:
    from understudy.players.programs.door import Door

BOARDS: dict[str, tuple[str, tuple[int, int] | None]] = {
    "morris": ("morris", None),
    "konane": ("konane", (6, 6)),
    "konane_12": ("konane", (12, 12)),
    "lines_of_action": ("lines_of_action", None),
    "chess": ("chess", None),
}
GAMES = tuple(name for name in BOARDS if name != "konane_12")
FENS = (
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 5 9",
    "8/P7/8/8/2k5/8/4K3/8 w - - 99 80",
    "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
)
PGN = b"""[Event "A"]
[Site "?"]
[Date "2020.05.01"]
[White "X"]
[Black "Y"]
[WhiteElo "2000"]
[BlackElo "1900"]
[Result "1-0"]

1. e4 e5 2. Nf3 {good} Nc6 (2... d6 3. d4) 3. Bb5 $1 a6 4. Bxc6 dxc6 5. O-O 1-0

[Event "B"]
[FEN "8/P7/8/8/2k5/8/4K3/8 w - - 0 1"]
[SetUp "1"]
[Result "*"]

1. a8=Q *
"""
NNMM = b"OMOMOOOMMOMOEOOEEMMOOMEO0084-b6d6d3\nEEEEEEEEEEEEEEEEEEEEEEEE9900-d2\n"
SIDECAR = (
    b"trainset: 1384\tbatch_size: 200\tvalset: 81\ttestset: 162\nresnet\t200, 10 x 300 (x2)\n"
    b"input\t115\tbinary rawest\tRFT\noutput\tFROM\t25\ndropout\t0.1\t0.1\nbatch normalization\tno\n"
    b"regularization\tl1\t0.001\nLr\t0.002\tkappa\t0.01\nb1\t0.99\nb2\t0.999\nep:\t10000\tpat:\t50\n"
    b"1\t2.269097\t1.616684\t39.80\t49.60\tBetter!\n2\t1.769318\t1.525035\t49.85\t49.53\n"
    b"TIME OCCURRED: 33.01 seconds\nTest:\t 0.759916\t67.938256\nValidation:\t 0.750579\t68.381369\n"
)
EPD = b'r1bqk2r/ppp2ppp/2n5/4P3/2Bp2n1/5N1P/PP1N1PP1/R2Q1RK1 b kq - bm Qh4; id "a.1"; c0 "Qh4=10, O-O=3";\n'
CSV = f"fen,evaluation,best,kind\n{FENS[0]},+0.31,e2e4,cp\n{FENS[1]},#3,e1g1,mate\n".encode()


@functools.cache
def room() -> Path:
    """Return a folder for the files that are read, in memory where there is such a place."""
    shared = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="understudy-fuzz-", dir=shared if shared.is_dir() else None))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def in_file(name: str, read: Callable[[Path], object]) -> Callable[[bytes], object]:
    """Return a reader of bytes from a reader of files."""

    def read_bytes(data: bytes) -> object:
        path = room() / name
        path.write_bytes(data)
        return read(path)

    return read_bytes


def as_text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    """Return a reader of bytes from one of text; what is no UTF-8 becomes the odd letters that arguments have then."""
    return lambda data: read(data.decode("utf-8", "surrogateescape"))


@functools.cache
def board(name: str) -> CompiledGame:
    return find_game(*BOARDS[name])


def played(game: CompiledGame, plies: int, seed: int) -> tuple[list[Any], list[str]]:
    """Return the positions and moves of a random game."""
    rng, positions, texts = np.random.default_rng(seed), [game.start()], list[str]()
    while len(texts) < plies and (moves := game.moves(positions[-1])):
        move = int(rng.choice(moves))
        texts.append(game.write_move(positions[-1], move))
        positions.append(game.play(positions[-1], move))
    return positions, texts


def position_seeds(name: str) -> list[bytes]:
    game = board(name)
    return [game.write(played(game, plies, plies)[0][-1]).encode() for plies in (0, 3, 10, 30)]


def read_position(name: str, text: str) -> object:
    game = board(name)
    position = game.read(text)
    game.write(position), game.status(position), game.key(position), game.drawn(position), game.stones(position)
    return game.outcome(position), game.moves(position)


def move_seeds(name: str) -> list[bytes]:
    return [" ".join(played(board(name), plies, plies)[1]).encode() for plies in (1, 2, 6, 20)]


def read_moves(name: str, text: str) -> object:
    from understudy.match import Opening, begin
    from understudy.saved import play_texts

    course = begin(board(name), Opening((), None))
    return play_texts(board(name), course, text.split(" "))


def record_seeds(name: str) -> list[bytes]:
    return [*move_seeds(name), *saved_seeds(name), *([PGN] if name == "chess" else [])]


def read_record(name: str, text: str) -> object:
    from understudy.serve.records import read_record as read

    return read(text, board(name)).to_json()


def saved_seeds(name: str) -> list[bytes]:
    from understudy.match import Opening, begin
    from understudy.saved import SavedGame, play_texts

    game, made = board(name), []
    for plies in (0, 5):
        course = begin(game, Opening((), None))
        play_texts(game, course, played(game, plies, 1)[1])
        course.values = [None] * plies
        made.append(json.dumps(SavedGame(game, dict.fromkeys(game.colours, "human"), course).to_json()).encode())
    return made


def read_saved(path: Path) -> object:
    from understudy.saved import list_moves, load_saved

    saved = load_saved(path)
    return saved.to_json(), list_moves(saved)


def load_records(path: Path) -> object:
    from understudy.records.analysis import analyse, analysis_json
    from understudy.records.store import load_any

    records, _ = load_any(path, on_error="skip")
    return analysis_json(analyse(records))


def table_seeds() -> list[bytes]:
    """Return files of records: text and packed, of a game each."""
    return [_records_file(name, packed=packed) for name in ("morris", "konane", "chess") for packed in (False, True)]


@functools.cache
def _records_file(name: str, *, packed: bool) -> bytes:
    from understudy.records.store import save

    save(_records(name), room() / "seed.parquet", packed=packed)
    return (room() / "seed.parquet").read_bytes()


def _records(name: str) -> Any:
    from understudy.games.batches import stacked
    from understudy.records.store import lone_pairs

    game = board(name)
    positions = played(game, 12, 5)[0][:-1]
    moves = np.array([game.moves(position)[0] for position in positions], np.int32)
    return lone_pairs(game, stacked(positions), moves, source="test")


def metadata_seeds() -> list[bytes]:
    import pyarrow.parquet as pq

    (room() / "seed.parquet").write_bytes(_records_file("konane", packed=False))
    return [pq.read_metadata(room() / "seed.parquet").metadata[b"understudy"]]


def read_metadata(data: bytes) -> object:
    """Read records, and a table of values, whose metadata say something else."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from understudy.records.store import load_notes

    rows = pq.read_table(pa.BufferReader(_records_file("konane", packed=False)))
    pq.write_table(rows.replace_schema_metadata({b"understudy": data}), room() / "meta.parquet")
    load_notes(room() / "meta.parquet")
    return load_records(room() / "meta.parquet")


COLUMN_KINDS = ("string", "int8", "int32", "int64", "float32", "float64", "bool_", "binary", "date32", "large_string")


def column_seeds() -> list[bytes]:
    """Return tables of records and of positions as JSON: name, type and values of each column."""
    records = [
        ["position", "string", ["x"] * 2],
        ["move", "string", ["a1"] * 2],
        ["value", "float32", [0.5, None]],
        ["result", "int8", [1, None]],
        ["game", "int64", [0, 1]],
        ["ply", "int32", [0, 2]],
        ["source", "string", ["s"] * 2],
    ]
    positions = [
        ["fen", "string", list(FENS[:2])],
        ["game", "int32", [0, 1]],
        ["ply", "int16", [3, 4]],
        ["source", "string", ["a"] * 2],
        ["result", "string", ["1-0"] * 2],
        ["kind", "string", ["cp", "mate"]],
        ["score", "int32", [31, 3]],
        ["best", "string", ["e2e4", "e1g1"]],
    ]
    boards = [board("konane").write(position) for position in played(board("konane"), 1, 3)[0]]
    records[0][2] = boards
    return [
        json.dumps(columns).encode()
        for columns in (records, positions, [*records, records[0]], [*positions, positions[0]])
    ]


def read_columns(data: bytes) -> object:
    """Read a table with these columns, as records and as positions; what is no table at all is passed over."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from understudy.errors import UnderstudyError

    try:
        columns = [(str(name), pa.array(values, getattr(pa, str(kind))())) for name, kind, values in json.loads(data)]
        rows = pa.Table.from_arrays([column for _, column in columns], [name for name, _ in columns])
        pq.write_table(rows.replace_schema_metadata({b"understudy": metadata_seeds()[0]}), room() / "columns.parquet")
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError, pa.ArrowException):
        return None
    for load in (load_records, load_positions):
        with contextlib.suppress(UnderstudyError):
            load(room() / "columns.parquet")
    return rows.num_rows


def load_positions(path: Path) -> object:
    from understudy.games.chess.records.examples import load_examples
    from understudy.games.chess.records.positions import load_positions as load

    table = load(path)
    return load_examples([path]) if table.kind is not None and len(table) else len(table)


def label_seeds() -> list[bytes]:
    from tests.games.chess.test_label_examples_chess import table_of
    from understudy.games.chess.records.positions import save_positions

    save_positions(table_of(range(2)), room() / "seed.parquet")
    return [(room() / "seed.parquet").read_bytes()]


def packed_books() -> list[bytes]:
    """Return books of openings inside zips."""
    books = [PGN, "\n".join(FENS).encode(), EPD]
    packed = []
    for name, book in zip(("a.pgn", "b.txt", "c.epd"), books, strict=True):
        whole = io.BytesIO()
        with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(name, book)
        packed.append(whole.getvalue())
    return packed


def load_sidecar(path: Path) -> object:
    from understudy.studies.galassi.sidecar import load_sidecar as load
    from understudy.studies.galassi.sidecar import tell_training

    return tell_training(load(path))


def load_book(path: Path) -> object:
    from understudy.games.chess.judges.openings import load_book as load

    return load(str(path), most=3)


def load_games(path: Path) -> object:
    from understudy.games.chess.judges.quality import load_games as load

    return load(path, most=3)


def load_suite(path: Path) -> object:
    from understudy.games.chess.judges.epd import load_suite as load

    return load(str(path))


def speak_uci(data: bytes) -> object:
    """Say lines to the chess program."""
    from understudy.games.chess.players.uci import ChessDoor
    from understudy.players import make_player

    return say_lines(ChessDoor(board("chess"), make_player("random", board("chess")), replies=io.StringIO()), data)


def speak_sanmill(data: bytes) -> object:
    """Say lines to the program of Morris."""
    from understudy.games.morris.uci import MorrisDoor
    from understudy.players import make_player

    return say_lines(MorrisDoor(board("morris"), make_player("random", board("morris")), replies=io.StringIO()), data)


def hear_sanmill(data: bytes) -> object:
    """Read the answer of a program of Morris."""
    from understudy.games.morris.engine import read_best

    return read_best(b"info score 3 bestmove " + data, ("d6", "a1-a4", "xd7"))


def say_lines(door: Door, data: bytes) -> object:
    """Say lines to a door; `go` is left out, which is tried apart, because it takes its time."""
    from understudy.players.programs.door import read_lines
    from understudy.players.programs.tasks import read_go

    for line in read_lines(io.BytesIO(data)):
        words = (line or "").split()
        if words[:1] == ["go"]:
            read_go(words[1:]).seconds(white=True, overhead=10)
        elif line is not None and not door.hear(line):
            break
    return door.close(10.0)


def hear_socket(data: bytes) -> object:
    from understudy.studies.galassi.socket_player import read_answer
    from understudy.studies.galassi.socket_server import read_turn

    game, turn = board("morris"), read_turn(data)
    while not turn.idle:
        turn = read_turn(turn.rest)
    text = data.decode("ascii", "replace")
    if "O" in text:
        return turn.rest
    return read_answer(text.splitlines(), game.start(), "cells" if "a" in text else "lines")


def experiment_seeds() -> list[bytes]:
    from tests.tiny import TINY, VALUED
    from understudy.config import write_toml

    return [write_toml(settings).encode() for settings in (*TINY.values(), VALUED["konane"])]


def load_experiment(path: Path) -> object:
    from understudy.config import write_toml
    from understudy.lab.experiments import files_of
    from understudy.lab.experiments import load_experiment as load

    made = load(path)
    return write_toml(made.settings), list(files_of(made.settings))


def set_texts() -> list[bytes]:
    return [
        b"watch.regular=3",
        b"training.learning_rate=0.01",
        b'watch.opponents=["random"]',
        b"network.hidden=",
        b"student.order=TFR",
        b"judging.games=2\ntraining.epochs=3",
        b"network.to={width=3}",
        b"experiment.title=a",
    ]


def set_options(text: str) -> object:
    from tests.tiny import IMITATION
    from understudy.config import write_toml
    from understudy.lab.experiments import load_experiment as load

    path = room() / "set.toml"
    if not path.exists():
        path.write_text(write_toml(IMITATION))
    return write_toml(load(path, tuple(text.split("\n"))).settings)


NAMED = (
    b"random",
    b"stochastic:depth=2",
    b"searcher:depth=4,evaluator=q",
    b"searcher:time=0.5",
    b"searcher:nodes=100,ties=random",
    b"student:konane_6",
    b"student:konane_6,depth=2",
    b"student:konane_imitator,check=legal",
    b"perfect",
    b"hybrid:path=konane_imitator,depth=2",
    b"council:path=konane_imitator+konane_imitator,check=legal",
    b"engine:stockfish,depth=8,hash=1",
    b"socket:5802",
    b"human",
    b"openspiel:mcts",
)
REMOTE = ("engine", "socket", "human", "openspiel")
"""Players that would start programs or ask others: of them only the name is read."""


def name_player(text: str) -> object:
    from understudy.players import close, make_player, read_player

    if text.partition(":")[0] in REMOTE:
        return read_player(text, board("chess"))
    game = find_game("konane") if "imitator" in text else board("morris" if text.startswith("nnmm") else "konane")
    return close(make_player(text, game))


def student_seeds(*names: str) -> Callable[[], Sequence[bytes]]:
    from understudy.players.student_files import SHIPPED

    return lambda: [(SHIPPED / name).read_bytes() for name in names]


def play_student(path: Path) -> object:
    """Let whoever is in a file choose a move, on the first board of which it says that it has learned it."""
    from understudy.errors import BadOption, UnderstudyError
    from understudy.players import close, make_player

    refused: UnderstudyError = BadOption("no board at all")
    for name in ("konane_8", "konane_4", *GAMES):
        game = find_game("konane", (int(name[-1]),) * 2) if name[-1] in "48" else board(name)
        try:
            player = make_player(f"student:{path}", game)
        except UnderstudyError as error:
            refused = error
            continue
        choice = player.choose([game.start()], [()])[0]
        close(player)
        return choice
    raise refused


def search_with_student(path: Path) -> object:
    """Make a player whose network, out of a file, judges the leaves of a search; only the first that is allowed."""
    from understudy.errors import UnderstudyError
    from understudy.players import make_player
    from understudy.search.evaluators.layered import Layered

    for side in (8, 4):
        try:
            player = make_player(f"student:{path},nodes=10", find_game("konane", (side, side)))
        except UnderstudyError as error:
            refused = error
            continue
        network: Layered = player.evaluator  # type: ignore[attr-defined]
        assert network.inverse > 0 and np.isfinite(network.net["later"]).all()
        return network
    raise refused


def facts_seeds() -> list[bytes]:
    from understudy.players.student_files import SHIPPED
    from understudy.tensors import load_facts

    evolved = {**load_facts(SHIPPED / "lines_of_action.safetensors")}
    snapshot = {
        "kind": "single",
        "game": "konane",
        "size": "4x4",
        "sizes": [16, 2, 1],
        "representation": "B",
        "depth": 1,
    }
    return [json.dumps(facts).encode() for facts in (evolved, snapshot)]


def read_facts(data: bytes) -> object:
    """Let a student play whose file says something else of itself."""
    from safetensors.numpy import save_file

    from understudy.players.student_files import SHIPPED
    from understudy.tensors import load_arrays

    arrays = dict(load_arrays(SHIPPED / "lines_of_action.safetensors")[0])
    arrays["weights"] = np.zeros(16 * 2 + 2 + 2 + 1, np.float32)
    save_file(arrays, room() / "facts.safetensors", metadata={"understudy": data.decode("utf-8", "replace")})
    return play_student(room() / "facts.safetensors")


def onnx_facts_seeds() -> list[bytes]:
    from understudy.players.student_files import SHIPPED, load_session

    return [json.dumps(dict(load_session(SHIPPED / name)[1])).encode() for name in ("konane_4.onnx",)]


def read_onnx_facts(data: bytes) -> object:
    import onnx

    from understudy.players.student_files import SHIPPED

    model = onnx.load(SHIPPED / "konane_4.onnx")
    for prop in model.metadata_props:
        if prop.key == "understudy":
            prop.value = data.decode("utf-8", "replace")
    path = room() / "facts.onnx"
    onnx.save(model, path)
    return play_student(path)


@functools.cache
def _learning() -> Any:
    import torch

    from understudy.trainers.fitting import TrainingOptions, begin

    unit = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Linear(2, 1))
    learning = begin(unit, TrainingOptions())
    unit(torch.ones(1, 3)).sum().backward()
    learning.optimiser.step()
    return learning


def checkpoint_seeds() -> list[bytes]:
    from understudy.trainers.checkpoints import save_checkpoint

    save_checkpoint(room() / "seed.safetensors", _learning(), "f")
    return [(room() / "seed.safetensors").read_bytes()]


def resume_training(path: Path) -> object:
    from understudy.trainers.checkpoints import resume

    return resume(path, _learning(), "f")


def seeds_of(write: Callable[[Path], object], name: str = "seed.safetensors") -> list[bytes]:
    """Return a file that is right, and without its sum, so that what is changed in it is read."""
    write(room() / name)
    sealed = (room() / name).read_bytes()
    return [
        sealed,
        sealed.replace(b"understudy crc32 ", b"understudy.......").replace(b" of the whole file", b" " * 18),
    ]


def fit_seeds() -> list[bytes]:
    from tests.faults.kept import fitted
    from understudy.trainers.offline import save_fit

    return seeds_of(lambda path: save_fit(path, fitted(3), "f"))


def resume_fit(path: Path) -> object:
    from tests.faults.kept import fitted
    from understudy.trainers.offline import load_fit

    return load_fit(path, fitted(3), "f")


@functools.cache
def _pupil() -> Any:
    from tests.faults.kept import pupil

    return pupil()


def resume_pupil(path: Path) -> object:
    return _pupil().resume(path, "f")


@functools.cache
def _courses() -> tuple[Any, ...]:
    """Return the evolution of a student for each way to evolve."""
    from tests.tiny import tiny
    from understudy.lab.kinds.evolution import Course
    from understudy.lab.run import Run
    from understudy.trainers.evolution import make_evolver

    experiment, courses = tiny("evolution"), []
    (room() / "evolution" / "evolvers").mkdir(parents=True)
    for lesson in experiment.lessons:
        course = Course(Run(experiment, room() / "evolution"), lesson)
        course.evolver = make_evolver(course.stage, lesson.trainer, None)
        courses.append(course)
    return tuple(courses)


def evolution_seeds() -> list[bytes]:
    return [
        seed
        for course in _courses()
        for seed in seeds_of(lambda path, course=course: save_arrays(path, course.evolver.arrays(), {"seconds": 1.5}))  # type: ignore[misc]
    ]


def resume_evolution(data: bytes) -> object:
    from understudy.errors import UnderstudyError

    for course in _courses():
        course.path.write_bytes(data)
        with contextlib.suppress(UnderstudyError):
            course._resume()
    return None


def round_seeds() -> list[bytes]:
    seen = np.arange(3, dtype=np.uint64)
    arrays = {"mine": seen, "theirs": seen, "results": np.zeros(3, np.int8), "alleles": np.zeros(7)}
    return seeds_of(lambda path: save_arrays(path, arrays, {"fingerprint": "f", "seconds": 1.5}))


def load_round(path: Path) -> object:
    from understudy.lab.kinds.schooling import _load_round

    return _load_round(path, 7)


def perceptron_seeds() -> list[bytes]:
    from tests.faults.kept import perceptron_of
    from understudy.search.evaluators.perceptron import save_perceptron

    return seeds_of(lambda path: save_perceptron(perceptron_of(3), path))


def load_perceptron(path: Path) -> object:
    from understudy.search.evaluators.perceptron import load_perceptron as load

    return load(path, 12)


RESUMED: dict[str, tuple[Callable[[], list[bytes]], Callable[[bytes], object]]] = {
    "fit": (fit_seeds, in_file("c.safetensors", resume_fit)),
    "pupil": (lambda: seeds_of(lambda path: _pupil().save(path, "f")), in_file("d.safetensors", resume_pupil)),
    "evolution": (evolution_seeds, resume_evolution),
    "round": (round_seeds, in_file("e.safetensors", load_round)),
}
"""What goes on from arrays: files that are right, and who reads them."""
MOST_NUMBERS = 100_000


def array_seeds() -> list[bytes]:
    """Return what is in such files as JSON: of each array its type, its shape and its first number, then the facts."""
    made = []
    for kind, (seeds, _) in RESUMED.items():
        for seed in seeds():
            (room() / "arrays.safetensors").write_bytes(seed)
            arrays, facts = load_arrays(room() / "arrays.safetensors")
            told = {name: [array.dtype.name, list(array.shape), 1] for name, array in arrays.items()}
            made.append(json.dumps([kind, told, facts]).encode())
    return made


def go_on_from_arrays(data: bytes) -> object:
    """Go on from a file whose arrays are of these types and shapes; what no file can hold is passed over."""
    try:
        kind, told, facts = json.loads(data)
        arrays = {
            str(name): np.full(shape, number).astype(np.dtype(str(dtype)))
            for name, (dtype, shape, number) in told.items()
            if math.prod(shape) < MOST_NUMBERS
        }
        save_arrays(room() / "arrays.safetensors", arrays, dict(facts))
        read = RESUMED[kind][1]
    except Exception:
        return None
    return read((room() / "arrays.safetensors").read_bytes())


def npz_seeds() -> list[bytes]:
    from tests.studies.galassi.test_nnmm_player import layers

    made = []
    for save in (np.savez, np.savez_compressed):
        packed = io.BytesIO()
        save(packed, *layers(0, np.random.default_rng(1)))
        made.append(packed.getvalue())
    for order, part in enumerate(("FROM", "REMOVE"), 1):
        np.savez(room() / f"TFR_{part}.npz", *layers(order, np.random.default_rng(order)))
    return made


def play_npz(path: Path) -> object:
    from understudy.players import close, make_player

    return close(make_player(f"nnmm:{path.with_name('TFR')}", board("morris")))


def part_seeds() -> list[bytes]:
    from tests.faults.kept import write_part

    write_part(room() / "seed.parquet", 1)
    return [(room() / "seed.parquet").read_bytes()]


def read_parts(data: bytes) -> object:
    """Find the parts that earlier labelling has left, and join them."""
    from understudy.games.chess.records.labelling import finished_parts, join_parts

    folder = room() / "parts"
    folder.mkdir(exist_ok=True)
    (folder / "part_0000000000.parquet").write_bytes(data)
    parts = finished_parts(folder)
    return join_parts(parts, room() / "joined.parquet", facts={}, settled=sum(part.settled for part in parts))


PLAN = {"positions": {"files": [["a.pgn", 3, "ab"]], "options": {"seed": 0}}, "engine": "Stockfish", "limit": "depth 8"}


def read_plan(data: bytes) -> object:
    """Ask whether labelling was begun in another way."""
    from understudy.games.chess.records.labelling import _check_target

    folder = room() / "plan"
    folder.mkdir(exist_ok=True)
    (folder / "plan.json").write_bytes(data)
    return _check_target(room() / "nothing.parquet", folder, PLAN)


def plan_seeds() -> list[bytes]:
    from understudy.sums import seal_text

    return [json.dumps(PLAN).encode(), seal_text(json.dumps(PLAN)).encode()]


def endgame_seeds() -> list[bytes]:
    """Return both files of an endgame, each after a line with its name."""
    from tests.faults.kept import write_endgames

    folder = room() / "endgames"
    folder.mkdir(exist_ok=True)
    write_endgames(folder / "any", 1)
    return [path.name.encode() + b"\n" + path.read_bytes() for path in sorted(folder.iterdir())]


def read_endgames(data: bytes) -> object:
    """Read the tables of an endgame, one of whose files says something else."""
    from understudy.games.morris.solving.tables import Tables

    name, _, content = data.partition(b"\n")
    folder, chosen = room() / "endgames", "morris_3v3_plies" if b"plies" in name else "morris_3v3"
    path = folder / f"{chosen}.safetensors"
    kept = path.read_bytes()
    path.write_bytes(content.replace(b"understudy crc32 ", b"understudy.......").replace(b" of the whole", b" " * 13))
    try:
        tables = Tables(folder)
        return tables.summary((3, 3)), tables.plies((3, 3))
    finally:
        path.write_bytes(kept)


def list_sums(data: bytes) -> object:
    """Look for the sum of a file in its publisher's list, and in the note beside it."""
    from dataclasses import replace

    from understudy.fetch.keeping import _listed_sum, _noted_sum
    from understudy.fetch.origins import Copies
    from understudy.fetch.sources import all_sources

    places = {"name": "a/games.pgn", "address": "https://nowhere/games.pgn", "sums": "https://nowhere/sums.txt"}
    source = replace(all_sources()[0], **places, sha256="")  # type: ignore[arg-type]
    (room() / "sums.txt").write_bytes(data)
    (room() / "games.pgn.sha256").write_bytes(data)
    return _noted_sum(room() / "games.pgn"), _listed_sum(source, Copies(room()))


def live_seeds() -> list[bytes]:
    ask = {"game": "konane", "size": "4x4", "player": "random", "position": None}
    orders: list[dict[str, Any]] = [
        {"do": "follow", "topic": "play/a"}, {"do": "follow", "topic": "runs/a"}, {"do": "leave", "topic": "play/a"},
        {"do": "think", "id": "a", "ask": ask}, {"do": "stop", "id": "a"},
    ]  # fmt: skip
    return [json.dumps(order).encode() for order in orders]


def say_live(data: bytes) -> object:
    """Say something on a page's socket; it must still answer afterwards."""
    with _client().websocket_connect("/api/live", headers={"host": "127.0.0.1"}) as socket:
        socket.send_text(data.decode("utf-8", "replace"))
        socket.send_json({"do": "nothing of the kind"})
        while "nothing of the kind" not in (heard := socket.receive_json()).get("error", ""):
            assert heard["event"] in ("error", "state", "thinking", "thought"), heard
    return heard


def value_table_seeds() -> list[bytes]:
    from tests.records.test_tables import small
    from understudy.records.tables import save_table

    save_table(small(), room() / "seed.parquet")
    return [(room() / "seed.parquet").read_bytes()]


def load_value_table(path: Path) -> object:
    from understudy.records.tables import load_table, table_facts

    return table_facts(*load_table(path))


def body_seeds() -> list[bytes]:
    bodies: list[tuple[str, Any]] = [
        ("setup", {"game": "konane", "size": "4x4", "stones": {"a1": "black"}, "turn": "black"}),
        ("setup", {"game": "chess", "stones": {"e1": "K", "e8": "k"}, "turn": "white", "extras": {"castling": 0}}),
        ("think", {"game": "konane", "size": "4", "player": "random", "moves": [], "given": {}, "pictures": True}),
        ("think", {"game": "morris", "player": "searcher:depth=1", "position": None, "turn": "white", "seed": 3}),
        ("truth", {"game": "konane", "size": "4x4", "rules": {}, "position": None}),
        (
            "play",
            {
                "game": "konane",
                "size": "4",
                "players": {"black": "human", "white": "human"},
                "clock": {"seconds": 5},
                "pace": 1,
            },
        ),
        ("play", {"game": "chess", "players": {"white": "human", "black": "human"}, "record": "1. e4 e5"}),
        ("tournaments", {"game": "konane", "size": "4x4", "players": ["random", "nobody"], "games": 2}),
        ("runs", {"experiment": "nothing", "quick": True, "changes": {"training.epochs": 1}, "name": "a"}),
    ]
    return [path.encode() + b"\n" + json.dumps(body).encode() for path, body in bodies]


@functools.cache
def _client() -> Any:
    from starlette.testclient import TestClient

    from understudy.serve.app import make_app

    app = make_app(runs=room() / "runs", games=room() / "games.sqlite", hosts=("127.0.0.1",))
    client = TestClient(app, base_url="http://127.0.0.1")
    client.__enter__()
    return client


@pytest.fixture(scope="module", autouse=True)
def _closed() -> Iterator[None]:
    """Close the server, if there was one: its threads would keep the process."""
    yield
    if _client.cache_info().currsize:
        _client().__exit__(None, None, None)


def post_body(data: bytes) -> object:
    """Send a body to the page's API, and ask about the same position; the server may refuse, and must not fail."""
    path, _, body = data.partition(b"\n")
    name = path.decode("ascii", "ignore").strip()
    name = name if name in ("setup", "think", "truth", "play", "tournaments", "runs") else "truth"
    answer = _client().post(f"/api/{name}", content=body, headers={"content-type": "application/json"})
    assert answer.status_code < 500, answer.text
    return answer.status_code


RUN_KINDS = ("evaluators", "online", "values")
"""Kinds whose tiny runs are made in seconds."""


@functools.cache
def _finished(kind: str) -> Path:
    from tests.tiny import tiny
    from understudy.lab import run

    folder = room() / "finished" / kind
    run(tiny(kind), folder)
    return folder


def run_seeds() -> list[bytes]:
    """Return each text file of finished runs, after a line with its kind and name."""
    return [
        f"{kind}/{path.relative_to(_finished(kind))}\n".encode() + path.read_bytes()
        for kind in RUN_KINDS
        for path in sorted(_finished(kind).rglob("*"))
        if path.suffix in (".json", ".jsonl", ".toml") and path.stat().st_size < 100_000
    ]


def read_run(data: bytes) -> object:
    """Report, summarise, list and describe a run of which one file says something else."""
    from understudy.lab import report
    from understudy.lab.experiments import load_experiment
    from understudy.serve.runs import describe_run, list_runs

    head, _, content = data.partition(b"\n")
    kind, _, name = head.decode("ascii", "ignore").partition("/")
    kind = kind if kind in RUN_KINDS else RUN_KINDS[0]
    folder = room() / "changed" / "run"
    if not folder.exists() or (folder / "kind").read_text() != kind:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(_finished(kind), folder)
        (folder / "kind").write_text(kind)
    names = [str(path.relative_to(folder)) for path in folder.rglob("*") if path.suffix in (".json", ".jsonl", ".toml")]
    name = name if name in names else sorted(names)[0]
    kept = (folder / name).read_bytes()
    (folder / name).write_bytes(content)
    try:
        list_runs(folder.parent)
        describe_run(folder.parent, folder.name)
        report(load_experiment(folder / "experiment.toml"), folder)
    finally:
        (folder / name).write_bytes(kept)
    return None


READERS: tuple[Reader, ...] = (
    *(
        Reader(
            f"position of {name}",
            functools.partial(position_seeds, name),
            as_text(functools.partial(read_position, name)),
        )
        for name in BOARDS
    ),
    *(
        Reader(f"moves of {name}", functools.partial(move_seeds, name), as_text(functools.partial(read_moves, name)), 2)
        for name in GAMES
    ),
    *(
        Reader(
            f"record of {name}", functools.partial(record_seeds, name), as_text(functools.partial(read_record, name)), 4
        )
        for name in GAMES
    ),
    Reader(
        "saved game", lambda: [seed for name in GAMES for seed in saved_seeds(name)], in_file("a.json", read_saved), 4
    ),
    Reader("PGN records", lambda: [PGN], in_file("a.pgn", load_records), 10),
    Reader("NNMM records", lambda: [NNMM], in_file("a.txt", load_records), 10),
    Reader("sidecar of weights", lambda: [SIDECAR], in_file("RFT_FROM.txt", load_sidecar), 2),
    Reader("Parquet records", table_seeds, in_file("a.parquet", load_records), 10),
    Reader("Parquet metadata", metadata_seeds, read_metadata, 10),
    Reader("Parquet columns", column_seeds, read_columns, 10),
    Reader("Parquet positions", label_seeds, in_file("b.parquet", load_positions), 10),
    Reader("table of values", value_table_seeds, in_file("c.parquet", load_value_table), 10),
    Reader("CSV of labels", lambda: [CSV], in_file("a.csv", load_positions), 10),
    Reader("list of FENs", lambda: ["\n".join(FENS).encode()], in_file("b.txt", load_positions), 10),
    Reader("EPD suite", lambda: [EPD], in_file("a.epd", load_suite), 2),
    Reader("packed book", packed_books, in_file("book.zip", load_book), 10),
    Reader("book of games", lambda: [PGN], in_file("book.pgn", load_book), 10),
    Reader("book of lines", lambda: ["\n".join(FENS).encode(), EPD], in_file("book.txt", load_book), 10),
    Reader("games to judge", lambda: [PGN, bz2.compress(PGN)], in_file("games.pgn", load_games), 10),
    Reader(
        "UCI lines",
        lambda: [
            b"uci\nisready\nposition startpos moves e2e4 e7e5\ngo depth 1 wtime 100 winc 5 movestogo 3\n",
            b"setoption name Hash value 5\nposition fen " + FENS[1].encode() + b" moves e1g1\nstop\nucinewgame\n",
            b"go nodes 100 searchmoves e2e4 ponder\nponderhit\nquit\n",
        ],
        speak_uci,
        4,
    ),
    Reader(
        "lines of Sanmill",
        lambda: [
            b"uci\nisready\nsetoption name SkillLevel value 5\nposition startpos moves a1 b2 a4 b4 a7 xb2\ngo\n",
            b"position startpos moves a1 b2 a4 b4 a7\nd\ngo searchmoves xb4\nucinewgame\nquit\n",
        ],
        speak_sanmill,
        4,
    ),
    Reader("Sanmill's answers", lambda: [b"d6", b"a1-a4", b"xd7 ponder d6"], hear_sanmill),
    Reader("socket's lines", lambda: [b"OMEEEEEEEEEEEEEEEEEEEEEE8811\n", b"12\n0\n3\n", b"a4b4\n"], hear_socket),
    Reader("experiment", experiment_seeds, in_file("a.toml", load_experiment), 20),
    Reader("--set", set_texts, as_text(set_options), 20),
    Reader("player", lambda: NAMED, as_text(name_player), 4),
    Reader(
        "safetensors student", student_seeds("lines_of_action.safetensors"), in_file("a.safetensors", play_student), 40
    ),
    Reader("facts of a student", facts_seeds, read_facts, 40),
    Reader("ONNX student", student_seeds("konane_8.onnx", "konane_4.onnx"), in_file("a.onnx", play_student), 40),
    Reader(
        "layers of a student",
        student_seeds("konane_8.onnx", "konane_4.onnx"),
        in_file("g.onnx", search_with_student),
        40,
    ),
    Reader("facts of an ONNX student", onnx_facts_seeds, read_onnx_facts, 40),
    Reader("checkpoint", checkpoint_seeds, in_file("b.safetensors", resume_training), 4),
    Reader("fitted network", fit_seeds, in_file("c.safetensors", resume_fit), 4),
    Reader("pupil", lambda: seeds_of(lambda path: _pupil().save(path, "f")), in_file("d.safetensors", resume_pupil), 4),
    Reader("evolution", evolution_seeds, resume_evolution, 10),
    Reader("arrays to go on from", array_seeds, go_on_from_arrays, 4),
    Reader("round of a school", round_seeds, in_file("e.safetensors", load_round), 2),
    Reader("weights of a perceptron", perceptron_seeds, in_file("f.safetensors", load_perceptron), 2),
    Reader("weights of NNMM", npz_seeds, in_file("TFR_TO.npz", play_npz), 40),
    Reader("part of labels", part_seeds, read_parts, 10),
    Reader("plan of labels", plan_seeds, read_plan, 2),
    Reader("endgames of Morris", endgame_seeds, read_endgames, 20),
    Reader("lists of sums", lambda: [b"ab" * 32 + b"  games.pgn\n" + b"cd" * 32 + b" *b.pgn\n"], list_sums, 2),
    Reader("message of a page", live_seeds, say_live, 20),
    Reader("body of a request", body_seeds, post_body, 20),
    Reader("run folder", run_seeds, read_run, 400),
)
"""All that reads what others wrote."""

INPUTS = int(os.environ.get("UNDERSTUDY_FUZZ", times(12_000, 100_000)))
"""Inputs in all; the short form takes some twenty seconds besides what is compiled and made first."""
WEIGHT = sum(1 / reader.cost for reader in READERS)


@pytest.mark.parametrize("reader", READERS, ids=[reader.name for reader in READERS])
def test_readers_answer_or_say_what_is_wrong(reader: Reader) -> None:
    inputs = max(round(INPUTS / reader.cost / WEIGHT), 4)
    with tally("inputs") as tried:

        def count(number: int) -> None:
            tried.tried = number + 1

        faults = fuzz(reader, inputs, seed=1, tell=count)
        tried.held = tried.tried - len(faults)
    assert not faults, "\n".join(map(str, faults))
