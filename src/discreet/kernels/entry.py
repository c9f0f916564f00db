"""How kernels are called: by Python, where arguments become values and values results, and by other kernels.

Numba has checked the types of the arguments, so each is taken for what it is, and only whether all were taken is seen.
"""

from functools import reduce

from numba import types
from numba.core import cgutils
from numba.core.callconv import CPUCallConv
from numba.core.callwrapper import PyCallWrapper


class Whole:
    """Arguments in one piece each; Numba passes the fields of an array one by one."""

    def __init__(self, context, kinds):
        """Take their types."""
        self.argument_types = [context.get_value_type(kind) for kind in kinds]

    def as_arguments(self, _builder, values):
        """Return what is passed."""
        return values

    def from_arguments(self, _builder, values):
        """Return what was passed."""
        return values

    def assign_names(self, values, names):
        """Name the arguments."""
        for value, name in zip(values, names, strict=True):
            value.name = name


class Convention(CPUCallConv):  # type: ignore[misc]  # Numba has no types
    """How the function of a kernel takes its arguments and returns its result."""

    def _get_arg_packer(self, argtypes):
        return Whole(self.context, argtypes)

    def declare(self, module, kernel):
        """Return the function of a kernel."""
        kind = self.get_function_type(kernel.restype, kernel.argtypes)
        function = cgutils.get_or_insert_function(module, kind, kernel.mangled_name)
        self.decorate_function(function, kernel.args, kernel.argtypes)
        return function


def call_kernel(kernel, library):
    """Return a function that writes a call by a kernel; an error is reported to whoever called that."""

    def call(context, builder, _signature, arguments):
        function = Convention(context).declare(builder.module, kernel)
        with builder.goto_entry_block():
            result = builder.alloca(function.args[0].type.pointee)
        error = builder.call(function, [result, builder.function.args[1], *arguments])
        with builder.if_then(builder.icmp_unsigned("!=", error, error.type(0)), likely=False):
            builder.ret(error)
        return context.get_returned_value(builder, kernel.restype, builder.load(result))

    setattr(call, "libs", (library,))  # noqa: B010 - which types do not know
    return call


class Entry(PyCallWrapper):  # type: ignore[misc]
    """Writes the function that Python calls; LLVM does not optimise it, for it takes next to no time."""

    def build(self):
        """Write it."""
        self.memory, self.faults = [], []
        wrapper, api = super().build()
        for attribute in ("noinline", "optnone"):
            wrapper.attributes.add(attribute)
        return wrapper, api

    def build_wrapper(self, api, builder, _closure, args, _kws):
        """Write its code."""
        environment = self.get_env(api, builder)
        values = self.take_all(api, builder, args, self.fndesc.argtypes)
        if self.faults:
            fault = builder.icmp_unsigned("!=", reduce(builder.or_, self.faults), self.faults[0].type(0))
            with builder.if_then(fault, likely=False):
                api.err_set_string("PyExc_TypeError", "an argument is not an array")
                builder.ret(api.get_null_object())
        with builder.if_then(api.c_api_error(), likely=False):
            builder.ret(api.get_null_object())
        thread = api.save_thread()
        convention, kernel = Convention(self.context), self.fndesc
        status, result = convention.call_function(
            builder, convention.declare(self.module, kernel), kernel.restype, kernel.argtypes, values
        )
        api.restore_thread(thread)
        for kind, memory in self.memory:
            self.context.nrt.decref(builder, kind, memory)
        with builder.if_then(status.is_ok, likely=True):
            builder.ret(api.from_native_return(kernel.restype, result, environment))
        convention.raise_error(builder, api, status)
        builder.ret(api.get_null_object())

    def take_all(self, api, builder, objects, kinds):
        """Return the values of a tuple's members."""
        return [self.take(api, builder, api.tuple_getitem(objects, at), kind) for at, kind in enumerate(kinds)]

    def take(self, api, builder, object_, kind):
        """Return the value of an object."""
        shape = self.context.get_value_type(kind)
        if isinstance(kind, types.Array):
            slot = cgutils.alloca_once(builder, shape)
            self.faults.append(api.nrt_adapt_ndarray_from_python(object_, builder.bitcast(slot, api.voidptr)))
            array = builder.load(slot)
            self.memory.append((types.MemInfoPointer(kind.dtype), builder.extract_value(array, 0)))
            return array
        if isinstance(kind, types.BaseTuple):
            return self.context.make_tuple(builder, kind, self.take_all(api, builder, object_, kind))
        if isinstance(kind, types.Integer) and kind != types.uint64:
            return builder.trunc(api.number_as_ssize_t(object_), shape)
        return api.to_native_value(kind, object_).value
