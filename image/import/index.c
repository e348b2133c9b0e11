/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layers are independent until the merge, so each is read by whichever thread is free. The first
 * failure stops the others; of several, the lowest layer's is reported, not the fastest's.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "image/model/digest.h"
#include "image/import/priv.h"
#include "image/model/source.h"
#include "image/store/store.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

#define REPORT_INTERVAL_NS 100000000L

struct index_job {
	struct import *im;
	struct err *errors; /* one for each layer */
	_Atomic size_t next;
	pthread_mutex_t lock; /* of running */
	pthread_cond_t ended;
	size_t running;
	_Atomic int stop;
};

static int verify_one(const char *what, const struct digest *got, const struct digest *want,
		      struct err *e)
{
	char a[DIGEST_TEXT_MAX], b[DIGEST_TEXT_MAX];

	if (!digest_is_set(want) || digest_equal(got, want))
		return 0;
	return err_set(e, EBADMSG, "%s is %s, not %s", what, digest_format(got, a),
		       digest_format(want, b));
}

static int verify_layer(const struct source_layer *src, const struct layer_result *got,
			struct err *e)
{
	int r = 0;

	if (src->kind == LAYER_DIRECTORY)
		return 0;
	if (src->size_bytes != UINT64_MAX && src->size_bytes != got->stored_bytes)
		return err_set(e, EBADMSG, "has %llu bytes, not the %llu of its descriptor",
			       (unsigned long long)got->stored_bytes,
			       (unsigned long long)src->size_bytes);
	r = verify_one("its digest", &got->stored, &src->digest, e);
	return r < 0 ? r : verify_one("its diff_id", &got->diff_id, &src->diff_id, e);
}

/*
 * True when the names are known from an earlier import. The second pass then computes the layer's
 * own digest; a layer that gives nothing to the image is not read at all.
 */
static bool find_index(struct index_job *job, size_t i)
{
	const struct image_source *src = job->im->src;
	const struct import_options *o = &job->im->options;
	struct layer_index *x = &job->im->layers[i];

	if (!src->store || !digest_is_set(&src->layers[i].digest) ||
	    !store_load_index(src->store, &src->layers[i].digest, o->keep_capabilities, x))
		return false;
	if (x->result.plain_bytes <= o->max_image_bytes &&
	    verify_layer(&src->layers[i], &x->result, NULL) >= 0) {
		atomic_fetch_add(&job->im->read_bytes, x->result.stored_bytes);
		return true;
	}
	layer_index_free(x);
	return false;
}

static int index_layer(struct index_job *job, size_t i, struct err *e)
{
	const struct source_layer *src = &job->im->src->layers[i];
	struct layer_options o = import_layer_options(job->im, true);
	_layer_reader_ struct layer_reader *l = NULL;
	struct layer_index *x = &job->im->layers[i];
	int r;

	if (find_index(job, i))
		return 0;
	o.watch.cancel = &job->stop;
	r = layer_reader_open(&l, src, &o, e);
	if (r == 0)
		r = layer_index_build(x, l, e);
	if (r >= 0)
		r = verify_layer(src, &x->result, e);
	if (r >= 0 && job->im->src->store && digest_is_set(&src->digest))
		store_save_index(job->im->src->store, &src->digest, o.keep_capabilities, x);
	return r;
}

static void *worker(void *arg)
{
	struct index_job *job = arg;
	size_t i;

	while (!job->stop && (i = atomic_fetch_add(&job->next, 1)) < job->im->src->n_layers) {
		if (index_layer(job, i, &job->errors[i]) < 0)
			job->stop = 1;
	}
	pthread_mutex_lock(&job->lock);
	job->running--;
	pthread_cond_signal(&job->ended);
	pthread_mutex_unlock(&job->lock);
	return NULL;
}

/* The caller's thread reports and passes a cancellation on while it waits. */
static void wait_for_workers(struct index_job *job)
{
	const struct import_options *o = &job->im->options;
	struct timespec until;

	pthread_mutex_lock(&job->lock);
	while (job->running) {
		import_report(job->im, IMPORT_INDEX);
		if (o->cancel && *o->cancel)
			job->stop = 1;
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += REPORT_INTERVAL_NS;
		if (until.tv_nsec >= 1000000000L) {
			until.tv_nsec -= 1000000000L;
			until.tv_sec++;
		}
		pthread_cond_clockwait(&job->ended, &job->lock, CLOCK_MONOTONIC, &until);
	}
	pthread_mutex_unlock(&job->lock);
}

static int collect(const struct index_job *job, struct err *e)
{
	const struct err *first = NULL;

	for (size_t i = 0; i < job->im->src->n_layers; i++) {
		const struct err *this = &job->errors[i];

		if (!this->code || (first && this->code == ECANCELED))
			continue;
		if (!first || first->code == ECANCELED)
			first = this;
	}
	if (!first)
		return job->stop ? err_set(e, ECANCELED, "interrupted") : 0;
	if (e)
		*e = *first;
	if (first->code == ECANCELED)
		return -ECANCELED;
	return import_wrap_layer(job->im, (size_t)(first - job->errors), e);
}

static int run_workers(struct index_job *job, pthread_t *threads, size_t n, struct err *e)
{
	size_t started = 0;
	int code = 0;

	job->running = n;
	while (started < n && !code) {
		code = pthread_create(&threads[started], NULL, worker, job);
		started += !code;
	}
	if (code) {
		pthread_mutex_lock(&job->lock);
		job->running -= n - started;
		job->stop = 1;
		pthread_mutex_unlock(&job->lock);
	}
	wait_for_workers(job);
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	return code ? err_code(e, code, "start a thread") : collect(job, e);
}

int import_index(struct import *im, struct err *e)
{
	size_t n = im->options.squash.threads;
	struct index_job job = {
		.im = im, .lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};
	pthread_t *threads;
	int r;

	if (n > im->src->n_layers)
		n = im->src->n_layers;
	job.errors = calloc(im->src->n_layers + 1, sizeof(*job.errors));
	threads = calloc(n + 1, sizeof(*threads));
	if (job.errors && threads)
		r = run_workers(&job, threads, n, e);
	else
		r = err_oom(e);
	free(job.errors);
	free(threads);
	return r;
}
