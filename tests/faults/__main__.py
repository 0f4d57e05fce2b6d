"""Try all faults at length and count them: `python -m tests.faults --json`; some forty minutes of one core.

The counts are printed as JSON, with how many tests failed: one that does leaves the counts of the others worth knowing.
What pytest says goes to standard error. Words that are not ours are pytest's.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from tests.conftest import ROOT
from tests.faults.tally import FILE, add_up

PLACES = ("tests/faults", "tests/serve/test_faults.py", "tests/test_fetch.py")
"""Where faults are tried."""
RAN = (0, 1)
"""What pytest returns if it has run its tests, well or not."""


def main() -> int:
    """Run the tests and print what they have counted; return what pytest returns if it could not run them."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000, help="inputs for all readers together")
    parser.add_argument("--json", action="store_true", help="on one line, for programs")
    options, words = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        counted, told = Path(folder) / "counted.jsonl", Path(folder) / "told.xml"
        counted.touch()
        if (code := try_all(counted, told, options.inputs, words)) not in RAN:
            return code
        facts = add_up(counted) | {"tests": count_tests(told)}
        print(json.dumps(facts, indent=None if options.json else 1))
    return 0


def try_all(counted: Path, told: Path, inputs: int, words: list[str]) -> int:
    """Run the tests in their long form; return what pytest returns."""
    long = {"UNDERSTUDY_FAULTS": "long", "UNDERSTUDY_FUZZ": str(inputs), FILE: str(counted)}
    command = [sys.executable, "-m", "pytest", "-q", *PLACES, f"--junitxml={told}", *words]
    return subprocess.run(command, cwd=ROOT, env=os.environ | long, stdout=sys.stderr, check=False).returncode


def count_tests(told: Path) -> dict[str, Any]:
    """Return how many tests there were, and which of them failed."""
    cases = list(ElementTree.parse(told).iter("testcase"))
    failed = [case.get("name") for case in cases if case.find("failure") is not None or case.find("error") is not None]
    return {"tried": len(cases), "held": len(cases) - len(failed), "failed": failed}


if __name__ == "__main__":
    sys.exit(main())
