/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_LIST_H
#define CSBX_CMD_LIST_H

/*
 * The room cmd/verb. csbx's own verbs, a file each.
 *
 * In: parsed arguments. Out: calls of the rooms above, lines for people, an exit code.
 *
 *	start.c run.c exec.c ...: a verb in a file of its name
 *	exec_job.h, gc_job.h, importer.c: what two verbs share
 *	inspect_out.h, list.h, list_servers.h: what is shown
 *	json_members.h, spec_json.h: what is read as JSON
 *
 * Must: parse, call, print.
 * Mustn't: hold a rule that another dialect needs too.
 */

/* The entries that `list` found, and the forms to show them in. */

#include <stdint.h>

#include "runtime/record/container_record.h"
#include "runtime/record/instance.h"

struct strbuf;
struct err;

struct list_container {
	const char *name;
	struct container_record record; /* no image: damaged */
};

struct list {
	struct strv names;                 /* in byte order */
	struct list_container *containers; /* as many; NULL where only names were asked for */
	struct instance_list instances;
	size_t debris; /* temporary directories of killed commands */
	uint64_t now_ns;
};

/* Number of running instances of a container. */
size_t list_running(const struct list *l, const char *name);

void list_format_table(const struct list *l, struct strbuf *out);
void list_format_instances(const struct list *l, struct strbuf *out);
int list_format_json(const struct list *l, struct strbuf *out, struct err *e);

#endif
