"""`understudy fetch` against a real HTTP server on this machine that cuts, hangs, redirects and lies."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.conftest import wait_until
from tests.faults.effort import times
from tests.faults.tally import tally
from tests.hosts import Host, serving
from understudy.cli import commands
from understudy.errors import BadOption, FileError, UnderstudyError, UnknownName
from understudy.fetch import sources as table
from understudy.fetch.download import Patience
from understudy.fetch.keeping import fetch
from understudy.fetch.origins import read_origin
from understudy.fetch.sources import all_sources, check_file, find_sources, locate
from understudy.lab.experiments import list_experiments, load_experiment, shipped
from understudy.lab.options.imitation import sources_of

KILLS = times(3, 10)
"""How often a fetch is killed in each of the two tests that do so."""

PROGRAM = """
import sys
from pathlib import Path
import understudy.fetch.sources
understudy.fetch.sources.STUDIES = Path(sys.argv.pop(1))
from understudy.cli import main
main()
"""
"""The command line with the table of a test."""

BIG = random.Random(1).randbytes(1_000_003)
SMALL = b"a few bytes"
NAME = "things/big.bin"
PART = "things/big.bin.part"
PATIENT = Patience(seconds=60.0, tries=3, pause=0.01)
HASTY = Patience(seconds=0.3, tries=2, pause=0.01)


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with serving() as host:
        host.files = {NAME: BIG, "pub/big.bin": BIG, "pub/small.bin": SMALL, "things/small.bin": SMALL}
        host.files |= {"pub/games_2020-02.txt": BIG, "pub/sums.txt": f"{sum_of(BIG)}  games_2020-02.txt\n".encode()}
        yield host


@pytest.fixture(autouse=True)
def studies(host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the table be one of files that the host serves."""
    folder = tmp_path / "studies"
    (folder / "galassi").mkdir(parents=True)
    (folder / "galassi" / "sources.toml").write_text(
        f"""
        [[sets]]
        folder = "things"
        about = "noise"
        groups = ["things", "things/large"]
        address = "{host.address}/pub/{{file}}"
        licence = "CC0"
        files = [["big.bin", {len(BIG)}, "{sum_of(BIG)}"]]

        [[sets]]
        folder = "things"
        about = "words"
        groups = ["things"]
        address = "{host.address}/pub/{{file}}"
        licence = "MIT"
        files = [["small.bin", 0, "{sum_of(SMALL)}"]]

        [[monthly]]
        folder = "games"
        about = "games"
        first = "2020-01"
        name = "site_{{month}}"
        file = "games_{{month}}.txt"
        address = "{host.address}/pub/{{file}}"
        sums = "{host.address}/pub/sums.txt"
        licence = "CC0"
        """
    )
    monkeypatch.setattr(table, "STUDIES", folder)
    return folder


def sum_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def bring(folder: Path, *names: str, origin: str | None = None, again: bool = False, hasty: bool = False) -> list[bool]:
    """Fetch, and return which files were not there before."""
    patience = HASTY if hasty else PATIENT
    return [one.fetched for one in fetch(find_sources(names), folder, read_origin(origin, patience), again=again)]


def refused(folder: Path, message: str, *, hasty: bool = False, origin: str | None = None, name: str = NAME) -> None:
    """Check that a fetch fails with a sentence, and that nothing lies under the name."""
    with pytest.raises(UnderstudyError, match=message) as error:
        bring(folder, name, origin=origin, hasty=hasty)
    assert "\n" not in str(error.value)
    assert not (folder / name).exists()


def test_files_come_once(host: Host, tmp_path: Path) -> None:
    assert bring(tmp_path, "things") == [True, True]
    assert (tmp_path / NAME).read_bytes() == BIG
    assert sorted(path.name for path in (tmp_path / "things").iterdir()) == ["big.bin", "small.bin"]
    assert bring(tmp_path, "things", "things/large", NAME) == [False, False]
    assert len(host.asked) == 2


def test_a_cut_connection_goes_on_where_it_was(host: Host, tmp_path: Path) -> None:
    host.faults["pub/big.bin"] = ["cut", "500", "cut", "503"]
    bring(tmp_path, NAME)
    assert (tmp_path / NAME).read_bytes() == BIG
    starts = [int(span.removeprefix("bytes=").removesuffix("-") or 0) for _, span in host.asked]
    assert starts[0] == 0 < starts[1] == starts[2] < starts[3] == starts[4]


def test_a_part_from_before_is_gone_on_with(host: Host, tmp_path: Path) -> None:
    (tmp_path / "things").mkdir()
    (tmp_path / PART).write_bytes(BIG[:1234])
    bring(tmp_path, NAME)
    assert (tmp_path / NAME).read_bytes() == BIG
    assert host.asked == [("pub/big.bin", "bytes=1234-")]


@pytest.mark.parametrize("part", [BIG, b"?" * 1000, b"?" * len(BIG), BIG + b"?", b""], ids=len)
def test_whatever_a_part_holds_the_file_is_right(tmp_path: Path, part: bytes) -> None:
    (tmp_path / "things").mkdir()
    (tmp_path / PART).write_bytes(part)
    bring(tmp_path, NAME)
    assert (tmp_path / NAME).read_bytes() == BIG
    assert not (tmp_path / PART).exists()


@pytest.mark.parametrize("part", [SMALL, SMALL + b"?", b"?"])
def test_parts_of_files_whose_size_nobody_knows(host: Host, tmp_path: Path, part: bytes) -> None:
    (tmp_path / "things").mkdir()
    (tmp_path / "things/small.bin.part").write_bytes(part)
    bring(tmp_path, "things/small.bin")
    assert (tmp_path / "things/small.bin").read_bytes() == SMALL
    assert len(host.asked) == {SMALL: 1}.get(part, 2)


@pytest.mark.parametrize("fault", ["no ranges", "no length"])
def test_hosts_without_ranges_and_lengths_will_do(host: Host, tmp_path: Path, fault: str) -> None:
    (tmp_path / "things").mkdir()
    (tmp_path / PART).write_bytes(BIG[:1234])
    host.faults["pub/big.bin"] = [fault]
    bring(tmp_path, NAME)
    assert (tmp_path / NAME).read_bytes() == BIG


def test_redirects_are_followed(host: Host, tmp_path: Path) -> None:
    host.faults["pub/big.bin"] = [f"to {host.address}/elsewhere"]
    host.files["elsewhere"] = BIG
    bring(tmp_path, NAME)
    assert (tmp_path / NAME).read_bytes() == BIG
    host.faults["pub/small.bin"] = [f"to {host.address}/pub/small.bin"] * 99
    refused(tmp_path, r"small.bin': the host answers 302 \(.*infinite loop", name="things/small.bin")


@pytest.mark.parametrize(
    ("faults", "message"),
    [
        (["404"], r"cannot fetch 'http://.*/pub/big.bin': the host answers 404 \(Not Found\)$"),
        (["403"], r"the host answers 403 \(Forbidden\)$"),
        (["500", "502", "503"], r"the host answers 503 \(Service Unavailable\) \(tried 3 times\)$"),
        (["page"], "answers with a web page instead of the file"),
        (["promises more"], "offers 1001003 bytes instead of 1000003: it is another file"),
        (["cut", "another range"], "answers with another part of the file than the one from byte 500001 on"),
    ],
)
def test_hosts_that_refuse_or_lie(host: Host, tmp_path: Path, faults: list[str], message: str) -> None:
    host.faults["pub/big.bin"] = faults
    refused(tmp_path, message)


def test_a_promise_of_more_than_comes_is_a_cut_connection(host: Host, tmp_path: Path) -> None:
    host.faults["pub/small.bin"] = ["promises more"]
    bring(tmp_path, "things/small.bin")
    assert host.asked == [("pub/small.bin", ""), ("pub/small.bin", "bytes=11-")]
    assert (tmp_path / "things/small.bin").read_bytes() == SMALL


def test_a_host_that_hangs_is_given_up(host: Host, tmp_path: Path) -> None:
    host.faults["pub/big.bin"] = ["hang", "hang"]
    refused(tmp_path, r"no answer for 0.3 seconds \(tried 2 times\)", hasty=True)
    host.faults["pub/big.bin"] = ["held"]
    bring(tmp_path, NAME, hasty=True)  # it hangs in the middle, and a second connection brings the rest
    assert (tmp_path / NAME).read_bytes() == BIG


def test_a_host_that_is_not_there(host: Host, tmp_path: Path) -> None:
    refused(tmp_path, r"big.bin': Connection refused \(tried 2 times\)", origin="http://127.0.0.1:1/x", hasty=True)


@pytest.mark.parametrize("content", [BIG[:-1] + b"?", b"?" * len(BIG)])
def test_a_wrong_sum_never_gets_the_name(host: Host, tmp_path: Path, content: bytes) -> None:
    host.files["pub/big.bin"] = content
    refused(tmp_path, "what came as 'things/big.bin' is another file: 1000003 bytes with a SHA-256 that begins with")
    assert list((tmp_path / "things").iterdir()) == []
    host.files["pub/big.bin"] = BIG
    assert bring(tmp_path, NAME) == [True]


def test_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    refused(tmp_path, r"big.bin': Temporary failure in name resolution \(tried 2 times\)$", hasty=True)
    assert list((tmp_path / "things").iterdir()) == []


def test_a_host_that_never_ends(host: Host, tmp_path: Path) -> None:
    host.files["pub/big.bin"] = BIG * 3
    host.faults["pub/big.bin"] = ["no length"]
    refused(tmp_path, "sends more than the 1000003 bytes that the file should have")


def test_what_is_there_and_wrong_is_named_before_anything_comes(host: Host, tmp_path: Path) -> None:
    (tmp_path / "things").mkdir()
    (tmp_path / "things/small.bin").write_bytes(b"my notes")
    with pytest.raises(FileError, match=r"small.bin' is there, but it is not the file that is published.*--again"):
        bring(tmp_path, "things")
    assert (tmp_path / "things/small.bin").read_bytes() == b"my notes"
    assert host.asked == []
    assert bring(tmp_path, "things", again=True) == [True, True]
    assert (tmp_path / "things/small.bin").read_bytes() == SMALL


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk(host: Host, tmp_path: Path) -> None:
    (tmp_path / "things").mkdir()
    (tmp_path / PART).symlink_to("/dev/full")
    refused(tmp_path, r"cannot write '.*big.bin.part': No space left on device")


def test_folders_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "things").write_text("a file")
    with pytest.raises(FileError, match=r"cannot make the folder .*things': (File exists|Not a directory)"):
        bring(tmp_path, NAME)
    (tmp_path / "things").unlink()
    (tmp_path / PART).mkdir(parents=True)
    refused(tmp_path, r"cannot write '.*big.bin.part': Is a directory")


def test_a_second_process_is_told_so(host: Host, tmp_path: Path) -> None:
    host.faults["pub/big.bin"] = ["held"]
    first = threading.Thread(target=bring, args=(tmp_path, NAME))
    first.start()
    wait_until(host.halfway.is_set)
    refused(tmp_path, rf"another process \({os.getpid()}\) is at work on '.*things/big.bin'; wait until it ends")
    host.go_on.set()
    first.join()
    assert (tmp_path / NAME).read_bytes() == BIG


def test_mirrors_have_the_same_names(host: Host, tmp_path: Path) -> None:
    host.files["mirror/things/big.bin"] = BIG
    bring(tmp_path, NAME, origin=f"{host.address}/mirror/")
    assert host.asked == [("mirror/things/big.bin", "")]
    refused(tmp_path, "answers 404", origin=f"{host.address}/mirror", name="things/small.bin")


@pytest.mark.parametrize("place", ["things/big.bin", "big.bin"])
def test_copies_in_a_folder(host: Host, tmp_path: Path, place: str) -> None:
    copy = tmp_path / "copies" / place
    copy.parent.mkdir(parents=True)
    copy.write_bytes(BIG)
    bring(tmp_path, NAME, origin=str(tmp_path / "copies"))
    assert (tmp_path / NAME).read_bytes() == BIG == copy.read_bytes()
    refused(tmp_path, "has no 'things/small.bin' nor 'small.bin'", origin=str(copy.parent), name="things/small.bin")
    copy.write_bytes(b"?")
    refused(tmp_path / "new", "is another file: 1 bytes", origin=str(tmp_path / "copies"))
    assert host.asked == []


@pytest.mark.parametrize(
    "text", ["ftp://example.org/x", "http://", "https://a b/", "http://[", "http://x:99999/", "no", ""]
)
def test_origins_that_are_none(text: str) -> None:
    with pytest.raises(BadOption, match="--from '"):
        read_origin(text)


def test_months_are_checked_by_the_publishers_list(host: Host, tmp_path: Path) -> None:
    name = "games/games_2020-02.txt"
    assert bring(tmp_path, "games/site_2020-02") == [True]
    assert (tmp_path / name).read_bytes() == BIG
    assert bring(tmp_path, name, origin=str(tmp_path)) == [False]  # its sum is noted beside it: no list is asked for
    assert [path for path, _ in host.asked] == ["pub/sums.txt", "pub/games_2020-02.txt"]
    host.files["pub/games_2020-03.txt"] = BIG
    with pytest.raises(FileError, match=r"does not name 'games_2020-03.txt'"):
        bring(tmp_path, "games/site_2020-03")
    host.files["pub/sums.txt"] += f"{sum_of(SMALL)}  games_2020-03.txt\n".encode()
    refused(tmp_path, "is another file", name="games/games_2020-03.txt")


def test_months_from_a_mirror_or_a_folder_need_the_list_beside_them(host: Host, tmp_path: Path) -> None:
    host.files["games/games_2020-02.txt"] = BIG
    with pytest.raises(FileError, match=r"games/sums.txt': the host answers 404"):
        bring(tmp_path, "games/site_2020-02", origin=host.address)
    host.files["games/sums.txt"] = host.files["pub/sums.txt"]
    assert bring(tmp_path, "games/site_2020-02", origin=host.address) == [True]
    (tmp_path / "copies").mkdir()
    for name in ("games_2020-02.txt", "sums.txt"):
        (tmp_path / "copies" / name).write_bytes(host.files[f"games/{name}"])
    assert bring(tmp_path / "new", "games/site_2020-02", origin=str(tmp_path / "copies")) == [True]


def test_unknown_names_guess() -> None:
    with pytest.raises(UnknownName, match="no data 'things/larg'; did you mean 'things/large'"):
        find_sources(["things/larg"])
    with pytest.raises(UnknownName, match=r"no data 'zzz'; there are: things, things/large, games/site_2020-01$"):
        find_sources(["zzz"])
    for month in ("2019-12", "2020-13", "2020-2"):
        with pytest.raises(UnknownName):
            find_sources([f"games/site_{month}"])


def test_a_group_of_one_file_is_another_name_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDERSTUDY_DATA", str(tmp_path))
    assert locate("data:things/large", Path()) == locate("data:things/big.bin", Path()) == tmp_path / NAME
    with pytest.raises(FileError, match=r"me needs the data 'things/large', .*; get it with `understudy fetch things`"):
        check_file("data:things/large", Path(), needed_by="me")
    with pytest.raises(FileError, match="nobody publishes it: put it there"):
        check_file("data:things/other", Path(), needed_by="me")


def test_the_command(host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDERSTUDY_DATA", str(tmp_path))
    listed = CliRunner().invoke(commands, ["fetch"]).stdout
    assert "things, things/large\n    noise (galassi)\n    things/big.bin, 1.0 MB, CC0, not there" in listed
    assert listed == CliRunner().invoke(commands, ["fetch", "--list"]).stdout
    entries = json.loads(CliRunner().invoke(commands, ["fetch", "--list", "--json", "things"]).stdout)
    assert [(entry["name"], entry["there"]) for entry in entries] == [(NAME, False), ("things/small.bin", False)]
    assert host.asked == []
    result = CliRunner().invoke(commands, ["fetch", "data:things/large", "--json"])
    assert json.loads(result.stdout) == [
        {"name": NAME, "path": str(tmp_path / NAME), "fetched": True, "size": len(BIG)}
    ]  # fmt: skip
    assert result.stderr == f"things/big.bin: fetched, 1.0 MB, in {tmp_path / NAME}\n"
    assert "1.0 MB, CC0, there" in CliRunner().invoke(commands, ["fetch"]).stdout


def test_a_run_fetches_what_it_misses(host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDERSTUDY_DATA", str(tmp_path))
    experiment, path = tmp_path / "x.toml", tmp_path / "things/small.bin"
    experiment.write_text('[records]\nfiles = ["data:things/small.bin"]\n')
    run = ["run", str(experiment), "--run", str(tmp_path / "run")]
    result = CliRunner().invoke(commands, run)
    assert "'x' needs the data 'things/small.bin'" in str(result.exception)
    assert host.asked == []
    for _ in range(2):
        result = CliRunner().invoke(commands, [*run, "--fetch"])
        assert str(result.exception).startswith(f"{path} is not a file of records")  # it is there, and it was read
        assert len(host.asked) == 1
    experiment.write_text('[records]\nfiles = ["data:things/big.bin", "data:things/other"]\n')
    result = CliRunner().invoke(commands, [*run, "--fetch"])
    assert "needs the data 'things/other'" in str(result.exception)
    assert len(host.asked) == 1


def test_bad_input_is_one_sentence_and_two(host: Host, studies: Path, tmp_path: Path) -> None:
    host.faults["pub/big.bin"] = ["404"]
    with started(studies, NAME, "--to", str(tmp_path / "x")) as process:
        stdout, stderr = process.communicate()
    assert (process.returncode, stdout) == (2, "")
    assert stderr == f"understudy: cannot fetch '{host.address}/pub/big.bin': the host answers 404 (Not Found)\n"


def started(studies: Path, *arguments: str) -> subprocess.Popen[str]:
    program = [sys.executable, "-c", PROGRAM, str(studies), "fetch", *arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def kill(process: subprocess.Popen[str]) -> bool:
    """Kill a process; return whether it was still at work."""
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return process.returncode == -signal.SIGKILL


def test_killed_in_the_middle_it_goes_on(host: Host, studies: Path, tmp_path: Path) -> None:
    host.pause = 0.02
    rng, part = random.Random(KILLS), tmp_path / PART
    with tally("kills") as kills:
        for turn in range(KILLS):
            before = part.stat().st_size if part.exists() else 0
            enough = before + rng.randint(1, (len(BIG) - before) // (KILLS - turn + 1))
            with started(studies, NAME, "--to", str(tmp_path)) as process:
                wait_until(lambda enough=enough: part.exists() and part.stat().st_size >= enough)
                kills.tried += 1
                assert kill(process)
            assert not (tmp_path / NAME).exists()
            assert part.read_bytes() == BIG[: part.stat().st_size]
        bring(tmp_path, NAME)
        assert (tmp_path / NAME).read_bytes() == BIG
        kills.held = kills.tried
    starts = [int(span.removeprefix("bytes=").removesuffix("-") or 0) for _, span in host.asked]
    assert starts == sorted(set(starts)) and len(starts) == KILLS + 1


def test_killed_at_any_moment_the_name_holds_all_or_nothing(host: Host, studies: Path, tmp_path: Path) -> None:
    host.pause = 0.001
    rng, path, seconds = random.Random(KILLS), tmp_path / NAME, 0.0
    with tally("kills") as kills:
        for turn in range(KILLS + 1):
            path.unlink(missing_ok=True)
            (tmp_path / PART).unlink(missing_ok=True)
            with started(studies, NAME, "--to", str(tmp_path)) as process:
                wait_until(lambda turn=turn: len(host.asked) > turn)
                began = time.monotonic()
                if turn:
                    time.sleep(rng.uniform(0.0, 1.0) * seconds)
                    kills.tried += kill(process)
                else:  # nobody kills the first: it tells how long there is to do so
                    wait_until(path.exists)
                    seconds = time.monotonic() - began
            assert not path.exists() or path.read_bytes() == BIG
        bring(tmp_path, NAME)
        assert path.read_bytes() == BIG
        kills.held = kills.tried


@pytest.fixture
def real(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the table be the one that ships."""
    monkeypatch.setattr(table, "STUDIES", Path(table.__file__).parents[1] / "studies")


@pytest.mark.usefixtures("real")
def test_the_table_that_ships() -> None:
    sources = all_sources()
    assert len({source.name for source in sources}) == len(sources)
    assert all(source.address.startswith("https://") and source.licence for source in sources)
    assert all(len(source.sha256) == 64 or source.sums for source in sources)
    assert len(find_sources(["syzygy/3-4"])) == 70
    assert [source.name for source in find_sources(["nnmm/matches", "nnmm/states"])] == [
        "nnmm/DATASET.complete.txt", "nnmm/STATES.complete.txt"
    ]  # fmt: skip
    weights = {f"nnmm/{order}_{part}.npz" for order in ("TFR", "FTR", "RFT") for part in ("TO", "FROM", "REMOVE")}
    assert {source.name for source in find_sources(["nnmm/weights"])} == weights
    assert find_sources(["games/lichess_2017-04"])[0].address.endswith("/lichess_db_standard_rated_2017-04.pgn.zst")


@pytest.mark.usefixtures("real")
def test_both_names_of_a_set_are_the_same_experiment() -> None:
    path = shipped()["morris_nnmm"]
    short = load_experiment(path, ('records.files=["data:nnmm/matches"]',))
    assert sources_of(short.settings) == sources_of(load_experiment(path).settings)
    assert "changed" not in short.settings["experiment"]


@pytest.mark.usefixtures("real")
def test_experiments_tell_what_they_need(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDERSTUDY_DATA", str(tmp_path))
    text = CliRunner().invoke(commands, ["experiments"]).stdout
    assert "galassi (from nothing: morris_own_teacher, morris_perfect, morris_quick, morris_weighed)" in text
    assert "sabatelli (from nothing: chess_quick)" in text
    both = "nnmm/DATASET.complete.txt and nnmm/STATES.complete.txt"
    assert f"needs {both} (`understudy fetch nnmm`)" in text
    (tmp_path / "nnmm").mkdir()
    for source in find_sources(["nnmm/matches", "nnmm/states"]):
        (tmp_path / source.name).touch()
    assert f"has {both}" in CliRunner().invoke(commands, ["experiments"]).stdout


@pytest.mark.usefixtures("real")
def test_each_study_has_an_experiment_that_needs_no_download() -> None:
    listed = list(list_experiments())
    assert {entry.study for entry in listed} == {entry.study for entry in listed if not entry.data}
    published = {source.name for source in all_sources()} | {source.holds for source in all_sources()}
    assert {name for entry in listed for name in entry.data if name.startswith("nnmm/")} <= published


@pytest.mark.usefixtures("real")
def test_what_is_published_inside_another_file_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDERSTUDY_DATA", str(tmp_path))
    result = CliRunner().invoke(commands, ["run", "morris_thesis_gaming", "--fetch", "--run", str(tmp_path / "run")])
    told = "; get DATASET.gaming.rar with `understudy fetch nnmm/gaming` and unpack it there, or let the variable"
    assert told in str(result.exception)


@pytest.mark.usefixtures("real")
def test_copies_at_hand_have_the_sums_of_the_table(shared: Path, tmp_path: Path) -> None:
    assert all(bring(tmp_path, "nnmm/matches", "nnmm/states", "nnmm/weights/TFR", origin=str(shared / "data")))
    assert all(bring(tmp_path, "openings", "syzygy", origin=str(shared / "data" / "chess")))
    assert len(list(tmp_path.glob("*/*.rtb?"))) == 70
