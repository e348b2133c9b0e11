# SPDX-License-Identifier: Apache-2.0
"""Versions, pages that are not there, and what every request has in common."""
from apitable import create, delete, get, head, post, put, row

CLIENT = "a bad request is the client's fault"

ROWS = [
    row("ping", get("/_ping"), head("/_ping"), get("/v1.24/_ping"), get("/v1.40/_ping/", differs="a path's last slash is "
        "passed over", want=(200, "OK"))),
    row("version",
        get("/version", pick=["Os", "Arch"]),
        get("/v1.24/version", pick=["Os", "Arch", "Components.0.Name"], differs="the engine is csbx", want=(200, "csbx")),
        get("/version", shape=True, differs="the engine is csbx", want=(200, "1.47"))),
    row("info", get("/info", pick=["OSType", "Architecture", "NCPU", "Swarm.LocalNodeState", "Containers", "Images",
                                   "ContainersRunning", "Isolation"])),
    row("a version that is not spoken",
        get("/v1.99/version", differs="1.47 is the newest here", want=(400, "client version 1.99 is too new. Maximum")),
        get("/v1.5/version", differs="1.24 is the oldest here", want=(400, "client version 1.5 is too old. Minimum")),
        get("/v2.0/version", differs="1.47 is the newest here", want=(400, "is too new"))),
    row("pages that are not there",
        get("/nothing"), get("/containers"), get("/containers/aa/b/c"), post("/nothing", {}), delete("/_ping"),
        post("/_ping"), get("/containers/create"), put("/containers/json"), post("/containers/json"),
        delete("/containers/json/x", differs="a container's name has no slash", want=(404, "page not found")), get("/exec"), get("/images"), delete("/info"), post("/version"),
        get("/containers/ca/start"), put("/containers/ca/start"), get("/exec/a/start"), get("/x/../y", differs="a path "
        "that leads up is refused; Docker answers with a redirect", want=(400, "in the path"))),
    row("what is no body",
        post("/containers/create", "{", differs="a body that is no JSON is the client's fault", want=(400, "JSON")),
        post("/containers/create", "", differs="an empty body is an empty object", want=(400, "mage")),
        post("/containers/create", "[]", differs="a body that is no JSON object is the client's fault", want=(400, "JSON")),
        post("/containers/create", "nonsense", differs="as above", want=(400, "JSON")),
        post("/containers/create", '{"Image":5}', differs="a wrong type is the client's fault", want=(400, "Image")),
        post("/containers/create", '{"Image":"box","Cmd":{}}', differs="as above", want=(400, "Cmd")),
        post("/containers/create", '{"Image":"box","HostConfig":[]}', differs="as above", want=(400, "HostConfig")),
        post("/containers/create", '{"Image":"box","Tty":"yes"}', differs="as above", want=(400, "Tty")),
        post("/containers/create", '{"Image":"box","Labels":["a"]}', differs="as above", want=(400, "Labels"))),
    row("filters that are none",
        get("/containers/json?filters=x", differs=CLIENT, want=(400, "invalid filter")),
        get("/containers/json?filters=%7B%22nokey%22%3A%5B%22a%22%5D%7D"),
        get("/containers/json?filters=%7B%22status%22%3A%5B%22never%22%5D%7D"),
        get("/containers/json?filters=%7B%22exited%22%3A%5B%22x%22%5D%7D", differs=CLIENT, want=(400, "strconv.Atoi")),
        get("/containers/json?filters=%5B%5D", differs=CLIENT, want=(400, "invalid filter")),
        get("/containers/json?filters=%7B%7D"), get("/containers/json?filters="),
        get("/containers/json?limit=x", differs=CLIENT, want=(400, "strconv.Atoi"))),
    row("keys in any case",
        post("/containers/create?name=ca", {"image": "box", "CMD": ["true"], "hostconfig": {"networkMODE": "none"},
                                           "labels": {"k": "v"}}),
        get("/containers/ca/json", pick=["Config.Cmd", "Config.Image", "Config.Labels", "HostConfig.NetworkMode"])),
    row("swarm", get("/swarm"), get("/services"), get("/nodes"), post("/swarm/leave"), get("/tasks"), get("/secrets"),
        get("/configs")),
    row("both forms of a filter", create("ca", {"Labels": {"x": "y"}}), create("cb"),
        get("/containers/json?all=1&filters=%7B%22label%22%3A%5B%22x%3Dy%22%5D%7D", pick=["0.Names", "1.Names"]),
        get("/containers/json?all=true&filters=%7B%22label%22%3A%7B%22x%3Dy%22%3Atrue%7D%7D", pick=["0.Names", "1.Names"]),
        get("/containers/json?all=True&filters=%7B%22label%22%3A%7B%22x%22%3Atrue%7D%7D", pick=["0.Names", "1.Names"])),
]
