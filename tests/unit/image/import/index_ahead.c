/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layers that are indexed behind their download: while it goes on, broken off, begun anew, wrong.
 */
#include "image/import/index_ahead.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "image/model/digest.h"
#include "image/layer/index.h"
#include "image/store/store.h"
#include "image/registry/transfer.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"
#include "tests/unit/tap.h"
#include "tests/unit/tar_writer.h"

#define FILES 3000u /* enough for readers that run ahead */
#define PATIENCE_MS 30000u
#define WHILE_US 100000u /* for a reader to begin; a test of what must not be passes without it */

static char dir[TAP_PATH_SIZE] = "ahead";

/* A blob on its way, of which bytes come when the test says so. */
struct download {
	struct strbuf tar;
	struct transfer_item item;
	struct transfer t;
	struct index_ahead *a;
};

static void make_tar(struct strbuf *b, const char *prefix)
{
	char name[128];

	for (unsigned i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), "%s-%u", prefix, i);
		tar_add(b, &(struct tar_member){.name = name, .data = "some content\n"});
	}
	tar_end(b);
}

static void begin(struct download *d, struct store *s, const char *prefix)
{
	struct index_ahead_options o = {.store = s, .threads = 2, .max_bytes = 1u << 30};

	*d = (struct download){.t = {.n = 1}};
	make_tar(&d->tar, prefix);
	digest_of(d->tar.data, d->tar.len, &d->item.digest, NULL);
	d->item.size_bytes = d->tar.len;
	d->item.is_layer = true;
	d->item.fd = memfd_create("blob", MFD_CLOEXEC);
	d->t.items = &d->item;
	index_ahead_start(&d->a, &o, &d->t);
}

static void bytes_come(struct download *d, size_t upto)
{
	size_t at = d->item.done_bytes;

	if (upto > at && io_pwrite_all(d->item.fd, d->tar.data + at, upto - at, at, NULL) < 0)
		exit(1);
	d->item.done_bytes = upto;
	index_ahead_arrived(d->a);
}

static void end(struct download *d)
{
	fd_close(&d->item.fd);
	strbuf_free(&d->tar);
}

/* Entries of the index that the store has for it, -1: none. */
static long indexed(struct store *s, const struct download *d)
{
	struct layer_index x = {0};
	long n = -1;

	if (store_load_index(s, &d->item.digest, false, &x)) {
		n = (long)x.n;
		layer_index_free(&x);
	}
	return n;
}

static void test_while_it_comes(struct store *s)
{
	const struct timespec pause = {.tv_nsec = 5000000};
	struct download d;
	long n = -1;

	begin(&d, s, "while");
	for (size_t at = 1; at < d.tar.len; at += 100003)
		bytes_come(&d, at);
	is_int(indexed(s, &d), -1, "none before the last byte");
	bytes_come(&d, d.tar.len);
	for (unsigned ms = 0; ms < PATIENCE_MS && n < 0; ms += 5) {
		nanosleep(&pause, NULL);
		n = indexed(s, &d);
	}
	is_int(n, FILES, "all names with the last byte, before anybody waits for it");
	index_ahead_stop(&d.a, false);
	end(&d);
}

static void test_all_at_once(struct store *s)
{
	struct download d;

	begin(&d, s, "once");
	bytes_come(&d, 1);
	bytes_come(&d, d.tar.len);
	while (indexed(s, &d) < 0)
		usleep(5000);
	index_ahead_stop(&d.a, false);
	is_int(indexed(s, &d), FILES, "a fast download");
	end(&d);
}

static void test_broken_off(struct store *s)
{
	struct download d;

	begin(&d, s, "broken");
	bytes_come(&d, d.tar.len / 2);
	index_ahead_stop(&d.a, true);
	is_int(indexed(s, &d), -1, "a download that failed leaves nothing");
	end(&d);
	begin(&d, s, "broken");
	bytes_come(&d, d.tar.len / 2);
	index_ahead_stop(&d.a, false);
	is_int(indexed(s, &d), -1, "nor does one that ends short");
	end(&d);
}

static void test_begun_anew(struct store *s)
{
	struct download d;

	begin(&d, s, "anew");
	bytes_come(&d, d.tar.len / 2);
	usleep(WHILE_US); /* it may have read them or not: both are right */
	bytes_come(&d, 0);
	bytes_come(&d, d.tar.len);
	index_ahead_stop(&d.a, false);
	ok(indexed(s, &d) == -1 || indexed(s, &d) == (long)FILES, "the right names or none");
	end(&d);
}

static void test_wrong_bytes(struct store *s)
{
	struct download d;

	begin(&d, s, "wrong");
	d.tar.data[d.tar.len - 1] = 1; /* behind the end of the tar: only the digest tells */
	bytes_come(&d, d.tar.len);
	usleep(WHILE_US);
	index_ahead_stop(&d.a, false);
	is_int(indexed(s, &d), -1, "another digest is no index");
	end(&d);
	begin(&d, s, "garbage");
	memset(d.tar.data, 'x', d.tar.len);
	bytes_come(&d, d.tar.len);
	usleep(WHILE_US);
	index_ahead_stop(&d.a, false);
	is_int(indexed(s, &d), -1, "nor is what is no tar");
	end(&d);
}

static void test_nobody_asked(struct store *s)
{
	struct transfer t = {.n = 0};
	struct index_ahead *a;

	index_ahead_start(&a, &(struct index_ahead_options){.store = s}, &t);
	ok(!a, "no threads, nothing");
	index_ahead_arrived(a);
	index_ahead_stop(&a, false);
}

int main(void)
{
	struct err e = ERR_INIT;
	_store_ struct store *s = NULL;

	if (!tap_mkdtemp(dir) || store_open(&s, dir, NULL, &e) < 0) {
		printf("Bail out! %s\n", e.msg);
		return 1;
	}
	test_while_it_comes(s);
	test_all_at_once(s);
	test_broken_off(s);
	test_begun_anew(s);
	test_wrong_bytes(s);
	test_nobody_asked(s);
	path_remove_tree_at(AT_FDCWD, dir, NULL);
	return done_testing();
}
