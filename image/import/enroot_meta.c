/* SPDX-License-Identifier: Apache-2.0 */
#include "image/import/enroot_meta.h"

#include "image/oci/config.h"
#include "image/model/source.h"
#include "runtime/base/err.h"
#include "runtime/base/path.h"

/* 'text', with '\'' for each quote in it: holds any bytes in every POSIX shell. */
static void add_quoted(struct strbuf *b, const char *text)
{
	strbuf_addch(b, '\'');
	for (const char *quote; (quote = strchr(text, '\'')); text = quote + 1) {
		strbuf_add(b, text, (size_t)(quote - text));
		strbuf_addstr(b, "'\\''");
	}
	strbuf_addstr(b, text);
	strbuf_addch(b, '\'');
}

static void add_words(struct strbuf *b, const struct strv *words)
{
	for (size_t i = 0; i < words->n; i++) {
		strbuf_addch(b, ' ');
		add_quoted(b, words->items[i]);
	}
}

static void add_labels(struct strbuf *b, const struct image_config *c)
{
	for (size_t i = 0; i < c->label_names.n; i++) {
		const char *name = c->label_names.items[i], *value = c->label_values.items[i];

		strbuf_addstr(b, "# ");
		strbuf_add_escaped(b, name, strlen(name));
		strbuf_addch(b, ' ');
		strbuf_add_escaped(b, value, strlen(value));
		/* No shell may take the line break for an escaped one. */
		strbuf_addstr(b, str_has_suffix(value, "\\") ? " \n" : "\n");
	}
	if (c->label_names.n)
		strbuf_addch(b, '\n');
}

static void build_rc(const struct image_config *c, struct strbuf *b)
{
	_strbuf_ struct strbuf workdir = STRBUF_INIT;

	/* Relative to the root, as docker has it. */
	if (!c->workdir || *c->workdir != '/')
		strbuf_addch(&workdir, '/');
	strbuf_addstr(&workdir, c->workdir ? c->workdir : "");

	add_labels(b, c);
	strbuf_addstr(b, "mkdir -p ");
	add_quoted(b, strbuf_str(&workdir));
	strbuf_addstr(b, " 2>/dev/null\ncd ");
	add_quoted(b, strbuf_str(&workdir));
	strbuf_addstr(b, " && unset OLDPWD || exit 1\n\n"
			 "if [ -s /etc/rc.local ]; then\n"
			 "    . /etc/rc.local\n"
			 "fi\n\n"
			 "if [ $# -gt 0 ]; then\n"
			 "    exec");
	add_words(b, &c->entrypoint);
	strbuf_addstr(b, " \"$@\"\nelse\n    exec");
	add_words(b, &c->entrypoint);
	add_words(b, &c->cmd);
	if (!c->entrypoint.n && !c->cmd.n)
		strbuf_addstr(b, " '/bin/sh'");
	strbuf_addstr(b, "\nfi\n");
	b->failed = b->failed || workdir.failed;
}

static bool is_name_char(char c, bool first)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (!first && c >= '0' && c <= '9');
}

/* NAME=value on one line; NAME as enroot takes it. */
static bool fits_environment(const char *assignment)
{
	size_t n = 0;

	while (is_name_char(assignment[n], !n))
		n++;
	return n && assignment[n] == '=' && !strpbrk(assignment, "\n\r");
}

static void build_environment(const struct image_config *c, struct strbuf *b)
{
	for (size_t i = 0; i < c->env.n; i++) {
		if (!fits_environment(c->env.items[i]))
			continue;
		strbuf_addstr(b, c->env.items[i]);
		strbuf_addch(b, '\n');
	}
}

/* A path that reads the same to enroot's parser, to envsubst and to mount. */
static bool fits_fstab(const char *path)
{
	if (!path_is_clean_absolute(path) || strspn(path, "/") == strlen(path))
		return false;
	for (; *path; path++) {
		if (*path <= ' ' || *path == 0x7f || (*path & 0x80) || strchr("$\\#\"'`:,", *path))
			return false;
	}
	return true;
}

static void build_fstab(const struct image_config *c, struct strbuf *b)
{
	for (size_t i = 0; i < c->volumes.n; i++) {
		const char *path = c->volumes.items[i];

		if (fits_fstab(path))
			strbuf_addf(
				b, "${ENROOT_ROOTFS}%s %s none x-create=dir,bind,rw,nosuid,nodev\n",
				path, path);
	}
}

int enroot_meta_build(const struct image_source *src, struct enroot_meta *ret, struct err *e)
{
	_image_config_ struct image_config c = {0};
	struct enroot_meta m = {0};
	int r = 0;

	if (src->config.len)
		r = image_config_parse(src->config.data, src->config.len, &c, e);
	if (r < 0)
		return err_wrap(e, "image config");
	build_rc(&c, &m.rc);
	build_environment(&c, &m.environment);
	build_fstab(&c, &m.fstab);
	if (m.rc.failed || m.environment.failed || m.fstab.failed) {
		enroot_meta_free(&m);
		return err_oom(e);
	}
	*ret = m;
	return 0;
}

void enroot_meta_list(const struct enroot_meta *m, struct enroot_file ret[ENROOT_FILES])
{
	ret[0] = (struct enroot_file){"etc/rc", 0755, &m->rc};
	ret[1] = (struct enroot_file){"etc/environment", 0644, &m->environment};
	ret[2] = (struct enroot_file){"etc/fstab", 0644, &m->fstab};
	ret[3] = (struct enroot_file){"etc/rc.local", 0644, &m->rc_local};
}

void enroot_meta_free(struct enroot_meta *m)
{
	strbuf_free(&m->rc);
	strbuf_free(&m->environment);
	strbuf_free(&m->fstab);
	strbuf_free(&m->rc_local);
}
