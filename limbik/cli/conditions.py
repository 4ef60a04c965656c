"""Conditions on the command line: a floor, balance, collisions, joints that stay together.

``solve`` and ``track`` have the same options; here they are declared, and made goals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import typer

from limbik.cli.arguments import floats, names, refuse, split, two_names
from limbik.errors import GoalError
from limbik.figure.collision.shapes import Box, HalfSpace, Shape, Sphere
from limbik.figure.figure import Figure
from limbik.goals import Above, Avoid, Balance, Close, Goal, Pin, Reach, Within
from limbik.humanoid import recognise

Floor = Annotated[
    float | None,
    typer.Option(
        metavar="HEIGHT", help="No joint goes below this height along the axis that is up."
    ),
]
AboveOption = Annotated[
    list[str] | None,
    typer.Option(
        "--above",
        metavar="JOINT=HEIGHT",
        help="A joint stays above a height. JOINT=NX,NY,NZ,OFFSET: on that side of a plane.",
    ),
]
WithinOption = Annotated[
    list[str] | None,
    typer.Option(
        "--within",
        metavar="JOINT=X,Y,Z,R",
        help="A joint stays in a sphere. JOINT=X,Y,Z,X,Y,Z: in a box, by two corners.",
    ),
]
BalanceOption = Annotated[
    str | None,
    typer.Option(
        "--balance",
        metavar="JOINTS|feet",
        help="The centre of mass stays above these joints, such as LeftFoot,RightFoot; feet are "
        "those of a body.",
    ),
]
AvoidOption = Annotated[
    bool, typer.Option("--avoid", help="The figure does not pass through itself.")
]
Obstacle = Annotated[
    list[str] | None,
    typer.Option(
        metavar="X,Y,Z,R",
        help="The figure does not pass through a sphere. X,Y,Z,X,Y,Z: a box, by two corners.",
    ),
]
Relative = Annotated[
    list[str] | None,
    typer.Option(
        metavar="JOINT,OTHER=X,Y,Z",
        help="A joint is at a place in the frame of another, which may move for it. Four more "
        "numbers QW,QX,QY,QZ turn it too.",
    ),
]
HoldOption = Annotated[
    list[str] | None,
    typer.Option(
        "--hold",
        metavar="JOINT,OTHER",
        help="A joint stays on another as the start pose has the two, as two hands on one thing.",
    ),
]
CloseOption = Annotated[
    list[str] | None,
    typer.Option("--close", metavar="JOINT,OTHER", help="Two joints are at one place."),
]


FIRM = 1e3
"""Weight of a floor beside other goals: where both cannot be, the floor wins."""


@dataclass(frozen=True)
class Conditions:
    """What was typed for these options."""

    floor: float | None = None
    above: list[str] | None = None
    within: list[str] | None = None
    balance: str | None = None
    avoid: bool = False
    obstacle: list[str] | None = None
    relative: list[str] | None = None
    hold: list[str] | None = None
    close: list[str] | None = None

    def goals(self, figure: Figure) -> list[Goal]:
        """The goals of all options but the floor."""
        found: list[Goal] = []
        for text in self.above or []:
            form, example = "Joint=height or Joint=nx,ny,nz,offset", "LeftToeBase=0"
            joint, numbers = split(text, "--above", form, example)
            *normal, offset = numbers(1, 4)
            found.append(Above(joint, normal=normal or None, offset=offset))
        for text in self.within or []:
            form, example = "Joint=x,y,z,radius or Joint=x,y,z,x,y,z", "LeftHand=0.3,1.2,0.3,0.1"
            joint, numbers = split(text, "--within", form, example)
            values = numbers(4, 6)
            sphere = (values[:3], values[3]) if len(values) == 4 else None
            corners = None if sphere else (values[:3], values[3:])
            found.append(Within(joint, box=corners, sphere=sphere))
        for text in self.relative or []:
            form = "Joint,Other=x,y,z or Joint,Other=x,y,z,qw,qx,qy,qz"
            pair, numbers = split(text, "--relative", form, "RightHand,LeftHand=0.3,0,0")
            joint, other = two_names(pair, text, "--relative", form, "RightHand,LeftHand=0.3,0,0")
            values = numbers(3, 7)
            place, turn = values[:3], values[3:] or None
            found.append(Reach(joint, position=place, wxyz=turn, relative_to=other))
        for text in self.hold or []:
            joint, other = two_names(text, text, "--hold", "Joint,Other", "RightHand,LeftHand")
            found.append(Pin(joint, to=other, rotation=True))
        for text in self.close or []:
            joint, other = two_names(text, text, "--close", "Joint,Other", "RightHand,LeftHand")
            found.append(Close(joint, other))
        if self.balance is not None:
            found.append(Balance(_support(figure, self.balance)))
        obstacles = [_obstacle(text, k) for k, text in enumerate(self.obstacle or [], 1)]
        if self.avoid or obstacles:
            found.append(Avoid(obstacles, own=self.avoid))
        return found

    def floor_goals(self, figure: Figure) -> list[Above]:
        """Every joint that can move, and the tip of each, above the floor."""
        if self.floor is None:
            return []
        if not np.isfinite(self.floor):
            raise GoalError(f"--floor {self.floor}: needs a finite height")
        out: list[Above] = []
        moves: list[bool] = []
        for k, joint in enumerate(figure.definition):
            parent = int(figure.parents[k])
            moves.append(bool(joint.parts) or (parent >= 0 and moves[parent]))
            if moves[-1]:
                points = [(0.0, 0.0, 0.0), *([joint.tip] if joint.tip is not None else [])]
                out += [Above(joint.name, offset=self.floor, at=at, weight=FIRM) for at in points]
        return out


def _support(figure: Figure, text: str) -> list[str]:
    """The joints to stand on."""
    if text.strip().lower() != "feet" or "feet" in figure.joints:
        return names(text, "--balance")
    body = recognise(figure)
    feet = [body[role] for role in ("leftFoot", "rightFoot") if role in body.roles]
    if not feet:
        raise GoalError('--balance "feet": this figure is not seen as a body; name the joints')
    return feet


def _obstacle(text: str, number: int) -> Shape | HalfSpace:
    form, example = "x,y,z,radius or x,y,z,x,y,z", "0.3,1.2,0.4,0.1"
    values = floats(text, 4, 6)
    if not values or not np.isfinite(values).all():
        refuse(text, "--obstacle", form, example)
    name = f"obstacle {number}"
    if len(values) == 4:
        if values[3] <= 0.0:
            raise GoalError(f'--obstacle "{text}": its radius must be above 0')
        return Sphere(values[3], (values[0], values[1], values[2]), name=name)
    one, two = np.array(values[:3]), np.array(values[3:])
    x, y, z = (0.5 * (one + two)).tolist()
    a, b, c = (0.5 * np.abs(two - one)).tolist()
    return Box((a, b, c), (x, y, z), name=name)
