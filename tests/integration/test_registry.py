# SPDX-License-Identifier: Apache-2.0
"""Debian's docker-registry in four configurations, filled by skopeo: a user's work with one."""
import base64
import json
import os
import pty
import select
import shutil
import signal
import stat
import subprocess
import time

import pytest

import harness
import registries
from registries import DebianRegistry, TokenServer, auth_json, write_private

USER, PASSWORD = "alice", "Pass word:mit+%&=Zeichen"
NEEDED = ("docker-registry", "skopeo", "openssl", "htpasswd")


@pytest.fixture(scope="session")
def tools():
    missing = [n for n in NEEDED if not shutil.which(n)]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")


@pytest.fixture(scope="session")
def authority(session_dir, tools):
    return registries.Authority(session_dir / "ca")


@pytest.fixture(scope="session")
def plain(session_dir, tools, python_layout, busybox_layout):
    r = DebianRegistry(session_dir / "plain")
    r.push(python_layout, "py:1")
    r.push(busybox_layout, "team/app:1.2")
    yield r
    r.close()


@pytest.fixture(scope="session")
def secured(session_dir, authority, busybox_layout):
    r = DebianRegistry(session_dir / "tls", tls=authority.issue("registry"))
    r.push(busybox_layout, "app:1")
    yield r
    r.close()


@pytest.fixture(scope="session")
def guarded(session_dir, tools, busybox_layout):
    """Basic authentication."""
    auth = registries.htpasswd(session_dir / "htpasswd", USER, PASSWORD)
    r = DebianRegistry(session_dir / "basic", auth=auth)
    r.push(busybox_layout, "app:1", creds=f"{USER}:{PASSWORD}")
    yield r
    r.close()


def may_pull(user, scope):
    return scope.split(":")[1].startswith("pub/") or user == USER


@pytest.fixture(scope="session")
def tokens(session_dir, authority):
    cert, key = authority.issue("token")
    t = TokenServer(key=key, cert=cert, users={USER: PASSWORD}, allow=may_pull)
    yield t
    t.close()


@pytest.fixture(scope="session")
def tokened(session_dir, authority, tokens, busybox_layout):
    """docker's token authentication, with our own token server."""
    r = DebianRegistry(session_dir / "token", auth={"token": {
        "realm": f"{tokens.url}/token", "service": "registry", "issuer": "csbx-test",
        "rootcertbundle": str(authority.cert)}})
    for name in ("pub/app:1", "priv/app:1"):
        r.push(busybox_layout, name, creds=f"{USER}:{PASSWORD}")
    yield r
    r.close()


def works(csbx, ref, *options, **kw):
    out = csbx.work / "out.sqsh"
    csbx.ok("import", "-f", "-o", out, *options, ref, **kw)
    out.unlink()


def denied(csbx, ref, says, *options, **kw):
    said = csbx.fails("import", "-q", *options, ref, says=says, **kw)
    assert PASSWORD not in said
    assert not list(csbx.work.glob("*.sqsh"))
    return said


# --- no login -------------------------------------------------------------------------------------

@pytest.mark.both_users
def test_import_create_start(csbx, plain):
    csbx.ok("import", f"docker://{plain.host}/py:1")
    csbx.ok("create", "-n", "py", csbx.work / "py+1.sqsh")
    assert csbx.ok("start", "py", "python3", "-c", "print(6 * 7)") == "42\n"
    csbx.ok("remove", "-f", "py")


def test_ways_to_write_it(csbx, plain):
    digest = json.loads(registries.run("skopeo", "inspect", "--tls-verify=false",
                                       f"docker://{plain.host}/team/app:1.2").stdout)["Digest"]
    for ref, name in ((f"docker://{plain.host}/team/app:1.2", "team+app+1.2"),
                      (f"{plain.host}/team/app:1.2", "team+app+1.2"),
                      (f"docker://{plain.host}#team/app:1.2", "team+app+1.2"),
                      (f"127.0.0.1:{plain.port}/team/app:1.2", "team+app+1.2"),
                      (f"{plain.host}/team/app@{digest}", f"team+app+{digest}"),
                      (f"{plain.host}/team/app:nonsense@{digest}", f"team+app+{digest}")):
        csbx.ok("import", "-f", ref)
        assert (csbx.work / f"{name}.sqsh").is_file()
        (csbx.work / f"{name}.sqsh").unlink()


def test_same_image_as_from_a_layout(csbx, plain, python_layout, tmp_path):
    """An image's source does not change its file system."""
    trees = []
    for n, uri in enumerate((f"{plain.host}/py:1", f"oci:{python_layout}")):
        out = csbx.work / f"{n}.sqsh"
        csbx.ok("import", "-o", out, uri)
        size = int.from_bytes(out.read_bytes()[40:48], "little")  # bytes_used
        trees.append(out.read_bytes()[:size])
    assert trees[0] == trees[1]


def test_a_file_goes_before_a_reference(csbx, busybox_layout):
    shutil.copytree(busybox_layout, csbx.work / "python")
    csbx.ok("import", "-q", "-o", csbx.work / "x.sqsh", "python")
    for name in ("./nothing", "nothing.tar", "/nothing", "nothing.sqsh"):
        said = csbx.fails("import", "-q", name, says="No such file")
        assert "docker.io" not in said


def test_second_import_fetches_no_blob(csbx, plain):
    works(csbx, f"{plain.host}/team/app:1.2")
    before = len([r for r in plain.requests() if "/blobs/" in r[1]])
    works(csbx, f"{plain.host}/team/app:1.2")
    assert len([r for r in plain.requests() if "/blobs/" in r[1]]) == before


@pytest.mark.parametrize("ref,says", [
    ("team/app:9", "check the name and the tag"), ("nobody/nothing:1", "check the name and the tag"),
    ("team/app@sha256:" + "0" * 64, "check the name and the tag")])
def test_what_is_not_there(csbx, plain, ref, says):
    denied(csbx, f"docker://{plain.host}/{ref}", [plain.host, "404", says])


def test_wrong_references(csbx):
    for ref, says in (("docker://", "image name"), ("docker://UPPER/x", "image name"),
                      ("docker://a/b:c:d", "tag"), ("docker://localhost:99999/x", "not a registry"),
                      ("docker://x@sha256:12", "sha256")):
        csbx.fails("import", "-q", ref, says=says)


def test_nobody_listens(csbx):
    host = f"localhost:{registries.free_port()}"
    denied(csbx, f"{host}/app:1", [host, "nothing listens there"])


def test_shown_while_it_loads(csbx, plain):
    """Plain lines in a log, redrawn lines on a terminal, nothing with -q."""
    p = csbx.run("import", "-o", csbx.work / "a.sqsh", f"{plain.host}/py:1")
    assert p.returncode == 0 and p.stderr.count("csbx: fetched sha256:") == 3 and "\033" not in p.stderr
    shutil.rmtree(csbx.dirs["cache"] / "oci")
    p = csbx.run("import", "-q", "-o", csbx.work / "b.sqsh", f"{plain.host}/py:1")
    assert p.returncode == 0 and p.stderr == ""
    shutil.rmtree(csbx.dirs["cache"] / "oci")
    shown = on_terminal(csbx, ["import", "-o", csbx.work / "c.sqsh", f"{plain.host}/py:1"])[0]
    assert "of 3 blobs" in shown and "\033[" in shown and "fetched" not in shown


# --- TLS ------------------------------------------------------------------------------------------

def test_unknown_certificate(csbx, secured):
    denied(csbx, f"{secured.host}/app:1", [secured.host, "certificate", "certs.d",
                                           f"--insecure-registry {secured.host}"])


def test_known_certificate(csbx, secured, authority):
    works(csbx, f"{secured.host}/app:1", env={"SSL_CERT_FILE": str(authority.cert)})
    directory = csbx.dirs["home"] / ".config/containers/certs.d" / secured.host
    directory.mkdir(parents=True)
    shutil.copy(authority.cert, directory / "ca.crt")
    works(csbx, f"{secured.host}/app:1")


def test_insecure_by_option_and_configuration(csbx, secured):
    works(csbx, f"{secured.host}/app:1", "--insecure-registry", secured.host)
    works(csbx, f"{secured.host}/app:1", env={"CSBX_INSECURE_REGISTRY": f"other:1\n{secured.host}"})
    conf = csbx.dirs["home"] / ".config/csbx"
    conf.mkdir(parents=True)
    (conf / "csbx.conf").write_text(f"CSBX_INSECURE_REGISTRY {secured.host}\n", encoding="ascii")
    works(csbx, f"{secured.host}/app:1")


def test_client_certificate(csbx, session_dir, authority, busybox_layout):
    r = DebianRegistry(session_dir / "mtls", tls=authority.issue("mtls"), client_ca=authority.cert)
    try:
        cert, key = authority.issue("client", "clientAuth")
        directory = csbx.dirs["home"] / ".config/containers/certs.d" / r.host
        directory.mkdir(parents=True)
        shutil.copy(authority.cert, directory / "ca.crt")
        denied(csbx, f"{r.host}/app:1", [r.host, "client certificate"])
        shutil.copy(cert, directory / "client.cert")
        denied(csbx, f"{r.host}/app:1", "client.key")
        shutil.copy(key, directory / "client.key")
        r.push(busybox_layout, "app:1", cert_dir=directory)
        works(csbx, f"{r.host}/app:1")
    finally:
        r.close()


# --- Basic authentication, and every place credentials come from ----------------------------------

def test_needs_a_login(csbx, guarded):
    denied(csbx, f"{guarded.host}/app:1", [guarded.host, f"csbx login {guarded.host}"])


def test_credentials_of_the_environment(csbx, guarded):
    works(csbx, f"{guarded.host}/app:1",
          env={"CSBX_REGISTRY_AUTH": f"other=x:y\n{guarded.host}={USER}:{PASSWORD}"})
    denied(csbx, f"{guarded.host}/app:1", ["401", "wrong"],
           env={"CSBX_REGISTRY_AUTH": f"{guarded.host}={USER}:wrong"})
    denied(csbx, f"{guarded.host}/app:1", "REGISTRY=USER:PASSWORD", env={"CSBX_REGISTRY_AUTH": "x"})


@pytest.mark.parametrize("place,variable", [
    (".config/containers/auth.json", None), (".docker/config.json", None),
    ("run/containers/auth.json", "XDG_RUNTIME_DIR"), ("d/config.json", "DOCKER_CONFIG"),
    ("my/auth.json", "REGISTRY_AUTH_FILE"), ("my/auth.json", "CSBX_AUTHFILE")])
def test_auth_files(csbx, guarded, place, variable):
    path = write_private(csbx.dirs["home"] / place, auth_json(**{
        "localhost": "no:body", f"https://{guarded.host}/v1/": f"{USER}:{PASSWORD}"}))
    value = {"XDG_RUNTIME_DIR": path.parent.parent, "DOCKER_CONFIG": path.parent}.get(variable, path)
    works(csbx, f"{guarded.host}/app:1", env={variable: str(value)} if variable else None)


def test_namespaces_of_an_auth_file(csbx, guarded):
    """The longest key that fits, whole components only."""
    write_private(csbx.dirs["home"] / ".config/containers/auth.json", auth_json(**{
        guarded.host: "no:body", f"{guarded.host}/app": f"{USER}:{PASSWORD}",
        f"{guarded.host}/ap": "no:body", f"{guarded.host}/app/x": "no:body"}))
    works(csbx, f"{guarded.host}/app:1")


def test_enroot_credentials(csbx, guarded):
    text = (f"# mine\nmachine other login a password b\nmachine localhost login bob password x\n"
            f'machine localhost login {USER} password "{PASSWORD}"\n')
    path = write_private(csbx.dirs["home"] / ".config/enroot/.credentials", text)
    works(csbx, f"docker://{USER}@{guarded.host}#app:1")
    denied(csbx, f"docker://{guarded.host}/app:1", "401")
    denied(csbx, f"docker://carol@{guarded.host}/app:1", ["carol", "csbx login -u carol"])
    path.rename(csbx.dirs["home"] / ".credentials")
    works(csbx, f"{USER}@{guarded.host}/app:1", env={"ENROOT_CONFIG_PATH": str(csbx.dirs["home"])})
    path.write_text(f"machine localhost login {USER} password $SECRET_OF_MINE\n", encoding="ascii")
    works(csbx, f"{guarded.host}/app:1", env={"SECRET_OF_MINE": PASSWORD})
    denied(csbx, f"{guarded.host}/app:1", ["line 1", "not set"])
    path.write_text(f"machine localhost login {USER} password $(touch {csbx.work}/ran)\n", encoding="ascii")
    denied(csbx, f"{guarded.host}/app:1", ["line 1", "credential helper"])
    assert not (csbx.work / "ran").exists()


HELPER = """#!/bin/sh
read -r server
echo "$1 $server" >>"{log}"
case $server in
"{host}") printf '%s' '{answer}' ;;
*) echo "credentials not found in native keychain"; exit 1 ;;
esac
"""


@pytest.mark.parametrize("key", ["credHelpers", "credsStore"])
def test_credential_helpers(csbx, guarded, key):
    log = csbx.dirs["tmp"].parent / "helper.log"
    log.touch()
    log.chmod(0o666)
    helpers = csbx.dirs["home"] / "bin"
    helpers.mkdir()
    answer = json.dumps({"ServerURL": guarded.host, "Username": USER, "Secret": PASSWORD})
    (helpers / "docker-credential-test").write_text(
        HELPER.format(log=log, host=guarded.host, answer=answer), encoding="ascii")
    (helpers / "docker-credential-test").chmod(0o755)
    env = {"PATH": f"{helpers}:{csbx.env['PATH']}"}
    config = {key: {guarded.host: "test"} if key == "credHelpers" else "test",
              "auths": {guarded.host: {"auth": base64.b64encode(b"no:body").decode()}}}
    path = write_private(csbx.dirs["home"] / ".docker/config.json", json.dumps(config))
    works(csbx, f"{guarded.host}/app:1", env=env)
    assert log.read_text() == f"get {guarded.host}\n"
    denied(csbx, f"{guarded.host}/app:1", ["docker-credential-test", "not installed"])
    for name in ("../x", "a/b", "a b", "$(id)"):
        path.write_text(json.dumps({"credsStore": name}), encoding="ascii")
        denied(csbx, f"{guarded.host}/app:1", "credential helper", env=env)
    (helpers / "docker-credential-bad").write_text("#!/bin/sh\necho no luck; exit 3\n", encoding="ascii")
    (helpers / "docker-credential-bad").chmod(0o755)
    path.write_text(json.dumps({"credsStore": "bad"}), encoding="ascii")
    denied(csbx, f"{guarded.host}/app:1", ["docker-credential-bad failed", "no luck"], env=env)


def until(condition, what, timeout_s=30):
    end = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


@pytest.mark.parametrize("sig", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("verb", ["import", "docker pull", "logout"])
def test_a_helper_that_hangs_ends_with_who_asked(csbx, guarded, verb, sig):
    """It waits for a person, say: a signal to csbx ends both, at once."""
    helpers, up = csbx.dirs["home"] / "bin", csbx.work / "up"
    helpers.mkdir()
    (helpers / "docker-credential-test").write_text(
        f"#!/usr/bin/python3\nimport os, signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        f"open({str(up)!r}, 'w').write(str(os.getpid()))\ntime.sleep(1000)\n", encoding="ascii")
    (helpers / "docker-credential-test").chmod(0o755)
    write_private(csbx.dirs["home"] / ".docker/config.json", json.dumps({"credsStore": "test"}))
    ref = f"{guarded.host}/app:1"
    env = {"PATH": f"{helpers}:{csbx.env['PATH']}"}
    with csbx.popen(*verb.split(), guarded.host if verb == "logout" else ref, env=env, stderr=subprocess.PIPE) as p:
        until(lambda: up.exists() and up.read_text(), "the helper")
        helper = int(up.read_text())
        p.send_signal(sig)
        assert p.wait(30) == -sig, p.stderr.read()
    until(lambda: (harness.read_stat(helper) or (0, "Z"))[1] == "Z", "its end")


@pytest.mark.parametrize("text", ["{", "[]", '{"auths":{"@":{"auth":"%%%"}}}', '{"auths":{"@":{"auth":7}}}',
                                  '{"auths":[]}', '{"auths":{},"auths":{}}', '{"credsStore":1}'])
def test_broken_auth_files(csbx, guarded, text):
    write_private(csbx.dirs["home"] / ".docker/config.json", text.replace("@", guarded.host))
    denied(csbx, f"{guarded.host}/app:1", ".docker/config.json")


# --- login and logout -----------------------------------------------------------------------------

def on_terminal(csbx, args, answers=(), **env):
    """Runs csbx on a terminal of its own; answers: (question, line). Returns the output and the exit code."""
    pid, fd = pty.fork()
    if not pid:
        try:
            who = csbx.identity()
            if who:
                os.setgroups(who["extra_groups"])
                os.setgid(who["group"])
                os.setuid(who["user"])
            os.chdir(csbx.work)
            os.execve(csbx.argv(args)[0], csbx.argv(args), {**csbx.env, "TERM": "xterm", **env})
        finally:
            os._exit(99)
    shown, answers = b"", list(answers)
    try:
        while select.select([fd], [], [], 30)[0]:
            data = os.read(fd, 65536)
            shown += data
            if answers and answers[0][0].encode() in shown:
                os.write(fd, answers.pop(0)[1].encode())
    except OSError:
        pass  # the other end is closed
    os.close(fd)
    return shown.decode(errors="replace"), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_login_import_logout(csbx, guarded):
    path = csbx.dirs["home"] / ".config/containers/auth.json"
    other = {"auths": {"other:1": {"auth": "bm86Ym9keQ=="}}, "credHelpers": {"x": "y"}, "n": 12}
    write_private(path, json.dumps(other))
    path.chmod(0o644)
    csbx.ok("login", "-u", USER, "--password-stdin", guarded.host, stdin=PASSWORD + "\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    kept = json.loads(path.read_text())
    assert base64.b64decode(kept["auths"].pop(guarded.host)["auth"]).decode() == f"{USER}:{PASSWORD}"
    assert kept == other
    works(csbx, f"{guarded.host}/app:1")
    # skopeo reads what we write.
    registries.run("skopeo", "inspect", "--tls-verify=false", f"--authfile={path}",
                   f"docker://{guarded.host}/app:1")
    csbx.ok("logout", guarded.host)
    assert json.loads(path.read_text()) == other
    csbx.fails("logout", guarded.host, says=["no login", str(path)])
    denied(csbx, f"{guarded.host}/app:1", "csbx login")


def test_logout_from_everywhere(csbx, guarded):
    """As docker logout: the entry in docker's own file, in podman's, and what their helper keeps."""
    helpers, kept = csbx.dirs["home"] / "bin", csbx.dirs["home"] / "kept"
    helpers.mkdir()
    helper = helpers / "docker-credential-test"
    helper.write_text(f"""#!/bin/sh
read -r key
case $1 in
get) [ -e {kept} ] || {{ echo 'credentials not found in native keychain'; exit 1; }}
     echo '{{"ServerURL": "x", "Username": "{USER}", "Secret": "{PASSWORD}"}}' ;;
erase) [ "$key" = {guarded.host} ] && rm {kept} ;;
esac
""", encoding="ascii")
    helper.chmod(0o755)
    env = {"PATH": f"{helpers}:{csbx.env['PATH']}"}
    kept.write_text("")
    auth = {"auth": base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()}
    docker = csbx.dirs["home"] / ".docker/config.json"
    podman = csbx.dirs["home"] / ".config/containers/auth.json"
    write_private(docker, json.dumps({"auths": {guarded.host: auth, "other": auth}, "credHelpers": {guarded.host: "test"}}))
    write_private(podman, json.dumps({"auths": {guarded.host: auth}}))
    works(csbx, f"{guarded.host}/app:1", env=env)
    p = csbx.run("logout", guarded.host, env=env)
    assert p.returncode == 0 and len(p.stderr.splitlines()) == 3, p.stderr
    assert str(docker) in p.stderr and str(podman) in p.stderr and "docker-credential-test" in p.stderr
    assert not kept.exists() and PASSWORD not in p.stderr
    assert json.loads(docker.read_text()) == {"auths": {"other": auth}, "credHelpers": {guarded.host: "test"}}
    assert json.loads(podman.read_text()) == {"auths": {}}
    csbx.fails("logout", guarded.host, says="no login", env=env)
    denied(csbx, f"{guarded.host}/app:1", "csbx login", env=env)


def test_logout_where_a_helper_fails(csbx, guarded):
    """Told, after the rest was done."""
    auth = {"auth": base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()}
    podman = csbx.dirs["home"] / ".config/containers/auth.json"
    write_private(csbx.dirs["home"] / ".docker/config.json", json.dumps({"credsStore": "none-such"}))
    write_private(podman, json.dumps({"auths": {guarded.host: auth}}))
    p = csbx.run("logout", guarded.host)
    assert p.returncode == 125 and "docker-credential-none-such" in p.stderr, p.stderr
    assert json.loads(podman.read_text()) == {"auths": {}}


def test_logout_from_one_file(csbx, guarded):
    auth = {"auths": {guarded.host: {"auth": "bm86Ym9keQ=="}}}
    for name in ("home/.docker/config.json", "mine.json"):
        write_private(csbx.dirs["home"].parent / name, json.dumps(auth))
    csbx.ok("logout", "--authfile", csbx.dirs["home"].parent / "mine.json", guarded.host)
    assert json.loads((csbx.dirs["home"].parent / "mine.json").read_text()) == {"auths": {}}
    assert json.loads((csbx.dirs["home"] / ".docker/config.json").read_text()) == auth


def test_login_with_a_wrong_password(csbx, guarded, tokened):
    for r in (guarded, tokened):
        options = ["--registry-token-server", f"{r.host}=localhost"] if r is tokened else []
        said = csbx.fails("login", *options, "-u", USER, "--password-stdin", r.host, stdin="wrong-4711",
                          says=r.host)
        assert "wrong-4711" not in said
    assert not (csbx.dirs["home"] / ".config/containers/auth.json").exists()


@pytest.mark.parametrize("stdin,says", [("", "empty"), ("\n", "empty"), ("a\nb", "more than one line"),
                                        ("x" * 70000, "65536")])
def test_login_with_no_password(csbx, guarded, stdin, says):
    csbx.fails("login", "-u", USER, "--password-stdin", guarded.host, stdin=stdin, says=says)


def test_login_words(csbx, guarded):
    csbx.fails("login", "--password-stdin", guarded.host, stdin="x", says="--username")
    csbx.fails("login", "-u", "a:b", "--password-stdin", guarded.host, stdin="x", says="colon")
    csbx.fails("login", "-u", USER, guarded.host, says="--password-stdin", start_new_session=True)
    csbx.fails("login", "-u", USER, "--password-stdin", "not a host", stdin="x", says="not a registry")
    csbx.fails("login", "--password", "x", guarded.host, says="unknown option")


def test_login_on_a_terminal(csbx, guarded):
    shown, code = on_terminal(csbx, ["login", guarded.host],
                              [("Username: ", USER + "\n"), ("Password: ", PASSWORD + "\n")])
    assert code == 0 and f"logged in as {USER}" in shown and PASSWORD not in shown, shown
    works(csbx, f"{guarded.host}/app:1")


def test_login_interrupted(csbx, guarded):
    shown, code = on_terminal(csbx, ["login", "-u", USER, guarded.host], [("Password: ", "abc\x03")])
    assert code == -2 and "abc" not in shown, (shown, code)


# --- token authentication -------------------------------------------------------------------------

def test_anonymous_token(csbx, tokened):
    works(csbx, f"{tokened.host}/pub/app:1")


def test_private_repository(csbx, tokened, tokens):
    denied(csbx, f"{tokened.host}/priv/app:1", ["401", f"csbx login {tokened.host}"])
    write_private(csbx.dirs["home"] / ".docker/config.json",
                  auth_json(**{tokened.host: f"{USER}:{PASSWORD}"}))
    allow = {"CSBX_REGISTRY_TOKEN_SERVER": f"{tokened.host}={tokens.host}"}
    denied(csbx, f"{tokened.host}/priv/app:1", ["its password", tokens.host])
    works(csbx, f"{tokened.host}/priv/app:1", env=allow)


def test_token_login(csbx, tokened, tokens):
    options = ["--registry-token-server", f"{tokened.host}={tokens.host}"]
    csbx.ok("login", *options, "-u", USER, "--password-stdin", tokened.host, stdin=PASSWORD)
    works(csbx, f"{tokened.host}/priv/app:1", *options)
