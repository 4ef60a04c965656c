"""Effort limits of models, and what is left out of a model with a warning."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import limbik
from limbik import LimbikWarning


def test_efforts_come_from_joints_and_actuators(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text(
        '<mujoco><default><motor ctrlrange="-2 3"/></default><worldbody><body>'
        + "".join(
            f'<joint name="j{k}" axis="0 0 1" {extra}/>'
            for k, extra in enumerate(["", 'actuatorfrcrange="-5 4"', "", ""])
        )
        + '<geom size="0.1"/></body></worldbody><actuator><motor joint="j0" gear="10"/>'
        '<position joint="j1" forcerange="-8 8"/><general joint="j2" ctrlrange="0 1"/>'
        '<motor joint="j2" forcerange="-1 1" gear="-2"/></actuator></mujoco>'
    )
    assert limbik.load(path).effort_limits.tolist() == [30.0, 5.0, math.inf, math.inf]


@pytest.mark.parametrize(
    ("geoms", "message"),
    [
        ('<geom type="box" size="1 2"/>', "<geom> of .b. is left out: size needs 3 numbers"),
        ('<geom size="-1"/>', "<geom> of .b. is left out: its size must be above 0"),
        ('<geom size="1" density="-5"/>', "mass of .b. is left out: Inertia: a mass must"),
        ('<geom size="1e200"/>', "mass of .b. is left out"),
        ('<geom type="capsule" size="1" fromto="0 0 0 0 0 0"/>', "<geom> of .b. is left out"),
        ('<geom type="mesh" mesh="none"/>', "there is no mesh"),
        ('<geom type="mesh"/>', "its type is mesh, and it names none"),
        ('<geom type="mesh" mesh="bad"/>', "<mesh> is left out: its vertices or faces are not"),
        ('<replicate count="3"><geom size="1"/></replicate>', "copies of geoms are not made"),
        ('<inertial mass="-1" pos="0 0 0" diaginertia="1 1 1"/>', "<inertial> of .b. is left out"),
        ('<geom class="none" size="1"/>', "no default class"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*is left out.*:limbik.LimbikWarning")
def test_a_fault_of_a_model_is_a_warning_and_it_moves(
    geoms: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "model.xml"
    path.write_text(
        '<mujoco><asset><mesh name="bad" vertex="0 0 x"/></asset><worldbody><body name="b">'
        f'<joint name="j"/>{geoms}</body></worldbody>'
        '<actuator><motor joint="j" gear=" "/><plugin joint="j"/></actuator></mujoco>'
    )
    with pytest.warns(LimbikWarning, match=message):
        figure = limbik.load(path)
    assert figure.n == 1
    assert figure.mass == 0.0
