/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. The threads take the items in the order of the transfer, largest first, so that they are
 * where the bytes are. A thread that has caught up waits for more; there is more when the item's
 * done_bytes has grown, and never will be when the transfer has failed, or when the item was begun
 * anew because what its file had was wrong: done_bytes is less then than what was read. The digest
 * of what was read must be the blob's own, or the index is thrown away.
 *
 * When the transfer is complete, layers that no thread has begun with are left to the import, which
 * has as many threads.
 */
#include "image/import/index_ahead.h"

#include <pthread.h>
#include <stdlib.h>

#include "image/layer/layer.h"
#include "image/layer/index.h"
#include "image/store/store.h"
#include "image/registry/transfer.h"
#include "runtime/base/err.h"
#include "runtime/base/log.h"

#define THREADS_MAX 16u

struct index_ahead {
	struct index_ahead_options options;
	struct transfer *t;
	size_t *order;
	size_t next;
	pthread_t threads[THREADS_MAX];
	unsigned n_threads;
	pthread_mutex_t lock;
	pthread_cond_t arrived;
	bool is_over; /* no more bytes will come */
	_Atomic int cancel;
};

/* One layer behind its download. */
struct follower {
	struct index_ahead *a;
	const struct transfer_item *item;
};

static int wait_for_bytes(void *arg, uint64_t at, uint64_t *ret_there, struct err *e)
{
	const struct follower *f = arg;
	struct index_ahead *a = f->a;
	uint64_t there;

	pthread_mutex_lock(&a->lock);
	while ((there = f->item->done_bytes) == at && !a->is_over)
		pthread_cond_wait(&a->arrived, &a->lock);
	pthread_mutex_unlock(&a->lock);
	if (there <= at)
		return err_set(e, ECANCELED, "the download ended or began anew");
	*ret_there = there;
	return 0;
}

static int build(struct follower *f, struct layer_index *x, struct err *e)
{
	const struct transfer_item *item = f->item;
	const struct source_layer src = {
		.kind = LAYER_TAR,
		.digest = item->digest,
		.size_bytes = item->size_bytes,
		.fd = item->fd,
		.length = item->size_bytes,
	};
	const struct layer_options o = {
		.max_bytes = f->a->options.max_bytes,
		.keep_capabilities = f->a->options.keep_capabilities,
		.hash_plain = true,
		.watch = {.cancel = &f->a->cancel},
		.arrival = {wait_for_bytes, f},
	};
	_layer_reader_ struct layer_reader *l = NULL;
	int r = layer_reader_open(&l, &src, &o, e);

	if (r >= 0)
		r = layer_index_build(x, l, e);
	if (r >= 0 && !digest_equal(&x->result.stored, &item->digest))
		r = err_set(e, EBADMSG, "another digest");
	return r;
}

static void follow(struct index_ahead *a, const struct transfer_item *item)
{
	struct follower f = {a, item};
	struct layer_index x = {0};
	struct err e = ERR_INIT;

	if (build(&f, &x, &e) >= 0)
		store_save_index(a->options.store, &item->digest, a->options.keep_capabilities, &x);
	else
		log_trace("not indexed while it came: %s", e.msg);
	layer_index_free(&x);
}

static const struct transfer_item *next_item(struct index_ahead *a)
{
	const struct transfer_item *item = NULL;

	pthread_mutex_lock(&a->lock);
	if (!a->is_over && a->next < a->t->n)
		item = &a->t->items[a->order[a->next++]];
	pthread_mutex_unlock(&a->lock);
	return item;
}

static void *work(void *arg)
{
	struct index_ahead *a = arg;
	const struct transfer_item *item;

	while ((item = next_item(a))) {
		if (item->is_layer)
			follow(a, item);
	}
	return NULL;
}

void index_ahead_start(struct index_ahead **ret, const struct index_ahead_options *o,
		       struct transfer *t)
{
	unsigned n = o->threads < THREADS_MAX ? o->threads : THREADS_MAX;
	struct index_ahead *a = n && o->store ? calloc(1, sizeof(*a)) : NULL;

	*ret = NULL;
	if (!a)
		return;
	a->options = *o;
	a->t = t;
	a->order = transfer_order(t);
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->arrived, NULL);
	while (a->order && a->n_threads < n && a->n_threads < t->n &&
	       !pthread_create(&a->threads[a->n_threads], NULL, work, a))
		a->n_threads++;
	*ret = a;
}

void index_ahead_arrived(struct index_ahead *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	pthread_cond_broadcast(&a->arrived);
	pthread_mutex_unlock(&a->lock);
}

void index_ahead_stop(struct index_ahead **ap, bool is_failed)
{
	struct index_ahead *a = *ap;

	*ap = NULL;
	if (!a)
		return;
	a->cancel = is_failed;
	pthread_mutex_lock(&a->lock);
	a->is_over = true;
	pthread_cond_broadcast(&a->arrived);
	pthread_mutex_unlock(&a->lock);
	for (unsigned i = 0; i < a->n_threads; i++)
		pthread_join(a->threads[i], NULL);
	pthread_cond_destroy(&a->arrived);
	pthread_mutex_destroy(&a->lock);
	free(a->order);
	free(a);
}
