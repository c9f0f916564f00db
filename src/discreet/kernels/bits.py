"""Bits of a word: the two machine instructions that Numba does not offer, and a hash that no overflow disturbs.

The one file of kernels that others call: it is small and final. Whoever changes it removes the caches of the others.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload


def popcount(word):
    """Return how many bits of ``word`` are set."""
    return int(word).bit_count()


def lowest_bit(word):
    """Return the place of the lowest bit of ``word``, which must not be 0."""
    return (int(word) & -int(word)).bit_length() - 1


def mixed(word):
    """Return a word whose lower half hangs on all bits of ``word``: multiplied by the golden ratio, and folded."""
    product = int(word) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
    return np.uint64(product ^ product >> 32)


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


@overload(popcount)
def _popcount(word):
    return lambda word: _ctpop(word)


@overload(lowest_bit)
def _lowest_bit(word):
    return lambda word: np.int64(_cttz(word))


@overload(mixed)
def _mixed(word):
    def mixed(word):
        product = np.uint64(word) * np.uint64(0x9E3779B97F4A7C15)
        return product ^ (product >> np.uint64(32))

    return mixed
