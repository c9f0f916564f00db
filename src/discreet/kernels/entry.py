"""How Python calls a kernel: arguments become values, and values results.

Numba has checked the types of the arguments, so each is taken for what it is, and only whether all were taken is seen.
"""

from functools import reduce

from numba import types
from numba.core import cgutils
from numba.core.callwrapper import PyCallWrapper


class Entry(PyCallWrapper):  # type: ignore[misc]  # Numba has no types
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
        status, result = self.context.call_conv.call_function(
            builder, self.func, self.fndesc.restype, self.fndesc.argtypes, values, attrs=("noinline",)
        )
        api.restore_thread(thread)
        for kind, memory in self.memory:
            self.context.nrt.decref(builder, kind, memory)
        with builder.if_then(status.is_ok, likely=True):
            builder.ret(api.from_native_return(self.fndesc.restype, result, environment))
        self.context.call_conv.raise_error(builder, api, status)
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
