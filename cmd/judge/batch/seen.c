/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/batch/seen.h"

#include <search.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct seen {
	unsigned n;
	char label[];
};

/* Both are labels: what the tree has points at the one in its struct. */
static int order(const void *a, const void *b)
{
	return strcmp(a, b);
}

static struct seen *of_label(char *label)
{
	return (struct seen *)(void *)(label - offsetof(struct seen, label));
}

unsigned batch_seen_add(struct batch_seen *s, const char *label)
{
	char **at = tfind(label, &s->tree, order);
	size_t len = strlen(label) + 1;
	struct seen *one;

	if (at)
		return ++of_label(*at)->n;
	one = malloc(sizeof(*one) + len);
	if (!one)
		return 0;
	one->n = 1;
	memcpy(one->label, label, len);
	if (tsearch(one->label, &s->tree, order))
		return 1;
	free(one);
	return 0;
}

static void free_one(void *label)
{
	free(of_label(label));
}

void batch_seen_free(struct batch_seen *s)
{
	tdestroy(s->tree, free_one);
	s->tree = NULL;
}
