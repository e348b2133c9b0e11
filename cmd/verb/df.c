/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/frame/table.h"
#include "cmd/frame/verbs.h"
#include "cmd/image/image_opts.h"
#include "cmd/image/repos.h"
#include "cmd/options/image_find.h"
#include "image/store/store.h"
#include "image/table/table.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/out.h"
#include "runtime/kernel/tree_size.h"
#include "runtime/layer/layer.h"
#include "runtime/life/unpacked_prune.h"
#include "runtime/record/container_store.h"
#include "runtime/record/run_dir.h"
#include "runtime/record/volume.h"
#include "runtime/spec/name.h"

struct df_args {
	bool json;
};

static const struct opt df_opts[] = {
	{OPT_FLAG, 0, "json", .offset = offsetof(struct df_args, json),
	 .help = "print JSON: for each kind count, bytes, reclaimable_bytes and the command"},
	{0},
};

static const struct opt_table df_table = {"Options", df_opts};

enum kind {
	IMAGES,
	LAYERS,
	VOLUMES,
	FETCHED,
	REPOSITORIES,
	BUILDS,
	UNPACKED,
	RECORDS,
	LOGS,
	SCRATCH,
	KINDS,
};

static const struct {
	const char *name, *by; /* by: the command that gives the space back */
} kinds[KINDS] = {
	[IMAGES] = {"images", "csbx docker image prune -a"},
	[LAYERS] = {"layers", "csbx remove NAME"},
	[VOLUMES] = {"volumes", "csbx docker volume prune -a"},
	[FETCHED] = {"fetched", "csbx cache prune --max 1"},
	[REPOSITORIES] = {"repositories", "csbx cache prune --older 1s"},
	[BUILDS] = {"builds", "csbx docker builder prune -a"},
	[UNPACKED] = {"unpacked", "csbx cache prune --older 1s"},
	[RECORDS] = {"records", "csbx gc"},
	[LOGS] = {"logs", "csbx gc"},
	[SCRATCH] = {"scratch", "csbx gc"},
};

struct usage {
	size_t n;
	uint64_t bytes, free_bytes;
};

struct df {
	struct cmd *c;
	struct usage of[KINDS];
};

static void count(struct usage *u, uint64_t bytes, bool is_free)
{
	u->n++;
	u->bytes += bytes;
	u->free_bytes += is_free ? bytes : 0;
}

static uint64_t size_below(const char *top, const char *name)
{
	_free_ char *path = str_printf("%s/%s", top, name);

	return path ? tree_size(path) : 0;
}

/* --- images: free are those of no container ------------------------------------------------ */

struct file_ids {
	struct image_id *items;
	size_t n;
};

static int used_files(struct df *x, struct file_ids *ret, struct err *e)
{
	_strv_ struct strv names = STRV_INIT;
	size_t debris;
	int r = container_store_list(&x->c->paths, &names, &debris, e);

	if (r < 0)
		return r;
	ret->items = calloc(names.n + 1, sizeof(*ret->items));
	for (size_t i = 0; ret->items && i < names.n; i++) {
		struct container_record record = {0};
		_free_ char *path = NULL;
		_close_ int fd = -1;

		if (container_store_open(&x->c->paths, names.items[i], &record, NULL) < 0)
			continue;
		fd = container_store_open_image(&x->c->paths, names.items[i], &record, &path,
						&ret->items[ret->n], NULL);
		ret->n += fd >= 0;
		container_record_free(&record);
	}
	return ret->items ? 0 : err_oom(e);
}

static bool is_used(const struct file_ids *used, const struct stat *st)
{
	for (size_t i = 0; i < used->n; i++) {
		if (used->items[i].dev == st->st_dev && used->items[i].ino == st->st_ino)
			return true;
	}
	return false;
}

static int look_at_images(struct df *x, struct err *e)
{
	_close_ int images = images_open(&x->c->paths, e);
	_image_list_ struct image_list list = {0};
	struct file_ids used = {0};
	int r = images < 0 ? images : image_table_list(images, &list, e);

	if (r >= 0)
		r = used_files(x, &used, e);
	for (size_t i = 0; r >= 0 && i < list.n; i++) {
		const struct image_record *image = &list.items[i].record;
		_free_ char *file = str_printf("%s.sqsh", image->id + strlen("sha256:"));
		struct stat st;

		if (file && fstatat(images, file, &st, AT_SYMLINK_NOFOLLOW) == 0)
			count(&x->of[IMAGES], image->file_bytes, !is_used(&used, &st));
	}
	free(used.items);
	return r;
}

/* --- what containers have written ----------------------------------------------------------- */

/* A layer whose lock can be had is no start's at the moment. */
static void look_at_layer(struct df *x, const char *name)
{
	_free_ char *path = str_printf("%s/%s/upper", x->c->paths.layers, name);
	struct layer layer = LAYER_INIT;
	bool is_free = layer_hold(&x->c->paths, name, &layer, NULL) >= 0 && layer.dir >= 0;

	layer_close(&layer);
	if (path && access(path, F_OK) == 0)
		count(&x->of[LAYERS], tree_size(path), is_free);
}

static int look_at_layers(struct df *x, struct err *e)
{
	_strv_ struct strv names = STRV_INIT;
	size_t debris;
	int r = container_store_list(&x->c->paths, &names, &debris, e);

	for (size_t i = 0; r >= 0 && i < names.n; i++) {
		struct container_record record = {0};

		if (container_store_open(&x->c->paths, names.items[i], &record, NULL) < 0)
			continue;
		look_at_layer(x, container_layer_name(names.items[i], &record));
		container_record_free(&record);
	}
	return r;
}

static int look_at_volumes(struct df *x, struct err *e)
{
	_strv_ struct strv names = STRV_INIT;
	int r = volume_list(&x->c->paths, &names, e);

	for (size_t i = 0; r >= 0 && i < names.n; i++) {
		_strv_ struct strv users = STRV_INIT;
		_free_ char *path = NULL;
		uint64_t created_ns;

		if (volume_look(&x->c->paths, names.items[i], &created_ns, &path, NULL) >= 0 &&
		    volume_users(&x->c->paths, names.items[i], &users, NULL) >= 0)
			count(&x->of[VOLUMES], tree_size(path), !users.n);
	}
	return r;
}

/* gc takes them a week after the end. */
static void look_at_logs(struct df *x)
{
	_free_ char *top = str_printf("%s/runs", x->c->paths.data);
	DIR *runs = top ? opendir(top) : NULL;
	const struct dirent *entry;

	while (runs && (entry = readdir(runs))) {
		struct run_dir d;

		if (!name_is_id(entry->d_name) || run_dir_open(dirfd(runs), entry->d_name, &d) < 0)
			continue;
		count(&x->of[LOGS], size_below(top, entry->d_name), !run_dir_is_live(&d));
		run_dir_close(&d);
	}
	if (runs)
		closedir(runs);
}

/* --- the cache ------------------------------------------------------------------------------ */

static int look_at_fetched(struct df *x, struct err *e)
{
	_store_report_ struct store_report report = {0};
	_repos_ struct repos repos = {0};
	_store_ struct store *s = NULL;
	struct usage *u = &x->of[FETCHED];
	int r = open_store(x->c, &s, e);

	if (r >= 0)
		r = store_report(s, &report, e);
	if (r >= 0)
		r = repos_read(&x->c->paths, &repos, e);
	if (r < 0)
		return r;
	u->n = report.n;
	u->bytes = u->free_bytes = report.total_bytes;
	for (size_t i = 0; i < report.n; i++) {
		if (report.items[i].in_use && u->free_bytes > report.items[i].bytes)
			u->free_bytes -= report.items[i].bytes;
	}
	for (size_t i = 0; i < repos.n; i++)
		count(&x->of[REPOSITORIES], repos.items[i].bytes, true);
	return 0;
}

static int look_at_cache(struct df *x, struct err *e)
{
	const struct paths *p = &x->c->paths;
	struct usage *unpacked = &x->of[UNPACKED];
	_free_ char *scratch = scratch_root_path(p);
	uint64_t builds = size_below(p->cache, "build");

	if (builds)
		count(&x->of[BUILDS], builds, true);
	count(&x->of[RECORDS], size_below(p->cache, "meta") + size_below(p->cache, "importer"),
	      false);
	if (scratch && access(scratch, F_OK) == 0)
		count(&x->of[SCRATCH], tree_size(scratch), false);
	return unpacked_survey(p, &unpacked->n, &unpacked->bytes, &unpacked->free_bytes, e);
}

/* --- */

static int print_table(const struct df *x)
{
	static const char *const heading[] = {"KIND", "COUNT", "SIZE", "RECLAIMABLE", "BY"};
	struct usage all = {0};
	_strbuf_ struct strbuf out = STRBUF_INIT;
	_table_ struct table t;

	table_init(&t, heading, sizeof(heading) / sizeof(heading[0]));
	for (int k = 0; k < KINDS; k++) {
		const struct usage *u = &x->of[k];

		table_add(&t, kinds[k].name);
		table_addf(&t, "%zu", u->n);
		table_add_size(&t, u->bytes);
		table_add_size(&t, u->free_bytes);
		table_add(&t, u->free_bytes ? kinds[k].by : NULL);
		all.bytes += u->bytes;
		all.free_bytes += u->free_bytes;
	}
	table_add(&t, "total");
	table_add(&t, NULL);
	table_add_size(&t, all.bytes);
	table_add_size(&t, all.free_bytes);
	table_add(&t, NULL);
	table_format(&t, &out);
	return cmd_print(&out);
}

static int print_json(const struct df *x)
{
	struct json_out j = {.pretty = true};
	struct err e = ERR_INIT;
	int code;

	json_begin_object(&j);
	for (int k = 0; k < KINDS; k++) {
		json_key(&j, kinds[k].name);
		json_begin_object(&j);
		json_ku64(&j, "count", x->of[k].n);
		json_ku64(&j, "bytes", x->of[k].bytes);
		json_ku64(&j, "reclaimable_bytes", x->of[k].free_bytes);
		json_kstr(&j, "by", kinds[k].by);
		json_end_object(&j);
	}
	json_end_object(&j);
	if (json_finish(&j, &e) < 0) {
		code = cmd_error(&e, "df");
	} else {
		strbuf_addch(&j.buf, '\n');
		code = cmd_print(&j.buf);
	}
	json_out_free(&j);
	return code;
}

static int df_run(struct cmd *c, void *args, int argc, char **argv)
{
	const struct df_args *a = args;
	struct df x = {.c = c};
	struct err e = ERR_INIT;
	int r = look_at_images(&x, &e);

	(void)argc, (void)argv;
	if (r >= 0)
		r = look_at_layers(&x, &e);
	if (r >= 0)
		r = look_at_volumes(&x, &e);
	look_at_logs(&x);
	if (r >= 0)
		r = look_at_fetched(&x, &e);
	if (r >= 0)
		r = look_at_cache(&x, &e);
	if (r < 0)
		return cmd_error(&e, "df");
	return a->json ? print_json(&x) : print_table(&x);
}

static const struct verb_example examples[] = {
	{"where the space went, and what gives it back", "csbx df"},
	{"how much a prune of everything would free",
	 "csbx df --json | jq '[.[].reclaimable_bytes] | add'"},
	{0},
};

const struct verb verb_df = {
	.name = "df",
	.usage = "[OPTIONS]",
	.description =
		"Shows what csbx keeps on disk, a line a kind: how many there are, their size, how "
		"much of it no process uses at the moment, and the command that gives it back.\n\n"
		"images are those of docker pull, docker load and build, reclaimable where no "
		"container is made of them; files that import made lie where you put them. layers "
		"are what containers keep, volumes theirs. fetched is the registry cache, "
		"repositories those of csbx test --clone, unpacked the trees of images where there "
		"is no /dev/fuse, records what csbx remembers of images, logs those of detached "
		"starts, which gc removes a week after their end, scratch what running containers "
		"have on disk.\n\n"
		"Sizes are those of the files; directories that only another id of a container may "
		"open are left out.",
	.uses = (const struct opt_use[]){{&df_table, 0}, {0}},
	.examples = examples,
	.args_bytes = sizeof(struct df_args),
	.run = df_run,
};
