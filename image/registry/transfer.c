/* SPDX-License-Identifier: Apache-2.0 */
#include "image/registry/transfer.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "image/model/digest.h"
#include "image/registry/registry.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/log.h"

#define CONNECTIONS_MAX 32u
#define READ_CHUNK (256u << 10)
#define PROGRESS_MS 100

/* Threads take the next item from one queue; the caller's thread waits and shows. */
struct pool {
	struct transfer *t;
	size_t *order; /* largest first: the last to finish should be a small one */
	size_t next;
	unsigned running;
	struct err first; /* the error that ended it */
	_Atomic int failure;
	pthread_mutex_t lock;
	pthread_cond_t ended; /* a thread has */
};

/* A blob on its way into its file. */
struct arrival {
	struct pool *pool;
	struct transfer_item *item;
	struct digest_ctx hash;
	uint64_t at;
};

static void tell_arrived(const struct arrival *a)
{
	const struct transfer *t = a->pool->t;

	a->item->done_bytes = a->at;
	if (t->arrived)
		t->arrived(t->arg);
}

static int take(void *arg, const void *data, size_t len, struct err *e)
{
	struct arrival *a = arg;
	int k;

	if (a->pool->failure)
		return err_set(e, ECANCELED, "given up: another blob failed");
	k = io_pwrite_all(a->item->fd, data, len, a->at, e);
	if (k < 0)
		return err_wrap(e, "store");
	digest_update(&a->hash, data, len);
	a->at += len;
	tell_arrived(a);
	return 0;
}

/* Hashes what the file has, up to the size that is expected. */
static int take_up(struct arrival *a, struct err *e)
{
	_free_ char *buf = malloc(READ_CHUNK);

	if (!buf)
		return err_oom(e);
	while (a->at < a->item->size_bytes) {
		uint64_t left = a->item->size_bytes - a->at;
		ssize_t n = pread(a->item->fd, buf, left < READ_CHUNK ? (size_t)left : READ_CHUNK,
				  (off_t)a->at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, "read");
		if (!n)
			break;
		digest_update(&a->hash, buf, (size_t)n);
		a->at += (uint64_t)n;
		tell_arrived(a);
	}
	return 0;
}

/* One go. -EBADMSG: another digest than expected. */
static int fetch_once(struct pool *p, struct transfer_item *item, uint64_t *ret_had, struct err *e)
{
	struct arrival a = {.pool = p, .item = item, .hash = DIGEST_CTX_INIT};
	struct registry_blob blob = {.digest = item->digest,
				     .size_bytes = item->size_bytes,
				     .foreign = item->foreign,
				     .sink = take,
				     .arg = &a};
	char want[DIGEST_TEXT_MAX], got[DIGEST_TEXT_MAX];
	struct digest digest;
	int k = digest_init(&a.hash, item->digest.alg, e);

	tell_arrived(&a); /* from its beginning, perhaps for the second time */
	if (k >= 0)
		k = take_up(&a, e);
	*ret_had = blob.offset = a.at;
	if (k >= 0)
		k = registry_get_blob(p->t->registry, &blob, e);
	if (k >= 0)
		k = digest_final(&a.hash, &digest, e);
	digest_free(&a.hash);
	if (k < 0)
		return k;
	if (!digest_equal(&digest, &item->digest))
		return err_set(e, EBADMSG,
			       "%s: the bytes that came have %s; the image is damaged there, or "
			       "somebody changes it on the way",
			       digest_format(&item->digest, want), digest_format(&digest, got));
	/* A longer file than expected was a wrong beginning, too. */
	return ftruncate(item->fd, (off_t)item->size_bytes) < 0
		       ? io_write_failed(item->fd, "store", e)
		       : 0;
}

static int fetch(struct pool *p, struct transfer_item *item, struct err *e)
{
	uint64_t had = 0;
	int k = fetch_once(p, item, &had, e);

	/* Half of it may be of a crash, or of a cache that went bad. */
	if (k == -EBADMSG && had) {
		if (ftruncate(item->fd, 0) < 0)
			return io_write_failed(item->fd, "store", e);
		k = fetch_once(p, item, &had, e);
	}
	/* Wrong bytes are no beginning to go on from. */
	if (k == -EBADMSG && ftruncate(item->fd, 0) < 0)
		log_trace("cannot empty a partial blob: %m");
	return k;
}

static struct transfer_item *next_item(struct pool *p)
{
	struct transfer_item *item = NULL;

	pthread_mutex_lock(&p->lock);
	if (!p->failure && p->next < p->t->n)
		item = &p->t->items[p->order[p->next++]];
	pthread_mutex_unlock(&p->lock);
	return item;
}

static void *work(void *arg)
{
	struct pool *p = arg;
	struct transfer_item *item;
	int k = 0;

	while (k >= 0 && (item = next_item(p))) {
		struct err e = ERR_INIT;

		k = fetch(p, item, &e);
		if (k >= 0 && p->t->complete)
			k = p->t->complete(p->t->arg, item, &e);
		if (k >= 0) {
			item->complete = true;
			continue;
		}
		pthread_mutex_lock(&p->lock);
		if (!p->failure) {
			p->failure = k;
			p->first = e;
		}
		pthread_mutex_unlock(&p->lock);
	}
	pthread_mutex_lock(&p->lock);
	p->running--;
	pthread_cond_signal(&p->ended);
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static int by_size(const void *a, const void *b, void *arg)
{
	const struct transfer_item *items = arg;
	uint64_t x = items[*(const size_t *)a].size_bytes, y = items[*(const size_t *)b].size_bytes;

	return x < y ? 1 : x > y ? -1 : 0;
}

static struct timespec soon(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += PROGRESS_MS * 1000000L;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

/* Until the last thread has ended. */
static void wait_and_show(struct pool *p)
{
	pthread_mutex_lock(&p->lock);
	while (p->running) {
		struct timespec until = soon();

		pthread_cond_timedwait(&p->ended, &p->lock, &until);
		pthread_mutex_unlock(&p->lock);
		if (p->t->progress)
			p->t->progress(p->t->arg, p->t);
		pthread_mutex_lock(&p->lock);
	}
	pthread_mutex_unlock(&p->lock);
}

static int run(struct pool *p, unsigned n, struct err *e)
{
	pthread_t threads[CONNECTIONS_MAX];
	unsigned started = 0;
	int code = 0;

	pthread_mutex_lock(&p->lock);
	for (; started < n && !code; started += !code) {
		code = pthread_create(&threads[started], NULL, work, p);
		p->running += !code;
	}
	if (code)
		p->next = p->t->n;
	pthread_mutex_unlock(&p->lock);
	wait_and_show(p);
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	if (code)
		return err_code(e, code, "start a thread");
	if (p->failure && e)
		*e = p->first;
	return p->failure;
}

size_t *transfer_order(const struct transfer *t)
{
	size_t *order = calloc(t->n + 1, sizeof(*order));

	for (size_t i = 0; order && i < t->n; i++)
		order[i] = i;
	if (order)
		qsort_r(order, t->n, sizeof(*order), by_size, t->items);
	return order;
}

int transfer_fetch(struct transfer *t, struct err *e)
{
	unsigned n = t->connections ? t->connections : REGISTRY_CONNECTIONS;
	struct pool p = {.t = t, .lock = PTHREAD_MUTEX_INITIALIZER};
	pthread_condattr_t attr;
	int k;

	if (!t->n)
		return 0;
	p.order = transfer_order(t);
	if (!p.order)
		return err_oom(e);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&p.ended, &attr);
	pthread_condattr_destroy(&attr);
	n = n < CONNECTIONS_MAX ? n : CONNECTIONS_MAX;
	k = run(&p, n < t->n ? n : (unsigned)t->n, e);
	pthread_cond_destroy(&p.ended);
	free(p.order);
	return k;
}
