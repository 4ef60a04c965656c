"""Inside Blender: an armature like the figure, its IK constraints, and one solve a frame.

Runs in a process of its own (``python -m limbik.papers.blender_scene IN.npz OUT.npz``), because
Blender's module ``bpy`` takes a whole process for itself.  blender.py starts it.
"""

from __future__ import annotations

import importlib
import math
import sys
import time
from typing import Any

import numpy as np

from limbik.maths.quaternions import matrix_to_quat
from limbik.maths.so3 import swing_twist

CONTESTANTS = (
    ("legacy", "LEGACY", False),
    ("legacy_carried", "LEGACY", True),
    ("itasc", "ITASC", False),
    ("itasc_carried", "ITASC", True),
)
"""(key in blender.NAMES, Blender's solver, whether the last solution becomes the next start)."""

_WIDEST = math.radians(170.0)
_LEAST = math.radians(1.0)  # a range must contain 0, and an empty one would lock the axis


class Scene:
    """A figure as an armature, with an empty for every target."""

    def __init__(self, bpy: Any, job: dict[str, np.ndarray]) -> None:
        self.bpy = bpy
        self.parents, self.effectors = job["parents"], job["effectors"]
        self.armature = _armature(bpy, job["heads"], job["tails"], self.parents, self.effectors)
        self.bones = [self.armature.pose.bones[f"joint{j}"] for j in range(len(self.parents))]
        self.rest = np.array([np.array(bone.bone.matrix_local) for bone in self.bones])
        self.targets = []
        for e in self.effectors:
            empty = bpy.data.objects.new(f"target{e}", None)
            bpy.context.scene.collection.objects.link(empty)
            self.targets.append(empty)
            if self.parents[e] < 0:
                continue
            bone = self.armature.pose.bones[f"effector{e}"]
            bone.lock_ik_x = bone.lock_ik_y = bone.lock_ik_z = True
            reach = bone.constraints.new("IK")
            reach.target, reach.chain_count, reach.use_stretch = empty, 0, False
        for bone in self.bones:
            bone.rotation_mode = "QUATERNION"

    def local(self, turned: np.ndarray) -> np.ndarray:
        """(..., joints, 3, 3) each bone's own turn, from how its joint is turned in the world."""
        out = np.empty_like(turned)
        for j, parent in enumerate(self.parents):
            rest = self.rest[j, :3, :3]
            carried = rest if parent < 0 else turned[..., parent, :, :] @ rest
            out[..., j, :, :] = np.swapaxes(carried, -1, -2) @ turned[..., j, :, :] @ rest
        return out

    def limit(self, turns: np.ndarray, margin: float) -> np.ndarray:
        """Limits around the reference's ``turns`` (frames, joints, 3, 3); (joints, 6) half-axes.

        Blender bounds the swing by a quarter ellipse in each quadrant, in sines of half angles, and
        the twist by a range; both must contain 0.  The ellipses are widened until they hold the
        reference.  A row is −x, +x, −z, +z of the swing and −, + of the twist, positive, in rad;
        inf where the reference goes so far that there is no limit.
        """
        swing, twist = _parts(turns)
        out = np.full((len(self.bones), 6), math.inf)
        for j, bone in enumerate(self.bones):
            if self.parents[j] < 0:
                continue  # the root turns freely
            angle = 2.0 * np.arcsin(np.clip(swing[:, j], -1.0, 1.0))
            reach = np.array([-angle.min(axis=0), angle.max(axis=0)]).T.ravel()
            reach = np.clip(reach + margin, _LEAST, math.pi)
            half = np.sin(0.5 * reach) * max(1.0, float(_beyond(swing[:, j], reach).max()))
            if half.max() <= math.sin(0.5 * _WIDEST):
                out[j, :4] = reach = 2.0 * np.arcsin(half)
                bone.use_ik_limit_x = bone.use_ik_limit_z = True
                bone.ik_min_x, bone.ik_max_x = -reach[0], reach[1]
                bone.ik_min_z, bone.ik_max_z = -reach[2], reach[3]
            turn = np.array([-twist[:, j].min(), twist[:, j].max()]) + margin
            if turn.max() <= _WIDEST:
                out[j, 4:] = turn = np.maximum(turn, _LEAST)
                bone.use_ik_limit_y = True
                bone.ik_min_y, bone.ik_max_y = -turn[0], turn[1]
        return out

    def outside(self, turns: np.ndarray, limits: np.ndarray) -> np.ndarray:
        """(frames,) how far the worst joint is outside its limits, rad."""
        swing, twist = _parts(turns)
        worst = np.zeros(len(turns))
        for j in range(len(self.bones)):
            off = np.maximum(0.0, twist[:, j] - limits[j, 5])
            if math.isfinite(limits[j, 0]):
                over = np.maximum(1.0, _beyond(swing[:, j], limits[j, :4]))
                length = np.clip(np.linalg.norm(swing[:, j], axis=-1), 0.0, 1.0)
                off = np.maximum(off, 2.0 * (np.arcsin(length) - np.arcsin(length / over)))
            worst = np.maximum(worst, np.maximum(off, -limits[j, 4] - twist[:, j]))
        return worst

    def pose(self, turn: np.ndarray, place: np.ndarray) -> None:
        """The pose that inverse kinematics starts from: every bone's turn, and the root's place."""
        for j, bone in enumerate(self.bones):
            bone.rotation_quaternion = matrix_to_quat(turn[j])
        self.put(place)

    def put(self, place: np.ndarray) -> None:
        """The root at a place; no IK constraint moves it."""
        rest = self.rest[0]
        self.bones[0].location = rest[:3, :3].T @ (place - rest[:3, 3])

    def solve(self, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """(joint positions, turned (joints, 3, 3), seconds) for targets (effectors, 3)."""
        for e, empty, at in zip(self.effectors, self.targets, targets, strict=True):
            empty.location = at
            if self.parents[e] < 0:
                self.put(at)
        began = time.perf_counter()
        self.bpy.context.view_layer.update()
        seconds = time.perf_counter() - began
        world = np.array([np.array(bone.matrix) for bone in self.bones])
        turned = world[:, :3, :3] @ np.swapaxes(self.rest[:, :3, :3], -1, -2)
        return world[:, :3, 3], turned, seconds


def _armature(bpy: Any, heads: Any, tails: Any, parents: Any, effectors: Any) -> Any:
    """An armature with a bone per joint, and a stiff bone that ends at each effector.

    An IK constraint brings the tail of its bone to the target, and a joint is the head of its bone:
    so the constraint sits on a bone that the joint's parent carries and whose tail is the joint.
    """
    data = bpy.data.armatures.new("figure")
    armature = bpy.data.objects.new("figure", data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    bones: list[Any] = []
    for j, parent in enumerate(parents):
        bone = data.edit_bones.new(f"joint{j}")
        bone.head, bone.tail, bone.use_connect = heads[j], tails[j], False
        if parent >= 0:
            bone.parent = bones[parent]
        bones.append(bone)
    for e in effectors:
        if parents[e] >= 0:
            bone = data.edit_bones.new(f"effector{e}")
            bone.head, bone.tail = 0.5 * (heads[parents[e]] + heads[e]), heads[e]
            bone.parent, bone.use_connect = bones[parents[e]], False
    bpy.ops.object.mode_set(mode="POSE")
    return armature


def _parts(turns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """((..., 2) sines of half the swing about x and z, (...,) the twist about y, rad)."""
    swing, twist = swing_twist(matrix_to_quat(turns), [0.0, 1.0, 0.0])
    sign = np.where(swing[..., :1] < 0.0, -1.0, 1.0)
    angle = 2.0 * np.arctan2(twist[..., 2], twist[..., 0])
    return sign * swing[..., [1, 3]], (angle + math.pi) % (2.0 * math.pi) - math.pi


def _beyond(swing: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """(frames,) how many times as far as the ellipse of its quadrant a swing (frames, 2) goes."""
    half = np.sin(0.5 * reach)
    axes = np.where(swing < 0.0, half[[0, 2]], half[[1, 3]])
    return np.sqrt(((swing / axes) ** 2).sum(axis=-1))


def run(job: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Every frame of every contestant; see blender.py for what goes in and comes out."""
    bpy: Any = importlib.import_module("bpy")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = Scene(bpy, job)
    reference, starts = scene.local(job["reference"]), scene.local(job["starts"])
    limits = scene.limit(reference, float(job["margin"]))
    if scene.outside(reference, limits).max() > 1e-3:
        raise RuntimeError("the reference motion is outside the limits that were made from it")
    out: dict[str, np.ndarray] = {"limits": limits, "version": np.array(bpy.app.version_string)}
    ends = np.cumsum(job["lengths"])
    for name, solver, carry in CONTESTANTS:
        scene.armature.pose.ik_solver = solver
        found, turns, seconds = [], [], []
        for start, place, end in zip(starts, job["places"], ends, strict=True):
            scene.pose(start, place)
            bpy.context.view_layer.update()
            for targets in job["targets"][len(found) : end]:
                at, turned, took = scene.solve(targets)
                own = scene.local(turned)
                if carry:
                    scene.pose(own, at[0])
                found.append(at)
                turns.append(own)
                seconds.append(took)
        out[f"{name}_positions"] = np.array(found)
        out[f"{name}_seconds"] = np.array(seconds)
        out[f"{name}_outside"] = scene.outside(np.array(turns), limits)
    return out


if __name__ == "__main__":
    with np.load(sys.argv[1]) as given:
        answers = run(dict(given))
    np.savez(sys.argv[2], **answers)  # type: ignore[arg-type]
