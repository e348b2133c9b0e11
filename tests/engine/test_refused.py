# SPDX-License-Identifier: Apache-2.0
"""Members of a request, and labels of an image, that csbx has nothing for: refused, or without effect where that shows no more."""
import pytest

pytestmark = pytest.mark.feature("userns")


def mount_of_volume(**volume):
    return {"Mounts": [{"Type": "volume", "Source": "vol", "Target": "/x", "VolumeOptions": volume}]}


@pytest.mark.parametrize("host, says", [
    (mount_of_volume(Subpath="part"), "'volume-subpath' is not available"),
    (mount_of_volume(DriverConfig={"Name": "nfs"}), "'volume-driver' is not available"),
    (mount_of_volume(DriverConfig={"Name": "local", "Options": {"device": "/etc", "o": "bind"}}), "'volume-opt' is not available"),
    ({"Mounts": [{"Type": "tmpfs", "Target": "/x", "TmpfsOptions": {"Options": [["noexec"]]}}]}, "unexpected key 'tmpfs-options'"),
    ({"StorageOpt": {"size": "1g"}}, "--storage-opt is not available"),
    ({"BlkioDeviceReadIOps": [{"Path": "/dev/sda", "Rate": 1}]}, "--device-read-iops is not available"),
    ({"MaskedPaths": ["/proc/kcore", "/secret"]}, "MaskedPaths: /secret is not available"),
    ({"ReadonlyPaths": ["/etc"]}, "ReadonlyPaths: /etc is not available")])
def test_what_csbx_has_not_is_refused_and_not_passed_over(box, host, says):
    """A part of a volume, or a mask: a container that is made without it shows more than the client asked for."""
    answer = box.ask("POST", "/containers/create", {"Image": "box", "HostConfig": host})
    assert answer.status == 400 and says in answer.json["message"], answer.json
    assert box.ask("GET", "/containers/json?all=1").json == []


def test_what_says_nothing_is_taken(box):
    host = {**mount_of_volume(Subpath="", DriverConfig={"Name": "local", "Options": None}, Labels=None, NoCopy=False), "StorageOpt": None,
            "MaskedPaths": ["/proc/kcore"], "ReadonlyPaths": [], "BlkioDeviceReadIOps": None, "BlkioWeightDevice": []}
    assert box.ask("POST", "/containers/create", {"Image": "box", "HostConfig": host}).status == 201


def test_an_image_names_no_owner(csbx, box):
    """The label ties a container to a process of the host, at whose end it is removed: the caller's word alone."""
    csbx.ok("docker", "build", "-q", "-t", "mine", "-", stdin="FROM box\nLABEL csbx.owner=999999999 other=x\n")
    assert csbx.ok("docker", "run", "--name", "kept", "mine", "echo", "ran") == "ran\n"
    csbx.ok("gc")
    assert csbx.ok("docker", "ps", "-a", "--format", "{{.Names}} {{.Labels}}") == "kept other=x\n"
    p = csbx.run("docker", "create", "--label", "csbx.owner=999999999", "mine")
    assert p.returncode == 1 and "is gone" in p.stderr, p.stderr
