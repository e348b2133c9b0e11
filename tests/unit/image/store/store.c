/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache: names, blobs on their way, two directories, the report, what pruning takes and leaves.
 */
#include "image/store/store.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "image/model/digest.h"
#include "image/layer/layer.h"
#include "image/layer/index.h"
#include "image/oci/json.h"
#include "image/oci/platform.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"
#include "tests/unit/tap.h"

#define ARCH_A "amd64"
#define ARCH_B "arm64"
#define LAYER_BYTES 100000u /* more than what pruning takes for a document */
#define HOUR_S 3600u

static const struct platform platform_a = {.os = "linux", .arch = ARCH_A};

struct fixture {
	char dir[TAP_PATH_SIZE];
	struct store *s;
};

static void begin(struct fixture *f)
{
	struct err e = ERR_INIT;

	*f = (struct fixture){.dir = "store"};
	if (!tap_mkdtemp(f->dir) || store_open(&f->s, f->dir, NULL, &e) < 0) {
		printf("Bail out! %s\n", e.msg);
		exit(1);
	}
}

static void end(struct fixture *f)
{
	store_close(&f->s);
	path_remove_tree_at(AT_FDCWD, f->dir, NULL);
}

static void file_of(const struct fixture *f, const struct digest *d, char path[512])
{
	snprintf(path, 512, "%s/oci/blobs/%s/%s", f->dir, d->alg, d->hex);
}

static bool has_file(const struct fixture *f, const struct digest *d)
{
	char path[512];

	file_of(f, d, path);
	return !access(path, F_OK);
}

static void age(const char *path, uint64_t seconds)
{
	const struct timespec then = {.tv_sec = time(NULL) - (time_t)seconds};

	utimensat(AT_FDCWD, path, (struct timespec[]){then, then}, 0);
}

static struct digest add_blob(struct fixture *f, const char *data, size_t len)
{
	struct digest d = {{0}, {0}};

	digest_of(data, len, &d, NULL);
	store_add_blob(f->s, &d, data, len, NULL);
	return d;
}

/* A layer of one byte repeated. */
static struct digest add_layer(struct fixture *f, char byte)
{
	_free_ char *data = malloc(LAYER_BYTES);

	memset(data, byte, LAYER_BYTES);
	return add_blob(f, data, LAYER_BYTES);
}

/* An image of two layers, last used so long ago; its manifest. */
static struct digest add_image(struct fixture *f, const char *name, const char *arch,
			       const struct digest *one, const struct digest *two, uint64_t age_s)
{
	_free_ char *config = str_printf("{\"of\":\"%s %s\"}", name, arch), *text = NULL;
	struct digest c = add_blob(f, config, strlen(config)), m;
	struct store_image image = {.name = (char *)(uintptr_t)name,
				    .media_type = (char *)(uintptr_t)OCI_MEDIA_MANIFEST,
				    .os = (char *)"linux",
				    .arch = (char *)(uintptr_t)arch};
	char path[512];

	text = str_printf(
		"{\"schemaVersion\":2,\"mediaType\":\"%s\",\"config\":{\"mediaType\":"
		"\"application/"
		"vnd.oci.image.config.v1+json\",\"digest\":\"sha256:%s\",\"size\":%zu},"
		"\"layers\":[{\"mediaType\":\"application/vnd.oci.image.layer.v1.tar\",\"digest\":"
		"\"sha256:%s\",\"size\":%u},{\"mediaType\":\"application/"
		"vnd.oci.image.layer.v1.tar\","
		"\"digest\":\"sha256:%s\",\"size\":%u}]}",
		OCI_MEDIA_MANIFEST, c.hex, strlen(config), one->hex, LAYER_BYTES, two->hex,
		LAYER_BYTES);
	m = add_blob(f, text, strlen(text));
	image.manifest = image.root = m;
	image.size_bytes = strlen(text);
	store_put_image(f->s, &image, NULL);
	file_of(f, &m, path);
	age(path, age_s);
	return m;
}

/* --- names ---------------------------------------------------------------------------------- */

static void put_name(struct fixture *f, const char *name, const char *arch, char hex)
{
	struct store_image i = {.name = (char *)(uintptr_t)name,
				.media_type = (char *)(uintptr_t)OCI_MEDIA_MANIFEST,
				.size_bytes = 100,
				.os = (char *)"linux",
				.arch = (char *)(uintptr_t)arch};

	snprintf(i.manifest.alg, sizeof(i.manifest.alg), "sha256");
	memset(i.manifest.hex, hex, 64);
	i.root = i.manifest;
	ok(store_put_image(f->s, &i, NULL) >= 0, "%s for %s is %c", name, arch, hex);
}

static char found(struct fixture *f, const char *name)
{
	struct digest d;

	return store_find_name(f->s, name, &platform_a, &d, NULL) < 0 ? '-' : d.hex[0];
}

static void test_names(void)
{
	_store_images_ struct store_images l = {0};
	struct fixture f;
	char path[512];

	begin(&f);
	is_int(found(&f, "app:1"), '-', "nothing yet");
	put_name(&f, "app:1", ARCH_B, 'b');
	is_int(found(&f, "app:1"), 'b', "one for another platform is better than none");
	put_name(&f, "app:1", ARCH_A, 'a');
	is_int(found(&f, "app:1"), 'a', "one for ours is better");
	put_name(&f, "app:1", ARCH_A, 'c');
	is_int(found(&f, "app:1"), 'c', "the tag has moved");
	is_int(found(&f, "app:2"), '-', "another tag");
	store_images(f.s, &l, NULL);
	is_int((long)l.n, 2, "one entry for each platform");

	snprintf(path, sizeof(path), "%s/oci/index.json", f.dir);
	is_int(truncate(path, 20), 0, "torn by a crash");
	is_int(found(&f, "app:1"), '-', "names nothing, and is no error");
	put_name(&f, "app:1", ARCH_A, 'd');
	is_int(found(&f, "app:1"), 'd', "and is written anew");
	end(&f);
}

/* --- blobs ---------------------------------------------------------------------------------- */

static void test_on_their_way(void)
{
	static const char text[] = "a blob";
	struct fixture f;
	struct digest d;
	uint64_t bytes;
	int fd;

	begin(&f);
	digest_of(text, 6, &d, NULL);
	fd = store_begin_blob(f.s, &d, 6, &bytes, NULL);
	ok(fd > 0 && !bytes, "begun");
	io_pwrite_all(fd, text, 2, 0, NULL);
	is_int(store_begin_blob(f.s, &d, 6, &bytes, NULL), -EBUSY, "by one at a time");
	is_int((long)bytes, 2, "the other sees how far it is");
	fd_close(&fd);
	fd = store_begin_blob(f.s, &d, 6, &bytes, NULL);
	ok(fd > 0 && bytes == 2, "gone on from what a killed one left");
	io_pwrite_all(fd, text, 6, 0, NULL);
	ok(!store_has_blob(f.s, &d, 6), "not there before it is whole");
	is_int(store_commit_blob(f.s, &d, fd, NULL), 0, "whole");
	fd_close(&fd);
	ok(store_has_blob(f.s, &d, 6), "there");
	is_int(store_begin_blob(f.s, &d, 6, &bytes, NULL), 0, "nothing left to do");
	ok(!store_has_blob(f.s, &d, 7) && !store_has_blob(f.s, &d, 6), "a wrong size is dropped");
	end(&f);
}

static void test_damaged(void)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	struct fixture f;
	struct digest d;
	char path[512];

	begin(&f);
	d = add_blob(&f, "right", 5);
	is_int(store_read_blob(f.s, &d, 100, &text, NULL), 0, "read");
	is_str(strbuf_str(&text), "right", "its text");
	file_of(&f, &d, path);
	is_int(truncate(path, 3), 0, "a bad disk");
	ok(store_read_blob(f.s, &d, 100, &text, NULL) < 0, "is noticed");
	ok(!has_file(&f, &d), "and the blob forgotten");
	d = add_blob(&f, "right", 5);
	is_int(store_read_blob(f.s, &d, 100, &text, NULL), 0, "so that it can come again");
	end(&f);
}

static void test_shared(void)
{
	_store_ struct store *s = NULL;
	_strbuf_ struct strbuf text = STRBUF_INIT;
	struct fixture shared, own;
	struct digest d;

	begin(&shared);
	begin(&own);
	d = add_blob(&shared, "common", 6);
	put_name(&shared, "app:1", ARCH_A, 'a');
	store_open(&s, own.dir, shared.dir, NULL);
	ok(store_has_blob(s, &d, 6), "a blob of the shared directory");
	store_close(&own.s);
	own.s = take_ptr(s);
	is_int(found(&own, "app:1"), 'a', "a name of it");
	store_drop_blob(own.s, &d);
	ok(!store_has_blob(own.s, &d, 6) && has_file(&shared, &d), "asked no more, not deleted");
	add_blob(&own, "common", 6);
	is_int(store_read_blob(own.s, &d, 100, &text, NULL), 0, "then our own counts");
	end(&own);
	end(&shared);
}

/* --- report and pruning --------------------------------------------------------------------- */

struct world {
	struct fixture f;
	struct digest base, top_new, top_old, new, old;
};

/* Two images on one base; `old` was used two hours ago. */
static void make_world(struct world *w)
{
	begin(&w->f);
	w->base = add_layer(&w->f, 'b');
	w->top_new = add_layer(&w->f, 'n');
	w->top_old = add_layer(&w->f, 'o');
	w->new = add_image(&w->f, "new:1", ARCH_A, &w->base, &w->top_new, 0);
	w->old = add_image(&w->f, "old:1", ARCH_A, &w->base, &w->top_old, 2 * HOUR_S);
}

static void test_report(void)
{
	_store_report_ struct store_report r = {0}, again = {0};
	struct world w;
	uint64_t bytes;
	char path[512];
	int fd;

	make_world(&w);
	is_int(store_report(w.f.s, &r, NULL), 0, "a report");
	is_int((long)r.n, 2, "of both");
	is_str(r.items[0].image.name, "new:1", "last used first");
	ok(r.items[0].complete && r.items[1].complete && !r.items[0].in_use, "complete, idle");
	ok(r.items[0].bytes > 2 * LAYER_BYTES && r.items[0].own_bytes > LAYER_BYTES &&
		   r.items[0].own_bytes < 2 * LAYER_BYTES,
	   "the base is shared");
	ok(r.total_bytes > 3 * LAYER_BYTES && r.total_bytes < 4 * LAYER_BYTES, "and counted once");

	fd = store_open_blob(w.f.s, &w.top_new, &bytes, NULL);
	store_drop_blob(w.f.s, &w.top_old);
	file_of(&w.f, &w.new, path);
	is_int(truncate(path, 10), 0, "a manifest is damaged");
	is_int(store_report(w.f.s, &again, NULL), 0, "a report of what is left");
	for (size_t i = 0; i < again.n; i++)
		ok(!again.items[i].complete, "%s is not complete", again.items[i].image.name);
	fd_close(&fd);
	end(&w.f);
}

static void note(void *arg, const struct store_usage *u)
{
	struct strbuf *b = arg;

	strbuf_addf(b, "%s ", u->image.name);
}

static uint64_t prune(struct world *w, uint64_t max_bytes, uint64_t unused_s, bool dry,
		      const char *want)
{
	_strbuf_ struct strbuf gone = STRBUF_INIT;
	const struct store_prune how = {.max_bytes = max_bytes,
					.unused_s = unused_s,
					.dry_run = dry,
					.tell = note,
					.arg = &gone};
	uint64_t freed = 0;

	is_int(store_prune(w->f.s, &how, &freed, NULL), 0, "prune");
	is_str(strbuf_str(&gone), want, "goes: %s", want);
	return freed;
}

static void test_prune_by_size(void)
{
	struct world w;
	uint64_t would, did;

	make_world(&w);
	is_int((long)prune(&w, UINT64_MAX, 0, false, ""), 0, "no limit, nothing goes");
	would = prune(&w, 3 * LAYER_BYTES, 0, true, "old:1 ");
	ok(has_file(&w.f, &w.top_old) && found(&w.f, "old:1") != '-', "only looked at");
	did = prune(&w, 3 * LAYER_BYTES, 0, false, "old:1 ");
	ok(would == did && did > LAYER_BYTES && did < 2 * LAYER_BYTES, "freed what it said");
	ok(!has_file(&w.f, &w.top_old) && !has_file(&w.f, &w.old), "the older one is gone");
	ok(has_file(&w.f, &w.base) && has_file(&w.f, &w.top_new), "what the other has is not");
	is_int(found(&w.f, "old:1"), '-', "nor is its name there");
	prune(&w, 0, 0, false, "new:1 ");
	ok(!has_file(&w.f, &w.base) && !has_file(&w.f, &w.new), "with the last its base");
	end(&w.f);
}

static void test_prune_by_age(void)
{
	struct world w;

	make_world(&w);
	is_int((long)prune(&w, UINT64_MAX, 3 * HOUR_S, false, ""), 0, "all used within");
	ok(prune(&w, UINT64_MAX, HOUR_S, false, "old:1 "), "one was not");
	ok(found(&w.f, "new:1") != '-' && has_file(&w.f, &w.base), "the other stays");
	end(&w.f);
}

static void test_prune_what_is_in_use(void)
{
	struct world w;
	uint64_t bytes;
	int fd;

	make_world(&w);
	fd = store_open_blob(w.f.s, &w.top_old, &bytes, NULL);
	prune(&w, 0, 0, false, "new:1 ");
	ok(has_file(&w.f, &w.top_old) && has_file(&w.f, &w.base), "what is read stays");
	fd_close(&fd);
	prune(&w, 0, 0, false, "old:1 ");
	ok(!has_file(&w.f, &w.top_old), "until it is not");
	end(&w.f);
}

static void test_prune_the_rest(void)
{
	struct layer_index x = {0}, y;
	struct digest orphan, fresh;
	struct world w;
	char path[512];
	uint64_t bytes;
	int fd;

	make_world(&w);
	layer_index_add(&x, &(struct layer_entry){.type = ENTRY_FILE, .path = "f"}, NULL);
	x.result.stored = x.result.diff_id = w.top_old;
	x.result.stored_bytes = x.result.plain_bytes = LAYER_BYTES;
	store_save_index(w.f.s, &w.top_old, false, &x);
	x.result.stored = x.result.diff_id = w.top_new;
	store_save_index(w.f.s, &w.top_new, false, &x);
	orphan = add_layer(&w.f, 'x');
	fresh = add_blob(&w.f, "{\"a manifest\":\"of an import that begins\"}", 40);
	fd = store_begin_blob(w.f.s, &(struct digest){"sha256", "00"}, 10, &bytes, NULL);
	io_pwrite_all(fd, "begun", 5, 0, NULL);
	ok(store_load_index(w.f.s, &w.top_old, false, &y), "an index that is kept");
	layer_index_free(&y);
	prune(&w, 3 * LAYER_BYTES, 0, false, "old:1 ");
	ok(!has_file(&w.f, &orphan), "a blob of no image goes");
	ok(has_file(&w.f, &fresh), "a document that has just come stays");
	ok(!store_load_index(w.f.s, &w.top_old, false, &y), "the names of a layer go with it");
	ok(store_load_index(w.f.s, &w.top_new, false, &y), "the others stay");
	layer_index_free(&y);
	layer_index_free(&x);
	snprintf(path, sizeof(path), "%s/partial/sha256-00", w.f.dir);
	prune(&w, 0, 0, false, "new:1 ");
	ok(!access(path, F_OK), "what is being fetched stays");
	fd_close(&fd);
	prune(&w, UINT64_MAX, 0, false, "");
	ok(!access(path, F_OK), "a beginning is kept for another try");
	age(path, 25 * HOUR_S);
	prune(&w, UINT64_MAX, 0, false, "");
	ok(access(path, F_OK) < 0, "for a day");
	end(&w.f);
}

static void test_prune_damaged(void)
{
	struct world w;
	char path[512];

	make_world(&w);
	file_of(&w.f, &w.old, path);
	is_int(truncate(path, 5), 0, "a manifest is damaged");
	age(path, 2 * HOUR_S);
	prune(&w, UINT64_MAX, HOUR_S, false, "old:1 ");
	ok(has_file(&w.f, &w.base) && found(&w.f, "old:1") == '-', "its entry goes, not the base");
	end(&w.f);
}

int main(void)
{
	test_names();
	test_on_their_way();
	test_damaged();
	test_shared();
	test_report();
	test_prune_by_size();
	test_prune_by_age();
	test_prune_what_is_in_use();
	test_prune_the_rest();
	test_prune_damaged();
	return done_testing();
}
