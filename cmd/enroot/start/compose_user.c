/* SPDX-License-Identifier: Apache-2.0 */
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/enroot/start/compose_priv.h"
#include "cmd/enroot/conf/expand.h"
#include "cmd/enroot/start/stock.h"
#include "runtime/base/err.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/server/image_meta.h"
#include "runtime/spec/spec.h"
#include "runtime/server/user_files.h"

#define PASSWD_LINE_BYTES 4096u

/* True when a text can stand in a field of /etc/passwd. */
static bool is_field(const char *s)
{
	for (const char *p = s; *p; p++) {
		if (*p == ':' || (unsigned char)*p < ' ' || *p == 0x7f)
			return false;
	}
	return *s != 0;
}

static const char *host_variable(const struct compose *c, const char *name)
{
	const char *value = env_list_get(c->q->host_env, name, strlen(name));

	return value && is_field(value) ? value : NULL;
}

/*
 * The caller by the host's files; on clusters whose users are in a directory service, which a
 * static program does not ask, by the environment that the login made.
 */
static void find_caller(struct compose *c)
{
	const char *name = host_variable(c, "LOGNAME"), *home = host_variable(c, "HOME");
	char buf[PASSWD_LINE_BYTES];
	struct passwd entry, *pw = NULL;

	if (getpwuid_r(getuid(), &entry, buf, sizeof(buf), &pw) == 0 && pw)
		name = pw->pw_name;
	else if (!name)
		name = host_variable(c, "USER");
	if (!home || *home != '/')
		home = pw ? pw->pw_dir : NULL;
	c->user = c->q->remap_root || !getuid() ? strdup("root")
		  : name && is_field(name)      ? strdup(name)
						: str_printf("user%u", getuid());
	c->home = c->q->remap_root       ? strdup("/root")
		  : home && *home == '/' ? strdup(home)
					 : strdup("/");
}

static int set_ids(struct compose *c, struct err *e)
{
	struct process_spec *p = &c->spec->proc;

	p->uid = c->q->remap_root ? 0 : getuid();
	p->gid = c->q->remap_root ? 0 : getgid();
	free(p->user_name);
	free(p->home);
	p->user_name = strdup(c->user);
	p->home = strdup(c->home);
	return p->user_name && p->home ? 0 : err_oom(e);
}

/* The text that a file of the image is made of: a layer's own, where it has been written to. */
struct source {
	struct strbuf own;
	const char *text;
	size_t len;
};

static void find_source(const struct compose *c, const char *path, const char *image, size_t len,
			struct source *ret)
{
	const struct rootfs_spec *root = &c->spec->rootfs;
	bool has_layer = root->upper == UPPER_KEPT || root->reads_layer;

	*ret = (struct source){.text = image, .len = len};
	if (!has_layer || !root->layer_path ||
	    !user_file_read_layer(root->layer_path, path, &ret->own))
		return;
	ret->text = strbuf_str(&ret->own);
	ret->len = ret->own.len;
}

/* A layer's own file that is as it should be stays. */
static int add_file(struct compose *c, const char *path, struct source *from, struct strbuf *text,
		    struct err *e)
{
	size_t len = text->len;
	bool is_same = from->own.data && from->own.len == len &&
		       !memcmp(from->own.data, strbuf_str(text), len);
	int r;

	strbuf_free(&from->own);
	if (strbuf_check(text, e) < 0)
		return -ENOMEM;
	if (is_same)
		return 0;
	r = spec_add_file(c->spec, path, strbuf_take(text), len, e);
	if (r >= 0)
		c->spec->files[c->spec->n_files - 1].refresh = true;
	return r;
}

static int add_files(struct compose *c, struct err *e)
{
	static const char passwd_path[] = "etc/passwd", group_path[] = "etc/group";
	const struct image_meta *m = c->q->meta;
	const struct stock_user u = {c->user, c->home, c->spec->proc.uid, c->spec->proc.gid};
	_strbuf_ struct strbuf passwd = STRBUF_INIT, group = STRBUF_INIT;
	struct source from;
	int r;

	find_source(c, passwd_path, m->passwd, m->passwd_len, &from);
	stock_passwd(&u, from.text, from.len, &passwd);
	r = add_file(c, passwd_path, &from, &passwd, e);
	if (r < 0)
		return r;
	find_source(c, group_path, m->group, m->group_len, &from);
	stock_group(&u, from.text, from.len, &group);
	return add_file(c, group_path, &from, &group, e);
}

bool compose_home_is_plain(const struct compose *c)
{
	return c->home[1] && path_is_clean_absolute(c->home) && !strstr(c->home, "//") &&
	       !str_has_suffix(c->home, "/");
}

/* A place for programs to look for their files, where the image has none. */
static int add_home(struct compose *c, struct err *e)
{
	const struct file_spec home = {.path = c->home + 1,
				       .mode = 0700,
				       .is_users = true,
				       .if_absent = true,
				       .refresh = true};

	if (!compose_home_is_plain(c))
		return 0;
	return spec_copy_file(c->spec, &home, e);
}

int compose_user(struct compose *c, struct err *e)
{
	int r;

	find_caller(c);
	if (!c->user || !c->home)
		return err_oom(e);
	r = set_ids(c, e);
	if (r >= 0)
		r = add_files(c, e);
	if (r >= 0)
		r = add_home(c, e);
	return r < 0 ? r : stock_localtime(c->spec, e);
}
