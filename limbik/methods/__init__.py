"""The methods, one file each, behind one interface; ``METHODS`` finds them by name.

What several of them share, or one of them needs besides its loop, is in ``pieces``.
"""

from limbik.methods.baillieul import Baillieul
from limbik.methods.broyden import Broyden
from limbik.methods.contract import Method
from limbik.methods.cyclic_descent import CyclicCoordinateDescent
from limbik.methods.damped_least_squares import DampedLeastSquares
from limbik.methods.extended_jacobian import ExtendedJacobian
from limbik.methods.fabrik import Fabrik
from limbik.methods.gauss_seidel import ProjectedGaussSeidel
from limbik.methods.hybrid import Hybrid
from limbik.methods.jacobian_transpose import JacobianTranspose
from limbik.methods.lagrange import Lagrange
from limbik.methods.newton_svd import NewtonSVD
from limbik.methods.null_space import NullSpace
from limbik.methods.penalty import Penalty
from limbik.methods.projected_gradient import ProjectedGradient
from limbik.methods.projected_lm import ProjectedLevenbergMarquardt
from limbik.methods.projected_quasi_newton import ProjectedQuasiNewton
from limbik.methods.pseudo_inverse import PseudoInverse
from limbik.methods.selectively_damped import SelectivelyDamped
from limbik.methods.semismooth_newton import SemismoothNewton
from limbik.methods.slack_variables import SlackVariables
from limbik.methods.trust_region import TrustRegion
from limbik.methods.zhao_badler import ZhaoBadler

METHODS: dict[str, type[Method]] = {
    method.name: method
    for method in (
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
}

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
