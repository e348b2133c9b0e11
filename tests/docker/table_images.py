# SPDX-License-Identifier: Apache-2.0
"""Images by name: load, save, import, pull, tag, rmi, images, image inspect, history, prune."""
from table import row, says

NO_SUCH = "28 names the tag that was looked for, and its daemon instead of the object"
# Docker counts the bytes of all layers, csbx those of the files in the image.
SIZES = ((r"\b\d+(?:\.\d+)?[kM]?B\b", "<SIZE>"),)
# In which order docker tells layers and images that go is not the point.
PRUNED = (*SIZES, (r"(?m)^deleted: .*\n", ""))

ROWS = [
    # --- load ---------------------------------------------------------------------------------
    row("load what save wrote", "docker save box >b.tar; docker rmi -f box >/dev/null; docker load -i b.tar", "load -i, save"),
    row("load from standard input", "docker save -o b.tar box; docker rmi -f box >/dev/null; cat b.tar | docker load", "load, save -o"),
    row("load --input with =", "docker save -o b.tar box; docker rmi -f box >/dev/null; docker load --input=b.tar -q", "load -i, load -q, save -o"),
    row("load two images of one archive",
        "docker save -o b.tar box conf:1; docker rmi -f conf:1 box >/dev/null; docker load -qi b.tar; "
        "docker images -q conf:1 | wc -l", "load -i, load -q, save, images -q"),
    row("load all names of an image",
        "docker tag box one:1; docker tag box two:2; docker save -o b.tar one:1 two:2; "
        "docker rmi -f one:1 two:2 box >/dev/null; docker load -i b.tar", "load -i, save -o, tag, rmi"),
    row("load an image without a name",
        "docker save -o b.tar $(docker images -q --no-trunc conf:1); docker rmi -f conf:1 >/dev/null; "
        "docker load -i b.tar | cut -c1-23", "load -i, save, images --no-trunc"),
    row("load compressed", "docker save box | gzip -1 >b.tgz; docker rmi -f box >/dev/null; docker load <b.tgz", "load, save"),
    row("load moves a name",
        "docker tag conf:1 was:1; docker save -o b.tar was:1; docker rmi was:1 >/dev/null; docker tag box was:1; "
        "docker load -qi b.tar; docker run --rm --entrypoint echo was:1 ran", "load -i, tag, run"),
    row("load of a missing file", "docker load -i nothere.tar", "load -i"),
    row("load of a directory", "mkdir d; docker load -i d >/dev/null 2>&1; echo $?", "load -i"),
    row("load with an operand", "docker load x.tar >/dev/null 2>&1; echo $?", "load"),
    row("load with an unknown flag", "docker load --nope >/dev/null 2>&1; echo $?", "load"),
    says("load of an archive of something else", "mkdir d; touch d/x; tar cf t.tar d; docker load -i t.tar",
         "load -i", rc=1, err="Error response from daemon: invalid archive: does not contain a manifest.json "
         "(docker import makes an image of a root file system)\n",
         why="20.10 tells the path of a temporary file that it missed; this is the text of 28"),

    # --- save ---------------------------------------------------------------------------------
    row("save to a terminal's opposite", "docker save box | tar t | grep -c -x manifest.json", "save"),
    row("save -o makes a private file", "docker save -o b.tar conf:1 && test -s b.tar && echo made", "save -o"),
    row("save all tags of a repository",
        "docker tag box many:1; docker tag box many:2; docker save many | tar xO manifest.json | grep -o 'many:[12]' | sort",
        "save, tag"),
    row("save into a missing directory", "docker save -o nothere/b.tar box", "save -o"),
    row("save without operands", "docker save >/dev/null 2>&1; echo $?", "save"),
    row("save of nothing", "docker save nothere >/dev/null 2>&1; echo $?", "save"),

    # --- import -------------------------------------------------------------------------------
    row("import from standard input", "mkdir -p r/etc; echo x >r/etc/x; tar -C r -c . | docker import - imp:1 | cut -c1-7; docker images -q imp | wc -l",
        "import, images -q"),
    row("import a compressed file", "mkdir r; echo x >r/x; tar -C r -cz . >r.tgz; docker import r.tgz imp | wc -c", "import"),
    row("import with a command",
        "docker run --rm --entrypoint cat box /bin/busybox >b; chmod +x b; mkdir -p r/bin; mv b r/bin/sh; "
        "tar -C r -c . | docker import -c 'CMD echo from cmd' - imp >/dev/null; docker run --rm imp", "import -c, run --rm"),
    row("import with changes",
        "mkdir r; tar -C r -c . | docker import -c 'ENV A=1 B=\"2 3\"' -c 'WORKDIR /w' --change 'USER 7:8' "
        "--change='LABEL a=b c=\"d e\"' -c 'EXPOSE 80 90/udp' -c 'VOLUME /v /w' - imp >/dev/null; "
        "docker image inspect -f '{{json .Config.Env}} {{.Config.WorkingDir}} {{.Config.User}} {{json .Config.Labels}} "
        "{{json .Config.ExposedPorts}} {{json .Config.Volumes}}' imp", "import -c, image inspect -f"),
    row("import with an entry point as a list",
        "mkdir r; tar -C r -c . | docker import -c 'ENTRYPOINT [\"/a\", \"b c\"]' - imp >/dev/null; "
        "docker image inspect -f '{{json .Config.Entrypoint}} {{json .Config.Cmd}}' imp", "import -c, image inspect -f"),
    row("import with a message", "mkdir r; tar -C r -c . | docker import -m 'by hand' - imp >/dev/null; docker history --format '{{.Comment}}' imp",
        "import -m, history --format"),
    row("import without a name", "mkdir r; tar -C r -c . | docker import - | cut -c1-7; docker images -f dangling=true -q | wc -l",
        "import, images --filter"),
    row("import of a missing file", "docker import nothere.tar", "import"),
    row("import with RUN", "mkdir r; tar -C r -c . | docker import -c 'RUN x' - imp", "import -c"),
    row("import with an unknown instruction", "mkdir r; tar -C r -c . | docker import -c 'NOPE x' - imp", "import -c"),
    row("import to a bad name", "docker import - 'a b' </dev/null", "import"),
    row("import without operands", "docker import >/dev/null 2>&1; echo $?", "import"),

    # --- images -------------------------------------------------------------------------------
    row("images of one repository", "docker images box", "images", rules=SIZES),
    row("images in columns", "docker images conf --format '{{.Repository}} {{.Tag}} {{.ID}}'", "images --format"),
    row("image ls", "docker image ls app", "image ls", rules=SIZES),
    row("images of a tag", "docker tag box box:2; docker images -q box:2 | wc -l; docker images -q box | wc -l",
        "images -q, tag"),
    row("images of nothing", "docker images nothere", "images"),
    row("images -q of nothing", "docker images -q nothere:1", "images -q"),
    row("images --no-trunc", "docker images --no-trunc -q box", "images --no-trunc, images -q"),
    row("images --digests", "docker images --digests box", "images --digests", rules=SIZES),
    row("images by a label", "docker images -f label=org.example.kind --format '{{.Repository}}'", "images --filter, images --format"),
    row("images by a label's value",
        "docker images -f label=org.example.kind=conf -q | wc -l; docker images -f label=org.example.kind=x -q",
        "images --filter, images -q"),
    row("images by reference",
        "docker tag box a/b:1; docker images --filter reference='*/*' --format '{{.Repository}}:{{.Tag}}'",
        "images --filter, images --format"),
    row("images by reference and tag", "docker tag box a/b:1; docker images --filter=reference='a/b:*' -q | wc -l",
        "images --filter, images -q"),
    row("images that are dangling",
        "docker tag box was:1; docker tag conf:1 was:1; docker images -f dangling=true -q | wc -l; "
        "docker images -f dangling=false -q | sort -u | wc -l", "images --filter, images -q"),
    row("images --format with a word", "docker images box --format 'name {{.Repository}}'", "images --format"),
    row("images --format table", "docker images conf --format 'table {{.Repository}}\\t{{.Tag}}'", "images --format"),
    row("images --format upper", "docker images conf --format '{{upper .Repository}}-{{len .Tag}}'", "images --format"),
    row("images --format with a bad field", "docker images box --format '{{.Nope}}' >/dev/null 2>&1; echo $?", "images --format"),
    row("images --format with a bad template", "docker images box --format '{{.ID' >/dev/null 2>&1; echo $?", "images --format"),
    row("images --filter without a value", "docker images --filter dangling >/dev/null 2>&1; echo $?", "images --filter"),
    says("images --filter of an unknown key", "docker images --filter nope=1", "images --filter", rc=1,
         err="Error response from daemon: invalid filter 'nope'\n", why="20.10 wrote it with a capital letter"),
    row("images of two repositories", "docker images box app >/dev/null 2>&1; echo $?", "images"),
    row("images -a counts the same", "docker images -aq | sort -u | wc -l", "images -a, images -q"),

    # --- tag ----------------------------------------------------------------------------------
    row("tag and run", "docker tag box mine; docker run --rm mine echo hi", "tag, run --rm"),
    row("tag with a registry", "docker tag box localhost:5000/team/box:1.0; docker images localhost:5000/team/box --format '{{.Repository}} {{.Tag}}'",
        "tag, images --format"),
    row("tag by an id", "docker tag $(docker images -q conf:1) byid:1; docker run --rm byid:1", "tag, images -q, run --rm"),
    row("tag moves a name",
        "docker tag box moved:1; docker tag conf:1 moved:1; docker image inspect -f '{{.Config.User}}' moved:1",
        "tag, image inspect -f"),
    row("tag is silent and may repeat", "docker image tag box same; docker tag box same; echo $?", "tag"),
    row("tag of nothing", "docker tag nothere x", "tag"),
    row("tag of nothing with a tag", "docker tag nothere:3 x", "tag"),
    says("tag to a name with capitals", "docker tag box Box", "tag", rc=1,
         err="Error parsing reference: \"Box\" is not a valid repository/tag: invalid reference format: "
             "repository name (library/Box) must be lowercase\n",
         why="28 says which part of the name is meant"),
    row("tag to a bad name", "docker tag box 'a b'", "tag"),
    row("tag to a digest", "docker tag box box@sha256:" + "0123456789abcdef" * 4, "tag"),
    row("tag without a target", "docker tag box >/dev/null 2>&1; echo $?", "tag"),

    # --- rmi ----------------------------------------------------------------------------------
    row("rmi of one of two names", "docker tag box second:1; docker rmi second:1; docker images -q box | wc -l", "rmi, tag"),
    row("rmi of the only name", "docker rmi conf:1; docker image inspect conf:1 >/dev/null 2>&1; echo $?", "rmi"),
    row("rmi by id", "docker rmi $(docker images -q conf:1)", "rmi, images -q"),
    row("rmi by id with two names", "docker tag conf:1 other:1; docker rmi $(docker images -q conf:1 | head -1)", "rmi, tag"),
    row("rmi -f by id with two names", "docker tag conf:1 other:1; docker rmi -f $(docker images -q conf:1 | head -1)", "rmi -f, tag"),
    row("image rm of two", "docker tag box a:1; docker tag box b:1; docker image rm a:1 b:1", "image rm, tag"),
    row("image remove", "docker tag box a:1; docker image remove a:1", "image rm"),
    row("rmi of an image a container uses",
        "docker create --name cc conf:1 >/dev/null; docker rmi conf:1", "rmi, create"),
    row("rmi -f of an image a stopped container uses",
        "docker create --name cc conf:1 >/dev/null; docker rmi -f conf:1; docker start -a cc", "rmi -f, create, start -a"),
    row("rmi of an image in use by its id",
        "docker create --name cc conf:1 >/dev/null; docker rmi $(docker images -q conf:1)", "rmi, create"),
    row("rmi of one of two names of an image in use",
        "docker create --name cc conf:1 >/dev/null; docker tag conf:1 d:1; docker rmi d:1", "rmi, create, tag"),
    row("rmi -f of an image a running container uses, by its id",
        "docker run -d --name cc box sleep 100 >/dev/null; docker rmi -f $(docker images -q box)", "rmi -f, run -d"),
    says("rmi of nothing", "docker rmi nothere", "rmi", rc=1,
         err="Error response from daemon: No such image: nothere:latest\n", why=NO_SUCH),
    says("rmi -f of nothing", "docker rmi -f nothere; echo $?", "rmi -f", out="0\n",
         err="Error response from daemon: No such image: nothere:latest\n", why=NO_SUCH),
    says("rmi of one and nothing", "docker tag box a:1; docker rmi a:1 nothere", "rmi", rc=1, out="Untagged: a:1\n",
         err="Error response from daemon: No such image: nothere:latest\n", why=NO_SUCH),
    row("rmi without operands", "docker rmi >/dev/null 2>&1; echo $?", "rmi"),

    # --- image inspect ------------------------------------------------------------------------
    row("image inspect of os and architecture", "docker image inspect -f '{{.Os}}/{{.Architecture}}' box", "image inspect -f"),
    row("image inspect of the command", "docker image inspect --format '{{json .Config.Cmd}} {{json .Config.Entrypoint}}' conf:1", "image inspect -f"),
    row("image inspect of lists", "docker image inspect -f '{{range .Config.Env}}{{println .}}{{end}}' conf:1", "image inspect -f"),
    row("image inspect of maps",
        "docker image inspect -f '{{json .Config.ExposedPorts}} {{json .Config.Volumes}} {{json .Config.Labels}}' conf:1",
        "image inspect -f"),
    row("image inspect of an index", "docker image inspect -f '{{index .Config.Labels \"org.example.kind\"}}' conf:1", "image inspect -f"),
    row("image inspect of names", "docker tag box x/y:1; docker image inspect -f '{{json .RepoTags}}' x/y:1 | tr ',' '\\n' | wc -l",
        "image inspect -f, tag"),
    row("image inspect of layers", "docker image inspect -f '{{.RootFS.Type}} {{len .RootFS.Layers}}' app", "image inspect -f"),
    row("image inspect of user, directory, signal",
        "docker image inspect -f '{{.Config.User}} {{.Config.WorkingDir}} {{.Config.StopSignal}}' conf:1", "image inspect -f"),
    row("image inspect of two", "docker image inspect -f '{{.Os}}' box conf:1", "image inspect -f"),
    row("image inspect by id", "docker image inspect -f '{{.Id}}' $(docker images -q box)", "image inspect -f, images -q"),
    row("image inspect of all of an image",
        "docker image inspect conf:1 | sed -n '1,11p' | grep -v -e Container -e Docker -e Author", "image inspect"),
    says("image inspect of nothing", "docker image inspect nothere", "image inspect", rc=1, out="[]\n",
         err="Error response from daemon: No such image: nothere:latest\n", why=NO_SUCH),
    says("image inspect of one and nothing", "docker image inspect -f '{{.Os}}' box nothere", "image inspect -f", rc=1,
         out="linux\n", err="Error response from daemon: No such image: nothere:latest\n", why=NO_SUCH),
    row("image inspect with a bad template", "docker image inspect -f '{{.Os' box >/dev/null 2>&1; echo $?", "image inspect -f"),
    row("image inspect of a field that is not there", "docker image inspect -f '{{.Nope}}' box >/dev/null 2>&1; echo $?", "image inspect -f"),
    row("image inspect without operands", "docker image inspect >/dev/null 2>&1; echo $?", "image inspect"),

    # --- history ------------------------------------------------------------------------------
    row("history -q", "docker history -q conf:1 | wc -l", "history -q"),
    row("history of steps", "docker history --format '{{.CreatedBy}}' app", "history --format"),
    row("history --no-trunc", "docker history --no-trunc -q conf:1 | head -1", "history --no-trunc"),
    row("history of nothing", "docker history nothere", "history"),

    # --- pull ---------------------------------------------------------------------------------
    says("pull of a bad name", "docker pull Box", "pull", rc=1,
         err="invalid reference format: repository name (library/Box) must be lowercase\n",
         why="28 says which part of the name is meant"),
    row("pull of a name with a blank", "docker pull 'a b'", "pull"),
    row("pull without operands", "docker pull >/dev/null 2>&1; echo $?", "pull"),
    row("pull of two", "docker pull a b >/dev/null 2>&1; echo $?", "pull"),
    row("pull of an id", "docker pull " + "0123456789abcdef" * 4, "pull"),
    row("pull from where nothing listens", "docker pull localhost:1/app:1 2>&1 >/dev/null | cut -c1-35", "pull"),

    # --- prune --------------------------------------------------------------------------------
    row("image prune of nothing", "docker image prune -f", "image prune -f"),
    row("image prune of a dangling image",
        "docker tag conf:1 was:1; docker rmi conf:1 >/dev/null; docker tag box was:1; docker image prune -f",
        "image prune -f, tag, rmi", rules=PRUNED),
    row("image prune says no", "echo n | docker image prune 2>&1 | head -1", "image prune"),
    row("image prune keeps what a container uses",
        "docker create --name cc conf:1 >/dev/null; docker tag box conf:1; docker image prune -f; docker start -a cc",
        "image prune -f, create, start -a"),
    row("image prune with an operand", "docker image prune x >/dev/null 2>&1; echo $?", "image prune"),

    # --- login, logout ------------------------------------------------------------------------
    row("login with a password twice", "docker login -u a -p b --password-stdin localhost:1 </dev/null", "login -p, login --password-stdin"),
    row("login without a user", "echo x | docker login --password-stdin localhost:1", "login --password-stdin"),
    row("logout of nowhere", "docker logout localhost:1", "logout"),
    row("logout of the hub", "docker logout", "logout"),
]
