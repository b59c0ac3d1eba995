"""`kulami completion`: each shell completes what is typed, asked as it asks itself."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest
from command_line import good, kulami

from kulami_solver.cli.program import SHELLS

pytest.importorskip("shtab", reason="shtab is not installed: pip install -e '.[test]'")

# What is typed, and all that can stand for its last word.
COMPLETED = {
    "kulami so": "solve",
    "kulami just4fun exp": "expect",
    "kulami solve --sco": "--scoring",
    "kulami solve --goal m": "margin",
    "kulami solve --scoring ch": "chains",
    "kulami malawi probe sm": "small.kdb",
    "kulami serve --database sm": "small.kdb",
    "kulami solve --results sm": "small.jsonl",
    "kulami solve --input READ": "README.md",
    "kulami check gr": "greedy",
    "kulami match random per": "perfect",
    "kulami match --layout ra": "random",
    "kulami layout ru": "rulebook",
    "kulami completion z": "zsh",
}

# Each shell prints, for each of its arguments, what can stand for the last word of it, all of it on
# one line.
PROGRAMS = {
    "bash": r"""
source script.bash
complete=$(complete -p kulami)
[[ $complete =~ -F\ ([^ ]+) ]] && asked=${BASH_REMATCH[1]}
for typed; do
    read -ra COMP_WORDS <<< "$typed"
    [[ $typed == *" " ]] && COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    "$asked" kulami "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    echo "${COMPREPLY[@]}"
done
""",
    "fish": r"""
source script.fish
for typed in $argv
    echo (complete -C $typed | string split -f 1 \t)
end
""",
    # A terminal with a shell in it, where TAB is pressed behind the word. Then Ctrl-A and Ctrl-E
    # lead to where the marks go that tell what stands there from what was typed. The line that says
    # that the shell is ready is not echoed as it is, or what it prints would be found in it.
    "zsh": r"""
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT=; bindkey -e; autoload -Uz compinit; fpath=($PWD \$fpath); compinit -D -u"
zpty -w shell "print READ''Y"
zpty -r -m shell said '*READY*'
for typed; do
    zpty -w -n shell $typed$'\t\x01print -r -- "@\x05@"\n'
    zpty -r -m shell said $'*\n@kulami *@\r\n*'
    said=${${said##*$'\n@'}%%@*}
    print -r -- ${${said% }##* }
done
zpty -d shell
""",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the shells are: scripts, and files to complete the names of."""
    place = tmp_path_factory.mktemp("completion")
    for shell in SHELLS:
        place.joinpath(f"script.{shell}").write_text(good("completion", shell).out, "utf-8")
    place.joinpath("script.zsh").rename(place / "_kulami")
    for name in ("small.kdb", "small.jsonl", "small.txt", "README.md"):
        place.joinpath(name).touch()
    return place


def said(folder: Path, shell: str, *arguments: str) -> str:
    """What a shell prints, without configuration of the user's."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed (Debian, Ubuntu: apt install {shell})")
    plain = {"bash": "--norc", "zsh": "-f", "fish": "--no-config"}[shell]
    done = subprocess.run(
        [shell, plain, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_can_read_its_script(folder: Path, shell: str) -> None:
    script = "_kulami" if shell == "zsh" else f"script.{shell}"
    assert said(folder, shell, "-n", script) == ""


@pytest.mark.parametrize("shell", SHELLS)
def test_a_word_is_completed(folder: Path, shell: str) -> None:
    program = ["-c", PROGRAMS[shell], *([] if shell == "fish" else [shell])]
    answers = said(folder, shell, *program, *COMPLETED).splitlines()
    assert dict(zip(COMPLETED, answers, strict=True)) == COMPLETED


def test_an_empty_word_has_all_that_can_follow(folder: Path) -> None:
    typed = ["kulami ", "kulami malawi check ", "kulami probe "]
    answers = said(folder, "bash", "-c", PROGRAMS["bash"], "bash", *typed).splitlines()
    commands, bots, files = (answer.split() for answer in answers)
    assert {"solve", "malawi", "completion"} <= {*commands}
    assert bots == ["random", "greedy", "perfect"]
    assert files == ["small.kdb"]


def test_json_has_the_same_script(folder: Path) -> None:
    answer = good("completion", "fish", "--json").answer
    assert answer["shell"] == "fish"
    assert answer["script"].strip() == (folder / "script.fish").read_text("utf-8").strip()


def test_without_shtab_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    ran = kulami("completion", "bash")
    assert (ran.code, ran.out) == (2, "")
    assert "pip install 'kulami_solver[completion]'" in ran.err
