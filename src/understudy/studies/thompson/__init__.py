"""Teachers and students of Konane: Thompson 2005.

Eighteen evaluation functions, a to r, meet random play and one another to find who should teach (kind `evaluators`);
small networks then learn from the best of them while they play (kind `online`).
"""

from __future__ import annotations

from understudy.papers import Paper

PAPER = Paper("Thompson 2005", "konane", {"evaluators": [(8, 8)], "online": [(4, 4), (6, 6), (8, 8)]}, numbers="paper")
