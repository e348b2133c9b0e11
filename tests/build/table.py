# SPDX-License-Identifier: Apache-2.0
"""Dockerfiles that csbx and Docker's classic builder must agree on.

A row is a context, a Dockerfile, words of the command line and a script that is run in the image.
The test compares the exit code, the script's output, the image's configuration, its history and, where the row builds
twice, the steps that came from the cache. A row with `expect` is BuildKit's grammar, which the classic builder does not
know: its answer is written by hand.
"""
from dataclasses import dataclass, field

A = {"a": "one\n", "d/x": "x\n", "d/sub/y": "y\n"}


@dataclass
class Row:
    name: str
    dockerfile: str
    probe: str = ""
    files: dict = field(default_factory=lambda: dict(A))  # path: text, ("link", to), ("mode", 0o.., text)
    args: tuple = ()
    again: dict = None  # files that are changed before it is built again
    again_args: tuple = None
    expect: str = None  # output of the probe
    fails: str = None  # a part of what csbx says; the code is 1 on both sides
    only_csbx: bool = False
    owners: bool = False  # takes id ranges
    stdin: str = None


R = Row
ROWS = [
    # --- values
    R("env", "FROM box\nENV A=1 B=$A C='x y' D=\"q $A\" E=a\\ b\nENV F the  rest $B\nENV A=2 G=$A$A\n", "env | grep ^[A-G]= | sort"),
    R("env-operators", "FROM box\nENV A=1 E=\nENV B=${A:-x} C=${U:-x} D=${A:+y} F=${E:-z} G=${U:+n} H=${A}b I=$AB\n",
      "env | grep ^[A-I]= | sort"),
    R("env-escaped", "FROM box\nENV A=1\nENV B=\\$A C='$A' D=\"\\$A\" E=\\\\x\n", "env | grep ^[A-E]= | sort"),
    R("arg-default", "FROM box\nARG V=1\nARG W=$V-2\nRUN echo $V $W >/o\n", "cat /o; echo [$V]"),
    R("arg-given", "FROM box\nARG V=1\nRUN echo $V >/o\n", "cat /o", args=("--build-arg", "V=7")),
    R("arg-none", "FROM box\nARG V\nRUN echo \"[$V]\" >/o\n", "cat /o"),
    R("arg-env-wins", "FROM box\nARG V=1\nENV V=2\nRUN echo $V >/o\n", "cat /o", args=("--build-arg", "V=7")),
    R("arg-before-from", "ARG I=box\nFROM $I\nRUN echo \"[$I]\" >/o\n", "cat /o"),
    R("arg-scope", "ARG V=g\nFROM box AS a\nARG V\nRUN echo $V >/o\nFROM box\nRUN echo \"[$V]\" >/p\nCOPY --from=a /o /o\n",
      "cat /o /p"),
    R("arg-proxy", "FROM box\nRUN echo $http_proxy >/o\n", "cat /o; echo [$http_proxy]", args=("--build-arg", "http_proxy=p:1")),
    # --- files that go again
    R("removed-of-a-new-directory", "FROM box\nRUN mkdir -p /d/e /k; touch /d/f /d/g /d/e/x /d/e/y /k/l\nRUN rm /d/f /d/e/x\nRUN rm -r /k\n",
      "ls -1 /d /d/e; find /d | sort; ls -d /k", again={}),
    # --- configuration
    R("config", "FROM box\nLABEL a=b \"c d\"=\"e f\"\nEXPOSE 80 90/udp\nVOLUME /v /w\nUSER app\nWORKDIR /w\nSTOPSIGNAL 9\n"
      "CMD [\"a\", \"b\"]\n"),
    R("cmd-shell", "FROM box\nCMD echo $X \"y\"\n"),
    R("entrypoint-resets-cmd", "FROM box\nCMD [\"a\"]\nENTRYPOINT [\"b\"]\n"),
    R("entrypoint-of-child", "FROM conf:1\nENTRYPOINT [\"b\"]\n"),
    R("config-of-base", "FROM conf:1\nENV N=1\nLABEL x=y\n"),
    R("cmd-none", "FROM conf:1\nCMD []\nENTRYPOINT []\n"),
    R("shell", "FROM box\nSHELL [\"/bin/sh\", \"-ec\"]\nRUN false; true\n", fails="exit code: 1"),
    R("shell-cmd", "FROM box\nSHELL [\"/bin/sh\", \"-ec\"]\nCMD a b\n"),
    R("health", "FROM box\nHEALTHCHECK --interval=5s --timeout=1m --retries=3 --start-period=2s CMD true x\n"),
    R("health-exec", "FROM box\nHEALTHCHECK CMD [\"a\", \"b\"]\n"),
    R("health-none", "FROM box\nHEALTHCHECK NONE\n"),
    R("onbuild", "FROM box\nONBUILD RUN echo x\nONBUILD COPY a /\n"),
    R("onbuild-runs", "FROM box AS base\nRUN true\nFROM trigger\nRUN cat /trig >/o\n", "cat /o"),
    R("label-flag", "FROM box\nLABEL a=1\n", args=("--label", "a=2", "--label", "z=y")),
    R("workdir", "FROM box\nWORKDIR /a\nWORKDIR b/../c\nWORKDIR .\nRUN pwd >/o\n", "cat /o; ls -d /a /a/c"),
    R("workdir-variable", "FROM box\nENV D=/x\nWORKDIR $D/y\n", "pwd"),
    R("maintainer", "FROM box\nMAINTAINER me <m@x>\n"),
    # --- RUN
    R("run-exec", "FROM box\nRUN [\"touch\", \"/a b\", \"$HOME\"]\n", "ls -d '/a b'; ls '/$HOME' 2>&1 | head -0"),
    R("run-files", "FROM box\nRUN mkdir -p /d/e; echo 1 >/d/f; ln -s f /d/l; ln /d/f /d/h; chmod 640 /d/f; mkfifo /d/p\n",
      "cd /d; ls -1; stat -c '%a %F %h' f l p; cat l h"),
    R("run-deletes", "FROM box\nRUN mkdir /d; touch /d/a /d/b /c\nRUN rm /d/a /c\nRUN rm -r /d; mkdir /d; touch /d/n\n", "ls /d; ls /c 2>&1"),
    R("run-root-mode", "FROM box\nRUN chmod 711 /; stat -c %a / >/o\nRUN stat -c %a / >>/o\n", "cat /o; stat -c %a /"),
    R("run-user", "FROM box\nRUN echo u:x:7:8::/h:/bin/sh >>/etc/passwd\nUSER u\nRUN id -u >/tmp/o; echo $HOME >>/tmp/o\n", "cat /tmp/o; id -u"),
    R("run-owners", "FROM box\nRUN touch /a; chown 5:6 /a\nUSER 7:8\nRUN touch /tmp/b\nUSER 0\nRUN stat -c '%u %g' /a /tmp/b >/o\n",
      "cat /o; stat -c '%u %g' /a /tmp/b", owners=True),
    R("run-fails", "FROM box\nRUN echo said; exit 7\n", fails="exit code: 7"),
    R("run-signal", "FROM box\nRUN kill -9 $$; sleep 5\n", fails="exit code: 137", only_csbx=True),
    R("run-not-found", "FROM box\nRUN nosuchthing\n", fails="exit code: 127"),
    R("run-exec-not-found", "FROM box\nRUN [\"/nosuchthing\"]\n", fails="/nosuchthing"),
    R("run-stdin-is-empty", "FROM box\nRUN cat >/o; echo end >>/o\n", "cat /o"),
    R("run-background", "FROM box\nRUN (sleep 0.1; echo late >/late) & echo now >/o\n", "cat /o; ls /late 2>&1"),
    R("run-etc-stays", "FROM box\nRUN cp /etc/resolv.conf /r; touch /etc/mine\n", "ls /etc/mine"),
    R("run-workdir-env", "FROM box\nWORKDIR /w\nENV A=b\nRUN echo $PWD $A $USER >o\n", "cat /w/o"),
    R("run-continued", "FROM box\nRUN echo a && \\\n# not this\n\n   echo b \\\n   >/o\n", "cat /o"),
    # --- COPY
    R("copy-file", "FROM box\nCOPY a /x\nCOPY a /y/\nCOPY a /z/n\nCOPY a /tmp\n", "cat /x /y/a /z/n /tmp/a"),
    R("copy-dir", "FROM box\nCOPY d /x\nCOPY d/ /y/\nCOPY . /z\n", "cd /; find x y z | sort"),
    R("copy-many", "FROM box\nCOPY a d/x /m/\n", "ls /m"),
    R("copy-many-no-slash", "FROM box\nCOPY a d/x /m\n", fails="must be a directory and end with a /"),
    R("copy-pattern", "FROM box\nCOPY d/* ?  /p/\n", "cd /p; find . | sort"),
    R("copy-pattern-none", "FROM box\nCOPY q* /p/\n", fails="not found"),
    R("copy-relative", "FROM box\nWORKDIR /w/v\nCOPY a .\nCOPY a ./n\nCOPY a ../up\n", "cd /w; find . | sort"),
    R("copy-over-file", "FROM box\nRUN echo old >/f; mkdir /g; echo keep >/g/k\nCOPY a /f\nCOPY d /g\n", "cat /f /g/k /g/x"),
    R("copy-over-link", "FROM box\nRUN mkdir /t; ln -s /t /l\nCOPY a /l/\n", "ls /t; test -L /l; echo $?"),
    R("copy-modes", "FROM box\nCOPY d /m\n", "cd /m; stat -c '%a %n' * | sort", files={
        "d/x": ("mode", 0o755, "x"), "d/y": ("mode", 0o640, "y"), "d/z": ("mode", 0o4755, "z"), "d/s/t": "t"}),
    R("copy-links", "FROM box\nCOPY d /m\n", "cd /m; ls; readlink l; readlink out", files={
        "d/x": "x", "d/l": ("link", "x"), "d/out": ("link", "/etc/passwd")}),
    R("copy-missing", "FROM box\nCOPY nope /x\n", fails="\"/nope\": not found"),
    R("copy-above", "FROM box\nCOPY ../../../../etc/hostname /x\n", fails="not found"),
    R("copy-through-link-out", "FROM box\nCOPY l/passwd /x\n", files={"l": ("link", "/etc")}, fails="not found"),
    R("copy-link-out", "FROM box\nCOPY l /x\n", files={"l": ("link", "/etc/passwd")}, fails="not found"),
    R("copy-fifo", "FROM box\nCOPY f /x\n", files={"f": ("fifo",)}, probe="stat -c %F /x", expect="fifo\n"),
    R("copy-chown", "FROM box\nCOPY --chown=7:9 d /k\nCOPY --chown=app a /l\n", "stat -c '%u %g' /k/x /l", owners=True),
    R("copy-empty-dir", "FROM box\nCOPY d /x\n", "ls -A /x | wc -l", files={"d": ("dir",)}),
    R("copy-spaces", "FROM box\nCOPY [\"a b\", \"/c d/\"]\n", "cat '/c d/a b'", files={"a b": "s\n"}),
    R("copy-variable", "FROM box\nENV S=a D=/t/\nCOPY $S ${D}\n", "cat /t/a"),
    R("copy-root", "FROM box\nCOPY d /\n", "cat /x /sub/y"),
    # --- stages
    R("stages", "FROM box AS a\nRUN echo 1 >/f; mkdir /g; echo 2 >/g/h\nFROM box\nCOPY --from=a /f /g /o/\nCOPY --from=0 /g /p\n", "cd /; find o p | sort; cat /o/f"),
    R("stage-from-stage", "FROM box AS a\nENV A=1\nRUN echo 1 >/f\nFROM a\nRUN echo $A >>/f\n", "cat /f"),
    R("stage-target", "FROM box AS a\nRUN echo a >/o\nFROM box AS b\nRUN false\n", "cat /o", args=("--target", "a")),
    R("stage-target-none", "FROM box\n", args=("--target", "q"), fails="target stage \"q\" could not be found"),
    R("stage-from-image", "FROM box\nCOPY --from=conf:1 /etc/os-release /o\n", "head -1 /o"),
    R("stage-missing-file", "FROM box AS a\nFROM box\nCOPY --from=a /nope /x\n", fails="\"/nope\": not found"),
    R("scratch", "FROM box AS a\nFROM scratch\nCOPY --from=a / /\nENV PATH=/bin\n", "ls -d /etc"),
    # --- ADD
    R("add-file", "FROM box\nADD a /x\nADD d /y\n", "cat /x /y/x"),
    R("add-archive", "FROM box\nADD t.tar /x\nADD t.tar /y/\nCOPY t.tar /z/\n", "cd /; find x y z | sort; cat /x/m", files={"t.tar": ("tar", {"m": "in\n", "n/o": "p\n"})}),
    R("add-archive-gz", "FROM box\nADD t.tgz /x/\n", "cat /x/m", files={"t.tgz": ("tgz", {"m": "in\n"})}),
    R("add-no-archive", "FROM box\nADD t.tar /x/\n", "cat /x/t.tar", files={"t.tar": "not one\n"}),
    R("add-url", "FROM box\nADD http://127.0.0.1:9/x /x\n", fails="127.0.0.1:9"),
    # --- .dockerignore
    R("ignore", "FROM box\nCOPY . /c\n", "cd /c; find . | sort", files={
        ".dockerignore": "*.log\n!keep.log\n**/*.o\nout\n# c\n", "x.log": "", "keep.log": "", "p/q.o": "", "p/r": "", "out/s": ""}),
    R("ignore-named", "FROM box\nCOPY x.log /c\n", fails="not found", files={".dockerignore": "*.log\n", "x.log": ""}),
    R("ignore-taken-back", "FROM box\nCOPY . /c\n", "cd /c; find . -type f | sort", files={
        ".dockerignore": "*\n!p/r\n", "p/q": "", "p/r": "", "z": ""}),
    R("ignore-dockerfile", "FROM box\nCOPY . /c\n", "cd /c; ls -A", files={".dockerignore": "Dockerfile\n.dockerignore\n", "z": ""}),
    # --- what is wrong
    R("unknown-instruction", "FROM box\nFOO x\n", fails="dockerfile parse error on line 2: unknown instruction: FOO"),
    R("no-from", "RUN x\n", fails="no build stage in current context"),
    R("empty", "# nothing\n", fails="file with no instructions"),
    R("bad-flag", "FROM box\nCOPY --foo=1 a /x\n", fails="unknown flag: --foo"),
    R("bad-env", "FROM box\nENV A\n", fails="ENV must have two arguments"),
    R("bad-substitution", "FROM box\nENV A=${\n", fails="failed to process"),
    R("bad-stage-name", "FROM box AS 1x\n", fails="invalid name for build stage"),
    R("bad-expose", "FROM box\nEXPOSE http\n", fails="invalid containerPort"),
    R("bad-user", "FROM box\nUSER nosuch\nRUN true\n", fails="nosuch"),
    R("base-missing", "FROM localhost:1/nosuch:1\n", fails="localhost:1/nosuch:1"),
    R("json-with-number", "FROM box\nCMD [\"a\", 1]\n", fails="arrays must be comprised of strings only"),
    # --- the cache
    R("cache-same", "FROM box\nRUN echo 1 >/a\nCOPY a /b\nWORKDIR /w\nRUN echo 2 >/c\n", again={}),
    R("cache-content", "FROM box\nRUN echo 1 >/a\nCOPY a /b\nRUN echo 2 >/c\n", again={"a": "two\n"}),
    R("cache-other-file", "FROM box\nCOPY a /b\nRUN echo 2 >/c\n", again={"d/x": "other\n"}),
    R("cache-mode", "FROM box\nCOPY a /b\nRUN true\n", again={"a": ("mode", 0o755, "one\n")}),
    R("cache-mtime", "FROM box\nCOPY a /b\nRUN true\n", again={"a": ("touch",)}),
    R("cache-arg", "FROM box\nARG V=1\nCOPY a /b\nRUN true\n", args=("--build-arg", "V=1"), again={}, again_args=("--build-arg", "V=2")),
    R("cache-arg-before", "FROM box\nRUN echo 1\nARG V\nRUN echo 2\n", args=("--build-arg", "V=1"), again={}, again_args=("--build-arg", "V=2")),
    R("cache-proxy", "FROM box\nRUN true\n", args=("--build-arg", "http_proxy=a"), again={}, again_args=("--build-arg", "http_proxy=b")),
    R("cache-env", "FROM box\nENV A=1\nRUN true\n", again={"Dockerfile": "FROM box\nENV A=2\nRUN true\n"}),
    R("cache-no", "FROM box\nRUN true\nCOPY a /b\n", again={}, again_args=("--no-cache",)),
    R("cache-new-step", "FROM box\nRUN true\nRUN echo x\n", again={"Dockerfile": "FROM box\nRUN true\nRUN echo y\nRUN echo x\n"}),
    # --- more of the same, as people write it
    R("arg-many", "FROM box\nARG A=1 B=2\nRUN echo $A$B >/o\n", "cat /o"),
    R("arg-global-default", "ARG V=1\nFROM box\nARG V\nRUN echo $V >/o\n", "cat /o"),
    R("arg-global-given", "ARG V=1\nFROM box\nARG V\nRUN echo $V >/o\n", "cat /o", args=("--build-arg", "V=2")),
    R("arg-in-words", "FROM box\nARG D=/w\nARG L=x\nWORKDIR $D\nLABEL l=$L\nCOPY a ${D}/$L\nEXPOSE ${P:-90}\n", "cat /w/x"),
    R("arg-after-use", "FROM box\nRUN echo [$V] >/o\nARG V=1\nRUN echo [$V] >>/o\n", "cat /o"),
    R("env-of-stage", "FROM box AS a\nENV A=1\nFROM a AS b\nENV B=$A\nFROM b\n", "env | grep ^[AB]="),
    R("env-quoted", "FROM box\nENV A=\"a b\" B='c d' C=e\\ f\nENV D \"kept\" quotes\n", "env | grep ^[A-D]= | sort"),
    R("env-continued", "FROM box\nENV A=1 \\\n    B=2 \\\n    C=3\n", "env | grep ^[A-C]= | sort"),
    R("label-continued", "FROM box\nLABEL a=1 \\\n  b=\"2 3\"\nLABEL a=4\n"),
    R("lower-case", "from box\nenv A=1\nrun echo $A >/o\ncmd [\"x\"]\n", "cat /o"),
    R("escape-directive", "# escape=`\nFROM box\nRUN echo a `\n  b >/o\nENV P=c:\\d\n", "cat /o; echo $P"),
    R("comments", "# one\nFROM box\n  # two\nRUN echo a \\\n# three\n  b >/o\n\n\n# four\n", "cat /o"),
    R("crlf", "FROM box\r\nENV A=1\r\nRUN echo $A >/o\r\n", "cat /o"),
    R("volume-json", "FROM box\nVOLUME [\"/a\", \"/b c\"]\n"),
    R("stop-signal", "FROM box\nSTOPSIGNAL SIGUSR1\n"),
    R("entrypoint-shell", "FROM conf:1\nENTRYPOINT echo $HOME\n"),
    R("user-of-base", "FROM conf:1\nUSER root\nRUN id -u >/tmp/o\n", "cat /tmp/o"),
    R("user-and-group", "FROM box\nUSER 1000:50\nRUN id -u >/tmp/o; id -g >>/tmp/o\n", "cat /tmp/o", owners=True),
    R("run-cd-is-lost", "FROM box\nRUN cd /tmp\nRUN pwd >/o\n", "cat /o"),
    R("run-pipe", "FROM box\nRUN false | true\nRUN echo 'a  b' \"$HOME\" | cat >/o\n", "cat /o"),
    R("run-replaces-dir", "FROM box\nRUN mkdir /d; touch /d/a\nRUN rm -r /d; echo f >/d\nRUN rm /d; mkdir /d; touch /d/b\n", "ls /d"),
    R("run-renames", "FROM box\nRUN mkdir -p /d/e; echo 1 >/d/e/f\nRUN mv /d/e /d/g; mv /d /h\n", "cat /h/g/f; ls /d 2>&1"),
    R("run-over-link", "FROM box\nRUN mkdir /t; ln -s /t /l\nRUN echo x >/l/y; rm /l; echo z >/l\n", "cat /t/y /l"),
    R("workdir-over-link", "FROM box\nRUN mkdir /t; ln -s t /l\nWORKDIR /l/x\nRUN touch y\n", "ls /t/x; test -L /l; echo $?"),
    R("workdir-slash", "FROM box\nWORKDIR /a\nWORKDIR ../b/./c/\n", "pwd"),
    R("copy-dotfiles", "FROM box\nCOPY . /c/\n", "cd /c; find . -name '.*' -type f | sort", files={".x": "", "d/.y": "", "z": ""}),
    R("copy-question", "FROM box\nCOPY a? /p/\n", "ls /p", files={"a": "", "a1": "", "a2": "", "b1": ""}),
    R("copy-set", "FROM box\nCOPY [ab]1 /p/\n", "ls /p", files={"a1": "", "b1": "", "c1": ""}),
    R("copy-into-directory", "FROM box\nRUN mkdir /f\nCOPY a /f\n", "cat /f/a"),
    R("copy-relative-stage", "FROM box AS a\nRUN mkdir /g; echo h >/g/h\nFROM box\nCOPY --from=a g/h /x\n", "cat /x"),
    R("copy-pattern-of-stage", "FROM box AS a\nRUN mkdir /g; touch /g/a1 /g/a2 /g/b\nFROM box\nCOPY --from=a /g/a* /x/\n", "ls /x"),
    R("copy-whole-link-stage", "FROM box AS a\nRUN mkdir /g; echo h >/g/h; ln -s h /g/l\nFROM box\nCOPY --from=a /g /x\n", "readlink /x/l; cat /x/l"),
    R("stage-name-case", "FROM box AS Base\nRUN echo 1 >/f\nFROM base\n", "cat /f"),
    R("stage-of-number", "FROM box\nRUN echo 1 >/f\nFROM box\nRUN echo 2 >/f\nFROM box\nCOPY --from=0 /f /a\nCOPY --from=1 /f /b\n", "cat /a /b"),
    R("ignore-directory", "FROM box\nCOPY . /c\n", "cd /c; find . -type f | sort", files={
        ".dockerignore": "out/\n/top\nd/*\n!d/keep\n", "out/s": "", "top": "", "n/top": "", "d/keep": "", "d/lose": ""}),
    R("ignore-stars", "FROM box\nCOPY . /c\n", "cd /c; find . -type f | sort", files={
        ".dockerignore": "**/tmp\n*/x?\n", "tmp": "", "p/q/tmp": "", "p/x1": "", "p/q/x1": "", "y": ""}),
    R("cache-add", "FROM box\nADD t.tar /x\nRUN true\n", files={"t.tar": ("tar", {"m": "1\n"})}, again={"t.tar": ("tar", {"m": "2\n"})}),
    R("cache-label", "FROM box\nLABEL a=1\nRUN true\n", again={"Dockerfile": "FROM box\nLABEL a=2\nRUN true\n"}),
    R("cache-link", "FROM box\nCOPY l /b\n", files={"d/a": "", "d/b": "", "l": ("link", "d")}, again={"d/a": "changed"}),
    R("cache-workdir", "FROM box\nWORKDIR /a\nRUN true\n", again={"Dockerfile": "FROM box\nWORKDIR /b\nRUN true\n"}),
    R("cache-ignored-file", "FROM box\nCOPY . /c\nRUN true\n", files={"a": "1", ".dockerignore": "n\n", "n": "1"}, again={"n": "2"}),
    R("bad-copy-one", "FROM box\nCOPY a\n", fails="COPY requires at least two arguments, but only one was provided"),
    R("bad-workdir", "FROM box\nWORKDIR\n", fails="WORKDIR requires exactly one argument"),
    R("bad-from", "FROM box as\n", fails="FROM requires either one or three arguments"),
    R("bad-shell", "FROM box\nSHELL /bin/sh\n", fails="SHELL requires the arguments to be in JSON form"),
    R("bad-onbuild", "FROM box\nONBUILD ONBUILD RUN x\n", fails="Chaining ONBUILD via `ONBUILD ONBUILD` isn't allowed"),
    R("bad-onbuild-from", "FROM box\nONBUILD FROM box\n", fails="FROM isn't allowed as an ONBUILD trigger"),
    R("bad-health", "FROM box\nHEALTHCHECK FOO\n", fails="Unknown type"),
    R("bad-label", "FROM box\nLABEL a\n", fails="LABEL must have two arguments"),
    R("bad-entry-json", "FROM box\nCOPY --from=nosuch-image:1 /a /b\n", fails="nosuch-image:1"),
    # --- the command line
    R("file-from-stdin", "FROM box\nRUN false\n", "cat /o", args=("-f", "-"), stdin="FROM box\nCOPY a /o\n"),
    R("file-named", "FROM box\nRUN false\n", "cat /o", args=("-f", "ctx/other"), files={"other": "FROM box\nRUN echo other >/o\n"}),
    R("pull-and-cache-from", "FROM box\nRUN echo x >/o\n", "cat /o", args=("--cache-from", "box", "--rm", "--force-rm")),
    R("shm-size", "FROM box\nRUN df -k /dev/shm | tail -1 | awk '{print $2}' >/o\n", "cat /o", args=("--shm-size", "8m")),
    R("ulimit", "FROM box\nRUN ulimit -n >/o\n", "cat /o", args=("--ulimit", "nofile=123:123")),
    R("network-of-build", "FROM box\nRUN ls /sys/class/net | tr '\\n' ' ' >/o\n", "cat /o", args=("--network", "none")),
    # --- BuildKit's grammar
    R("ignore-of-dockerfile", "FROM box\nCOPY . /c\n", "cd /c; find . -type f | sort", args=("-f", "ctx/D"), expect="./D\n./a\n./b\n", files={
        "D": "FROM box\nCOPY ? /c/\n", "D.dockerignore": "c*\n", ".dockerignore": "a*\n", "a": "", "b": "", "c": ""}),
    R("mount-cache-id", "FROM box\nRUN --mount=type=cache,id=n,target=/c echo 1 >/c/f\nRUN --mount=type=cache,id=n,target=/d,sharing=locked cat /d/f >/o\n"
      "RUN --mount=type=cache,id=m,target=/c ls /c >>/o\n", "cat /o", expect="1\n"),
    R("mount-cache-readonly", "FROM box\nRUN --mount=type=cache,target=/q,ro touch /q/x 2>/dev/null || echo ro >/o\n", "cat /o", expect="ro\n"),
    R("mount-secret-target", "FROM box\nRUN --mount=type=secret,id=s,target=/s cat /s >/o\n", "cat /o; ls /s 2>&1 | wc -l", args=("--secret", "id=s,src=ctx/a"),
      expect="one\n1\n"),
    R("mount-secret-none", "FROM box\nRUN --mount=type=secret,id=s ls /run/secrets/s 2>/dev/null || echo none >/o\n", "cat /o", expect="none\n"),
    R("mount-bind-source", "FROM box\nRUN --mount=type=bind,source=d,target=/m cat /m/x /m/sub/y >/o\n", "cat /o", expect="x\ny\n"),
    R("mount-ssh", "FROM box\nRUN --mount=type=ssh true\n", fails="ssh is not done by csbx", only_csbx=True),
    R("mount-rw", "FROM box\nRUN --mount=target=/m,rw echo 2 >/m/a; touch /m/n; cat /m/a >/o\nRUN --mount=target=/m cat /m/a >>/o; ls /m | grep -c n >>/o; true\n",
      "cat /o", expect="2\none\n0\n", files={"a": "one\n", "D": ""}),
    R("mount-bind-file", "FROM box\nRUN --mount=source=a,target=/new/f cat /new/f >/o\n", "cat /o; ls -d /new 2>&1", expect="one\nls: /new: No such file or directory\n"),
    R("mount-target-stays", "FROM box\nRUN mkdir -m 700 /had\nRUN --mount=target=/had/m --mount=type=cache,target=/made/c touch /had/k\n",
      "stat -c %a /had; ls /had; ls -d /made 2>&1", expect="700\nk\nls: /made: No such file or directory\n"),
    R("mount-bind-ignored", "FROM box\nRUN --mount=target=/m cd /m; find . -type f | sort >/o\n", "cat /o", expect="./Dockerfile\n./a\n", files={
        ".dockerignore": "*.log\nd/\n.d*\n", "a": "", "x.log": "", "d/y": ""}),
    R("mount-bind-stage", "FROM box AS a\nRUN mkdir -p /g/h; echo 1 >/g/f; echo 2 >/g/h/f; chmod 640 /g/f; ln -s f /g/l\nFROM box\n"
      "RUN --mount=from=a,source=/g,target=/m cat /m/f /m/h/f /m/l >/o; stat -c %a /m/f >>/o; touch /m/x 2>/dev/null || echo ro >>/o\n", "cat /o",
      expect="1\n2\n1\n640\nro\n"),
    R("mount-bind-stage-owner", "FROM box AS a\nRUN echo 1 >/f; chown 5:6 /f\nFROM box\nRUN --mount=from=a,target=/m stat -c '%u %g' /m/f >/o\n", "cat /o",
      expect="5 6\n", owners=True),
    R("mount-bind-stage-file", "FROM box AS a\nRUN printf '#!/bin/sh\\necho tool' >/t; chmod 755 /t\nFROM box\nRUN --mount=type=bind,from=a,source=/t,target=/bin/tool tool >/o\n",
      "cat /o; ls /bin/tool 2>&1", expect="tool\nls: /bin/tool: No such file or directory\n"),
    R("mount-bind-stage-rw", "FROM box AS a\nRUN mkdir /g; echo 1 >/g/f\nFROM box\nRUN --mount=from=a,source=g,target=/m,rw echo 2 >>/m/f; cat /m/f >/o\n"
      "COPY --from=a /g/f /p\n", "cat /o /p", expect="1\n2\n1\n"),
    R("mount-bind-image", "FROM box\nRUN --mount=from=conf:1,source=/etc,target=/m head -1 /m/os-release | cut -d= -f1 >/o\n", "cat /o; cat /etc/os-release | head -1 | cut -d= -f1",
      only_csbx=True),
    R("mount-bind-missing", "FROM box AS a\nFROM box\nRUN --mount=from=a,source=/nope,target=/m true\n", fails="\"/nope\": not found", only_csbx=True),
    R("mount-from-tmpfs", "FROM box\nRUN --mount=type=tmpfs,from=a,target=/m true\n", fails="from is for bind and cache", only_csbx=True),
    R("mount-cache-from", "FROM box AS a\nRUN mkdir -p /g/h; echo 1 >/g/f; echo 2 >/g/h/f\nFROM box\n"
      "RUN --mount=type=cache,id=cf,from=a,source=/g,target=/m cat /m/f >/o; echo 3 >/m/f\n"
      "RUN --mount=type=cache,id=cf,from=a,source=/g,target=/m cat /m/f /m/h/f >>/o\nRUN --mount=type=cache,id=cf,target=/m ls /m >>/o\n", "cat /o",
      expect="1\n3\n2\n"),
    R("mount-cache-mode", "FROM box\nRUN --mount=type=cache,id=cm,mode=0710,target=/m stat -c %a /m >/o\n", "cat /o", expect="710\n"),
    R("mount-cache-owner", "FROM box\nRUN --mount=type=cache,id=co,uid=7,gid=8,target=/m stat -c '%u %g %a' /m >/o\n", "cat /o", expect="7 8 755\n", owners=True),
    R("mount-cache-file", "FROM box AS a\nFROM box\nRUN --mount=type=cache,from=a,source=/etc/passwd,target=/m true\n", fails="source of a cache is a directory",
      only_csbx=True),
    R("run-insecure", "FROM box\nRUN --security=insecure true\n", fails="--security=insecure is not done", only_csbx=True),
    R("copy-link", "FROM box\nCOPY --link a /x/y\nCOPY --link --chmod=600 d /z\n", "cat /x/y; stat -c %a /z/x", expect="one\n600\n"),
    R("copy-exclude-stage", "FROM box AS a\nRUN mkdir /g; touch /g/a.o /g/b\nFROM box\nCOPY --from=a --exclude=*.o /g /x\n", "ls /x", expect="b\n"),
    R("copy-parents-many", "FROM box\nCOPY --parents d/x d/sub/y /c/\n", "cd /c; find . -type f | sort", expect="./d/sub/y\n./d/x\n"),
    R("add-git", "FROM box\nADD git@localhost:x.git /x\n", fails="git repositories are not fetched", only_csbx=True),
    R("add-unpack-not", "FROM box\nADD --unpack=false t.tar /x/\n", "ls /x", files={"t.tar": ("tar", {"m": "in\n"})}, expect="t.tar\n"),
    R("heredoc-dash", "FROM box\nRUN <<-EOF\n\techo a >/o\n\tEOF\n", "cat /o", expect="a\n"),
    R("heredoc-two-files", "FROM box\nCOPY <<a <<b /h/\n1\na\n2\nb\n", "cat /h/a /h/b", expect="1\n2\n"),
    R("heredoc-and-file", "FROM box\nCOPY a <<n /h/\nnew\nn\n", "cat /h/a /h/n", expect="one\nnew\n"),
    R("heredoc-python", "FROM box\nRUN sh <<EOF\necho $((1+1)) >/o\nEOF\n", "cat /o", expect="2\n"),
    R("heredoc-cached", "FROM box\nRUN <<EOF\necho 1 >/o\nEOF\n", "cat /o", expect="1\n"),
    R("heredoc-shebang", "FROM box\nRUN <<EOF\n#!/bin/sh -e\necho $0 $X >/o\nX='a b'; echo $X >>/o\nEOF\n", "cat /o; ls /dev/pipes 2>&1", expect="/dev/pipes/EOF\na b\nls: /dev/pipes: No such file or directory\n"),
    R("heredoc-shebang-fails", "FROM box\nRUN <<-EOF\n\t#!/bin/sh -e\n\tfalse\n\ttouch /x\n\tEOF\n", fails="exit code: 1", only_csbx=True),
    R("heredoc-shebang-none", "FROM box\nRUN <<EOF\n#!/nosuch\nEOF\n", fails="/dev/pipes/EOF", only_csbx=True),
    R("mount-secret-env", "FROM box\nRUN --mount=type=secret,id=s,env=S echo $S >/o; ls /run/secrets 2>/dev/null | wc -l >>/o\n", "cat /o; echo [$S]", args=("--secret", "id=s,src=ctx/a"),
      expect="one\n0\n[]\n"),
    R("mount-secret-env-and-file", "FROM box\nRUN --mount=type=secret,id=s,env=S,target=/f cat /f >/o; echo $S >>/o\n", "cat /o", args=("--secret", "type=file,id=s,src=ctx/a"),
      expect="one\none\n"),
    R("mount-secret-of-variable", "FROM box\nRUN --mount=type=secret,id=PATH cat /run/secrets/PATH | grep -c / >/o; stat -c %a /run/secrets/PATH >>/o\n"
      "RUN --mount=type=secret,id=p grep -c / /run/secrets/p >>/o\n", "cat /o", args=("--secret", "id=PATH", "--secret", "id=p,env=PATH"), expect="1\n400\n1\n"),
    R("mount-secret-mode", "FROM box\nRUN --mount=type=secret,id=s,mode=0644,target=/f stat -c %a /f >/o\n", "cat /o", args=("--secret", "id=s,src=ctx/a"), expect="644\n"),
    R("mount-secret-owner", "FROM box\nUSER 7:8\nRUN --mount=type=secret,id=s,uid=7,gid=8,target=/tmp/f stat -c '%u %g %a' /tmp/f >/tmp/o; cat /tmp/f >>/tmp/o\n", "cat /tmp/o",
      args=("--secret", "id=s,src=ctx/a"), expect="7 8 400\none\n", owners=True),
    R("mount-secret-unset", "FROM box\nRUN --mount=type=secret,id=s true\n", args=("--secret", "id=s,env=CSBX_NOT_SET"), fails="is not set", only_csbx=True),
    R("arg-of-platform", "FROM box\nARG TARGETOS\nRUN echo $TARGETOS >/o\n", "cat /o", expect="linux\n"),
    R("required-variable", "FROM box\nARG V\nENV A=${V:?is missing}\n", fails="is missing", only_csbx=True),
    R("stage-from-itself", "FROM box AS a\nCOPY --from=a /x /y\n", fails="a", only_csbx=True),
    R("nul-in-file", "FROM box\nRUN echo a\0b\n", fails="NUL", only_csbx=True),
    R("long-line", "FROM box\nRUN echo " + "x" * 70000 + "\n", fails="dockerfile", only_csbx=True),
    R("many-stages", "".join(f"FROM box AS s{n}\nRUN echo {n} >/f{n}\n" for n in range(20)) + "FROM box\nCOPY --from=s7 /f7 /x\n", "cat /x", expect="7\n"),
    R("deep-expansion", "FROM box\nENV A=" + "${B:-" * 200 + "x" + "}" * 200 + "\n", fails="failed to process", only_csbx=True),
    R("no-space-in-flag", "FROM box\nCOPY --from= a /x\n", fails="invalid reference format", only_csbx=True),
    R("run-hosts", "FROM box\nRUN echo 9.9.9.9 mine >>/etc/hosts; grep mine /etc/hosts >/o\nRUN grep -c mine /etc/hosts >>/o; true\n", "cat /o",
      expect="9.9.9.9 mine\n0\n"),
    R("heredoc-run", "FROM box\nRUN <<EOF\necho a >/o\nX=1; echo $X >>/o\nEOF\n", "cat /o", expect="a\n1\n"),
    R("heredoc-run-command", "FROM box\nRUN cat <<A >/o && cat <<'B' >>/o\nx $HOME\nA\ny $HOME\nB\n", "cat /o", expect="x /root\ny $HOME\n"),
    R("heredoc-run-fails", "FROM box\nRUN <<EOF\nfalse\nexit 3\nEOF\n", fails="exit code: 3", only_csbx=True),
    R("heredoc-copy", "FROM box\nENV V=1\nCOPY <<A <<'B' /d/\n$V\nA\n$V\nB\nCOPY <<-E /one\n\tt\n\tE\n", "cat /d/A /d/B /one", expect="1\n$V\nt\n"),
    R("heredoc-open", "FROM box\nRUN <<EOF\nx\n", fails="unterminated heredoc", only_csbx=True),
    R("mount-cache", "FROM box\nRUN --mount=type=cache,target=/c echo 1 >>/c/f\nRUN --mount=type=cache,target=/c cat /c/f >/o\n", "cat /o; ls /c", expect="1\n"),
    R("mount-tmpfs", "FROM box\nRUN --mount=type=tmpfs,target=/t touch /t/x; ls /t >/o\n", "cat /o; ls /t", expect="x\n"),
    R("mount-bind", "FROM box\nRUN --mount=target=/ctx cat /ctx/a >/o; touch /ctx/n 2>/dev/null || echo ro >>/o\n", "cat /o; ls /ctx", expect="one\nro\n"),
    R("mount-secret", "FROM box\nRUN --mount=type=secret,id=s cat /run/secrets/s >/o\n", "cat /o", args=("--secret", "id=s,src=ctx/a"), expect="one\n"),
    R("mount-secret-required", "FROM box\nRUN --mount=type=secret,id=s,required=true true\n", fails="secret s: not found", only_csbx=True),
    R("mount-unknown", "FROM box\nRUN --mount=type=foo,target=/x true\n", fails="unsupported mount type", only_csbx=True),
    R("mount-bind-out", "FROM box\nRUN --mount=source=l,target=/x ls /x\n", files={"l": ("link", "/etc")}, fails="not found", only_csbx=True),
    R("copy-exclude", "FROM box\nCOPY --exclude=*.o --exclude=sub . /c\n", "cd /c; ls", files={"x.o": "", "y": "", "sub/z": ""}, expect="Dockerfile\ny\n"),
    R("copy-parents", "FROM box\nCOPY --parents d/sub/y /c/\n", "cat /c/d/sub/y", expect="y\n"),
    R("copy-chmod", "FROM box\nCOPY --chmod=751 a /x\n", "stat -c %a /x", expect="751\n"),
    R("network-none", "FROM box\nRUN --network=none ls /sys/class/net >/o\n", "cat /o", expect="lo\n"),
    R("add-host", "FROM box\nRUN grep other /etc/hosts >/o\n", "cat /o; grep other /etc/hosts", args=("--add-host", "other:1.2.3.4"), expect="1.2.3.4\tother\n"),
    R("prefix-pattern", "FROM box\nENV A=a/b.tgz\nENV B=${A#*/} C=${A%.tgz} D=${A/b/x}\n", "echo $B $C $D", expect="b.tgz a/b a/x.tgz\n"),
    R("platform-other", "FROM --platform=linux/s390x box\n", fails="another machine", only_csbx=True),
    R("stage-is-skipped", "FROM box AS unused\nRUN false\nFROM box\nRUN true\n", "echo ok", expect="ok\n"),
    R("copy-device-path", "FROM box\nCOPY dev /x\n", files={"dev": ("link", "/dev/null")}, fails="failed to compute cache key", only_csbx=True),
]
assert len({r.name for r in ROWS}) == len(ROWS)
