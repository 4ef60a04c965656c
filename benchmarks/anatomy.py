"""Recorded motion against the anatomical limits: how much of it lies outside.

    python -m benchmarks.anatomy            every clip in the folder of real files
    python -m benchmarks.anatomy a.bvh ...  other clips

A frame counts as outside when any joint of the body is more than 5 degrees outside its limit
(``limbik.humanoid.limited``, not widened for the clip).  BVH frames that a converter added in front
(a T-pose, CMU) are left out.  Walks and all others are summed up apart, each frame counting once.

Then the clip is followed by hands, feet, head and hips alone, without limits and with those that
``limbik track`` uses: the share of bent knees and elbows that bend backwards, against the axis that
the recording bends about, and the frames that reached all of their targets.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import limbik
from benchmarks.report import keep, show
from limbik.humanoid.natural import bend_axes

DATA = Path(__file__).parents[2] / "shared" / "data"
FOLDERS = ("cmu_bvh", "cmu_asfamc", "bvh_other", "motion", "gltf")
WALKS = ("02_01", "bvhtoolbox_walk01", "makehuman_walk1", "CesiumMan", "walk")
"""Clips in which somebody walks, by how their names begin, and all that are called a walk."""

OUTSIDE = 5.0  # degrees
BENT = 20.0  # degrees
ENDS = ("hips", "head", "leftHand", "rightHand", "leftFoot", "rightFoot")


def files(arguments: list[str]) -> list[Path]:
    """The clips asked for, else all there are."""
    if arguments:
        return [Path(argument) for argument in arguments]
    endings = (".bvh", ".amc", ".glb")
    found = [file for name in FOLDERS for file in sorted((DATA / name).iterdir())]
    return [file for file in found if file.suffix in endings]


def read(file: Path) -> limbik.Motion:
    """The clip, without limits that its file may have, and without an added first frame."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        clip = limbik.load_motion(file)
    bare = clip.figure.with_limits(dict.fromkeys(clip.figure.joints))
    first = 1 if file.suffix == ".bvh" and clip.frames > 1 else 0
    return limbik.Motion(bare, clip.q[first:], clip.fps, clip.name)


def outside(clip: limbik.Motion) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """((frames,) whether any joint is outside, joint → (frames,) degrees outside)."""
    figure = limbik.humanoid.limited(clip.figure, clip.q)
    q = clip.onto(figure).q
    away = np.degrees(np.abs(figure.project(q) - q))
    away[:, figure.slides] = 0.0
    joints = {
        name: away[:, figure.coordinates_of(name)].max(axis=1)
        for name in figure.joints
        if len(figure.coordinates_of(name))
    }
    return np.max(list(joints.values()), axis=0) > OUTSIDE, joints


def backwards(clip: limbik.Motion, followed: limbik.Motion) -> tuple[float, float]:
    """Percent of the bent knees and of the bent elbows, in frames, that bend the wrong way."""
    body = limbik.humanoid.recognise(clip.figure)
    axes = bend_axes(clip.figure, body, clip.q)
    frames = followed.figure.frames(followed.q)
    out = []
    for part, end in (("UpperLeg", "Foot"), ("UpperArm", "Hand")):
        bent = wrong = 0
        for role in (side + part for side in ("left", "right")):
            if role not in axes:
                continue
            joints = (role, role.replace("Upper", "Lower"), role[:-8] + end)
            i, j, k = (followed.figure.index(body[r]) for r in joints)
            one = frames[:, j, :3, 3] - frames[:, i, :3, 3]
            two = frames[:, k, :3, 3] - frames[:, j, :3, 3]
            lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(two, axis=1)
            both = np.cross(one, two) / lengths[:, None]
            along = np.einsum("fab,b,fa->f", frames[:, i, :3, :3], axes[role], both)
            angle = np.degrees(np.arccos(np.clip((one * two).sum(axis=1) / lengths, -1.0, 1.0)))
            bent += int((angle > BENT).sum())
            wrong += int(((angle > BENT) & (along < 0.0)).sum())
        out.append(100.0 * wrong / bent if bent else 0.0)
    return out[0], out[1]


def follow(clip: limbik.Motion, figure: limbik.Figure) -> limbik.Track:
    """The clip followed by the ends of its limbs, on a figure with the same joints."""
    body = limbik.humanoid.recognise(clip.figure)
    names = [body[role] for role in ENDS]
    targets = clip.positions()[:, [clip.figure.index(name) for name in names]]
    start = clip.onto(figure).q[0]
    return limbik.track(figure, names, targets, start=start, fps=clip.fps)


def measure(file: Path) -> dict[str, Any] | None:
    """A row for a clip; None where there is no body or no pose that stands."""
    clip = read(file)
    if not limbik.humanoid.recognise(clip.figure).complete:
        return None
    try:
        bad, joints = outside(clip)
    except limbik.FigureError:
        return None
    shares = {name: float((values > OUTSIDE).mean()) for name, values in joints.items()}
    worst = sorted((name for name in shares if shares[name]), key=lambda name: -shares[name])[:3]
    row: dict[str, Any] = {
        "clip": f"{file.parent.name}/{file.name}",
        "walk": file.stem.startswith(WALKS),
        "frames": clip.frames,
        "outside_percent": 100.0 * float(bad.mean()),
        "worst": ", ".join(
            f"{name} {100.0 * shares[name]:.1f} % to {joints[name].max():.0f}°" for name in worst
        ),
    }
    sampled = clip.sample(max(0.05, 1.0 / clip.fps)) if clip.frames > 20 else None
    if sampled is not None:
        held = limbik.humanoid.limited(clip.figure, clip.q, hold=True)
        for name, figure in (("free", clip.figure), ("limited", held)):
            track = follow(sampled, figure)
            knees, elbows = backwards(sampled, track.motion)
            row[f"knees_{name}"], row[f"elbows_{name}"] = knees, elbows
            row[f"reached_{name}"] = 100.0 * float(np.mean([s == "REACHED" for s in track.status]))
    return row


def main(arguments: list[str]) -> None:
    """Measure every clip."""
    rows = [row for file in files(arguments) if (row := measure(file)) is not None]
    shown = ("clip", "frames", "outside_percent", "worst")
    show("Outside the anatomical limits", [{k: row[k] for k in shown} for row in rows])
    more = [row for row in rows if "knees_free" in row]
    if more:
        show(
            "Followed by hands, feet, head and hips: % that bends backwards, % of frames reached",
            [
                {k: v for k, v in row.items() if k == "clip" or k not in (*shown, "walk")}
                for row in more
            ],
        )
    totals = []
    for walk in (True, False):
        own = [row for row in rows if row["walk"] == walk]
        frames = sum(row["frames"] for row in own)
        if frames:
            share = sum(row["frames"] * row["outside_percent"] for row in own) / frames
            name = "walks" if walk else "others"
            totals.append({"clips": name, "frames": frames, "outside_percent": share})
    show("Together", totals)
    if not arguments:
        keep("anatomy", [*rows, *totals])


if __name__ == "__main__":
    main(sys.argv[1:])
