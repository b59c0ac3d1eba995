"""Compile everything under ext/: the path below it is the module's dotted name.

    ext/kulami_solver/core/table.pyx  ->  kulami_solver.core.table

Name and dependencies are declared in pyproject.toml; this file gives the version and builds.

    python setup.py build_ext --inplace    build beside the Python sources
    python setup.py --can-compile          say what is missing, if anything; needs nothing installed

Environment:

    KULAMI_MARCH    processor to compile for (gcc and clang): native, x86-64-v3, armv8-a ... Empty:
                    what the compiler takes by itself. Not set: this machine's for a build in place,
                    which runs here; on x86-64 x86-64-v2 for a wheel, which may run elsewhere.
    KULAMI_DEBUG    1: a checked build. Cython checks the bounds of memoryviews, the compiler (gcc
                    and clang) those of C arrays, shifts and signed overflow; what it finds ends
                    the process. Not set: a release build.
    KULAMI_SANITIZE a checked build with these sanitizers of gcc instead: address,undefined or
                    thread. Python has to be started with their library: scripts/release/
                    sanitize.sh does.
    KULAMI_JOBS     files compiled at the same time. Not set: one for each processor that this
                    process may run on.

A change of any of these but the last rebuilds everything. Old Pythons can read this file, and are
told by its first statement that they are too old; nothing above --can-compile needs more than
Python itself.
"""

import sys

if sys.version_info < (3, 10):  # noqa: UP036
    sys.exit(
        f"kulami_solver needs Python 3.10 or newer, and {sys.executable} is "
        f"{sys.version_info[0]}.{sys.version_info[1]}: install a newer one and start again with it."
    )

import json
import os
import pathlib
import re
import shlex
import subprocess
import sysconfig
import tempfile
from collections.abc import Sequence
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parent
SOURCES = "ext"
SHIPPED = ("suite.jsonl", "puzzles.jsonl", "small-boards.csv")
GENERATED = "build/cython"
STAMP = ROOT / "build" / "options.json"
# What Cython makes for memoryviews, 10,000 lines of C: once, and not in each module that has some.
MEMORYVIEWS = "kulami_solver.core.memoryviews"
# It runs on any processor, to say which of the others cannot run here.
PROCESSOR = "kulami_solver.core.processor"
# Nobody waits for a loop of theirs: without much optimisation they compile in half the time.
COLD = {
    MEMORYVIEWS,
    PROCESSOR,
    "kulami_solver.core.certificate",
    "kulami_solver.core.file_length",
    "kulami_solver.core.watch",
    "kulami_solver.kulami.database.record_check",
}

# Their loops keep many values, which with -O3 do not fit into the registers (docs/algorithms.md).
SEARCHES = {
    "kulami_solver.kulami.solve.endings",
    "kulami_solver.kulami.solve.search",
}

NO_COMPILER = (
    "kulami_solver is compiled here and no C compiler works (tried: {tried}): install one "
    "(Debian, Ubuntu: apt install gcc libc6-dev; Fedora: dnf install gcc; Alpine: apk add gcc "
    "musl-dev; macOS: xcode-select --install) and start again."
)
NO_HEADERS = (
    "kulami_solver is compiled here and Python.h of Python {version} is missing (looked in "
    "{include}): install it (Debian, Ubuntu: apt install python3-dev, or python{version}-dev if "
    "that is not the default Python; Fedora: dnf install python3-devel; Alpine: apk add "
    "python3-dev) and start again."
)


def compiles(compiler: Sequence[str], source: str = "int probe;\n") -> bool:
    """Whether this command, flags included, turns this C source into an object file."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "probe.c")
        path.write_text(source, encoding="ascii")
        command = [*compiler, "-c", str(path), "-o", str(path.with_suffix(".o"))]
        try:
            return subprocess.run(command, capture_output=True, check=False).returncode == 0
        except OSError:
            return False


def what_is_missing() -> str:
    """One sentence with the remedy if nothing can be compiled here, or an empty string."""
    if os.name != "posix":
        return ""  # Elsewhere setuptools finds the compiler, and says so when there is none.
    command = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    compiler = shlex.split(command) + shlex.split(os.environ.get("CPPFLAGS", ""))
    if not compiles(compiler, '#include <stdio.h>\nint probe(void) { return puts(""); }\n'):
        return NO_COMPILER.format(tried=command)
    folders = sorted({sysconfig.get_path("include"), sysconfig.get_path("platinclude")})
    if not compiles(compiler + ["-I" + one for one in folders], "#include <Python.h>\n"):
        version = "{}.{}".format(*sys.version_info[:2])
        return NO_HEADERS.format(version=version, include=" and ".join(folders))
    return ""


if sys.argv[1:] == ["--can-compile"]:
    sys.exit(what_is_missing() or 0)

try:
    import Cython  # noqa: F401
    import setuptools
    from setuptools import Extension, setup
    from setuptools.command.build_ext import build_ext
    from setuptools.command.build_py import build_py
    from setuptools.errors import PlatformError

    # An older one takes `license = "MIT"` of pyproject.toml for a mistake, in 80 lines.
    fit = int(setuptools.__version__.partition(".")[0]) >= 77
except ImportError:
    fit = False
if not fit:
    sys.exit(
        "kulami_solver is built with setuptools 77 or newer and Cython, which this Python lacks: "
        f"run {sys.executable} -m pip install 'setuptools>=77' 'Cython>=3.2' and start again."
    )


def extensions() -> list[Extension]:
    """One extension for every .pyx file under ext/, in a fixed order, and the one of Cython's."""
    sources = sorted(path.relative_to(ROOT) for path in ROOT.joinpath(SOURCES).rglob("*.pyx"))
    return [
        *(Extension(".".join(one.with_suffix("").parts[1:]), [one.as_posix()]) for one in sources),
        Extension(MEMORYVIEWS, []),
    ]


def version() -> str:
    """The version: plain at its tag and without git, else 0.1.0.dev4130+g5b2db71.

    These are the commits since the last tag, or since the first commit, and the newest one: two
    wheels of different commits have different versions.
    """
    source = ROOT.joinpath("kulami_solver", "core", "version.py").read_text(encoding="utf-8")
    own: str = re.findall(r'^__version__ = "(.+)"$', source, re.MULTILINE)[0]
    archive = ROOT / "PKG-INFO"  # an sdist says what it was made from
    if archive.exists():
        known: list[str] = re.findall(r"^Version: (.+)$", archive.read_text("utf-8"), re.MULTILINE)
        return known[0]

    def git(*words: str) -> str:
        try:
            told = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            return ""
        return told.stdout.decode().strip()

    if not ROOT.joinpath(".git").exists() or not (commit := git("rev-parse", "--short", "HEAD")):
        return own
    tag, *since = git("describe", "--tags", "--long", "--match=v*").rsplit("-", 2)
    count = since[0] if since else git("rev-list", "--count", "HEAD")
    return own if (tag, count) == (f"v{own}", "0") else f"{own}.dev{count}+g{commit}"


class BuildSources(build_py):
    """Put the suite that bots are judged by and the small boards, from data/, into the package."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:  # an editable installation finds data/ beside the package
            target = os.path.join(self.build_lib, "kulami_solver", "data")
            self.mkpath(target)
            for name in SHIPPED:
                self.copy_file(os.path.join("data", name), target)


class BuildExtensions(build_ext):
    """Check the compiler, choose its flags, let Cython write the C files, compile them."""

    def finalize_options(self) -> None:
        if self.editable_mode:
            # As all builds in place: pip's folders would be gone before the next one.
            usual = self.distribution.get_command_class("build")(self.distribution)
            usual.ensure_finalized()
            self.build_lib, self.build_temp = usual.build_lib, usual.build_temp
        super().finalize_options()
        self.runs_here = bool(self.inplace)
        if self.parallel is None:
            affinity = getattr(os, "sched_getaffinity", None)  # macOS has none
            here = len(affinity(0)) if affinity else os.cpu_count() or 1
            self.parallel = int(os.environ.get("KULAMI_JOBS") or here)

    def build_extensions(self) -> None:
        missing = what_is_missing()
        if missing:
            raise PlatformError(missing)
        from Cython.Build import Dependencies, cythonize
        from Cython.Shadow import __version__ as cython

        sanitizers = os.environ.get("KULAMI_SANITIZE", "")
        checked = os.environ.get("KULAMI_DEBUG", "") not in ("", "0") or bool(sanitizers)
        level, march = self.level(checked, sanitizers), self.march()
        # Not Cython's overflowcheck: words of bits and hashes wrap on purpose, and it stops at
        # those too. Not its nonecheck: it forbids methods without the GIL to count in their own
        # attributes.
        directives = {
            "language_level": 3,
            "embedsignature": True,
            "boundscheck": checked,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": checked,
            "nonecheck": False,
            # No module turns the lock of a free-threaded Python on again: see docs/cluster.md.
            "freethreading_compatible": True,
        }
        told = self.told_to_processor([*level, *march])
        options = json.dumps([sys.version, cython, level, march, told, directives], indent=1)
        if not STAMP.exists() or STAMP.read_text(encoding="utf-8") != options:
            STAMP.unlink(missing_ok=True)  # Until all is built, nothing here can be trusted.
            self.force = True

        def newest_of_ours(tree: Dependencies.DependencyTree, path: str) -> tuple[float, str]:
            """Files of Cython's own are no news: pip installs it anew for each build."""
            ours = [one for one in tree.all_dependencies(path) if not os.path.isabs(one)]
            newest: tuple[float, str] = max(tree.extract_timestamp(one) for one in ours)
            return newest

        with mock.patch.object(Dependencies.DependencyTree, "newest_dependency", newest_of_ours):
            written = cythonize(
                extensions(),
                include_path=[SOURCES],
                build_dir=GENERATED,
                compiler_directives=directives,
                force=bool(self.force),
                nthreads=self.parallel or 0,
                shared_utility_qualified_name=MEMORYVIEWS,
            )
        # Cython makes new extension objects; setuptools goes on with its own.
        sources = {one.name: one.sources for one in written}
        for extension in self.extensions:
            extension.sources = sources[extension.name]
            less = []
            if "-O3" in level:
                less = ["-O1"] * (extension.name in COLD) + ["-O2"] * (extension.name in SEARCHES)
            extension.extra_compile_args = level + less + march
            extension.extra_link_args = [flag for flag in level if flag.startswith("-fsanitize")]
            if extension.name == PROCESSOR:
                extension.extra_compile_args = level + less
                extension.define_macros = told
        super().build_extensions()
        STAMP.parent.mkdir(parents=True, exist_ok=True)
        STAMP.write_text(options, encoding="utf-8")

    def level(self, checked: bool, sanitizers: str) -> list[str]:
        """Flags for optimisation, or the checks of a checked build."""
        if self.compiler.compiler_type != "unix":
            return ["/Od"] if checked else ["/O2"]
        # Contracted to one instruction, a product and a sum are rounded once, not twice: the same
        # search would find other odds with FMA than without.
        level = ["-O3", "-g0", "-ffp-contract=off"]
        if checked:
            asked = sanitizers or "undefined"
            level = ["-O1", "-g", "-fno-wrapv", "-fsanitize=" + asked]
            level += ["-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer"]
            compiler = self.compiler.compiler_so
            if not sanitizers and compiles(compiler, "#ifndef __clang__\n#error\n#endif\n"):
                # Its messages come from a library that clang gives to programs only.
                level.append("-fsanitize-trap=undefined")
            if not compiles([*compiler, *level]):
                raise PlatformError(
                    f"KULAMI_SANITIZE={sanitizers}: the C compiler refuses -fsanitize={asked}; "
                    "name address,undefined or thread, or unset KULAMI_SANITIZE."
                )
        return level

    def march(self) -> list[str]:
        """Flags for the processor to compile for."""
        if self.compiler.compiler_type != "unix":
            return []
        compiler, march = self.compiler.compiler_so, os.environ.get("KULAMI_MARCH")
        if march:
            if not compiles([*compiler, "-march=" + march]):
                raise PlatformError(
                    f"KULAMI_MARCH={march}: the C compiler refuses -march={march}; name another "
                    "processor or unset KULAMI_MARCH."
                )
            return ["-march=" + march]
        if march is None and self.runs_here and compiles([*compiler, "-march=native"]):
            # The search loses time by AVX-512.
            without = ["-march=native", "-mno-avx512f"]
            return without if compiles([*compiler, *without]) else without[:1]
        if march is None and compiles(compiler, "#ifndef __x86_64__\n#error\n#endif\n"):
            return ["-msse4.2", "-mpopcnt"]  # x86-64-v2, for compilers that do not know its name
        return []

    def told_to_processor(self, flags: Sequence[str]) -> list[tuple[str, str | None]]:
        """What processor.pyx passes on: what the other modules may make use of."""
        needed = ["popcnt"]  # by intrinsics
        if self.compiler.compiler_type == "unix":
            defined = subprocess.run(
                [*self.compiler.compiler_so, *flags, "-dM", "-E", "-x", "c", os.devnull],
                capture_output=True,
                text=True,
                check=False,
            ).stdout
            # Not AVX-512: next to nothing here is compiled to it, and simulators lack it.
            features = r"^#define __(S?SSE3|SSE4_\d|POPCNT|MOVBE|LZCNT|BMI2?|AVX2?|F16C|FMA)__ 1$"
            needed = re.findall(features, defined, re.MULTILINE)
        return [("KULAMI_NEEDED", json.dumps(" ".join(sorted(needed)).lower()))]


if __name__ == "__main__":  # Cython's processes read this file, too, and build nothing.
    os.chdir(ROOT)
    setup(
        version=version(),
        ext_modules=extensions(),
        cmdclass={"build_ext": BuildExtensions, "build_py": BuildSources},
    )
