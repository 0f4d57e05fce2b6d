"""What was played and is kept: records, their files, and the watching that makes them."""

from understudy.records.files import Complaint
from understudy.records.store import UNKNOWN, Records, joined, load, load_any, lone_pairs, save

__all__ = ["UNKNOWN", "Complaint", "Records", "joined", "load", "load_any", "lone_pairs", "save"]
