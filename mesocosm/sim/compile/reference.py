"""What compiled code makes of a block of words: tuples, arrays and rows of them, by reference.

Three types stand for what rules see, on the CPU and on CUDA alike:

- `Fields`, a NamedTuple: its value is the address of the block; `s.row` costs nothing.
- `Field`, an array in it: its value is the same address. Where the array's own address and its
  lengths lie is known at compile time, so an element is two loads and a multiplication away.
- `Row`, what remains of an array when only its first indices are given: address and lengths.

All loads from the block are marked invariant, so that the compiler may keep or repeat them (without
it a step takes a third longer); none is marked dereferenceable, or it would load them all at the
head of every loop (a fifth longer). Indices are taken as they are: Python's meaning of negative
ones costs a quarter of a step, and the python target refuses them.

On the CPU arrays lie `[env, agent, ...]` as NumPy has them. On CUDA the env is the innermost axis
of what has one, so that the threads of a warp, one per env, read neighbouring words.
"""

import importlib
import operator
from functools import cache
from typing import Any, NamedTuple

from mesocosm.sim.compile.fields import Scalar, Tree

WORD_BYTES = 8
GLOBAL = 1  # CUDA's address space of the memory that arrays lie in


class Toolkit(NamedTuple):
    """The parts of Numba, or of numba-cuda, that types are made of."""

    types: Any
    templates: Any
    imputils: Any
    models: Any
    extending: Any
    cgutils: Any
    cuda: bool


def toolkit(target: str) -> Toolkit:
    """Load what a target's types are made of: the two have parts of the same names."""
    cuda = target == "cuda"
    core = "numba.cuda" if cuda else "numba.core"
    load = importlib.import_module
    return Toolkit(
        types=load(f"{core}.types"),
        templates=load(f"{core}.typing.templates"),
        imputils=load("numba.cuda.core.imputils" if cuda else "numba.core.imputils"),
        models=load(f"{core}.datamodel.models"),
        extending=load("numba.cuda.extending" if cuda else "numba.extending"),
        cgutils=load(f"{core}.cgutils"),
        cuda=cuda,
    )


class Reference(NamedTuple):
    """The types of one target."""

    fields: Any
    field: Any
    row: Any


@cache
def reference(target: str) -> Reference:
    """Make the types of a target and tell Numba how to type and compile them."""
    kit = toolkit(target)
    made = _make_types(kit)
    _make_models(kit, made)
    _type_attributes(kit, made)
    _type_items(kit, made)
    lowering = Lowering(kit, made)
    kit.imputils.lower_getattr_generic(made.fields)(lowering.get_entry)
    for kind in (made.field, made.row):
        kit.imputils.lower_getattr(kind, "shape")(lowering.get_shape)
        kit.imputils.lower_builtin(len, kind)(lowering.get_length)
        kit.imputils.lower_builtin(operator.getitem, kind, kit.types.Any)(lowering.get_item)
        everything = (kit.types.Any, kit.types.Any)
        kit.imputils.lower_builtin(operator.setitem, kind, *everything)(lowering.set_item)
    return made


def _make_types(kit: Toolkit) -> Reference:
    types = kit.types

    class Fields(types.Type):  # type: ignore[name-defined,misc]
        """A NamedTuple in a block."""

        def __init__(self, tree: Tree) -> None:
            self.entries = dict(tree.entries)
            super().__init__(name=f"Fields({tree.label}.{tree.digest})")

    class Field(types.Type):  # type: ignore[name-defined,misc]
        """An array in a block."""

        def __init__(self, label: str, entry: Any) -> None:
            self.label, self.entry, self.ndim = label, entry, len(entry.lengths)
            self.dtype = getattr(types, {"bool": "boolean"}.get(entry.dtype, entry.dtype))
            self.strided, self.narrow = kit.cuda and entry.batched, entry.narrow
            super().__init__(name=f"Field({label} {tuple(entry)})")

    class Row(types.Type):  # type: ignore[name-defined,misc]
        """The last axes of an array in a block, at given first indices."""

        def __init__(self, dtype: Any, ndim: int, strided: bool, narrow: bool) -> None:
            self.label, self.dtype, self.ndim = "a row", dtype, ndim
            self.strided, self.narrow = strided, narrow
            how = " strided" * strided + " narrow" * narrow
            super().__init__(name=f"Row({dtype} {ndim}{how})")

    return Reference(Fields, Field, Row)


def _make_models(kit: Toolkit, made: Reference) -> None:
    """A tuple or an array is the address of its block; a row is its address and its lengths."""
    for kind in (made.fields, made.field):
        kit.extending.register_model(kind)(kit.models.OpaqueModel)

    class RowModel(kit.models.StructModel):  # type: ignore[name-defined,misc]
        def __init__(self, manager: Any, kind: Any) -> None:
            names = [f"length{k}" for k in range(kind.ndim)]
            names += [f"stride{k}" for k in range(kind.ndim)] * kind.strided
            members = [(name, kit.types.intp) for name in names]
            super().__init__(manager, kind, [("data", kit.types.voidptr), *members])

    kit.extending.register_model(made.row)(RowModel)


def _type_attributes(kit: Toolkit, made: Reference) -> None:
    kinds = {"int": kit.types.int64, "float": kit.types.float64, "bool": kit.types.boolean}

    class FieldsAttributes(kit.templates.AttributeTemplate):  # type: ignore[name-defined,misc]
        key = made.fields

        def generic_resolve(self, kind: Any, name: str) -> Any:
            entry = kind.entries.get(name)
            if isinstance(entry, Tree):
                return made.fields(entry)
            if isinstance(entry, Scalar):
                return kinds[entry.kind]
            return None if entry is None else made.field(name, entry)

    kit.templates.infer_getattr(FieldsAttributes)
    for array in (made.field, made.row):

        class ArrayAttributes(kit.templates.AttributeTemplate):  # type: ignore[name-defined,misc]
            key = array

            def resolve_shape(self, kind: Any) -> Any:
                return kit.types.UniTuple(kit.types.intp, kind.ndim)

        kit.templates.infer_getattr(ArrayAttributes)


def _type_items(kit: Toolkit, made: Reference) -> None:
    types, signature = kit.types, kit.templates.signature
    arrays = (made.field, made.row)

    def count(index: Any) -> int:
        """Count indices; 0 if they are none."""
        parts = tuple(index) if isinstance(index, types.BaseTuple) else (index,)
        return len(parts) if all(isinstance(part, types.Integer) for part in parts) else 0

    class GetItem(kit.templates.AbstractTemplate):  # type: ignore[name-defined,misc]
        key = operator.getitem

        def generic(self, given: Any, named: Any) -> Any:
            array, index = given
            if not isinstance(array, arrays) or not 0 < count(index) <= array.ndim:
                return None
            left = array.ndim - count(index)
            row = made.row(array.dtype, left, array.strided, array.narrow) if left else array.dtype
            return signature(row, array, index)

    class SetItem(kit.templates.AbstractTemplate):  # type: ignore[name-defined,misc]
        key = operator.setitem

        def generic(self, given: Any, named: Any) -> Any:
            array, index, value = given
            if not isinstance(array, arrays) or count(index) != array.ndim:
                return None
            plain = isinstance(value, types.Number | types.Boolean)
            return signature(types.none, array, index, value) if plain else None

    class Length(kit.templates.AbstractTemplate):  # type: ignore[name-defined,misc]
        key = len

        def generic(self, given: Any, named: Any) -> Any:
            (array,) = given
            return signature(types.intp, array) if isinstance(array, arrays) else None

    for template in (GetItem, SetItem, Length):
        kit.templates.infer_global(template.key)(template)


def _is_block(argument: Any) -> bool:
    """Whether a function's argument is the address of the block: all of a step refer to one."""
    name: str = argument.name
    return name.startswith("arg.") and name.count(".") == 1 and argument.type.is_pointer


class Lowering:
    """Writes the instructions that read and write what a block refers to."""

    def __init__(self, kit: Toolkit, made: Reference) -> None:
        from llvmlite import ir

        self._kit, self._made, self._ir = kit, made, ir
        self._word = ir.IntType(64)

    def _constant(self, value: int) -> Any:
        return self._ir.Constant(self._word, value)

    def _load(self, builder: Any, base: Any, word: int, kind: Any) -> Any:
        """Load a word of the block, which never changes while compiled code runs."""
        byte = self._ir.IntType(8)
        place = builder.gep(base, [self._constant(word * WORD_BYTES)], source_etype=byte)
        loaded = builder.load(builder.bitcast(place, kind.as_pointer()), typ=kind)
        loaded.align = WORD_BYTES
        loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
        return loaded

    def _pointer(self, builder: Any, place: Any, kind: Any) -> Any:
        if self._kit.cuda:
            return builder.addrspacecast(place, self._ir.PointerType(kind, GLOBAL))
        return builder.bitcast(place, kind.as_pointer())

    def get_entry(self, context: Any, builder: Any, kind: Any, base: Any, name: str) -> Any:
        """Read an entry of a tuple: the block again, or the number that stands there."""
        entry = kind.entries[name]
        if not isinstance(entry, Scalar):
            return base
        if entry.kind == "float":
            return self._load(builder, base, entry.word, self._ir.DoubleType())
        value = self._load(builder, base, entry.word, self._word)
        return builder.trunc(value, self._ir.IntType(1)) if entry.kind == "bool" else value

    def _lengths(self, builder: Any, kind: Any, value: Any) -> list[Any]:
        if isinstance(kind, self._made.row):
            return [builder.extract_value(value, 1 + k) for k in range(kind.ndim)]
        return [
            self._constant(-1 - word) if word < 0 else self._length(builder, value, word)
            for word in kind.entry.lengths
        ]

    def _length(self, builder: Any, base: Any, word: int) -> Any:
        """Load a length where the function begins, once; few are used, and in all loops."""
        function = builder.function
        known = function.__dict__.setdefault("mesocosm_lengths", {})
        if word not in known:
            given = next((arg for arg in function.args if _is_block(arg)), None)
            if given is None:
                return self._load(builder, base, word, self._word)
            with builder.goto_entry_block():
                known[word] = self._load(builder, given, word, self._word)
        return known[word]

    def get_shape(self, context: Any, builder: Any, kind: Any, value: Any) -> Any:
        """Give all lengths."""
        shape = self._kit.types.UniTuple(self._kit.types.intp, kind.ndim)
        return context.make_tuple(builder, shape, self._lengths(builder, kind, value))

    def get_length(self, context: Any, builder: Any, signature: Any, values: Any) -> Any:
        """Give the first length."""
        return self._lengths(builder, signature.args[0], values[0])[0]

    def _data(self, builder: Any, kind: Any, value: Any) -> Any:
        if isinstance(kind, self._made.row):
            return builder.extract_value(value, 0)
        return self._load(builder, value, kind.entry.word, self._ir.IntType(8).as_pointer())

    def _strides(self, builder: Any, kind: Any, value: Any, lengths: list[Any]) -> list[Any]:
        """Count numbers from one index to the next, where the env axis is innermost."""
        if isinstance(kind, self._made.row):
            return [builder.extract_value(value, 1 + kind.ndim + k) for k in range(kind.ndim)]
        strides = [self._constant(1)]
        for length in lengths[:-1]:
            strides.append(self._combine(builder, kind, "mul", strides[-1], length))
        return strides

    def _combine(self, builder: Any, kind: Any, how: str, left: Any, right: Any) -> Any:
        """Add or multiply places in an array, in 32 bits where that is enough."""
        instruction = getattr(builder, how)
        if not kind.narrow:
            return instruction(left, right, flags=["nsw"])
        half = self._ir.IntType(32)
        parts = (builder.trunc(part, half) for part in (left, right))
        return builder.sext(instruction(*parts, flags=["nsw"]), self._word)

    def _offset(self, builder: Any, kind: Any, value: Any, indices: list[Any]) -> Any:
        """Count numbers from an array's first to the one at given indices (or the row there)."""
        lengths = self._lengths(builder, kind, value)
        if kind.strided:
            strides = self._strides(builder, kind, value, lengths)
            pairs = zip(indices, strides, strict=False)
            parts = [self._combine(builder, kind, "mul", index, stride) for index, stride in pairs]
            offset = parts[0]
            for part in parts[1:]:
                offset = self._combine(builder, kind, "add", offset, part)
            return offset
        offset = indices[0]
        for k, length in enumerate(lengths[1:], 1):
            offset = self._combine(builder, kind, "mul", offset, length)
            if k < len(indices):
                offset = self._combine(builder, kind, "add", offset, indices[k])
        return offset

    def _indices(self, context: Any, builder: Any, kind: Any, index: Any) -> list[Any]:
        types = self._kit.types
        if isinstance(kind, types.BaseTuple):
            values = self._kit.cgutils.unpack_tuple(builder, index, count=len(kind))
            pairs = zip(kind, values, strict=True)
            return [context.cast(builder, value, part, types.intp) for part, value in pairs]
        return [context.cast(builder, index, kind, types.intp)]

    def locate(self, context: Any, builder: Any, signature: Any, values: Any) -> Any:
        """Give the address of what indices name, checked where the build checks bounds."""
        kind, index_kind = signature.args[:2]
        array, index = values[:2]
        indices = self._indices(context, builder, index_kind, index)
        if context.enable_boundscheck:
            self._check(context, builder, kind, array, indices)
        data = self._data(builder, kind, array)
        offset = self._offset(builder, kind, array, indices)
        stored = context.get_data_type(kind.dtype)
        place = builder.bitcast(data, stored.as_pointer())
        return builder.gep(place, [offset], inbounds=True)

    def _check(self, context: Any, builder: Any, kind: Any, array: Any, indices: Any) -> None:
        for axis, length in enumerate(self._lengths(builder, kind, array)[: len(indices)]):
            outside = builder.icmp_unsigned(">=", indices[axis], length)
            with builder.if_then(outside, likely=False):
                said = f"{kind.label}: index out of bounds on axis {axis}"
                context.call_conv.return_user_exc(builder, IndexError, (said,))

    def get_item(self, context: Any, builder: Any, signature: Any, values: Any) -> Any:
        """Read a number, or make the row that is left."""
        made = signature.return_type
        place = self.locate(context, builder, signature, values)
        if isinstance(made, self._made.row):
            return self._make_row(context, builder, signature, values, place)
        model = context.data_model_manager[made]
        stored = model.get_data_type()
        if self._kit.cuda:
            place = self._pointer(builder, place, stored)
        return model.from_data(builder, builder.load(place))

    def _make_row(self, context: Any, builder: Any, signature: Any, values: Any, place: Any) -> Any:
        kind, made = signature.args[0], signature.return_type
        lengths = self._lengths(builder, kind, values[0])
        row = self._kit.cgutils.create_struct_proxy(made)(context, builder)
        row.data = builder.bitcast(place, self._ir.IntType(8).as_pointer())
        first = kind.ndim - made.ndim
        for k, length in enumerate(lengths[first:]):
            setattr(row, f"length{k}", length)
        if made.strided:
            strides = self._strides(builder, kind, values[0], lengths)
            for k, stride in enumerate(strides[first:]):
                setattr(row, f"stride{k}", stride)
        return row._getvalue()

    def set_item(self, context: Any, builder: Any, signature: Any, values: Any) -> Any:
        """Write a number."""
        kind, _, given = signature.args
        place = self.locate(context, builder, signature, values)
        value = context.cast(builder, values[2], given, kind.dtype)
        model = context.data_model_manager[kind.dtype]
        if self._kit.cuda:
            place = self._pointer(builder, place, model.get_data_type())
        builder.store(model.as_data(builder, value), place)
        return context.get_dummy_value()


def make_fetch(trees: tuple[Tree, ...], target: str) -> Any:
    """Make the compiled function that gives a batch's arguments from the block's words.

    On the CPU the words come as an array. On CUDA they come as a tuple, each a parameter of the
    kernel, which the hardware keeps in constant memory: where rules are inlined, an address or a
    length is then an operand and not a load.
    """
    made, kit = reference(target), toolkit(target)
    whole = kit.types.Tuple([made.fields(tree) for tree in trees])

    @kit.extending.intrinsic  # type: ignore[untyped-decorator]
    def fetch(typing: Any, words: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            from llvmlite import ir

            if kit.cuda:
                place = kit.cgutils.alloca_once_value(builder, values[0])
            else:
                place = context.make_array(signature.args[0])(context, builder, values[0]).data
            base = builder.bitcast(place, ir.IntType(8).as_pointer())
            return context.make_tuple(builder, signature.return_type, [base] * len(trees))

        return whole(words), generate

    return fetch
