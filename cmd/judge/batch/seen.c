/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/batch/seen.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define SLOTS_AT_FIRST 64

struct batch_seen_slot {
	size_t at;     /* where the label begins */
	uint32_t hash; /* of the label */
	uint32_t n;    /* times that it was seen; 0: the slot is free */
};

static uint32_t hash_of(uint64_t key, const char *label)
{
	uint64_t h = key;

	for (; *label; label++) {
		h = (h ^ (unsigned char)*label) * 0x9E3779B97F4A7C15;
		h ^= h >> 29;
	}
	return (uint32_t)(h >> 32);
}

/* The slot of the label, or the free one where it belongs. */
static struct batch_seen_slot *find_slot(const struct batch_seen *s, uint32_t hash,
					 const char *label)
{
	for (size_t i = hash;; i++) {
		struct batch_seen_slot *slot = &s->slots[i & (s->n_slots - 1)];

		if (!slot->n || (slot->hash == hash && str_eq(s->labels.data + slot->at, label)))
			return slot;
	}
}

static bool has_room(const struct batch_seen *s)
{
	return s->n < s->n_slots / 4 * 3;
}

/* Twice as many slots. Labels differ from each other, so a free one is looked for alone. */
static bool grow(struct batch_seen *s)
{
	size_t n = s->n_slots ? 2 * s->n_slots : SLOTS_AT_FIRST;
	struct batch_seen_slot *slots = calloc(n, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < s->n_slots; i++) {
		size_t to = s->slots[i].hash;

		if (!s->slots[i].n)
			continue;
		while (slots[to & (n - 1)].n)
			to++;
		slots[to & (n - 1)] = s->slots[i];
	}
	free(s->slots);
	s->slots = slots;
	s->n_slots = n;
	return true;
}

unsigned batch_seen_add(struct batch_seen *s, const char *label)
{
	struct batch_seen_slot *slot;
	uint32_t hash;

	if (!s->n_slots && getrandom(&s->key, sizeof(s->key), GRND_NONBLOCK) < 0)
		s->key = 0; /* early after boot: hashes that can be foretold are slow at worst */
	if (!has_room(s) && !grow(s))
		return 0;
	hash = hash_of(s->key, label);
	slot = find_slot(s, hash, label);
	if (slot->n)
		return ++slot->n;
	slot->at = s->labels.len;
	strbuf_add(&s->labels, label, strlen(label) + 1);
	if (s->labels.failed)
		return 0;
	slot->hash = hash;
	slot->n = 1;
	s->n++;
	return 1;
}

void batch_seen_free(struct batch_seen *s)
{
	strbuf_free(&s->labels);
	free(s->slots);
	*s = (struct batch_seen){0};
}
