"""Tables of positions: sampled from games, each once, written as they come; and other files read as tables."""

from __future__ import annotations

import bz2
import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from tests.games.chess.test_pgn_chess import BROKEN, GAMES, saved
from understudy.cli import commands
from understudy.errors import BadOption, FileError, UnderstudyError, UnknownName
from understudy.games import find_game
from understudy.games.batches import unstacked
from understudy.games.chess import notation as chess_notation
from understudy.games.chess.batches import placement_keys, quiet
from understudy.games.chess.fen import write_fens
from understudy.games.chess.records.pgn import read_games
from understudy.games.chess.records.positions import load_positions, save_positions
from understudy.games.chess.records.sampling import Sampling, sample_pgn
from understudy.games.chess.records.sources import gather, kind_of, survey_file, survey_text
from understudy.games.chess.records.wanted import Wanted
from understudy.players import make_player

CHESS = find_game("chess")
ALL = Sampling(per_game=0, from_ply=0)


def long_games(folder: Path, count: int = 40) -> Path:
    """Write random games of 60 plies as PGN."""
    rng, texts = np.random.default_rng(5), []
    for number in range(count):
        position, words = CHESS.start(), []
        for ply in range(60):
            legal = CHESS.moves(position)
            if not legal:
                break
            move = legal[rng.integers(len(legal))]
            words.append((f"{ply // 2 + 1}. " if ply % 2 == 0 else "") + CHESS.write_move(position, move))
            position = CHESS.play(position, move)
        texts.append(f'[Event "{number}"]\n[Result "1/2-1/2"]\n\n{" ".join(words)} 1/2-1/2\n')
    return saved(folder, "\n".join(texts), "long.pgn")


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return long_games(tmp_path_factory.mktemp("games"))


def positions_of(path: Path) -> dict[int, list[str]]:
    """The FENs of each game in which somebody moved."""
    texts = {}
    for game in read_games(path):
        position, texts[game.number] = game.start, []
        for move in game.moves:
            texts[game.number].append(CHESS.write(position))
            position = CHESS.play(position, move)
    return texts


def test_all_positions_of_games_once_each(tmp_path: Path) -> None:
    source, target = saved(tmp_path, GAMES), tmp_path / "t.parquet"
    sampled = sample_pgn(source, target, ALL)
    table = load_positions(target)
    wanted = positions_of(source)
    seen, expected = set(), []
    for number, fens in wanted.items():
        for fen in fens:
            if (key := " ".join(fen.split()[:2])) not in seen:
                expected.append((number, fen))
            seen.add(key)
    assert list(zip(table.game.tolist(), write_fens(table.positions), strict=True)) == expected
    assert (sampled.games, sampled.positions, sampled.doubles) == (4, len(expected), 16 - len(expected))
    assert table.source.tolist() == ["games"] * len(expected)
    assert list(dict.fromkeys(table.result.tolist())) == ["1-0", "1/2-1/2", "0-1"]
    assert table.ply.tolist() == [position.ply for position in unstacked(table.positions)]
    assert table.kind is table.score is table.best is None
    assert table.facts["rows"] == str(len(table))


def test_the_columns_are_those_of_all_tables(tmp_path: Path) -> None:
    sample_pgn(saved(tmp_path, GAMES), tmp_path / "t.parquet", ALL, source="club")
    schema = pq.read_schema(tmp_path / "t.parquet")
    names = pa.dictionary(pa.int32(), pa.string())
    assert {field.name: field.type for field in schema} == {
        "game": pa.int32(), "ply": pa.int16(), "source": names, "result": names, "fen": pa.string(),
    }  # fmt: skip
    assert load_positions(tmp_path / "t.parquet").source[0] == "club"


def test_options_of_sampling(tmp_path: Path, games: Path) -> None:
    wanted, target = positions_of(games), tmp_path / "t.parquet"

    def sampled(**options: object) -> dict[int, list[int]]:
        sample_pgn(games, target, Sampling(**options))  # type: ignore[arg-type]
        table = load_positions(target)
        for number, fen in zip(table.game.tolist(), write_fens(table.positions), strict=True):
            assert fen in wanted[number]
        assert len(np.unique(placement_keys(table.positions))) == len(table)
        plies: dict[int, list[int]] = {}
        for number, ply in zip(table.game.tolist(), table.ply.tolist(), strict=True):
            plies.setdefault(number, []).append(ply)
        return plies

    few = sampled(per_game=3, from_ply=10, to_ply=40)
    assert set(few) == set(wanted)
    assert all(
        len(plies) <= 3 and plies == sorted(plies) and 10 <= plies[0] <= plies[-1] <= 40 for plies in few.values()
    )
    assert few == sampled(per_game=3, from_ply=10, to_ply=40)
    assert few != sampled(per_game=3, from_ply=10, to_ply=40, seed=1)
    assert all(ply % 7 == 3 for plies in sampled(per_game=0, from_ply=3, every=7).values() for ply in plies)
    assert len(sampled(per_game=0, every=7, from_ply=3)[1]) == 9
    sampled(per_game=0, quiet=True)
    assert quiet(load_positions(target).positions).all()
    assert sum(len(plies) for plies in sampled(per_game=0, most=100).values()) == 100


def test_stray_positions_are_one_move_away_and_marked(tmp_path: Path, games: Path) -> None:
    wanted, target = positions_of(games), tmp_path / "t.parquet"
    sample_pgn(games, target, Sampling(per_game=10, stray=0.4))
    table = load_positions(target)
    astray = table.source == "long+stray"
    assert 0.3 < astray.mean() < 0.5 and set(table.source[~astray].tolist()) == {"long"}
    for number, fen, far in zip(table.game.tolist(), write_fens(table.positions), astray.tolist(), strict=True):
        ply = CHESS.read(fen).ply
        if far:
            before = CHESS.read(wanted[number][ply - 1])
            assert fen in [CHESS.write(CHESS.play(before, move)) for move in CHESS.moves(before)]
        else:
            assert fen == wanted[number][ply]


def test_a_player_goes_on_from_positions(tmp_path: Path, games: Path) -> None:
    target, game, limits = tmp_path / "t.parquet", find_game("chess"), {"from_ply": 20, "to_ply": 40}
    options = Sampling(per_game=2, play_on="searcher:depth=1", play_on_plies=3, **limits)  # type: ignore[arg-type]
    sampled = sample_pgn(games, target, options)
    table = load_positions(target)
    reached = table.source == "long+played"
    assert 2.5 < reached.sum() / (~reached).sum() <= 3 and sampled.positions == len(table)
    by_game = {number: set(fens) for number, fens in positions_of(games).items()}
    player, fens = make_player("searcher:depth=1", game), write_fens(table.positions)
    onward = set[str]()
    for fen, number, far in zip(fens, table.game.tolist(), reached.tolist(), strict=True):
        assert far or fen in by_game[number]
        position = game.read(fen)
        onward.add(game.write(game.play(position, player.choose([position])[0].move)))
    assert {fen for fen, far in zip(fens, reached.tolist(), strict=True) if far} <= onward
    with pytest.raises(BadOption, match="play_on_plies 6 needs a player"):
        sample_pgn(games, target, Sampling(play_on_plies=6))
    with pytest.raises(UnknownName, match="no player 'nobody'"):
        sample_pgn(games, target, Sampling(play_on="nobody"))


def _after(position: Any) -> list[Any]:
    """Return what one move leads to, where the game goes on."""
    game = find_game("chess")
    return [after for move in game.moves(position) if game.outcome(after := game.play(position, move)) is None]


def test_successors_are_taken_instead_of_positions(tmp_path: Path, games: Path) -> None:
    target, game = tmp_path / "t.parquet", find_game("chess")
    limits: dict[str, Any] = {"per_game": 1, "from_ply": 20, "to_ply": 40, "seed": 2}
    sample_pgn(games, target, Sampling(**limits))
    parents = load_positions(target)
    after = {position for fen in write_fens(parents.positions) for position in _after(game.read(fen))}
    tables = {}
    for most in (0, 3):
        sample_pgn(games, target, Sampling(successors=most, **limits))
        tables[most] = load_positions(target)
        assert set(tables[most].source.tolist()) == {"long+successors"}
        assert set(tables[most].game.tolist()) == set(parents.game.tolist())
    assert {game.read(fen) for fen in write_fens(tables[0].positions)} == after
    assert {game.read(fen) for fen in write_fens(tables[3].positions)} < after and len(tables[3]) <= 3 * len(parents)


def test_sampling_that_cannot_be(tmp_path: Path) -> None:
    source, target = saved(tmp_path, GAMES), tmp_path / "t.parquet"
    for name, value in (("stray", 1.5), ("every", 0), ("per_game", -1), ("successors", -1)):
        with pytest.raises(BadOption, match=f"sampling: {name}"):
            sample_pgn(source, target, Sampling(**{name: value}))  # type: ignore[arg-type]
    with pytest.raises(FileError, match="gives no positions: 4 games, 4 of them not wanted"):
        sample_pgn(source, target, ALL, wanted=Wanted(rating_from=3000))
    with pytest.raises(FileError, match="is not legal"):
        sample_pgn(saved(tmp_path, "1. e5 *\n", "b.pgn"), target, ALL)
    assert list(tmp_path.glob("*.parquet")) == list(tmp_path.glob(".*.tmp")) == []


CSV = """fen,eval_white,source
rnbqk2r/pppp1ppp/5n2/2b1p3/2B1P3/2N4P/PPPP1PP1/R1BQK1NR b KQkq - 0 4,-68,A
rnbq1rk1/pppp1ppp/5n2/2b1p3/2B1P3/2N4P/PPPP1PP1/R1BQK1NR w KQ - 1 5,+36,A
4k3/8/8/8/8/8/8/8 w - - 0 1,+1,A
rnbq1rk1/pppp1ppp/5n2/2b1p3/2B1P3/P1N4P/1PPP1PP1/R1BQK1NR b KQ - 0 5,#+3,A
rnbq1rk1/pppp1ppp/5n2/2b1p3/2B1P3/P1N4P/1PPP1PP1/R1BQK1NR b KQ - 0 5,good,A
too,many,columns,here
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1,0,A
rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1,#-5,B
"""


@pytest.mark.parametrize("packed", [False, True])
def test_evaluations_are_turned_to_the_mover_and_cut_into_games(tmp_path: Path, packed: bool) -> None:
    path = saved(tmp_path, bz2.compress(CSV.encode()) if packed else CSV, "evals.csv.bz2" if packed else "evals.csv")
    table = load_positions(path)
    assert table.kind is not None and table.score is not None and table.best is not None
    assert table.score.tolist() == [68, 36, -3, 0, 5]
    assert table.kind.tolist() == ["cp", "cp", "mate", "cp", "mate"]
    assert table.pawns().tolist() == [0.68, 0.36, -20.0, 0.0, 20.0]
    assert table.game.tolist() == [1, 1, 1, 2, 3]
    assert table.source.tolist() == ["A", "A", "A", "A", "B"] and set(table.result) == {"*"}
    complaints = [str(complaint) for complaint in table.complaints]
    assert len(complaints) == 3 and "line 4" in complaints[0] and "no king" in complaints[0]
    assert (
        "line 6" in complaints[1]
        and "'good'" in complaints[1]
        and "line 7" in complaints[2]
        and "4 columns, not 3" in complaints[2]
    )
    late = load_positions(saved(tmp_path, CSV + "\n\nx,0,A\n", "late.csv"))
    assert str(late.complaints[-1]).startswith(f"{tmp_path / 'late.csv'}, line 12: chess position 'x'")


def test_engines_take_turns_within_a_game(tmp_path: Path) -> None:
    fens = ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"]  # fmt: skip
    later = [fen[:-1] + "9" for fen in fens]
    rows = [(fens[0], "X", "1-0"), (fens[1], "Y", "1-0"), (later[0], "X", "1-0"), (later[1], "Z", "1-0"),
            (fens[0], "Z", "1-0"), (fens[1], "Z", "0-1")]  # fmt: skip
    lines = [f"{fen},{number},e2e4,{result},{engine}" for number, (fen, engine, result) in enumerate(rows)]
    table = load_positions(saved(tmp_path, "\n".join(["fen,eval_white_cp,move_uci,result,engine", *lines]), "e.csv"))
    assert table.game.tolist() == [1, 1, 1, 2, 3, 4]
    assert table.result.tolist()[0] == "1-0" and table.best is not None and table.best[0] == "e2e4"


def test_lists_of_fens_and_epds(tmp_path: Path) -> None:
    text = """# a book
rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1
1rbq1rk1/p1b1nppp/1p2p3/8/1B1pN3/P2B4/1P3PPP/2RQ1R1K w - - bm Nf6+; id "position 01";

8/8/8/8 w - - bm e4;
"""
    table = load_positions(saved(tmp_path, text, "book.epd"))
    assert table.ply.tolist() == [1, 0] and table.game.tolist() == [1, 2] and table.source.tolist() == ["book"] * 2
    assert "line 5" in str(table.complaints[0])
    with pytest.raises(FileError, match="holds no positions"):
        load_positions(saved(tmp_path, "hello\n", "x.txt"))


def test_tables_are_saved_and_loaded(tmp_path: Path) -> None:
    table = load_positions(saved(tmp_path, CSV, "evals.csv"))
    save_positions(table, tmp_path / "t.parquet")
    again = load_positions(tmp_path / "t.parquet")
    for name in ("game", "ply", "source", "result", "kind", "score", "best"):
        assert getattr(again, name).tolist() == getattr(table, name).tolist()
    assert unstacked(again.positions) == unstacked(table.positions)


def test_near_mates_are_worth_more_than_far_ones(tmp_path: Path) -> None:
    table = load_positions(saved(tmp_path, CSV, "e.csv"))
    kinds, scores = np.array(["cp", "cp", "mate", "mate", "mate", "mate", "mate"]), [150, 9000, 50, 7, 1, -2, 0]
    changed = table.taken(np.zeros(7, np.int64))
    changed = dataclasses.replace(changed, kind=kinds, score=np.array(scores, np.int32))
    assert changed.worth().tolist() == [1.5, 40, 40, 106, 118, -116, -120]
    assert np.clip(changed.worth(), -20, 20).tolist() == changed.pawns().tolist() == [1.5, 20, 20, 20, 20, -20, -20]


def test_bad_tables(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"fen": ["x"], "game": [1], "ply": [1], "source": ["s"], "result": ["*"]}), path)
    table = load_positions(path)
    assert len(table) == 0 and "row" not in str(table.complaints[0]) and "line 1" in str(table.complaints[0])
    pq.write_table(pa.table({"fen": ["x"], "game": ["one"]}), path)
    with pytest.raises(FileError, match="column 'game' holds string"):
        load_positions(path)
    pq.write_table(pa.table({"fen": ["x"]}), path)
    with pytest.raises(FileError, match="no column 'game'"):
        load_positions(path)
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(FileError, match="cannot be read"):
        load_positions(path)
    with pytest.raises(UnderstudyError, match="No such file"):
        load_positions(tmp_path / "nothing")
    gather(saved(tmp_path, GAMES), path)
    with pytest.raises(FileError, match="without labels"):
        load_positions(path).pawns()


def test_real_files_are_read_whole(shared: Path) -> None:
    folder = shared / "data" / "chess"
    if not folder.exists():
        pytest.skip("no shared chess data beside the repository")
    table = load_positions(folder / "r2dev2_stockfish_evals.csv.bz2")
    assert len(table) == 145_270 and not table.complaints and 1500 < table.game[-1] < 4000
    assert table.kind is not None and (table.kind == "cp").sum() == 143_309
    assert table.score is not None and table.score[:2].tolist() == [68, 36]


def test_kinds_of_files(tmp_path: Path) -> None:
    assert kind_of(saved(tmp_path, GAMES, "a.txt")) == "pgn"
    assert kind_of(saved(tmp_path, "1. e4 *", "a.pgn.bz2")) == "pgn"
    assert kind_of(saved(tmp_path, CSV, "a.txt")) == "csv"
    assert kind_of(saved(tmp_path, chess_notation.write(CHESS.start()), "a.txt")) == "list"
    gather(saved(tmp_path, GAMES), tmp_path / "t.parquet")
    assert kind_of(tmp_path / "t.parquet") == "table"
    with pytest.raises(BadOption, match="nothing to sample from"):
        gather(tmp_path / "t.parquet", tmp_path / "u.parquet", Sampling(stray=0.5))
    with pytest.raises(BadOption, match="cannot be chosen by rating"):
        gather(tmp_path / "t.parquet", tmp_path / "u.parquet", wanted=Wanted(rating_from=1))


def test_sample_and_data_at_the_command_line(tmp_path: Path) -> None:
    runner, source = CliRunner(), str(saved(tmp_path, GAMES + "\n" + BROKEN))
    target = str(tmp_path / "t.parquet")
    done = runner.invoke(commands, ["sample", source, target, "--from-ply", "0", "--per-game", "2", "--seed", "1"])
    assert done.exit_code == 0, done.output
    count = len(load_positions(Path(target)))
    assert f"wrote {count} positions from 9 games (0 not wanted, 4 broken)" in done.output and 5 <= count <= 10
    assert "Ill - Egal" in done.output and "4 were passed over" in done.output
    shown = runner.invoke(commands, ["data", source])
    assert "games: 9" in shown.output and "broken: 4" in shown.output and "openings by ECO: " in shown.output
    shown = runner.invoke(commands, ["data", target])
    assert f"positions: {count}" in shown.output and "labelled: False" in shown.output
    shown = runner.invoke(commands, ["data", str(saved(tmp_path, CSV, "e.csv")), "--json"])
    assert '"classes": {"Losing": 0.2, "Draw": 0.6, "Winning": 0.2}' in shown.output
    wrong = runner.invoke(commands, ["sample", source, "t.csv"])
    assert isinstance(wrong.exception, BadOption) and "must end in .parquet" in str(wrong.exception)


def test_watched_games_are_sampled(tmp_path: Path) -> None:
    runner, run = CliRunner(), str(tmp_path / "run")
    play = ["watch", "chess", "--teacher", "searcher:depth=1", "--opponent", "random", "--games", "4", "--run", run]
    done = runner.invoke(commands, [*play, "--ply-limit", "60", "--opening-plies", "6", "--workers", "1"])
    assert done.exit_code == 0, done.output
    target = tmp_path / "t.parquet"
    done = runner.invoke(commands, ["sample", f"{run}/records.parquet", str(target), "--per-game", "5"])
    assert done.exit_code == 0, done.output
    table = load_positions(target)
    assert len(table) == 20 and len(set(table.game.tolist())) == 4
    assert set(table.result.tolist()) <= {"1-0", "0-1", "1/2-1/2", "*"}
    assert len({fen.split()[0] for fen in write_fens(table.positions)}) == 20
    wrong = runner.invoke(commands, ["watch", "nothing.toml", "--games", "4"])
    assert "--games is for watching a game" in str(wrong.exception)
    for arguments, name in ((["--set", "watch.seed=1"], "--set"), (["--quick"], "--quick")):
        wrong = CliRunner().invoke(commands, ["watch", "chess", *arguments])
        assert str(wrong.exception) == f"{name} is for the file of an experiment; 'chess' is a game"


def test_labels_of_mixed_limits_are_told(tmp_path: Path) -> None:
    """Tables put together keep what each label was made with; files of others may say a depth for each row."""
    sample_pgn(saved(tmp_path, GAMES), tmp_path / "bare.parquet", ALL)
    bare = load_positions(tmp_path / "bare.parquet")
    half = len(bare) // 2
    pieces = []
    for limit, rows in (("depth 6", slice(0, half)), ("depth 8", slice(half, None))):
        part = bare.taken(rows)
        count = len(part)
        labels = {"kind": np.full(count, "cp"), "score": np.zeros(count, np.int32), "best": np.full(count, "")}
        facts = {"engine": "Fake 1", "limit": f"{limit}, Hash 1, one thread"}
        save_positions(dataclasses.replace(part, facts=facts, **labels), tmp_path / "part.parquet")
        pieces.append(pq.read_table(tmp_path / "part.parquet"))
    assert load_positions(tmp_path / "part.parquet").limits() == {"depth 8": len(bare) - half}
    mixed = tmp_path / "mixed.parquet"
    pq.write_table(pa.concat_tables(pieces), mixed)
    facts = survey_file(mixed).facts
    assert (facts["limits"], facts["mixed"]) == ({"depth 8": len(bare) - half, "depth 6": half}, True)
    assert "mixed limits" in survey_text(survey_file(mixed))
    assert not survey_file(tmp_path / "part.parquet").facts["mixed"]
    assert "mixed limits" not in survey_text(survey_file(tmp_path / "part.parquet"))
    numbered = (
        pa.concat_tables(pieces).drop_columns(["limit"]).append_column("depth", pa.array([7, *[9] * (len(bare) - 1)]))
    )
    pq.write_table(numbered, mixed)
    assert load_positions(mixed).limits() == {"depth 7": 1, "depth 9": len(bare) - 1}
    text = "fen,eval,depth\n" + "".join(
        f"{fen},+10,{depth}\n" for depth, fen in enumerate(write_fens(bare.positions), 1)
    )
    (tmp_path / "mixed.csv").write_text(text)
    assert load_positions(tmp_path / "mixed.csv").limits()["depth 2"] == 1
    (tmp_path / "mixed.csv").write_text(text.replace(",2\n", ",deep\n"))
    assert "depth 2" not in load_positions(tmp_path / "mixed.csv").limits()
