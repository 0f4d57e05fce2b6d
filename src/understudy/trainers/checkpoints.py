"""A training on disk: weights, the best weights and the optimiser's memory, as safetensors; resumed after a kill."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as write_tensors
from torch import Tensor

from understudy.errors import FileError, first_line
from understudy.files import save_file
from understudy.sums import check_sum
from understudy.tensors import read_facts, write_facts
from understudy.trainers.fitting import Learning

NUMBERS = ("epoch", "seconds", "best_accuracy", "best_epoch", "shown")
LATER = {"shown": 0}
"""Numbers that checkpoints of before do not have."""


def save_checkpoint(path: Path, learning: Learning, fingerprint: str) -> None:
    """Write everything that going on needs; *fingerprint* names what is being trained, on what."""
    tensors = {f"weights.{name}": tensor for name, tensor in learning.unit.state_dict().items()}
    tensors |= {f"best.{name}": tensor for name, tensor in (learning.best_weights or {}).items()}
    for place, weight in enumerate(_weights(learning)):
        tensors |= {f"optimiser.{place}.{key}": value for key, value in learning.optimiser.state[weight].items()}
    numbers = {name: getattr(learning, name) for name in NUMBERS}
    facts = write_facts({"fingerprint": fingerprint, **numbers})
    whole = {name: tensor.detach().contiguous() for name, tensor in tensors.items()}
    save_file(path, lambda partial: partial.write_bytes(write_tensors(whole, facts)), sealed=True)


def resume(path: Path, learning: Learning, fingerprint: str) -> bool:
    """Put *learning* where a checkpoint left it; False if there is none for the same training."""
    if not path.exists():
        return False
    check_sum(path, "checkpoint")
    try:
        with safe_open(path, framework="pt") as file:
            facts = read_facts(file.metadata())
            tensors: dict[str, Tensor] = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (it is no dict)
    except (OSError, SafetensorError, ValueError) as error:
        raise FileError(f"cannot read the checkpoint {str(path)!r} ({error}); delete it to train anew") from None
    if not isinstance(facts, dict) or facts.get("fingerprint") != fingerprint:
        return False
    try:
        _restore(learning, facts, tensors)
    except (LookupError, RuntimeError, TypeError, ValueError) as error:  # PyTorch's is for other names and shapes
        raise FileError(
            f"the checkpoint {str(path)!r} does not hold this training ({first_line(error)}); delete it to train anew"
        ) from None
    return True


def _restore(learning: Learning, facts: dict[str, Any], tensors: dict[str, Tensor]) -> None:
    numbers = {name: type(getattr(learning, name))((LATER | facts)[name]) for name in NUMBERS}
    learning.unit.load_state_dict(_below("weights.", tensors))
    learning.best_weights = _below("best.", tensors) or None
    for place, weight in enumerate(_weights(learning)):
        if state := _below(f"optimiser.{place}.", tensors):
            learning.optimiser.state[weight] = dict(state)
    for name, number in numbers.items():
        setattr(learning, name, number)


def _weights(learning: Learning) -> list[torch.nn.Parameter]:
    return [weight for group in learning.optimiser.param_groups for weight in group["params"]]


def _below(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
