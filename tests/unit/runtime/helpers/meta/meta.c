/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/err.h"
#include "runtime/base/flat.h"
#include "runtime/server/image_meta.h"
#include "runtime/helpers/meta/meta.h"
#include "tests/unit/tap.h"

/* The record a config gives; decoded, as a start would. */
static int parse(const char *json, struct image_meta *ret, struct err *e)
{
	struct flat_writer w;
	int r;

	flat_begin(&w, IMAGE_META_MAGIC, IMAGE_META_VERSION);
	r = meta_add_config(&w, json, strlen(json), e);
	if (r >= 0)
		r = flat_end(&w, e);
	if (r >= 0)
		r = image_meta_decode(ret, w.buf.data, w.buf.len, e);
	flat_free(&w);
	return r;
}

static void test_whole(void)
{
	struct err e = ERR_INIT;
	struct image_meta m;

	is_int(parse("{\"architecture\":\"amd64\",\"created\":\"2024-01-01T00:00:00Z\",\"config\":{"
		     "\"User\":\"app:staff\",\"WorkingDir\":\"/w\",\"StopSignal\":\"SIGINT\","
		     "\"Env\":[\"PATH=/bin\",\"E=\"],\"Entrypoint\":[\"/e\"],\"Cmd\":[\"a\",\"\"],"
		     "\"Labels\":{\"k\":\"v=w\",\"\":\"\",\"n\":null},\"Volumes\":{\"/v\":{}},"
		     "\"ExposedPorts\":{\"80/tcp\":{}}},\"rootfs\":{\"type\":\"layers\"}} \n",
		     &m, &e),
	       0, "a whole config");
	is_str(m.arch, "amd64", "architecture");
	is_str(m.user, "app:staff", "user");
	is_str(m.workdir, "/w", "working directory");
	is_str(m.stop_signal, "SIGINT", "stop signal");
	ok(m.env.n == 2 && !strcmp(m.env.items[1], "E="), "environment");
	ok(m.entrypoint.n == 1 && m.cmd.n == 2 && !*m.cmd.items[1], "entry point and command");
	ok(m.labels.n == 3 && !strcmp(m.labels.items[0], "k=v=w"), "labels");
	is_str(m.labels.items[2], "n=", "a label without a value");
	is_str(m.volumes.items[0], "/v", "volume");
	is_str(m.ports.items[0], "80/tcp", "port");
	image_meta_free(&m);
}

static void test_sparse(void)
{
	static const char *const good[] = {
		"{}",
		"{\"config\":null}",
		"{\"config\":{}}",
		"{\"config\":{\"User\":\"\",\"Env\":null,\"Labels\":null,\"Entrypoint\":[]}}",
		"{\"config\":{\"hostname\":5},\"Rootfs\":1}",
		"{\"config\":{\"Cmd\":[\"\\\\u0000 is a backslash and text\"]}}",
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct err e = ERR_INIT;
		struct image_meta m;
		int r = parse(good[i], &m, &e);

		is_int(r, 0, "taken: %s", good[i]);
		if (r >= 0) {
			ok(!m.user && !m.env.n, "and says nothing of user and environment");
			image_meta_free(&m);
		}
	}
}

static void test_refusals(void)
{
	static const char *const bad[] = {
		"",
		"[]",
		"null",
		"{",
		"{} {}",
		"{}x",
		"{\"config\":[]}",
		"{\"config\":{\"Env\":\"A=b\"}}",
		"{\"config\":{\"Env\":[1]}}",
		"{\"config\":{\"Env\":[null]}}",
		"{\"config\":{\"User\":0}}",
		"{\"config\":{\"User\":\"a\",\"User\":\"root\"}}",
		"{\"config\":{},\"config\":{}}",
		"{\"config\":{\"Labels\":{\"a\":1}}}",
		"{\"config\":{\"Volumes\":[\"/v\"]}}",
		"{\"config\":{\"User\":\"root\\u0000x\"}}",
		"{\"config\":{\"User\":\"\\\\\\u0000\"}}",
		"{\"config\":{\"User\":\"\xff\"}}",
		/* As an import refuses them: other readers would take these for the known names. */
		"{\"config\":{\"env\":[\"other case\"]}}",
		"{\"config\":{\"u\\u017fer\":\"root\"}}",
		"{\"Config\":{}}",
		/* Twice where nothing is read, too. */
		"{\"config\":{\"Labels\":{\"a\":\"1\",\"\\u0061\":\"2\"}}}",
		"{\"x\":1,\"x\":2}",
		"{\"x\":01}",
		"{\"x\":\"\\ud800\"}",
		"\xef\xbb\xbf{}",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err e = ERR_INIT;
		struct image_meta m;

		is_int(parse(bad[i], &m, &e), -EBADMSG, "refused: %s", bad[i]);
		ok(!strncmp(e.msg, "image config", 12), "says of what: %s", e.msg);
	}
}

static void test_deep(void)
{
	size_t n = 200000;
	char *text = malloc(n);
	struct err e = ERR_INIT;
	struct image_meta m;

	memset(text, '[', n - 1);
	text[n - 1] = 0;
	is_int(parse(text, &m, &e), -EBADMSG, "nested without end");
	free(text);
}

int main(void)
{
	test_whole();
	test_sparse();
	test_refusals();
	test_deep();
	return done_testing();
}
