"""Every change of Numba's own behaviour: what, why, for which version; and none outlives its use.

A patch acts only in the thread that compiles a world, only while it does, one at a time; any other
thread finds Numba as it is, and so does everyone afterwards. Where Numba has an extension point
that is used instead (`reference.py` types arrays, `register.py` types rules).
"""

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

INLINING = 1500  # LLVM's measure of size up to which it inlines; 225 to 3,000 tried
_lock = threading.RLock()


class Patch(NamedTuple):
    """One attribute that is replaced while a world is compiled.

    Args:
        make: Gives the replacement for the original.
    """

    owner: Any
    name: str
    make: Callable[[Any], Any]


@contextlib.contextmanager
def applied(patches: list[Patch]) -> Iterator[None]:
    """Replace attributes for the calling thread; restore them whatever happens."""
    with _lock, contextlib.ExitStack() as undo:
        thread = threading.get_ident()
        for patch in patches:
            original = vars(patch.owner)[patch.name]
            undo.callback(setattr, patch.owner, patch.name, original)
            setattr(patch.owner, patch.name, _only_in(thread, original, patch.make(original)))
        yield


def _only_in(thread: int, original: Any, replacement: Any) -> Any:
    if isinstance(original, property):
        return property(_only_in(thread, original.fget, replacement))

    def chosen(*given: Any, **named: Any) -> Any:
        function = replacement if threading.get_ident() == thread else original
        return function(*given, **named)

    return chosen


def linked_once(entry: str) -> list[Patch]:
    """Optimise and emit a function once, when all of its rules are there (numba 0.68).

    Numba optimises and emits each function again in every function that uses it, directly or not:
    four fifths of the time that compiling takes. And it optimises in one way only: with vectors and
    unrolled loops, which for loops over a few agents or slots costs more than it gains.

    Args:
        entry: The qualified name of the function that is called from outside.
    """
    from numba.core.codegen import CPUCodeLibrary, JITCPUCodegen

    def finalize(original: Any) -> Any:
        def finalize_entry(library: Any) -> None:
            if library.name != entry:
                library._raise_if_finalized()
                library._finalize_dynamic_globals()
                library._finalized = True
                return
            _link_all(library)
            _optimise(library)
            library._final_module.verify()
            library._finalize_final_module()

        return finalize_entry

    def set_env(original: Any) -> Any:
        def set_known_env(codegen: Any, name: str, env: Any) -> None:
            if codegen._engine.is_symbol_defined(name):
                original(codegen, name, env)

        return set_known_env

    return [
        Patch(CPUCodeLibrary, "finalize", finalize),
        Patch(JITCPUCodegen, "set_env", set_env),
    ]


def _link_all(library: Any) -> None:
    """Link users before what they use: LLVM drops what nothing linked so far refers to."""
    seen: set[int] = set()
    order: list[Any] = []
    waiting = [(other, False) for other in library._linking_libraries]
    while waiting:
        other, done = waiting.pop()
        if done:
            order.append(other)
        elif id(other) not in seen:
            seen.add(id(other))
            waiting.append((other, True))
            waiting += [(inner, False) for inner in other._linking_libraries]
    for other in reversed(order):
        library._reload_init.update(other._reload_init)
        library._final_module.link_in(other._get_module_for_linking(), preserve=True)


def _optimise(library: Any) -> None:
    """Optimise a whole step: what is not the entry is nobody else's."""
    module = library._final_module
    for function in module.functions:
        if not function.is_declaration and function.linkage.name == "linkonce_odr":
            function.linkage = "internal"
    from llvmlite import binding

    options = binding.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = options.loop_interleaving = False
    options.loop_unrolling = False
    options.inlining_threshold = INLINING
    builder = binding.create_pass_builder(library._codegen._tm, options)
    builder.getModulePassManager().run(module, builder)


def exact_kernels() -> list[Patch]:
    """Compile kernels without fused multiply-adds, each module handed over once (numba-cuda 0.30).

    A fused multiply-add rounds once where Python rounds twice. And a library lists the modules of
    what it uses again for every way that leads there: 14,103 modules for 389 of mettagrid.
    """
    from numba.cuda.codegen import CUDACodeLibrary
    from numba.cuda.cudadrv import nvvm

    def compile_ir(original: Any) -> Any:
        return lambda code, **options: original(code, **{**options, "fma": False})

    def modules(original: Any) -> Any:
        return lambda library: [one._module for one in _reached(library) if _has_module(one)]

    def linking_libraries(original: Any) -> Any:
        return lambda library: _reached(library)[1:]

    return [
        Patch(nvvm, "compile_ir", compile_ir),
        Patch(CUDACodeLibrary, "modules", modules),
        Patch(CUDACodeLibrary, "linking_libraries", linking_libraries),
    ]


def _has_module(library: Any) -> bool:
    return getattr(library, "_module", None) is not None


def _reached(library: Any) -> list[Any]:
    """List a library and all that it uses, directly or not, each once."""
    found, waiting = {id(library): library}, [library]
    while waiting:
        for other in getattr(waiting.pop(), "_linking_libraries", ()):
            if id(other) not in found:
                found[id(other)] = other
                waiting.append(other)
    return list(found.values())
