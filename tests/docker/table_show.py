# SPDX-License-Identifier: Apache-2.0
"""Verbs that show: ps, inspect, info, version, port, top, network, volume inspect, context."""
from table import row, says

SLEEP = "docker run -d --name cc --network none box sleep 1000 >/dev/null\n"
THREE = (SLEEP + "docker create --name cr --network none --label kind=x box true >/dev/null\n"
         "docker run --name ex --network none --label kind=y --label z box sh -c 'exit 3'\n")
NAMES = "docker ps -a --format '{{.Names}}'"
NO_BRIDGE = "the Docker that is asked has no bridge, so it publishes nothing"
CLIENT_28 = "28 has it, 20.10 had not"


def shows(what, template, setup=SLEEP, covers="inspect -f", name="cc"):
    return row(what, f"{setup}docker inspect -f '{template}' {name}", covers)


PS = [
    row("no containers", "docker ps", "ps"),
    row("ids of no containers", "docker ps -aq", "ps -a, ps -q"),
    row("what runs", THREE + "docker ps", "ps"),
    row("all there is", THREE + "docker ps -a", "ps -a"),
    row("ids are short", SLEEP + "docker ps -q | wc -c", "ps -q"),
    row("ids in full", SLEEP + "docker ps -q --no-trunc | wc -c", "ps -q, ps --no-trunc"),
    row("ids of all, newest first", THREE + "for i in $(docker ps -aq); do docker inspect -f '{{.Name}}' $i; done",
        "ps -a, ps -q"),
    row("in full", THREE + "docker ps -a --no-trunc", "ps --no-trunc"),
    row("a long command is cut", "docker create --network none box sh -c 'echo 0123456789 0123456789' >/dev/null\n"
        "docker ps -a --format '{{.Command}}'; docker ps -a --no-trunc --format '{{.Command}}'",
        "ps --no-trunc, ps --format"),
    row("quotes and lines in a command", "docker create --network none box sh -c 'echo \"a\"\necho b' >/dev/null\n"
        "docker ps -a --no-trunc --format '{{.Command}}'", "ps --format"),
    row("the last one", THREE + "docker ps -l --format '{{.Names}}'", "ps -l"),
    row("the last two", THREE + "docker ps -n 2 --format '{{.Names}}'", "ps -n"),
    row("the last by its long name", THREE + "docker ps --last=1 --format '{{.Names}}'", "ps -n"),
    row("last of no number", "docker ps -n a", "ps -n"),
    row("all fields", THREE + "docker ps -a --format '{{.Names}}|{{.Image}}|{{.Command}}|{{.CreatedAt}}|"
        "{{.RunningFor}}|{{.Ports}}|{{.State}}|{{.Status}}|{{.Labels}}|{{.LocalVolumes}}|{{.Networks}}'",
        "ps --format", rules=[(r"\|bridge$", "|none")]),
    row("a table of chosen columns", THREE + "docker ps -a --format 'table {{.Names}}\\t{{.Status}}'", "ps --format"),
    row("a table with text in it", THREE + "docker ps -a --format 'table {{.Names}}: {{.Image}}'", "ps --format"),
    row("functions in a table", THREE + "docker ps -a --format 'table {{json .Names}}\\t{{upper .Image}}'",
        "ps --format"),
    row("a label", THREE + "docker ps -a --format '{{.Names}} {{.Label \"kind\"}}'", "ps --format, run --label"),
    row("a label as a column", THREE + "docker ps -a --format 'table {{.Label \"kind\"}}'", "ps --format"),
    row("raw", THREE + "docker ps -a --format raw", "ps --format"),
    row("a format of plain text", SLEEP + "docker ps --format pretty", "ps --format"),
    row("table alone", THREE + "docker ps -a --format table", "ps --format"),
    row("a field there is not", "docker ps --format '{{.Nope}}'", "ps --format"),
    row("a function there is not", "docker ps --format '{{nope .ID}}'", "ps --format"),
    row("an unclosed template", "docker ps --format '{{.ID'", "ps --format"),
    row("a newline in quotes", SLEEP + "docker ps --format '{{.Names}}{{\"\\n\"}}{{.ID}}'", "ps --format"),
    says("json", SLEEP + "docker ps --format json | tr ',' '\\n' | sed -n 's/{*\"\\([A-Za-z]*\\)\".*/\\1/p'",
         "ps --format", why=CLIENT_28 + ": as {{json .}}, with sorted keys",
         out="Command\nCreatedAt\nID\nImage\nLabels\nLocalVolumes\nMounts\nNames\nNetworks\nPlatform\nPorts\n"
             "RunningFor\nSize\nState\nStatus\n"),
    says("ids win over a format", SLEEP + "docker ps -q --format '{{.Names}}' | wc -c", "ps -q, ps --format",
         why="28 prints ids and warns, 20.10 used the format", out="13\n",
         err="WARNING: Ignoring custom format, because both --format and --quiet are set."),
    row("by name", THREE + NAMES + " --filter name=c", "ps --filter"),
    row("by whole name", THREE + NAMES + " --filter name='^/cc$'", "ps --filter"),
    row("by no such name", THREE + NAMES + " --filter name=nope", "ps --filter"),
    row("by label", THREE + NAMES + " --filter label=kind", "ps --filter, run --label"),
    row("by label and value", THREE + NAMES + " --filter label=kind=y", "ps --filter, run --label"),
    row("by two labels", THREE + NAMES + " --filter label=kind --filter label=z", "ps --filter, run --label"),
    row("by a label without value", THREE + NAMES + " --filter label=z=", "ps --filter, run --label"),
    row("by status", THREE + "docker ps --filter status=exited --format '{{.Names}} {{.State}}'", "ps --filter"),
    row("by two states", THREE + NAMES + " -f status=running -f status=created", "ps --filter"),
    row("by a status there is not", "docker ps --filter status=bad", "ps --filter"),
    row("by exit code", THREE + NAMES + " --filter exited=3", "ps --filter"),
    row("by exit code that is none", "docker ps --filter exited=x", "ps --filter"),
    row("by image", THREE + NAMES + " --filter ancestor=box", "ps --filter"),
    row("by image and tag", THREE + NAMES + " --filter ancestor=box:latest", "ps --filter"),
    row("by image id", THREE + NAMES + " --filter ancestor=$(docker images -q box)", "ps --filter"),
    row("by id", THREE + NAMES + " --filter id=$(docker ps -lq)", "ps --filter"),
    row("made before", THREE + NAMES + " --filter before=cr", "ps --filter"),
    row("made since", THREE + NAMES + " --filter since=cr", "ps --filter"),
    row("made since nothing", "docker ps --filter since=nope", "ps --filter"),
    row("by volume", "docker create --name vv --network none -v $PWD:/data box true >/dev/null\n" + NAMES +
        " --filter volume=/data", "ps --filter, run -v"),
    row("by health", SLEEP + NAMES + " --filter health=none", "ps --filter"),
    row("a filter there is not", "docker ps --filter foo=bar", "ps --filter"),
    row("a filter without a value", "docker ps --filter bad", "ps --filter"),
    row("an argument", "docker ps cc", "ps"),
    row("a flag there is not", "docker ps --nope", "ps"),
    row("container ls", THREE + "docker container ls -a --format '{{.Names}}'", "ps -a"),
    row("container list", SLEEP + "docker container list -q | wc -l", "ps -q"),
    row("a size", "docker create --network none box true >/dev/null\ndocker ps -a -s --format '{{.Size}}'", "ps -s",
        rules=[(r" \(virtual [^)]*\)", "")]),
]

INSPECT = [
    row("nothing", "docker inspect nothere", "inspect"),
    row("two that are not there", "docker inspect nothere neither", "inspect"),
    row("nothing, with a template", "docker inspect -f '{{.Id}}' nothere", "inspect -f"),
    row("one of two", SLEEP + "docker inspect -f '{{.Name}}' nothere cc", "inspect -f"),
    row("no operand", "docker inspect", "inspect"),
    row("two containers", THREE + "docker inspect -f '{{.Name}}' cc ex", "inspect -f"),
    shows("status", "{{.State.Status}}"),
    shows("running", "{{.State.Running}}"),
    shows("the state as Go prints it", "{{.State.Status}} {{.State.Paused}} {{.State.Dead}} {{.State.Error}}"),
    shows("exit code", "{{.State.ExitCode}} {{.State.Status}} {{.State.OOMKilled}} {{.State.Pid}}", THREE, name="ex"),
    shows("never started", "{{.State.Status}} {{.State.StartedAt}} {{.State.FinishedAt}}", THREE, name="cr"),
    row("state as json", SLEEP + "docker inspect -f '{{json .State}}' cc | sed 's/\"Pid\":[0-9]*/\"Pid\":1/'",
        "inspect -f"),
    row("a pid of the host", SLEEP + "test -d /proc/$(docker inspect -f '{{.State.Pid}}' cc) && echo lives",
        "inspect -f"),
    shows("its id in full", "{{len .Id}}"),
    row("by id and by its beginning", SLEEP + "i=$(docker ps -q --no-trunc); docker inspect -f '{{.Name}}' $i "
        "$(echo $i | cut -c1-5)", "inspect"),
    shows("its name", "{{.Name}}"),
    shows("the command", "{{.Path}} {{json .Args}} {{json .Config.Cmd}} {{json .Config.Entrypoint}}"),
    shows("entrypoint and command", "{{.Path}} {{json .Args}} {{json .Config.Cmd}} {{json .Config.Entrypoint}}",
          "docker create --name cc --network none conf:1 x y >/dev/null\n", "inspect -f, run --entrypoint"),
    shows("another entrypoint", "{{.Path}} {{json .Args}} {{json .Config.Cmd}} {{json .Config.Entrypoint}}",
          "docker create --name cc --network none --entrypoint /bin/ls conf:1 -l >/dev/null\n",
          "inspect -f, run --entrypoint"),
    row("environment", "docker create --name cc --network none -e B=2 -e A=mine conf:1 >/dev/null\n"
        "docker inspect -f '{{range .Config.Env}}{{println .}}{{end}}' cc | sort", "inspect -f, run -e"),
    shows("environment of the image", "{{json .Config.Env}}",
          "docker create --name cc --network none box true >/dev/null\n", "inspect -f, run -e"),
    shows("labels of image and container", "{{json .Config.Labels}}",
          "docker create --name cc --network none --label a=1 --label b conf:1 >/dev/null\n",
          "inspect -f, run --label"),
    shows("one label", "{{index .Config.Labels \"org.example.kind\"}}|{{index .Config.Labels \"none\"}}|",
          "docker create --name cc --network none conf:1 >/dev/null\n"),
    shows("user, directory, stop signal, ports", "{{.Config.User}} {{.Config.WorkingDir}} {{.Config.StopSignal}} "
          "{{json .Config.ExposedPorts}} {{json .Config.Volumes}}",
          "docker create --name cc --network none conf:1 >/dev/null\n"),
    shows("user and directory that were asked for", "{{.Config.User}} {{.Config.WorkingDir}}",
          "docker create --name cc --network none -u 7:8 -w /tmp conf:1 >/dev/null\n",
          "inspect -f, run --user, run -w"),
    shows("image", "{{.Config.Image}} {{.Image}}"),
    shows("limits", "{{.HostConfig.Memory}} {{.HostConfig.NanoCpus}} {{.HostConfig.PidsLimit}}",
          "docker create --name cc --network none -m 100m --cpus 1.5 --pids-limit 50 box >/dev/null\n",
          "inspect -f, run --memory, run --cpus, run --pids-limit"),
    shows("no limits", "{{.HostConfig.Memory}} {{.HostConfig.NanoCpus}} {{.HostConfig.PidsLimit}} "
          "{{.HostConfig.ShmSize}}"),
    shows("read-only, init, removal", "{{.HostConfig.ReadonlyRootfs}} {{.HostConfig.Init}} {{.HostConfig.AutoRemove}}",
          "docker create --name cc --network none --read-only --init --rm box >/dev/null\n",
          "inspect -f, run --read-only, run --init"),
    shows("capabilities", "{{json .HostConfig.CapAdd}} {{json .HostConfig.CapDrop}} {{json .HostConfig.SecurityOpt}}",
          "docker create --name cc --network none --cap-drop ALL --security-opt no-new-privileges box >/dev/null\n",
          "inspect -f, run --cap-drop, run --security-opt"),
    shows("binds", "{{json .HostConfig.Binds}} {{json .Mounts}}",
          "docker create --name cc --network none -v $PWD:/data:ro box >/dev/null\n", "inspect -f, run -v"),
    shows("where a mount is", "{{range .Mounts}}{{.Type}} {{.Source}} {{.Destination}} {{.RW}}{{end}}",
          "docker create --name cc --network none --mount type=bind,src=$PWD,dst=/d box >/dev/null\n",
          "inspect -f, run --mount"),
    shows("the network that was asked for", "{{.HostConfig.NetworkMode}}", covers="inspect -f, run --network"),
    shows("no ports", "{{json .NetworkSettings.Ports}}"),
    shows("addresses of no network", "{{range .NetworkSettings.Networks}}[{{.IPAddress}}]{{end}}"),
    says("published ports", "docker run -d --name cc -p 127.0.0.1:8017:8017 box sleep 100 >/dev/null\n"
         "docker inspect -f '{{json .NetworkSettings.Ports}}' cc\n"
         "docker inspect -f '{{(index (index .NetworkSettings.Ports \"8017/tcp\") 0).HostPort}}' cc",
         "inspect -f, run -p", why=NO_BRIDGE,
         out='{"8017/tcp":[{"HostIp":"127.0.0.1","HostPort":"8017"}]}\n8017\n'),
    shows("bindings that were asked for", "{{json .HostConfig.PortBindings}}",
          "docker create --name cc -p 127.0.0.1:8018:8018/tcp box >/dev/null\n", "inspect -f, run -p"),
    shows("terminal and input", "{{.Config.Tty}} {{.Config.OpenStdin}}",
          "docker create -i -t --name cc --network none box >/dev/null\n", "inspect -f, run -i, run -t"),
    shows("log driver", "{{.HostConfig.LogConfig.Type}}"),
    shows("conditions", "{{if .State.Running}}up{{else}}down{{end}} {{if eq .Name \"/cc\"}}c{{end}}"),
    shows("functions", "{{upper .Name}} {{len .Config.Cmd}} {{join .Config.Cmd \"+\"}} {{printf \"%s\" .Name}}"),
    shows("a key there is not", "{{.Nope}}"),
    shows("a key deeper down", "{{.State.Nope}}"),
    shows("an index out of range", "{{index .Config.Cmd 7}}"),
    shows("a field of text", "{{.Name.Foo}}"),
    row("a template that does not end", "docker inspect -f '{{.Id' cc", "inspect -f"),
    row("a template that ends too often", SLEEP + "docker inspect -f '{{end}}' cc", "inspect -f"),
    row("a function there is not, of inspect", SLEEP + "docker inspect -f '{{nope .Id}}' cc; echo $?", "inspect -f"),
    row("a string without end", "docker inspect -f '{{\"a}}' cc", "inspect -f"),
    row("container inspect", SLEEP + "docker container inspect -f '{{.Name}}' cc", "inspect"),
    row("container inspect of an image", "docker container inspect box", "inspect"),
    row("of a type", SLEEP + "docker inspect --type container -f '{{.Name}}' cc; docker inspect --type=container box",
        "inspect --type"),
    row("a container is no image", SLEEP + "docker inspect --type image cc", "inspect --type"),
    says("of no type", "docker inspect --type bad cc", "inspect --type", rc=1, why="28 lists the types",
         err='unknown type: "bad": must be one of "config", "container", "image", "network", "node", "plugin", '
             '"secret", "service", "task", "volume"'),
    row("an image", "docker inspect -f '{{.Os}} {{.Architecture}} {{json .RepoTags}} {{json .Config.Cmd}}' box",
        "inspect -f"),
    row("an image by its id", "docker inspect -f '{{.Id}}' $(docker images -q conf:1)", "inspect -f"),
    row("a container and an image", SLEEP + "docker inspect -f '{{.Id}}' cc box | wc -l", "inspect -f"),
    row("sizes", SLEEP + "docker inspect -s -f '{{.SizeRw}}' cc", "inspect -s"),
    row("is it json?", SLEEP + "docker inspect cc | python3 -c 'import json,sys; d=json.load(sys.stdin); "
        "print(len(d), d[0][\"Name\"], sorted(d[0][\"State\"]))'", "inspect"),
    row("indented as docker does", SLEEP + "docker inspect cc | sed -n '1,3s/:.*//p;7,9p'", "inspect"),
    says("json on one line", SLEEP + "docker inspect -f json cc | cut -c1-7", "inspect -f", why=CLIENT_28,
         out='[{"Id":\n'),
    row("its writable layer", SLEEP + "d=$(docker inspect -f '{{.GraphDriver.Data.UpperDir}}' cc); "
        "test -n \"$d\" && echo known", "inspect -f"),
]

SYSTEM = [
    says("server version", "docker version --format '{{.Server.Version}}'", "version --format",
         why="csbx says 28.0.0 to whoever asks", out="28.0.0\n"),
    says("api versions", "docker version -f '{{.Server.APIVersion}} {{.Server.MinAPIVersion}} {{.Client.APIVersion}}'",
         "version --format", why="csbx says 28.0.0 to whoever asks", out="1.47 1.24 1.47\n"),
    says("version as json", "docker version --format json | python3 -c 'import json,sys; v=json.load(sys.stdin); "
         "print(v[\"Server\"][\"Version\"], v[\"Server\"][\"ApiVersion\"], v[\"Server\"][\"Components\"][0][\"Name\"])'",
         "version --format", why=CLIENT_28, out="28.0.0 1.47 Engine\n"),
    says("--version", "docker --version", "version", why="its own version", out="Docker version 28.0.0, build csbx\n"),
    row("system of server", "docker version --format '{{.Server.Os}}/{{.Server.Arch}}'", "version --format"),
    row("version for people", "docker version | grep -c -e '^Client' -e '^Server' -e '^ Engine'", "version"),
    row("version of nothing", "docker version --format '{{.Nope}}'", "version --format",
        rules=[(r"system\.\w+", "system.T")]),
    row("version unclosed", "docker version --format '{{.Server'", "version --format"),
    row("version with operand", "docker version x", "version"),
    row("os type", "docker info --format '{{.OSType}}'", "info --format"),
    row("the machine", "docker info -f '{{.Architecture}} {{.NCPU}} {{.MemTotal}} {{.Name}}' >told\n"
        "echo \"$(uname -m) $(nproc --all) $(($(awk '/^MemTotal/ {print $2}' /proc/meminfo) * 1024)) $(uname -n)\" |\n"
        "diff - told && echo as it is", "info --format"),
    row("swarm", "docker info -f '{{.Swarm.LocalNodeState}}'", "info --format"),
    row("counts", THREE + "docker info -f '{{.Containers}} {{.ContainersRunning}} {{.ContainersStopped}} {{.Images}}'",
        "info --format"),
    row("info of nothing", "docker info --format '{{.Nope}}'", "info --format", rules=[(r"system\.\w+", "system.T")]),
    row("info unclosed", "docker info -f '{{'", "info --format"),
    row("info with operand", "docker info x", "info"),
    row("info as json", "docker info --format '{{json .}}' | python3 -c 'import json,sys; "
        "print(json.load(sys.stdin)[\"OSType\"])'", "info --format"),
    row("info for people", "docker info 2>/dev/null | grep -e '^ OSType' -e '^ Architecture' -e '^ CPUs' |\n"
        "sed \"s/: $(nproc --all)$/: as many as there are/; s/: $(uname -m)$/: the machine's/\"", "info"),
    row("system info", "docker system info -f '{{.OSType}}'", "info"),
    says("what the network is", "docker info 2>&1 >/dev/null | grep -c network", "info", out="1\n",
         why="only csbx has no bridge and says so"),
    row("port of nothing", "docker port nope", "port"),
    row("port without operand", "docker port", "port"),
    row("no port", SLEEP + "docker port cc; docker port cc 80", "port"),
    says("ports", "docker run -d --name cc -p 8019:8019 -p 127.0.0.1:8020:8020/tcp box sleep 100 >/dev/null\n"
         "docker port cc; docker port cc 8019; docker port cc 8020/tcp; docker ps --format '{{.Ports}}'",
         "port, run -p, ps --format", why=NO_BRIDGE,
         out="8019/tcp -> 0.0.0.0:8019\n8020/tcp -> 127.0.0.1:8020\n0.0.0.0:8019\n127.0.0.1:8020\n"
             "0.0.0.0:8019->8019/tcp, 127.0.0.1:8020->8020/tcp\n"),
    says("networks", "docker network ls --format '{{.Name}} {{.Driver}} {{.Scope}}'", "network ls",
         why="the daemon that is asked was started without a bridge", out="bridge bridge local\nhost host local\nnone null local\n"),
    row("a network by driver", "docker network ls --filter driver=host --format '{{.Name}}'", "network ls"),
    row("a network", "docker network inspect none -f '{{.Name}} {{.Driver}}'", "network inspect"),
    row("no network", "docker network inspect nope", "network inspect"),
    row("removing no network", "docker network rm nope", "network rm"),
    row("removing a network of docker's own", "docker network rm host", "network rm"),
    row("no volume", "docker volume inspect nope", "volume inspect"),
    row("a verb there is not", "docker nope", "docker",
        rules=[(r"docker: 'nope' is not a docker command\.?", "docker: unknown command: docker nope")]),
]

ROWS = [*PS, *INSPECT, *SYSTEM]
for area, rows in (("ps", PS), ("inspect", INSPECT), ("system", SYSTEM)):
    for r in rows:
        r.name = f"{area}: {r.name}"
