"""Cores and memory are those that control groups allow, in trees of both versions; odd files are no limit."""

import os
import subprocess
import sys

import pytest

from discreet.runtime import resources
from discreet.runtime.cgroups import find_core_limit, find_memory_limit

DEEP = "0::/system.slice/docker.scope/inner\n"
OLD = "9:name=systemd:/\n4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n0::/\n"
NONE = (None, None)
TREES = {
    "version 2": (DEEP, {"system.slice/docker.scope/inner": ("250000 100000", "1073741824")}, (3, 1 << 30)),
    "no limit": (DEEP, {"system.slice/docker.scope/inner": ("max 100000", "max")}, NONE),
    "a limit further up": (DEEP, {"system.slice": ("50000 100000", "2097152"), "": ("max", "max")}, (1, 2 << 20)),
    "the least one counts": (
        DEEP,
        {"system.slice": ("200000 100000", "8388608"), "system.slice/docker.scope": ("900000 100000", "4194304")},
        (2, 4 << 20),
    ),
    "a container sees its own group as the root": ("0::/\n", {"": ("100000 100000", "1048576")}, (1, 1 << 20)),
    "beside version 1": ("0::/a\n", {"unified/a": ("100000 100000", "1048576")}, (1, 1 << 20)),
    "beside another's group": ("0::/a\n", {"b": ("100000 100000", "1048576")}, NONE),
    "only a quota": (DEEP, {"": ("150000", "")}, NONE),
    "empty files": (DEEP, {"": ("", "")}, NONE),
    "zeros": (DEEP, {"": ("0 0", "0")}, NONE),
    "too little to start": (DEEP, {"": ("1 1000000", "1")}, (1, None)),
    "garbage": (DEEP, {"": ("a b c", "\x00\xff much")}, NONE),
    "huge numbers": (DEEP, {"": ("9" * 90000 + " 1", "9" * 5000)}, NONE),
    "large numbers": (DEEP, {"": ("9" * 19 + " 1", "9223372036854771712")}, (int("9" * 19), 9223372036854771712)),
    "signs, points and other digits": (DEEP, {"": ("+5 1_0", "1e9")}, NONE),
    "no line of the kernel's": ("0\n:::\n0:/\n0::a\n\n", {"": ("100000 100000", "1048576")}, NONE),
    "a path that leads out": ("0::/../../../outside\n", {"": ("100000 100000", "1048576")}, (1, 1 << 20)),
    "no lines": ("", {"": ("100000 100000", "1048576")}, NONE),
    "a name with a NUL": ("0::/\x00\n", {"": ("200000 100000", "1048576")}, (2, 1 << 20)),
}


def grow(root, groups, files):
    """Write a tree, with the groups of the process and files by their names."""
    for name, text in {"proc/self/cgroup": groups, **files}.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return root


def limits(root):
    return find_core_limit(root), find_memory_limit(root)


@pytest.mark.parametrize("case", TREES)
def test_version_2_limits_a_group_and_all_inside_it(case, tmp_path):
    groups, folders, expected = TREES[case]
    files = {f"{folder}/cpu.max": cpu for folder, (cpu, _) in folders.items()}
    files |= {f"{folder}/memory.max": memory for folder, (_, memory) in folders.items()}
    grow(tmp_path, groups, {f"sys/fs/cgroup/{name}": text for name, text in files.items()})
    assert limits(tmp_path) == expected


@pytest.mark.parametrize("mount", ["cpu", "cpu,cpuacct"])
@pytest.mark.parametrize("group", ["", "/docker", "/docker/abc"])
@pytest.mark.parametrize(
    ("quota", "period", "memory", "expected"),
    [
        ("150000\n", "100000\n", "1048576\n", (2, 1 << 20)),
        ("-1\n", "100000\n", "9223372036854771712\n", (None, 9223372036854771712)),
        ("", "", "", NONE),
        ("150000", "0", "-1", NONE),
        ("much", "more", "most", NONE),
    ],
)
def test_version_1_has_a_tree_for_each_controller(mount, group, quota, period, memory, expected, tmp_path):
    place = f"sys/fs/cgroup/{mount}{group}"
    files = {f"{place}/cpu.cfs_quota_us": quota, f"{place}/cpu.cfs_period_us": period}
    grow(tmp_path, OLD, {**files, f"sys/fs/cgroup/memory{group}/memory.limit_in_bytes": memory})
    assert limits(tmp_path) == expected


def test_a_system_without_control_groups_has_no_limit(tmp_path):
    assert limits(tmp_path) == NONE


def test_folders_in_the_place_of_files_are_no_limit(tmp_path):
    grow(tmp_path, "0::/\n", {"sys/fs/cgroup/cpu.max/x": "", "sys/fs/cgroup/memory.max/x": ""})
    assert limits(tmp_path) == NONE


def test_cores_and_memory_are_the_least_that_is_allowed(monkeypatch):
    monkeypatch.setattr(resources, "find_core_limit", lambda: 1)
    monkeypatch.setattr(resources, "find_memory_limit", lambda: 1 << 20)
    assert (resources.cores(), resources.memory()) == (1, 1 << 20)
    monkeypatch.setattr(resources, "find_core_limit", lambda: None)
    monkeypatch.setattr(resources, "find_memory_limit", lambda: None)
    whole = resources.cores(), resources.memory()
    monkeypatch.setattr(resources, "find_core_limit", lambda: 1 << 60)
    monkeypatch.setattr(resources, "find_memory_limit", lambda: 1 << 62)
    assert (resources.cores(), resources.memory()) == whole


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="only Linux pins a process to cores")
def test_a_process_that_is_pinned_to_a_core_has_one():
    code = "import os; os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])"
    code += "\nfrom discreet.runtime.resources import cores; print(cores())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"
