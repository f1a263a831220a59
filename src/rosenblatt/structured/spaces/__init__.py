"""Spaces: what an answer is, which features it has, and how the best one is found."""

from __future__ import annotations

from rosenblatt.structured.spaces.candidates import Candidates
from rosenblatt.structured.spaces.space import Score, Space

__all__ = ["Candidates", "Score", "Space"]
