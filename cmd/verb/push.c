/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/frame/verbs.h"
#include "cmd/image/progress.h"
#include "cmd/image/push_image.h"
#include "cmd/image/registry_opts.h"
#include "cmd/options/image_find.h"
#include "image/table/image_name.h"
#include "image/table/table.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"

#define DRAW_EVERY_NS 100000000u

enum push_comp { COMP_GZIP, COMP_ZSTD };

struct push_args {
	bool quiet;
	int comp; /* enum push_comp */
	struct registry_opts registry;
};

static const struct opt push_opts[] = {
	{OPT_CHOICE, 0, "comp", "NAME", offsetof(struct push_args, comp), .choices = "gzip|zstd",
	 .initial = "gzip",
	 .help = "how layers are compressed that did not come from a registry: gzip or zstd"},
	{OPT_FLAG, 'q', "quiet", NULL, offsetof(struct push_args, quiet),
	 .help = "print nothing but errors and, at the end, the name by digest"},
	{0},
};
static const struct opt_table push_table = {"Output", push_opts};

/* The progress on stderr: a line for each layer; on a terminal also how far it is. */
struct view {
	bool quiet, terminal;
	const struct image_layers *layers;
	uint64_t drawn_ns;
};

static void show(const struct view *v, size_t i, const char *text, const char *end)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	char name[PUSH_LAYER_NAME_BYTES] = "configuration";

	if (i < v->layers->n)
		push_layer_name(v->layers, i, name);
	strbuf_addf(&out, "%s%s: %s%s", v->terminal ? "\r\033[K" : "", name, text, end);
	(void)io_write_all(STDERR_FILENO, strbuf_str(&out), out.len, NULL);
}

static void begun(void *arg, const struct image_layers *l)
{
	((struct view *)arg)->layers = l;
}

static void layer_done(void *arg, size_t i, enum registry_sent how)
{
	static const char *const words[] = {
		[REGISTRY_SENT] = "sent",
		[REGISTRY_WAS_THERE] = "the registry has it",
		[REGISTRY_MOUNTED] = "the registry has it in another repository",
	};
	const struct view *v = arg;

	if (!v->quiet)
		show(v, i, words[how], "\n");
}

static void progress(void *arg, size_t i, uint64_t sent_bytes, uint64_t bytes)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	uint64_t now = progress_clock_ns();
	struct view *v = arg;

	if (v->quiet || !v->terminal || now - v->drawn_ns < DRAW_EVERY_NS)
		return;
	v->drawn_ns = now;
	progress_add_size(&text, sent_bytes);
	strbuf_addstr(&text, " of ");
	progress_add_size(&text, bytes);
	show(v, i, strbuf_str(&text), "");
}

/* "NAME" with its tag; a digest names what is there already. */
static int canonical(const char *text, char **ret, struct err *e)
{
	_image_name_ struct image_name name = {0};
	int r = image_name_parse(text, &name, e);

	if (r >= 0 && name.digest)
		r = err_set(e, EINVAL, "%s: an image is pushed under a tag, not a digest", text);
	if (r < 0)
		return r;
	*ret = image_name_canonical(&name);
	return *ret ? 0 : err_oom(e);
}

static struct image_item *find_item(struct image_list *all, int dirfd, const char *operand,
				    struct err *e)
{
	_image_entry_ struct image_entry x = {0};

	struct image_item *item;

	if (image_table_find(dirfd, operand, &x, e) < 0)
		return NULL;
	item = image_list_get(all, x.id);
	if (!item)
		err_set(e, ENOENT, "no image %s", operand);
	return item;
}

static int push(struct cmd *c, struct push_args *a, const char *image, const char *to,
		struct strbuf *out, struct err *e)
{
	struct view view = {.quiet = a->quiet, .terminal = isatty(STDERR_FILENO)};
	struct push_image p = {.cmd = c,
			       .registry = &a->registry,
			       .to = to,
			       .by_zstd = a->comp == COMP_ZSTD,
			       .begun = begun,
			       .layer_done = layer_done,
			       .progress = progress,
			       .arg = &view};
	_image_list_ struct image_list all = {0};
	_close_ int dirfd = images_open(&c->paths, e);
	char text[DIGEST_TEXT_MAX];
	struct digest manifest;
	uint64_t bytes;
	int r = dirfd < 0 ? dirfd : image_table_list(dirfd, &all, e);

	if (r < 0)
		return r;
	p.item = find_item(&all, dirfd, image, e);
	r = p.item ? push_image(&p, &manifest, &bytes, e) : -ENOENT;
	if (r >= 0)
		strbuf_addf(out, "%.*s@%s\n", (int)image_name_repository_len(to), to,
			    digest_format(&manifest, text));
	return r;
}

static int push_run(struct cmd *c, void *args, int argc, char **argv)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	_free_ char *to = NULL;
	struct err e = ERR_INIT;
	int r = canonical(argv[argc - 1], &to, &e);

	if (r >= 0)
		r = push(c, args, argv[0], to, &out, &e);
	return r < 0 ? cmd_error(&e, "push %s", argv[0]) : cmd_print(&out);
}

static void push_done(void *args)
{
	registry_opts_done(&((struct push_args *)args)->registry);
}

static const struct verb_example examples[] = {
	{"an image under the name it has", "csbx push registry.example/team/app:1"},
	{"the same under another", "csbx push app:1 registry.example/team/app:1"},
	{0},
};

const struct verb verb_push = {
	.name = "push",
	.usage = "[OPTIONS] IMAGE [NAME[:TAG]]",
	.description =
		"Sends an image that docker build, commit, load, pull or import made to the "
		"registry that its name, or NAME, says, and prints the name with the digest that "
		"it has there. Layers that came from a registry go as they came, while the cache "
		"has them; each file of a stack is one layer. csbx does not send again the layers "
		"that the registry has.",
	.uses = (const struct opt_use[]){{&push_table, 0},
					 {&registry_opts_table,
					  offsetof(struct push_args, registry)},
					 {0}},
	.examples = examples,
	.min_operands = 1,
	.max_operands = 2,
	.args_bytes = sizeof(struct push_args),
	.done = push_done,
	.run = push_run,
};
