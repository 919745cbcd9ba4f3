"""The stub of the compiled core says what the core offers: names, and the names of parameters."""

import ast
from pathlib import Path

import clausal
from clausal import _core

STUB = Path(clausal.__file__).with_name("_core.pyi")


def parameters(definition: ast.FunctionDef) -> list[str]:
    return [argument.arg for argument in definition.args.args]


def stubbed() -> dict[str, list[str] | None]:
    """Parameters by name, `Class.method` among them; None for an attribute."""
    offered = {}
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            offered[node.name] = parameters(node)
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef):
                    offered[f"{node.name}.{inner.name}"] = parameters(inner)
                elif isinstance(inner, ast.AnnAssign):
                    offered[f"{node.name}.{inner.target.id}"] = None
    return offered


def signature(function) -> list[str]:
    """The parameters of a compiled function, which are the same in all its overloads."""
    overloads = [
        parameters(ast.parse(_without_shapes(text) + ": ...").body[0])
        for text, *_ in function.__nb_signature__
    ]
    assert all(names == overloads[0] for names in overloads)
    return overloads[0]


def _without_shapes(text: str) -> str:
    """`ndarray[dtype=..., shape=(*)]` is not Python."""
    depth, kept = 0, []
    for letter in text:
        depth += letter == "["
        if depth == 0:
            kept.append(letter)
        depth -= letter == "]"
    return "".join(kept)


def compiled() -> dict[str, list[str] | None]:
    offered = {}
    for name, value in vars(_core).items():
        if name.startswith("_"):
            continue
        if not isinstance(value, type):
            offered[name] = signature(value)
            continue
        for inner in vars(value):
            if inner.startswith("_") and inner != "__init__":
                continue
            member = getattr(value, inner)
            has_signature = hasattr(member, "__nb_signature__")
            offered[f"{name}.{inner}"] = signature(member) if has_signature else None
    return offered


def test_the_stub_and_the_compiled_core_offer_the_same():
    assert stubbed() == compiled()
