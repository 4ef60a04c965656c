"""One solve called from Python by addresses, without asking Numba for the method in every call.

A method is a first-class function.  To take one from Python, compiled code calls back into Python
twice, for 8 microseconds; here the two addresses are looked up once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import int64, types
from numba.core import cgutils
from numba.extending import intrinsic

from limbik.jit import kernel
from limbik.methods.base import KERNEL
from limbik.solver import frames
from limbik.solver.compiled_frames import compiled, entry

_ONE = frames.SIGNATURES["one"]


@intrinsic
def _one_at(
    typingctx, frame, method, ints, floats, work, draft_options, final_options, plan, mid_pose,
    spread, seed, q, totals, history,
):  # type: ignore[no-untyped-def]  # fmt: skip
    """Call the ``frames.one`` at an address with the method at another."""
    signature = _ONE.return_type(int64, int64, *_ONE.args[1:])

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        # A first-class function is a struct of pointers, the first to its C function.
        first_class = context.get_value_type(KERNEL)
        pointer = builder.inttoptr(args[1], first_class.elements[0])
        function = builder.insert_value(ir.Constant(first_class, None), pointer, 0)
        convention = context.call_conv
        kind = convention.get_function_type(_ONE.return_type, _ONE.args)
        status, code = convention.call_function(
            builder, builder.inttoptr(args[0], kind.as_pointer()), _ONE.return_type, _ONE.args,
            [function, *args[2:]],
        )  # fmt: skip
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return code

    return signature, codegen


_one: Any = _one_at  # Numba gives the first argument itself


@kernel
def _call(
    frame, method, ints, floats, work, draft_options, final_options, plan, mid_pose, spread, seed,
    q, totals, history,
):  # fmt: skip
    """``frames.one`` with two addresses in place of itself and the method."""
    return _one(
        frame, method, ints, floats, work, draft_options, final_options, plan, mid_pose, spread,
        seed, q, totals, history,
    )  # fmt: skip


_calls: dict[Any, tuple[Callable[..., int], int, int]] = {}


def one_by_address(method: Any) -> tuple[Callable[..., int], int, int]:
    """(a function, its first two arguments): ``frames.one`` with a method's kernel.

    The other arguments are those of ``frames.one``, arrays of its very types.

    Args:
        method: the kernel of a method; it is compiled now unless it is in the cache.
    """
    found = _calls.get(method)
    if found is None:
        compiled(frames.one, method)
        if not _call.signatures:
            _call.compile(types.int64(int64, int64, *_ONE.args[1:]))
        (frame,) = frames.one.overloads.values()
        (call,) = _call.overloads.values()
        address = frame.library.get_pointer_to_function(frame.fndesc.llvm_func_name)
        wrapper = entry(frames.one, method)[1].__wrapper_address__()
        found = _calls[method] = (call.entry_point, address, wrapper)
    return found
