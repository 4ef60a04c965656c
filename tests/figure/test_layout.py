"""The one table of the flat buffers: what is packed by it is read by it."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from limbik.figure import layout as lay
from limbik.solver.problem import Problem

HUMAN = limbik.figures.human()


def test_every_counted_section_of_a_problem_lies_inside_its_buffers_and_apart() -> None:
    goals = [limbik.Reach("LeftHand", position=[0.5, 1.2, 0.4]), limbik.Rest()]
    problem = Problem(HUMAN, goals)
    taken = {"ints": np.zeros(len(problem.ints), int), "floats": np.zeros(len(problem.floats), int)}
    taken["ints"][: lay.HEADER] += 1
    for entry, what in enumerate(lay.SECTIONS):
        if what.kind != "count" and what.per is not None:
            first = lay.record_at(problem.ints, entry)
            size = lay.section(problem.ints, problem.floats, entry).size
            assert first + size <= len(taken[what.kind])
            taken[what.kind][first : first + size] += 1
    assert max(taken["ints"].max(), taken["floats"].max()) == 1
    assert len(lay.SECTIONS) <= lay.HEADER


def test_a_section_is_read_by_its_name_and_shape() -> None:
    ints, floats = HUMAN.buffers
    parents = lay.section(ints, floats, lay.I_PARENT).astype(np.int64)
    np.testing.assert_array_equal(np.where(parents == lay.NONE, -1, parents), HUMAN.parents)
    offsets = lay.section(ints, floats, lay.F_OFFSET)
    np.testing.assert_array_equal(offsets, [joint.offset for joint in HUMAN.definition])
    cones = lay.section(ints, floats, lay.I_CONE)
    starts = [cone[0] for cone in HUMAN.tree.cones]
    np.testing.assert_array_equal(cones[:, lay.CONE_START], starts)
    hand = HUMAN.index("LeftHand")
    assert lay.record_at(ints, lay.F_OFFSET, hand) == lay.record_at(ints, lay.F_OFFSET) + 3 * hand


def test_what_does_not_fit_the_table_is_refused() -> None:
    pack = lay.Buffers()
    pack.count(lay.N_JOINTS, 2)
    with pytest.raises(ValueError, match="parent of a joint: 3 numbers for 2 × 1"):
        pack.ints(lay.I_PARENT, [-1, 0, 1])
    with pytest.raises(ValueError, match="offset of a joint from its parent are floats, not ints"):
        pack.ints(lay.F_OFFSET, [0, 0, 0, 0, 0, 0])
    pack.floats(lay.F_OFFSET, np.zeros((2, 3)))
    ints, floats = pack.done()
    assert lay.section(ints, floats, lay.F_OFFSET).shape == (2, 3)
    with pytest.raises(ValueError, match="runs of rows are not counted"):
        lay.section(ints, floats, lay.I_RUN)
