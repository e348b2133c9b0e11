/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_PS_FILTER_H
#define CSBX_CMD_DOCKER_PS_FILTER_H

/*
 * docker's --filter of containers: of one key any value must match, of several keys all of them;
 * of labels all. name and id are regular expressions, as in docker (POSIX's, not Go's).
 */

#include "cmd/docker/show/listed.h"

struct ps_filter;

/* A setter for OPT_CALL: struct strv, "key=value". */
int ps_filter_set(void *strv, const char *value, struct err *e);

/* -EINVAL with the daemon's text; the list is asked for `before` and `since`. */
int ps_filter_new(const struct strv *filters, const struct listed_list *all, struct ps_filter **ret,
		  struct err *e);
void ps_filter_free(struct ps_filter *f);

/* True when a filter asks for containers that do not run. */
bool ps_filter_wants_all(const struct strv *filters);
bool ps_filter_matches(const struct ps_filter *f, const struct listed *x);

#endif
