"""Evolved networks for Lines of Action: C. M. Miller, AFIT/GCS/ENG/10-06, 2010.

Populations of networks play knock-outs on 8x8; their best are measured against ALoA, a searcher by hand-made knowledge,
and against random heuristics (kind `evolution`). Networks fitted to sampled positions of 5x5 go before (`offline`).
"""

from __future__ import annotations

from understudy.papers import Paper

PAPER = Paper("Miller 2010", "lines_of_action", {"evolution": [(8, 8)], "offline": [(5, 5)]}, numbers="paper")
