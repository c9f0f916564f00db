"""How kernels are compiled, by Numba: loaded only where they are."""

from time import perf_counter

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import event
from numba.extending import intrinsic, overload

from discreet.kernels import Pace, words


class Compiling(event.Listener):  # type: ignore[misc]  # Numba has no types
    """Tells whoever wants to know, once, that a kernel is compiled; adds up the time. Numba compiles one at a time."""

    depth, start = 0, 0.0

    def on_start(self, _event):
        """Tell it, and begin to measure; a kernel may be compiled within another one."""
        if not self.depth:
            self.start = perf_counter()
        self.depth += 1
        if Pace.say is not None:
            say, Pace.say = Pace.say, None
            say()

    def on_end(self, _event):
        """Add the time."""
        self.depth -= 1
        if not self.depth:
            Pace.compiling += perf_counter() - self.start


event.register("numba:compile", Compiling())


def jit(function):
    """Return a kernel. A call with a constant is compiled as one with a variable, which would come second otherwise."""
    kernel = njit(cache=True, nogil=True, no_cfunc_wrapper=True)(function)
    compile_ = kernel.compile
    kernel.compile = lambda types_: compile_(tuple(map(types.unliteral, types_)))
    return kernel


@intrinsic
def _ctpop(_typing, _word):
    def generate(_context, builder, _signature, arguments):
        return builder.call(builder.module.declare_intrinsic("llvm.ctpop", [arguments[0].type]), arguments)

    return types.uint64(types.uint64), generate


@intrinsic
def _cttz(_typing, _word):
    def generate(_context, builder, _signature, arguments):
        word = arguments[0].type
        shape = ir.FunctionType(word, [word, ir.IntType(1)])
        function = builder.module.declare_intrinsic("llvm.cttz", [word], shape)
        return builder.call(function, [arguments[0], ir.Constant(ir.IntType(1), 1)])

    return types.uint64(types.uint64), generate


@overload(words.popcount)
def _popcount(word):
    return lambda word: _ctpop(word)


@overload(words.lowest_bit)
def _lowest_bit(word):
    return lambda word: np.int64(_cttz(word))


@overload(words.mix)
def _mix(word):
    def mix(word):
        product = np.uint64(word) * np.uint64(0x9E3779B97F4A7C15)
        return product ^ (product >> np.uint64(32))

    return mix


@overload(words.grow)
def _grow(array, size):
    def grow(array, size):
        copy = np.empty((size, *array.shape[1:]), array.dtype)
        old, new = array.ravel(), copy.ravel()  # a slice takes seconds to compile, because of its error message
        for at in range(old.size):
            new[at] = old[at]
        return copy

    return grow


@overload(words.copy)
def _copy(data, start, stop, out, size):
    def copy(data, start, stop, out, size):
        part, place = data[start:stop], out[size : size + stop - start]
        for at in range(part.size):  # as in ``grow``
            place[at] = part[at]
        return size + stop - start

    return copy
