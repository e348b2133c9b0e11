/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/spec/etc_files.h"

#include "runtime/base/err.h"

static const char *const paths[ETC_FILES] = {
	[ETC_PASSWD] = "/etc/passwd",
	[ETC_GROUP] = "/etc/group",
	[ETC_HOSTS] = "/etc/hosts",
	[ETC_HOSTNAME] = "/etc/hostname",
	[ETC_RESOLV_CONF] = "/etc/resolv.conf",
};

/* True for text that can be a field of a passwd line. */
static bool is_field(const char *s)
{
	for (; *s; s++) {
		if (*s == ':' || (unsigned char)*s < 0x20 || *s == 0x7f)
			return false;
	}
	return true;
}

/* The image's lines, ended by a newline, for ours to follow. */
static void add_image_text(struct strbuf *b, const char *text, size_t len)
{
	strbuf_add(b, text, len);
	if (len && text[len - 1] != '\n')
		strbuf_addch(b, '\n');
}

/* True if some line of a passwd or group file begins with "name:". */
static bool has_name(const char *text, size_t len, const char *name)
{
	size_t n = strlen(name);

	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t line = end ? (size_t)(end - text) : len;

		if (line > n && text[n] == ':' && !memcmp(text, name, n))
			return true;
		line += end != NULL;
		text += line;
		len -= line;
	}
	return false;
}

/* A name for the new line that no other line has: "user", "user1000", "user1000_", ... */
static void add_free_name(struct strbuf *b, const char *wish, uint32_t id, const char *text,
			  size_t len)
{
	_strbuf_ struct strbuf name = STRBUF_INIT;

	strbuf_addstr(&name, wish && *wish && is_field(wish) ? wish : "user");
	if (has_name(text, len, strbuf_str(&name)))
		strbuf_addf(&name, "%u", id);
	while (has_name(text, len, strbuf_str(&name)) && !name.failed)
		strbuf_addch(&name, '_');
	strbuf_addstr(b, strbuf_str(&name));
	b->failed |= name.failed;
}

/*
 * The lines to go before the new one, in *text: the image's, or root's where it has none. False:
 * root's are all that is wanted.
 */
static bool begin_file(struct etc_file *f, const char *root, uint32_t id, const char **text,
		       size_t *len)
{
	f->wanted = true;
	f->only_if_absent = !*text;
	if (!*text || !*len) {
		*text = root;
		*len = strlen(root);
		if (!id) {
			strbuf_add(&f->content, *text, *len);
			return false;
		}
	}
	add_image_text(&f->content, *text, *len);
	return true;
}

static void make_passwd(const struct etc_request *q, struct etc_file *f)
{
	const char *text = q->image.passwd;
	size_t len = q->image.passwd_len;
	const char *home = q->home && *q->home == '/' && is_field(q->home) ? q->home : "/";

	if (user_db_has_uid(&q->image, q->uid) ||
	    !begin_file(f, "root:x:0:0:root:/root:/bin/sh\n", q->uid, &text, &len))
		return;
	add_free_name(&f->content, q->user_name, q->uid, text, len);
	strbuf_addf(&f->content, ":x:%u:%u::%s:/bin/sh\n", q->uid, q->gid, home);
}

static void make_group(const struct etc_request *q, struct etc_file *f)
{
	const char *text = q->image.group;
	size_t len = q->image.group_len;

	if (user_db_has_gid(&q->image, q->gid) ||
	    !begin_file(f, "root:x:0:\n", q->gid, &text, &len))
		return;
	add_free_name(&f->content, q->user_name, q->gid, text, len);
	strbuf_addf(&f->content, ":x:%u:\n", q->gid);
}

static void make_hosts(const struct etc_request *q, struct strbuf *b)
{
	if (q->host_network && q->host_hosts)
		add_image_text(b, q->host_hosts, q->host_hosts_len);
	else
		strbuf_addstr(b,
			      "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n");
	if (q->hostname && *q->hostname)
		strbuf_addf(b, "127.0.0.1\t%s\n", q->hostname);
}

static void make_resolv_conf(const struct etc_request *q, struct strbuf *b)
{
	if (q->host_network && q->host_resolv)
		add_image_text(b, q->host_resolv, q->host_resolv_len);
	else
		strbuf_addstr(b, "# this container has no name server\n");
}

int etc_files_make(const struct etc_request *q, struct etc_file ret[ETC_FILES], struct err *e)
{
	bool failed = false;

	for (int i = 0; i < ETC_FILES; i++)
		ret[i] = (struct etc_file){.path = paths[i]};
	make_passwd(q, &ret[ETC_PASSWD]);
	make_group(q, &ret[ETC_GROUP]);
	make_hosts(q, &ret[ETC_HOSTS].content);
	make_resolv_conf(q, &ret[ETC_RESOLV_CONF].content);
	if (q->hostname && *q->hostname)
		strbuf_addf(&ret[ETC_HOSTNAME].content, "%s\n", q->hostname);
	ret[ETC_HOSTS].wanted = ret[ETC_RESOLV_CONF].wanted = true;
	ret[ETC_HOSTNAME].wanted = ret[ETC_HOSTNAME].content.len > 0;
	for (int i = 0; i < ETC_FILES; i++)
		failed |= ret[i].content.failed;
	if (!failed)
		return 0;
	etc_files_free(ret);
	return err_oom(e);
}

void etc_files_free(struct etc_file files[ETC_FILES])
{
	for (int i = 0; i < ETC_FILES; i++)
		strbuf_free(&files[i].content);
}
