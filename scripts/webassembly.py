"""The compiled modules as WebAssembly, for the Python of Pyodide, and that Python itself.

    sources --setup.py, Cython--> C --zig cc--> objects --zig wasm-ld--> NAME.cpython-314-....so

setup.py compiles as ever. Its compiler and its linker are two small programs that are written here:
they call zig for another processor and another Python's headers. Emscripten is not needed: the
modules ask for nothing of it that Pyodide does not bring.

The headers are those of any CPython of the same minor version, and a pyconfig.h that is made of
what Pyodide's Python tells of itself. What is made is kept, by what it is made of.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import io
import json
import lzma
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import urllib.request
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from downloads import Download, MissingError, cache

ROOT: Final = Path(__file__).resolve().parents[1]

PYTHON: Final = "3.14"
LOCK: Final = "pyodide-lock.json"
LIBRARY: Final = "python_stdlib.zip"
SUFFIX: Final = ".cpython-314-wasm32-emscripten.so"
RUNTIME: Final = Download(
    "Pyodide 314.0.7",
    "https://registry.npmjs.org/pyodide/-/pyodide-314.0.7.tgz",
    "66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0",
)
MSGSPEC: Final = Download(
    "msgspec 0.22.0 for Pyodide",
    "https://files.pythonhosted.org/packages/75/5d/"
    "c0e6bdb81a87f6bd56a663a330c271af7670490c80d8d635d9fa21ad1adf/"
    "msgspec-0.22.0-cp314-cp314-pyemscripten_2026_0_wasm32.whl",
    "a66b1766311e42371e509c996c3933b161c7ae0eabdf361af5316dec197e1022",
)
DEBIAN: Final = "https://deb.debian.org/debian"
PACKAGES: Final = f"{DEBIAN}/dists/sid/main/binary-amd64/Packages.xz"
HEADERS: Final = Download(
    f"a package with the headers of Python {PYTHON}",
    f"{DEBIAN}/pool/main/p/python3.14/libpython3.14-dev_3.14.10-1_amd64.deb",
    "ce226a5a09bd3739123b95c5a41688ee3110651e6b4f9b22973a27c7be2f64fa",
    f"set KULAMI_PYTHON_HEADERS to the folder with Python.h of any CPython {PYTHON}, "
    f"or start this with Python {PYTHON}",
)
ZIG: Final = "ziglang==0.17.1"
#: So many builds of other sources are kept, the last ones.
KEPT: Final = 4
#: What of Python's library nobody needs who plays: a fifth of it.
LEFT_OUT: Final = (
    *("_pyrepl/", "curses/", "dbm/", "doctest", "ensurepip/", "ftplib", "http/server", "imaplib"),
    *("idlelib/", "mailbox", "optparse", "pdb", "pickletools", "poplib", "pydoc", "smtplib"),
    *("sqlite3/", "tkinter/", "turtle", "unittest/", "venv/", "webbrowser", "wsgiref/", "xml"),
)

_COMPILER: Final = """#!/bin/sh
# zig cc in place of the C compiler that setup.py would take: without what is for the machine here.
for word do
    shift
    case $word in
        -pthread | -g | -march=* | -fstack-protector* | -I{here}* | -I{environment}*) ;;
        *) set -- "$@" "$word" ;;
    esac
done
exec {zig} cc -target wasm32-wasi -fPIC -msimd128 -D__EMSCRIPTEN__ -I{headers} "$@"
"""
_LINKER: Final = """#!/bin/sh
# zig wasm-ld in place of the linker: a module that Pyodide's Python loads, with its one name.
objects=
while [ $# -gt 0 ]; do
    case $1 in
        -o) target=$2; shift ;;
        *.o) objects="$objects $1" ;;
    esac
    shift
done
name=$(basename "$target")
exec {zig} wasm-ld -shared --experimental-pic --import-memory --strip-debug --no-check-features \\
    --unresolved-symbols=import-dynamic \\
    --features=simd128,bulk-memory,mutable-globals,sign-ext,nontrapping-fptoint \\
    "--export=PyInit_${{name%%.*}}" $objects -o "$target"
"""


def precompiled(files: Mapping[str, bytes], archive: bytes) -> tuple[bytes, bytes]:
    """Compile the Python of two ZIP archives for Pyodide, which then starts in half the time.

    Pyodide does it, in Node. Where that is missing, or too old, they stay as they are.

    Args:
        files: of the runtime.
        archive: the second; the first is the runtime's library.
    """
    node = shutil.which("node")
    if node is None:
        return files[LIBRARY], archive
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            Path(folder, name).write_bytes(content)
        archives = [Path(folder, "library.zip"), Path(folder, "package.zip")]
        for path, content in zip(archives, (files[LIBRARY], archive), strict=True):
            path.write_bytes(content)
        program = ROOT / "scripts" / "static_page" / "compile.mjs"
        command = [node, str(program), folder, *map(str, archives)]
        done = subprocess.run(command, capture_output=True, check=False)
        if done.returncode:
            return files[LIBRARY], archive
        library, package = (path.read_bytes() for path in archives)
        return library, package


def runtime() -> dict[str, bytes]:
    """Return the files of Pyodide by their names, without its packages and what nobody needs.

    Raises:
        MissingError: if it cannot be had.
    """
    wanted = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", LIBRARY, LOCK)
    with tarfile.open(RUNTIME.fetched()) as archive:
        files = {name: archive.extractfile(f"package/{name}") for name in wanted}
        found = {name: file.read() for name, file in files.items() if file is not None}
    found[LOCK] = json.dumps({**json.loads(found[LOCK]), "packages": {}}).encode()
    with zipfile.ZipFile(io.BytesIO(found[LIBRARY])) as library:
        names = [name for name in library.namelist() if not name.startswith(LEFT_OUT)]
        found[LIBRARY] = zipped({name: library.read(name) for name in names})
    return found


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return a ZIP archive, the same for the same files."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
        for name in sorted(files):
            made.writestr(zipfile.ZipInfo(name), files[name], zipfile.ZIP_DEFLATED, 9)
    return target.getvalue()


def modules() -> dict[str, bytes]:
    """Return the compiled modules by their paths in the package, compiled now if they have changed.

    Raises:
        MissingError: if something that is needed cannot be had, or does not compile.
    """
    built = cache() / "webassembly" / _digest()
    if not built.exists():
        built.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=built.parent) as work:
            made = _compiled(Path(work))
            with contextlib.suppress(OSError):  # another process was faster
                made.replace(built)
        kept = sorted(built.parent.glob("[0-9a-f]*"), key=lambda path: path.stat().st_mtime)
        for old in kept[:-KEPT]:
            shutil.rmtree(old, ignore_errors=True)
    return {
        path.relative_to(built).as_posix(): path.read_bytes()
        for path in sorted(built.rglob(f"*{SUFFIX}"))
    }


def _digest() -> str:
    """What the modules are made of, in short."""
    said = [ZIG, RUNTIME.sha256, _COMPILER, _LINKER]
    for path in sorted([ROOT / "setup.py", *(ROOT / "ext").rglob("*.p[yx][xd]")]):
        said += [path.relative_to(ROOT).as_posix(), hashlib.sha256(path.read_bytes()).hexdigest()]
    return hashlib.sha256("\n".join(said).encode()).hexdigest()[:16]


def _compiled(work: Path) -> Path:
    """Compile everything below a folder; return the folder with the modules."""
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, work)
    shutil.copytree(ROOT / "ext", work / "ext")
    (work / "kulami_solver" / "core").mkdir(parents=True)
    shutil.copy(ROOT / "kulami_solver" / "core" / "version.py", work / "kulami_solver" / "core")
    words = {
        "zig": zig(),
        "headers": _headers(work),
        "here": sysconfig.get_path("include"),
        "environment": sys.prefix,
    }
    environment = {
        **os.environ,
        "CC": _program(work / "cc", _COMPILER.format(**words)),
        "LDSHARED": _program(work / "ld", _LINKER.format(**words)),
        "SETUPTOOLS_EXT_SUFFIX": SUFFIX,
        "KULAMI_MARCH": "",
    }
    command = [sys.executable, "setup.py", "-q", "build_ext", "--build-lib", "built"]
    done = subprocess.run(
        command, cwd=work, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise MissingError(f"the modules do not compile:\n{done.stdout}{done.stderr}"[-4000:])
    return work / "built"


def _program(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def zig() -> Path:
    """Return the compiler: of this Python, or fetched as a package into the cache.

    Raises:
        MissingError: if it cannot be had.
    """
    found = importlib.util.find_spec("ziglang")
    if found is not None and found.submodule_search_locations:
        return Path(found.submodule_search_locations[0]) / "zig"
    target = cache() / ZIG.replace("==", "-")
    program = target / "ziglang" / "zig"
    if not program.exists():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
        done = subprocess.run(
            [*command, "--only-binary=:all:", f"--target={target}", ZIG],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise MissingError(
                f"the compiler is missing: pip install 'kulami_solver[static]' or pip install "
                f"{ZIG}, and start again\n{done.stderr}"
            )
    return program


def _headers(work: Path) -> Path:
    """Return a folder with the headers of Pyodide's Python."""
    target = work / "headers"
    named = os.environ.get("KULAMI_PYTHON_HEADERS")
    if named:
        shutil.copytree(named, target)
    elif sysconfig.get_python_version() == PYTHON:
        shutil.copytree(sysconfig.get_path("include"), target)
    else:
        _unpack(_package().fetched(), work / "package")
        shutil.copytree(work / "package" / "usr" / "include" / f"python{PYTHON}", target)
    patch = (target / "patchlevel.h").read_text(encoding="utf-8")
    if f'PY_VERSION              "{PYTHON}.' not in patch:
        raise MissingError(
            f"KULAMI_PYTHON_HEADERS={named}: the headers of Python {PYTHON} are needed"
        )
    (target / "pyconfig.h").write_text(_configuration(), encoding="utf-8")
    return target


def _package() -> Download:
    """Return Debian's package with the headers: the one chosen, or what has taken its place."""
    try:
        HEADERS.fetched()
        return HEADERS
    except MissingError:
        name = HEADERS.url.rpartition("/")[2].partition("_")[0]
        try:
            with urllib.request.urlopen(PACKAGES, timeout=120) as answer:
                listed = lzma.decompress(answer.read()).decode()
        except OSError:
            return HEADERS  # which says what to do
        told = re.search(rf"^Package: {re.escape(name)}\n(?:.+\n)*", listed, re.MULTILINE)
        said = dict(re.findall(r"^(Filename|SHA256): (.*)$", told[0] if told else "", re.MULTILINE))
        if len(said) < 2:
            return HEADERS
        return replace(HEADERS, url=f"{DEBIAN}/{said['Filename']}", sha256=said["SHA256"])


def _unpack(package: Path, target: Path) -> None:
    """Unpack a Debian package: an `ar` archive, with what is installed in a tar archive."""
    content, place = package.read_bytes(), 8
    while place < len(content):
        name = content[place : place + 16].split(b"/")[0].strip().decode()
        size = int(content[place + 48 : place + 58])
        place += 60
        if name.startswith("data.tar"):
            with tarfile.open(fileobj=io.BytesIO(content[place : place + size])) as files:
                # Pythons before 3.10.12 and 3.11.4 have no filters. The package has been checked.
                whole = getattr(tarfile, "data_filter", lambda member, _: member)
                files.extraction_filter = whole
                files.extractall(target)
            return
        place += size + size % 2
    raise MissingError(f"{package}: no Debian package")


def _configuration() -> str:
    """Return pyconfig.h, of what Pyodide's Python was configured with."""
    told: dict[str, Any] = {}
    with zipfile.ZipFile(io.BytesIO(runtime()[LIBRARY])) as library:
        (name,) = (one for one in library.namelist() if one.startswith("_sysconfigdata_"))
        exec(library.read(name), told)
    lines = ["#ifndef Py_PYCONFIG_H", "#define Py_PYCONFIG_H"]
    for key, value in told["build_time_vars"].items():
        if isinstance(value, int) and re.fullmatch(r"[A-Z_][A-Za-z0-9_]*", key, re.ASCII):
            sized = key.startswith(("SIZEOF_", "ALIGNOF_"))
            lines.append(f"#define {key} {value}" if value or sized else f"/* #undef {key} */")
    return "\n".join([*lines, "#endif", ""])
