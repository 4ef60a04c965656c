"""line_search: the gallery, the run and the jump of Figures 1, 3 and 6."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import limbik
from helpers import real_data
from helpers.command_line import Ran
from limbik.papers.contract import Order, Verdict
from limbik.papers.line_search import caps
from limbik.papers.line_search import contestants as who
from limbik.papers.line_search.actor import FEET, actor, first_pose, standing
from limbik.papers.line_search.chapters import gallery, jump, running
from limbik.papers.line_search.chapters.gallery import Posed
from limbik.papers.line_search.subject import height

# ---- the gallery --------------------------------------------------------------------------------


def test_any_skeleton_or_not() -> None:
    good, short, broken = (
        Posed(1.0, 0.0, 0, True),
        Posed(0.2, 0.0, 0, True),
        Posed(1.0, 0.0, 3, True),
    )

    def judge(*rigs: Posed, own: Posed = good) -> Verdict:
        found = {f"rig {k}": rig for k, rig in enumerate(rigs)}
        return gallery.claims(found, dict.fromkeys(found, own))[0].verdict

    assert judge(good, good) is Verdict.HOLDS
    assert judge(good, short) is Verdict.DEPENDS
    assert judge(good, broken) is Verdict.DEPENDS
    assert judge(good, good, own=short) is Verdict.DEPENDS
    assert judge(short, broken, own=short) is Verdict.FAILS
    for bad in (Posed(1.0, 1e-9, 0, True), Posed(1.0, 0.0, 1, True), Posed(1.0, 0.0, 0, False)):
        assert not bad.sound
    assert "rig 1 20 %" in gallery.claims({"rig 1": short}, {"rig 1": short})[0].seen


def test_effectors_are_ends_of_limbs_the_longest_first() -> None:
    assert set(gallery.effectors_of(limbik.figures.hand())) == {
        f"{finger}3" for finger in ("Thumb", "Index", "Middle", "Ring", "Little")
    }
    found = gallery.effectors_of(limbik.figures.human())
    assert len(found) == gallery.MOST
    assert gallery.effectors_of(limbik.figures.chain([1.0, 1.0])) == ["Tip"]


def test_targets_of_the_gallery_can_be_reached() -> None:
    figure = gallery.in_the_papers_unit(limbik.figures.arm())
    assert figure.size == pytest.approx(9.0)
    effectors = gallery.effectors_of(figure)
    start, targets = gallery.problems(figure, effectors, 3, seed=1)
    assert figure.violation(start) == 0.0
    again = gallery.problems(figure, effectors, 3, seed=1)[1]
    np.testing.assert_array_equal(targets, again)
    goals = [limbik.Reach(effectors[0], position=targets[0][0])]
    assert limbik.solve(figure, goals, start=start).ok


def test_skeletons_come_from_files(tmp_path: Path) -> None:
    (tmp_path / "rigs").mkdir()
    limbik.save(limbik.figures.chain([1, 2]), tmp_path / "rigs" / "bones.bvh")
    limbik.save(limbik.figures.chain([1, 2]), tmp_path / "rigs" / "same_bones.bvh")
    (tmp_path / "rigs" / "broken.bvh").write_text("HIERARCHY\n")
    (tmp_path / "rigs" / "notes.txt").write_text("")
    paths = gallery.files_in(tmp_path)
    assert [path.name for path in paths] == ["bones.bvh", "broken.bvh", "same_bones.bvh"]
    rigs, refused = gallery.from_files(paths)
    assert list(rigs) == ["rigs/bones.bvh"]
    assert list(refused) == ["rigs/broken.bvh"]
    assert str(tmp_path) not in refused["rigs/broken.bvh"]


def test_a_folder_without_skeletons_is_refused(tmp_path: Path) -> None:
    ran = Ran("papers", "line_search", "--rigs", tmp_path, "--out", tmp_path / "out")
    assert ran.code == 2
    assert "there is no file of a skeleton in the folder" in ran.err


def test_real_rigs_are_posed_inside_their_limits() -> None:
    names = ("gltf/RiggedFigure.glb", "robots/rtb_puma560_robot.urdf", "cmu_asfamc/02.asf")
    order = Order(quick=True, rigs=tuple(real_data.find(name) for name in names))
    chapter = gallery.chapter(order)
    found = chapter.numbers["posed"]
    assert set(found) == {*gallery.built_in(), *names}
    assert all(one.sound for row in found.values() for one in row.values())
    assert chapter.pictures[0].data[:4] == b"\x89PNG"
    assert len(chapter.tables[0].rows) == len(found)


# ---- the run ------------------------------------------------------------------------------------


def test_the_actor_stands_nine_units_tall() -> None:
    assert height(actor().figure) == pytest.approx(9.0)
    assert standing().shape == (6, 3)
    assert standing()[:, 1].argmax() == 5  # the head


def test_the_run_goes_on_and_keeps_its_feet_above_the_floor() -> None:
    targets = running.run_targets(2 * running.CYCLE)
    ankle = standing()[FEET, 1].min()
    assert (targets[:, FEET, 1] >= ankle - 1e-12).all()
    later = targets[running.CYCLE :] - targets[: running.CYCLE]
    np.testing.assert_allclose(
        later, np.broadcast_to([0.0, 0.0, running.SPEED], later.shape), atol=1e-9
    )


def test_a_run_can_be_made_and_edited_or_not() -> None:
    def judge(within: float = 1.0, jumps: int = 0, edited: float = 1.0, rough: float = 1.0):
        runs = {
            who.LINE_SEARCH: running.Run(within, jumps, edited, 0.1, rough),
            who.DEFAULT: running.Run(0.0, 9, 0.0, 9.0, 9.0),
        }
        return running.claims(runs)[0].verdict

    assert judge() is Verdict.HOLDS
    assert judge(within=0.9) is Verdict.DEPENDS
    assert judge(edited=0.5) is Verdict.DEPENDS
    assert judge(within=0.0, jumps=3, edited=0.0, rough=2.0) is Verdict.FAILS


def test_a_run_gives_the_same_numbers_twice() -> None:
    kept = caps.read()
    one, two = (running.chapter(Order(quick=True), kept) for _ in range(2))
    np.testing.assert_equal(one.numbers, two.numbers)
    assert one.claims == two.claims
    assert [p.data for p in one.pictures] == [p.data for p in two.pictures]


# ---- the jump -----------------------------------------------------------------------------------


def test_the_jump_has_eleven_key_frames_that_can_be_posed() -> None:
    """In reach with restarts, as a user would pose them; what is judged goes without."""
    targets = jump.jump_targets()
    assert targets.shape == (11, 6, 3)
    one, q = actor(), first_pose(targets[0])
    np.testing.assert_allclose(targets[0], standing())
    for wanted in targets:
        goals = [
            limbik.Reach(name, position=at) for name, at in zip(one.effectors, wanted, strict=True)
        ]
        found = limbik.solve(one.figure, goals, start=q)
        assert found.ok, found.why
        q = found.q


def test_one_objective_is_better_or_not() -> None:
    def judge(together: list[float], worst: list[float]) -> list[Verdict]:
        errors = {jump.TOGETHER: np.array(together), jump.APART: np.ones(2)}
        return [claim.verdict for claim in jump.claims(errors, worst)]

    assert judge([0.1, 0.2], [0.01, 0.02]) == [Verdict.HOLDS, Verdict.HOLDS]
    assert judge([0.1, 2.0], [0.01, 0.2]) == [Verdict.DEPENDS, Verdict.DEPENDS]
    assert judge([3.0, 2.0], [0.1, 0.2]) == [Verdict.FAILS, Verdict.FAILS]


def test_chain_by_chain_the_root_follows_the_pelvis_alone() -> None:
    targets = jump.jump_targets()[:2]
    poses, apart = jump.solve_keys(targets, jump.APART)
    assert apart[1, 4] < 1e-6  # the pelvis is where it shall be: nothing moved the root away
    assert actor().figure.violation(poses[1]) == 0.0
