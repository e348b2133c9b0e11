/* SPDX-License-Identifier: Apache-2.0 */
#include "image/oci/json.h"

#include "image/model/digest.h"
#include "image/oci/docker_json.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "tests/unit/tap.h"

#define HEX_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define HEX_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define CONFIG_TYPE "application/vnd.oci.image.config.v1+json"
#define LAYER_TYPE "application/vnd.oci.image.layer.v1.tar+gzip"
#define DOCKER_LIST "application/vnd.docker.distribution.manifest.list.v2+json"
#define DOCKER_MANIFEST "application/vnd.docker.distribution.manifest.v2+json"

#define DESC(type, hex, size) \
	"{\"mediaType\":\"" type "\",\"digest\":\"sha256:" hex "\",\"size\":" size "}"
#define CONFIG "\"config\":" DESC(CONFIG_TYPE, HEX_A, "10")
#define LAYERS(list) "\"layers\":[" list "]"
#define LAYER DESC(LAYER_TYPE, HEX_B, "20")
#define V2 "\"schemaVersion\":2,"
#define ENTRIES "\"manifests\":[" DESC(OCI_MEDIA_MANIFEST, HEX_A, "5") "]"
#define MANIFEST "{" V2 CONFIG "," LAYERS(LAYER) "}"
#define INDEX "{" V2 ENTRIES "}"

static const struct {
	const char *text, *referred;
	int kind; /* -1: refused */
	const char *why;
} documents[] = {
	{MANIFEST, NULL, OCI_MANIFEST},
	{MANIFEST, OCI_MEDIA_MANIFEST, OCI_MANIFEST},
	{MANIFEST, DOCKER_MANIFEST, OCI_MANIFEST},
	{INDEX, NULL, OCI_INDEX},
	{INDEX, DOCKER_LIST, OCI_INDEX},
	{"{" V2 "\"manifests\":null}", NULL, OCI_INDEX},
	{"{" V2 "\"manifests\":[]}", NULL, OCI_INDEX},
	{"{" V2 CONFIG ",\"layers\":[]}", NULL, OCI_MANIFEST},
	{"{" V2 "\"mediaType\":\"" OCI_MEDIA_MANIFEST "\"," CONFIG "," LAYERS(LAYER) "}",
	 OCI_MEDIA_MANIFEST, OCI_MANIFEST},
	/* confusion */
	{INDEX, OCI_MEDIA_MANIFEST, -1, "reference says"},
	{MANIFEST, OCI_MEDIA_INDEX, -1, "reference says"},
	{"{" V2 CONFIG "," LAYERS(LAYER) "," ENTRIES "}", NULL, -1,
	 "of an index and of a manifest"},
	{"{" V2 ENTRIES ",\"layers\":null}", NULL, -1, "of an index and of a manifest"},
	{"{" V2 "\"mediaType\":\"" OCI_MEDIA_INDEX "\"," CONFIG "," LAYERS(LAYER) "}", NULL, -1,
	 "mediaType says"},
	{"{" V2 "\"mediaType\":\"" DOCKER_MANIFEST "\"," CONFIG "," LAYERS(LAYER) "}",
	 OCI_MEDIA_MANIFEST, -1, "referred to as"},
	{"{" V2 "\"mediaType\":\"text/html\"," CONFIG "," LAYERS(LAYER) "}", NULL, -1,
	 "not a container image"},
	{"{" V2 CONFIG "," LAYERS(DESC(LAYER_TYPE, HEX_A, "20")) "}", NULL, -1,
	 "digest of the config"},
	{"{" V2 CONFIG ",\"Layers\":[]," LAYERS(LAYER) "}", NULL, -1, "\"layers\" is meant"},
	{"{" V2 CONFIG "," LAYERS(LAYER) "," LAYERS(LAYER) "}", NULL, -1, "twice"},
	{MANIFEST "x", NULL, -1, "after the document"},
	/* versions and foreign things */
	{"{\"schemaVersion\":1,\"fsLayers\":[]}", NULL, -1, "schema 1"},
	{"{" CONFIG "," LAYERS(LAYER) "}", NULL, -1, "schemaVersion"},
	{"{\"schemaVersion\":3," CONFIG "," LAYERS(LAYER) "}", NULL, -1, "schemaVersion"},
	{"{" V2 "\"blobs\":[]}", NULL, -1, "neither"},
	{"[]", NULL, -1, "object"},
	{"{" V2
	 "\"config\":" DESC("application/vnd.oci.empty.v1+json", HEX_A, "2") "," LAYERS(LAYER) "}",
	 NULL, -1, "artifact"},
	{"{" V2 CONFIG "," LAYERS(DESC(LAYER_TYPE "+encrypted", HEX_B, "20")) "}", NULL, -1,
	 "encrypted"},
	{"{" V2 CONFIG "," LAYERS(DESC("application/x-foo", HEX_B, "20")) "}", NULL, -1,
	 "file system layer"},
	{"{" V2 LAYERS(LAYER) "}", NULL, -1, "config: missing"},
	/* descriptors */
	{"{" V2 CONFIG "," LAYERS(DESC(LAYER_TYPE, "../../../../etc/passwd", "20")) "}", NULL, -1,
	 "layers[0]"},
	{"{" V2 CONFIG "," LAYERS(DESC(LAYER_TYPE, "ABC", "20")) "}", NULL, -1, "layers[0]"},
	{"{" V2 CONFIG "," LAYERS(DESC(LAYER_TYPE, HEX_B, "-1")) "}", NULL, -1, "size"},
	{"{" V2 CONFIG "," LAYERS(DESC(LAYER_TYPE, HEX_B, "1.5")) "}", NULL, -1, "size"},
	{"{" V2 CONFIG "," LAYERS(DESC(LAYER_TYPE, HEX_B, "9007199254740993")) "}", NULL, -1,
	 "size"},
	{"{" V2 CONFIG "," LAYERS(DESC(LAYER_TYPE, HEX_B, "\"20\"")) "}", NULL, -1, "size"},
	{"{" V2 CONFIG "," LAYERS("{\"mediaType\":\"" LAYER_TYPE "\",\"size\":1}") "}", NULL, -1,
	 "digest: missing"},
	{"{" V2 CONFIG "," LAYERS("{\"digest\":\"sha256:" HEX_B "\",\"size\":1}") "}", NULL, -1,
	 "mediaType"},
	{"{" V2 CONFIG "," LAYERS("1") "}", NULL, -1, "layers[0]: not an object"},
	{"{" V2 CONFIG ",\"layers\":{}}", NULL, -1, "layers: not an array"},
	{"{" V2 "\"manifests\":[{\"mediaType\":\"" OCI_MEDIA_MANIFEST
	 "\",\"digest\":\"sha256:" HEX_A "\",\"size\":1,\"platform\":{\"os\":1}}]}",
	 NULL, -1, "platform: os"},
};

static void test_documents(void)
{
	for (unsigned i = 0; i < sizeof(documents) / sizeof(documents[0]); i++) {
		_oci_document_ struct oci_document d = {0};
		struct err e = ERR_INIT;
		int r = oci_document_parse(documents[i].text, strlen(documents[i].text),
					   documents[i].referred, &d, &e);

		is_int(r < 0 ? -1 : (int)d.kind, documents[i].kind, "document %u", i);
		if (documents[i].kind < 0)
			ok(strstr(e.msg, documents[i].why), "says \"%s\": %s", documents[i].why,
			   e.msg);
		else if (r < 0)
			printf("# %s\n", e.msg);
	}
}

static void test_members(void)
{
	static const char text[] =
		"{" V2 "\"manifests\":[{\"mediaType\":\"" OCI_MEDIA_INDEX
		"\",\"digest\":\"sha256:" HEX_A "\",\"size\":7,\"platform\":{\"os\":\"linux\","
		"\"architecture\":\"arm\",\"variant\":\"v7\"},"
		"\"annotations\":{\"org.opencontainers.image.ref.name\":\"v1\","
		"\"io.containerd.image.name\":\"docker.io/library/x:v1\"}},"
		"{\"mediaType\":\"" OCI_MEDIA_MANIFEST "\",\"digest\":\"sha256:" HEX_B
		"\",\"size\":8,"
		"\"annotations\":{\"vnd.docker.reference.type\":\"attestation-manifest\"}}]}";
	_oci_document_ struct oci_document d = {0};
	struct err e = ERR_INIT;

	if (!ok(!oci_document_parse(text, strlen(text), NULL, &d, &e) && d.n == 2, "an index: %s",
		e.msg))
		return;
	is_str(d.entries[0].digest.hex, HEX_A, "digest");
	is_int(d.entries[0].size_bytes, 7, "size");
	is_str(d.entries[0].variant, "v7", "variant");
	is_str(d.entries[0].ref_name, "v1", "reference");
	is_str(d.entries[0].image_name, "docker.io/library/x:v1", "containerd's name");
	ok(!d.entries[0].attestation && d.entries[1].attestation, "attestation");
	ok(!d.entries[1].os, "no platform");
}

static void test_too_many_layers(void)
{
	_strbuf_ struct strbuf b = STRBUF_INIT;
	_oci_document_ struct oci_document d = {0};
	struct err e = ERR_INIT;

	strbuf_addstr(&b, "{" V2 CONFIG ",\"layers\":[" LAYER);
	for (int i = 0; i < OCI_LAYERS_MAX; i++)
		strbuf_addstr(&b, "," LAYER);
	strbuf_addstr(&b, "]}");
	is_int(oci_document_parse(b.data, b.len, NULL, &d, &e), -E2BIG, "too many layers: %s",
	       e.msg);
}

static void test_docker(void)
{
	static const struct {
		const char *text;
		int n; /* -1: refused */
	} tests[] = {
		{"null", 0},
		{"[]", 0},
		{"[{\"Config\":\"c.json\",\"RepoTags\":null,\"Layers\":[\"a/layer.tar\"]}]", 1},
		{"[{\"Config\":\"c.json\",\"Layers\":null}]", 1},
		{"[{\"Config\":\"a\",\"RepoTags\":[\"x:1\",\"x:2\"],\"Layers\":[]},{\"Config\":"
		 "\"b\"}]",
		 2},
		{"{}", -1},
		{"[{}]", -1},
		{"[null]", -1},
		{"[{\"Config\":\"\"}]", -1},
		{"[{\"Config\":1}]", -1},
		{"[{\"Config\":\"c\",\"Layers\":[1]}]", -1},
		{"[{\"config\":\"c\"}]", -1},
		{"[{\"Config\":\"c\",\"config\":\"d\"}]", -1},
		{"[{\"Config\":\"c\",\"RepoTags\":\"x\"}]", -1},
	};

	for (unsigned i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		_docker_images_ struct docker_images l = {0};
		struct err e = ERR_INIT;
		int r = docker_images_parse(tests[i].text, strlen(tests[i].text), &l, &e);

		is_int(r < 0 ? -1 : (int)l.n, tests[i].n, "manifest.json %s: %s", tests[i].text,
		       e.msg);
	}
}

static void test_layout(void)
{
	static const struct {
		const char *text;
		bool fine;
	} tests[] = {
		{"{\"imageLayoutVersion\":\"1.0.0\"}", true},
		{"{\"imageLayoutVersion\":\"2.0.0\"}", false},
		{"{}", false},
		{"[]", false},
		{"", false},
		{"{\"imageLayoutVersion\":1}", false},
	};

	for (unsigned i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		is_int(!oci_layout_check(tests[i].text, strlen(tests[i].text), NULL), tests[i].fine,
		       "oci-layout %s", tests[i].text);
}

int main(void)
{
	test_documents();
	test_members();
	test_too_many_layers();
	test_docker();
	test_layout();
	return done_testing();
}
