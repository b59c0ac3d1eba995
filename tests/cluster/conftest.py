"""One scheduler with two workers for all tests that do not end them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from cluster_processes import Processes, cluster_of


@pytest.fixture(scope="session")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    """A scheduler and two workers for what does not kill them."""
    with cluster_of(tmp_path_factory.mktemp("cluster"), 2) as started:
        yield started
