"""Draws docs/pictures/retarget.png: a recorded walk, and the same walk on a robot and on the human.

    PYTHONPATH=. python docs/retarget_picture.py

Needs matplotlib, and the recordings and robots that the tests use.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

import limbik
from tests.helpers.real_data import root

HERE = Path(__file__).resolve().parent


def draw(axis: Axes, motion: limbik.Motion, up: int, title: str) -> None:
    """Five frames of a motion from the side, from light to dark, on the ground."""
    figure, places = motion.figure, motion.positions()
    ahead = int(np.argmax(np.ptp(places[:, 0], axis=0) * (np.arange(3) != up)))
    places[..., ahead] *= np.sign(places[-1, 0, ahead] - places[0, 0, ahead])
    frames = np.linspace(0, motion.frames - 1, 5).astype(int)
    for k, t in enumerate(frames):
        for i, parent in enumerate(figure.parents.tolist()):
            if parent > 0:
                pair = places[t, [parent, i]]
                axis.plot(
                    pair[:, ahead],
                    pair[:, up],
                    color=plt.get_cmap("viridis")(0.9 - 0.2 * k),
                    lw=1.5,
                )
    axis.axhline(limbik.find_ground(motion), color="0.6", lw=0.8)
    axis.set_aspect("equal")
    axis.set_axis_off()
    axis.set_title(title)


def main() -> None:
    """Draw and save."""
    clip = limbik.load_motion(root() / "cmu_bvh/02_01.bvh")[10:250:4]
    robot = limbik.load(root() / "robots_mjcf/unitree_g1/g1.xml")
    page, axes = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
    draw(axes[0], clip, 1, "recorded (CMU 02_01)")
    draw(axes[1], limbik.retarget(clip, onto=robot).motion, 2, "Unitree G1")
    draw(axes[2], limbik.retarget(clip, onto=limbik.figures.human()).motion, 1, "built-in human")
    page.savefig(HERE / "pictures" / "retarget.png", dpi=110)


if __name__ == "__main__":
    main()
