/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cmd/enroot/start/compose_priv.h"
#include "cmd/enroot/conf/script.h"
#include "cmd/options/input_file.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/server/image_meta.h"
#include "runtime/spec/spec.h"

/*
 * Theory. enroot runs a shell with the image's /etc/rc, always; so do we where the image was made
 * by enroot, or a script is given. An image of csbx's has the same in its configuration: entry
 * point and command are run as they are, without a shell, which an image need not have.
 *
 * A script of the caller's is given to the shell as text (sh -c), with /etc/rc as $0: nothing is
 * mounted, nothing is written, and it may come from a pipe.
 */

#define SHELL "/bin/sh"
#define RC_BYTES_MAX (120u << 10) /* one argument of execve(2) has at most 128 KiB */

static void add_shell(struct compose *c)
{
	strv_add(&c->spec->proc.argv, SHELL);
	if (c->q->login_shell)
		strv_add(&c->spec->proc.argv, "-l");
}

static void add_args(struct compose *c)
{
	for (int i = 0; i < c->q->argc; i++)
		strv_add(&c->spec->proc.argv, c->q->argv[i]);
}

static void add_list(struct compose *c, const struct strv *words)
{
	for (size_t i = 0; i < words->n; i++)
		strv_add(&c->spec->proc.argv, words->items[i]);
}

static int need_shell(const struct compose *c, const char *what, struct err *e)
{
	if (c->q->meta->has_shell)
		return 0;
	return err_set(e, ENOENT, "%s needs %s, and the image has none", what, SHELL);
}

static int run_text(struct compose *c, const char *text, size_t len, const char *what,
		    struct err *e)
{
	struct strv *argv = &c->spec->proc.argv;

	if (memchr(text, 0, len))
		return err_set(e, EINVAL, "%s: a NUL byte: not a script", what);
	if (len > RC_BYTES_MAX)
		return err_set(e, E2BIG, "%s: longer than %u bytes", what, RC_BYTES_MAX);
	if (need_shell(c, what, e) < 0)
		return -ENOENT;
	add_shell(c);
	strv_add(argv, "-c");
	strv_addn(argv, text, len);
	strv_add(argv, "/etc/rc");
	add_args(c);
	return 0;
}

/* No rc: one word with a blank in it is a line for the shell, else a program. */
static void run_words(struct compose *c)
{
	struct strv *argv = &c->spec->proc.argv;

	if (c->q->argc == 1 && strchr(c->q->argv[0], ' ') && c->q->meta->has_shell) {
		strv_add(argv, SHELL);
		strv_add(argv, "-c");
	}
	add_args(c);
}

/* --rc FILE; waits for the writer of a fifo, as enroot does. */
static int run_rc_file(struct compose *c, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	struct err why = ERR_INIT;
	_close_ int fd = input_file_open(c->q->rc, O_RDONLY, c->spec, &why);

	if (fd == -ENOENT)
		return err_set(e, ENOENT, "No such file or directory: %s", c->q->rc);
	if (fd < 0)
		return err_set(e, why.code, "--rc %s", why.msg);
	if (io_read_all(fd, RC_BYTES_MAX, &text, e) < 0)
		return err_wrap(e, "--rc %s", c->q->rc);
	/* An empty one (--rc /dev/null) is how people ask for their command and no entry point. */
	if (!text.len) {
		run_words(c);
		return 0;
	}
	return run_text(c, strbuf_str(&text), text.len, c->q->rc, e);
}

/* 1: the script has an rc(), which is run. */
static int run_rc_function(struct compose *c, struct err *e)
{
	const struct conf_script *s = c->q->script;
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r;

	if (!s || !s->has[CONF_RC])
		return 0;
	r = conf_script_rc(s, c->q->argv, c->script_env.items, &text, e);
	if (r < 0 || !text.len)
		return r;
	r = run_text(c, strbuf_str(&text), text.len, s->path, e);
	return r < 0 ? r : 1;
}

static void quote(struct strbuf *b, const char *word)
{
	strbuf_addstr(b, " '");
	for (const char *q; (q = strchr(word, '\'')); word = q + 1) {
		strbuf_add(b, word, (size_t)(q - word));
		strbuf_addstr(b, "'\\''");
	}
	strbuf_addstr(b, word);
	strbuf_addch(b, '\'');
}

static void quote_list(struct strbuf *b, const struct strv *words)
{
	for (size_t i = 0; i < words->n; i++)
		quote(b, words->items[i]);
}

/* The equivalent of enroot's /etc/rc, for users who mount an rc.local that it reads. */
static int run_made_rc(struct compose *c, struct err *e)
{
	const struct image_meta *m = c->q->meta;
	_strbuf_ struct strbuf b = STRBUF_INIT;

	strbuf_addstr(&b, "if [ -s /etc/rc.local ]; then . /etc/rc.local; fi\n"
			  "if [ $# -gt 0 ]; then exec");
	quote_list(&b, &m->entrypoint);
	strbuf_addstr(&b, " \"$@\"; else exec");
	quote_list(&b, &m->entrypoint);
	quote_list(&b, &m->cmd);
	if (!m->entrypoint.n && !m->cmd.n)
		quote(&b, SHELL);
	strbuf_addstr(&b, "; fi\n");
	if (strbuf_check(&b, e) < 0)
		return -ENOMEM;
	return run_text(c, strbuf_str(&b), b.len, "/etc/rc.local", e);
}

/* Entry point, then arguments or the image's own command. */
static void run_image(struct compose *c)
{
	const struct image_meta *m = c->q->meta;

	add_list(c, &m->entrypoint);
	if (c->q->argc)
		add_args(c);
	else
		add_list(c, &m->cmd);
}

static int set_command(struct compose *c, struct err *e)
{
	const struct image_meta *m = c->q->meta;
	int r;

	if (c->q->rc)
		return run_rc_file(c, e);
	r = run_rc_function(c, e);
	if (r)
		return r < 0 ? r : 0;
	if (compose_is_enroot_image(m)) {
		if (need_shell(c, "/etc/rc", e) < 0)
			return -ENOENT;
		add_shell(c);
		strv_add(&c->spec->proc.argv, "/etc/rc");
		add_args(c);
		return 0;
	}
	if (c->q->no_entrypoint) {
		add_args(c);
		return 0;
	}
	if (m->has_config && c->shows_rc_local && m->has_shell)
		return run_made_rc(c, e);
	if (m->has_config)
		run_image(c);
	else
		run_words(c);
	return 0;
}

/* enroot's rc enters the directory itself. */
static int set_directory(struct compose *c, struct err *e)
{
	const char *dir = c->q->meta->has_config ? c->q->meta->workdir : NULL;
	struct process_spec *p = &c->spec->proc;

	if (!dir || !*dir)
		dir = "/";
	p->cwd = str_printf("%s%s", *dir == '/' ? "" : "/", dir);
	return p->cwd ? 0 : err_oom(e);
}

int compose_command(struct compose *c, struct err *e)
{
	struct strv *argv = &c->spec->proc.argv;
	int r = set_command(c, e);

	if (r >= 0 && !argv->n && c->q->meta->has_shell)
		add_shell(c);
	if (r >= 0)
		r = strv_check(argv, e);
	if (r >= 0 && !argv->n)
		r = err_set(e, EINVAL,
			    "no command: none was given, the image names none and has "
			    "no " SHELL);
	return r < 0 ? r : set_directory(c, e);
}
