"""``limbik fit-markers``: a figure follows a file of markers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import limbik
from helpers.command_line import Ran
from limbik.animate.markers.names import seats
from limbik.humanoid.recognise import recognise

SIDED = ("FHD", "SHO", "ELB", "WRA", "FWT", "BWT", "KNE", "ANK", "TOE")


def test_a_figure_follows_markers(tmp_path: Path) -> None:
    human = limbik.figures.human()
    names = tuple(side + name for name in SIDED for side in "LR")
    places = seats(human, recognise(human), names)
    clip = limbik.figures.cartwheel()[:30:10]
    rows = []
    for frame, world in enumerate(clip.figure.frames(clip.q)):
        at = [world[human.index(s.joint)] @ np.append(s.at, 1.0) for s in places.values()]
        cells = " ".join(f"{1e3 * value:.6f}" for place in at for value in place[:3])
        rows.append(f"{frame} {frame / 12} {cells} 1 2 3")
    head = ["PathFileType 4 (X/Y/Z) a.trc", "DataRate NumMarkers Units", f"12 {len(names) + 1} mm"]
    head += [f"Frame# Time {' '.join(names)} Odd", "X1 Y1 Z1"]
    file, out = tmp_path / "a.trc", tmp_path / "a.bvh"
    file.write_text("\n".join([*head, *rows]) + "\n")
    ran = Ran("fit-markers", file, "human", out, "--json", "--no-calibrate")
    assert (ran.code, ran.err) == (0, "")
    said = json.loads(ran.out)
    assert (said["frames"], said["ignored"], len(said["markers"])) == (3, ["Odd"], 18)
    assert said["rms_mm"] < 5.0
    assert set(said["scales"].values()) == {1.0}
    away = limbik.load_motion(out).positions() - clip.positions()
    assert np.median(np.linalg.norm(away, axis=-1)) < 0.03
    assert "already exists" in Ran("fit-markers", file, "human", out).err
    wrong = Ran("fit-markers", file, "human", tmp_path / "b.bvh", "--seat", "Odd")
    assert "expected MARKER=JOINT" in wrong.err
