/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/usage/prune.h"

#include "cmd/docker/daemon/target.h"
#include "cmd/docker/volume/volume.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/show/events.h"
#include "cmd/docker/show/listed.h"
#include "cmd/docker/show/log_time.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "runtime/life/container_end.h"

static int check_filters(const struct strv *filters, struct docker_fault *f)
{
	for (size_t i = 0; i < filters->n; i++) {
		const char *text = filters->items[i];
		uint64_t at_ns;

		if (str_has_prefix(text, "until=")) {
			if (docker_log_time_parse(text + 6, &at_ns) < 0)
				return docker_refuse(f, "invalid value for until: %s", text + 6);
		} else if (!str_has_prefix(text, "label=") && !str_has_prefix(text, "label!=")) {
			return docker_refuse(f, "invalid filter '%.*s'", (int)strcspn(text, "="),
					     text);
		}
	}
	return 0;
}

/* "name" or "name=value" */
static bool chosen(const struct strv *filters, const struct listed *x)
{
	if (x->is_recipe || (x->status != CONTAINER_CREATED && x->status != CONTAINER_EXITED))
		return false;
	for (size_t i = 0; i < filters->n; i++) {
		const char *f = filters->items[i];
		uint64_t at_ns;

		if (str_has_prefix(f, "label=") && !docker_has_label(&x->labels, f + 6))
			return false;
		if (str_has_prefix(f, "label!=") && docker_has_label(&x->labels, f + 7))
			return false;
		if (str_has_prefix(f, "until=") &&
		    (docker_log_time_parse(f + 6, &at_ns) < 0 || x->created_ns >= at_ns))
			return false;
	}
	return true;
}

/* 1: it is gone. One that has been started, or removed by another, meanwhile is passed over. */
static int remove_one(const struct paths *p, const struct listed *x, struct docker_fault *f)
{
	struct docker_target t;
	int r = docker_target_open(p, x->id, &t, f);

	if (r >= 0)
		r = container_remove(p, t.found.name, &t.found.record, false, &f->err);
	if (r >= 0)
		docker_event_target(p, &t, "destroy", NULL, NULL);
	docker_target_close(&t);
	return r == -EBUSY || r == -ENOENT ? 0 : r < 0 ? r : 1;
}

int docker_container_prune(const struct paths *p, const struct strv *filters, struct strv *ret_ids,
			   uint64_t *bytes_freed, struct docker_fault *f)
{
	_listed_ struct listed_list all = {0};
	uint64_t before = *bytes_freed;
	int r = check_filters(filters, f);

	if (r >= 0)
		r = listed_read(p, true, &all, &f->err);
	for (size_t i = 0; r >= 0 && i < all.n; i++) {
		const struct listed *x = &all.items[i];
		uint64_t bytes;

		if (!chosen(filters, x))
			continue;
		bytes = listed_size(p, x);
		r = remove_one(p, x, f);
		if (r > 0) {
			strv_add(ret_ids, x->id);
			*bytes_freed += bytes;
		}
	}
	if (r >= 0)
		docker_event_prune(p, "container", *bytes_freed - before);
	return r < 0 ? r : strv_check(ret_ids, &f->err);
}
