/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/copy_step.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "cmd/build/dockerfile/expand.h"
#include "cmd/build/dockerfile/heredoc_text.h"
#include "cmd/frame/cmd.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"

/* --- words ----------------------------------------------------------------------------------- */

static int expand_all(struct copy_work *w, const struct expand *x, struct strv *ret, struct err *e)
{
	int r = 0;

	for (size_t n = 0; r >= 0 && n < w->i->args.n; n++) {
		char *word = NULL;

		r = expand_word(x, w->i->args.items[n], &word, e);
		if (r >= 0)
			strv_take(ret, word);
	}
	return r < 0 ? r : strv_check(ret, e);
}

static bool is_git(const char *s)
{
	return str_has_prefix(s, "git://") || str_has_prefix(s, "git@") ||
	       (add_url_is(s) && (str_has_suffix(s, ".git") || strstr(s, ".git#")));
}

static const struct dockerfile_heredoc *inline_of(const struct copy_work *w, const char *word)
{
	for (size_t n = 0; n < w->i->n_heredocs; n++) {
		const struct dockerfile_heredoc *h = &w->i->heredocs[n];
		const char *name = strstr(word, h->name);

		if (strstr(word, "<<") && name)
			return h;
	}
	return NULL;
}

/* The bodies of the here-documents, with their values. */
static int set_texts(struct copy_work *w, const struct strv *values, struct err *e)
{
	const struct expand x = {
		.env = values, .escape = w->b->dockerfile.escape, .keep_quotes = true};
	int r = 0;

	for (size_t n = 0; r >= 0 && n < w->i->n_heredocs; n++) {
		const struct dockerfile_heredoc *h = &w->i->heredocs[n];
		_free_ char *plain = heredoc_text(h);
		char *text = NULL;

		if (!plain)
			return err_oom(e);
		r = h->expand ? expand_word(&x, plain, &text, e) : 0;
		if (r >= 0)
			strv_take(&w->texts, text ? text : take_ptr(plain));
	}
	return r < 0 ? r : strv_check(&w->texts, e);
}

static int set_dest(struct copy_work *w, const char *word, struct err *e)
{
	size_t len = strlen(word);
	bool is_dir =
		len && (word[len - 1] == '/' || str_eq(word, ".") || str_has_suffix(word, "/."));
	_free_ char *path = build_config_path(&w->s->config, word);

	if (path)
		w->dest = str_printf("%s%s", path, is_dir && !str_eq(path, "/") ? "/" : "");
	return w->dest ? 0 : err_oom(e);
}

int copy_words_read(struct copy_work *w, struct err *e)
{
	_strv_ struct strv values = STRV_INIT, words = STRV_INIT;
	const struct expand x = {.env = &values, .escape = w->b->dockerfile.escape};
	int r = stage_values(w->s, &values, e);

	if (r >= 0)
		r = expand_all(w, &x, &words, e);
	for (size_t n = 0; r >= 0 && n + 1 < words.n; n++) {
		const bool is_add = w->i->op == DOCKERFILE_ADD;

		if (is_add && is_git(words.items[n]))
			return err_set(e, EOPNOTSUPP,
				       "ADD %.100s: git repositories are not fetched by csbx: RUN "
				       "git clone, or clone it into the context",
				       words.items[n]);
		strv_add(inline_of(w, w->i->args.items[n])      ? &w->inlines
			 : is_add && add_url_is(words.items[n]) ? &w->urls
								: &w->sources,
			 words.items[n]);
	}
	if (r >= 0)
		r = set_texts(w, &values, e);
	return r < 0 ? r : set_dest(w, words.items[words.n - 1], e);
}

/* A number or a name, as /etc/passwd or /etc/group of the stage has it. */
static int set_owner(struct copy_work *w, const char *text, struct err *e)
{
	struct strbuf memory[2] = {STRBUF_INIT, STRBUF_INIT};
	struct run_opts o;
	struct subject subject;
	struct user user = USER_INIT;
	struct user_db db;
	int r;

	run_opts_init(&o);
	r = build_root_open(w->b->cmd, &w->b->cache, &w->s->root, &o, &subject, e);
	if (r >= 0) {
		build_root_users(&w->s->root, &subject, memory, &db);
		r = user_resolve(&db, text, &user, e);
	}
	if (r >= 0) {
		w->rules.uid = user.uid;
		/* A number without a group means the group of the same number. */
		w->rules.gid = strspn(text, "0123456789") == strlen(text) ? user.uid : user.gid;
	} else {
		(void)err_wrap(e, "--chown");
	}
	user_free(&user);
	strbuf_free(&memory[0]);
	strbuf_free(&memory[1]);
	subject_close(&subject);
	run_opts_done(&o);
	return r;
}

int copy_flags_read(struct copy_work *w, struct err *e)
{
	_strv_ struct strv values = STRV_INIT;
	const struct expand x = {.env = &values, .escape = w->b->dockerfile.escape};
	const char *chown = instruction_flag(w->i, "chown"),
		   *chmod = instruction_flag(w->i, "chmod");
	_free_ char *owner = NULL, *mode = NULL;
	unsigned bits = 0;
	int r = stage_values(w->s, &values, e);

	/* As docker: set-user-ID bits of a context do not get into an image. */
	w->rules = (struct select_rules){
		.uid = -1, .gid = -1, .mode = -1, .keep_set_ids = w->from != NULL};
	if (instruction_flag(w->i, "keep-git-dir"))
		return err_set(e, EOPNOTSUPP,
			       "ADD --keep-git-dir is for git repositories, which csbx does not "
			       "fetch");
	if (instruction_flag(w->i, "checksum") && (w->urls.n != 1 || w->sources.n + w->inlines.n))
		return err_set(e, EINVAL,
			       "checksum can't be specified for anything but a single HTTP(S) URL");
	if (r >= 0 && chown)
		r = expand_word(&x, chown, &owner, e);
	if (r >= 0 && owner && *owner)
		r = set_owner(w, owner, e);
	if (r >= 0 && chmod)
		r = expand_word(&x, chmod, &mode, e);
	if (r >= 0 && mode && (num_parse_mode(mode, &bits) < 0 || bits > 07777))
		r = err_set(e, EINVAL,
			    "invalid chmod parameter: '%.60s'. it should be octal string "
			    "and between 0 and 07777",
			    mode);
	if (r >= 0 && mode)
		w->rules.mode = bits;
	for (size_t n = 0; r >= 0 && n < w->i->flags.n; n++) {
		if (str_has_prefix(w->i->flags.items[n], "--exclude="))
			r = ignore_add(&w->excluded, w->i->flags.items[n] + 10, e);
	}
	return r;
}

int copy_fetch(struct copy_work *w, struct err *e)
{
	_strv_ struct strv values = STRV_INIT;
	const struct expand x = {.env = &values, .escape = w->b->dockerfile.escape};
	const char *flag = instruction_flag(w->i, "checksum");
	_free_ char *wanted = NULL;
	int r = w->urls.n ? stage_values(w->s, &values, e) : 0;

	if (!w->urls.n)
		return 0;
	if (str_eq(build_network(w->b, NULL), "none"))
		return err_set(e, EPERM, "ADD %.150s: the build has no network (--network none)",
			       w->urls.items[0]);
	if (r >= 0 && flag)
		r = expand_word(&x, flag, &wanted, e);
	if (r < 0)
		return r;
	w->fetched = calloc(w->urls.n, sizeof(*w->fetched));
	if (!w->fetched)
		return err_oom(e);
	for (size_t n = 0; n < w->urls.n; n++)
		w->fetched[n].fd = -1;
	build_text_open(&w->b->progress);
	for (size_t n = 0; r >= 0 && n < w->urls.n; n++) {
		r = add_url_open(&w->fetched[n], w->urls.items[n], wanted, w->b->cache.dirfd, e);
		if (r < 0)
			return err_wrap(e, "ADD %.200s", w->urls.items[n]);
		if (!*w->fetched[n].name && str_has_suffix(w->dest, "/"))
			r = err_set(e, EINVAL, "ADD %.150s: cannot determine filename from url",
				    w->urls.items[n]);
	}
	return r;
}
