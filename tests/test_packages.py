"""What a release gives away: both packages are whole; the wheel works in a clean environment, far from its source."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT
from understudy import __version__

pytest.importorskip("hatchling", reason="packages are built by hatchling, which is not installed here")
NAME = f"understudy_games-{__version__}"
SOURCE = ROOT / "src" / "understudy"
LEFT_OUT = {"__pycache__", ".DS_Store"}


def run(*words: object, cwd: Path, **variables: str) -> str:
    """Run a program that must not find the source tree by itself; return what it prints."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | variables
    done = subprocess.run([*map(str, words)], cwd=cwd, env=kept, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build(what: str, source: Path, target: Path) -> Path:
    """Build one package of a source tree, as an installer would, without fetching anything."""
    target.mkdir(exist_ok=True)
    code = f"import hatchling.build; print(hatchling.build.build_{what}({str(target)!r}))"
    paths = os.environ.get("PYTHONPATH", "")  # where hatchling may lie; nothing of the package is imported
    return target / run(sys.executable, "-c", code, cwd=source, PYTHONPATH=paths).splitlines()[-1]


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return the source distribution, and the wheel that is built of it and of nothing else."""
    folder = tmp_path_factory.mktemp("packages")
    sdist = build("sdist", ROOT, folder)
    with tarfile.open(sdist) as whole:
        whole.extractall(folder / "unpacked", filter="data")
    return sdist, build("wheel", folder / "unpacked" / NAME, folder)


def list_files(folder: Path) -> set[str]:
    """Return all files below a folder that belong to the project."""
    files = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {file.as_posix() for file in files if not LEFT_OUT & set(file.parts)}


def test_the_wheel_holds_every_file_of_the_package_and_the_results(packages: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(packages[1]) as wheel:
        held = set(wheel.namelist())
    results = {f"studies/results/{name}" for name in list_files(ROOT / "docs" / "results")}
    wanted = {f"understudy/{name}" for name in list_files(SOURCE) | results}
    assert wanted - held == set()
    beside = {name for name in held - wanted if ".dist-info/" not in name}
    assert beside == set()
    for kind in (".onnx", ".safetensors", ".toml", ".js", ".css", ".html", ".svg", ".md", "py.typed"):
        assert any(name.endswith(kind) for name in held), kind


def test_the_source_distribution_holds_what_tests_and_docs_need(packages: tuple[Path, Path]) -> None:
    with tarfile.open(packages[0]) as sdist:
        held = {name.partition("/")[2] for name in sdist.getnames()}
    wanted = {f"{room}/{name}" for room in ("src", "tests", "docs", "examples") for name in list_files(ROOT / room)}
    wanted |= {"CHANGELOG.md", "CITATION.cff", "LICENSE", "Makefile", "README.md", "constraints.txt", "pyproject.toml"}
    assert {name for name in wanted - held if ".egg-info/" not in name} == set()


@pytest.fixture(scope="module")
def installed(packages: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the programs of a clean environment: the wheel, and what it needs borrowed from here."""
    folder = tmp_path_factory.mktemp("clean")
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
    python = folder / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", packages[1], cwd=folder)
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    own = Path(run(python, "-c", code, cwd=folder).strip())
    # What is borrowed comes after the environment's own; .pth files there, such as ours to this tree, do not count.
    (own / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return folder / "bin"


def test_the_wheel_works_where_the_source_is_not(installed: Path, tmp_path: Path) -> None:
    where = run(installed / "python", "-c", "import understudy; print(understudy.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(installed.parent)
    assert run(installed / "understudy", "--version", cwd=tmp_path).split()[-1] == __version__
    listed = run(installed / "understudy", "experiments", cwd=tmp_path)
    assert "morris_quick" in listed and "minutes, needs no data" in listed  # costs come from the results
    match = ("match", "konane", "student:konane_4", "random", "--size", "4", "--games", "2")
    assert "2 games" in run(installed / "understudy", *match, cwd=tmp_path)
    code = "from understudy.serve.app import STATIC; print((STATIC / 'index.html').is_file())"
    assert run(installed / "python", "-c", code, cwd=tmp_path).strip() == "True"


def test_pipx_finds_the_command_by_both_names(packages: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(packages[1]) as wheel:
        points = wheel.read(f"{NAME}.dist-info/entry_points.txt").decode()
    assert "[console_scripts]\nunderstudy = understudy.__main__:main" in points
    assert "[pipx.run]\nunderstudy-games = understudy.__main__:main" in points
