"""Faults: each can be planted in the code of today, and the comparison tells a fault from none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from groundframe.eval.mutants.faults import PACKAGE, Fault, FaultError, all_faults, faulty_source
from groundframe.eval.mutants.running import Ground, run_faults
from groundframe.eval.subject import Subject

FAULTS = all_faults()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.title)
def test_each_fault_changes_code_that_is_there(fault: Fault) -> None:
    source = faulty_source(fault)
    assert source != (PACKAGE / fault.file).read_text(encoding="utf-8")
    compile(source, fault.file, "exec")


def test_titles_tell_faults_apart() -> None:
    assert len({fault.title for fault in FAULTS}) == len(FAULTS) >= 30


def test_a_fault_whose_text_is_gone_is_said() -> None:
    gone = replace(FAULTS[0], before="no such text")
    with pytest.raises(FaultError, match="its text is 0 times in"):
        faulty_source(gone)


def test_a_fault_is_caught_and_none_survives(ground: Subject) -> None:
    fault = next(one for one in FAULTS if one.title == "a tie at the cut is not seen")
    harmless = Fault("none", fault.file, fault.before, f"{fault.before} ")
    broken = Fault("broken", fault.file, fault.before, "raise")
    asked = Ground(ground.dataset.database.url, ground.dataset.name, seed=1, frames=25)
    caught, survived, unable = run_faults([fault, harmless, broken], asked)
    assert (caught.fate, survived.fate, unable.fate) == ("caught", "survived", "broken")
    assert caught.said.startswith("ties_at_cut: ")
