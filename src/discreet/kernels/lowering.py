"""How a kernel becomes code for LLVM: as with Numba, but much less of it, which compiles and runs faster.

An index lies within its array and counts from the start: only a constant may be negative, as in ``offsets[-1]``. With
Numba's variable NUMBA_BOUNDSCHECK set to 1, every index is checked. Run the tests so after a change to kernels.
"""

import operator
from functools import cache, reduce

from llvmlite import ir as llvm
from numba import types
from numba.core import cgutils, ir
from numba.core.lowering import Lower
from numba.np.arrayobj import load_item, store_item

from discreet.kernels.entry import Convention, Entry
from discreet.kernels.writers import NUMBERS, WRITERS, ZERO, build, place, read


class KernelLower(Lower):  # type: ignore[misc]  # Numba has no types
    """Writes a kernel's code."""

    @property
    def call_conv(self):
        """How the kernel is called."""
        return Convention(self.context)

    def setup_function(self, fndesc):
        """Begin to write."""
        self.function = self.call_conv.declare(self.module, fndesc)
        self.entry_block = self.function.append_basic_block("entry")
        self.builder = llvm.IRBuilder(self.entry_block)
        self.call_helper = self.call_conv.init_call_helper(self.builder)

    def _find_singly_assigned_variable(self):
        super()._find_singly_assigned_variable()
        self.given = set()
        assigned, others = set[str](), set[str]()
        for _, block in sorted(self.blocks.items()):  # as they are written
            for inst in block.body:
                target = inst.target.name if isinstance(inst, ir.Assign) else None
                others.update(one.name for one in inst.list_vars() if one.name not in assigned and one.name != target)
                if target in assigned:
                    others.add(target)
                elif target is not None:
                    assigned.add(target)
                    if isinstance(inst.value, ir.Arg):
                        self.given.add(target)
        self.given -= others
        self._singly_assigned_vars |= {name for name in assigned - others if not self.owns(self.typeof(name))}
        self._singly_assigned_vars |= self.given

    def lower_block(self, block):
        """Write the code of a block; Numba prepares an error message for each step."""
        self.pre_block(block)
        for inst in block.body:
            self.loc = inst.loc
            self.lower_inst(inst)
        self.post_block(block)

    def lower_inst(self, inst):
        """Write the code of one step; Numba also describes it in words, whether they are read or not."""
        if isinstance(inst, ir.Assign) and inst.target.name in self.given:  # whoever calls the kernel owns it
            pair = self.typeof(f"arg.{inst.value.name}"), self.typeof(inst.target.name)
            self._blk_local_varmap[inst.target.name] = self.context.cast(
                self.builder, self.fnargs[inst.value.index], *pair
            )
        elif isinstance(inst, ir.Assign) and not isinstance(inst.value, ir.Arg):
            self.storevar(self.lower_assign(self.typeof(inst.target.name), inst), inst.target.name)
        elif isinstance(inst, ir.Del):
            self.delvar(inst.value)
        elif isinstance(inst, ir.SetItem):
            self.lower_setitem(inst.target, inst.index, inst.value, self.fndesc.calltypes[inst])
        elif isinstance(inst, ir.StaticSetItem) and isinstance(inst.index, int) and inst.index >= 0:
            self.lower_setitem(inst.target, inst.index_var, inst.value, self.fndesc.calltypes[inst])
        else:
            super().lower_inst(inst)

    def create_cpython_wrapper(self, release_gil=False):  # noqa: FBT002 - as Numba's
        """Write how Python calls the kernel."""
        module = self.context.create_module("wrapper")
        Entry(self.context, module, self.function, self.fndesc, self.env, self.call_helper, release_gil).build()
        self.library.add_ir_module(module)

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
        if name not in self.given and self.owns(self.typeof(name)):
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

    def lower_expr(self, resty, expr):
        """Compute an expression."""
        writer = getattr(self, f"write_{expr.op}", None)
        value = writer(resty, expr, self.typeof(expr.value.name)) if writer else None
        return super().lower_expr(resty, expr) if value is None else value

    def write_getiter(self, kind, expr, given):
        """Begin a loop over a range; its number is in memory, and Numba's count of the steps left is not used."""
        if not isinstance(given, types.RangeType):
            return None
        range_ = self.loadvar(expr.value.name)
        start, stop, step = (self.builder.extract_value(range_, at) for at in range(3))
        with self.builder.goto_entry_block():
            slot = self.builder.alloca(start.type)
        self.builder.store(start, slot)
        return build(self, kind, {"iter": slot, "stop": stop, "step": step})

    def write_iternext(self, kind, expr, given):
        """Take the next number of a range, and whether there is one."""
        if not isinstance(given, types.RangeIteratorType):
            return None
        loop = self.loadvar(expr.value.name)
        slot, stop, step = (read(self, given, loop, field) for field in ("iter", "stop", "step"))
        number = self.builder.load(slot)
        compare = self.builder.icmp_signed if given.yield_type.signed else self.builder.icmp_unsigned
        up, down = compare("<", number, stop), compare(">", number, stop)
        rises = self.builder.icmp_signed(">", step, step.type(0))
        self.builder.store(self.builder.add(number, step), slot)
        return build(self, kind, {"first": number, "second": self.builder.select(rises, up, down)})

    def write_pair_first(self, _kind, expr, given):
        """Return the first of a pair."""
        return None if self.owns(given) else self.builder.extract_value(self.loadvar(expr.value.name), 0)

    def write_pair_second(self, _kind, expr, _given):
        """Return the second of a pair, which is a truth."""
        return self.builder.extract_value(self.loadvar(expr.value.name), 1)

    def write_getattr(self, kind, expr, given):
        """Return a field of an array, or of a named tuple."""
        if isinstance(given, types.Array) and expr.attr in FIELDS:
            return self.field(expr.value, FIELDS[expr.attr])
        if not isinstance(given, types.BaseNamedTuple) or expr.attr not in given.fields:
            return None
        return self.take_member(kind, expr, given.fields.index(expr.attr))

    def write_static_getitem(self, kind, expr, given):
        """Return a member of a tuple."""
        if not isinstance(given, types.BaseTuple) or not isinstance(expr.index, int):
            return None
        return self.take_member(kind, expr, range(len(given))[expr.index])

    def take_member(self, kind, expr, at):
        """Return a member of a tuple, owned once more."""
        member = self.builder.extract_value(self.loadvar(expr.value.name), at)
        self.incref(kind, member)
        return member

    def lower_call(self, resty, expr):
        """Write a call."""
        function = self.typeof(expr.func.name)
        writer = None if expr.kws or expr.vararg else WRITERS.get(getattr(function, "typing_key", None))
        arguments = [expr.func, *expr.args] if isinstance(function, types.BoundFunction) else expr.args
        value = writer(self, self.fndesc.calltypes[expr].return_type, *arguments) if writer else None
        if value is None:
            return super().lower_call(resty, expr)
        return self.context.cast(self.builder, value, self.fndesc.calltypes[expr].return_type, resty)

    def alloca_lltype(self, name, lltype, datamodel=None):
        """Return where a variable is kept; Numba sets numbers to 0 first."""
        if datamodel is None or datamodel.contains_nrt_meminfo():
            return super().alloca_lltype(name, lltype, datamodel)
        with self.builder.goto_entry_block():
            return self.builder.alloca(lltype, name=name)

    def lower_getitem(self, resty, expr, value, index, signature):
        """Read an entry of an array."""
        kind = self.typeof(value.name)
        if is_part(kind, self.typeof(index.name), resty):
            return self.take_part(kind, resty, value, index)
        if not is_entry(kind, self.typeof(index.name)):
            return super().lower_getitem(resty, expr, value, index, signature)
        found = load_item(self.context, self.builder, kind, self.find_entry(value, index))
        return self.context.cast(self.builder, found, kind.dtype, resty)

    def take_part(self, kind, resty, variable, index):
        """Return a slice of an array, whose bounds count from the end if they are below 0, as in Python."""
        array, slice_, builder = self.loadvar(variable.name), self.loadvar(index.name), self.builder
        sizes = cgutils.unpack_tuple(builder, read(self, kind, array, "shape"))
        bounds = []
        for at in range(2):
            bound = builder.extract_value(slice_, at)
            turned = builder.select(builder.icmp_signed("<", bound, ZERO), builder.add(bound, sizes[0]), bound)
            above = builder.select(builder.icmp_signed("<", turned, ZERO), ZERO, turned)
            bounds.append(builder.select(builder.icmp_signed(">", above, sizes[0]), sizes[0], above))
        length = builder.sub(bounds[1], bounds[0])
        length = builder.select(builder.icmp_signed("<", length, ZERO), ZERO, length)
        first = reduce(builder.mul, sizes[1:], bounds[0])
        data = builder.gep(read(self, kind, array, "data"), [first], inbounds=True)
        part = place(self, resty, read(self, kind, array, "meminfo"), data, [length, *sizes[1:]])
        self.incref(resty, part)
        return part

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
        kind, checks, place = self.typeof(index.name), self.context.enable_boundscheck, None
        shape = self.field(variable, "shape") if checks or isinstance(kind, types.BaseTuple) else None
        for axis, (number, type_) in enumerate(self.list_indexes(index, kind)):
            at = self.context.cast(self.builder, number, type_, types.intp)
            if checks:
                self.refuse(self.builder.icmp_unsigned(">=", at, self.builder.extract_value(shape, axis)))
            if axis:
                lines = self.builder.mul(place, self.builder.extract_value(shape, axis), flags=["nsw"])
                at = self.builder.add(lines, at, flags=["nsw"])
            place = at
        return self.builder.gep(self.field(variable, "data"), [place], inbounds=True)

    def refuse(self, outside):
        """Write an error where an index lies outside its array."""
        with self.builder.if_then(outside, likely=False):
            self.return_exception(IndexError, ("an index lies outside its array",), loc=self.loc)

    def field(self, variable, name):
        """Return a field of an array; the others are not read."""
        kind = self.typeof(variable.name)
        if variable.name in self._blk_local_varmap:
            return read(self, kind, self.loadvar(variable.name), name)
        at = self.context.data_model_manager[kind].get_field_position(name)
        return self.builder.load(cgutils.gep_inbounds(self.builder, self.getvar(variable.name), 0, at))

    def list_indexes(self, index, kind):
        """Return each number of an index, with its type."""
        value = self.loadvar(index.name)
        if isinstance(kind, types.Integer):
            return [(value, kind)]
        return list(zip(cgutils.unpack_tuple(self.builder, value), kind, strict=True))


FIELDS = {"size": "nitems", "shape": "shape"}


def find_operator(context, operator_, kinds):
    """Return the function that writes the code of an operator on these types."""
    return context.get_function(*find_meaning(context.typing_context, operator_, kinds))


@cache
def find_meaning(types_, operator_, kinds):
    """Return what an operator is on these types, and its signature."""
    function = types_.resolve_value_type(operator_)
    return function, function.get_call_type(types_, kinds, {})


def is_part(kind, index, found):
    """Return whether an index of this type is a slice, without steps, of an array of this type along its first axis."""
    return (
        isinstance(index, types.SliceType)
        and not index.has_step
        and isinstance(found, types.Array)
        and kind.layout == found.layout == "C"
        and isinstance(kind.dtype, NUMBERS)
    )


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
