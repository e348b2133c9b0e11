/* SPDX-License-Identifier: Apache-2.0 */

/*
 * `docker __complete WORD...`: what the last word may become, a candidate a line with a tab and its
 * explanation behind it, and at the end ":0" where files will do and ":4" where they will not. It is
 * what docker's own completion for bash, zsh and fish asks for.
 */
#include <string.h>

#include "cmd/docker/frame/complete.h"
#include "cmd/options/image_find.h"
#include "image/table/image_name.h"
#include "image/table/table.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/record/container_store.h"
#include "runtime/record/volume.h"

#define FILES ":0\n"
#define NO_FILES ":4\n"

static void offer(struct strbuf *out, const char *prefix, const char *word, const char *about)
{
	if (str_has_prefix(word, prefix))
		strbuf_addf(out, "%s\t%s\n", word, about);
}

/* "container" of "container rm": once for all commands of a group, which stand together. */
static void offer_group(struct strbuf *out, const char *prefix, const struct docker_command *c)
{
	_free_ char *group = c->path ? strdup(c->path) : NULL;
	char *blank = group ? strchr(group, ' ') : NULL;
	size_t n;

	if (!blank || c->program == PROGRAM_MAX)
		return;
	*blank = 0;
	n = strlen(group);
	for (const struct docker_command *b = docker_commands; b != c; b++) {
		if (b->path && !strncmp(b->path, group, n) && b->path[n] == ' ')
			return;
	}
	offer(out, prefix, group, "a group of commands");
}

static void offer_commands(struct strbuf *out, const char *prefix)
{
	for (const struct docker_command *c = docker_commands; c->summary; c++) {
		offer_group(out, prefix, c);
		if (c->top && c->program != PROGRAM_MAX)
			offer(out, prefix, c->top, c->summary);
	}
}

static void offer_commands_of(struct strbuf *out, const char *prefix, const char *group)
{
	size_t n = strlen(group);

	for (const struct docker_command *c = docker_commands; c->summary; c++) {
		if (c->path && !strncmp(c->path, group, n) && c->path[n] == ' ' &&
		    c->program != PROGRAM_MAX)
			offer(out, prefix, c->path + n + 1, c->summary);
	}
}

static void offer_flags(struct strbuf *out, const char *prefix, const struct docker_verb *v)
{
	for (const struct opt_use *u = v->uses; u && u->table; u++) {
		for (const struct opt *o = u->table->opts; o->kind; o++) {
			_free_ char *word = str_printf("--%s", o->name);

			if (o->help && word)
				offer(out, prefix, word, o->help);
		}
	}
	offer(out, prefix, "--help", "Print usage");
}

/* --- names: nothing to offer is the right answer where nothing can be read ------------------- */

/* Those that stay: docker's commands do not see others. tail: ":" where a path follows. */
static void offer_containers(const struct paths *p, struct strbuf *out, const char *prefix,
			     const char *tail)
{
	_strv_ struct strv names = STRV_INIT;

	(void)container_store_list(p, &names, NULL, NULL);
	for (size_t i = 0; i < names.n; i++) {
		_free_ char *word = str_printf("%s%s", names.items[i], tail);
		struct container_record record = {0};

		if (container_store_open(p, names.items[i], &record, NULL) < 0)
			continue;
		if (record.spec && word)
			offer(out, prefix, word, "container");
		container_record_free(&record);
	}
}

static void offer_images(const struct paths *p, struct strbuf *out, const char *prefix)
{
	_close_ int dirfd = images_open(p, NULL);
	_image_list_ struct image_list list = {0};

	if (dirfd < 0 || image_table_list(dirfd, &list, NULL) < 0)
		return;
	for (size_t i = 0; i < list.n; i++) {
		for (size_t k = 0; k < list.items[i].names.n; k++)
			offer(out, prefix, image_name_familiar(list.items[i].names.items[k]),
			      "image");
	}
}

static void offer_volumes(const struct paths *p, struct strbuf *out, const char *prefix)
{
	_strv_ struct strv names = STRV_INIT;

	(void)volume_list(p, &names, NULL);
	for (size_t i = 0; i < names.n; i++)
		offer(out, prefix, names.items[i], "volume");
}

/* The usage of a command says what its operands are. Returns the directive. */
static const char *offer_operands(struct strbuf *out, const char *prefix,
				  const struct docker_verb *v)
{
	bool is_path = strstr(v->usage, "SRC_PATH");
	struct cmd c = {0};

	if (cmd_load_state(&c, NULL) >= 0) {
		if (strstr(v->usage, "CONTAINER"))
			offer_containers(&c.paths, out, prefix, is_path ? ":" : "");
		if (strstr(v->usage, "IMAGE") || strstr(v->usage, "NAME[:TAG"))
			offer_images(&c.paths, out, prefix);
		if (strstr(v->usage, "VOLUME"))
			offer_volumes(&c.paths, out, prefix);
	}
	cmd_free_state(&c);
	return is_path || strstr(v->usage, "file|") || strstr(v->usage, "PATH") ? FILES : NO_FILES;
}

/* --- where the cursor is ---------------------------------------------------------------------- */

/* Operands before the cursor, which is words[n - 1]. */
static int count_operands(const struct docker_verb *v, int n, char **words)
{
	int operands = 0;

	for (int i = 0; i + 1 < n; i++) {
		if (words[i][0] != '-')
			operands++;
		else if (opt_wants_next(v->uses, words[i]))
			i++;
	}
	return operands;
}

static int print(struct strbuf *out, const char *directive)
{
	strbuf_addstr(out, directive);
	return cmd_print(out);
}

int docker_complete_names(const char *group, const char *prefix)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	if (group)
		offer_commands_of(&out, prefix, group);
	else
		offer_commands(&out, prefix);
	return print(&out, NO_FILES);
}

int docker_complete_verb(const struct docker_verb *v, int n, char **words)
{
	const char *last = n ? words[n - 1] : "";
	bool has_value = n > 1 && opt_wants_next(v->uses, words[n - 2]);
	_strbuf_ struct strbuf out = STRBUF_INIT;
	int operands = count_operands(v, n, words);

	if (has_value || (operands && v->flags & DOCKER_OPERAND_ENDS))
		return print(&out, FILES);
	if (*last == '-') {
		offer_flags(&out, last, v);
		return print(&out, NO_FILES);
	}
	if ((unsigned)operands >= v->max_operands)
		return print(&out, NO_FILES);
	return print(&out, offer_operands(&out, last, v));
}
