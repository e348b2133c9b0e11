#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""check_install.py BUILD: compare what `make install` puts under a DESTDIR with what was built; every test is one TAP line.

What ought to be there is found in the build itself, not in the makefiles: whatever program, page of
the manual or part of the harness is built without being installed, or stays after `make uninstall`,
is told.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PROFILE = "etc/apparmor.d/csbx"
SERVICE = "lib/systemd/user/csbx-engine.service"


def built(o):
    """{path below the prefix: (file it is made of, mode)}"""
    want = {}
    for path in sorted(o.iterdir()):
        if path.is_file() and not path.is_symlink() and os.access(path, os.X_OK):
            where = "bin" if path.name == "csbx" else "libexec/csbx"
            want[f"{where}/{path.name}"] = path, 0o755
    for path in (p for p in (o / "harness").rglob("*") if p.is_file()):
        want[f"libexec/csbx/{path.relative_to(o)}"] = path, 0o644
    for path in [*(o / "man").iterdir(), *Path("docs/man").glob("*.[1-8]")]:
        want[f"share/man/man{path.suffix[1:]}/{path.name}"] = path, 0o644
    for path in [Path("README.md"), Path("CHANGELOG.md"), Path("LICENSE"), *Path("docs").glob("*.*")]:
        want[f"share/doc/csbx/{path}"] = path, 0o644
    want["share/bash-completion/completions/csbx"] = Path("contrib/completion/csbx.bash"), 0o644
    want["share/zsh/site-functions/_csbx"] = Path("contrib/completion/_csbx"), 0o644
    want["lib/systemd/user/csbx-engine.socket"] = Path("contrib/systemd/csbx-engine.socket"), 0o644
    return want


def files_below(top):
    return sorted(p.relative_to(top).as_posix() for p in top.rglob("*") if p.is_symlink() or not p.is_dir())


def wrong(top, want):
    """Files that are there and ought to be, but with another content or mode."""
    for name, (source, mode) in want.items():
        path = top / name
        if path.is_file() and path.read_bytes() != source.read_bytes():
            yield f"{name}: not {source} as it was built"
        if path.is_file() and path.stat().st_mode & 0o7777 != mode:
            yield f"{name}: mode {path.stat().st_mode & 0o7777:o}, not {mode:o}"
    for path in [top, *top.rglob("*")]:
        if path.is_dir() and path.stat().st_mode & 0o7777 != 0o755:
            yield f"{path}: mode {path.stat().st_mode & 0o7777:o}"


def not_in_manual(o):
    """Commands without a page, keys of the configuration that csbx.conf(5) leaves out."""
    told = subprocess.run([str(o / "csbx"), "__complete", ""], stdout=subprocess.PIPE, universal_newlines=True, check=True)
    for verb in (line.split("\t")[0] for line in told.stdout.splitlines()):
        if verb != "help" and not (o / f"man/csbx-{verb}.1").exists():
            yield f"csbx {verb}: docs/man/csbx-{verb}.1.in is missing"
    page = (o / "man/csbx.conf.5").read_text(encoding="utf-8")
    for key in re.findall(r'{"(CSBX_[A-Z_]+)"', Path("runtime/settings/config_keys.c").read_text(encoding="utf-8")):
        if not re.search(rf"\b{key}\b", page):
            yield f"{key} is not in csbx.conf(5)"


def unknown_targets():
    """Targets that README and docs/ tell people to make, and that `make help` does not list."""
    said = subprocess.run([os.environ.get("MAKE", "make"), "help"], stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout
    known = {line.split()[0] for line in said.splitlines()[1:]}
    for page in [Path("README.md"), Path("CONTRIBUTING.md"), *sorted(Path("docs").glob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"(?:^ {4}|`)make (?:[A-Z_]+=[^\s`]* )*([a-z][a-z0-9-]*)", text, re.M):
            if target not in known:
                yield f"{page}: make {target}"


def missing_commands(o):
    """Programs and files that the code lines of docs/testing.md name, and that are not there to be run."""
    text = Path("docs/testing.md").read_text(encoding="utf-8")
    for line in re.findall(r"^ {4}(\S.*)$", text, re.M):
        for word in line.split("#")[0].split():
            source = word.replace("build/release/", "", 1)
            if "/" not in word or word.startswith("/"):
                continue
            if source.startswith("tests/fuzz/replay_"):
                source = source.replace("replay_", "fuzz_")
            if not any(Path(source + end).exists() for end in ("", ".c")) and not (o / source).exists():
                yield f"docs/testing.md: {word}: there is no such file"


def compiled_before_the_error(tmp):
    """A library that is not there is said before any file is compiled."""
    config = Path(tmp) / "pkg-config"
    config.write_text('#!/bin/sh\ncase "$*" in *--exists*libsquashfs1*) exit 1;; esac\nexec pkg-config "$@"\n', encoding="ascii")
    config.chmod(0o755)
    p = subprocess.run([os.environ.get("MAKE", "make"), f"O={tmp}/o", f"PKGCONFIG={config}"], stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, check=False)
    if not p.returncode or "missing library libsquashfs1: apt-get install libsquashfs-dev" not in p.stdout:
        yield f"exit code {p.returncode}: {p.stdout[-300:]}"
    yield from (line for line in p.stdout.splitlines() if line.startswith("  CC ") or line.startswith("  AS "))


def docs_of_help(top, prefix):
    """Whether the installed programs say where the files are that their help names."""
    for words in (["--help"], ["eval", "--help"]):
        program = top / prefix / ("bin/csbx" if len(words) == 1 else "libexec/csbx/csbx-tool")
        said = subprocess.run([program, *words], stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout
        place = re.search(r"The files docs/\.\.\. are in (\S+)\.$", said, re.M)
        if not place or not (Path(place[1]) / "docs/judging.md").is_file():
            yield f"csbx {' '.join(words)}: {place and place[0]}"


def main():
    o = Path(sys.argv[1])
    count = failed = 0

    def test(name, problems):
        nonlocal count, failed
        problems = list(problems)
        count += 1
        failed += bool(problems)
        print(f"{'not ok' if problems else 'ok'} {count} - {name}")
        for p in problems:
            print(f"# {p}")

    def make(target, dest, umask):
        # The build's own prefix: another one would build all of it anew for this comparison.
        p = subprocess.run([os.environ.get("MAKE", "make"), f"O={o}", f"DESTDIR={dest}", target],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           universal_newlines=True, check=False, preexec_fn=lambda: os.umask(umask))
        test(f"make {target}", p.stdout.splitlines() if p.returncode else [])

    database = subprocess.run([os.environ.get("MAKE", "make"), f"O={o}", "-pn"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, universal_newlines=True, check=False).stdout
    goal = re.search(r"^\.DEFAULT_GOAL := (.*)$", database, re.M)
    test("`make` alone builds all", [] if goal and goal[1] == "all" else [f"it makes {goal and goal[1]}"])
    test("the manual has every command and every key of the configuration", not_in_manual(o))
    test("`make help` lists every target that the docs name", unknown_targets())
    test("what docs/testing.md runs is there", missing_commands(o))
    with tempfile.TemporaryDirectory(prefix="csbx-install.") as tmp:
        test("a missing library is said before anything is compiled", compiled_before_the_error(tmp))
        top = Path(tmp) / "dest"
        (top / "etc/apparmor.d/abi").mkdir(parents=True)
        (top / "etc/apparmor.d/abi/4.0").touch()  # a machine whose AppArmor knows user namespaces
        for path in [top, *top.rglob("*")]:
            path.chmod(0o755)
        before = files_below(top)
        make("install", top, 0o077)
        prefix = next((p.parent.parent.relative_to(top) for p in top.rglob("bin/csbx")), Path("usr/local"))
        want = built(o)
        there = set(files_below(top)) - set(before)
        links = [prefix / "libexec/csbx/csbx-join", prefix / "libexec/csbx/cli-plugins/docker-buildx"]
        names = {str(prefix / name) for name in want} | {PROFILE, str(prefix / SERVICE), *map(str, links)}
        test("all that is built is installed", [f"{n} is missing" for n in sorted(names - there)])
        test("nothing else is", [f"{n}: what is that?" for n in sorted(there - names)])
        test("each file is the one that was built, readable by all, whatever the umask",
             wrong(top, {str(prefix / name): made for name, made in want.items()}))
        test("csbx-join and docker-buildx are links to csbx",
             [str(p) for p in links if not (top / p).is_symlink() or os.readlink(top / p) != f"/{prefix}/bin/csbx"])
        test("help says where the installed docs are", docs_of_help(top, prefix))
        profile = (top / PROFILE).read_text(encoding="ascii")
        test("the AppArmor profile names this csbx", [] if f"/{prefix}/bin/csbx" in profile and "@" not in profile else [profile])
        test("and is readable by all", [] if (top / PROFILE).stat().st_mode & 0o7777 == 0o644 else [oct((top / PROFILE).stat().st_mode)])
        service = top / prefix / SERVICE
        test("the service of systemd starts this csbx, and is readable by all",
             [] if f"ExecStart=/{prefix}/bin/csbx engine\n" in service.read_text(encoding="ascii")
             and service.stat().st_mode & 0o7777 == 0o644 else [str(service)])
        make("install", top, 0o022)
        foreign = top / prefix / "libexec/csbx/of-another"
        foreign.touch()
        make("uninstall", top, 0o022)
        test("nothing stays but what others put there",
             [f"{n} is left" for n in files_below(top) if n not in before and top / n != foreign])
        test("nor goes", [] if foreign.exists() else [f"{foreign} went"])
        foreign.unlink()
        make("uninstall", top, 0o022)
        test("a second uninstall finds nothing, and no directory of csbx's own is left",
             [str(p) for p in top.rglob("csbx*")])
    print(f"1..{count}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
