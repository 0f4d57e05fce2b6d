"""Networks that value chess positions as an engine does: M. Sabatelli, Groningen 2017.

Learning to Play Chess with Minimal Lookahead and Deep Value Neural Networks: perceptrons and convolutions learn an
engine's labels of positions as classes or as a number (kind `labels`), answer a test suite, and play.
"""

from __future__ import annotations

from understudy.papers import Paper

PAPER = Paper("Sabatelli 2017", "chess", {"labels": [(8, 8)]}, numbers="paper")
