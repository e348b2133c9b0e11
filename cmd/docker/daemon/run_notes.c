/* SPDX-License-Identifier: Apache-2.0 */

/* The options of `docker run`, for inspect (notes.h). */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "cmd/docker/frame/notes.h"
#include "cmd/docker/daemon/run_args.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

/* -e HOME=/x: a variable that csbx sets by itself is not shown as asked for. */
static void add_env(const struct docker_run_args *a, struct strv *out)
{
	for (size_t i = 0; i < a->env.n; i++) {
		const char *item = a->env.items[i];

		if (str_has_prefix(item, "HOME=") || str_has_prefix(item, "HOSTNAME=") ||
		    str_has_prefix(item, "TERM="))
			notes_add(out, "env", item);
	}
}

static void add_flags(const struct docker_run_args *a, struct strv *out)
{
	char swap[24];

	if (a->init)
		notes_add(out, "init", "1");
	if (a->memory_swap_bytes) {
		snprintf(swap, sizeof(swap), "%" PRId64, a->memory_swap_bytes);
		notes_add(out, "memory-swap", swap);
	}
}

/* In the one form that docker shows: CAP_NET_ADMIN, ALL. */
static void add_caps(struct strv *out, const char *key, const struct strv *caps)
{
	for (size_t i = 0; i < caps->n; i++) {
		const char *name = caps->items[i];
		bool is_bare = strcasecmp(name, "ALL") && strncasecmp(name, "CAP_", 4);
		_free_ char *full = str_printf("%s%s", is_bare ? "CAP_" : "", name);

		for (char *c = full; c && *c; c++)
			*c = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
		notes_add(out, key, full);
	}
}

int docker_run_notes(const struct docker_run_args *a, struct strv *out, struct err *e)
{
	notes_add(out, "entrypoint", a->entrypoint);
	notes_add_all(out, "entrypoint", &a->entrypoint_args);
	notes_add_all(out, "attach", &a->attach);
	notes_add(out, "network", a->network);
	notes_add(out, "restart", a->restart);
	notes_add(out, "user", a->user);
	notes_add(out, "workdir", a->workdir);
	notes_add(out, "hostname", a->hostname);
	notes_add(out, "log-driver", a->log_driver);
	notes_add_all(out, "publish", &a->publish);
	notes_add_all(out, "expose", &a->expose);
	notes_add_all(out, "bind", &a->volumes);
	notes_add_all(out, "mount", &a->mounts);
	notes_add_all(out, "volumes-from", &a->volumes_from);
	notes_add_all(out, "tmpfs", &a->tmpfs);
	add_caps(out, "cap-add", &a->cap_add);
	add_caps(out, "cap-drop", &a->cap_drop);
	notes_add_all(out, "ulimit", &a->ulimits);
	notes_add_all(out, "security-opt", &a->security);
	notes_add_all(out, "add-host", &a->add_hosts);
	notes_add_all(out, "dns", &a->dns);
	notes_add_all(out, "group-add", &a->groups);
	add_env(a, out);
	add_flags(a, out);
	return strv_check(out, e);
}
