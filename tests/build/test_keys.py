# SPDX-License-Identifier: Apache-2.0
"""What makes a step, or an image, another one than a step that is known: two Dockerfiles that do different things have
no step and no image in common, however their words are cut."""
import json
import subprocess

import pytest


def build(box, dockerfile, name="made", *args):
    (box.context.parent / name).write_text(dockerfile)
    return box.ok("docker", "build", "-t", name, "-f", str(box.context.parent / name), *args, str(box.context))


SHOW = 'RUN echo "a=$A b=$B" >/o\n'

STEPS = {
    "env": ('ENV A="1 B=2"\n' + SHOW, "ENV A=1 B=2\n" + SHOW),
    "arg": ('ARG A="1 B=2"\nARG B=3\n' + SHOW, 'ARG A=1\nARG B="2 B=3"\n' + SHOW),
    "argv": ('RUN ["sh", "-c", "echo $1 >/o", "x", "a\\u0002b"]\n', 'RUN ["sh", "-c", "echo $1 >/o", "x", "a", "b"]\n'),
    "heredocs": ("COPY <<a /o/\nt\n\3b\3u\na\n", "COPY <<a <<b /o/\nt\na\nu\nb\n"),
    "shell": ('SHELL ["sh", "-c echo $0 >/o;"]\nCMD a\n', 'SHELL ["sh", "-c", "echo $0 >/o;"]\nCMD a\n'),
    "one_file": ("COPY d /o\n", "COPY d/in /o\n"),
    "archive": ("ADD d /o/\n", "ADD d/in.tar /o/\n"),
}


@pytest.mark.parametrize("which", STEPS)
def test_other_words_are_another_step(box, which):
    """Cut in another place, the words are others, though they are the same when they are joined."""
    (box.context / "d").mkdir()
    if which == "archive":
        subprocess.run(["tar", "-C", "/etc", "-cf", box.context / "d/in.tar", "passwd"], check=True)
    else:
        (box.context / "d/in").write_text("in\n")
    found = []
    for order in STEPS[which], STEPS[which][::-1]:
        told = []
        for body in order:
            build(box, "FROM box\n" + body)
            told.append((box.ok("docker", "run", "--rm", "made", "sh", "-c", "ls -R /o; cat /o /o/*"
                                " 2>/dev/null; true"),
                         json.loads(box.ok("docker", "image", "inspect", "made"))[0]["Config"]))
        found.append(told)
        box.ok("docker", "rmi", "made")
        box.ok("docker", "builder", "prune", "-af")
    assert found[0] == found[1][::-1]
    assert found[0][0] != found[0][1]


def test_a_mode_by_a_variable_is_another_step(box):
    (box.context / "in").write_text("in\n")
    for mode in "600", "644":
        build(box, "FROM box\nARG M\nCOPY --chmod=$M in /o\n", "made", "--build-arg", "M=" + mode)
        assert box.ok("docker", "run", "--rm", "made", "stat", "-c", "%a", "/o") == mode + "\n"


CONFIGS = {
    "health": ("HEALTHCHECK --interval=1s CMD true\n", "HEALTHCHECK --interval=9s CMD true\n"),
    "cmd": ('CMD ["a\\" \\"b"]\n', 'CMD ["a", "b"]\n'),
    "entrypoint": ('ENTRYPOINT ["a\\" \\"b"]\n', 'ENTRYPOINT ["a", "b"]\n'),
    "volume": ('VOLUME ["/a /b"]\n', "VOLUME /a /b\n"),
    "label": ('LABEL a="1 b=2"\n', "LABEL a=1 b=2\n"),
    "env": ('ENV a="1 b=2"\n', "ENV a=1 b=2\n"),
}


@pytest.mark.parametrize("which", CONFIGS)
def test_another_configuration_is_another_image(box, which):
    ids = [build(box, "FROM box\n" + body, "made", "-q") for body in CONFIGS[which]]
    assert ids[0] != ids[1]
    assert build(box, "FROM box\n" + CONFIGS[which][0], "made", "-q") == ids[0]


def test_a_label_of_the_command_line_is_no_instruction(box):
    first = build(box, "FROM box\nLABEL a=1\n", "made", "-q")
    assert build(box, "FROM box\n", "made", "-q", "--label", "LABEL a=1") != first
