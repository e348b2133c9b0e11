# SPDX-License-Identifier: Apache-2.0
"""Images, networks, volumes, events and prunes."""
from apitable import create, delete, get, post, ran, row, running

FILTERS = "filters=%7B%22{}%22%3A%5B%22{}%22%5D%7D"
NET = ["Name", "Driver", "Scope", "Internal", "Attachable", "Ingress", "Labels", "EnableIPv6"]

ROWS = [
    row("an image", get("/images/box/json", pick=["RepoTags.0", "Os", "Architecture", "Config.Cmd", "Config.Entrypoint", "Config.User"]),
        get("/images/conf:1/json", pick=[f"Config.{k}" for k in (
            "Cmd", "Entrypoint", "Env", "WorkingDir", "User", "ExposedPorts", "Labels", "StopSignal", "Volumes")]),
        get("/images/docker.io/library/box/json", pick=["RepoTags.0"]), get("/images/library/box:latest/json", pick=["RepoTags.0"]),
        get("/images/box/json", shape=True, without=["Container", "ContainerConfig", "VirtualSize", "Data"])),
    row("images", get("/images/json", pick=["0.RepoTags.0", "0.Containers", "0.Labels", "2"]), get("/images/json?all=1", pick=["2"]),
        get(f"/images/json?{FILTERS.format('reference', 'conf')}", pick=["0.RepoTags", "1"]),
        get(f"/images/json?{FILTERS.format('dangling', 'true')}"), get(f"/images/json?{FILTERS.format('nokey', 'x')}")),
    row("tags", post("/images/box/tag?repo=other&tag=1"), get("/images/other:1/json", pick=["RepoTags"]),
        post("/images/nope/tag?repo=x&tag=1"), post("/images/box/tag?repo=Bad&tag=1", differs="a bad request is the client's fault", want=(400, "must be lowercase")), delete("/images/other:1"),
        delete("/images/other:1"), delete("/images/nope")),
    row("an image that is in use", create("ca"), delete("/images/box", differs="named in full", want=(409, "unable to remove repository reference"))),
    row("history", get("/images/conf:1/history", shape=True), get("/images/nope/history")),
    row("networks", get("/networks/none", pick=["Name", "Driver", "Scope"]), get("/networks/host", pick=["Name", "Driver", "Scope"]),
        get("/networks/nope"), post("/networks/create", {"Name": "n1", "Internal": True, "Labels": {"a": "b"}}, save=["n1", "Id"]),
        get("/networks/n1", pick=NET), get("/networks/$n1", pick=["Name"]),
        get(f"/networks?{FILTERS.format('name', 'n1')}", pick=["0.Name", "1"]),
        get(f"/networks?{FILTERS.format('label', 'a=b')}", pick=["0.Name", "1"]),
        get(f"/networks?{FILTERS.format('type', 'custom')}", pick=["0.Name", "1"]),
        post("/networks/create", {"Name": "n1", "CheckDuplicate": True}), post("/networks/create", {"Name": ""}),
        post("/networks/create", {"Name": "n2", "Driver": "nodriver"}), delete("/networks/n1"), delete("/networks/n1"),
        delete("/networks/host"), delete("/networks/none")),
    row("a container and its network", post("/networks/create", {"Name": "n1", "Internal": True}), create("ca"),
        post("/networks/n1/connect", {"Container": "nope"}), post("/networks/nope/connect", {"Container": "ca"}),
        post("/networks/n1/disconnect", {"Container": "ca"})),
    row("volumes", get("/volumes"), post("/volumes/create", {"Name": "v1", "Labels": {"a": "b"}}),
        get("/volumes/v1", pick=["Name", "Driver", "Scope", "Labels", "Options"]),
        post("/volumes/create", {"Name": "v1"}, pick=["Name", "Labels"]),
        get("/volumes", pick=["Volumes.0.Name", "Volumes.1", "Warnings"]),
        get(f"/volumes?{FILTERS.format('name', 'v')}", pick=["Volumes.0.Name"]),
        get(f"/volumes?{FILTERS.format('label', 'a')}", pick=["Volumes.0.Name"]),
        get(f"/volumes?{FILTERS.format('label', 'x')}", pick=["Volumes"]),
        get(f"/volumes?{FILTERS.format('dangling', 'true')}", pick=["Volumes.0.Name"]),
        get("/volumes/nope"), delete("/volumes/nope"), post("/volumes/create", {"Name": "!"}),
        post("/volumes/create", {"Name": "v2", "Driver": "nodriver"}), delete("/volumes/v1"), get("/volumes/v1")),
    row("a volume that is in use", post("/volumes/create", {"Name": "v1"}), create("ca", None, {"Binds": ["v1:/v"]}),
        delete("/volumes/v1"), get("/containers/ca/json", pick=["Mounts.0.Name", "Mounts.0.Type", "Mounts.0.Driver", "Mounts.0.RW"]),
        delete("/containers/ca?v=1"), get("/volumes/v1", pick=["Name"]), delete("/volumes/v1?force=1")),
    row("top", *running("ca"), get("/containers/ca/top", pick=["Titles.0", "Processes.0.7", "Processes.1"]),
        get("/containers/ca/top?ps_args=-o%20pid,comm", pick=["Titles"]), create("cb"), get("/containers/cb/top")),
    row("changes", *ran("ca", "sh", "-c", "echo x >/tmp/new; rm /etc/passwd"), get("/containers/ca/changes", sort=True)),
    row("update", create("ca"), post("/containers/ca/update", {"Memory": 64 << 20, "MemorySwap": -1}),
        get("/containers/ca/json", pick=["HostConfig.Memory"]), post("/containers/nope/update", {})),
    row("what has ended is pruned", *ran("ca", "true"), *running("cb"), post("/containers/prune", pick=["ContainersDeleted.1"]),
        get("/containers/json?all=1", pick=["0.Names", "1"])),
    row("prunes", post("/volumes/prune"), post("/networks/prune"), post("/images/prune"),
        post(f"/containers/prune?{FILTERS.format('nokey', 'x')}")),
    row("commit", *ran("ca", "sh", "-c", "echo x >/new"), post("/commit?container=ca&repo=made&tag=1", {}),
        get("/images/made:1/json", pick=["RepoTags", "Config.Cmd"]), post("/commit?container=nope", {}), delete("/images/made:1")),
    row("disk usage", get("/system/df", shape=True)),
    row("passwords", post("/auth", {"username": "u", "password": "p", "serveraddress": "127.0.0.1:1"})),
]
# The endpoints of these answer (test_networks.py, test_images.py): not yet as the record has it.
UNSETTLED = ("networks", "a container and its network", "volumes", "a volume that is in use", "passwords")
MISSING = ("top", "changes", "update", "prunes", "what has ended is pruned", "disk usage")
for one in ROWS:
    if one.name in UNSETTLED:
        one.todo = "the endpoint answers, and differs from the record in ways that are not settled"
    if one.name in MISSING:
        one.todo = "the endpoint is not done"
