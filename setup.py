"""Compile everything under ext/: the path below it is the module's dotted name.

    ext/kulami_solver/core/table.pyx  ->  kulami_solver.core.table

Name, version and dependencies are declared in pyproject.toml; this file only builds.

    python setup.py build_ext --inplace    build beside the Python sources
    python setup.py --can-compile          say what is missing, if anything; needs nothing installed

Environment:

    KULAMI_MARCH    processor to compile for (gcc and clang): native, x86-64-v3, armv8-a ...
                    Several, from x86-64-v2 x86-64-v3 x86-64-v4 and in this order: all modules
                    once for each; which of them run, kulami_solver/core/variants.py decides.
                    Empty: what the compiler takes by itself. Not set: x86-64-v2 on x86-64, and
                    for what is installed or made a wheel of, x86-64-v3 besides.
    KULAMI_DEBUG    1: a checked build. Cython checks the bounds of memoryviews, the compiler (gcc
                    and clang) those of C arrays, shifts and signed overflow; what it finds ends
                    the process. Not set: a release build.
    KULAMI_SANITIZE a checked build with these sanitizers of gcc instead: address,undefined or
                    thread. Python has to be started with their library: scripts/release/
                    sanitize.sh does.
    KULAMI_JOBS     files compiled at the same time. Not set: one for each processor that this
                    process may run on.
    KULAMI_DEFINES  other values for switches of Kulami's search, NAME=NUMBER, separated by spaces:
                    what scripts/bench/experiments.py builds its copies with.
                    ext/kulami_solver/kulami/switches.pxd lists them. Not set: the values there.

A change of any of these rebuilds everything, but for KULAMI_DEFINES, which rebuilds what knows
the switches that changed. Old Pythons can read this file, and are told by its
first statement that they are too old; nothing above --can-compile needs more than Python itself.
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
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Sequence
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parent
SOURCES = "ext"
SHIPPED = [
    pathlib.Path("data", name) for name in ("suite.jsonl", "puzzles.jsonl", "small-boards.csv")
]
GENERATED = "build/cython"
STAMP = ROOT / "build" / "options.json"
STAMP_OF_DEFINES = ROOT / "build" / "defines.json"
SWITCHES = ROOT / SOURCES / "kulami_solver" / "kulami" / "switches.pxd"

# The levels of x86-64 for which a module may be compiled besides, lowest first: those that
# kulami_solver/core/variants.py knows.
LEVELS = ("x86-64-v2", "x86-64-v3", "x86-64-v4")
PROCESSOR = "kulami_solver.core.processor"
# What Cython makes for memoryviews, 10,000 lines of C: once, and not in each module that has some.
MEMORYVIEWS = "kulami_solver.core.memoryviews"
# What has no variants: the processor has to be known before one is chosen.
ONCE = (PROCESSOR, MEMORYVIEWS)

RELEASE_DIRECTIVES: dict[str, int] = {
    "language_level": 3,
    "embedsignature": True,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "nonecheck": False,
    # No module turns the lock of a free-threaded Python on again; docs/threads.md says what holds.
    "freethreading_compatible": True,
}
# Not Cython's overflowcheck: words of bits and hashes wrap on purpose, and it stops at those too.
# Not its nonecheck: it forbids methods without the GIL to count in their own attributes.
DEBUG_DIRECTIVES = RELEASE_DIRECTIVES | {"boundscheck": True, "initializedcheck": True}
SANITIZER = ["-fsanitize=undefined", "-fno-sanitize-recover=undefined", "-fno-wrapv"]
SANITIZERS_ASKED_FOR = ["-fno-sanitize-recover=undefined", "-fno-wrapv", "-fno-omit-frame-pointer"]
SANITIZER_OF_CLANG = ["-fsanitize=undefined", "-fsanitize-trap=undefined", "-fno-wrapv"]
# What gcc and clang define for what an x86 processor may lack.
FEATURE_MACRO = r"^#define __((?:S?SSE[34]|POPCNT|MOVBE|LZCNT|BMI|AVX|F16C|FMA)\w*?)__ 1$"
IS_X86_64 = "#ifndef __x86_64__\n#error\n#endif\n"
IS_CLANG = "#ifndef __clang__\n#error\n#endif\n"

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
BAD_MARCH = (
    "KULAMI_MARCH={march}: the C compiler refuses -march={march}; name another processor or unset "
    "KULAMI_MARCH."
)
BAD_VARIANTS = (
    "KULAMI_MARCH={march}: several processors have to be of {levels}, in this order; name one "
    "alone or unset KULAMI_MARCH."
)
BAD_SANITIZERS = (
    "KULAMI_SANITIZE={sanitizers}: the C compiler refuses -fsanitize={sanitizers}; name "
    "address,undefined or thread, or unset KULAMI_SANITIZE."
)
BAD_DEFINE = (
    "KULAMI_DEFINES={define}: no switch with a number; write NAME=NUMBER with a name of {switches}."
)


def debug_build() -> bool:
    """Whether KULAMI_DEBUG or KULAMI_SANITIZE asks for the checked build."""
    return os.environ.get("KULAMI_DEBUG", "") not in ("", "0") or bool(sanitizers_asked_for())


def sanitizers_asked_for() -> str:
    """The sanitizers that KULAMI_SANITIZE names, as the compiler wants them."""
    return os.environ.get("KULAMI_SANITIZE", "")


def processors() -> int:
    """How many processors this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # macOS


def compiles(compiler: Sequence[str], source: str) -> bool:
    """Whether this command, flags included, turns this C source into an object file."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "probe.c")
        path.write_text(source, encoding="ascii")
        try:
            done = subprocess.run(
                [*compiler, "-c", str(path), "-o", str(path.with_suffix(".o"))],
                capture_output=True,
                check=False,
            )
        except OSError:
            return False
        return done.returncode == 0


def what_is_missing() -> str:
    """One sentence with the remedy if nothing can be compiled here, or an empty string."""
    if os.name != "posix":
        return ""  # Elsewhere setuptools finds the compiler, and says so when there is none.
    command = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    compiler = shlex.split(command) + shlex.split(os.environ.get("CPPFLAGS", ""))
    if not compiles(compiler, '#include <stdio.h>\nint probe(void) { return puts(""); }\n'):
        return NO_COMPILER.format(tried=command)
    folders = sorted({sysconfig.get_path("include"), sysconfig.get_path("platinclude")})
    include = ["-I" + folder for folder in folders]
    if not compiles(compiler + include, "#include <Python.h>\n"):
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


def switches() -> set[str]:
    """The names of all switches."""
    return set(re.findall(r"#define (KULAMI_\w+)", SWITCHES.read_text(encoding="utf-8")))


def defines() -> dict[str, int]:
    """The switches that KULAMI_DEFINES sets."""
    found = {}
    known = switches()
    for define in os.environ.get("KULAMI_DEFINES", "").split():
        name, _, value = define.partition("=")
        if name not in known or not re.fullmatch(r"\d{1,6}", value, re.ASCII):
            raise PlatformError(
                BAD_DEFINE.format(define=define, switches=SWITCHES.relative_to(ROOT).as_posix())
            )
        found[name] = int(value)
    return found


def processors_wanted(shipped: bool) -> list[str]:
    """The processors to compile for, the base first; empty for what the compiler takes by itself.

    Args:
        shipped: whether the build is to run on other machines, or may be.
    """
    march = os.environ.get("KULAMI_MARCH")
    wanted = (march or "").split()
    if march is None:
        wanted = ["x86-64-v2", "x86-64-v3"] if shipped else ["x86-64-v2"]
    elif len(wanted) > 1 and wanted != [level for level in LEVELS if level in wanted]:
        raise PlatformError(BAD_VARIANTS.format(march=march, levels=" ".join(LEVELS)))
    return wanted[:1] if debug_build() else wanted


def go_on_for_the_same_processor() -> None:
    """Let a build in place go on for the processor that the last one was for, if it runs here.

    A script has compiled for this very processor, as a rule. Whoever then installs an extra says
    nothing of processors, and is not to wait until all is compiled again.
    """
    if "KULAMI_MARCH" in os.environ or not STAMP.exists():
        return
    _, _, _, marches, *_ = json.loads(STAMP.read_text(encoding="utf-8"))
    program = [sys.executable, "-c", "import kulami_solver"]
    if [*marches] == ["native"] and not subprocess.run(
        program, cwd=ROOT, capture_output=True, check=False
    ).returncode:
        os.environ["KULAMI_MARCH"] = "native"


class CompiledModule(Extension):
    """A module of the package in one of its variants.

    Attributes:
        module: its dotted name, which is not that of the file: a variant has a folder of its own.
        level: the level of x86-64 that it is compiled for; empty for the base.
    """

    def __init__(self, module: str, level: str, sources: list[str]) -> None:
        package, _, rest = module.partition(".")
        super().__init__(f"{package}.{folder_of(level)}.{rest}" if level else module, sources)
        self.module = module
        self.level = level


def folder_of(level: str) -> str:
    """The folder in the package that has the modules compiled for a level of x86-64."""
    return level.replace("-", "_")


def extensions(levels: Sequence[str] = ()) -> list[Extension]:
    """One extension for every .pyx file under ext/, in a fixed order, and one more a level."""
    sources = sorted(path.relative_to(ROOT) for path in ROOT.joinpath(SOURCES).rglob("*.pyx"))
    modules = {".".join(path.with_suffix("").parts[1:]): [path.as_posix()] for path in sources}
    modules[MEMORYVIEWS] = []  # Cython writes it.
    return [
        CompiledModule(module, level, source)
        for level in ("", *levels)
        for module, source in modules.items()
        if not (level and module in ONCE)
    ]


class BuildSources(build_py):
    """Put the suite that bots are judged by and the small boards, from data/, into the package."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:  # an editable installation finds data/ beside the package
            target = pathlib.Path(self.build_lib, "kulami_solver", "data")
            self.mkpath(str(target))
            for path in SHIPPED:
                self.copy_file(str(path), str(target / path.name))


class BuildExtensions(build_ext):
    """Check the compiler, choose its flags, let Cython write the C files, compile them."""

    def finalize_options(self) -> None:
        # While it builds in place, setuptools says that it does not.
        self.stays_here = bool(self.inplace or self.editable_mode)
        if self.stays_here:
            go_on_for_the_same_processor()
        self.processors = processors_wanted(shipped=not self.stays_here)
        self.distribution.ext_modules = [*extensions(self.processors[1:])]
        super().finalize_options()
        self.defines = defines()
        if self.parallel is None:
            self.parallel = int(os.environ.get("KULAMI_JOBS") or processors())

    def build_extensions(self) -> None:
        missing = what_is_missing()
        if missing:
            raise PlatformError(missing)
        from Cython.Shadow import __version__ as cython

        directives = DEBUG_DIRECTIVES if debug_build() else RELEASE_DIRECTIVES
        flags, marches = self.flags(), self.marches()
        made_by = [sys.version, cython, flags, marches, directives, MEMORYVIEWS]
        options = json.dumps(made_by, indent=1)
        if not STAMP.exists() or STAMP.read_text(encoding="utf-8") != options:
            STAMP.unlink(missing_ok=True)  # Until all is built, nothing here can be trusted.
            self.force = True
        base, *levels = marches
        self.extensions = [one for one in self.modules if one.level in ("", *levels)]
        self.remove_other_variants(pathlib.Path(self.build_lib))
        sources = self.cythonized(directives)
        for extension in self.modules:
            extension.sources = [sources[extension.module]]
            extension.extra_compile_args = [
                *flags,
                *(marches[extension.level or base] if extension.module != PROCESSOR else ()),
                *(f"-D{name}={value}" for name, value in self.defines.items()),
            ]
            extension.extra_link_args = [flag for flag in flags if flag.startswith("-fsanitize")]
            if extension.module == PROCESSOR:
                extension.define_macros = self.told_to_processor(base, flags + marches[base])
        self.renew_what_knows(self.changed_defines())
        if self.stays_here:
            self.take_what_is_in_place()
        self.build_variants(levels)
        STAMP.parent.mkdir(parents=True, exist_ok=True)
        STAMP.write_text(options, encoding="utf-8")
        STAMP_OF_DEFINES.write_text(json.dumps(self.defines), encoding="utf-8")

    @property
    def modules(self) -> list[CompiledModule]:
        """What is built, in all its variants."""
        return [one for one in self.extensions or () if isinstance(one, CompiledModule)]

    def take_what_is_in_place(self) -> None:
        """Begin with the modules beside the Python sources: other folders may have none."""
        for extension in self.modules:
            target = pathlib.Path(self.get_ext_fullpath(extension.name))
            in_place = ROOT / target.relative_to(self.build_lib)
            if in_place.exists():
                self.mkpath(str(target.parent))
                shutil.copy2(in_place, target)

    def build_variants(self, levels: Sequence[str]) -> None:
        """Compile one variant after the other: their object files bear the same names."""
        together, folder = self.modules, self.build_temp
        for level in ("", *levels):
            self.extensions = [one for one in together if one.level == level]
            self.build_temp = os.path.join(folder, folder_of(level)) if level else folder
            super().build_extensions()
        self.extensions, self.build_temp = [*together], folder

    def copy_extensions_to_source(self) -> None:
        """Put the modules beside the Python sources."""
        self.remove_other_variants(ROOT)
        for extension in self.modules:
            self.mkpath(os.path.join(*extension.name.split(".")[:-1]))
        super().copy_extensions_to_source()

    def remove_other_variants(self, place: pathlib.Path) -> None:
        """Remove what an earlier build for more processors has left: it would be taken for new."""
        for level in set(LEVELS).difference(one.level for one in self.modules):
            shutil.rmtree(place / "kulami_solver" / folder_of(level), ignore_errors=True)

    def changed_defines(self) -> set[str]:
        """The switches that have another value than in the build before, all if that is unknown."""
        if not STAMP_OF_DEFINES.exists():
            return switches()
        before: dict[str, int] = json.loads(STAMP_OF_DEFINES.read_text(encoding="utf-8"))
        changed = {name for name, _ in before.items() ^ self.defines.items()}
        if changed:
            STAMP_OF_DEFINES.unlink()  # Until all is built, it is not known what was built with.
        return changed

    def renew_what_knows(self, names: set[str]) -> None:
        """Have the C files that use these switches compiled again."""
        for extension in self.modules if names else []:
            for source in extension.sources:
                text = pathlib.Path(source).read_text(encoding="utf-8")
                if any(re.search(rf"\b{name}\b", text) for name in names):
                    os.utime(source)

    def flags(self) -> list[str]:
        """Optimisation, or the checks of a checked build."""
        if self.compiler.compiler_type != "unix":
            return ["/Od"] if debug_build() else ["/O2"]
        compiler = self.compiler.compiler_so
        # Contracted to one instruction, a product and a sum are rounded once, not twice: the same
        # search would find other odds with FMA than without.
        level = ["-O3", "-g0", "-ffp-contract=off"]
        sanitizers = sanitizers_asked_for()
        if sanitizers:
            level = ["-O1", "-g", "-fsanitize=" + sanitizers, *SANITIZERS_ASKED_FOR]
            if not compiles([*compiler, *level], "int probe;\n"):
                raise PlatformError(BAD_SANITIZERS.format(sanitizers=sanitizers))
        elif debug_build():
            # The sanitizer's messages come from a library that clang gives to programs only.
            level = ["-O1", "-g"]
            level += SANITIZER_OF_CLANG if compiles(compiler, IS_CLANG) else SANITIZER
        return level

    def marches(self) -> dict[str, list[str]]:
        """Of each processor to compile for, the compiler's flags for it; the base is the first.

        An empty name stands for what the compiler takes by itself.
        """
        asked_for = "KULAMI_MARCH" in os.environ
        compiler = self.compiler.compiler_so if self.compiler.compiler_type == "unix" else []
        if not compiler or not self.processors or not (asked_for or compiles(compiler, IS_X86_64)):
            return {"": []}
        found: dict[str, list[str]] = {}
        for march in self.processors:
            choices = [["-march=" + march]]
            if march == "x86-64-v2":
                # The same processor for a compiler that does not know its name.
                choices.append(["-msse4.2", "-mpopcnt"])
            known = [one for one in choices if compiles([*compiler, *one], "int probe;\n")]
            if known:
                found[march] = known[0]
            elif asked_for:
                raise PlatformError(BAD_MARCH.format(march=march))
        return found or {"": []}

    def told_to_processor(self, march: str, flags: Sequence[str]) -> list[tuple[str, str | None]]:
        """What processor.pyx passes on: how the base is compiled, and what it may make use of."""
        command: list[str] = []
        needed = ["popcnt"]  # by intrinsics
        if self.compiler.compiler_type == "unix":
            command = self.compiler.compiler_so
            done = subprocess.run(
                [*command, *flags, "-dM", "-E", "-x", "c", os.devnull],
                capture_output=True,
                text=True,
                check=False,
            )
            needed = re.findall(FEATURE_MACRO, done.stdout, re.MULTILINE)
        macros = {
            "KULAMI_MARCH": march,
            "KULAMI_COMMAND": shlex.join([*command, *flags]),
            "KULAMI_NEEDED": " ".join(sorted(name.lower() for name in needed)),
        }
        return [(name, json.dumps(text)) for name, text in macros.items()]

    def cythonized(self, directives: dict[str, int]) -> dict[str, str]:
        """Write the C files below build/ and return the path of each module's.

        Cython makes new extension objects; setuptools goes on with its own, so only paths count.
        Files of Cython's own do not count as new: pip installs it anew for each build, and its
        version is in the stamp.
        """
        from Cython.Build import Dependencies, cythonize

        def newest_of_ours(tree: Dependencies.DependencyTree, path: str) -> tuple[float, str]:
            used = tree.all_dependencies(path)
            ours = [one for one in used if ROOT / SOURCES in ROOT.joinpath(one).parents]
            newest: tuple[float, str] = max(tree.extract_timestamp(one) for one in ours)
            return newest

        with mock.patch.object(Dependencies.DependencyTree, "newest_dependency", newest_of_ours):
            done = cythonize(
                [Extension(one.module, one.sources) for one in self.modules if not one.level],
                include_path=[SOURCES],
                build_dir=GENERATED,
                compiler_directives=directives,
                force=bool(self.force),
                nthreads=self.parallel or 0,
                shared_utility_qualified_name=MEMORYVIEWS,
            )
        return {extension.name: extension.sources[0] for extension in done}


if __name__ == "__main__":  # Cython's processes read this file, too, and build nothing.
    os.chdir(ROOT)
    setup(
        ext_modules=extensions(),
        cmdclass={"build_ext": BuildExtensions, "build_py": BuildSources},
    )
