"""Faults: each can be planted in the code of today, and the comparison tells a fault from none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from groundframe.eval.mutants.answering import first_difference
from groundframe.eval.mutants.faults import PACKAGE, Fault, FaultError, all_faults, faulty_source
from groundframe.eval.mutants.running import judged_cases, run_faults
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
    turned = Fault("turned", "compiler/lowering/logic.py", "return column < bound", "return bound > column")
    broken = Fault("broken", fault.file, fault.before, "raise")
    cases = list(judged_cases(ground.dataset, seed=1, frames=25))
    caught, *survived, unable = run_faults([fault, harmless, turned, broken], cases, ground.dataset)
    assert (caught.fate, unable.fate) == ("caught", "broken")
    assert [one.fate for one in survived] == ["survived", "survived"]
    assert caught.said.startswith("ties_at_cut: ")


def test_what_is_asked_as_before_is_not_asked_again(ground: Subject) -> None:
    cases = list(judged_cases(ground.dataset, seed=1, frames=8))
    one = next(case for case in cases if case.expected.rows)
    wrong = replace(one, expected=replace(one.expected, rows=()))
    assert first_difference(ground, [wrong]) is None
    number, _ = first_difference(ground, [one, replace(wrong, asked=None)]) or (None, "")
    assert number == 1


def test_faults_lie_where_statements_are_made() -> None:
    # A frame whose statements are as without the fault is taken to have the same answer.
    places = ("compiler/", "postgis/spelling.py", "postgis/rewrites.py")
    assert [fault.file for fault in FAULTS if not fault.file.startswith(places)] == []
