"""What the papers on Neural Nine Men's Morris print.

All of it are measures of verdicts (accuracy, legality, reliability), which a report sets beside ours by section, column
and measure: they stand in `[paper]` of the experiment that repeats them (`morris_nnmm`). No section asks for more.
"""

from __future__ import annotations

PUBLISHED: tuple[object, ...] = ()
