"""SIGTERM and SIGHUP, which do what Ctrl-C does."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from kulami_solver.core.interruption import ended_as_interrupted, interrupts_deferred, told_to_end


def test_sigterm_waits_for_its_time_even_where_ctrl_c_is_ignored() -> None:
    """As in a job that a script has put in the background; Ctrl-C stays ignored there."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with ended_as_interrupted():
            signal.raise_signal(signal.SIGINT)
            with interrupts_deferred() as check:
                signal.raise_signal(signal.SIGTERM)
                assert told_to_end() is signal.SIGTERM
                with pytest.raises(KeyboardInterrupt):
                    check()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_the_second_sigterm_of_timeout_does_no_harm() -> None:
    told = []
    with ended_as_interrupted():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)
        told.append("what is left")
    assert told == ["what is left"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_program_that_handles_a_signal_itself_goes_on_doing_so(number: signal.Signals) -> None:
    told: list[int] = []
    before = signal.signal(number, lambda number, _: told.append(number))
    try:
        with ended_as_interrupted():
            signal.raise_signal(number)
    finally:
        signal.signal(number, before)
    assert told == [number]


def test_nohup_keeps_it_from_ending() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ended_as_interrupted():
            signal.raise_signal(signal.SIGHUP)
        assert told_to_end() is None
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("module", ["storage.container", "kulami.database.probe", "kulami.prove"])
def test_ctrl_c_is_not_lost_in_an_import_of_msgspec(module: str) -> None:
    """What was left of it crashed when the next file was read."""
    program = (
        "import sys\n"
        "class Pressed:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'datetime':\n"
        "            sys.meta_path.remove(self)\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Pressed())\n"
        "try:\n"
        f"    import kulami_solver.{module}\n"
        "except KeyboardInterrupt:\n"
        "    print('heard')\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert ran.stdout.split() == [b"heard"]
