"""The hand: 16 joints, 22 coordinates, fingers that curl into the palm."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from limbik.figures import FINGERTIPS, hand


def tips(q: np.ndarray) -> dict[str, np.ndarray]:
    frames = hand().frames(q)
    found = {}
    for finger, (joint, offset) in FINGERTIPS.items():
        frame = frames[hand().index(joint)]
        found[finger] = frame[:3, :3] @ np.array(offset) + frame[:3, 3]
    return found


def test_counts() -> None:
    fig = hand()
    assert (len(fig.joints), fig.n, len(FINGERTIPS)) == (16, 22, 5)
    assert (fig.unit, fig.up) == ("m", "y")
    assert fig.violation(fig.rest) == 0.0
    assert np.isfinite([fig.lower, fig.upper]).all()
    for joint, offset in FINGERTIPS.values():
        assert fig.definition[fig.index(joint)].tip == offset


def test_size_and_order_of_the_fingers() -> None:
    at = tips(np.zeros(22))
    assert np.linalg.norm(at["Middle"]) == pytest.approx(0.189, abs=0.005)
    across = [at[f][0] for f in ("Little", "Ring", "Middle", "Index", "Thumb")]
    assert across == sorted(across)  # a right hand, palm down: the thumb is on its left, at +x
    assert max(at, key=lambda f: at[f][2]) == "Middle"


@pytest.mark.parametrize("finger", ["Index", "Middle", "Ring", "Little"])
def test_a_finger_curls_into_the_palm_and_not_backwards(finger: str) -> None:
    fig = hand()
    q = np.zeros(fig.n)
    for joint in (f"{finger}1", f"{finger}2", f"{finger}3"):
        q[fig.coordinates_of(joint)[0]] = np.radians(80)
    assert fig.violation(q) == 0.0
    knuckle = fig.positions(q)[fig.index(f"{finger}1")]
    at = tips(q)[finger]
    assert at[1] < -0.01
    assert at[2] < knuckle[2]
    back = np.zeros(fig.n)
    back[fig.coordinates_of(f"{finger}2")] = -0.1
    assert fig.violation(back) == pytest.approx(0.1)


@pytest.mark.parametrize("finger", ["Index", "Middle", "Ring", "Little"])
def test_the_thumb_can_meet_every_fingertip(finger: str) -> None:
    fig = hand()

    def gap(q: np.ndarray) -> float:
        at = tips(q)
        return 100 * float(np.linalg.norm(at[finger] - at["Thumb"]))

    starts = np.random.default_rng(0).uniform(fig.lower, fig.upper, (4, fig.n))
    bounds = list(zip(fig.lower, fig.upper, strict=True))
    assert any(minimize(gap, q, bounds=bounds).fun < 0.3 for q in starts)  # cm


def test_the_wrist_moves_the_whole_hand() -> None:
    q = np.zeros(22)
    q[0] = np.radians(60)
    assert tips(q)["Middle"][1] < -0.1  # flexion: towards the palm
    q[:2] = 0.0, np.radians(15)
    assert tips(q)["Middle"][0] > 0.03  # radial: towards the thumb
