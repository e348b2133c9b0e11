/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A program that starts from an image that is new to the kernel waits for one block after the
 * other, and each takes 0.2 ms to decompress, nearly all of the time of such a start. A block that
 * is wanted is mostly followed by the next one of its file: while one is made and answered, this
 * thread makes that. There is nothing to lose but the CPU's time, and a CPU is idle then, or the
 * thread does not get far.
 *
 * It is confined further than the one that serves (confine.h): it needs the open image, and memory.
 */
#include "runtime/helpers/squashd/image/sqahead.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/helpers/squashd/image/sqblock.h"

#define SLOTS_MAX 8
#define SLOTS_BYTES (1u << 20) /* of blocks that may not be wanted; two blocks in any case */
#define STACK_BYTES (256u << 10)

enum slot_state { SLOT_FREE, SLOT_WANTED, SLOT_BUSY, SLOT_DONE };

struct slot {
	enum slot_state state;
	uint64_t tick; /* of the wish */
	uint64_t pos;
	uint32_t bytes;
	unsigned char *data;
	size_t size;
};

struct sqahead {
	pthread_t thread;
	pthread_mutex_t lock;
	/* For the thread a wish; for others a block, its number, or that it is confined. */
	pthread_cond_t changed;
	int (*confine)(struct err *e);
	enum { STARTING, CONFINED, GONE } life;
	bool must_end;
	pid_t tid;
	cpu_set_t cpus; /* that may be used */
	int kept_off;   /* the one of them the thread must not use, or -1 */
	struct sqahead_source source;
	unsigned char *packed;
	unsigned n_slots;
	uint64_t tick;
	struct slot slots[SLOTS_MAX];
};

static struct slot *latest_wish(struct sqahead *a)
{
	struct slot *found = NULL;

	for (unsigned i = 0; i < a->n_slots; i++) {
		struct slot *s = &a->slots[i];

		if (s->state == SLOT_WANTED && (!found || s->tick > found->tick))
			found = s;
	}
	return found;
}

/* With the lock held, which is given up while the block is made: no process touches a busy slot. */
static void make(struct sqahead *a, struct slot *s)
{
	int r = -ENOMEM;

	s->state = SLOT_BUSY;
	pthread_mutex_unlock(&a->lock);
	if (!s->data)
		s->data = sqblock_memory(a->source.max);
	s->size = a->source.max;
	if (s->data)
		r = a->source.make(a->source.arg, a->packed, s->pos, s->bytes, s->data, &s->size);
	pthread_mutex_lock(&a->lock);
	s->state = r < 0 ? SLOT_FREE : SLOT_DONE;
	pthread_cond_broadcast(&a->changed);
}

static void *work(void *arg)
{
	struct sqahead *a = arg;
	bool is_confined;

	pthread_mutex_lock(&a->lock);
	a->tid = (pid_t)syscall(SYS_gettid);
	pthread_cond_broadcast(&a->changed);
	pthread_mutex_unlock(&a->lock);
	is_confined = a->confine(NULL) >= 0;
	pthread_mutex_lock(&a->lock);
	a->life = is_confined ? CONFINED : GONE;
	pthread_cond_broadcast(&a->changed);
	while (is_confined && !a->must_end) {
		struct slot *s = latest_wish(a);

		if (s)
			make(a, s);
		else
			pthread_cond_wait(&a->changed, &a->lock);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

static int start_thread(struct sqahead *a)
{
	pthread_attr_t attr;
	int r = pthread_attr_init(&attr);

	if (r)
		return -r;
	r = pthread_attr_setstacksize(&attr, STACK_BYTES);
	if (!r)
		r = pthread_create(&a->thread, &attr, work, a);
	pthread_attr_destroy(&attr);
	return -r;
}

struct sqahead *sqahead_new(int (*confine)(struct err *e))
{
	struct sqahead *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->confine = confine;
	a->kept_off = -1;
	if (sched_getaffinity(0, sizeof(a->cpus), &a->cpus) < 0) {
		free(a);
		return NULL;
	}
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	if (start_thread(a) >= 0)
		return a;
	free(a);
	return NULL;
}

pid_t sqahead_tid(struct sqahead *a)
{
	pid_t tid;

	pthread_mutex_lock(&a->lock);
	while (!a->tid)
		pthread_cond_wait(&a->changed, &a->lock);
	tid = a->tid;
	pthread_mutex_unlock(&a->lock);
	return tid;
}

bool sqahead_is_confined(struct sqahead *a)
{
	bool is_confined;

	pthread_mutex_lock(&a->lock);
	while (a->life == STARTING)
		pthread_cond_wait(&a->changed, &a->lock);
	is_confined = a->life == CONFINED;
	pthread_mutex_unlock(&a->lock);
	return is_confined;
}

void sqahead_free(struct sqahead *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->must_end = true;
	pthread_cond_broadcast(&a->changed);
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->thread, NULL);
	for (unsigned i = 0; i < SLOTS_MAX; i++)
		free(a->slots[i].data);
	free(a->packed);
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

int sqahead_set_source(struct sqahead *a, const struct sqahead_source *source)
{
	size_t n = SLOTS_BYTES / source->max;

	a->packed = malloc(source->max);
	if (!a->packed)
		return -ENOMEM;
	a->source = *source;
	pthread_mutex_lock(&a->lock);
	a->n_slots = n < 2 ? 2 : n > SLOTS_MAX ? SLOTS_MAX : (unsigned)n;
	pthread_mutex_unlock(&a->lock);
	return 0;
}

/* Free ones have no pos that counts. */
static struct slot *find(struct sqahead *a, uint64_t pos)
{
	for (unsigned i = 0; i < a->n_slots; i++) {
		if (a->slots[i].state != SLOT_FREE && a->slots[i].pos == pos)
			return &a->slots[i];
	}
	return NULL;
}

static struct slot *room(struct sqahead *a)
{
	struct slot *oldest = NULL;

	for (unsigned i = 0; i < a->n_slots; i++) {
		struct slot *s = &a->slots[i];

		if (s->state == SLOT_FREE)
			return s;
		if (s->state != SLOT_BUSY && (!oldest || s->tick < oldest->tick))
			oldest = s;
	}
	return oldest;
}

/*
 * The kernel wakes a thread gladly where its waker runs, which on a machine of few CPUs means in
 * its place: then nothing is gained, and the one who waits for an answer waits for two blocks.
 */
static void keep_off(struct sqahead *a, int cpu)
{
	cpu_set_t others = a->cpus;

	if (cpu < 0 || cpu == a->kept_off)
		return;
	a->kept_off = cpu;
	CPU_CLR((unsigned)cpu, &others);
	(void)sched_setaffinity(a->tid, sizeof(others), &others);
}

void sqahead_want(struct sqahead *a, uint64_t pos, uint32_t bytes)
{
	struct slot *s;

	pthread_mutex_lock(&a->lock);
	s = find(a, pos) ? NULL : room(a);
	if (s) {
		keep_off(a, sched_getcpu());
		s->state = SLOT_WANTED;
		s->tick = ++a->tick;
		s->pos = pos;
		s->bytes = bytes;
		pthread_cond_broadcast(&a->changed);
	}
	pthread_mutex_unlock(&a->lock);
}

bool sqahead_take(struct sqahead *a, uint64_t pos, unsigned char **data, size_t *size)
{
	struct slot *s;
	bool has = false;

	pthread_mutex_lock(&a->lock);
	s = find(a, pos);
	while (s && s->state == SLOT_BUSY)
		pthread_cond_wait(&a->changed, &a->lock);
	if (s && s->state == SLOT_DONE) {
		unsigned char *was = *data;

		*data = s->data;
		*size = s->size;
		s->data = was;
		has = true;
	}
	/* A wish that has not been looked at yet is no longer one: the caller makes it himself. */
	if (s)
		s->state = SLOT_FREE;
	pthread_mutex_unlock(&a->lock);
	return has;
}
