/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <time.h>

#include "cmd/frame/cmd.h"
#include "cmd/image/build_prune.h"
#include "cmd/image/image_opts.h"
#include "cmd/image/progress.h"
#include "cmd/image/repos.h"
#include "cmd/frame/table.h"
#include "cmd/frame/verbs.h"
#include "image/model/digest.h"
#include "image/store/store.h"
#include "runtime/base/err.h"
#include "runtime/base/json/out.h"
#include "runtime/life/unpacked_prune.h"

#define NS_PER_S 1000000000ull

struct cache_args {
	bool json, dry_run;
	uint64_t max_bytes, older_ms;
};

static const struct opt cache_opts[] = {
	{OPT_BYTES, 0, "max", "SIZE", offsetof(struct cache_args, max_bytes),
	 .help = "prune: drop images, those first that were not used for the longest time, until "
		 "the rest has at most SIZE"},
	{OPT_DURATION, 0, "older", "TIME", offsetof(struct cache_args, older_ms),
	 .help = "prune: drop images, repositories of csbx test --clone, steps of builds and "
		 "unpacked trees of images that were not used for TIME (30d, 12h)"},
	{OPT_FLAG, 'n', "dry-run", .offset = offsetof(struct cache_args, dry_run),
	 .help = "prune: only say what would go"},
	{OPT_FLAG, 0, "json", .offset = offsetof(struct cache_args, json),
	 .help = "ls: print JSON"},
	{0},
};

static const struct opt_table cache_table = {"Options", cache_opts};

static void add_platform(struct strbuf *out, const struct store_image *i)
{
	strbuf_addf(out, "%s/%s", i->os ? i->os : "linux", i->arch ? i->arch : "?");
	if (i->variant)
		strbuf_addf(out, "/%s", i->variant);
}

static void add_repos(struct json_out *j, const struct repos *repos)
{
	json_key(j, "repositories");
	json_begin_array(j);
	for (size_t i = 0; i < repos->n; i++) {
		const struct repo *x = &repos->items[i];

		json_begin_object(j);
		json_kstr(j, "url", x->url);
		json_ku64(j, "bytes", x->bytes);
		json_key(j, "last_used");
		json_time(j, x->used_s * NS_PER_S);
		json_end_object(j);
	}
	json_end_array(j);
}

static int print_json(const struct store_report *r, const struct repos *repos, struct err *e)
{
	struct json_out j = {.pretty = true};
	char text[DIGEST_TEXT_MAX];
	int code;

	json_begin_object(&j);
	json_ku64(&j, "total_bytes", r->total_bytes);
	json_key(&j, "images");
	json_begin_array(&j);
	for (size_t i = 0; i < r->n; i++) {
		const struct store_usage *u = &r->items[i];
		_strbuf_ struct strbuf platform = STRBUF_INIT;

		add_platform(&platform, &u->image);
		json_begin_object(&j);
		json_kstr(&j, "name", u->image.name);
		json_kstr(&j, "digest", digest_format(&u->image.manifest, text));
		json_kstr(&j, "platform", strbuf_str(&platform));
		json_ku64(&j, "bytes", u->bytes);
		json_ku64(&j, "own_bytes", u->own_bytes);
		json_key(&j, "last_used");
		json_time(&j, u->used_s * NS_PER_S);
		json_kbool(&j, "complete", u->complete);
		json_kbool(&j, "in_use", u->in_use);
		json_end_object(&j);
	}
	json_end_array(&j);
	add_repos(&j, repos);
	json_end_object(&j);
	code = json_finish(&j, e);
	strbuf_addch(&j.buf, '\n');
	if (code >= 0)
		code = cmd_print(&j.buf) == CMD_EXIT_OK ? 0 : -EIO;
	json_out_free(&j);
	return code;
}

static int print_table(const struct store_report *r, const struct repos *repos)
{
	static const char *const heading[] = {"NAME", "PLATFORM", "DIGEST", "SIZE", "LAST USED"};
	uint64_t now_ns = (uint64_t)time(NULL) * NS_PER_S;
	_strbuf_ struct strbuf out = STRBUF_INIT;
	_table_ struct table t;

	table_init(&t, heading, sizeof(heading) / sizeof(heading[0]));
	for (size_t i = 0; i < r->n; i++) {
		const struct store_usage *u = &r->items[i];
		_strbuf_ struct strbuf platform = STRBUF_INIT;

		add_platform(&platform, &u->image);
		table_add(&t, u->image.name);
		table_add(&t, strbuf_str(&platform));
		table_addf(&t, "%.12s", u->image.manifest.hex);
		table_add_size(&t, u->bytes);
		if (!u->used_s)
			table_add(&t, NULL);
		else if (u->complete)
			table_add_age(&t, u->used_s * NS_PER_S, now_ns);
		else
			table_add(&t, "incomplete");
	}
	for (size_t i = 0; i < repos->n; i++) {
		table_add(&t, repos->items[i].url);
		table_add(&t, "git");
		table_add(&t, NULL);
		table_add_size(&t, repos->items[i].bytes);
		table_add_age(&t, repos->items[i].used_s * NS_PER_S, now_ns);
	}
	table_format(&t, &out);
	return cmd_print(&out) == CMD_EXIT_OK ? 0 : -EIO;
}

static int list(struct cmd *c, struct store *s, const struct cache_args *a, struct err *e)
{
	_store_report_ struct store_report report;
	_repos_ struct repos repos = {0};
	int r = store_report(s, &report, e);

	if (r >= 0)
		r = repos_read(&c->paths, &repos, e);
	if (r < 0)
		return r;
	return a->json ? print_json(&report, &repos, e) : print_table(&report, &repos);
}

static void tell(void *arg, const struct store_usage *u)
{
	struct strbuf *out = arg;
	char text[DIGEST_TEXT_MAX];

	if (u->image.name)
		strbuf_add_escaped(out, u->image.name, strlen(u->image.name));
	else
		strbuf_addstr(out, digest_format(&u->image.manifest, text));
	strbuf_addch(out, '\n');
}

static int prune_builds(struct cmd *c, const struct store_prune *asked, uint64_t *freed,
			struct err *e)
{
	const struct build_prune how = {.unused_s = asked->unused_s, .dry_run = asked->dry_run};
	int r = build_cache_prune(&c->paths, &how, freed, e);

	if (r != -EBUSY)
		return r;
	cmd_warn("a build is running: its cache stays");
	return 0;
}

static int prune(struct cmd *c, struct store *s, const struct cache_args *a, struct err *e)
{
	_strbuf_ struct strbuf names = STRBUF_INIT, size = STRBUF_INIT;
	const struct store_prune how = {
		.max_bytes = a->max_bytes,
		.unused_s = (a->older_ms + 999) / 1000,
		.dry_run = a->dry_run,
		.tell = tell,
		.arg = &names,
	};
	uint64_t freed, of_repos = 0;
	int r = store_prune(s, &how, &freed, e);

	if (r >= 0 && how.unused_s)
		r = repos_prune(&c->paths, how.unused_s, a->dry_run, &names, &of_repos, e);
	if (r < 0)
		return r;
	freed += of_repos;
	/* Without --older those go whose image is gone. */
	r = unpacked_prune(&c->paths, how.unused_s ? how.unused_s : INT32_MAX, how.dry_run, &freed,
			   e);
	if (r >= 0 && how.unused_s)
		r = prune_builds(c, &how, &freed, e);
	if (r < 0)
		return r;
	progress_add_size(&size, freed);
	cmd_warn("%s %s", strbuf_str(&size), a->dry_run ? "would be freed" : "freed");
	return cmd_print(&names) == CMD_EXIT_OK ? 0 : -EIO;
}

static int run(struct cmd *c, const struct cache_args *a, const char *what, struct err *e)
{
	_store_ struct store *s = NULL;
	bool lists = str_eq(what, "ls") || str_eq(what, "list");
	int r;

	if (!lists && !str_eq(what, "prune"))
		return err_set(e, EINVAL, "neither ls nor prune");
	if (lists && (a->max_bytes != UINT64_MAX || a->older_ms || a->dry_run))
		return err_set(e, EINVAL, "--max, --older and --dry-run are for prune");
	if (!lists && a->json)
		return err_set(e, EINVAL, "--json is for ls");
	r = open_store(c, &s, e);
	if (r < 0)
		return r;
	return lists ? list(c, s, a, e) : prune(c, s, a, e);
}

static int cache_run(struct cmd *c, void *args, int argc, char **argv)
{
	struct err e = ERR_INIT;
	int r = run(c, args, argv[0], &e);

	(void)argc;
	if (r < 0 && e.code)
		return cmd_error(&e, "cache %s", argv[0]);
	return r < 0 ? CMD_EXIT_FAILED : CMD_EXIT_OK;
}

static void cache_init(void *args)
{
	((struct cache_args *)args)->max_bytes = UINT64_MAX;
}

static const struct verb_example examples[] = {
	{"the images that were fetched, and the space they take", "csbx cache ls"},
	{"keep 20 GiB, and nothing that no import used for a month",
	 "csbx cache prune --max 20g --older 30d"},
	{"other programs read the cache too",
	 "skopeo inspect oci:$HOME/.cache/csbx/oci:docker.io/library/python:3.12"},
	{0},
};

const struct verb verb_cache = {
	.name = "cache",
	.usage = "[OPTIONS] ls|prune",
	.description =
		"Shows or prunes what was fetched from registries, and the repositories that csbx "
		"test --clone keeps (--older drops these too, --max does not count them). Layers "
		"are kept as they came, in an OCI image layout, so an image that is imported "
		"again, or another one on the same base, is not fetched again.\n\n"
		"prune without options removes only what belongs to no image: layers of tags that "
		"have moved on, downloads that were given up a day ago, and unpacked trees of images "
		"that are gone (there are such trees where /dev/fuse is missing). Layers that an import "
		"reads or fetches at the moment always stay, and containers never need the cache.",
	.uses = (const struct opt_use[]){{&cache_table, 0}, {0}},
	.examples = examples,
	.offers = "words:ls prune",
	.min_operands = 1,
	.max_operands = 1,
	.args_bytes = sizeof(struct cache_args),
	.init = cache_init,
	.run = cache_run,
};
