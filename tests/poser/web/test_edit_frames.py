"""The numbers that the page's tests of its frames go by are still limbik's own."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from limbik.figure.coordinates import swing_and_twist
from limbik.figure.figure import Figure
from limbik.figure.joints import Coupling, ExponentialBall, Joint, Part, Slide, SwingTwistBall, Turn
from limbik.maths.so3 import exp_map, quat_to_matrix

NUMBERS = (
    Path(__file__).parents[3] / "limbik" / "poser" / "web" / "tests" / "edit" / "edit_frames.json"
)


def _part(saved: dict[str, Any]) -> Part:
    if "twist" in saved:
        ball = ExponentialBall if saved["kind"] == "exponential" else SwingTwistBall
        return ball(tuple(saved["twist"]), tuple(saved["swing"]))
    # The only driver in this figure is the hinge.
    own = saved["coordinate"] >= 0
    coupled = None if own else Coupling("Hinge", saved["scale"], saved["shift"])
    return (Turn if saved["kind"] == "turn" else Slide)(tuple(saved["axis"]), coupled=coupled)


@pytest.fixture(scope="module")
def numbers() -> dict[str, Any]:
    return json.loads(NUMBERS.read_text())


@pytest.fixture(scope="module")
def figure(numbers: dict[str, Any]) -> Figure:
    names = [joint["name"] for joint in numbers["joints"]]
    return Figure(
        Joint(
            joint["name"],
            names[joint["parent"]] if joint["parent"] >= 0 else None,
            tuple(_part(part) for part in joint["parts"]),
            offset=tuple(joint["offset"]),
            wxyz=tuple(joint["wxyz"]),
        )
        for joint in numbers["joints"]
    )


def test_frames_of_the_page_are_those_of_the_figure(
    figure: Figure, numbers: dict[str, Any]
) -> None:
    frames = figure.frames(numbers["q"])
    positions = np.reshape(numbers["positions"], (-1, 3))
    turns = quat_to_matrix(np.reshape(numbers["wxyz"], (-1, 4)))
    np.testing.assert_allclose(frames[:, :3, 3], positions, atol=1e-7)
    np.testing.assert_allclose(frames[:, :3, :3], turns, atol=1e-7)


def test_swing_and_twist_of_the_page_are_those_of_the_balls(
    figure: Figure, numbers: dict[str, Any]
) -> None:
    for name, expected in numbers["swingTwist"].items():
        index = figure.index(name)
        ball = figure.definition[index].parts[-1]
        assert isinstance(ball, ExponentialBall)
        first = numbers["joints"][index]["parts"][-1]["coordinate"]
        turn = exp_map(np.array(numbers["q"][first : first + 3])[None])
        np.testing.assert_allclose(swing_and_twist(ball, turn)[0], expected, atol=1e-7)
