"""Mirroring in the poser: poses, and the effectors with their targets, reflected."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from limbik.humanoid.mirror import Plane, PoseMirror
from limbik.humanoid.mirror_pairs import ALONE
from limbik.maths.so3 import matrix_to_quat, quat_to_matrix
from limbik.poser.document.effector import Effector


class Mirror(PoseMirror):
    """Reflects the poses and effectors of one figure."""

    def effectors(self, effectors: tuple[Effector, ...], q: np.ndarray) -> tuple[Effector, ...]:
        """Effectors with their targets reflected as the pose q (n,) is, and sides exchanged.

        Where both sides have an effector they keep their ids and exchange all else; where one side
        has none, the effector goes over.
        """
        plane, figure = self.plane(q), self._figure
        of_joint = {figure.index(effector.joint): effector for effector in effectors}
        out = []
        for effector in effectors:
            joint = figure.index(effector.joint)
            twin = int(self.twin[joint])
            if twin == ALONE:
                out.append(effector)
            elif twin in of_joint:
                out.append(replace(self.over(of_joint[twin], joint, plane), id=effector.id))
            else:
                out.append(self.over(effector, twin, plane))
        return tuple(out)

    def over(self, effector: Effector, joint: int, plane: Plane) -> Effector:
        """An effector of a joint's twin as one of the joint."""
        constant = self._constant[joint]
        x, y, z = plane.points(np.array(effector.position)).tolist()
        wxyz = None
        if effector.wxyz is not None:
            turn = plane.reflection @ quat_to_matrix(np.array(effector.wxyz)) @ constant
            a, b, c, d = matrix_to_quat(turn).tolist()
            wxyz = (a, b, c, d)
        at = (constant.T @ np.array(effector.at)).tolist()
        axis = (constant.T @ np.array(effector.axis)).tolist()
        return replace(
            effector,
            joint=self._figure.joints[joint],
            at=(at[0], at[1], at[2]),
            axis=(axis[0], axis[1], axis[2]),
            position=(x, y, z),
            wxyz=wxyz,
        )

    def joints(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Joints' names on the other side."""
        joints = self._figure.joints
        found = ((name, int(self.twin[self._figure.index(name)])) for name in names)
        return tuple(name if twin == ALONE else joints[twin] for name, twin in found)
