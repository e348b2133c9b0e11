/* SPDX-License-Identifier: Apache-2.0 */
#include "image/bytes/ahead.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "runtime/base/err.h"

#define BUFFERS 4u

struct ahead {
	ahead_produce_fn *produce;
	void *arg;
	size_t buffer_bytes;
	pthread_t thread;
	pthread_mutex_t lock; /* of all below */
	pthread_cond_t changed;
	unsigned first, n_full; /* buffers that wait for the consumer or are in its hands */
	bool lent, ended, stop; /* lent: the first one is in its hands */
	struct err e;           /* why it ended, code 0: no error */
	size_t len[BUFFERS];
	unsigned char *buf[BUFFERS];
};

/* The buffer to fill next; NULL when there is no need to go on. */
static unsigned char *wait_for_space(struct ahead *a)
{
	unsigned char *buf;

	pthread_mutex_lock(&a->lock);
	while (a->n_full == BUFFERS && !a->stop)
		pthread_cond_wait(&a->changed, &a->lock);
	buf = a->stop ? NULL : a->buf[(a->first + a->n_full) % BUFFERS];
	pthread_mutex_unlock(&a->lock);
	return buf;
}

static void hand_over(struct ahead *a, ssize_t n, const struct err *e)
{
	pthread_mutex_lock(&a->lock);
	if (n > 0) {
		a->len[(a->first + a->n_full) % BUFFERS] = (size_t)n;
		a->n_full++;
	} else {
		a->ended = true;
		a->e = *e;
	}
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
}

static void *run(void *arg)
{
	struct ahead *a = arg;
	unsigned char *buf;
	ssize_t n = 1;

	while (n > 0 && (buf = wait_for_space(a))) {
		struct err e = ERR_INIT;

		n = a->produce(a->arg, buf, a->buffer_bytes, &e);
		hand_over(a, n, &e);
	}
	return NULL;
}

static void free_all(struct ahead *a)
{
	for (unsigned i = 0; i < BUFFERS; i++)
		free(a->buf[i]);
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->changed);
	free(a);
}

int ahead_start(struct ahead **ret, ahead_produce_fn *produce, void *arg, size_t buffer_bytes,
		struct err *e)
{
	struct ahead *a = calloc(1, sizeof(*a));
	bool ok = a;
	int code;

	if (!a)
		return err_oom(e);
	a->produce = produce;
	a->arg = arg;
	a->buffer_bytes = buffer_bytes;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	for (unsigned i = 0; i < BUFFERS; i++) {
		a->buf[i] = malloc(buffer_bytes);
		ok = ok && a->buf[i];
	}
	code = ok ? pthread_create(&a->thread, NULL, run, a) : ENOMEM;
	if (code) {
		free_all(a);
		return err_code(e, code, "start a thread");
	}
	*ret = a;
	return 0;
}

ssize_t ahead_next(struct ahead *a, const void **ret_data, struct err *e)
{
	ssize_t n;

	pthread_mutex_lock(&a->lock);
	if (a->lent) {
		a->first = (a->first + 1) % BUFFERS;
		a->n_full--;
		a->lent = false;
		pthread_cond_signal(&a->changed);
	}
	while (!a->n_full && !a->ended)
		pthread_cond_wait(&a->changed, &a->lock);
	if (a->n_full) {
		a->lent = true;
		*ret_data = a->buf[a->first];
		n = (ssize_t)a->len[a->first];
	} else {
		n = -a->e.code;
		if (n && e)
			*e = a->e;
	}
	pthread_mutex_unlock(&a->lock);
	return n;
}

void ahead_stop(struct ahead **ap)
{
	struct ahead *a = *ap;

	*ap = NULL;
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->thread, NULL);
	free_all(a);
}
