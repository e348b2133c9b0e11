/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_VALUE_BUILD_H
#define CSBX_CMD_EVAL_VALUE_BUILD_H

/* The means by which both readers build values: a stack of values and one of the open
 * containers. */

#include "cmd/judge/value/value.h"

#define BUILD_ANY ((size_t)-1)

struct value_builder {
	struct value_pool *pool;
	struct value *stack;
	size_t n, cap, nodes, depth;
	size_t numbered; /* lists, dicts, sets and made values that have begun */
	struct build_level {
		enum value_kind kind;
		size_t base, want; /* first item in the stack; how many there will be, or any */
	} level[VALUE_DEPTH_MAX];
};

int build_add(struct value_builder *b, const struct value *v, struct err *e);
/* text is copied. */
int build_add_text(struct value_builder *b, enum value_kind kind, const char *text, size_t len,
		   struct err *e);
int build_open(struct value_builder *b, enum value_kind kind, size_t want, struct err *e);
/* The innermost container becomes one value; *ret is that, until the next call. */
int build_close(struct value_builder *b, struct value **ret, struct err *e);
static inline struct build_level *build_top(struct value_builder *b)
{
	return b->depth ? &b->level[b->depth - 1] : NULL;
}
/* True when the innermost container has all it wants. */
bool build_is_full(const struct value_builder *b);
void build_free(struct value_builder *b);

/* -?digits without leading zeros; "-0" is none of it. */
bool value_is_whole(const char *s, size_t len);

#endif
