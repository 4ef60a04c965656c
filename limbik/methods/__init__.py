"""The methods, one file each, behind one interface; ``METHODS`` finds them by name."""

from limbik.methods.contract import Method
from limbik.methods.jacobian_transpose import JacobianTranspose
from limbik.methods.projected_gradient import ProjectedGradient
from limbik.methods.projected_lm import ProjectedLevenbergMarquardt
from limbik.methods.pseudo_inverse import PseudoInverse

METHODS: dict[str, type[Method]] = {
    method.name: method
    for method in (
        ProjectedLevenbergMarquardt,
        ProjectedGradient,
        JacobianTranspose,
        PseudoInverse,
    )
}

__all__ = [
    "METHODS",
    "JacobianTranspose",
    "Method",
    "ProjectedGradient",
    "ProjectedLevenbergMarquardt",
    "PseudoInverse",
]
