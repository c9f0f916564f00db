"""The calls that kernels make to Python, NumPy and words.py, written as code for LLVM without a detour.

Numba compiles a function of its own for most of them, anew for each type and number of axes. A writer returns the
result of a call, or None where Numba is to write it. Memory is allocated as by Numba, and a size that memory does not
have is a MemoryError. A range has a step other than 0.
"""

from collections.abc import Callable
from functools import partial, reduce
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.npydecl import parse_dtype, parse_shape

from discreet.kernels import words

NUMBERS = (types.Number, types.Boolean)
WORD = ir.IntType(64)
ALIGNMENT = 32
ZERO, MOST = ir.Constant(WORD, 0), ir.Constant(WORD, 2**63 - 1)


WORDS: dict[Any, Callable[..., Any]] = {
    words.popcount: lambda _word: types.uint64,
    words.lowest_bit: lambda _word: types.int64,
    words.mix: lambda _word: types.uint64,
    words.grow: lambda array, _size: array.copy(readonly=False) if array.layout == "C" else None,
    words.copy: lambda data, _start, _stop, out, _size: types.int64 if data.dtype == out.dtype else None,
}
"""What the functions of words.py return, by the types of their arguments."""


def find_signature(function, kinds):
    """Return the signature of a call that is written here, by the types of its arguments, or None."""
    given = tuple(map(types.unliteral, kinds))
    found = find_type(function, *given)
    return None if found is None else found(*given)


def find_type(function, *kinds):
    """Return the type of a call's result, or None."""
    if function in WORDS:
        return WORDS[function](*kinds)
    if function in (min, max) and len(kinds) == 2 and kinds[0] == kinds[1] and isinstance(kinds[0], types.Integer):
        return kinds[0]
    if function is np.arange and len(kinds) == 1 and isinstance(kinds[0], types.Integer):
        return types.Array(types.intp, 1, "C")
    if function not in (np.empty, np.zeros, np.full) or (function is np.full and len(kinds) != 3):
        return None
    axes, dtype = parse_shape(kinds[0]), parse_dtype(kinds[-1]) if kinds[1:] else types.float64
    return types.Array(dtype, axes, "C") if axes and isinstance(dtype, NUMBERS) else None


def read(lower, kind, record, field):
    """Return a field of an array, or of another record."""
    return lower.builder.extract_value(record, lower.context.data_model_manager[kind].get_field_position(field))


def build(lower, kind, values):
    """Return a record of these values, by field."""
    model, record = lower.context.data_model_manager[kind], lower.context.get_constant_undef(kind)
    for field, value in values.items():
        record = lower.builder.insert_value(record, value, model.get_field_position(field))
    return record


def load(lower, variable, kind=types.intp):
    """Return a variable as a number of a type."""
    return lower.context.cast(lower.builder, lower.loadvar(variable.name), lower.typeof(variable.name), kind)


def load_all(lower, variable):
    """Return the numbers of a variable that is one, or a tuple of them."""
    kind, value = lower.typeof(variable.name), lower.loadvar(variable.name)
    if isinstance(kind, types.Integer):
        return [lower.context.cast(lower.builder, value, kind, types.intp)]
    numbers = cgutils.unpack_tuple(lower.builder, value)
    return [lower.context.cast(lower.builder, *pair, types.intp) for pair in zip(numbers, kind, strict=True)]


def multiply(lower, numbers):
    """Return the product of numbers."""
    return reduce(lambda left, right: lower.builder.mul(left, right, flags=["nsw"]), numbers)


def place(lower, kind, memory, data, sizes):
    """Return an array of these sizes, in memory."""
    item = ir.Constant(WORD, lower.context.get_abi_sizeof(lower.context.get_data_type(kind.dtype)))
    strides = [multiply(lower, [item, *sizes[axis + 1 :]]) for axis in range(len(sizes))]
    fields = {
        "meminfo": memory,
        "parent": ir.Constant(cgutils.voidptr_t, None),
        "nitems": multiply(lower, sizes),
        "itemsize": item,
        "data": data,
        "shape": cgutils.pack_array(lower.builder, sizes),
        "strides": cgutils.pack_array(lower.builder, strides),
    }
    return build(lower, kind, fields)


def allocate(lower, kind, sizes):
    """Return a new array of these sizes, and its number of bytes."""
    entry = lower.context.get_data_type(kind.dtype)
    size = multiply(lower, [ir.Constant(WORD, lower.context.get_abi_sizeof(entry)), *sizes])
    memory = lower.context.nrt.meminfo_alloc_aligned(lower.builder, size, ALIGNMENT)
    data = lower.builder.bitcast(lower.context.nrt.meminfo_data(lower.builder, memory), entry.as_pointer())
    return place(lower, kind, memory, data, sizes), size


def write_empty(lower, kind, shape, *_dtype):
    """Allocate an array."""
    return allocate(lower, kind, load_all(lower, shape))[0]


def write_zeros(lower, kind, shape, *_dtype):
    """Allocate an array of zeros."""
    array, size = allocate(lower, kind, load_all(lower, shape))
    cgutils.memset(lower.builder, read(lower, kind, array, "data"), size, 0)
    return array


def write_full(lower, kind, shape, value, *_dtype):
    """Allocate an array of one number."""
    array, _ = allocate(lower, kind, load_all(lower, shape))
    entry = lower.context.get_value_as_data(lower.builder, kind.dtype, load(lower, value, kind.dtype))
    data, size = (read(lower, kind, array, field) for field in ("data", "nitems"))
    with cgutils.for_range(lower.builder, size) as loop:
        lower.builder.store(entry, lower.builder.gep(data, [loop.index], inbounds=True))
    return array


def write_arange(lower, kind, size, *more):
    """Allocate an array of the numbers from 0 on; Numba writes other ones."""
    if more:
        return None
    length = load(lower, size)
    array, _ = allocate(lower, kind, [length])
    data = read(lower, kind, array, "data")
    with cgutils.for_range(lower.builder, length) as loop:
        lower.builder.store(loop.index, lower.builder.gep(data, [loop.index], inbounds=True))
    return array


def write_lesser(sign, lower, kind, *numbers):
    """Take the lesser of two whole numbers, or by another sign the greater; Numba writes other ones."""
    if len(numbers) != 2 or not isinstance(kind, types.Integer):
        return None
    one, other = (load(lower, number, kind) for number in numbers)
    compare = lower.builder.icmp_signed if kind.signed else lower.builder.icmp_unsigned
    return lower.builder.select(compare(sign, other, one), other, one)


def write_grow(lower, kind, array, size):
    """Copy an array to a longer one."""
    return copy_whole(lower, kind, array, load(lower, size))


def write_whole_copy(lower, kind, array):
    """Copy an array, which is the owner of the method that is called."""
    is_simple = lower.typeof(array.name).this.layout == "C" and isinstance(kind.dtype, NUMBERS)
    return copy_whole(lower, kind, array, None) if is_simple else None


def copy_whole(lower, kind, array, size):
    """Copy an array to a new one, with room for ``size`` entries or lines if that is not None."""
    old = lower.loadvar(array.name)
    first, *rest = cgutils.unpack_tuple(lower.builder, read(lower, kind, old, "shape"))
    new, _ = allocate(lower, kind, [first if size is None else size, *rest])
    if size is not None and lower.context.enable_boundscheck:
        lower.refuse(lower.builder.icmp_signed("<", size, first))
    move(lower, [read(lower, kind, one, "data") for one in (new, old)], read(lower, kind, old, "nitems"), kind)
    return new


def write_copy(lower, _kind, data, start, stop, out, size):
    """Copy a part of an array to another one."""
    first, last, end = (load(lower, one) for one in (start, stop, size))
    kind, source, target = lower.typeof(data.name), lower.loadvar(data.name), lower.loadvar(out.name)
    length = lower.builder.sub(last, first, flags=["nsw"])
    final = lower.builder.add(end, length, flags=["nsw"])
    if lower.context.enable_boundscheck:
        for array, at in ((target, final), (source, last)):
            lower.refuse(lower.builder.icmp_unsigned(">", at, read(lower, kind, array, "nitems")))
    places = [
        lower.builder.gep(read(lower, kind, array, "data"), [at], inbounds=True)
        for array, at in ((target, end), (source, first))
    ]
    move(lower, places, length, kind)
    return final


def move(lower, places, size, kind):
    """Copy entries of an array, to the first of two places from the second."""
    item = lower.context.get_abi_sizeof(lower.context.get_data_type(kind.dtype))
    cgutils.raw_memmove(lower.builder, *places, size, item)


def write_range(lower, kind, *bounds):
    """Make a range."""
    given = [load(lower, bound, kind.dtype) for bound in bounds]
    unit = given[0].type
    start, stop, step = [[unit(0), *given, unit(1)], [*given, unit(1)], given][len(given) - 1]
    return build(lower, kind, {"start": start, "stop": stop, "step": step})


def write_slice(lower, kind, *bounds):
    """Make a slice of all entries between bounds; Numba writes those with a step."""
    if kind.has_step or len(bounds) != 2:
        return None
    defaults = {"start": ZERO, "stop": MOST}
    given = {
        field: default if lower.typeof(bound.name) == types.none else load(lower, bound)
        for (field, default), bound in zip(defaults.items(), bounds, strict=True)
    }
    return build(lower, kind, {**given, "step": ir.Constant(WORD, 1)})


def write_popcount(lower, _kind, word):
    """Count the bits of a word."""
    function = lower.module.declare_intrinsic("llvm.ctpop", [WORD])
    return lower.builder.call(function, [load(lower, word, types.uint64)])


def write_lowest_bit(lower, _kind, word):
    """Find the lowest bit of a word."""
    bit = ir.IntType(1)
    function = lower.module.declare_intrinsic("llvm.cttz", [WORD], ir.FunctionType(WORD, [WORD, bit]))
    return lower.builder.call(function, [load(lower, word, types.uint64), bit(1)])


def write_mix(lower, _kind, word):
    """Hash a word."""
    product = lower.builder.mul(load(lower, word, types.uint64), WORD(words.GOLDEN))
    return lower.builder.xor(product, lower.builder.lshr(product, WORD(32)))


WRITERS: dict[Any, Callable[..., Any]] = {
    min: partial(write_lesser, "<"),
    max: partial(write_lesser, ">"),
    np.arange: write_arange,
    range: write_range,
    slice: write_slice,
    np.empty: write_empty,
    np.zeros: write_zeros,
    np.full: write_full,
    "array.copy": write_whole_copy,
    words.popcount: write_popcount,
    words.lowest_bit: write_lowest_bit,
    words.mix: write_mix,
    words.grow: write_grow,
    words.copy: write_copy,
}
