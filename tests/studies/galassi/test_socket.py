"""The socket: positions in, moves out, whatever else clients and servers do."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from tests.conftest import LONG, patiently, random_line, wait_until
from understudy.backends import Local
from understudy.errors import BadOption, EngineError, UnknownName
from understudy.games import find_game
from understudy.games.morris.notation import CELLS, joined
from understudy.judges.tournament import play_match
from understudy.match import Opening, play_games
from understudy.players import close, make_player
from understudy.protocols import Choice
from understudy.studies.galassi.socket_player import read_answer
from understudy.studies.galassi.socket_server import Past, Thinker, read_turn, serve

MORRIS = find_game("morris")
START = b"OOOOOOOOOOOOOOOOOOOOOOOO9900"
OVER = b"MMOOOOOOOOOOOOOOOOOOOEEE0023"
DISAGREEING = b"OOOOOOOOOOOOOOOOOOOOOOOO9911"


@contextmanager
def serving(player: Any = "random", **options: Any) -> Iterator[int]:
    """Yield the port of a server that is stopped afterwards."""
    ready: list[int] = []
    stop, up = threading.Event(), threading.Event()

    def tell(port: int) -> None:
        ready.append(port)
        up.set()

    made = make_player(player, MORRIS, seed=5) if isinstance(player, str) else player
    thread = threading.Thread(
        target=serve, args=(MORRIS, made), kwargs={"port": 0, "ready": tell, "stop": stop, **options}
    )
    thread.start()
    try:
        assert up.wait(LONG)
        yield ready[0]
    finally:
        stop.set()
        thread.join(LONG)
    assert not thread.is_alive()


@contextmanager
def connected(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), timeout=LONG) as client:
        yield client


def lines(client: socket.socket, count: int) -> list[str]:
    heard = b""
    while heard.count(b"\n") < count:
        more = client.recv(4096)
        if not more:
            raise EOFError(heard)
        heard += more
    return heard.decode().splitlines()


def closed(client: socket.socket) -> bool:
    """Tell whether the server hangs up, after reading what it still says."""
    try:
        while client.recv(4096):
            pass
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True


class Scripted:
    """A player that does what a test says."""

    name = "scripted"

    def __init__(self, act: Callable[[Sequence[Any]], list[Choice]]) -> None:
        self.act, self.batches = act, list[int]()

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        self.batches.append(len(positions))
        return self.act(positions)


def first_moves(positions: Sequence[Any]) -> list[Choice]:
    return [Choice(MORRIS.moves(position)[0]) for position in positions]


# What a client sends.


@pytest.mark.parametrize("framing", [b"%s\r\n", b"\x00\x1c%s", b"%s\n", b"%s", b"  \x00\xff\n\n%s", b"hello %s\r\n"])
def test_a_position_is_found_in_any_framing(framing: bytes) -> None:
    with serving() as port, connected(port) as client:
        for _ in range(3):
            client.sendall(framing % START)
            to, origin, removed = map(int, lines(client, 3))
            assert 1 <= to <= 24
            assert (origin, removed) == (0, 0)


def test_a_client_may_hang_up_its_side_after_the_question() -> None:
    with serving() as port, connected(port) as client:
        client.sendall(START + b"\r\n")
        client.shutdown(socket.SHUT_WR)
        assert len(lines(client, 3)) == 3
        assert client.recv(1) == b""


def test_answers_are_to_from_remove() -> None:
    position = MORRIS.read("MMOOOMOOOOOOOOMOOOEOOEEO0043")  # g4 to g7 closes a mill
    with serving("searcher:depth=2") as port, connected(port) as client:
        client.sendall(b"MMOOOMOOOOOOOOMOOOEOOEEO0043\r\n")
        parts = tuple(map(int, lines(client, 3)))
    assert parts[:2] == (CELLS.index("g7") + 1, CELLS.index("g4") + 1)
    assert joined(parts) in MORRIS.moves(position)
    with serving("searcher:depth=2", form="cells") as port, connected(port) as client:
        client.sendall(b"MMOOOMOOOOOOOOMOOOEOOEEO0043\r\n")
        assert lines(client, 1) == ["".join(CELLS[number - 1] for number in parts)]


@pytest.mark.parametrize("pieces", [1, 2, 7, 200])
def test_turns_do_not_depend_on_how_the_bytes_arrive(pieces: int) -> None:
    stream = b"\x00\x1c" + START + b"\r\nGET / HTTP/1.1\r\n\nxx" + START + START + b"\nO" + START + b"\n" + OVER[:20]
    heard, turns = b"", []
    for start in range(0, len(stream), max(len(stream) // pieces, 1)):
        heard += stream[start : start + max(len(stream) // pieces, 1)]
        while not (turn := read_turn(heard)).idle:
            turns.append(turn.text or "complaint")
            heard = turn.rest
        heard = turn.rest
    text = START.decode()
    assert turns == [text, "complaint", text, text, "complaint"]
    assert heard == OVER[:20]


def test_impossible_and_finished_positions_get_one_line_and_the_connection_stays() -> None:
    with serving() as port, connected(port) as client:
        for text, words in (
            (DISAGREEING, "the digits say 1 and 1"),
            (OVER, "the game is over (removing)"),
            (b"MMOE", "expected 24 letters"),
        ):
            client.sendall(text + b"\r\n")
            (answer,) = lines(client, 1)
            assert answer.startswith("error: ")
            assert words in answer
        client.sendall(START + b"\r\n")
        assert len(lines(client, 3)) == 3


def test_endless_garbage_closes_that_connection_only() -> None:
    with serving(most_garbage=512) as port, connected(port) as good, connected(port) as bad:
        bad.sendall(b"\xff" * 2000)
        assert closed(bad)
        good.sendall(START)
        assert len(lines(good, 3)) == 3
        for _ in range(20):  # many positions are never too many bytes
            good.sendall(START + b"\r\n")
            lines(good, 3)


def test_lines_of_garbage_add_up() -> None:
    with serving(most_garbage=512) as port, connected(port) as client:
        with contextlib.suppress(ConnectionError):  # it may have hung up before the last of them
            for _ in range(100):
                client.sendall(b"babble\n")
        assert closed(client)


def test_slow_clients_block_nobody() -> None:
    with serving(silence=LONG) as port, connected(port), connected(port) as half, connected(port) as good:
        half.sendall(START[:10])
        for _ in range(4):
            good.sendall(START + b"\n")
            assert len(lines(good, 3)) == 3


def test_only_silent_clients_are_cut_off() -> None:
    def attempt(seconds: float) -> None:
        with serving(silence=seconds) as port, connected(port) as silent_one, connected(port) as half:
            half.sendall(START[:10])
            with connected(port) as good, ThreadPoolExecutor() as pool:
                gone = [pool.submit(closed, client) for client in (silent_one, half)]
                while not all(client.done() for client in gone):
                    good.sendall(START + b"\n")
                    lines(good, 3)
                    time.sleep(seconds / 10)
                assert all(client.result() for client in gone)

    patiently(attempt)


def test_a_client_that_never_listens_is_cut_off_and_blocks_nobody() -> None:
    def excuse(positions: Sequence[Any]) -> list[Choice]:
        return [Choice(-1, fault="x" * 60_000)] * len(positions)  # no buffer holds many of these

    def attempt(seconds: float) -> None:
        with serving(Scripted(excuse), silence=seconds) as port, connected(port) as deaf:
            deaf.sendall(START * 200)
            with connected(port) as good:
                good.sendall(START)
                assert len(lines(good, 1)) == 1
            deaf.settimeout(seconds + 60)
            with pytest.raises(ConnectionError):
                deaf.sendall(START * 1_000_000)

    patiently(attempt)


def test_twenty_clients_at_once() -> None:
    positions = [position for seed in range(20) for position, _ in random_line(MORRIS, 12, seed)[-1:]]
    alone = [make_player("searcher:depth=2", MORRIS).choose([position])[0].move for position in positions]
    with serving("searcher:depth=2") as port, ThreadPoolExecutor(20) as pool:

        def ask(position: Any) -> int:
            with connected(port) as client:
                for _ in range(3):
                    client.sendall(MORRIS.write(position).encode() + b"\r\n")
                    answer = joined(tuple(map(int, lines(client, 3))))
            return answer

        assert list(pool.map(ask, positions)) == alone


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Return what tells how many questions wait for the player of the server."""
    thinkers: list[Thinker] = []

    def kept(player: Any) -> Thinker:
        thinkers.append(Thinker(player))
        return thinkers[-1]

    monkeypatch.setattr("understudy.studies.galassi.socket_server.Thinker", kept)
    return lambda: thinkers[-1]._questions.qsize()


def test_what_waits_is_one_batch(waiting: Callable[[], int]) -> None:
    gate = threading.Event()

    def wait(positions: Sequence[Any]) -> list[Choice]:
        assert gate.wait(LONG)
        return first_moves(positions)

    player = Scripted(wait)
    with serving(player) as port, ThreadPoolExecutor(9) as pool:

        def ask(_: int) -> int:
            with connected(port) as client:
                client.sendall(START)
                return len(lines(client, 3))

        asked = [pool.submit(ask, number) for number in range(9)]
        wait_until(lambda: player.batches and player.batches[0] + waiting() == 9)
        gate.set()
        assert [answer.result() for answer in asked] == [3] * 9
    assert sum(player.batches) == 9
    assert len(player.batches) <= 2


# What a player does.


def test_no_failure_of_the_player_ends_the_server() -> None:
    moods = iter(["raise", "exit", "fault", "nonsense", "short", "move"])

    def act(positions: Sequence[Any]) -> list[Choice]:
        match next(moods):
            case "raise":
                raise RuntimeError("out of\nideas")
            case "exit":
                raise SystemExit(3)
            case "fault":
                return [Choice(-1, fault="resignation")]
            case "nonsense":
                return [Choice(99_999)]
            case "short":
                return []
        return first_moves(positions)

    with serving(Scripted(act)) as port, connected(port) as client:
        for words in ("RuntimeError: out of ideas", "SystemExit", "resignation", "illegal move", "0 choices for 1"):
            client.sendall(START)
            (answer,) = lines(client, 1)
            assert answer.startswith("error: the player has no move (")
            assert words in answer
        client.sendall(START)
        assert len(lines(client, 3)) == 3


def test_one_bad_position_does_not_spoil_a_batch(waiting: Callable[[], int]) -> None:
    gate, second = threading.Event(), MORRIS.play(MORRIS.start(), MORRIS.moves(MORRIS.start())[0])

    def act(positions: Sequence[Any]) -> list[Choice]:
        assert gate.wait(LONG)
        if any(position.ply == 1 for position in positions):
            raise RuntimeError("not this one")
        return first_moves(positions)

    player = Scripted(act)
    with serving(player) as port, connected(port) as a, connected(port) as b, connected(port) as c:
        a.sendall(START)
        wait_until(lambda: player.batches)
        b.sendall(MORRIS.write(second).encode())
        c.sendall(START)
        wait_until(lambda: waiting() == 2)
        gate.set()
        assert len(lines(a, 3)) == len(lines(c, 3)) == 3
        assert "not this one" in lines(b, 1)[0]


def test_an_illegal_move_is_passed_on_for_the_referee_to_judge() -> None:
    move = joined((1, 2, 3))
    with serving(Scripted(lambda positions: [Choice(move)] * len(positions))) as port:
        player = make_player(f"socket:{port}", MORRIS)
        assert player.choose([MORRIS.start()]) == [Choice(move)]
        played = play_games(MORRIS, (player, make_player("random", MORRIS)), [(Opening(), False)])[0]
        close(player)
    assert (played.result, played.reason) == (-1, "illegal move")


# Starting and stopping.


def test_bad_settings_are_one_sentence() -> None:
    player = make_player("random", MORRIS)
    with serving() as port, pytest.raises(EngineError, match=f"cannot listen on host '127.0.0.1', port {port}: ") as e:
        serve(MORRIS, player, port=port)
    assert "\n" not in str(e.value)
    for host in ("no.such.host.invalid", "x" * 300, "192.0.2.1", "a\x00b"):
        with pytest.raises(EngineError, match="cannot listen on host"):
            serve(MORRIS, player, host=host, port=0)
    with pytest.raises(BadOption, match="port of the socket must be from 0 to 65535, not 70000"):
        serve(MORRIS, player, port=70_000)
    with pytest.raises(BadOption, match="seconds of silence must be"):
        serve(MORRIS, player, port=0, silence=0)
    with pytest.raises(UnknownName, match="did you mean 'lines'"):
        serve(MORRIS, player, port=0, form="line")
    with pytest.raises(BadOption, match="not of konane"):
        serve(find_game("konane"), player, port=0)


def test_stopping_lets_clients_go_and_the_port_be_used_again() -> None:
    with serving() as port, connected(port) as client:
        client.sendall(START)
        lines(client, 3)
    with serving(port=port) as again:
        assert again == port


def test_stopping_does_not_wait_for_a_long_thought() -> None:
    begun, gate, ended = threading.Event(), threading.Event(), threading.Event()

    def sleep(positions: Sequence[Any]) -> list[Choice]:
        begun.set()
        gate.wait(LONG)
        ended.set()
        return first_moves(positions)

    with serving(Scripted(sleep)) as port, connected(port) as client:
        client.sendall(START)
        assert begun.wait(LONG)
    assert not ended.is_set()
    gate.set()


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT for a child there")
def test_ctrl_c_is_a_clean_end() -> None:
    code = (
        "from understudy.games import find_game; from understudy.players import make_player\n"
        "from understudy.studies.galassi.socket_server import serve\n"
        "game = find_game('morris')\n"
        "serve(game, make_player('random', game), port=0, ready=lambda port: print(port, flush=True))\n"
        "print('ended')\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell in the background ignores it
    ) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        with connected(port) as client:
            client.sendall(START)
            lines(client, 3)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=LONG)
    assert (process.returncode, out, err) == (0, "ended\n", "")


# Whole games.


@pytest.mark.parametrize("form", ["lines", "cells"])
@pytest.mark.parametrize("text", ["random", "searcher:depth=3,evaluator=stones", "searcher:depth=2"])
@pytest.mark.parametrize("swapped", [False, True])
def test_a_game_over_the_socket_is_the_same_game(form: str, text: str, swapped: bool) -> None:
    def game(player: Any) -> Any:
        opponent = make_player("searcher:depth=2,evaluator=stones", MORRIS, seed=1)
        played = play_games(MORRIS, (player, opponent), [(Opening(), swapped)])[0]
        close(player)
        return played._replace(values=())  # opinions do not cross the socket

    direct = game(make_player(text, MORRIS, seed=5))
    with serving(text, form=form) as port:
        assert game(make_player(f"socket:port={port},form={form}", MORRIS)) == direct


def test_the_history_of_each_game_of_a_client_is_rebuilt() -> None:
    past, games = Past(MORRIS), [random_line(MORRIS, 40, seed) for seed in range(8)]
    for place in range(0, 39, 2):  # eight games in step over one connection, asked by the first player
        for line in games:
            if place < len(line) - 1:
                position, move = line[place]
                asked = MORRIS.read(MORRIS.write(position))
                dated, history = past.before(asked)
                assert dated == position
                assert history == [before for before, _ in line[:place]]
                past.after(dated, history, move)
    assert past.before(MORRIS.start())[1] == []


def test_a_match_over_the_socket() -> None:
    with serving("searcher:depth=2") as port:
        meeting = play_match(MORRIS, (f"socket:{port}", "random"), games=8, seed=3, backend=Local(2), opening_plies=2)
    assert meeting.score()[0] >= 7
    assert {played.reason for played in meeting.games} <= {"removing", "suffocating", "repetition"}


# Bad servers.


@contextmanager
def bad_server(act: Callable[[socket.socket], None], clients: int = 4) -> Iterator[int]:
    """Yield the port of a server that lets *act* deal with each client."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.1)
        stop = threading.Event()

        def run() -> None:
            while not stop.is_set():
                try:
                    client, _ = listener.accept()
                except TimeoutError:
                    continue
                with client:
                    try:
                        client.settimeout(LONG)
                        act(client)
                    except OSError:
                        pass

        thread = threading.Thread(target=run)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            stop.set()
            thread.join(LONG)
        assert not thread.is_alive()


def reply(text: bytes) -> Callable[[socket.socket], None]:
    def act(client: socket.socket) -> None:
        while client.recv(4096):
            client.sendall(text)

    return act


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (b"", "time"),
        (b"20\n", "time"),
        (b"20\n0\nbanana\n", "engine failure"),
        (b"0\n0\n0\n", "engine failure"),
        (b"25\n0\n0\n", "engine failure"),
        (b"20\n0\n0\n7\n", "engine failure"),
        (b"error: no idea\n", "engine failure"),
        (b"\xff\xfe\n\n\n", "engine failure"),
        (b"x" * 5000, "engine failure"),
    ],
)
def test_a_bad_server_loses_the_game(answer: bytes, fault: str) -> None:
    with bad_server(reply(answer)) as port:
        player = make_player(f"socket:{port},seconds={0.5 if fault == 'time' else LONG}", MORRIS)
        assert player.choose([MORRIS.start()])[0].fault == fault
        close(player)


def test_a_server_that_drips_is_out_of_time() -> None:
    def drip(client: socket.socket) -> None:
        client.recv(4096)
        for _ in range(40):
            client.sendall(b"1")
            time.sleep(0.05)

    with bad_server(drip) as port:
        player = make_player(f"socket:{port},seconds=0.4", MORRIS)
        assert player.choose([MORRIS.start()])[0].fault == "time"
        close(player)


def test_a_server_that_hangs_up_has_crashed_and_one_that_is_not_there_has_failed() -> None:
    def hang_up(client: socket.socket) -> None:
        client.recv(4096)

    with bad_server(hang_up) as port:
        player = make_player(f"socket:{port}", MORRIS)
        assert player.choose([MORRIS.start()])[0].fault == "engine crash"
    assert player.choose([MORRIS.start()])[0].fault == "engine failure"
    close(player)
    lost = make_player(f"socket:{port},host=no.such.host.invalid", MORRIS)
    assert lost.choose([MORRIS.start()])[0].fault == "engine failure"


def test_a_lost_connection_is_made_anew_once() -> None:
    def once(client: socket.socket) -> None:
        client.recv(4096)
        client.sendall(b"20\n0\n0\n")

    with bad_server(once) as port:
        player = make_player(f"socket:{port}", MORRIS)
        assert [player.choose([MORRIS.start()])[0].fault for _ in range(3)] == [None] * 3
        close(player)


def test_what_a_client_sends_is_thirty_bytes() -> None:
    heard: list[bytes] = []

    def listen(client: socket.socket) -> None:
        heard.append(client.recv(4096))
        client.sendall(b"20\n0\n0\n")

    with bad_server(listen) as port:
        player = make_player(f"socket:{port}", MORRIS)
        player.choose([MORRIS.start()])
        close(player)
    assert heard == [START + b"\r\n"]


def test_cells_are_read_by_phase() -> None:
    placing, sliding = MORRIS.start(), MORRIS.read("MMOOOMOOOOOOOOMOOOEOOEEO0043")
    assert read_answer(["d2b2"], placing, "cells") == joined((CELLS.index("d2") + 1, 0, CELLS.index("b2") + 1))
    assert read_answer(["g7g4"], sliding, "cells") == joined((CELLS.index("g7") + 1, CELLS.index("g4") + 1, 0))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ("99999", BadOption, "port must be from 1 to 65535"),
        ("port=x", BadOption, "must be a whole number"),
        ("form=line", UnknownName, "did you mean 'lines'"),
        ("seconds=0", BadOption, "seconds must be"),
    ],
)
def test_bad_options_are_refused(options: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make_player(f"socket:{options}", MORRIS)
    with pytest.raises(BadOption, match="not of chess"):
        make_player("socket:5802", find_game("chess"))
