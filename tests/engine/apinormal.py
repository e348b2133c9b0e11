# SPDX-License-Identifier: Apache-2.0
"""The differences that two engines may have and still answer alike: ids, times, sizes of a machine, and the texts that
changed between Docker 20.10, which is asked, and 28, whose texts csbx has."""
import base64
import binascii
import itertools
import json
import re

from apiwire import lookup

HEX = re.compile(r"\b(?:[0-9a-f]{64}|[0-9a-f]{12})\b")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")
ZERO = "0001-01-01T00:00:00Z"
DAEMON = re.compile(r"/tmp/csbx-dk\.\w+/")  # where the daemon that is asked keeps its things
AGO = re.compile(r"\b(?:Less than a second|About an? \w+|\d+ \w+)(?= ago| \(|$)")
# Texts of 20.10 and of 28 in one form.
MESSAGES = [(re.compile(p), r) for p, r in (
    (r"\b[Cc]ontainer (\S+) is not (running|paused)", r"container \1 is not \2"),
    (r"\b[Cc]ontainer (\S+) is already paused", r"container \1 is already paused"),
    (r"\b[Cc]ontainer \S+ is paused, unpause", "container is paused, unpause"),
    (r"^(?:Error: )?No such container: ", "No such container: "),
    (r"^[Cc]annot kill container: \S+: (?=No such|[Ii]nvalid)", ""),
    (r"\b[Cc]annot kill container: ", "cannot kill container: "),
    (r"^(?:no such image: \S+: )?No such image: ", "No such image: "),
    (r"^[Ii]nvalid signal: ", "invalid signal: "),
    (r"^[Rr]ange of CPUs", "range of CPUs"),
    (r"^[Ii]nvalid filter ", "invalid filter "),
    (r"repository name must be lowercase", "repository name (library/Nope) must be lowercase"),
    (r"Invalid container name \(/", "Invalid container name ("),
    (r"^You cannot remove a running container .*", "cannot remove: container is running"),
    (r"^cannot remove container \S+: container is running: .*", "cannot remove: container is running"),
    (r"^You cannot remove a paused container .*", "cannot remove: container is paused"),
    (r"^cannot remove container \S+: container is paused .*", "cannot remove: container is paused"),
    (r"(?:container_linux\.go:\d+: )?(?:starting container process caused|unable to start container process)"
     r"(?:: error during container init)?: ", "unable to start container process: "),
    (r"failed to create (?:shim task|shim|task for container)(?:: failed to create (?:shim task|shim))*: ",
     "failed to create task: "),
    (r"\s+$", ""),
)]


def plain_times(text):
    return TIME.sub(lambda m: m[0] if m[0] == ZERO else "<TIME>", text)


def message(text):
    for pattern, to in MESSAGES:
        text = pattern.sub(to, text)
    return text


def stat_header(coded):
    try:
        return {**json.loads(base64.b64decode(coded)), "mtime": "<TIME>"}
    except (binascii.Error, ValueError):
        return coded


def ids(text):
    """Names stand for containers in paths; of an id it matters only that it is one, and how long."""
    return HEX.sub(lambda m: "<ID>" if len(m[0]) == 64 else "<ID short>", text)


def mounts(value):
    """Docker tells the mounts of a container in another order each time."""
    return sorted(value, key=lambda m: m["Destination"]) if all("Destination" in m for m in value) else value


def images(value):
    """Docker tells images that were made in the same second in another order each time."""
    if not value or not all(isinstance(v, dict) and "RepoTags" in v and "Created" in v for v in value):
        return value
    return [v for _, same in itertools.groupby(value, key=lambda v: v["Created"]) for v in sorted(same, key=lambda v: str(v["RepoTags"]))]


def plain(value):
    """The same value without what is of one run."""
    if isinstance(value, dict):
        found = {ids(k): plain(v) for k, v in value.items()}
        if isinstance(found.get("Mounts"), list):
            found["Mounts"] = mounts(found["Mounts"])
        if isinstance(found.get("message"), str) and len(found) == 1:
            found["message"] = message(found["message"])
        return found
    if isinstance(value, list):
        return images([plain(v) for v in value])
    if isinstance(value, str):
        return AGO.sub("<SPAN>", plain_times(DAEMON.sub("<DAEMON>/", ids(value))))
    return value


def answers(found):
    """All answers of one row, as they are compared and recorded."""
    result = []
    for status, headers, body in found:
        headers = dict(headers)
        if (name := "x-docker-container-path-stat") in headers:
            headers[name] = stat_header(headers[name])
        result.append([status, plain(headers), plain(body)])
    return result


def shape(value):
    """Members and types; a list by its first element."""
    if isinstance(value, dict):
        return {k: shape(v) for k, v in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__


NOTHING = ("NoneType", [], {})  # what a client of 28 gets as null a client of 20.10 may get as empty


def missing(want, got, at=""):
    """Members that Docker's answer has and the other has not, or with another type."""
    if isinstance(want, dict) and isinstance(got, dict):
        return [x for k in want for x in (missing(want[k], got[k], f"{at}.{k}") if k in got else [f"{at}.{k} is missing"])]
    if isinstance(want, list) and isinstance(got, list):
        return missing(want[0], got[0], f"{at}.0") if want and got else []
    if want in NOTHING and got in NOTHING:
        return []
    return [] if want == got else [f"{at} is {got!r:.60}, and not {want!r:.60}"]


def sorted_list(value):
    return sorted(value, key=lambda v: json.dumps(v, sort_keys=True)) if isinstance(value, list) else value


def merged(body):
    """Frames of each stream in one piece: which of two streams comes first is chance."""
    if "frames" not in body:
        return body
    found = {}
    for stream, text in body["frames"]:
        found[stream] = found.get(stream, "") + text
    return {"frames": sorted([s, t] for s, t in found.items())}


def differences(step, want, got):
    """Lines; empty: the same. want and got: [status, headers, body]."""
    if "differs" in step:
        status, text = step["want"]
        body = json.dumps(got[2])
        bad = [] if got[0] == status else [f"status {got[0]}, and not {status}: {body[:300]}"]
        return bad + ([] if text in body else [f"{text!r} is not in {body[:300]}"])
    want = [want[0], plain(want[1]), plain(want[2])]  # what was recorded, by the rules of today
    if want[0] != got[0]:
        return [f"status {got[0]} {json.dumps(got[2])[:300]}\n   Docker: {want[0]} {json.dumps(want[2])[:300]}"]
    bad = [f"header {k}: {got[1].get(k)!r}, and not {v!r}" for k, v in want[1].items() if got[1].get(k) != v]
    theirs, ours = want[2], got[2]
    if step.get("merge", True):
        theirs, ours = merged(theirs), merged(ours)
    if "pick" in step:
        theirs, ours = ({p: lookup(x.get("json"), p) for p in step["pick"]} for x in (theirs, ours))
    if step.get("sort"):
        theirs, ours = ({k: sorted_list(v) for k, v in x.items()} for x in (theirs, ours))
    if step.get("shape"):
        return bad + [m for m in missing(shape(theirs), shape(ours)) if not any(f".{k} is " in m or f".{k}." in m for k in step.get("without", ()))]
    if theirs != ours:
        bad += missing(theirs, ours) if step.get("pick") else [
            f"body {json.dumps(ours, sort_keys=True)[:1500]}\n   Docker: {json.dumps(theirs, sort_keys=True)[:1500]}"]
    return bad
