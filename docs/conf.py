"""How the site is built: python -m sphinx -W docs OUT, with the docs extra.

Pages are written in Markdown (MyST). What they show is made while the site is built, from the
package itself: the reference from docstrings and from the command line's parsers, boards by the
drawing room, the notebook's answers by running it. The extensions that do so lie in extensions/.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE / "extensions"), str(ROOT)]

# Compiled classes have their docstrings in the module, their types in the stubs: see docstrings.py.
os.environ["SPHINX_AUTODOC_IGNORE_NATIVE_MODULE_TYPE_STUBS"] = "1"

from kulami_solver.core.version import __version__  # noqa: E402

project = "kulami_solver"
author = "The kulami_solver authors"
project_copyright = author
version = release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "myst_parser",
    "boards",
    "commands",
    "docstrings",
    "notebooks",
    "outside",
    "search_words",
]
exclude_patterns = ["extensions", "examples"]
nitpicky = True
# Types that signatures name, and that are nobody's business.
nitpick_ignore_regex = [
    ("py:.*", rf"kulami_solver\..*\b{name}")
    for name in (
        "BuildProgress",
        "Codes",
        "Contexts",
        "Found",
        "Known",
        "KulamiState",
        "LegalFields",
        "Needs",
        "P",
        "Pile",
        "Placement",
        "PlyCounts",
        "PositionView",
        "ProgressLine",
        "Proof",
        "RecordSection",
        "View",
        "Watcher",
        "Written",
        "_E",
    )
]
default_role = "name"
highlight_language = "none"
smartquotes_action = "D"  # dashes; quotes are typed as they are meant

# Files of the repository that are pages of the site, too: see outside.py for links to them.
outside_pages = {
    "../README.md": "index.md",
    "../data/README.md": "reference/data.md",
    "../CHANGELOG.md": "changelog.md",
}

# What people look for, and where it is: see search_words.py.
search_words = {
    "C++": "ugi#whole-bots-to-begin-with",
    "Java": "ugi#whole-bots-to-begin-with",
    "Elo": "howto/judge-bots#tournaments",
    "rating": "howto/judge-bots#tournaments",
    "tournament": "howto/judge-bots#tournaments",
    "resign": "howto/judge-bots#when-a-bot-fails",
    "regret": "training#exact-values-inside-the-loop",
    "reinforcement learning": "training#exact-values-inside-the-loop",
    "torch": "training#exact-values-inside-the-loop",
    "benchmark": "explanation/figures#tools-that-measure",
    "cite": "explanation/figures#how-to-cite",
    "endgame": "algorithms#endings",
    "endgame database": "databases#databases",
    "tablebase": "databases#databases",
}

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]

# Signatures and docstrings need no more than its names of what another extra brings.
autodoc_mock_imports = [name for name in ("gymnasium", "pettingzoo") if not find_spec(name)]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_docstring_signature = False  # see docstrings.py
autodoc_default_options = {"members": True}
autodoc_preserve_defaults = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_param = False
napoleon_use_rtype = False
napoleon_use_ivar = True
add_module_names = False
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = "kulami_solver"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": False}
