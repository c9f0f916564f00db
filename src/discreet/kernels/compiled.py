"""How kernels are compiled, by Numba: loaded only where they are.

Compiling takes long, so whatever is not needed is left out. A kernel that only kernels call (``inner``) becomes code
for LLVM, which they optimise together with their own; there is no machine code of it alone, nothing by which Python
could call it, and no file in the cache. Steps of Numba for what no kernel does are omitted. LLVM unrolls no loops and
uses no vectors but in ``hot`` kernels.
"""

import gc
import os
from contextlib import contextmanager, suppress
from pathlib import Path
from time import perf_counter, sleep
from typing import ClassVar

os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")  # of thousands of errors that nobody sees

from llvmlite.binding import create_pass_builder, create_pipeline_tuning_options
from numba import njit, types
from numba.core import event
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import AnnotateTypes, NativeLowering, NoPythonBackend

from discreet.kernels import Pace
from discreet.kernels.entry import call_kernel
from discreet.kernels.lowering import KernelLower
from discreet.kernels.reading import Inference, Reading, Settling

TURNS = os.environ.get("DISCREET_TURNS")  # a folder that processes share, with a file for each kernel being compiled


class Compiling(event.Listener):  # type: ignore[misc]  # Numba has no types
    """Tells whoever wants to know, once, that a kernel is compiled; adds up the time. Numba compiles one at a time."""

    depth, start, collects = 0, 0.0, True

    def on_start(self, _event):
        """Tell it, and begin to measure; a kernel may be compiled within another one. Garbage is left till the end."""
        if not self.depth:
            self.start, self.collects = perf_counter(), gc.isenabled()
            gc.disable()
        self.depth += 1
        if Pace.say is not None:
            say, Pace.say = Pace.say, None
            say()

    def on_end(self, _event):
        """Add the time."""
        self.depth -= 1
        if not self.depth:
            Pace.compiling += perf_counter() - self.start
            if self.collects:
                gc.enable()


event.register("numba:compile", Compiling())


class Code(JITCodeLibrary):  # type: ignore[misc]
    """The code of a kernel, optimised once, together with that of the kernels it calls."""

    tuning: ClassVar = {
        "speed_level": 2,
        "loop_unrolling": False,
        "loop_vectorization": False,
        "loop_interleaving": False,
    }

    def finalize(self):
        """Link it, each part once, and make it machine code; Numba links and checks each part in each other."""
        for library in self.list_parts():
            self._reload_init.update(library._reload_init)  # noqa: SLF001 - Numba's own classes do the same
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)  # noqa: SLF001
        self._optimize_final_module()
        self._finalize_final_module()

    def list_parts(self):
        """Return the code that this one calls, directly or not."""
        found = dict.fromkeys(self._linking_libraries)
        for library in self._linking_libraries:
            if isinstance(library, Part):
                found.update(dict.fromkeys(library.list_parts()))
        return found

    def _optimize_functions(self, ll_module):
        ll_module.data_layout = self._codegen._data_layout  # noqa: SLF001

    def _optimize_final_module(self):
        options = create_pipeline_tuning_options()
        for name, value in self.tuning.items():
            setattr(options, name, value)
        steps = create_pass_builder(self._codegen._tm, options)  # noqa: SLF001
        manager = steps.getModulePassManager()
        manager.add_refprune_pass()
        manager.run(self._final_module, steps)


class HotCode(Code):
    """The code of a kernel that most time is spent in."""

    tuning: ClassVar = {"speed_level": 3, "loop_vectorization": True, "slp_vectorization": True}


class Part(Code):
    """The code of an inner kernel, which is not linked and optimised by itself."""

    def finalize(self):
        """Leave it as it is."""
        self._finalized = True


def insert(context, key, kernel, library):
    """Let kernels call this one."""
    context.insert_func_defn([(call_kernel(kernel, library), key, kernel.argtypes)])


@register_pass(mutates_CFG=True, analysis_only=False)
class Lowering(NativeLowering):  # type: ignore[misc]
    """The last step for a kernel."""

    _name = "kernel_lowering"
    lowering_class, code = KernelLower, Code

    def run_pass(self, state):
        """Write its code."""
        state.library = self.code(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().run_pass(state)


@register_pass(mutates_CFG=True, analysis_only=False)
class HotLowering(Lowering):
    """The last step for one that most time is spent in."""

    _name, code = "hot_lowering", HotCode


@register_pass(mutates_CFG=True, analysis_only=False)
class PartLowering(Lowering):
    """The last step for an inner kernel."""

    _name, code = "part_lowering", Part

    def run_pass(self, state):
        """Write its code, and tell other kernels where it is."""
        flags = state.flags
        state.flags = flags.copy()
        state.flags.no_compile = state.flags.no_cpython_wrapper = True
        super().run_pass(state)
        state.flags = flags
        state["cr"] = state.cr._replace(cfunc=object().__sizeof__)  # any function will do that is no other kernel's
        insert(state.targetctx, state.cr.cfunc, state.cr.fndesc, state.library)
        return True


class Steps(PassManager):  # type: ignore[misc]
    """Steps one after another; Numba also measures each, describes it and tidies up after it."""

    def _runPass(self, _index, pss, internal_state):  # noqa: N802 - Numba's name
        pss.run_pass(internal_state)


class Compiler(CompilerBase):  # type: ignore[misc]
    """The steps of Numba that kernels need."""

    lowering = Lowering

    def define_pipelines(self):
        """Return them."""
        steps = Steps("kernels")
        for step in (Reading, Inference, Settling, AnnotateTypes, self.lowering, NoPythonBackend):
            steps.add_pass(step, step.__name__)
        steps.finalize()
        return [steps]


class HotCompiler(Compiler):
    """Those for kernels that most time is spent in."""

    lowering = HotLowering


class PartCompiler(Compiler):
    """Those that inner kernels need."""

    lowering = PartLowering


OPTIONS = {"nogil": True, "no_cfunc_wrapper": True}
PART = {**OPTIONS, "pipeline_class": PartCompiler}


def simplify(type_):
    """Return the type that stands for this one: a constant is a variable, and a read-only array one like all others.

    Whether a kernel writes to a read-only array is seen where kernels are plain.
    """
    if isinstance(type_, types.BaseTuple):
        return types.BaseTuple.from_types(tuple(map(simplify, type_)), getattr(type_, "instance_class", None))
    return type_.copy(readonly=False) if isinstance(type_, types.Array) else types.unliteral(type_)


@contextmanager
def take_turn(name):
    """Wait while another process compiles this kernel, where processes share a folder for that: it is loaded then."""
    if TURNS is None:
        yield
        return
    turn = Path(TURNS, name)
    while True:
        with suppress(FileExistsError):
            turn.touch(exist_ok=False)
            break
        sleep(0.02)
    try:
        yield
    finally:
        turn.unlink()


def hot(function):
    """Return a kernel that most time is spent in: it takes longer to compile, and is faster."""
    return jit(function, HotCompiler)


def jit(function, compiler=Compiler):
    """Return a kernel, which is compiled once for all types that are simply the same."""
    kernel = njit(cache=True, pipeline_class=compiler, **OPTIONS)(function)
    compile_ = kernel.compile

    # Threads that call a kernel for the first time at once all come here: the first compiles it for the others.
    @global_compiler_lock
    def compile_simply(given):
        simple = tuple(map(simplify, given))
        if simple in kernel.overloads:
            entry = kernel.overloads[simple].entry_point
        else:
            with take_turn(f"{function.__module__}.{function.__name__}"):
                entry = compile_(simple)
            kernel.targetctx.remove_user_function(entry)  # which is called as kernels are
            insert(kernel.targetctx, entry, kernel.overloads[simple].fndesc, kernel.overloads[simple].library)
        if simple != tuple(given):
            kernel._insert([one._code for one in given], entry, False)  # noqa: FBT003, SLF001
        return entry

    kernel.compile = compile_simply
    return kernel


def inner(function):
    """Return a kernel that only kernels call."""
    kernel = njit(**PART)(function)
    compile_ = kernel.compile
    kernel.compile = lambda given: compile_(tuple(map(types.unliteral, given)))
    return kernel
