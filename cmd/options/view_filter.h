/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_VIEW_FILTER_H
#define CSBX_CMD_VIEW_FILTER_H

/*
 * --filter NAME=VALUE of ps and prune: several values of one name are alternatives, several names
 * must all fit, as docker has it. Labels must all be there.
 */

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/str.h"

struct container_view;
struct err;
struct paths;

struct view_filter {
	struct strv words;            /* "name=x" as given */
	uint64_t before_ns, since_ns; /* of containers named by before= and since=; 0: none */
};

/* Checks one word; an opt_set_fn. */
int view_filter_add(void *filter, const char *word, struct err *e);
/* Looks up the containers that before= and since= name. */
int view_filter_prepare(struct view_filter *f, const struct paths *p, struct err *e);
bool view_filter_fits(const struct view_filter *f, const struct container_view *v);
void view_filter_free(struct view_filter *f);

/* When it was made; of what has no record, started. */
uint64_t view_created_ns(const struct container_view *v);
/* Its image as it was asked for. */
const char *view_image(const struct container_view *v);

#endif
