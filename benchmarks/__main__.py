"""Run every benchmark, or those named: `python -m benchmarks rules search`; with `--json` for programs.

As JSON a benchmark is what its lines say, each under its own words; one that has `facts()` is what that returns.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from benchmarks import (
    bench_adapters,
    bench_boards,
    bench_cost,
    bench_encoders,
    bench_endgames,
    bench_evolution,
    bench_house,
    bench_imitation,
    bench_intervals,
    bench_judging,
    bench_label_quality,
    bench_labels,
    bench_online,
    bench_page,
    bench_players,
    bench_published,
    bench_regions,
    bench_rules,
    bench_rungs,
    bench_scale,
    bench_search,
    bench_solve,
    bench_sprt,
    bench_thoughts,
    bench_training,
    bench_trust,
    bench_workers,
)

BENCHES = {
    "rules": bench_rules,
    "rungs": bench_rungs,
    "search": bench_search,
    "encoders": bench_encoders,
    "labels": bench_labels,
    "label_quality": bench_label_quality,
    "judging": bench_judging,
    "players": bench_players,
    "training": bench_training,
    "trust": bench_trust,
    "imitation": bench_imitation,
    "boards": bench_boards,
    "online": bench_online,
    "cost": bench_cost,
    "regions": bench_regions,
    "solve": bench_solve,
    "endgames": bench_endgames,
    "evolution": bench_evolution,
    "scale": bench_scale,
    "workers": bench_workers,
    "adapters": bench_adapters,
    "thoughts": bench_thoughts,
    "page": bench_page,
    "house": bench_house,
    "intervals": bench_intervals,
    "sprt": bench_sprt,
    "published": bench_published,
}


def main() -> None:
    names = [word for word in sys.argv[1:] if word != "--json"] or list(BENCHES)
    if unknown := [name for name in names if name not in BENCHES]:
        print(f"benchmarks: no benchmark is called {unknown[0]!r}; there are: {', '.join(BENCHES)}", file=sys.stderr)
        sys.exit(2)
    if "--json" in sys.argv:
        print(json.dumps({name: collect(BENCHES[name]) for name in names}))
        return
    for name in names:
        print(f"-- {name}", flush=True)
        for line in BENCHES[name].lines():
            print(line, flush=True)


def collect(bench: Any) -> Any:
    """Return what a benchmark measured as plain data."""
    if hasattr(bench, "facts"):
        return bench.facts()
    facts: dict[str, Any] = {}
    for line in bench.lines():
        if isinstance(line, str):
            facts.setdefault("sentences", []).append(line)
        elif line.what in facts:
            raise ValueError(f"two lines are called {line.what!r}")
        else:
            facts[line.what] = line._asdict() | {"ratio": line.rate / line.other}
    return facts


if __name__ == "__main__":
    main()
