"""How a kernel becomes code for LLVM: as with Numba, but much less of it, which compiles and runs faster.

An index lies within its array and counts from the start: only a constant may be negative, as in ``offsets[-1]``. With
Numba's variable NUMBA_BOUNDSCHECK set to 1, every index is checked. Run the tests so after a change to kernels.
"""

import operator
from functools import cache

from numba import types
from numba.core import cgutils, ir
from numba.core.lowering import Lower
from numba.np.arrayobj import load_item, store_item

NUMBERS = (types.Number, types.Boolean)


class KernelLower(Lower):  # type: ignore[misc]  # Numba has no types
    """Writes a kernel's code."""

    def lower_inst(self, inst):
        """Write the code of one step; Numba also describes it in words, whether they are read or not."""
        if isinstance(inst, ir.Assign) and not isinstance(inst.value, ir.Arg):
            self.storevar(self.lower_assign(self.typeof(inst.target.name), inst), inst.target.name)
        elif isinstance(inst, ir.Del):
            self.delvar(inst.value)
        elif isinstance(inst, ir.SetItem):
            self.lower_setitem(inst.target, inst.index, inst.value, self.fndesc.calltypes[inst])
        else:
            super().lower_inst(inst)

    def owns(self, type_):
        """Return whether values of this type own memory."""
        return not isinstance(type_, NUMBERS) and self.context.data_model_manager[type_].contains_nrt_meminfo()

    def incref(self, typ, val):
        """Count one more owner of a value's memory."""
        for memory in self.list_memory(typ, val):
            super().incref(*memory)

    def decref(self, typ, val):
        """Count one owner less."""
        for memory in self.list_memory(typ, val):
            super().decref(*memory)

    def list_memory(self, type_, value):
        """Yield each piece of memory that a value owns, after its type; Numba looks for some in every number."""
        if isinstance(type_, types.Array):
            yield types.MemInfoPointer(type_.dtype), self.builder.extract_value(value, 0)
        elif isinstance(type_, types.BaseTuple):
            for place, member in enumerate(type_):
                if self.owns(member):
                    yield from self.list_memory(member, self.builder.extract_value(value, place))
        elif self.owns(type_):
            yield type_, value

    def storevar(self, value, name, argidx=None):
        """Assign to a variable, and free what it had."""
        if argidx is not None or name in self._singly_assigned_vars or self.owns(self.typeof(name)):
            super().storevar(value, name, argidx)
        else:
            self.builder.store(value, self.getvar(name))

    def delvar(self, name):
        """Free what a variable had that is not used any more."""
        if self.owns(self.typeof(name)):
            super().delvar(name)

    def lower_binop(self, resty, expr, op):
        """Compute with two numbers; Numba first looks three times for a shorter way with constants."""
        kinds = [self.typeof(expr.lhs.name), self.typeof(expr.rhs.name)]
        if op is operator.pow or not all(isinstance(kind, NUMBERS) for kind in kinds):
            return super().lower_binop(resty, expr, op)
        signature = self.fndesc.calltypes[expr]
        values = [
            self.context.cast(self.builder, self.loadvar(variable.name), *pair)
            for variable, *pair in zip((expr.lhs, expr.rhs), kinds, signature.args, strict=True)
        ]
        function = find_operator(self.context, op, signature.args)
        return self.context.cast(self.builder, function(self.builder, values), signature.return_type, resty)

    def lower_getitem(self, resty, expr, value, index, signature):
        """Read an entry of an array."""
        kind = self.typeof(value.name)
        if not is_entry(kind, self.typeof(index.name)):
            return super().lower_getitem(resty, expr, value, index, signature)
        found = load_item(self.context, self.builder, kind, self.find_entry(value, index))
        return self.context.cast(self.builder, found, kind.dtype, resty)

    def lower_setitem(self, target_var, index_var, value_var, signature):
        """Write an entry of an array."""
        kind, given = self.typeof(target_var.name), self.typeof(value_var.name)
        if not is_entry(kind, self.typeof(index_var.name)) or not isinstance(given, NUMBERS):
            super().lower_setitem(target_var, index_var, value_var, signature)
            return
        value = self.context.cast(self.builder, self.loadvar(value_var.name), given, kind.dtype)
        store_item(self.context, self.builder, kind, value, self.find_entry(target_var, index_var))

    def find_entry(self, variable, index):
        """Return where an array's entry is in memory."""
        array, kind = self.loadvar(variable.name), self.typeof(index.name)
        fields = self.context.data_model_manager[self.typeof(variable.name)]
        data, shape = fields.get_field_position("data"), fields.get_field_position("shape")
        place = None
        for axis, (number, type_) in enumerate(self.list_indexes(index, kind)):
            at, size = self.context.cast(self.builder, number, type_, types.intp), [shape, axis]
            if self.context.enable_boundscheck:
                outside = self.builder.icmp_unsigned(">=", at, self.builder.extract_value(array, size))
                with self.builder.if_then(outside, likely=False):
                    self.return_exception(IndexError, ("an index lies outside its array",), loc=self.loc)
            if axis:
                lines = self.builder.mul(place, self.builder.extract_value(array, size), flags=["nsw"])
                at = self.builder.add(lines, at, flags=["nsw"])
            place = at
        return self.builder.gep(self.builder.extract_value(array, data), [place], inbounds=True)

    def list_indexes(self, index, kind):
        """Return each number of an index, with its type."""
        value = self.loadvar(index.name)
        if isinstance(kind, types.Integer):
            return [(value, kind)]
        return list(zip(cgutils.unpack_tuple(self.builder, value), kind, strict=True))


@cache
def find_operator(context, operator_, kinds):
    """Return the function that writes the code of an operator on these types."""
    function = context.typing_context.resolve_value_type(operator_)
    return context.get_function(function, function.get_call_type(context.typing_context, kinds, {}))


def is_entry(kind, index):
    """Return whether an index of this type means one number of an array of this type, counted from its start."""
    indexes = index.types if isinstance(index, types.BaseTuple) else (index,)
    return (
        isinstance(kind, types.Array)
        and kind.layout == "C"
        and isinstance(kind.dtype, NUMBERS)
        and len(indexes) == kind.ndim
        and all(isinstance(one, types.Integer) and getattr(one, "literal_value", 0) >= 0 for one in indexes)
    )
