"""What autodoc does not know of this package's docstrings.

- Single backquotes stand for code, which links to what is documented under that name, if anything.
- Compiled classes: Cython puts a signature in C's types at the head of a docstring. It is taken
  away, and the one of the stub stands in its place.
- A drawing, lines that are indented without being part of a section, stays as it was drawn.
- A fence of three backquotes is a block of code.
- Names in signatures and lists of errors are looked for in the whole reference. What is not of this
  package (NumPy's arrays, Python's errors) leads nowhere, since nothing is asked of the network;
  what is, and is not documented, is a warning.
"""

from __future__ import annotations

import ast
import copy
import re
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst.states import Inliner
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

import kulami_solver as ks

PACKAGE = "kulami_solver"
_SECTION = re.compile(r"(Args|Attributes|Examples?|Raises|Returns|Yields):$")
_SIGNATURE = re.compile(r"[\w.]+(\(.*\)( -> .*)?|: [\w\[\], |.]+)$")


def name_role(
    role: str, rawtext: str, text: str, lineno: int, inliner: Inliner, *rest: object
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """Code, and a link if there is something of that name."""
    env: BuildEnvironment = inliner.document.settings.env
    code = nodes.literal("", text, classes=["py"])
    target = text.partition("(")[0]
    if not re.fullmatch(r"[A-Za-z_][\w.]*", target):
        return [code], []
    reference = addnodes.pending_xref(
        "",
        code,
        refdomain="py",
        reftype="obj",
        reftarget=target,
        refexplicit=False,
        refdoc=env.docname,
        optional=True,
    )
    reference["py:module"] = env.ref_context.get("py:module")
    reference["py:class"] = env.ref_context.get("py:class")
    return [reference], []


def _module_and_path(name: str) -> tuple[str, list[str]]:
    """Of kulami_solver.kulami.position.rules.Geometry.legal: the module, and Geometry and legal."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        module = ".".join(parts[:end])
        try:
            if find_spec(module):
                return module, parts[end:]
        except ModuleNotFoundError:
            continue
    return "", parts


@cache
def _stub(module: str) -> ast.Module | None:
    """The stub of a compiled module."""
    spec = find_spec(module) if module else None
    if spec is None or not (spec.origin or "").endswith(tuple(EXTENSION_SUFFIXES)):
        return None
    assert spec.origin is not None
    stub = Path(spec.origin).parent / f"{module.rpartition('.')[2]}.pyi"
    return ast.parse(stub.read_text(encoding="utf-8")) if stub.exists() else None


def stub_signature(name: str) -> tuple[str, str | None] | None:
    """The signature of a compiled function or class, as its stub has it."""
    module, path = _module_and_path(name)
    node: Any = _stub(module)
    while path and node is not None:
        part = path.pop(0)
        members = {m.name: m for m in node.body if isinstance(m, (ast.ClassDef, ast.FunctionDef))}
        node = members.get(part)
        if isinstance(node, ast.ClassDef) and not path:
            path = ["__init__"]
    if not isinstance(node, ast.FunctionDef) or node.decorator_list:
        return None
    node = _Qualified(module).visit(copy.deepcopy(node))
    arguments = re.sub(r"^self(, )?", "", ast.unparse(node.args))
    return f"({arguments})", node.returns and ast.unparse(node.returns)


class _Qualified(ast.NodeTransformer):
    """Gives the names that a stub has itself, or takes from other modules, in full."""

    def __init__(self, module: str) -> None:
        stub = _stub(module)
        assert stub is not None
        self._homes = {n.name: module for n in stub.body if isinstance(n, ast.ClassDef)}
        for node in ast.walk(stub):
            if isinstance(node, ast.ImportFrom) and node.module:
                above = module.split(".")[: -node.level] if node.level else []
                home = ".".join([*above, node.module])
                self._homes |= {alias.name: home for alias in node.names}

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Qualify a name."""
        return ast.Name(f"{self._homes[node.id]}.{node.id}") if node.id in self._homes else node


def sign(
    app: Sphinx, what: str, name: str, value: object, options: object, said: str | None, *rest: str
) -> tuple[str, str | None] | None:
    """Sign compiled functions as their stubs do."""
    # Compiled classes have no signature for Sphinx 9.0 to replace: see tidy.
    return stub_signature(name) if said is not None else None


def tidy(
    app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]
) -> None:
    """Put Python's signature in place of a compiled one, and keep drawings as they are."""
    compiled = _stub(_module_and_path(name)[0]) is not None
    if compiled and lines and _SIGNATURE.match(lines[0]):
        del lines[: 2 if len(lines) > 1 and not lines[1] else 1]
    in_section = in_fence = False
    kept: list[str] = []
    if what in ("attribute", "property") and lines and ":" in lines[0]:
        kept += ["..", ""]  # or Napoleon takes what stands before the colon for a type
    for line in lines:
        if kept and kept[-1] == "Returns:":  # likewise
            kept[-1] = f":returns: {line.strip()}"
            continue
        if line.strip() == "```":
            in_fence = not in_fence
            kept += ["", line.replace("```", "::"), ""] if in_fence else [""]
            continue
        if line and not line.startswith(" "):
            in_section = bool(_SECTION.match(line))
        elif line and kept and not kept[-1] and not in_section and not drawn(kept):
            kept += ["::", ""]
        # Between a sign and code reStructuredText wants a space, if only an escaped one.
        line = re.sub(r"(?<=[+-])`(?=\w)", r"\\ `", line)
        kept.append(f"    {line}" if in_fence else line)
    if what == "class" and (signature := stub_signature(name)) is not None:
        made = re.sub(r"\b(\w+\.)+(?=[A-Z])", "", name.rpartition(".")[2] + signature[0])
        kept[:0] = [".. code-block:: python", "", f"   {made}", ""]
    lines[:] = kept


def drawn(lines: list[str]) -> bool:
    """Is the last line that is not empty part of a drawing?"""
    return next(filter(None, reversed(lines)), "").startswith(" ")


def name_in_full(app: Sphinx, page: nodes.document) -> None:
    """Say of names that several games have which one is meant: Kulami's, but on their own pages."""
    for node in page.findall(addnodes.pending_xref):
        module: str = node.get("py:module") or ""
        own = module.startswith((f"{PACKAGE}.malawi", f"{PACKAGE}.just4fun"))
        if node.get("refdomain") == "py" and node["reftarget"] in ks.__all__ and not own:
            node["reftarget"] = f"{PACKAGE}.{node['reftarget']}"


def find_name(
    app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, code: nodes.Element
) -> nodes.Element | None:
    """Where a name of Python leads that is not found as it stands."""
    if node.get("refdomain") != "py":
        return None
    if node.get("optional"):
        return code
    target: str = node["reftarget"]
    domain = env.domains.python_domain
    last = target.rpartition(".")[2]
    named = [name for name in domain.objects if name.rpartition(".")[2] == last]
    public = [name for name in named if name == f"{PACKAGE}.{last}"] or named
    if len(public) == 1 and (target == last or target.startswith(PACKAGE)):
        return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", public[0], node, code)
    return None if target.startswith(PACKAGE) else code


def setup(app: Sphinx) -> dict[str, bool]:
    """Listen to autodoc."""
    app.add_role("name", name_role)
    app.connect("autodoc-process-signature", sign)
    app.connect("autodoc-process-docstring", tidy, priority=100)
    app.connect("doctree-read", name_in_full)
    app.connect("missing-reference", find_name)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
