/* SPDX-License-Identifier: Apache-2.0 */
#include "image/save/put_blobs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "image/store/store.h"
#include "runtime/base/err.h"

#define THREADS_MAX 16u

struct putting {
	const struct put_blobs *p;
	pthread_mutex_t lock; /* of the caller's functions, code and err */
	atomic_size_t next;
	atomic_bool stop;
	int code;
	struct err err; /* of the first that failed */
};

struct put_item {
	struct putting *x;
	size_t i;
};

static void show(void *arg, uint64_t sent_bytes)
{
	const struct put_item *item = arg;
	const struct put_blobs *p = item->x->p;

	pthread_mutex_lock(&item->x->lock);
	if (p->progress)
		p->progress(p->arg, item->i, sent_bytes, p->items[item->i].bytes);
	pthread_mutex_unlock(&item->x->lock);
}

static int put(struct putting *x, size_t i, struct err *e)
{
	const struct put_blob *b = &x->p->items[i];
	struct put_item item = {x, i};
	const struct registry_upload u = {
		.digest = b->digest,
		.size_bytes = b->bytes,
		.fd = b->fd,
		.mount_from = x->p->mount_from,
		.progress = show,
		.arg = &item,
		.stop = &x->stop,
	};
	int r = b->is_stored ? store_check_blob(b->fd, &b->digest, e) : 0;

	return r < 0 ? r : registry_put_blob(x->p->registry, &u, e);
}

static void *work(void *arg)
{
	struct putting *x = arg;

	while (!atomic_load(&x->stop)) {
		struct err e = ERR_INIT;
		size_t i = atomic_fetch_add(&x->next, 1);
		int r;

		if (i >= x->p->n)
			break;
		r = put(x, i, &e);
		pthread_mutex_lock(&x->lock);
		if (r >= 0 && x->p->done)
			x->p->done(x->p->arg, i, (enum registry_sent)r);
		if (r < 0 && x->code >= 0) {
			x->code = r;
			x->err = e;
			atomic_store(&x->stop, true);
		}
		pthread_mutex_unlock(&x->lock);
	}
	return NULL;
}

int put_blobs(const struct put_blobs *p, struct err *e)
{
	struct putting x = {.p = p, .err = ERR_INIT};
	size_t n = p->connections ? p->connections : REGISTRY_CONNECTIONS, started = 0;
	pthread_t threads[THREADS_MAX];

	n = n > THREADS_MAX ? THREADS_MAX : n;
	pthread_mutex_init(&x.lock, NULL);
	/* One of them is this thread; fewer than asked for will do. */
	while (started + 1 < n && started + 1 < p->n &&
	       !pthread_create(&threads[started], NULL, work, &x))
		started++;
	work(&x);
	while (started)
		pthread_join(threads[--started], NULL);
	pthread_mutex_destroy(&x.lock);
	if (x.code < 0 && e)
		*e = x.err;
	return x.code;
}
