"""One line to run: ``python -m discreet``, completion, the pre-commit hook, the GitHub action and the Dockerfile."""

import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tomllib
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

import discreet
from discreet import kernels
from discreet.cli import COMMANDS, main
from discreet.io.sources import FORMATS

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
GOOD, BAD = {"a": 60, "ab": 30}, {"a": 60, "ab": 58}
BASH = ["bash", "--noprofile", "--norc", "-eo", "pipefail"]  # as GitHub starts it
RUN = re.compile(r"\$\{\{ inputs\.([\w-]+) \}\}")


def steps():
    """The steps of the Dockerfile, as the script reads them that runs them."""
    loader = SourceFileLoader("container", str(ROOT / ".ci" / "container"))
    module = module_from_spec(spec_from_loader("container", loader))
    loader.exec_module(module)
    return list(module.steps((ROOT / "Dockerfile").read_text(encoding="utf-8")))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with patterns that may be published, and some that may not."""
    monkeypatch.chdir(tmp_path)
    for name, supports in {"good": GOOD, "may": GOOD, "bad": BAD}.items():
        pairs = [([], 100), *((list(items), support) for items, support in supports.items())]
        discreet.write_patterns(discreet.read_patterns(pairs, kind="closed"), f"patterns-{name}.json")
    return tmp_path


def run(command, **variables):
    """Run a command with our own script on the path, as it is where discreet is installed."""
    kept = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    path = f"{sysconfig.get_path('scripts')}{os.pathsep}{kept['PATH']}"
    return subprocess.run(
        command,
        env={**kept, "PATH": path, **variables},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def act(**inputs):
    """Run the last step of the action as GitHub does, with some inputs."""
    step = ACTION["runs"]["steps"][-1]
    given = {name: one.get("default", "") for name, one in ACTION["inputs"].items()} | inputs
    variables = {name: given[RUN.fullmatch(value)[1]] for name, value in step["env"].items()}
    Path("step.sh").write_text(step["run"], encoding="utf-8")
    return run([*BASH, "step.sh"], **variables)


def test_the_module_is_the_same_program_as_the_script():
    for words in (["--help"], ["audt"], ["audit"]):
        module, script = run([sys.executable, "-m", "discreet", *words]), run(["discreet", *words])
        assert (module.returncode, module.stdout, module.stderr) == (script.returncode, script.stdout, script.stderr)
    assert "see 'discreet audit --help'" in script.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_its_completion(shell):
    if shell == "bash" and "version" not in run(["bash", "--version"]).stdout:
        pytest.skip("bash is not installed")
    done = run(["discreet"], _DISCREET_COMPLETE=f"{shell}_source")
    assert (done.returncode, "_discreet_completion" in done.stdout) == (0, True)


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("au", ["plain,audit"]),
        ("audit --kin", ["plain,--kind"]),
        ("audit --kind fr", ["plain,frequent"]),
        ("audit cli", ["file,cli"]),
        ("audit clinic.csv --rows cli", ["file,cli"]),
        ("audit clinic.csv --against rel", ["file,rel"]),
        ("verify rel", ["file,rel"]),
        ("query clinic.csv f", []),
        ("audit clinic.csv -k 1", []),
    ],
)
def test_commands_options_choices_and_files_are_completed(words, offered):
    variables = {"_DISCREET_COMPLETE": "bash_complete", "COMP_WORDS": f"discreet {words}"}
    result = CliRunner(env={**variables, "COMP_CWORD": str(len(words.split()))}).invoke(main, prog_name="discreet")
    assert result.stdout.split() == offered


def test_each_file_is_judged_by_itself(folder):
    names = [f"patterns-{name}.json" for name in ("good", "bad", "may")]
    result = CliRunner().invoke(main, ["audit", *names, "-k", "10", "--each"])
    assert result.exit_code == 1
    assert re.findall(r"^(\w+): (\S+),", result.stdout, re.MULTILINE) == [
        ("RELEASE", names[0]),
        ("WITHHOLD", names[1]),
        ("RELEASE", names[2]),
    ]
    assert CliRunner().invoke(main, ["audit", names[0], names[2], "-k", "10", "--each"]).exit_code == 0
    assert list(folder.glob("*.csv")) == []


@pytest.mark.usefixtures("folder")
def test_patterns_in_several_files_are_not_taken_for_one_set():
    result = CliRunner().invoke(main, ["audit", "patterns-good.json", "patterns-may.json", "-k", "10"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "error: another FILE is for rows" in result.stderr


@pytest.mark.parametrize("words", ["--json", "--out x.txt", "--exposed x.csv", "--sacro x"])
def test_each_writes_no_single_result(words, folder):
    result = CliRunner().invoke(main, ["audit", "patterns-good.json", "-k", "10", "--each", *words.split()])
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{words.split()[0]} is for one result, and --each has several: leave one out" in result.stderr
    assert not list(folder.glob("x*"))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("names", "args", "code"),
    [
        (["good", "may"], None, 0),
        (["good", "bad"], None, 1),
        (["bad", "good"], ["--policy", "acro", "--"], 1),
        (["bad", "good"], ["-k", "2"], 0),
        (["good", "missing"], None, 2),
    ],
)
def test_the_hook_passes_only_files_that_may_be_published(names, args, code):
    files = [f"patterns-{name}.json" for name in names]
    assert all(re.search(HOOK["files"], f"out/{file}") for file in files)
    done = run([*shlex.split(HOOK["entry"]), *(HOOK["args"] if args is None else args), *files])
    assert (done.returncode, " − " in done.stdout) == (code, False)


def test_the_hook_is_installed_by_python_under_the_name_of_our_script():
    assert (HOOK["id"], HOOK["language"], HOOK["require_serial"]) == ("discreet-audit", "python", True)
    assert shlex.split(HOOK["entry"])[0] in PROJECT["scripts"]


def test_the_hook_judges_patterns_in_every_format_packed_or_not():
    suffixes = [suffix for form in FORMATS.values() if form.patterns for suffix in form.suffixes]
    names = [
        f"out/patterns{suffix}{packed}" for suffix in suffixes for packed in ("", ".bz2", ".gz", ".xz", ".zip", ".zst")
    ]
    assert [name for name in names if not re.search(HOOK["files"], name)] == []
    assert [name for name in ("patterns.md", "src/patterns.py", "rows.csv") if re.search(HOOK["files"], name)] == []


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        ({"files": "patterns-good.json\npatterns-may.json\n", "k": "10"}, 0),
        ({"files": "\npatterns-good.json\n\npatterns-bad.json", "k": "10"}, 1),
        ({"files": "patterns-bad.json", "policy": "acro"}, 1),
        ({"files": "a name.json", "k": "10"}, 0),
        ({"files": "patterns-good.json"}, 2),
        ({"files": "", "k": "10"}, 2),
        ({"files": "--help", "k": "10"}, 2),
        ({"files": "$(touch owned)\n`touch owned`; touch owned", "k": "10"}, 2),
        ({"files": "patterns-good.json", "k": "10; touch owned"}, 2),
        ({"files": "patterns-good.json", "policy": '"; touch owned; "'}, 2),
        ({"files": "patterns-good.json", "policy": "--help"}, 2),
    ],
)
def test_the_action_fails_unless_every_file_may_be_published(inputs, code, folder):
    (folder / "a name.json").write_bytes((folder / "patterns-good.json").read_bytes())
    done = act(**inputs)
    assert (done.returncode, " − " in done.stdout) == (code, False), done.stderr
    assert not (folder / "owned").exists()


def test_the_action_puts_no_expression_into_a_script_and_installs_itself():
    scripts = [step["run"] for step in ACTION["runs"]["steps"] if "run" in step]
    assert [script for script in scripts if "${{" in script] == []
    assert (ROOT / re.search(r'"\$GITHUB_ACTION_PATH/([\w.]+)"', scripts[0])[1]).is_file()
    assert scripts[0].endswith(' "$GITHUB_ACTION_PATH"')


def test_the_dockerfile_copies_files_that_are_there_and_not_left_out():
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    sources = [name for word, rest in steps() if word == "COPY" for name in rest.split()[:-1]]
    assert [name for name in sources if not (ROOT / name).exists()] == []
    assert sorted(f"!{name}" for name in sources) == sorted(line for line in ignored if line.startswith("!"))
    used = {PROJECT["readme"], *PROJECT["license-files"], "pyproject.toml", "constraints.txt"}
    assert used <= set(sources)


def test_the_dockerfile_installs_extras_that_exist_and_runs_commands_that_exist():
    runs = [rest for word, rest in steps() if word == "RUN"]
    extras = [name for rest in runs for some in re.findall(r"\.\[([\w,]+)\]", rest) for name in some.split(",")]
    assert extras
    assert set(extras) <= set(PROJECT["optional-dependencies"])
    called = [words for rest in runs if (words := shlex.split(rest))[0] in PROJECT["scripts"]]
    assert [words[1] for words in called] == ["warm"]
    assert "warm" in {command.name for command in COMMANDS}
    assert [rest for rest in runs if run(["sh", "-n", "-c", rest]).returncode] == []


def test_the_image_runs_the_program_as_a_user_who_owns_the_compiled_code():
    words = [word for word, _ in steps()]
    last = dict(steps())
    assert last["ENTRYPOINT"] == '["discreet"]'
    assert last["USER"] not in {"root", "0"}
    assert words.index("USER") < len(words) - 1 - words[::-1].index("RUN")  # warm is run by the user
    cache = re.search(r"NUMBA_CACHE_DIR=(\S+)", last["ENV"])[1]
    assert any(f"--owner {last['USER']}" in rest and cache in rest for word, rest in steps() if word == "RUN")


def test_code_for_no_cpu_in_particular_is_warm_on_every_machine(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    for cpu, is_kept in (("generic", True), ("skylake", False), ("", False)):
        monkeypatch.setenv("NUMBA_CPU_NAME", cpu)
        monkeypatch.setattr(kernels, "node", lambda: "here")
        kernels.write_stamp()
        monkeypatch.setattr(kernels, "node", lambda: "there")
        assert kernels.is_warm() is is_kept
