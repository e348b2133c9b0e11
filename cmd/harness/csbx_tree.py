# SPDX-License-Identifier: Apache-2.0
"""The files of the repository before and after a patch: they show the changes, whatever the patch says.

Links are never followed, and no code of the repository has run when this is used.
"""
import itertools
import os
import shutil
import stat
import time

OTHERS_MAX = 10000  # names that links give to the files that patches changed
TICK_S = 0.02  # a file that is written twice within a tick of the kernel's clock may have the same times


class Tree:
    """The facts that show a change of a file, by path, and the directories. `.git` is left out on wish."""

    def __init__(self, top, has_git=True):
        self.files, self.directories, newest_s = {}, set(), 0
        for here, directories, files in os.walk(top):
            if not has_git and here == top and ".git" in directories:
                directories.remove(".git")
            for name in files + directories:
                full = os.path.join(here, name)
                s = os.lstat(full)
                path = os.path.relpath(full, top) if here != top else name
                if stat.S_ISDIR(s.st_mode):
                    self.directories.add(path)
                else:
                    self.files[path] = (s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_mode)
                    newest_s = max(newest_s, s.st_ctime)
        if abs(time.time() - newest_s) < TICK_S:
            time.sleep(TICK_S)

    def links(self):
        return [p for p, facts in self.files.items() if stat.S_ISLNK(facts[-1])]

    def changed_to(self, after):
        return sorted(p for p in set(self.files) | set(after.files) if self.files.get(p) != after.files.get(p))


def real_path(path):
    """What a path leads to; the path, where that is not to be known (/proc/1/cwd)."""
    try:
        return os.path.realpath(path)
    except OSError:
        return path


class Links:
    """What else the files of the repository are called, by its symbolic links. Made after the patches: a link may have a
    file be imported, or read, by a name that no patch says."""

    def __init__(self, top, links):
        self.top, self.links, self.by_place, self.left = top, frozenset(links), {}, OTHERS_MAX
        for link in self.links:
            for place in self._places(link):
                self.by_place.setdefault(place, []).append(link)

    def _places(self, link):
        """Where it leads to: by its words, by its directory, and in the end."""
        full = os.path.join(self.top, link)
        target = os.path.normpath(os.path.join(os.path.dirname(full), os.readlink(full)))
        found = {target, os.path.join(real_path(os.path.dirname(target)), os.path.basename(target)), real_path(full)}
        return {os.path.relpath(p, self.top) for p in found if self._is_inside(p)}

    def _is_inside(self, path):
        return path == self.top or path.startswith(self.top + "/")

    def _below(self, link):
        """The files of the directory that a link leads to; those of one elsewhere are the image's, and deeper ones no matter."""
        home = real_path(os.path.join(self.top, link))
        for here, directories, files in os.walk(home):
            if not self._is_inside(home):
                directories.clear()
            for name in files:
                yield os.path.join(link, os.path.relpath(os.path.join(here, name), home))

    def _steps(self, name):
        """(link, name by that link)"""
        place, rest = name, ""
        while place:
            for link in self.by_place.get(place, ()):
                yield link, link + rest
            place = os.path.dirname(place)
            rest = name[len(place):] if place else ""
        for link in self.by_place.get(".", ()):
            yield link, link + "/" + name

    def others(self, path):
        """{name: the links that it is by}, of a file that a patch changed. Each link leads a name on once: it may lead to itself."""
        todo, found = [(path, ())], {}
        while todo:
            name, used = todo.pop()
            steps = [(link, other) for link, other in self._steps(name) if link not in used]
            if name == path and path in self.links:
                steps = itertools.chain(steps, ((path, other) for other in self._below(path)))
            for link, other in steps:
                if other != path and other not in found:
                    if not self.left:
                        return found
                    self.left -= 1
                    found[other] = used + (link,)
                    todo.append((other, found[other]))
        return found


def read_state(top, path):
    """None: there is no such file; else (mode, content or target, mtime)."""
    full = os.path.join(top, path)
    try:
        s = os.lstat(full)
        if stat.S_ISLNK(s.st_mode):
            return s.st_mode, os.readlink(full), 0
        with open(full, "rb") as f:
            return s.st_mode, f.read(), s.st_mtime_ns
    except OSError:
        return None


def _remove(full):
    if os.path.isdir(full) and not os.path.islink(full):
        shutil.rmtree(full)
    elif os.path.lexists(full):
        os.unlink(full)


def write_state(top, path, state):
    """Makes the file as it was, and real directories of what leads to it."""
    here, parts = top, path.split("/")
    for part in parts[:-1]:
        here = os.path.join(here, part)
        if os.path.isdir(here) and not os.path.islink(here):
            continue
        if state is None:
            return
        _remove(here)
        os.mkdir(here)
    full = os.path.join(here, parts[-1])
    _remove(full)
    if state is None:
        return
    mode, content, mtime_ns = state
    if stat.S_ISLNK(mode):
        os.symlink(content, full)
        return
    with open(full, "xb") as f:
        f.write(content)
    os.chmod(full, stat.S_IMODE(mode))
    os.utime(full, ns=(mtime_ns, mtime_ns))


class Saved:
    """Files as they are now, to be made so again."""

    def __init__(self, top, paths):
        self.top = top
        self.files = {p: read_state(top, p) for p in paths}

    def restore(self, paths=None):
        for path in self.files if paths is None else paths:
            write_state(self.top, path, self.files[path])


def remove_new_directories(top, before, after):
    """Those that nothing is in any more."""
    for path in sorted(after.directories - before.directories, key=len, reverse=True):
        try:
            os.rmdir(os.path.join(top, path))
        except OSError:
            pass
