/* SPDX-License-Identifier: Apache-2.0 */
#include "image/table/ref.h"

#include "image/model/digest.h"
#include "image/oci/source_uri.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "tests/unit/tap.h"

#define HEX64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define HUB REF_HUB

static const struct {
	const char *text, *user, *registry, *repository, *tag, *name;
	bool digest;
} good[] = {
	{"ubuntu", NULL, HUB, "library/ubuntu", "latest", "ubuntu+latest"},
	{"ubuntu:22.04", NULL, HUB, "library/ubuntu", "22.04", "ubuntu+22.04"},
	{"library/ubuntu", NULL, HUB, "library/ubuntu", "latest", "ubuntu+latest"},
	{"nvidia/cuda:12", NULL, HUB, "nvidia/cuda", "12", "nvidia+cuda+12"},
	{"docker.io/ubuntu", NULL, HUB, "library/ubuntu", "latest", "ubuntu+latest"},
	{"index.docker.io/a/b", NULL, HUB, "a/b", "latest", "a+b+latest"},
	{"registry-1.docker.io#a", NULL, HUB, "library/a", "latest", "a+latest"},
	{"nvcr.io/nvidia/pytorch:24.01-py3", NULL, "nvcr.io", "nvidia/pytorch", "24.01-py3",
	 "nvidia+pytorch+24.01-py3"},
	{"nvcr.io#nvidia/pytorch:24.01-py3", NULL, "nvcr.io", "nvidia/pytorch", "24.01-py3",
	 "nvidia+pytorch+24.01-py3"},
	{"$oauthtoken@nvcr.io#nvidia/cuda", "$oauthtoken", "nvcr.io", "nvidia/cuda", "latest",
	 "nvidia+cuda+latest"},
	{"me@example.org@ghcr.io/x/y", "me@example.org", "ghcr.io", "x/y", "latest", "x+y+latest"},
	{"localhost/x", NULL, "localhost", "x", "latest", "x+latest"},
	{"localhost:5000/x:1", NULL, "localhost:5000", "x", "1", "x+1"},
	{"host#x", NULL, "host", "x", "latest", "x+latest"},
	{"[::1]:5000/x", NULL, "[::1]:5000", "x", "latest", "x+latest"},
	{"a/b/c/d", NULL, HUB, "a/b/c/d", "latest", "a+b+c+d+latest"},
	{"ubuntu@sha256:" HEX64, NULL, HUB, "library/ubuntu", "latest", "ubuntu+sha256:" HEX64,
	 true},
	{"ubuntu:22.04@sha256:" HEX64, NULL, HUB, "library/ubuntu", "22.04", "ubuntu+sha256:" HEX64,
	 true},
	{"u@h.io/x@sha256:" HEX64, "u", "h.io", "x", "latest", "x+sha256:" HEX64, true},
	{"a.b_c__d-e---f/g", NULL, "a.b_c__d-e---f", "g", "latest", NULL},
	{"ns/a.b_c__d-e---f", NULL, HUB, "ns/a.b_c__d-e---f", "latest", "ns+a.b_c__d-e---f+latest"},
};

static const char *const bad[] = {
	"",
	":",
	"/",
	"#",
	"@",
	":tag",
	"x:",
	"x/",
	"/x",
	"a//b",
	"X",
	"a/B",
	"x:ta g",
	"x:.t",
	"x:-t",
	"a..b",
	"a___b",
	".a",
	"a.",
	"-a",
	"a-",
	"a/../b",
	"../a",
	"a/.",
	"x\n",
	"x:t\n",
	"#x",
	"host#",
	"h ost#x",
	"host:99999#x",
	"host:#x",
	"-h#x",
	"h-.io#x",
	"h..io#x",
	"@x",
	"u u@h.io/x",
	"x@sha256:abc",
	("x@sha256:" HEX64 "0"),
	"x@sha512:" HEX64,
	"x@sha256:../../x",
	"a\\b",
	"a%2fb",
	"user@",
	"a:b:c",
	"[::1#x",
	"[]#x",
};

static void test_parse(void)
{
	_strbuf_ struct strbuf longest = STRBUF_INIT;

	for (unsigned i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		_image_ref_ struct image_ref r = {0};
		struct err e = ERR_INIT;
		_free_ char *name = NULL;

		if (!good[i].name) {
			ok(image_ref_parse(good[i].text, &r, &e) < 0, "refuses %s", good[i].text);
			continue;
		}
		if (!ok(!image_ref_parse(good[i].text, &r, &e), "parses %s", good[i].text)) {
			printf("# %s\n", e.msg);
			continue;
		}
		is_str(r.user, good[i].user, "user");
		is_str(r.registry, good[i].registry, "registry");
		is_str(r.repository, good[i].repository, "repository");
		is_str(r.tag, good[i].tag, "tag");
		is_int(digest_is_set(&r.digest), good[i].digest, "digest");
		name = image_ref_output_name(&r);
		is_str(name, good[i].name, "output name");
	}
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		_image_ref_ struct image_ref r = {0};
		struct err e = ERR_INIT;

		ok(image_ref_parse(bad[i], &r, &e) < 0 && *e.msg, "refuses \"%s\": %s", bad[i],
		   e.msg);
	}
	for (int i = 0; i < 300; i++)
		strbuf_addch(&longest, 'a');
	ok(image_ref_parse(longest.data, &(struct image_ref){0}, NULL) < 0, "refuses 300 letters");
}

static void test_same(void)
{
	ok(image_ref_same("busybox", "docker.io/library/busybox:latest"), "short and long form");
	ok(image_ref_same("a/b:1", "index.docker.io/a/b:1"), "aliases of the hub");
	ok(!image_ref_same("a/b:1", "a/b:2"), "other tag");
	ok(!image_ref_same("a/b", "ghcr.io/a/b"), "other registry");
	ok(!image_ref_same("Bad", "Bad"), "what is no reference equals nothing");
}

static bool exists(const char *path)
{
	static const char *const there[] = {"d", "d:x", "i.tar",      "we@ird:dir",
					    "/", ".",   "t/py.tar.gz"};

	for (unsigned i = 0; i < sizeof(there) / sizeof(there[0]); i++) {
		if (str_eq(path, there[i]))
			return true;
	}
	return false;
}

static const struct {
	const char *text;
	enum source_kind kind;
	const char *path;
	enum source_select select;
	const char *ref, *name;
} uris[] = {
	{"oci:d", SOURCE_OCI_LAYOUT, "d", SELECT_ANY, NULL, "d"},
	{"oci:d/", SOURCE_OCI_LAYOUT, "d/", SELECT_ANY, NULL, "d"},
	{"oci:d:v1", SOURCE_OCI_LAYOUT, "d", SELECT_REF, "v1", "d+v1"},
	{"oci:d:x", SOURCE_OCI_LAYOUT, "d:x", SELECT_ANY, NULL, "d:x"},
	{"oci:d:x:v1", SOURCE_OCI_LAYOUT, "d:x", SELECT_REF, "v1", "d:x+v1"},
	{"oci:we@ird:dir:1", SOURCE_OCI_LAYOUT, "we@ird:dir", SELECT_REF, "1", "we@ird:dir+1"},
	{"oci:d@3", SOURCE_OCI_LAYOUT, "d", SELECT_PLACE, NULL, "d+3"},
	{"oci:d:@3", SOURCE_OCI_LAYOUT, "d", SELECT_PLACE, NULL, "d+3"},
	{"oci:d@sha256:" HEX64, SOURCE_OCI_LAYOUT, "d", SELECT_DIGEST, NULL, "d+sha256:" HEX64},
	{"oci:none:v1", SOURCE_OCI_LAYOUT, "none", SELECT_REF, "v1", "none+v1"},
	{"oci:.", SOURCE_OCI_LAYOUT, ".", SELECT_ANY, NULL, "BASE"},
	{"oci:/", SOURCE_OCI_LAYOUT, "/", SELECT_ANY, NULL, "BASE"},
	{"docker-archive:i.tar", SOURCE_DOCKER_ARCHIVE, "i.tar", SELECT_ANY, NULL, "i"},
	{"docker-archive:i.tar:busybox:1.36", SOURCE_DOCKER_ARCHIVE, "i.tar", SELECT_REF,
	 "busybox:1.36", "busybox+1.36"},
	{"docker-archive:i.tar:ghcr.io/a/b:c", SOURCE_DOCKER_ARCHIVE, "i.tar", SELECT_REF,
	 "ghcr.io/a/b:c", "a+b+c"},
	{"oci-archive:t/py.tar.gz", SOURCE_OCI_ARCHIVE, "t/py.tar.gz", SELECT_ANY, NULL, "py"},
	{"tar:i.tar:x", SOURCE_TAR, "i.tar:x", SELECT_ANY, NULL, "i.tar:x"},
	{"tar:-", SOURCE_TAR, "-", SELECT_ANY, NULL, "BASE"},
	{"oci-archive:-:v1", SOURCE_OCI_ARCHIVE, "-", SELECT_REF, "v1", "BASE+v1"},
	{"-", SOURCE_SNIFF, "-", SELECT_ANY, NULL, "BASE"},
	{"tar:..tar", SOURCE_TAR, "..tar", SELECT_ANY, NULL, "BASE"},
	{"dir:d", SOURCE_DIRECTORY, "d", SELECT_ANY, NULL, "d"},
	{"a/b:c", SOURCE_SNIFF, "a/b:c", SELECT_ANY, NULL, "b:c"},
	{"dockerd://app", SOURCE_DOCKERD, "app", SELECT_ANY, NULL, "app"},
	{"podman://h:5000/a/b:1", SOURCE_PODMAN, "h:5000/a/b:1", SELECT_ANY, NULL, "h+5000+a+b+1"},
};

static const char *const bad_uris[] = {
	"",
	"oci:",
	"oci::x",
	"oci:d:",
	"oci:d@x",
	"oci:d@",
	"oci:d:@-1",
	"oci:d@sha256:../../etc",
	("oci:d@sha256:" HEX64 "00"),
	"oci:d@99999999999999999999",
	"dir:",
	"docker://ubuntu",
	"podman://",
	"dockerd://-v",
	"dockerd://a b",
};

static void test_uris(void)
{
	for (unsigned i = 0; i < sizeof(uris) / sizeof(uris[0]); i++) {
		_source_uri_ struct source_uri u = {0};
		struct err e = ERR_INIT;
		_free_ char *name = NULL;

		if (!ok(!source_uri_parse(uris[i].text, exists, &u, &e), "parses %s",
			uris[i].text)) {
			printf("# %s\n", e.msg);
			continue;
		}
		is_int(u.kind, uris[i].kind, "kind");
		is_str(u.path, uris[i].path, "path");
		is_int(u.select, uris[i].select, "selection");
		is_str(u.ref, uris[i].ref, "selected name");
		name = source_uri_name(&u, "BASE");
		is_str(name, uris[i].name, "output name");
	}
	for (unsigned i = 0; i < sizeof(bad_uris) / sizeof(bad_uris[0]); i++) {
		_source_uri_ struct source_uri u = {0};
		struct err e = ERR_INIT;

		ok(source_uri_parse(bad_uris[i], exists, &u, &e) < 0 && *e.msg,
		   "refuses \"%s\": %s", bad_uris[i], e.msg);
	}
}

int main(void)
{
	test_parse();
	test_same();
	test_uris();
	return done_testing();
}
