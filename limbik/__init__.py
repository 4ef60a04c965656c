"""limbik: inverse kinematics for characters and robots, with joint limits that hold.

>>> import limbik
>>> fig = limbik.figures.human()
>>> goals = [limbik.Reach("LeftHand", position=[0.4, 1.2, 0.3]), limbik.Pin("LeftFoot")]
>>> limbik.solve(fig, goals).ok
True

To begin with: ``load``, ``solve``, ``save``, ``view`` (in the browser).
Many poses: ``solve_many``, ``track``, ``Solver``, ``Live`` (a control loop).
Goals: ``Reach``, ``Pin``, ``Aim``, ``Rest`` and others, in ``limbik.goals``.
Bodies and clips: ``humanoid``, ``load_motion``, ``retarget``, ``check``, ``batch``.
"""

from limbik import interrupt as _interrupt  # isort: skip  (first, because imports take a moment)
from limbik import figures, humanoid
from limbik.animate.check import Report, check
from limbik.animate.contacts import Contact, find_contacts, find_ground
from limbik.animate.contacts import find_contacts as contacts
from limbik.animate.edit import edit as _edit
from limbik.animate.joined import blend as _blend
from limbik.animate.joined import concatenate as _concatenate
from limbik.animate.joined import cut as _cut
from limbik.animate.joined import loop as _loop
from limbik.animate.learn import limits_from
from limbik.animate.live import Live
from limbik.animate.markers.fit_markers import MarkerFit, fit_markers
from limbik.animate.mirror import mirror as _mirror
from limbik.animate.plant_feet import plant_feet as _plant_feet
from limbik.animate.retargeting.retarget import Retargeted, retarget
from limbik.animate.smooth import smooth as _smooth
from limbik.animate.track import Track, track, track_many
from limbik.bodies import fitted_shapes, segment_masses
from limbik.errors import (
    FigureError,
    FormatError,
    GoalError,
    LimbikError,
    LimbikWarning,
    MethodError,
)
from limbik.figure.collision.shapes import Box, Capsule, Cylinder, HalfSpace, Sphere
from limbik.figure.collision.surfaces import HeightMap, TriangleMesh
from limbik.figure.figure import Figure
from limbik.figure.joints import Joint
from limbik.figure.limits import Range, SwingTwist
from limbik.figure.motion import Motion
from limbik.figure.motion_tools import register_tools as _register_tools
from limbik.figure.physical.physical_figure import register_estimates
from limbik.figure.physical.properties import Inertia, Loop
from limbik.formats import load, load_markers, load_motion, register_writer, save
from limbik.formats.markers.markers import Markers
from limbik.goals import (
    Above,
    Aim,
    Avoid,
    Balance,
    CenterOfMass,
    Close,
    CompiledGoal,
    Distance,
    FarFromLimits,
    Manipulability,
    Pin,
    Plane,
    PythonGoal,
    Reach,
    Rest,
    Within,
)
from limbik.humanoid.hand_poses import HandShape, hand_pose, hand_shape
from limbik.jobs.run import batch
from limbik.methods import METHODS as methods
from limbik.poser.files.replay_file import write_replay
from limbik.poser.view import view
from limbik.posture import Floor, natural
from limbik.solver.batch import Results, solve_many
from limbik.solver.explanation.holders import ActiveLimit
from limbik.solver.problem import Problem
from limbik.solver.result import Miss, Result, Status
from limbik.solver.solve import solve
from limbik.solver.solver import Solver
from limbik.version import __version__

__all__ = [
    "Above",
    "ActiveLimit",
    "Aim",
    "Avoid",
    "Balance",
    "Box",
    "Capsule",
    "CenterOfMass",
    "Close",
    "CompiledGoal",
    "Contact",
    "Cylinder",
    "Distance",
    "FarFromLimits",
    "Figure",
    "FigureError",
    "Floor",
    "FormatError",
    "GoalError",
    "HalfSpace",
    "HandShape",
    "HeightMap",
    "Inertia",
    "Joint",
    "LimbikError",
    "LimbikWarning",
    "Live",
    "Loop",
    "Manipulability",
    "MarkerFit",
    "Markers",
    "MethodError",
    "Miss",
    "Motion",
    "Pin",
    "Plane",
    "Problem",
    "PythonGoal",
    "Range",
    "Reach",
    "Report",
    "Rest",
    "Result",
    "Results",
    "Retargeted",
    "Solver",
    "Sphere",
    "Status",
    "SwingTwist",
    "Track",
    "TriangleMesh",
    "Within",
    "__version__",
    "batch",
    "check",
    "contacts",
    "figures",
    "find_contacts",
    "find_ground",
    "fit_markers",
    "hand_pose",
    "hand_shape",
    "humanoid",
    "limits_from",
    "load",
    "load_markers",
    "load_motion",
    "methods",
    "natural",
    "retarget",
    "save",
    "solve",
    "solve_many",
    "track",
    "track_many",
    "view",
]  # fmt: skip

register_writer(".html", write_replay)
register_estimates(segment_masses, fitted_shapes)
_register_tools(
    smooth=_smooth,
    edit=_edit,
    plant_feet=_plant_feet,
    mirror=_mirror,
    slice=_cut,
    concatenate=_concatenate,
    blend=_blend,
    loop=_loop,
)


def __dir__() -> list[str]:
    return sorted(__all__)
