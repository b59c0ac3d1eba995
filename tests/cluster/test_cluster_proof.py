"""Proofs on a cluster whose workers die."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cluster_processes import cluster_of, killing
from command_line import good, kulami
from random_play import positions

import kulami_solver as ks
from kulami_solver import cluster
from kulami_solver.kulami.proof import open_proof
from kulami_solver.kulami.prove import prove


def test_command_on_a_cluster(tmp_path: Path) -> None:
    position = next(positions(26))
    path = tmp_path / "it.kpf"
    with cluster_of(tmp_path, 2) as processes:
        words = ("prove", str(path), "--kfn", position.kfn(), "--workers", processes.address)
        found = good(*words, "--json").answer
        assert found["value"] == ks.solve(position).margin
        refused = kulami(*words, "--semi-strong")
        assert refused.code == 2
        assert "found on this machine" in refused.err
    assert not os.path.exists(f"{path}.building")
    with open_proof(path) as proof:
        assert proof.verify().ok
        assert proof.steps == found["steps"]


@pytest.mark.nightly
def test_workers_that_die_lose_nothing(tmp_path: Path) -> None:
    position = next(positions(36))
    with (
        cluster_of(tmp_path, 2) as processes,
        cluster.connect(processes.address) as executor,
        killing(processes, 3, (1.0, 3.0), 5) as moments,
    ):
        prove(tmp_path / "it.kpf", position, executor=executor)
        assert moments
    with open_proof(tmp_path / "it.kpf") as proof:
        assert proof.verify().ok
