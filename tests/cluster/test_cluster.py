"""More than one machine, on this one: a real scheduler, and real workers, some of them killed."""

from __future__ import annotations

import concurrent.futures
import itertools
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import cluster_processes
import pytest
from cluster_processes import Processes, cluster_of, killing
from command_line import SMALL, completed, good, kulami, process, until

import kulami_solver as ks
from kulami_solver import cluster
from kulami_solver.cluster.workers import code_here
from kulami_solver.core.tasks import Needs, check_workers, run_tasks
from kulami_solver.kulami.database import cost as estimate
from kulami_solver.storage.kept_work import BuildFolder, write

pytest.importorskip("distributed", reason="it needs the cluster extra: pip install -e '.[test]'")

ROOT = ks.Position(ks.Layout.parse(SMALL))
CHILDREN = [ROOT.play(field) for field in ROOT.legal_fields]
MIDDLE = ks.Position(ks.Layout.parse("ABBC/ABBC/DEEC/DEEF"))


@pytest.fixture(scope="module")
def workers(processes: Processes) -> Iterator[cluster.Cluster]:
    with cluster.connect(processes.address) as executor:
        until(lambda: len(executor.workers()) == 2)
        yield executor


@pytest.fixture(scope="module")
def middle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of a board of 4x4, built here."""
    path = tmp_path_factory.mktemp("local") / "middle.kdb"
    ks.build(path, MIDDLE, shard=1000)
    return path


class TestExecutor:
    def test_arguments_that_distributed_would_swallow(self, workers: cluster.Cluster) -> None:
        named = {"key": 1, "workers": 2, "pure": 3, "priority": 4, "retries": 5, "name": 6}
        found = workers.submit(cluster_processes.told, (abs, -1), **named).result(60)
        assert found == (((abs, -1),), named)

    def test_the_same_task_twice_runs_twice(self, workers: cluster.Cluster) -> None:
        random = [workers.submit(os.urandom, 8).result(60) for _ in range(2)]
        assert random[0] != random[1]

    def test_map_and_failures(self, workers: cluster.Cluster) -> None:
        assert list(workers.map(pow, range(5), range(5))) == [1, 1, 4, 27, 256]
        with pytest.raises(ks.NotationError, match="no such thing"):
            workers.submit(cluster_processes.fail).result(60)

    def test_tasks_are_forgotten_once_their_results_are_here(
        self, workers: cluster.Cluster
    ) -> None:
        futures = [workers.submit(abs, -number) for number in range(20)]
        assert [future.result(60) for future in futures] == [*range(20)]
        until(lambda: not workers._client.futures)

    def test_names_on_the_dashboard(self, workers: cluster.Cluster, tmp_path: Path) -> None:
        names = "build 4x5_a.kdb: solve ply 12"
        future = workers.submit_as(
            names.replace("_", "-"), 3, cluster_processes.wait_until_unwanted, str(tmp_path)
        )
        (key,) = until(lambda: [*itertools.chain(*workers._client.processing().values())])
        assert key[:2] == (names, 3)
        future.cancel()

    def test_what_is_cancelled_hears_of_it(self, workers: cluster.Cluster, tmp_path: Path) -> None:
        future = workers.submit(cluster_processes.wait_until_unwanted, str(tmp_path))
        until((tmp_path / "begun").exists)
        assert future.cancel()
        assert concurrent.futures.wait([future], 10).done == {future}
        until((tmp_path / "dropped").exists)

    def test_shutdown(self, processes: Processes) -> None:
        executor = cluster.connect(processes.address)
        future = executor.submit(pow, 2, 3)
        executor.shutdown(wait=True, cancel_futures=False)
        assert future.result(0) == 8
        executor.shutdown(cancel_futures=True)
        with pytest.raises(RuntimeError, match="after shutdown"):
            executor.submit(pow, 2, 3)

    def test_compiled_code_is_that_of_this_process(self, workers: cluster.Cluster) -> None:
        assert workers.submit(cluster_processes.code_of_worker).result(60) == code_here()


class TestNoCluster:
    @pytest.mark.parametrize(
        ("address", "said"),
        [
            ("127.0.0.1:8786", "is no address of a scheduler"),
            ("http://127.0.0.1:8786", "is no address of a scheduler"),
            ("tcp://127.0.0.1", "is no address of a scheduler"),
            ("tcp://127.0.0.1:1", r"no scheduler answers at tcp://127.0.0.1:1 within 0.3 s"),
            (None, "None is no address"),
        ],
    )
    def test_an_address_where_nothing_is(self, address: Any, said: str) -> None:
        with pytest.raises(cluster.ClusterError, match=said):
            cluster.connect(address, timeout=0.3)

    def test_a_port_that_says_nothing(self) -> None:
        """As the dashboard's does, which is easily mistaken for the scheduler's."""
        with socket.create_server(("127.0.0.1", 0)) as silent:
            port = silent.getsockname()[1]
            with pytest.raises(cluster.ClusterError, match="listens there is no scheduler"):
                cluster.connect(f"tcp://127.0.0.1:{port}", timeout=0.3)

    def test_settings_of_dask_that_cannot_be_read(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As with a broken file in DASK_CONFIG: distributed reads it when it is imported."""
        tmp_path.joinpath("distributed.py").write_text("raise ValueError('x.yaml is malformed')")
        monkeypatch.delitem(sys.modules, "distributed", raising=False)
        monkeypatch.syspath_prepend(tmp_path)
        with pytest.raises(cluster.ClusterError, match=r"its settings: x\.yaml is malformed: mend"):
            cluster.connect("tcp://127.0.0.1:1", timeout=0.3)

    def test_distributed_is_not_installed(self) -> None:
        program = (
            "import sys; sys.modules['distributed'] = None\n"
            "from kulami_solver.cli import main; sys.exit(main())"
        )
        words = ["solve", "--kfn", "AAB/CCB r b a1", "--workers", "tcp://127.0.0.1:1"]
        ran = completed([sys.executable, "-c", program, *words])
        assert ran.returncode == 2
        (said,) = [line for line in ran.stderr.splitlines() if "warning" not in line]
        assert 'needs distributed: run  pip install "kulami-solver[cluster]"' in said


class TestUnfit:
    """A worker that cannot do the work is named in one sentence, and nothing has begun."""

    def test_another_version(self, tmp_path: Path) -> None:
        package = Path(ks.__file__).parent
        copy = tmp_path / "other" / "kulami_solver"
        for folder in [package, *(path for path in package.rglob("*") if path.is_dir())]:
            there = copy / folder.relative_to(package)
            there.mkdir(parents=True)
            for path in folder.iterdir():
                if path.is_file():
                    (there / path.name).symlink_to(path)
        version = copy / "core" / "version.py"
        version.unlink()
        version.write_text('__version__ = "0.0.9"\n', encoding="ascii")
        with cluster_of(tmp_path, 0) as processes:
            processes.add_workers(1, path=copy.parent)
            target = tmp_path / "x.kdb"
            ran = kulami("build", str(target), "--layout", SMALL, "--workers", processes.address)
            assert ran.code == 2
            said = ran.err.splitlines()[-1]
            assert said.startswith("kulami: error: worker tcp://127.0.0.1:")
            assert "has other code of kulami_solver (0.0.9 " in said
            assert f" than there is here ({code_here()}): install the same there" in said
            assert not list(tmp_path.glob("x.kdb*"))
            assert not list(tmp_path.glob(".kulami*"))
            # Nor can one that comes when the others have been looked at spoil anything.
            with (
                cluster.connect(processes.address) as executor,
                pytest.raises(cluster.ClusterError, match=r"other code of kulami_solver \(0\.0"),
            ):
                executor.submit(pow, 2, 3).result(60)

    def test_without_the_folder(self, workers: cluster.Cluster) -> None:
        """Each process has another folder of this name."""
        elsewhere = "/proc/self/cwd"
        if not os.path.exists(elsewhere):
            pytest.skip("no /proc here")
        with pytest.raises(cluster.ClusterError, match=r"worker tcp.* does not see /proc/self/cwd"):
            ks.build(elsewhere + "/x.kdb", ROOT, executor=workers)
        assert not list(Path().glob("x.kdb*"))
        assert not list(Path().glob(".kulami*"))

    def test_without_disk_or_memory(
        self, workers: cluster.Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        target = tmp_path / "x.kdb"
        with pytest.raises(ks.BudgetError, match=r"MiB of memory with 2 threads.*start fewer work"):
            ks.build(target, ROOT, executor=workers, memory="64M")
        monkeypatch.setattr(estimate, "_ON_DISK", 1e12)
        with pytest.raises(ks.BudgetError, match="GiB of disk"):
            ks.build(target, ROOT, executor=workers)
        assert not list(tmp_path.iterdir())
        monkeypatch.undo()
        ks.build(target, MIDDLE, executor=workers, memory="64M", force=True)
        assert target.exists()

    def test_a_file_it_does_not_see(self, workers: cluster.Cluster, middle: Path) -> None:
        check_workers(workers, Needs(files=(str(middle),)))
        here = "/proc/self/cwd/README.md"  # from its own folder, each process
        if not os.path.exists(here):
            pytest.skip("no /proc here")
        with pytest.raises(cluster.ClusterError, match=r"does not see /proc/self/cwd/.*as it is"):
            check_workers(workers, Needs(files=(here,)))

    def test_another_bot(self, workers: cluster.Cluster) -> None:
        with pytest.raises(cluster.ClusterError, match="has another bot x than there is here"):
            check_workers(workers, Needs(alike=(os.getpid, "bot x")))

    def test_other_code_of_the_same_version(
        self, workers: cluster.Cluster, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(workers, "_code", "another")
        said = f"({code_here()} in {os.path.dirname(ks.__file__)}) than there is here (another)"
        with pytest.raises(cluster.ClusterError, match=re.escape(said)):
            check_workers(workers, Needs())


@pytest.mark.long
class TestSameAnswers:
    def test_build_and_verify(self, workers: cluster.Cluster, middle: Path, tmp_path: Path) -> None:
        built = tmp_path / "b.kdb"
        ks.build(built, MIDDLE, executor=workers, shard=1000)
        assert built.read_bytes() == middle.read_bytes()
        assert ks.verify(built, executor=workers, sample=3) == ks.verify(built, sample=3)
        assert [path.name for path in tmp_path.iterdir()] == ["b.kdb"]

    def test_a_file_that_was_replaced_by_one_with_the_same_header(
        self, workers: cluster.Cluster, middle: Path, tmp_path: Path
    ) -> None:
        """Workers last, and what they have open may not be what has the name now."""
        path = tmp_path / "b.kdb"
        path.write_bytes(middle.read_bytes())
        assert ks.verify(path, executor=workers, sample=3).ok
        content = bytearray(middle.read_bytes())
        content[-100] ^= 1
        path.unlink()
        path.write_bytes(content)
        with ks.open_database(path) as database:
            found = [*workers.map(cluster_processes.damaged, [database] * 4)]
        assert found == [True] * 4

    def test_solve_many(self, workers: cluster.Cluster) -> None:
        want = [ks.solve(position).margin for position in CHILDREN]
        assert [s.margin for s in ks.solve_many(CHILDREN, executor=workers)] == want

    def test_commands(self, processes: Processes, middle: Path) -> None:
        there = ["--workers", processes.address]
        ran = good("verify", str(middle), *there, "--json")
        assert ran.answer["ok"]
        assert "with 2 threads at tcp://127.0.0.1" in ran.err
        assert "dashboard" not in ran.err  # it was started without one
        assert good("solve", "--layout", SMALL, *there, "--json").answer["margin"] == 2
        asked = ["check", "greedy", "--positions", "20", "--json"]
        apart, here = good(*asked, *there).answer, good(*asked, "--workers", "1").answer
        for answer in (apart, here):
            del answer["seconds"], answer["worst_seconds"]
            for blunder in answer["blunders"]:
                del blunder["seconds"]
        assert apart == here
        games = ["match", "greedy", "alphabeta:1", "--games", "8", "--layout", SMALL, "--json"]
        assert good(*games, *there).answer == good(*games).answer


@pytest.mark.long
@pytest.mark.landing
class TestKills:
    """Small versions of what runs nightly below."""

    def test_workers_scheduler_and_builder(self, tmp_path: Path) -> None:
        """All of them are killed; the same command goes on, and the bytes are the same."""
        small = tmp_path / "small.kdb"
        ks.build(small, ROOT)
        target = tmp_path / "b.kdb"
        folder = tmp_path / "b.kdb.building"
        with cluster_of(tmp_path, 2) as processes:
            words = ["build", str(target), "--layout", SMALL, "--workers", processes.address]

            def begun(checkpoint: str) -> subprocess.Popen[str]:
                builder = process(*words)
                until((folder / checkpoint).exists, builder)
                return builder

            builder = begun("layer-06.kept")
            processes.kill_worker(0)
            builder.kill()
            builder.communicate()
            builder = begun("layer-10.kept")
            processes.kill_scheduler()
            out, err = builder.communicate(timeout=60)
            assert (builder.returncode, out) == (2, "")
            (said,) = [line for line in err.splitlines() if "error" in line]
            assert f"the scheduler at {processes.address} is gone: start it" in said
            processes.start_scheduler_again()
            processes.add_workers(1)
            processes.kill_worker(0)  # the one that was left over, if it still is
            builder = begun("layer-12.kept")
            out, err = builder.communicate(timeout=60)
            assert builder.returncode == 0, err
        assert target.read_bytes() == small.read_bytes()
        assert not folder.exists()

    def test_a_task_that_kills_its_workers(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Then there are none, which is told to the one who waits for them, and the next."""
        monkeypatch.setattr("kulami_solver.cluster.executor._LOOK", 0.05)
        told = threading.Event()
        said = "task 'try: ply 3 part 0' has ended 4 workers, the last"
        with cluster_of(tmp_path, 1) as processes:
            with (
                cluster.connect(processes.address) as executor,
                executor.watched(lambda _said: told.set()),
            ):
                processes.add_workers(3)
                with pytest.raises(cluster.ClusterError, match=said):
                    run_tasks(executor, [(cluster_processes.end,)], name="try: ply 3")
                assert told.wait(60)
            with pytest.raises(cluster.ClusterError, match="has no workers: start some with 'dask"):
                cluster.connect(processes.address, patience=0.5)

    def test_a_batch(self, tmp_path: Path) -> None:
        check_batch(tmp_path, 120, kills=1, pause=(0.3, 0.6), stops=1)


def test_a_command_waits_for_the_first_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[object] = []
    with cluster_of(tmp_path, 0) as processes:

        def hear(kind: str, text: object, language: str = "en") -> None:
            said.append(text)
            if kind == "waiting":
                processes.add_workers(1)

        monkeypatch.setattr("kulami_solver.cli.output.message", hear)
        small = ["--layout", "AAB/CCB", "--workers", processes.address]
        good("build", str(tmp_path / "small.kdb"), *small)
    assert str(said[0]).endswith(": start some, and the work begins (Ctrl-C ends it)")
    assert str(said[1]).startswith("1 worker with 1 thread at ")


def positions_of_games(count: int, most_free: int) -> list[ks.Position]:
    """Positions of random games, from hard to easy and none twice, the same each time."""
    import random

    draw = random.Random(7)
    found: dict[str, ks.Position] = {}
    while len(found) < count:
        position = ks.Position(ks.Layout.square())
        while not position.is_over:
            if position.free_count <= most_free and draw.random() < 0.3:
                found[position.kfn()] = position
            position = position.play(draw.choice(position.legal_fields))
    return [*found.values()][:count]


def check_batch(
    folder: Path, count: int, kills: int, pause: tuple[float, float], stops: int
) -> None:
    """Solve a file of positions while workers are killed, and the command itself is, too."""
    asked = positions_of_games(count, 26)
    source, results = folder / "asked.kfn", folder / "solved.jsonl"
    source.write_text("".join(f"{position.kfn()}\n" for position in asked), encoding="ascii")
    want = [solution.margin for solution in ks.solve_many(asked)]
    with cluster_of(folder, 3) as processes:
        words = ["solve", "--input", str(source), "--results", str(results), "--workers",
                 processes.address]  # fmt: skip
        with killing(processes, kills, pause, seed=3) as moments:
            for stop in range(stops):
                running = process(*words, stdout=subprocess.DEVNULL)
                wanted = count * (stop + 1) // (stops + 2)
                until(lambda: lines_of(results) >= wanted, running, 120)  # noqa: B023
                running.kill()
                running.communicate()
            ran = good(*words)
            while len(moments) < kills:  # all of them are to come while there is work
                written = results.read_text().splitlines(keepends=True)
                results.write_text("".join(written[: len(written) // 2]))
                ran = good(*words)
    assert [answer["margin"] for answer in ran.answers] == want
    assert all(answer["exact"] for answer in ran.answers)
    header, *lines = results.read_text(encoding="ascii").splitlines()
    assert json.loads(header)["journal"] == "solve"
    found = Counter(json.loads(line)["kfn"] for line in lines)
    assert found == Counter(position.kfn() for position in asked)


def lines_of(path: Path) -> int:
    """How many answers a file of results has."""
    return max(0, path.read_bytes().count(b"\n") - 1) if path.exists() else 0


class TestFolders:
    """Tasks of a build that was killed do no harm to the one that comes after it."""

    PLAN: ClassVar = {"game": "one"}

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Iterator[BuildFolder]:
        folder = BuildFolder(tmp_path / "x.kdb", self.PLAN)
        folder.open(force=False)
        yield folder
        folder.close()

    def test_a_task_of_another_plan_writes_nothing(self, folder: BuildFolder) -> None:
        path = folder.path / "layer-00-00000"
        write(path, [b"ours"], self.PLAN)
        with pytest.raises(ks.DatabaseError, match="the folder is another build's now"):
            write(path, [b"theirs"], {"game": "other"})
        assert path.read_bytes() == b"ours"
        assert {path.name for path in folder.path.iterdir()} == {
            "plan.json", "lock", "layer-00-00000"
        }  # fmt: skip

    def test_a_task_whose_folder_is_gone_writes_nothing(
        self, folder: BuildFolder, tmp_path: Path
    ) -> None:
        folder.clear()
        with pytest.raises(OSError, match="layer"):
            write(folder.path / "layer-00-00000", [b"late"], self.PLAN)
        folder.path.mkdir()  # as one that is about to be removed
        with pytest.raises(OSError, match=r"plan\.json"):
            write(folder.path / "layer-00-00000", [b"late"], self.PLAN)
        assert not list(folder.path.iterdir())

    def test_the_same_again_leaves_the_file_that_others_may_read(self, folder: BuildFolder) -> None:
        path = folder.path / "layer-00-00000"
        assert write(path, [b"a", b"b"], self.PLAN) == write(path, [b"ab"], self.PLAN)
        before = path.stat()
        write(path, [b"ab"], self.PLAN)
        assert path.stat() == before
        path.write_bytes(b"xy")
        write(path, [b"ab"], self.PLAN)
        assert path.read_bytes() == b"ab"


class TestBatches:
    """`kulami solve --results`, without a cluster."""

    def test_hardest_first(self, tmp_path: Path) -> None:
        asked = positions_of_games(30, 16)
        source, results = tmp_path / "asked.kfn", tmp_path / "r.jsonl"
        source.write_text("".join(f"{position.kfn()}\n" for position in asked))
        good("solve", "--input", str(source), "--results", str(results))
        _, *lines = results.read_text().splitlines()
        solved = [ks.Position.from_kfn(json.loads(line)["kfn"]) for line in lines]
        plies = [0 if p.is_over else p.plies_left for p in solved]
        assert plies == sorted(plies, reverse=True)
        assert len(set(plies)) > 5

    def test_any_order(self) -> None:
        """The first takes as long as it may; the others do not wait for it."""
        endless = ks.Position(ks.Layout.square())
        solutions = list(
            ks.solve_many([endless, *CHILDREN], workers=2, time=1.0, memory="1M", in_order=False)
        )
        assert solutions[-1].position == endless
        assert {s.position for s in solutions[:-1]} == set(CHILDREN)


@pytest.mark.nightly
@pytest.mark.parametrize("scoring", ["0", "1", "2", "chains"])
def test_builds_with_workers_killed_at_random(tmp_path: Path, scoring: str) -> None:
    """20 in all, five for each scoring; a build is begun again until they have been killed."""
    here, there = tmp_path / "here.kdb", tmp_path / "there.kdb"
    ks.build(here, ROOT, scoring)
    with (
        cluster_of(tmp_path, 3) as processes,
        cluster.connect(processes.address) as executor,
        killing(processes, 5, (0.3, 2.0), seed=ord(scoring[0])) as moments,
    ):
        while len(moments) < 5:
            ks.build(there, ROOT, scoring, executor=executor)
            assert there.read_bytes() == here.read_bytes()
    assert sorted(path.name for path in tmp_path.glob("*.kdb*")) == ["here.kdb", "there.kdb"]


@pytest.mark.nightly
def test_a_large_batch_with_workers_killed(tmp_path: Path) -> None:
    check_batch(tmp_path, 2000, kills=10, pause=(0.5, 3.0), stops=2)


@pytest.mark.nightly
def test_certificates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By dask's own settings; who has no certificate is not let in."""
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    if shutil.which("openssl") is None:
        pytest.skip("no openssl here")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=127.0.0.1", "-keyout", str(key), "-out", str(certificate)],
        check=True, capture_output=True,
    )  # fmt: skip
    tls = "DASK_DISTRIBUTED__COMM__TLS__"
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION", "True")
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__DEFAULT_SCHEME", "tls")
    monkeypatch.setenv(tls + "CA_FILE", str(certificate))
    for who in ("SCHEDULER", "WORKER", "CLIENT"):
        monkeypatch.setenv(f"{tls}{who}__CERT", str(certificate))
        monkeypatch.setenv(f"{tls}{who}__KEY", str(key))
    with cluster_of(tmp_path, 1) as processes:
        assert processes.address.startswith("tls://127.0.0.1:")
        words = ["solve", "--layout", SMALL, "--workers", processes.address, "--json"]
        running = process(*words)
        out, err = running.communicate(timeout=120)
        assert running.returncode == 0, err
        assert json.loads(out)["margin"] == 2
        monkeypatch.delenv(f"{tls}CLIENT__CERT")
        monkeypatch.delenv(f"{tls}CLIENT__KEY")
        running = process(*words)
        out, err = running.communicate(timeout=120)
        assert (running.returncode, out) == (2, "")
        assert "error" in err.splitlines()[-1], err
        assert "Traceback" not in err
