/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/image/pull_text.h"
#include "cmd/docker/frame/verbs_image.h"
#include "cmd/image/image_add.h"
#include "cmd/image/settings.h"
#include "cmd/options/image_find.h"
#include "image/model/digest.h"
#include "image/oci/platform.h"
#include "image/source/source.h"
#include "image/store/store.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

struct pull_args {
	const char *platform;
	bool quiet, all_tags, disable_content_trust;
};

static const struct opt pull_opts[] = {
	{OPT_FLAG, 'a', "all-tags", NULL, offsetof(struct pull_args, all_tags),
	 .help = "Download all tagged images in the repository"},
	{OPT_FLAG, 0, "disable-content-trust", NULL,
	 offsetof(struct pull_args, disable_content_trust),
	 .help = "Skip image verification (default true)"},
	{OPT_STR, 0, "platform", "string", offsetof(struct pull_args, platform),
	 .help = "Set platform if server is multi-platform capable"},
	{OPT_FLAG, 'q', "quiet", NULL, offsetof(struct pull_args, quiet),
	 .help = "Suppress verbose output"},
	{0},
};
static const struct opt_table pull_table = {"Options", pull_opts};

struct pull {
	struct docker *d;
	const struct pull_args *args;
	struct image_settings settings;
	struct image_name name;
	char *canonical;
	int dirfd;
};

/* What the name stands for: of an image for several platforms the digest of their index. */
static int root_digest(struct pull *p, char ret[DIGEST_TEXT_MAX], struct err *e)
{
	struct platform platform;
	struct digest d;
	int r = 0;

	if (p->name.digest) {
		snprintf(ret, DIGEST_TEXT_MAX, "%s", p->name.digest);
		return 0;
	}
	r = platform_wanted(p->settings.source.arch, p->settings.source.platform, &platform, e);
	if (r >= 0)
		r = store_find_name(p->settings.source.store, p->canonical, &platform, &d, e);
	if (r >= 0)
		digest_format(&d, ret);
	return r;
}

static bool is_same(struct pull *p, const struct image_source *src)
{
	_image_entry_ struct image_entry x = {0};
	struct digest id;
	char text[DIGEST_TEXT_MAX];

	if (digest_of(strbuf_str(&src->config), src->config.len, &id, NULL) < 0)
		return false;
	return image_table_find(p->dirfd, p->canonical, &x, NULL) >= 0 &&
	       str_eq(x.id, digest_format(&id, text));
}

/* The image gets its name, and the name by digest that says where it came from. */
static int keep(struct pull *p, const struct image_source *src, const char *root, struct err *e)
{
	struct import_options o = output_opts_import(&p->settings.output);
	_strv_ struct strv names = STRV_INIT;
	const struct image_add_names n = {.names = &names, .options = &o};
	char id[IMAGE_ID_BYTES];

	if (!p->name.digest)
		strv_add(&names, p->canonical);
	strv_take(&names, str_printf("%s/%s@%s", p->name.domain, p->name.path, root));
	if (strv_check(&names, e) < 0)
		return -ENOMEM;
	return image_add_named(p->dirfd, src, &n, id, NULL, e);
}

static int pull_source(struct pull *p, struct image_source *src, struct err *e)
{
	struct pull_text t = {.name = &p->name, .canonical = p->canonical};
	char root[DIGEST_TEXT_MAX] = "";
	int r = root_digest(p, root, e);

	if (r < 0)
		return r;
	t.same = is_same(p, src);
	t.digest = root;
	t.quiet = p->args->quiet;
	pull_text_begin(&t, src);
	r = keep(p, src, root, e);
	if (r >= 0)
		pull_text_end(&t, src);
	return r;
}

static int pull_once(struct pull *p, bool *ret_again, struct err *e)
{
	_free_ char *uri = str_printf("docker://%s", p->canonical);
	bool show = !p->args->quiet && isatty(STDERR_FILENO);
	struct image_source src = {0};
	int r;

	p->settings.source.output = &p->settings.output;
	r = uri ? source_opts_open(&p->d->cmd, &p->settings.source, uri, p->dirfd, !show, &src, e)
		: err_set(e, ENOMEM, "out of memory");

	if (r >= 0)
		r = pull_source(p, &src, e);
	*ret_again = source_opts_retry(&src, r, e);
	source_close(&src);
	return r;
}

static int pull(struct pull *p, struct err *e)
{
	bool again;
	int r = image_settings_read(&p->d->cmd, &p->settings, e);

	if (r >= 0)
		r = p->dirfd = images_open(&p->d->cmd.paths, e);
	if (r < 0)
		return r;
	if (p->args->platform)
		p->settings.source.platform = p->args->platform;
	r = pull_once(p, &again, e);
	return again ? pull_once(p, &again, e) : r;
}

static int pull_run(struct docker *d, void *args, int argc, char **argv)
{
	struct pull p = {.d = d, .args = args, .dirfd = -1};
	struct err e = ERR_INIT;
	int r = image_name_parse(argv[0], &p.name, &e);

	(void)argc;
	if (r < 0)
		return docker_say(DOCKER_EXIT_FAILED, "%s", e.msg);
	if (p.args->all_tags) {
		image_name_free(&p.name);
		return docker_say(DOCKER_EXIT_FAILED,
				  "docker: --all-tags is not done by csbx: name the tags");
	}
	p.canonical = image_name_canonical(&p.name);
	if (!p.canonical)
		r = err_set(&e, ENOMEM, "out of memory");
	else if (!p.name.tag && !p.name.digest && !p.args->quiet)
		pull_text_default_tag();
	if (r >= 0)
		r = pull(&p, &e);
	if (r < 0)
		pull_text_error(&p.name, p.canonical, r, &e);
	image_settings_done(&p.settings);
	fd_close(&p.dirfd);
	ptr_free(&p.canonical);
	image_name_free(&p.name);
	return r < 0 ? DOCKER_EXIT_FAILED : 0;
}

const struct docker_verb docker_pull = {
	.name = "pull",
	.usage = "[OPTIONS] NAME[:TAG|@DIGEST]",
	.uses = (const struct opt_use[]){{&pull_table, 0}, {0}},
	.min_operands = 1,
	.max_operands = 1,
	.args_bytes = sizeof(struct pull_args),
	.run = pull_run,
};
