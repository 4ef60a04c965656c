"""Equality constraints of MJCF: MuJoCo itself finds them met, in any pose that limbik makes."""

from __future__ import annotations

import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest

import limbik
from limbik import FormatError
from limbik.figure.joints import Turn

MODEL = """<mujoco>
  <compiler angle="radian"/>
  <default>
    <default class="rail"><joint type="slide" axis="1 0 0" ref="0.3"/></default>
    <default class="off"><equality active="false"/></default>
  </default>
  <worldbody>
    <body name="a"><geom size="0.1"/><joint name="one" axis="0 1 0" ref="0.2"/>
      <body name="b" pos="1 0 0"><geom size="0.1"/><joint name="two" class="rail"/>
        <body name="c" pos="1 0 0"><geom size="0.1"/><joint name="three" axis="0 0 1" ref="-0.5"/>
        </body>
      </body>
    </body>
  </worldbody>
  <equality>RULES</equality>
</mujoco>"""


def load(folder: Path, rules: str) -> tuple[limbik.Figure, Path]:
    path = folder / "m.xml"
    path.write_text(MODEL.replace("RULES", rules))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return limbik.load(path), path


def worst_residual(figure: limbik.Figure, path: Path) -> float:
    """By how much MuJoCo finds its equality constraints missed, and bodies elsewhere, in poses."""
    theirs = mujoco.MjModel.from_xml_path(str(path))  # type: ignore[attr-defined]
    data = mujoco.MjData(theirs)  # type: ignore[attr-defined]
    worst = 0.0
    for q in np.random.default_rng(0).uniform(-1.0, 1.0, (5, figure.n)):
        inside = figure.project(q)
        for joint in figure.definition:
            slot = figure.tree.slots[figure.tree.slots_of[figure.index(joint.name)][0]]
            at = theirs.joint(joint.alias).qposadr[0]
            data.qpos[at] = slot.scale * inside[slot.coordinate] + slot.shift
        mujoco.mj_forward(theirs, data)  # type: ignore[attr-defined]
        assert data.ne == theirs.neq
        away = figure.positions(inside) - data.xpos[1:]
        worst = max(worst, float(np.abs(data.efc_pos[: data.ne]).max()), float(np.abs(away).max()))
    return worst


@pytest.mark.parametrize(
    ("rules", "free"),
    [
        # What drives the others has its reference value from a class, and stands behind them.
        ('<joint joint1="one" joint2="two" polycoef="0.1 2 0 0 0"/>', ("two", "three")),
        ('<joint joint1="two" joint2="three" polycoef="0.1 -0.5"/>', ("one", "three")),
        (
            '<joint joint1="one" joint2="two" polycoef="0.1 2"/>'
            '<joint joint1="two" joint2="three" polycoef="0 3"/>',
            ("three",),
        ),
        # Without a second joint, or with no slope, a joint stays where it is put.
        ('<joint joint1="one" polycoef="0.4 0 0 0 0"/>', ("one", "two", "three")),
        ('<joint joint1="two" joint2="one" polycoef="0.4 0 0 0 0"/>', ("one", "two", "three")),
    ],
)
def test_mujoco_finds_the_couplings_met(tmp_path: Path, rules: str, free: tuple[str, ...]) -> None:
    figure, path = load(tmp_path, rules)
    assert figure.coordinates == free
    assert worst_residual(figure, path) < 1e-12


def test_a_joint_that_is_held_has_no_room(tmp_path: Path) -> None:
    figure, _ = load(tmp_path, '<joint joint1="one" polycoef="0.4 0 0 0 0"/>')
    assert figure.lower[0] == figure.upper[0] == figure.rest[0] == pytest.approx(0.6)


def test_a_class_may_switch_couplings_off(tmp_path: Path) -> None:
    rule = '<joint joint1="one" joint2="two" class="off"/>'
    assert load(tmp_path, rule)[0].n == 3
    assert load(tmp_path, rule.replace("/>", ' active="true"/>'))[0].n == 2


def test_of_two_rules_for_one_joint_the_last_counts(tmp_path: Path) -> None:
    rules = '<joint joint1="one" joint2="two"/><joint joint1="one" joint2="three"/>'
    _, path = load(tmp_path, rules)
    with pytest.warns(UserWarning, match='joint "one" is bound twice'):
        figure = limbik.load(path)
    turn = figure.definition[0].parts[0]
    assert isinstance(turn, Turn)
    assert turn.coupled is not None
    assert turn.coupled.coordinate == "three"


@pytest.mark.parametrize(
    "rule", ['<joint joint1="ona" joint2="two"/>', '<joint joint1="two" joint2="ona"/>']
)
def test_a_coupling_of_no_joint_is_refused(tmp_path: Path, rule: str) -> None:
    with pytest.raises(FormatError, match=r'line 15: there is no hinge or slide "ona" .*"one"'):
        load(tmp_path, rule)
