"""The methods, one file each, behind one interface; ``METHODS`` finds them by name.

Methods of one kind share a folder with what they are put together from; ``base`` says what a method
is, and ``workspace`` holds the arrays that many of them use.
"""

from limbik.methods.base import Method
from limbik.methods.chains.cyclic_descent import CyclicCoordinateDescent
from limbik.methods.chains.fabrik import Fabrik
from limbik.methods.constrained.lagrange import Lagrange
from limbik.methods.constrained.penalty import Penalty
from limbik.methods.constrained.semismooth_newton import SemismoothNewton
from limbik.methods.constrained.slack_variables import SlackVariables
from limbik.methods.constrained.trust_region import TrustRegion
from limbik.methods.constrained.zhao_badler import ZhaoBadler
from limbik.methods.default.projected_lm import ProjectedLevenbergMarquardt
from limbik.methods.gauss_seidel.projected_gauss_seidel import ProjectedGaussSeidel
from limbik.methods.gradient.hybrid import Hybrid
from limbik.methods.gradient.jacobian_transpose import JacobianTranspose
from limbik.methods.gradient.projected_gradient import ProjectedGradient
from limbik.methods.gradient.projected_quasi_newton import ProjectedQuasiNewton
from limbik.methods.least_squares.broyden import Broyden
from limbik.methods.least_squares.damped_least_squares import DampedLeastSquares
from limbik.methods.least_squares.newton_svd import NewtonSVD
from limbik.methods.least_squares.pseudo_inverse import PseudoInverse
from limbik.methods.least_squares.selectively_damped import SelectivelyDamped
from limbik.methods.redundancy.baillieul import Baillieul
from limbik.methods.redundancy.extended_jacobian import ExtendedJacobian
from limbik.methods.redundancy.null_space import NullSpace
from limbik.methods.table import MethodTable

METHODS = MethodTable(
    (
        ProjectedLevenbergMarquardt,
        ProjectedGradient,
        JacobianTranspose,
        PseudoInverse,
        Broyden,
        DampedLeastSquares,
        NewtonSVD,
        ProjectedGaussSeidel,
        SelectivelyDamped,
        Hybrid,
        SemismoothNewton,
        TrustRegion,
        Lagrange,
        Penalty,
        ProjectedQuasiNewton,
        SlackVariables,
        ZhaoBadler,
        NullSpace,
        ExtendedJacobian,
        Baillieul,
        CyclicCoordinateDescent,
        Fabrik,
    )
)

__all__ = [
    "METHODS",
    "Baillieul",
    "Broyden",
    "CyclicCoordinateDescent",
    "DampedLeastSquares",
    "ExtendedJacobian",
    "Fabrik",
    "Hybrid",
    "JacobianTranspose",
    "Lagrange",
    "Method",
    "MethodTable",
    "NewtonSVD",
    "NullSpace",
    "Penalty",
    "ProjectedGaussSeidel",
    "ProjectedGradient",
    "ProjectedLevenbergMarquardt",
    "ProjectedQuasiNewton",
    "PseudoInverse",
    "SelectivelyDamped",
    "SemismoothNewton",
    "SlackVariables",
    "TrustRegion",
    "ZhaoBadler",
]
