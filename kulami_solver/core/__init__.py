"""What games need and no game owns: numbers, files, tasks, budgets; compiled: bits and tables."""

from __future__ import annotations

from .variants import with_variant_first

__path__ = with_variant_first(__path__, "core")
