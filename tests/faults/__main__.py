"""Try all faults at length and count them: `python -m tests.faults --json`; some forty minutes of one core.

The counts are printed as JSON; what pytest says goes to standard error. Words that are not ours are pytest's.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.conftest import ROOT
from tests.faults.tally import FILE, add_up

PLACES = ("tests/faults", "tests/serve/test_faults.py", "tests/test_fetch.py")
"""Where faults are tried."""


def main() -> int:
    """Run the tests and print what they have counted; return what pytest returns."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000, help="inputs for all readers together")
    parser.add_argument("--json", action="store_true", help="on one line, for programs")
    options, words = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        counted = Path(folder) / "counted.jsonl"
        counted.touch()
        code = try_all(counted, options.inputs, words)
        print(json.dumps(add_up(counted), indent=None if options.json else 1))
    return code


def try_all(counted: Path, inputs: int, words: list[str]) -> int:
    """Run the tests in their long form; return what pytest returns."""
    long = {"UNDERSTUDY_FAULTS": "long", "UNDERSTUDY_FUZZ": str(inputs), FILE: str(counted)}
    command = [sys.executable, "-m", "pytest", "-q", *PLACES, *words]
    return subprocess.run(command, cwd=ROOT, env=os.environ | long, stdout=sys.stderr, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
