"""Compile everything under ext/: the path below it is the module's dotted name.

    ext/kulami_solver/core/table.pyx  ->  kulami_solver.core.table

Names, versions and dependencies are in pyproject.toml; this file only builds.

Environment:

    KULAMI_MARCH    processor to compile for (gcc and clang): native, x86-64-v3, armv8-a ...
                    Empty: whatever the compiler takes by default. Not set: x86-64-v2 on x86-64.
    KULAMI_DEBUG    1: checks for bounds, overflow and None, and -O1 -g. Not set: a release build.
    KULAMI_JOBS     files compiled at the same time. Not set: one for each processor.

A change of these rebuilds everything. The syntax here stays readable to old Pythons, so that they
can be told what is wrong.
"""

import sys

if sys.version_info < (3, 10):  # noqa: UP036
    sys.exit(
        "kulami_solver needs Python 3.10 or newer and this is Python %d.%d; "
        "start it with a newer one (python3.12 -m pip install .)." % sys.version_info[:2]
    )

import json
import os
import pathlib
import platform
import sysconfig
import tempfile
from typing import Any

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CCompilerError, CompileError, PlatformError

ROOT = pathlib.Path(__file__).resolve().parent
SOURCES = "ext"
GENERATED = "build/cython"
STAMP = "build/options.json"

RELEASE_DIRECTIVES = {
    "language_level": 3,
    "embedsignature": True,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "nonecheck": False,
}
DEBUG_DIRECTIVES = dict(
    RELEASE_DIRECTIVES,
    boundscheck=True,
    initializedcheck=True,
    nonecheck=True,
    overflowcheck=True,
)

NO_COMPILER = (
    "kulami_solver is compiled here and no C compiler works (tried: %s): install one "
    "(Debian, Ubuntu: apt install gcc libc6-dev; Fedora: dnf install gcc; Alpine: apk add gcc "
    "musl-dev; macOS: xcode-select --install; Windows: Visual Studio Build Tools), then try again."
)
NO_HEADERS = (
    "kulami_solver is compiled here and Python.h is missing for Python %d.%d (looked in %s): "
    "install the headers (Debian, Ubuntu: apt install python3-dev; Fedora: dnf install "
    "python3-devel; Alpine: apk add python3-dev), then try again."
)
BAD_MARCH = "KULAMI_MARCH=%s: the C compiler refuses -march=%s; name another processor or unset it."


def debug_build() -> bool:
    """Whether KULAMI_DEBUG asks for the checked build."""
    return os.environ.get("KULAMI_DEBUG", "") not in ("", "0")


def extensions() -> list[Extension]:
    """One extension for every .pyx file under ext/, in a fixed order."""
    found = sorted((ROOT / SOURCES).rglob("*.pyx"))
    paths = [path.relative_to(ROOT) for path in found]
    return [
        Extension(".".join(path.with_suffix("").parts[1:]), [path.as_posix()]) for path in paths
    ]


class BuildExtensions(build_ext):
    """Check the compiler, choose its flags, let Cython write the C files, compile them."""

    def finalize_options(self) -> None:
        super().finalize_options()
        if self.parallel is None:
            self.parallel = int(os.environ.get("KULAMI_JOBS") or os.cpu_count() or 1)

    def build_extensions(self) -> None:
        self._require_compiler()
        flags = self._flags()
        self._force_if_changed(flags)
        for extension in self.extensions:
            extension.extra_compile_args = list(flags)
        self._cythonize()
        super().build_extensions()

    def _compiles(self, source: str, flags: Any = ()) -> bool:
        """Whether the compiler takes this C program with these flags, its output kept away."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "probe.c")
            pathlib.Path(path).write_text(source, encoding="ascii")
            out, err = os.dup(1), os.dup(2)
            null = os.open(os.devnull, os.O_WRONLY)
            sys.stdout.flush()
            sys.stderr.flush()
            try:
                os.dup2(null, 1)
                os.dup2(null, 2)
                self.compiler.compile(
                    [path],
                    output_dir=folder,
                    include_dirs=self.include_dirs,
                    extra_postargs=list(flags),
                )
            except (CCompilerError, CompileError, PlatformError, OSError):
                return False
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os.dup2(out, 1)
                os.dup2(err, 2)
                for descriptor in (out, err, null):
                    os.close(descriptor)
        return True

    def _require_compiler(self) -> None:
        """Stop with one sentence if nothing can be compiled here."""
        if not self._compiles("#include <stdint.h>\nuint64_t probe(void) { return 0; }\n"):
            command = getattr(self.compiler, "compiler", None) or [self.compiler.compiler_type]
            raise PlatformError(NO_COMPILER % command[0])
        if not self._compiles("#include <Python.h>\n"):
            include = sysconfig.get_path("include")
            raise PlatformError(NO_HEADERS % (sys.version_info[:2] + (include,)))

    def _flags(self) -> list[str]:
        """Optimisation and processor, as far as the compiler accepts them."""
        if self.compiler.compiler_type == "msvc":
            return ["/Od", "/Zi"] if debug_build() else ["/O2"]
        flags = ["-O1", "-g"] if debug_build() else ["-O3", "-g0"]
        probe = "int probe(void) { return 0; }\n"
        asked = os.environ.get("KULAMI_MARCH")
        if asked:
            if not self._compiles(probe, ["-march=" + asked]):
                raise PlatformError(BAD_MARCH % (asked, asked))
            return flags + ["-march=" + asked]
        if asked is None and platform.machine().lower() in ("x86_64", "amd64"):
            # The second is the same processor for compilers that do not know its name.
            for baseline in (["-march=x86-64-v2"], ["-msse4.2", "-mpopcnt"]):
                if self._compiles(probe, baseline):
                    return flags + baseline
        return flags

    def _force_if_changed(self, flags: Any) -> None:
        """Rebuild all when the flags are not those of the last build, or its Python was another."""
        stamp = ROOT / STAMP
        options = {"flags": flags, "debug": debug_build(), "python": sys.version}
        text = json.dumps(options, indent=1, sort_keys=True)
        if not stamp.exists() or stamp.read_text(encoding="utf-8") != text:
            self.force = True
            self.compiler.force = True
            stamp.parent.mkdir(parents=True, exist_ok=True)
            stamp.write_text(text, encoding="utf-8")

    def _cythonize(self) -> None:
        """Write the C files, below build/; the extension objects stay the ones setuptools knows."""
        from Cython.Build import cythonize

        written = cythonize(
            [Extension(each.name, each.sources) for each in self.extensions],
            include_path=[SOURCES],
            build_dir=GENERATED,
            compiler_directives=DEBUG_DIRECTIVES if debug_build() else RELEASE_DIRECTIVES,
            force=bool(self.force),
        )
        for extension, done in zip(self.extensions, written):  # noqa: B905
            extension.sources = done.sources


os.chdir(ROOT)
setup(ext_modules=extensions(), cmdclass={"build_ext": BuildExtensions})
