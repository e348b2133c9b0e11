/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/container/ps_row.h"

#include <stdlib.h>

#include "cmd/docker/frame/notes.h"
#include "cmd/docker/show/format.h"
#include "cmd/docker/show/human.h"
#include "cmd/docker/show/listed.h"
#include "cmd/docker/show/value.h"

#define TYPE "*formatter.ContainerContext"

const struct format_head ps_row_heads[] = {
	{"ID", "CONTAINER ID"},
	{"Names", "NAMES"},
	{"Image", "IMAGE"},
	{"Command", "COMMAND"},
	{"CreatedAt", "CREATED AT"},
	{"RunningFor", "CREATED"},
	{"Ports", "PORTS"},
	{"State", "STATE"},
	{"Status", "STATUS"},
	{"Size", "SIZE"},
	{"Labels", "LABELS"},
	{"Mounts", "MOUNTS"},
	{"LocalVolumes", "LOCAL VOLUMES"},
	{"Networks", "NETWORKS"},
	{"Platform", "PLATFORM"},
	{0},
};

static void add_command(struct docker_value *row, const struct listed *x, bool truncate)
{
	_strbuf_ struct strbuf cut = STRBUF_INIT, quoted = STRBUF_INIT;

	human_ellipsis(&cut, x->command, truncate ? 20 : SIZE_MAX);
	human_quote(&quoted, strbuf_str(&cut));
	docker_value_str(row, "Command", strbuf_str(&quoted));
}

static void add_created(struct docker_value *row, const struct listed *x)
{
	_strbuf_ struct strbuf at = STRBUF_INIT;

	human_time(&at, x->created_ns);
	docker_value_str(row, "CreatedAt", strbuf_str(&at));
}

static void add_age(struct docker_value *row, const struct listed *x, uint64_t now_ns)
{
	_strbuf_ struct strbuf ago = STRBUF_INIT;

	human_ago(&ago, x->created_ns, now_ns);
	docker_value_str(row, "RunningFor", strbuf_str(&ago));
}

/* The image's id where the name that was asked for is one. */
static void add_image(struct docker_value *row, const struct listed *x, bool truncate)
{
	_strbuf_ struct strbuf cut = STRBUF_INIT;

	if (truncate && *x->image_id && str_eq(x->image, x->image_id))
		strbuf_add(&cut, x->image_id + strlen("sha256:"), 12);
	else
		strbuf_addstr(&cut, x->image);
	docker_value_str(row, "Image", strbuf_str(&cut));
}

static void add_labels(struct docker_value *row, const struct listed *x)
{
	_strbuf_ struct strbuf all = STRBUF_INIT;

	for (size_t i = 0; i < x->labels.n; i++) {
		const char *label = x->labels.items[i];

		strbuf_addf(&all, "%s%s%s", i ? "," : "", label, strchr(label, '=') ? "" : "=");
	}
	docker_value_str(row, "Labels", strbuf_str(&all));
}

static void add_mounts(struct docker_value *row, const struct listed *x, bool truncate)
{
	_strbuf_ struct strbuf all = STRBUF_INIT;
	int volumes = 0;

	for (size_t i = 0; i < x->n_mounts; i++) {
		volumes += x->mounts[i].is_volume;
		if (i)
			strbuf_addch(&all, ',');
		human_ellipsis(&all, x->mounts[i].source, truncate ? 15 : SIZE_MAX);
	}
	docker_value_strf(row, "LocalVolumes", "%d", volumes);
	docker_value_str(row, "Mounts", strbuf_str(&all));
}

static void add_ports(struct docker_value *row, const struct listed *x)
{
	_strbuf_ struct strbuf b = STRBUF_INIT;

	listed_ports(x, &b);
	docker_value_str(row, "Ports", strbuf_str(&b));
}

static void add_size(struct docker_value *row, const struct listed *x, const struct ps_row_style *s)
{
	_strbuf_ struct strbuf b = STRBUF_INIT;
	uint64_t bytes = s->size && s->paths ? listed_size(s->paths, x) : 0;

	human_size(&b, bytes, 3);
	docker_value_str(row, "Size", strbuf_str(&b));
}

static void add_status(struct docker_value *row, const struct listed *x, uint64_t now_ns)
{
	_strbuf_ struct strbuf status = STRBUF_INIT;

	listed_status(x, now_ns, &status);
	docker_value_str(row, "Status", strbuf_str(&status));
}

/* {{.Label "key"}} */
static void add_label_method(struct docker_value *row, const struct listed *x)
{
	struct docker_value *map = docker_value_add(row, "Label", DOCKER_VALUE_MAP);

	if (map)
		map->flags = DOCKER_VALUE_GO_ONLY;
	for (size_t i = 0; i < x->labels.n; i++) {
		const char *label = x->labels.items[i];
		size_t len = strcspn(label, "=");
		char *key = strndup(label, len);

		if (key)
			docker_value_str(map, key, label[len] ? label + len + 1 : "");
		free(key);
	}
}

static void add_networks(struct docker_value *row, const struct listed *x)
{
	_strbuf_ struct strbuf all = STRBUF_INIT;

	const char *mode = notes_get(&x->notes, "network", 0);
	bool joins = mode && str_has_prefix(mode, "container:");

	for (size_t i = 0; i < x->networks.n; i++)
		strbuf_addf(&all, "%s%s", i ? "," : "", x->networks.items[i]);
	docker_value_str(row, "Networks", x->networks.n || joins ? strbuf_str(&all) : x->network);
}

void ps_row_add(struct docker_value *rows, const struct listed *x, const struct ps_row_style *style)
{
	struct docker_value *row = docker_value_add(rows, NULL, DOCKER_VALUE_STRUCT);

	if (!row)
		return;
	row->type = TYPE;
	add_command(row, x, style->truncate);
	add_created(row, x);
	docker_value_strn(row, "ID", x->id,
			  style->truncate ? NAME_ID_DIGITS : NAME_CONTAINER_ID_DIGITS);
	add_image(row, x, style->truncate);
	add_labels(row, x);
	add_mounts(row, x, style->truncate);
	docker_value_str(row, "Names", x->name);
	add_networks(row, x);
	docker_value_add(row, "Platform", DOCKER_VALUE_NIL);
	add_ports(row, x);
	add_age(row, x, style->now_ns);
	add_size(row, x, style);
	docker_value_str(row, "State", container_status_name(x->status));
	add_status(row, x, style->now_ns);
	add_label_method(row, x);
}

struct docker_value *ps_row_sample(void)
{
	const struct listed nothing = {.name = (char[]){""},
				       .image = (char[]){""},
				       .image_id = (char[]){""},
				       .command = (char[]){""},
				       .network = ""};
	const struct ps_row_style style = {0};
	struct docker_value *rows = docker_value_new(DOCKER_VALUE_LIST), *row;

	ps_row_add(rows, &nothing, &style);
	if (!rows || !rows->first) {
		docker_value_free(rows);
		return NULL;
	}
	row = rows->first;
	rows->first = NULL;
	row->up = NULL;
	docker_value_free(rows);
	return row;
}
