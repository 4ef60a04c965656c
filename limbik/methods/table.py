"""``limbik.methods``: the methods by name, read-only; type checkers know the class of each name."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, overload

from limbik.methods.base import Method

if TYPE_CHECKING:
    import limbik.methods as m


class MethodTable(Mapping[str, type[Method]]):
    """Methods by name: ``limbik.methods["damped_least_squares"](damping=0.05)``.

    It stands where the package ``limbik.methods`` would, so it has the package's modules and
    classes as well: ``limbik.methods.base`` and ``limbik.methods.DampedLeastSquares``.
    """

    def __init__(self, methods: Iterable[type[Method]]) -> None:
        self._methods = {method.name: method for method in methods}

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, name: Literal["baillieul"]) -> type[m.Baillieul]: ...
        @overload
        def __getitem__(self, name: Literal["broyden"]) -> type[m.Broyden]: ...
        @overload
        def __getitem__(self, name: Literal["ccd"]) -> type[m.CyclicCoordinateDescent]: ...
        @overload
        def __getitem__(
            self, name: Literal["damped_least_squares"]
        ) -> type[m.DampedLeastSquares]: ...
        @overload
        def __getitem__(self, name: Literal["extended_jacobian"]) -> type[m.ExtendedJacobian]: ...
        @overload
        def __getitem__(self, name: Literal["fabrik"]) -> type[m.Fabrik]: ...
        @overload
        def __getitem__(self, name: Literal["gauss_seidel"]) -> type[m.ProjectedGaussSeidel]: ...
        @overload
        def __getitem__(self, name: Literal["hybrid"]) -> type[m.Hybrid]: ...
        @overload
        def __getitem__(self, name: Literal["jacobian_transpose"]) -> type[m.JacobianTranspose]: ...
        @overload
        def __getitem__(self, name: Literal["lagrange"]) -> type[m.Lagrange]: ...
        @overload
        def __getitem__(self, name: Literal["newton_svd"]) -> type[m.NewtonSVD]: ...
        @overload
        def __getitem__(self, name: Literal["null_space"]) -> type[m.NullSpace]: ...
        @overload
        def __getitem__(self, name: Literal["penalty"]) -> type[m.Penalty]: ...
        @overload
        def __getitem__(self, name: Literal["projected_gradient"]) -> type[m.ProjectedGradient]: ...
        @overload
        def __getitem__(
            self, name: Literal["projected_lm"]
        ) -> type[m.ProjectedLevenbergMarquardt]: ...
        @overload
        def __getitem__(
            self, name: Literal["projected_quasi_newton"]
        ) -> type[m.ProjectedQuasiNewton]: ...
        @overload
        def __getitem__(self, name: Literal["pseudo_inverse"]) -> type[m.PseudoInverse]: ...
        @overload
        def __getitem__(self, name: Literal["selectively_damped"]) -> type[m.SelectivelyDamped]: ...
        @overload
        def __getitem__(self, name: Literal["semismooth_newton"]) -> type[m.SemismoothNewton]: ...
        @overload
        def __getitem__(self, name: Literal["slack_variables"]) -> type[m.SlackVariables]: ...
        @overload
        def __getitem__(self, name: Literal["trust_region"]) -> type[m.TrustRegion]: ...
        @overload
        def __getitem__(self, name: Literal["zhao_badler"]) -> type[m.ZhaoBadler]: ...
        @overload
        def __getitem__(self, name: str) -> type[Method]: ...
        def __getitem__(self, name: str) -> type[Method]: ...
    else:

        def __getitem__(self, name: str) -> type[Method]:
            return self._methods[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._methods)

    def __len__(self) -> int:
        return len(self._methods)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(sys.modules["limbik.methods"], name)

    def __repr__(self) -> str:
        return f"<limbik.methods: {', '.join(self._methods)}>"
