"""Left and right of any figure: which joint is whose mirror image."""

from __future__ import annotations

import numpy as np

from limbik.figure.figure import Figure
from limbik.humanoid import recognise
from limbik.humanoid.joint_names import take_apart

_OTHER = {"left": "right", "right": "left"}
ALONE, _UNKNOWN = -1, -2


def twins(figure: Figure) -> np.ndarray | None:
    """(joints,) for each joint the one on the other side, itself in the middle, and −1 where it is
    on a side and has no counterpart; None where left and right cannot be told apart.

    Twins hang on twins.  Roles of a body come before names, and names before the order in which
    joints hang on a pair.
    """
    place = {name: i for i, name in enumerate(figure.joints)}
    roles = {place[joint]: role for role, joint in recognise(figure).roles.items()}
    with_role = {role: i for i, role in roles.items()}
    names = [take_apart(name) for name in figure.joints]
    with_name = {
        (name.side, name.words, name.digits, name.aside): i for i, name in enumerate(names)
    }
    parents = figure.parents.tolist()
    found = np.full(len(names), _UNKNOWN)
    for i, name in enumerate(names):
        if found[i] != _UNKNOWN:
            continue
        above = parents[i] if parents[i] < 0 else int(found[parents[i]])
        if parents[i] >= 0 and above == ALONE:
            found[i] = ALONE
            continue
        side = next((s for s in _OTHER if roles.get(i, "").startswith(s)), "")
        other = _OTHER.get(name.side, "")
        guesses = [
            with_role.get(_OTHER[side] + roles[i].removeprefix(side)) if side else None,
            with_name.get((other, name.words, name.digits, name.aside)) if other else None,
        ]
        if above != parents[i]:
            near = [k for k in range(len(names)) if parents[k] == above and found[k] == _UNKNOWN]
            alike = [k for k in near if names[k].words == name.words]
            guesses += alike[:1] + near[:1]
        fits = (k for k in guesses if k is not None and k != i and parents[k] == above)
        twin = next((k for k in fits if found[k] == _UNKNOWN), None)
        if twin is not None:
            found[i], found[twin] = twin, i
        else:
            found[i] = i if above == parents[i] and not other else ALONE
    paired = (found != ALONE) & (found != np.arange(len(names)))
    return found if paired.any() else None
