/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/record/hosts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"
#include "runtime/kernel/mount_table.h"
#include "runtime/record/container_store.h"
#include "runtime/record/endpoints.h"
#include "runtime/record/network.h"
#include "runtime/settings/paths.h"
#include "runtime/spec/spec.h"

#define HOSTS_BYTES_MAX (1u << 20)
#define MARK "# csbx: members of this container's networks\n"
#define ADDRESS "127.0.0.1"

bool hosts_file_is(const char *below_data)
{
	const char *name = path_beyond("containers", below_data);
	const char *slash = name ? strchr(name, '/') : NULL;

	return slash && slash != name && str_eq(slash, "/hosts");
}

/* --- the part of the members -------------------------------------------------------------- */

struct members {
	const struct endpoints *of; /* of whose file */
	struct strbuf *out;
};

/* A name that cannot tear the line: a client may give any text as an alias. */
static bool is_host_name(const char *s)
{
	return *s &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") ==
		       strlen(s);
}

static void add_name(struct strbuf *line, const char *name)
{
	if (is_host_name(name))
		strbuf_addf(line, "%s%s", line->len ? " " : "", name);
}

/* Its short id, which some clients give it as an alias as well. */
static void add_id(struct strbuf *line, const struct endpoints *x)
{
	char id[NAME_ID_DIGITS + 1] = "";

	if (x->container_id)
		memcpy(id, x->container_id, strnlen(x->container_id, NAME_ID_DIGITS));
	if (!strstr(strbuf_str(line), id))
		add_name(line, id);
}

static int add_member(void *arg, const char *name, const struct endpoints *x)
{
	const struct members *m = arg;
	_strbuf_ struct strbuf line = STRBUF_INIT;

	for (size_t i = 0; i < x->n; i++) {
		const struct endpoint *there = &x->items[i];

		if (!*there->network_id || !endpoints_get(m->of, there->network))
			continue;
		if (!line.len)
			add_name(&line, name);
		for (size_t k = 0; k < there->aliases.n; k++)
			add_name(&line, there->aliases.items[k]);
	}
	if (!line.len)
		return 0;
	add_id(&line, x);
	if (x->hostname && x->container_id && !str_has_prefix(x->container_id, x->hostname))
		add_name(&line, x->hostname);
	strbuf_addf(m->out, ADDRESS "\t%s\n", strbuf_str(&line));
	return 0;
}

static int add_members(int containers, const struct endpoints *of, struct strbuf *out,
		       struct err *e)
{
	struct members m = {of, out};

	strbuf_addstr(out, MARK);
	for (size_t i = 0; i < of->n; i++) {
		for (size_t k = 0; k < of->items[i].links.n; k++) {
			_strbuf_ struct strbuf line = STRBUF_INIT;

			add_name(&line, of->items[i].links.items[k]);
			if (line.len)
				strbuf_addf(out, ADDRESS "\t%s\n", strbuf_str(&line));
		}
	}
	return endpoints_each(containers, add_member, &m, e);
}

/* --- a start ------------------------------------------------------------------------------ */

/* The file that the container would have had: that of its specification, or the host's. */
static void add_base(const struct container_spec *s, struct strbuf *out)
{
	for (size_t i = 0; i < s->n_files; i++) {
		if (s->files[i].data && str_eq(s->files[i].path, "etc/hosts")) {
			strbuf_add(out, s->files[i].data, s->files[i].len);
			return;
		}
	}
	if (io_read_path("/etc/hosts", HOSTS_BYTES_MAX / 2, out, NULL) < 0) {
		strbuf_reset(out);
		strbuf_addstr(out,
			      ADDRESS "\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n");
	}
	if (out->len && out->data[out->len - 1] != '\n')
		strbuf_addch(out, '\n');
	if (s->ns.hostname && *s->ns.hostname)
		strbuf_addf(out, ADDRESS "\t%s\n", s->ns.hostname);
}

static bool has_own_mount(const struct container_spec *s)
{
	for (size_t i = 0; i < s->n_mounts; i++) {
		if (s->mounts[i].target && str_eq(s->mounts[i].target, "/etc/hosts"))
			return true;
	}
	return false;
}

static int add_mount(const struct paths *p, const char *name, struct container_spec *s,
		     struct err *e)
{
	struct mount_spec *m = spec_add_mount(s);

	if (!m)
		return err_oom(e);
	m->kind = MOUNT_BIND;
	m->source = str_printf("%s/containers/%s/hosts", p->data, name);
	m->target = strdup("/etc/hosts");
	return m->source && m->target ? 0 : err_oom(e);
}

static int write_first(int containers, const char *name, const struct endpoints *x,
		       const struct container_spec *s, struct err *e)
{
	_free_ char *file = str_printf("%s/hosts", name);
	_strbuf_ struct strbuf text = STRBUF_INIT;
	const struct io_replace where = {
		.dirfd = containers, .name = file, .mode = 0644, .replace = true};
	int r;

	if (!file)
		return err_oom(e);
	add_base(s, &text);
	r = add_members(containers, x, &text, e);
	if (r >= 0)
		r = strbuf_check(&text, e);
	return r < 0 ? r : io_write_file_at(&where, strbuf_str(&text), text.len, e);
}

int hosts_prepare(const struct paths *p, const char *name, struct container_spec *s, struct err *e)
{
	_endpoints_ struct endpoints x = {0};
	_close_ int containers = -1, lock = -1;
	int r;

	if (s->ns.net != NET_HOST || has_own_mount(s))
		return 0;
	containers = container_store_open_dir(p, e);
	if (containers < 0)
		return containers;
	r = endpoints_read(containers, name, &x, e);
	if (r <= 0)
		return r;
	lock = network_lock(p, e);
	if (lock < 0)
		return lock;
	r = write_first(containers, name, &x, s, e);
	if (r >= 0)
		r = add_mount(p, name, s, e);
	return r < 0 ? err_wrap(e, "/etc/hosts of %s", name) : 0;
}

/* --- later -------------------------------------------------------------------------------- */

struct refresh {
	int containers;
	struct err *e;
};

/* In place, for the file is mounted: a read of it while it is written may end early. */
static int rewrite(int fd, const struct strbuf *text, struct err *e)
{
	int r = io_pwrite_all(fd, strbuf_str(text), text->len, 0, e);

	if (r >= 0 && ftruncate(fd, (off_t)text->len) < 0)
		r = err_sys(e, "truncate");
	return r;
}

static int refresh_one(void *arg, const char *name, const struct endpoints *x)
{
	const struct refresh *f = arg;
	_free_ char *file = str_printf("%s/hosts", name);
	_strbuf_ struct strbuf text = STRBUF_INIT, old = STRBUF_INIT;
	_close_ int fd = -1;
	struct stat st;
	const char *mark;
	int r;

	if (!file)
		return err_oom(f->e);
	fd = openat(f->containers, file, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	/*
	 * Never started with a network. Or its program has closed the file to its owner, given it
	 * to another user, or has a lease on it: that is to its own harm only, others go on.
	 */
	if (fd < 0)
		return errno == EMFILE || errno == ENFILE || errno == ENOMEM
			       ? err_sys(f->e, "/etc/hosts of %s", name)
			       : 0;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	/* If its program has made the file too long to be kept, the text goes. */
	if (io_read_all(fd, HOSTS_BYTES_MAX, &old, NULL) < 0)
		strbuf_reset(&old);
	mark = strstr(strbuf_str(&old), MARK);
	strbuf_add(&text, strbuf_str(&old), mark ? (size_t)(mark - strbuf_str(&old)) : old.len);
	if (text.len && text.data[text.len - 1] != '\n')
		strbuf_addch(&text, '\n');
	r = add_members(f->containers, x, &text, f->e);
	if (r >= 0)
		r = strbuf_check(&text, f->e);
	if (r >= 0 && (text.len != old.len || memcmp(strbuf_str(&text), strbuf_str(&old), old.len)))
		r = rewrite(fd, &text, f->e);
	return r < 0 ? err_wrap(f->e, "/etc/hosts of %s", name) : 0;
}

int hosts_refresh(const struct paths *p, struct err *e)
{
	_close_ int containers = container_store_open_dir(p, e);
	struct refresh f = {containers, e};

	return containers < 0 ? containers : endpoints_each(containers, refresh_one, &f, e);
}
