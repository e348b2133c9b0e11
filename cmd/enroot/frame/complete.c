/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/enroot/frame/complete.h"

#include <string.h>

#include "cmd/frame/opt.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/record/container_store.h"

static void offer(struct strbuf *out, const char *prefix, const char *word, const char *about)
{
	if (str_has_prefix(word, prefix))
		strbuf_addf(out, "%s\t%s\n", word, about);
}

int enroot_complete_names(const char *prefix)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	for (const struct enroot_command *c = enroot_commands; c->name; c++)
		offer(&out, prefix, c->name, c->summary);
	return enroot_print(&out);
}

static void offer_options(struct strbuf *out, const char *prefix, const struct enroot_verb *v)
{
	for (const struct opt_use *u = v->uses; u && u->table; u++) {
		for (const struct opt *o = u->table->opts; o->kind; o++) {
			_free_ char *word = str_printf("--%s", o->name);

			if (word)
				offer(out, prefix, word, o->help ? o->help : "");
		}
	}
}

/* Nothing to offer is the right answer where the containers cannot be read. */
static void offer_containers(struct strbuf *out, const char *prefix)
{
	struct enroot x = {0};
	_strv_ struct strv names = STRV_INIT;

	if (enroot_load_state(&x, NULL) >= 0)
		(void)container_store_list(&x.cmd.paths, &names, NULL, NULL);
	for (size_t i = 0; i < names.n; i++)
		offer(out, prefix, names.items[i], "container");
	enroot_free_state(&x);
}

int enroot_complete_verb(const struct enroot_command *c, const struct enroot_verb *v,
			 const char *word, const char *before)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	if (opt_wants_next(v->uses, before)) {
		strbuf_addstr(&out, ":file\n");
	} else if (*word == '-') {
		offer_options(&out, word, v);
	} else {
		if (strstr(c->usage, "NAME"))
			offer_containers(&out, word);
		if (strstr(c->usage, "IMAGE") || strstr(c->usage, "ARG") ||
		    strstr(c->usage, "CONFIG"))
			strbuf_addstr(&out, ":file\n");
	}
	return enroot_print(&out);
}
