"""SIGTERM, which does what Ctrl-C does."""

from __future__ import annotations

import signal

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
                assert told_to_end()
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


def test_a_program_that_handles_sigterm_itself_goes_on_doing_so() -> None:
    told: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: told.append(number))
    try:
        with ended_as_interrupted():
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert told == [signal.SIGTERM]
