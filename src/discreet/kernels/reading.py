"""How a kernel is read and its types are found: the steps of Numba that kernels need, each with less work."""

from contextlib import nullcontext
from functools import partial
from operator import getitem, setitem
from typing import ClassVar

from numba import types
from numba.core.compiler_machinery import register_pass
from numba.core.interpreter import Interpreter
from numba.core.ir_utils import build_definitions
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.rewrites.static_getitem import RewriteConstGetitems, RewriteConstSetitems
from numba.core.rewrites.static_raise import RewriteConstRaises
from numba.core.ssa import reconstruct_ssa
from numba.core.transforms import canonicalize_cfg
from numba.core.typed_passes import NopythonTypeInference, PreLowerStripPhis
from numba.core.typeinfer import TypeInferer
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.core.untyped_passes import TranslateByteCode

from discreet.kernels.writers import WORDS, find_signature

for function_ in WORDS:  # Numba knows them by name only
    infer_global(function_, types.Function(type(function_.__name__, (AbstractTemplate,), {"key": function_})))


class Reader(Interpreter):  # type: ignore[misc]  # Numba has no types
    """Reads a kernel's steps; Numba then looks for lists, dictionaries and contexts, of which there are none."""

    def post_process(self, _peepholes, func_ir):
        """Look for nothing."""
        return func_ir


@register_pass(mutates_CFG=True, analysis_only=False)
class Reading(TranslateByteCode):  # type: ignore[misc]
    """The first step: a kernel's steps are read, and each variable is made to be assigned once."""

    _name = "kernel_reading"
    rewrites: ClassVar = (RewriteConstGetitems, RewriteConstSetitems, RewriteConstRaises)

    def run_pass(self, state):
        """Read them."""
        code = Reader(state.func_id).interpret(state.bc)
        state.nargs = code.arg_count
        code.blocks = canonicalize_cfg(code.blocks)
        for rewrite in [kind(state) for kind in self.rewrites]:
            for label in code.blocks:
                while rewrite.match(code, code.blocks[label], None, None):
                    code.blocks[label] = rewrite.apply()
        state.func_ir = reconstruct_ssa(code)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)  # noqa: SLF001
        return True


class Silence:
    """No warnings, where Numba would look for some at each step."""

    def catch_warnings(self, **_place):
        """Catch none."""
        return nullcontext()


class Memory:
    """Numba's knowledge of types, with what it has found before: it tries all ways in which a function can be called.

    It does so at each call and in each round.
    """

    known: ClassVar[dict] = {}

    def __init__(self, context):
        """Take the knowledge itself."""
        self.context = context

    def __getattr__(self, name):
        """Return what is not remembered."""
        return getattr(self.context, name)

    def remember(self, find, *key):
        """Return what is found, or was."""
        if self.known.get(key) is None:
            self.known[key] = find()
        return self.known[key]

    def resolve_function_type(self, function, arguments, keywords):
        """Return the signature of a call, unless it is one that is written by us."""
        resolve = partial(self.context.resolve_function_type, function, arguments, keywords)
        if not isinstance(function, types.Function) and function is not getitem:
            return resolve()
        ours = None if keywords else find_signature(getattr(function, "typing_key", None), arguments)
        return ours or self.remember(resolve, function, *arguments, *keywords.items())

    def resolve_setitem(self, *kinds):
        """Return the signature of an assignment to an entry."""
        return self.remember(partial(self.context.resolve_setitem, *kinds), setitem, *kinds)

    def resolve_getattr(self, kind, name):
        """Return the type of an attribute."""
        return self.remember(partial(self.context.resolve_getattr, kind, name), kind, name)


@register_pass(mutates_CFG=True, analysis_only=False)
class Inference(NopythonTypeInference):  # type: ignore[misc]
    """The step that finds the types."""

    _name = "kernel_type_inference"

    def run_pass(self, state):
        """Find them."""
        code, kinds = state.func_ir, state.args
        inferer = TypeInferer(Memory(state.typingctx), code, Silence())
        with state.typingctx.callstack.register(state.targetctx.target, inferer, code.func_id, kinds):
            for place, (name, kind) in enumerate(zip(code.arg_names, kinds, strict=True)):
                inferer.seed_argument(name, place, kind)
            inferer.build_constraint()
            inferer.propagate()
            state.typemap, state.return_type, state.calltypes = inferer.unify()
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class Settling(PreLowerStripPhis):  # type: ignore[misc]
    """The step that settles where variables get and lose their values."""

    _name = "kernel_settling"

    def run_pass(self, state):
        """Settle it."""
        code = state.func_ir = self._strip_phi_nodes(state.func_ir)
        code._definitions = build_definitions(code.blocks)  # noqa: SLF001
        code.variable_lifetime = VariableLifetime(code.blocks)
        PostProcessor(code)._insert_var_dels()  # noqa: SLF001
        return True
