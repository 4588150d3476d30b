"""Kernels that call other kernels.

A kernel that another one calls ends up inside the machine code of its caller, where it is
optimized together with it. By itself it needs no machine code, no optimization and no wrapper
that Python could call, which are more than half of the time that Numba takes. So it is compiled
as a part: LLVM code, to be linked. A kernel that Python calls as well is also compiled in full.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import llvmlite.binding as llvm
from numba.core import compiler, types
from numba.core.codegen import JITCodeLibrary
from numba.core.dispatcher import _FunctionCompiler
from numba.core.registry import CPUDispatcher
from numba.core.targetconfig import TargetConfig

from .kernel_cache import CacheFiles, KernelCache, enable_caching


def _hash_flags(flags: TargetConfig) -> int:
    return hash(type(flags))


def _equal_flags(flags: TargetConfig, others: object) -> Any:
    if flags is others:
        return True
    if not isinstance(others, TargetConfig):
        return NotImplemented
    return flags._values == others._values or flags.values() == others.values()


# Numba looks its flags up tens of thousands of times per kernel, and for each look-up it makes a
# dictionary of all options: a tenth of the time of a compilation. The answers are the same.
TargetConfig.__hash__ = _hash_flags  # type: ignore[method-assign]
TargetConfig.__eq__ = _equal_flags  # type: ignore[method-assign]


class _KernelLibrary(JITCodeLibrary):
    def _optimize_functions(self, module: Any) -> None:
        # Numba does the same for functions that are only declared, at the price of a set of
        # passes for each.
        module.data_layout = self._codegen._data_layout
        for function in module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)


class _PartLibrary(_KernelLibrary):
    """LLVM code that is linked into other libraries and never run by itself."""

    def _optimize_final_module(self) -> None:
        """Left to the kernels that link it."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def serialize_using_object_code(self) -> tuple[str, bytes]:
        """For the cache; there is no object code."""
        return self.name, self._get_module_for_linking().as_bitcode()

    @classmethod
    def restored(cls, codegen: Any, name: str, bitcode: bytes) -> _PartLibrary:
        """The library from what `serialize_using_object_code` made of it."""
        library = cls(codegen, name)
        library._final_module = library._shared_module = llvm.parse_bitcode(bitcode)
        library._finalized = True
        return library


class _PartEntry:
    """Stands for a part where Numba expects a function in memory."""


class _KernelCompiler(_FunctionCompiler):
    def _compile_core(self, args: Any, return_type: Any) -> Any:
        made = self._compiled(args, return_type, _KernelLibrary)
        # Parts are never loaded, so their environments are set here, as in code from the cache.
        for environment in made._find_referenced_environments():
            made.codegen.set_env(environment.env_name, environment)
        return made

    def _compiled(self, args: Any, return_type: Any, kind: type[_KernelLibrary]) -> Any:
        context = self.targetdescr.target_context
        flags = compiler.Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        library = kind(context.codegen(), self.py_func.__qualname__)
        library.enable_object_caching()
        return compiler.compile_extra(
            self.targetdescr.typing_context,
            context,
            self.py_func,
            args=args,
            return_type=return_type,
            flags=self._customize_flags(flags),
            locals=self.locals,
            library=library,
            pipeline_class=self.pipeline_class,
        )


class _PartCompiler(_KernelCompiler):
    def _customize_flags(self, flags: Any) -> Any:
        flags.no_cpython_wrapper = flags.no_compile = True
        return flags

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        made = self._compiled(args, return_type, _PartLibrary)
        made.library.finalize()
        made = made._replace(entry_point=_PartEntry())
        made.target_context.insert_user_function(made.entry_point, made.fndesc, [made.library])
        return made


class KernelDispatcher(CPUDispatcher):
    """Compiles a kernel in full when Python calls it; kernels that call it link its part."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, {}, options)
        self._compiler = self._compiler_class(
            function, self.targetdescr, options, {}, self._compiler.pipeline_class
        )
        enable_caching(self, self._cache_class)

    _compiler_class = _KernelCompiler
    _cache_class = KernelCache

    @cached_property
    def part(self) -> _PartDispatcher:
        """The same kernel as other kernels call it."""
        return _PartDispatcher(self.py_func, self.targetoptions)

    @property
    def _numba_type_(self) -> Any:
        # A kernel that calls itself does so in full.
        return types.Dispatcher(self if self.is_compiling else self.part)


class _PartFiles(CacheFiles):
    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        return f"part-{super().get_filename_base(fullname, abiflags)}"

    def rebuild(self, context: Any, payload: tuple[Any, ...]) -> Any:
        (name, bitcode), fndesc, environment, signature, objectmode, lifted, annotation, *rest = (
            payload
        )
        initializers, environments = rest
        for initialize in initializers:
            initialize()
        return compiler.compile_result(
            typing_context=context.typing_context,
            target_context=context,
            entry_point=_PartEntry(),
            type_annotation=annotation,
            signature=signature,
            objectmode=objectmode,
            lifted=lifted,
            fndesc=fndesc,
            library=_PartLibrary.restored(context.codegen(), name, bitcode),
            environment=environment,
            reload_init=initializers,
            referenced_envs=environments,
        )


class _PartCache(KernelCache):
    _impl_class = _PartFiles


class _PartDispatcher(KernelDispatcher):
    """Compiles the part of a kernel, for each signature with which kernels call it."""

    _compiler_class = _PartCompiler
    _cache_class = _PartCache

    @property
    def _numba_type_(self) -> Any:
        return types.Dispatcher(self)

    def add_overload(self, made: Any) -> None:
        self.overloads[tuple(made.signature.args)] = made
