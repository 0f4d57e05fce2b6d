"""Neural Nine Men's Morris: Galassi (2017) and Chesani, Galassi, Lippi, Mello (2018).

Three networks in cascade learn the moves of a perfect player from its games, part by part: TO, FROM and REMOVE in some
order (kind `imitation`). The authors' own networks, their socket and their gaming test are players and judges here.
All that the papers print are measures of verdicts (accuracy, legality, reliability), which a report sets beside ours by
section, column and measure: they stand in `[paper]` of the experiments that repeat them (`morris_thesis` and its
further ones, `morris_paper`, `morris_nnmm`). The games of the thesis, its teacher's among them, stand in `paper.py` and
below our own gaming test.
"""

from __future__ import annotations

from understudy.papers import Paper

PAPER = Paper("Galassi 2017 and Chesani et al. 2018", "morris", {"imitation": [(7, 7)]}, numbers="paper")
