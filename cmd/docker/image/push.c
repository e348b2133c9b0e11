/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdlib.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/docker/image/image_value.h"
#include "cmd/docker/image/pull_text.h"
#include "cmd/image/push_image.h"
#include "cmd/image/settings.h"
#include "cmd/options/image_find.h"
#include "image/table/image_name.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/settings/config.h"

struct push_args {
	bool all_tags, quiet, disable_content_trust;
};

static const struct opt push_opts[] = {
	{OPT_FLAG, 'a', "all-tags", NULL, offsetof(struct push_args, all_tags),
	 .help = "Push all tags of an image to the repository"},
	{OPT_FLAG, 0, "disable-content-trust", NULL,
	 offsetof(struct push_args, disable_content_trust),
	 .help = "Skip image signing (default true)"},
	{OPT_FLAG, 'q', "quiet", NULL, offsetof(struct push_args, quiet),
	 .help = "Suppress verbose output"},
	{0},
};
static const struct opt_table push_table = {"Options", push_opts};

struct push {
	struct docker *d;
	const struct push_args *args;
	struct image_settings settings;
	struct image_list all;
	bool by_zstd;                      /* layers that are made anew */
	const struct image_layers *layers; /* on their way */
};

static void say(const struct push *p, const char *name, const char *what)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	strbuf_addf(&out, "%s: %s\n", name, what);
	if (!p->args->quiet)
		(void)cmd_print(&out);
}

static void begun(void *arg, const struct image_layers *l)
{
	struct push *p = arg;
	char name[PUSH_LAYER_NAME_BYTES];

	p->layers = l;
	for (size_t i = 0; i < l->n; i++) {
		push_layer_name(l, i, name);
		say(p, name, "Preparing");
	}
}

static void layer_done(void *arg, size_t i, enum registry_sent how)
{
	static const char *const words[] = {
		[REGISTRY_SENT] = "Pushed",
		[REGISTRY_WAS_THERE] = "Layer already exists",
		[REGISTRY_MOUNTED] = "Mounted from another repository",
	};
	const struct push *p = arg;
	char name[PUSH_LAYER_NAME_BYTES];

	push_layer_name(p->layers, i, name);
	say(p, name, words[how]);
}

static int push_one(struct push *p, const struct image_item *item, const char *to, struct err *e)
{
	const struct push_image job = {
		.cmd = &p->d->cmd,
		.registry = &p->settings.source.registry,
		.item = item,
		.to = to,
		.by_zstd = p->by_zstd,
		.begun = begun,
		.layer_done = layer_done,
		.arg = p,
	};
	_strbuf_ struct strbuf out = STRBUF_INIT;
	char text[DIGEST_TEXT_MAX];
	struct digest manifest;
	uint64_t bytes;
	int r = push_image(&job, &manifest, &bytes, e);

	if (r < 0)
		return r;
	if (p->args->quiet)
		strbuf_addf(&out, "%s\n", to);
	else
		strbuf_addf(&out, "%s: digest: %s size: %llu\n",
			    to + image_name_repository_len(to) + 1, digest_format(&manifest, text),
			    (unsigned long long)bytes);
	return cmd_print(&out) ? -EPIPE : 0;
}

static void say_repository(const struct push *p, const char *to)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	strbuf_addf(&out, "The push refers to repository [%.*s]\n",
		    (int)image_name_repository_len(to), to);
	if (!p->args->quiet)
		(void)cmd_print(&out);
}

static int push_tag(struct push *p, const char *to, struct err *e)
{
	const struct image_item *item = image_item_find(&p->all, to, NULL);

	if (!item)
		return err_set(e, ENOENT, "An image does not exist locally with the tag: %.*s",
			       (int)image_name_repository_len(image_name_familiar(to)),
			       image_name_familiar(to));
	return push_one(p, item, to, e);
}

/* All names in the repository of that one. */
static int push_tags(struct push *p, const char *to, struct err *e)
{
	size_t len = image_name_repository_len(to), found = 0;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < p->all.n; i++) {
		const struct image_item *item = &p->all.items[i];

		for (size_t k = 0; r >= 0 && k < item->names.n; k++) {
			const char *name = item->names.items[k];

			if (strncmp(name, to, len) || name[len] != ':')
				continue;
			found++;
			r = push_one(p, item, name, e);
		}
	}
	return r < 0 || found
		       ? r
		       : err_set(e, ENOENT, "An image does not exist locally with the tag: %.*s",
				 (int)image_name_repository_len(image_name_familiar(to)),
				 image_name_familiar(to));
}

/* docker push has no option for it. */
static int read_comp(struct push *p, struct err *e)
{
	const char *comp = config_get(p->d->cmd.config, "CSBX_PUSH_COMP");

	p->by_zstd = comp && str_eq(comp, "zstd");
	if (comp && !p->by_zstd && !str_eq(comp, "gzip"))
		return err_set(e, EINVAL, "CSBX_PUSH_COMP %.60s: gzip or zstd", comp);
	return 0;
}

static int push(struct push *p, const char *to, struct err *e)
{
	_close_ int dirfd = images_open(&p->d->cmd.paths, e);
	int r = dirfd < 0 ? dirfd : image_table_list(dirfd, &p->all, e);

	if (r >= 0)
		r = image_settings_read(&p->d->cmd, &p->settings, e);
	if (r < 0)
		return r;
	r = read_comp(p, e);
	if (r >= 0)
		say_repository(p, to);
	if (r >= 0)
		r = p->args->all_tags ? push_tags(p, to, e) : push_tag(p, to, e);
	image_settings_done(&p->settings);
	return r;
}

static int push_run(struct docker *d, void *args, int argc, char **argv)
{
	struct push p = {.d = d, .args = args};
	_image_name_ struct image_name name = {0};
	_free_ char *to = NULL;
	struct err e = ERR_INIT;
	int r;

	(void)argc;
	if (image_name_parse(argv[0], &name, &e) < 0)
		return docker_say(DOCKER_EXIT_FAILED, "%s", e.msg);
	if (name.digest)
		return docker_say(DOCKER_EXIT_FAILED, "cannot push a digest reference");
	if (name.tag && p.args->all_tags)
		return docker_say(DOCKER_EXIT_FAILED, "tag can't be used with --all-tags/-a");
	to = image_name_canonical(&name);
	r = to ? 0 : err_oom(&e);
	if (r >= 0 && !name.tag && !p.args->all_tags && !p.args->quiet)
		pull_text_default_tag();
	if (r >= 0)
		r = push(&p, to, &e);
	image_list_free(&p.all);
	return r < 0 ? docker_say(DOCKER_EXIT_FAILED, "%s", e.msg) : 0;
}

const struct docker_verb docker_verb_push = {
	.name = "push",
	.usage = "[OPTIONS] NAME[:TAG]",
	.uses = (const struct opt_use[]){{&push_table, 0}, {0}},
	.min_operands = 1,
	.max_operands = 1,
	.args_bytes = sizeof(struct push_args),
	.run = push_run,
};
