"""What labels.md shows of the quality of labels: a table by depth and nodes, made of docs/results/measured."""

from __future__ import annotations

import math
import re
from typing import Any

MARK = re.compile(r"(<!-- label quality: .*? -->\n)(.*?)(<!-- end -->)", re.DOTALL)
"""Where the page has the table."""
FAIR = " fair"
HEAD = "| limit | pawns apart | bias for the mover | correlation | ms of a core | plain labels at this cost |"


def fill_labels(page: str, kept: dict[str, Any] | None) -> str:
    """Return the page with its table written anew; as it is where nothing was measured yet."""
    if kept is None:
        return page
    if not MARK.search(page):
        raise ValueError("labels.md has no marks between which its table could stand")
    found = kept["output"]["label_quality"]
    body = "\n".join([HEAD, "|---|---|---|---|---|---|", *_rows(found["settings"])])
    return MARK.sub(lambda match: f"{match[1]}{_introduce(found)}\n\n{body}\n{match[3]}", page)


def _introduce(found: dict[str, Any]) -> str:
    """Return how it was measured, and which depth is taken if nobody says one."""
    cost = f"{found['reference_milliseconds']:.0f} ms each"
    return (
        f"{found['positions']} positions of {found['games']} games that {found['engine']} played against itself, "
        f"beside its labels at {found['reference']} ({cost}); 95 % intervals by games. The cheapest depth with a bias "
        f"of at most {found['most_bias']:g} pawns is **{found['chosen']}**, and taken if nobody says another: errors "
        "fall steadily with the cost and show no place to stop."
    )


def _rows(settings: dict[str, dict[str, float]]) -> list[str]:
    """Return a line for each limit."""
    return [
        f"| {name.replace(FAIR, ', fair')} | {one['pawns_apart']:.2f} | "
        f"{one['bias']:+.2f} ({one['bias_low']:+.2f} to {one['bias_high']:+.2f}) | "
        f"{one['correlation']:.2f} | "
        f"{one['milliseconds']:.1f} | {_at_this_cost(name, settings)} |"
        for name, one in settings.items()
    ]


def _at_this_cost(name: str, settings: dict[str, dict[str, float]]) -> str:
    """Return the error of plain labels that cost as much as fair ones, between the depths next to that cost.

    Errors fall about as a power of the cost, so they are read from a line between logarithms.
    """
    if not name.endswith(FAIR):
        return ""
    depths = [one for depth, one in settings.items() if depth.startswith("depth") and not depth.endswith(FAIR)]
    cost = settings[name]["milliseconds"]
    below = max((one for one in depths if 0 < one["milliseconds"] <= cost), key=_cost, default=None)
    above = min((one for one in depths if one["milliseconds"] > cost), key=_cost, default=None)
    if below is None or above is None:
        return "-"
    share = math.log(cost / below["milliseconds"]) / math.log(above["milliseconds"] / below["milliseconds"])
    return f"{below['pawns_apart'] ** (1 - share) * above['pawns_apart'] ** share:.2f}"


def _cost(one: dict[str, float]) -> float:
    return one["milliseconds"]
