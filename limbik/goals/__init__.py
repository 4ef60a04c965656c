"""What must hold: goals, one file a kind."""

from limbik.goals.above import Above
from limbik.goals.aim import Aim
from limbik.goals.avoid import Avoid
from limbik.goals.close import Close
from limbik.goals.distance import Distance
from limbik.goals.far_from_limits import FarFromLimits
from limbik.goals.manipulability import Manipulability
from limbik.goals.masses.balance import Balance
from limbik.goals.masses.center_of_mass import CenterOfMass
from limbik.goals.plane import Plane
from limbik.goals.reach import Pin, Reach
from limbik.goals.rest import Rest
from limbik.goals.terms import Goal, Term
from limbik.goals.user.compiled_goal import CompiledGoal
from limbik.goals.user.python_goal import PythonGoal
from limbik.goals.within import Within

__all__ = [
    "Above",
    "Aim",
    "Avoid",
    "Balance",
    "CenterOfMass",
    "Close",
    "CompiledGoal",
    "Distance",
    "FarFromLimits",
    "Goal",
    "Manipulability",
    "Pin",
    "Plane",
    "PythonGoal",
    "Reach",
    "Rest",
    "Term",
    "Within",
]
