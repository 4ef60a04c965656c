"""Joint positions of a body model's file (NPZ), for the shape of a subject.

J = R·(v + S·β), with the regressor R (joints, vertices), the template v (vertices, 3), the shape
directions S (vertices, 3, shapes) and the subject's shape β.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from limbik.errors import FormatError
from limbik.formats.npz_arrays import arrays_of
from limbik.formats.smpl.skeleton import KINDS, TREES

_PICKLES = (".pkl", ".pickle", ".pt", ".pth")


def model_joints(path: Path, betas: np.ndarray) -> np.ndarray:
    """(joints, 3) in m of the model in a file, with the shape ``betas`` (shapes,)."""
    if path.suffix.lower() in _PICKLES:
        text = "is a pickle, which can run any program when it is read: use the model's .npz file"
        raise FormatError(text, path)
    with arrays_of(path) as arrays:
        if "J_regressor" not in arrays or "v_template" not in arrays:
            text = 'is not a body model: it has no arrays "J_regressor" and "v_template"'
            raise FormatError(text, path)
        template = arrays.numbers("v_template", (None, 3)).astype(float)
        regressor = arrays.numbers("J_regressor", (None, len(template)))
        shapes = arrays.numbers("shapedirs", (len(template), 3, None))
        parents = arrays.numbers("kintree_table", (2, len(regressor)))[0]
    count = len(regressor)
    if count not in TREES:
        known = ", ".join(f"{number} ({KINDS[number]})" for number in TREES)
        raise FormatError(f"has {count} joints; limbik knows models with {known}", path)
    names = list(TREES[count])
    expected = [names.index(parent) for parent, _ in list(TREES[count].values())[1:]]
    if parents[1:].tolist() != expected:
        raise FormatError(f"its joints do not hang together as those of {KINDS[count]}", path)
    used = min(len(betas), shapes.shape[2])
    shaped = template + shapes[:, :, :used].astype(float) @ betas[:used]
    joints = regressor.astype(float) @ shaped
    if not np.isfinite(joints).all():
        raise FormatError("its joints are not finite", path)
    return joints
