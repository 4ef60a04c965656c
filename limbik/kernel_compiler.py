"""How Numba compiles limbik's kernels, so that a cold start is short.

A *kernel* is what is run; a *part* is a function that becomes part of the kernels that call it.
Numba optimises a function, and all that it calls, by itself, makes machine code of it, and does so
again for each function on the way up to what is run.  Here a part is only translated: a kernel
links each part that it reaches once, and is optimised once.

Translating is most of the time.  Two things make it shorter: passes that have nothing to do in
kernels are left out, and the types of operators are looked up once for each kind of arguments
instead of at every place in the source.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import binding
from numba.core import typed_passes, untyped_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_lock import require_global_compiler_lock
from numba.core.compiler_machinery import PassManager

_LEFT_OUT = {
    untyped_passes.WithLifting,  # kernels have no ``with``,
    untyped_passes.InlineClosureLikes,  # closures,
    untyped_passes.MakeFunctionToJitFunction,
    untyped_passes.FindLiterallyCalls,  # ``literally``
    untyped_passes.LiteralUnroll,  # or ``literal_unroll``,
    untyped_passes.LiteralPropagationSubPipelinePass,
    typed_passes.AnnotateTypes,  # and nobody reads their annotated source
}

_OPERATORS = {value for value in vars(operator).values() if callable(value)} | {range}

_operator_types: dict[tuple[int, Any], tuple[Any, Any]] = {}


class _RememberedTypes:
    """A typing context that looks the signature of an operator up once per kinds of arguments."""

    def __init__(self, context: Any) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_function_type(self, function: Any, args: Any, kws: Any) -> Any:
        if kws or getattr(function, "typing_key", None) not in _OPERATORS:
            return self._context.resolve_function_type(function, args, kws)
        key = (id(function), args)
        found = _operator_types.get(key)
        if found is None:
            signature = self._context.resolve_function_type(function, args, kws)
            if signature is None:
                return None
            # The function is kept so that no other can have its id.
            found = _operator_types[key] = (function, signature)
        return found[1]


class _PartLibrary(JITCodeLibrary):
    """LLVM's code of one function, for kernels to link: neither optimised nor run by itself."""

    def finalize(self) -> None:
        require_global_compiler_lock()
        self._raise_if_finalized()
        self._finalize_dynamic_globals()
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == binding.Linkage.external:
                function.linkage = "linkonce_odr"
        # Numba writes the address of the function's environment to a variable of this name.
        names = [one.name for one in self._final_module.global_variables]
        lines = [
            f'@"{name}" = common global ptr null'
            for name in names
            if name.startswith("_ZN08NumbaEnv")
            if not self._codegen._engine.is_symbol_defined(name)
        ]
        if lines:
            module = self._codegen._create_empty_module(f"{self.name} environment")
            self._codegen._add_module(binding.parse_assembly("\n".join([str(module), *lines])))
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """The code with all that it calls, for functions that are not limbik's."""
        if self._shared_module is None:
            module = self._final_module.clone()
            for library in _reached(self._linking_libraries):
                module.link_in(_own_module(library), preserve=True)
            self._shared_module = module
        return self._shared_module


class _KernelLibrary(JITCodeLibrary):
    """The code of a kernel, into which each part that it reaches is linked once."""

    def finalize(self) -> None:
        parts = _reached(self._linking_libraries)
        self._linking_libraries = []
        for library in parts:
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(_own_module(library), preserve=True)
        super().finalize()


def _reached(libraries: list[Any]) -> list[Any]:
    """These libraries and all that their code calls, each once, callers before what they call.

    LLVM links a function only if there is a call to it already.
    """
    found: dict[Any, None] = {}

    def visit(library: Any) -> None:
        if library not in found:
            if isinstance(library, _PartLibrary):
                for called in library._linking_libraries:
                    visit(called)
            found[library] = None

    for library in libraries:
        visit(library)
    return list(reversed(found))


def _own_module(library: Any) -> Any:
    if isinstance(library, _PartLibrary):
        return library._final_module
    return library._get_module_for_linking()


class _ShortCompiler(Compiler):
    """Numba's compiler with what kernels need."""

    def __init__(self, typingctx, targetctx, library, args, return_type, flags, locals) -> None:
        if library is None:
            library = self.library(targetctx.codegen())
        typingctx = _RememberedTypes(typingctx)
        super().__init__(typingctx, targetctx, library, args, return_type, flags, locals)

    def library(self, codegen: Any) -> Any:
        raise NotImplementedError

    def define_pipelines(self) -> list[PassManager]:
        (passes,) = super().define_pipelines()
        short = PassManager("kernel")
        short.passes = [one for one in passes.passes if one[0] not in _LEFT_OUT]
        short.finalize()
        return [short]


class PartCompiler(_ShortCompiler):
    """The compiler of functions that become part of the kernels that call them."""

    def library(self, codegen: Any) -> Any:
        return _PartLibrary(codegen, "part")


class KernelCompiler(_ShortCompiler):
    """The compiler of kernels."""

    def library(self, codegen: Any) -> Any:
        library = _KernelLibrary(codegen, "kernel")
        library.enable_object_caching()
        return library
