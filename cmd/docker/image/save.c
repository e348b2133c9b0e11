/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/image/save.h"

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/image/output_file.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/docker/image/image_event.h"
#include "cmd/docker/image/image_value.h"
#include "cmd/image/stack_tar.h"
#include "cmd/image/image_opts.h"
#include "cmd/options/image_find.h"
#include "image/save/save.h"
#include "image/store/store.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

struct save_args {
	const char *output;
};

static const struct opt save_opts[] = {
	{OPT_STR, 'o', "output", "string", offsetof(struct save_args, output),
	 .help = "Write to a file, instead of STDOUT"},
	{0},
};
static const struct opt_table save_table = {"Options", save_opts};

struct save {
	struct image_list all;
	struct image_save to;
};

/* Each image once, with all names it was asked for by. */
static int add(struct save *s, const struct image_item *item, const char *name, struct err *e)
{
	struct image_save_item *x = NULL;

	for (size_t i = 0; i < s->to.n; i++) {
		if (s->to.items[i].record == &item->record)
			x = &s->to.items[i];
	}
	if (!x) {
		x = &s->to.items[s->to.n++];
		*x = (struct image_save_item){.record = &item->record};
	}
	for (size_t i = 0; name && i < x->names.n; i++) {
		if (str_eq(x->names.items[i], name))
			return 0;
	}
	if (name && !strchr(name, '@'))
		strv_add(&x->names, name);
	return strv_check(&x->names, e);
}

/* A repository without a tag is all of its tags. */
static int add_repository(struct save *s, const char *operand, struct err *e)
{
	_image_name_ struct image_name n = {0};
	_free_ char *repository = NULL;
	int found = 0;

	if (image_id_hex(operand) || image_name_parse(operand, &n, NULL) < 0 || n.tag || n.digest)
		return 0;
	repository = str_printf("%s/%s:", n.domain, n.path);
	if (!repository)
		return err_oom(e);
	for (size_t i = 0; i < s->all.n; i++) {
		const struct strv *names = &s->all.items[i].names;

		for (size_t k = 0; k < names->n; k++) {
			if (!str_has_prefix(names->items[k], repository))
				continue;
			if (add(s, &s->all.items[i], names->items[k], e) < 0)
				return -ENOMEM;
			found = 1;
		}
	}
	return found;
}

static int add_operand(struct save *s, const char *operand, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	const struct image_item *item;
	const char *name;
	int r = add_repository(s, operand, e);

	if (r)
		return r;
	item = image_item_find(&s->all, operand, &name);
	if (item)
		return add(s, item, name, e);
	image_no_such(operand, &text);
	return err_set(e, ENOENT, "%s", strbuf_str(&text));
}

static int write_file(struct save *s, const char *path, struct err *e)
{
	struct output_file f = OUTPUT_FILE_INIT;
	int r = output_file_open(&f, path, e);

	if (r >= 0)
		r = image_save(&s->to, f.out.fd, e);
	if (r >= 0)
		r = output_commit(&f.out, e);
	output_file_close(&f);
	return r;
}

static int write_stack(void *arg, const struct image_record *rec, int tar_fd, struct err *e)
{
	return stack_tar_write(arg, rec, tar_fd, e);
}

static int choose(struct docker *d, struct save *s, int argc, char **argv, struct err *e)
{
	int r = s->to.content.dirfd = images_open(&d->cmd.paths, e);

	s->to.content.write_stack = write_stack;
	s->to.content.arg = &d->cmd;
	if (r >= 0)
		r = image_table_list(s->to.content.dirfd, &s->all, e);
	if (r >= 0) {
		s->to.items = calloc(s->all.n + 1, sizeof(*s->to.items));
		r = s->to.items ? open_store(&d->cmd, &s->to.content.store, e) : err_oom(e);
	}
	for (int i = 0; r >= 0 && i < argc; i++)
		r = add_operand(s, argv[i], e);
	return r;
}

static void save_done(struct save *s)
{
	for (size_t i = 0; i < s->to.n; i++)
		strv_free(&s->to.items[i].names);
	free(s->to.items);
	store_close(&s->to.content.store);
	image_list_free(&s->all);
	fd_close(&s->to.content.dirfd);
}

int docker_save_images(struct docker *d, int argc, char **argv, const struct docker_save_to *to,
		       struct err *e)
{
	struct save s = {.to = {.content = {.dirfd = -1}}};
	int r = choose(d, &s, argc, argv, e);

	if (r >= 0 && to->ready)
		r = to->ready(to->arg, e);
	if (r >= 0)
		r = to->file ? write_file(&s, to->file, e) : image_save(&s.to, to->fd, e);
	for (size_t i = 0; r >= 0 && i < s.to.n; i++)
		image_event(&d->cmd.paths, "save", s.to.items[i].record->id,
			    s.to.items[i].record->id);
	save_done(&s);
	return r;
}

static int save_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct save_args *a = args;
	const struct docker_save_to to = {.file = a->output, .fd = STDOUT_FILENO};
	struct err e = ERR_INIT;

	if (!a->output && isatty(STDOUT_FILENO))
		return docker_say(DOCKER_EXIT_FAILED,
				  "cowardly refusing to save to a terminal. Use the -o flag or "
				  "redirect");
	if (a->output && output_file_check(a->output, "save image"))
		return DOCKER_EXIT_FAILED;
	return docker_save_images(d, argc, argv, &to, &e) < 0 ? docker_daemon_error("%s", e.msg)
							      : 0;
}

const struct docker_verb docker_verb_save = {
	.name = "save",
	.usage = "[OPTIONS] IMAGE [IMAGE...]",
	.uses = (const struct opt_use[]){{&save_table, 0}, {0}},
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct save_args),
	.run = save_run,
};
