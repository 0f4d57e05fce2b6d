"""Run every benchmark, or those named: `python -m benchmarks rules search`."""

from __future__ import annotations

import sys

from benchmarks import (
    bench_adapters,
    bench_boards,
    bench_encoders,
    bench_evolution,
    bench_house,
    bench_intervals,
    bench_labels,
    bench_online,
    bench_page,
    bench_players,
    bench_rules,
    bench_scale,
    bench_search,
    bench_solve,
    bench_sprt,
    bench_thoughts,
    bench_training,
)

BENCHES = {
    "rules": bench_rules,
    "search": bench_search,
    "encoders": bench_encoders,
    "labels": bench_labels,
    "players": bench_players,
    "training": bench_training,
    "boards": bench_boards,
    "online": bench_online,
    "solve": bench_solve,
    "evolution": bench_evolution,
    "scale": bench_scale,
    "adapters": bench_adapters,
    "thoughts": bench_thoughts,
    "page": bench_page,
    "house": bench_house,
    "intervals": bench_intervals,
    "sprt": bench_sprt,
}


def main() -> None:
    for name in sys.argv[1:] or BENCHES:
        print(f"-- {name}", flush=True)
        for line in BENCHES[name].lines():
            print(line, flush=True)


main()
