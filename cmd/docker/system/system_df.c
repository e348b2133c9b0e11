/* SPDX-License-Identifier: Apache-2.0 */

/*
 * docker system df. The size of an image is that of its squashfs file, which is on the disk; the
 * size of a container is that of its layer, the size of a volume that of its files, the size of the
 * build cache what a prune of it frees.
 */

#include <stddef.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/show/format.h"
#include "cmd/docker/show/human.h"
#include "cmd/docker/show/listed.h"
#include "cmd/docker/show/value.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/image/build_prune.h"
#include "cmd/options/image_find.h"
#include "image/table/table.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/kernel/tree_size.h"
#include "runtime/record/volume.h"

struct df_args {
	bool verbose;
	const char *format;
};

static const struct opt df_opts[] = {
	{OPT_STR, 0, "format", "string", offsetof(struct df_args, format),
	 .help = "Format output using a custom template"},
	{OPT_FLAG, 'v', "verbose", NULL, offsetof(struct df_args, verbose),
	 .help = "Show detailed information on space usage"},
	{0},
};
static const struct opt_table df_table = {"Options", df_opts};

/* One line of the short form. */
struct kind {
	size_t n, n_active;
	uint64_t bytes, free_bytes;
};

struct df {
	struct docker *d;
	struct listed_list containers;
	struct image_list images;
	struct strv volumes;
	struct kind builds;
};

static size_t users_of_image(const struct df *x, const struct image_item *item)
{
	size_t n = 0;

	for (size_t i = 0; i < x->containers.n; i++)
		n += str_eq(x->containers.items[i].image_id, item->record.id);
	return n;
}

static size_t users_of_volume(const struct df *x, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < x->containers.n; i++) {
		const struct listed *c = &x->containers.items[i];

		for (size_t k = 0; k < c->n_mounts; k++)
			n += c->mounts[k].is_volume && str_eq(c->mounts[k].source, name);
	}
	return n;
}

static uint64_t volume_bytes(const struct df *x, const char *name)
{
	_free_ char *path = NULL;
	uint64_t created_ns;

	if (volume_look(&x->d->cmd.paths, name, &created_ns, &path, NULL) < 0)
		return 0;
	return tree_size(path);
}

static void count(struct kind *k, uint64_t bytes, bool is_active)
{
	k->n++;
	k->n_active += is_active;
	k->bytes += bytes;
	k->free_bytes += is_active ? 0 : bytes;
}

static void add_row(struct docker_value *rows, const char *type, const struct kind *k)
{
	struct docker_value *row = docker_value_add(rows, NULL, DOCKER_VALUE_STRUCT);
	_strbuf_ struct strbuf size = STRBUF_INIT, freed = STRBUF_INIT;

	if (row)
		row->type = "*formatter.diskUsageContext";
	human_size(&size, k->bytes, 4);
	human_size(&freed, k->free_bytes, 4);
	if (k->bytes)
		strbuf_addf(&freed, " (%u%%)",
			    (unsigned)((double)k->free_bytes / (double)k->bytes * 100));
	docker_value_strf(row, "Active", "%zu", k->n_active);
	docker_value_str(row, "Reclaimable", strbuf_str(&freed));
	docker_value_str(row, "Size", strbuf_str(&size));
	docker_value_strf(row, "TotalCount", "%zu", k->n);
	docker_value_str(row, "Type", type);
}

static void add_rows(const struct df *x, struct docker_value *rows)
{
	struct kind images = {0}, containers = {0}, volumes = {0};

	for (size_t i = 0; i < x->images.n; i++)
		count(&images, x->images.items[i].record.file_bytes,
		      users_of_image(x, &x->images.items[i]));
	for (size_t i = 0; i < x->containers.n; i++) {
		const struct listed *c = &x->containers.items[i];

		count(&containers, listed_size(&x->d->cmd.paths, c),
		      c->status == CONTAINER_RUNNING || c->status == CONTAINER_PAUSED);
	}
	for (size_t i = 0; i < x->volumes.n; i++)
		count(&volumes, volume_bytes(x, x->volumes.items[i]),
		      users_of_volume(x, x->volumes.items[i]));
	add_row(rows, "Images", &images);
	add_row(rows, "Containers", &containers);
	add_row(rows, "Local Volumes", &volumes);
	add_row(rows, "Build Cache", &x->builds);
}

/* --- at length ------------------------------------------------------------------------------ */

static void list_images(const struct df *x, struct strbuf *out)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;

	strbuf_addstr(&text, "REPOSITORY\tTAG\tIMAGE ID\tCREATED\tSIZE\tSHARED SIZE\tUNIQUE SIZE\t"
			     "CONTAINERS\n");
	for (size_t i = 0; i < x->images.n; i++) {
		const struct image_item *item = &x->images.items[i];
		const char *name =
			item->names.n ? image_name_familiar(item->names.items[0]) : "<none>";
		const char *colon = strrchr(name, ':');
		bool has_tag = colon && !strchr(colon, '/') && !strchr(name, '@');

		strbuf_addf(&text, "%.*s\t%s\t%.12s\t",
			    has_tag ? (int)(colon - name) : (int)strcspn(name, "@"), name,
			    has_tag ? colon + 1 : "<none>", item->record.id + strlen("sha256:"));
		human_ago(&text, item->record.created_s * UINT64_C(1000000000),
			  x->containers.now_ns);
		strbuf_addch(&text, '\t');
		human_size(&text, item->record.file_bytes, 4);
		strbuf_addstr(&text, "\t0B\t");
		human_size(&text, item->record.file_bytes, 4);
		strbuf_addf(&text, "\t%zu\n", users_of_image(x, item));
	}
	strbuf_addstr(out, "Images space usage:\n\n");
	format_columns(strbuf_str(&text), out);
}

static void list_containers(const struct df *x, struct strbuf *out)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;

	strbuf_addstr(&text, "CONTAINER ID\tIMAGE\tCOMMAND\tLOCAL VOLUMES\tSIZE\tCREATED\tSTATUS\t"
			     "NAMES\n");
	for (size_t i = 0; i < x->containers.n; i++) {
		const struct listed *c = &x->containers.items[i];
		_strbuf_ struct strbuf command = STRBUF_INIT;
		size_t n_volumes = 0;

		for (size_t k = 0; k < c->n_mounts; k++)
			n_volumes += c->mounts[k].is_volume;
		human_ellipsis(&command, c->command, 20);
		strbuf_addf(&text, "%.12s\t%s\t", c->id, c->image);
		human_quote(&text, strbuf_str(&command));
		strbuf_addf(&text, "\t%zu\t", n_volumes);
		human_size(&text, listed_size(&x->d->cmd.paths, c), 3);
		strbuf_addch(&text, '\t');
		human_ago(&text, c->created_ns, x->containers.now_ns);
		strbuf_addch(&text, '\t');
		listed_status(c, x->containers.now_ns, &text);
		strbuf_addf(&text, "\t%s\n", c->name);
	}
	strbuf_addstr(out, "\nContainers space usage:\n\n");
	format_columns(strbuf_str(&text), out);
}

static void list_volumes(const struct df *x, struct strbuf *out)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;

	strbuf_addstr(&text, "VOLUME NAME\tLINKS\tSIZE\n");
	for (size_t i = 0; i < x->volumes.n; i++) {
		const char *name = x->volumes.items[i];

		strbuf_addf(&text, "%s\t%zu\t", name, users_of_volume(x, name));
		human_size(&text, volume_bytes(x, name), 4);
		strbuf_addch(&text, '\n');
	}
	strbuf_addstr(out, "\nLocal Volumes space usage:\n\n");
	format_columns(strbuf_str(&text), out);
	strbuf_addstr(out, "\nBuild cache usage: ");
	human_size(out, x->builds.bytes, 4);
	strbuf_addstr(out, "\n\n");
	format_columns("CACHE ID\tCACHE TYPE\tSIZE\tCREATED\tLAST USED\tUSAGE\tSHARED\n", out);
}

/* --- */

static int print(const struct df *x, const struct df_args *a, struct strbuf *out, struct err *e)
{
	static const struct format_head heads[] = {
		{"Type", "TYPE"}, {"TotalCount", "TOTAL"},        {"Active", "ACTIVE"},
		{"Size", "SIZE"}, {"Reclaimable", "RECLAIMABLE"}, {0}};
	const struct format f = {
		a->format, "{{.Type}}\t{{.TotalCount}}\t{{.Active}}\t{{.Size}}\t{{.Reclaimable}}",
		NULL, heads};
	_docker_value_ struct docker_value *rows = docker_value_new(DOCKER_VALUE_LIST);
	int r;

	if (a->verbose) {
		list_images(x, out);
		list_containers(x, out);
		list_volumes(x, out);
		return 0;
	}
	add_rows(x, rows);
	r = docker_value_check(rows, e);
	return r < 0 ? r : format_rows(&f, rows, out, e);
}

static int df_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct df_args *a = args;
	struct df x = {.d = d};
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct err e = ERR_INIT;
	_close_ int dirfd = -1;
	int r, code;

	(void)argc, (void)argv;
	if (a->verbose && a->format && *a->format)
		return docker_say(DOCKER_EXIT_FAILED,
				  "the verbose and the format options conflict");
	r = dirfd = images_open(&d->cmd.paths, &e);
	if (r >= 0)
		r = image_table_list(dirfd, &x.images, &e);
	if (r >= 0)
		r = listed_read(&d->cmd.paths, true, &x.containers, &e);
	if (r >= 0)
		r = volume_list(&d->cmd.paths, &x.volumes, &e);
	if (r >= 0)
		r = build_cache_usage(&d->cmd.paths, &x.builds.n, &x.builds.bytes, &e);
	x.builds.free_bytes = x.builds.bytes;
	if (r < 0)
		code = docker_daemon_error("%s", e.msg);
	else if (print(&x, a, &out, &e) < 0)
		code = docker_say(DOCKER_EXIT_FAILED, "%s", e.msg);
	else
		code = cmd_print(&out);
	image_list_free(&x.images);
	listed_free(&x.containers);
	strv_free(&x.volumes);
	return code;
}

const struct docker_verb docker_verb_system_df = {
	.name = "system df",
	.usage = "[OPTIONS]",
	.uses = (const struct opt_use[]){{&df_table, 0}, {0}},
	.max_operands = 0,
	.args_bytes = sizeof(struct df_args),
	.run = df_run,
};
