/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/effective.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"

#define PROC_FILE_MAX (4u << 20)

static const char *const ns_names[NS_COUNT] = {"user", "mnt", "pid", "net", "ipc", "uts", "cgroup"};

const char *effective_ns_name(enum effective_ns ns)
{
	return ns_names[ns];
}

void effective_free(struct effective *x)
{
	for (size_t i = 0; i < x->n_mounts; i++) {
		free(x->mounts[i].target);
		free(x->mounts[i].type);
		free(x->mounts[i].source);
		free(x->mounts[i].options);
	}
	for (size_t i = 0; i < x->n_limits; i++) {
		free(x->limits[i].name);
		free(x->limits[i].soft);
		free(x->limits[i].hard);
	}
	free(x->mounts);
	free(x->limits);
	free(x->uids);
	free(x->gids);
	free(x->groups);
	free(x->cgroup);
	strv_free(&x->uid_map);
	strv_free(&x->gid_map);
	*x = (struct effective){0};
}

static int read_file(int dir, const char *name, struct strbuf *out, struct err *e)
{
	_close_ int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);

	strbuf_reset(out);
	if (fd < 0)
		return err_sys(e, "open %s", name);
	return io_read_all(fd, PROC_FILE_MAX, out, e);
}

/* The fields of a line with one blank between, however many there were. */
static char *squeeze(const char *line, size_t len)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < len;) {
		size_t n = 0;

		while (i < len && (line[i] == ' ' || line[i] == '\t'))
			i++;
		while (i + n < len && line[i + n] != ' ' && line[i + n] != '\t')
			n++;
		if (n && out.len)
			strbuf_addch(&out, ' ');
		strbuf_add(&out, line + i, n);
		i += n;
	}
	return strbuf_take(&out);
}

static int add_lines(const char *text, struct strv *out, struct err *e)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		if (n)
			strv_take(out, squeeze(text, n));
		text += n + (text[n] != 0);
	}
	return strv_check(out, e);
}

/* Value of "Key:\tvalue" as a copy, NULL where it is not. */
static char *status_value(const char *line, size_t len, const char *key)
{
	size_t n = strlen(key);

	if (len <= n || strncmp(line, key, n) || line[n] != ':')
		return NULL;
	return squeeze(line + n + 1, len - n - 1);
}

static void status_line(const char *line, size_t len, struct effective *x)
{
	static const char *const caps[CAPS_SETS] = {"CapInh", "CapPrm", "CapEff", "CapBnd",
						    "CapAmb"};
	const struct {
		const char *key;
		char **at;
	} texts[] = {{"Uid", &x->uids}, {"Gid", &x->gids}, {"Groups", &x->groups}};
	_free_ char *nnp = status_value(line, len, "NoNewPrivs");
	_free_ char *mode = status_value(line, len, "Seccomp");
	_free_ char *filters = status_value(line, len, "Seccomp_filters");

	for (int i = 0; i < CAPS_SETS; i++) {
		_free_ char *mask = status_value(line, len, caps[i]);

		if (mask)
			x->caps[i] = strtoull(mask, NULL, 16);
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char *value = status_value(line, len, texts[i].key);

		if (value) {
			free(*texts[i].at);
			*texts[i].at = value;
		}
	}
	if (nnp)
		x->no_new_privs = str_eq(nnp, "1");
	if (mode)
		x->seccomp_mode = (unsigned)strtoul(mode, NULL, 10);
	if (filters)
		x->seccomp_filters = (unsigned)strtoul(filters, NULL, 10);
}

int effective_parse_status(const char *text, struct effective *ret, struct err *e)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		status_line(text, n, ret);
		text += n + (text[n] != 0);
	}
	return ret->uids && ret->gids ? 0 : err_set(e, EBADMSG, "not a status file");
}

/* Undoes the octal escapes of mountinfo in a copy of len bytes. */
static char *unescape(const char *s, size_t len)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < len; i++) {
		bool octal = s[i] == '\\' && i + 3 < len;

		for (size_t k = 1; octal && k <= 3; k++)
			octal = s[i + k] >= '0' && s[i + k] <= '7';
		if (octal) {
			strbuf_addch(&out, (char)((s[i + 1] - '0') * 64 + (s[i + 2] - '0') * 8 +
						  (s[i + 3] - '0')));
			i += 3;
		} else {
			strbuf_addch(&out, s[i]);
		}
	}
	return strbuf_take(&out);
}

/* Field number i of a line, fields separated by single blanks; its length, 0 when missing. */
static size_t field(const char *line, size_t len, int i, const char **ret)
{
	const char *end = line + len;

	while (i-- && line < end) {
		const char *blank = memchr(line, ' ', (size_t)(end - line));

		line = blank ? blank + 1 : end;
	}
	*ret = line;
	for (len = 0; line + len < end && line[len] != ' ';)
		len++;
	return len;
}

/* "36 35 98:0 / /mnt rw,noatime shared:1 - ext3 /dev/root rw": fields 4 and 5, and after " - ". */
static int mount_line(const char *line, size_t len, struct effective *x, struct err *e)
{
	const char *dash = memmem(line, len, " - ", 3), *p;
	size_t rest = dash ? len - (size_t)(dash + 3 - line) : 0, n;
	struct effective_mount *m;

	if (!dash)
		return 0;
	m = reallocarray(x->mounts, x->n_mounts + 1, sizeof(*m));
	if (!m)
		return err_oom(e);
	x->mounts = m;
	m = &x->mounts[x->n_mounts++];
	n = field(line, len, 4, &p);
	m->target = unescape(p, n);
	n = field(line, len, 5, &p);
	m->options = strndup(p, n);
	n = field(dash + 3, rest, 0, &p);
	m->type = strndup(p, n);
	n = field(dash + 3, rest, 1, &p);
	m->source = unescape(p, n);
	return m->target && m->options && m->type && m->source ? 0 : err_oom(e);
}

int effective_parse_mounts(const char *text, struct effective *ret, struct err *e)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		int r = mount_line(text, n, ret, e);

		if (r < 0)
			return r;
		text += n + (text[n] != 0);
	}
	return 0;
}

/* "Max open files            1024                 524288               files" */
static int limit_line(const char *line, size_t len, struct effective *x, struct err *e)
{
	struct effective_limit *l;
	const char *gap = memmem(line, len, "  ", 2);
	_free_ char *rest = gap ? squeeze(gap, len - (size_t)(gap - line)) : NULL;
	const char *p;
	size_t n;

	if (!rest || strncmp(line, "Max ", 4))
		return 0;
	l = reallocarray(x->limits, x->n_limits + 1, sizeof(*l));
	if (!l)
		return err_oom(e);
	x->limits = l;
	l = &x->limits[x->n_limits++];
	l->name = strndup(line, (size_t)(gap - line));
	n = field(rest, strlen(rest), 0, &p);
	l->soft = strndup(p, n);
	n = field(rest, strlen(rest), 1, &p);
	l->hard = strndup(p, n);
	return l->name && l->soft && l->hard ? 0 : err_oom(e);
}

int effective_parse_limits(const char *text, struct effective *ret, struct err *e)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		int r = limit_line(text, n, ret, e);

		if (r < 0)
			return r;
		text += n + (text[n] != 0);
	}
	return 0;
}

/* The path in cgroups(7) version 2: the line "0::PATH". */
static char *unified_cgroup(const char *text)
{
	const char *line = str_has_prefix(text, "0::") ? text : strstr(text, "\n0::");

	if (!line)
		return NULL;
	line += *line == '\n' ? 4 : 3;
	return strndup(line, strcspn(line, "\n"));
}

static void compare_namespaces(int dir, struct effective *x)
{
	for (int i = 0; i < NS_COUNT; i++) {
		_free_ char *theirs = str_printf("ns/%s", ns_names[i]);
		_free_ char *ours = str_printf("/proc/self/ns/%s", ns_names[i]);
		struct stat a, b;

		x->own_ns[i] = -1;
		if (theirs && ours && fstatat(dir, theirs, &a, 0) == 0 && stat(ours, &b) == 0)
			x->own_ns[i] = a.st_dev != b.st_dev || a.st_ino != b.st_ino;
	}
}

/* Reads each of the files with its parser. */
static int read_files(int dir, struct effective *x, struct err *e)
{
	static const struct {
		const char *name;
		int (*parse)(const char *text, struct effective *ret, struct err *e);
	} files[] = {
		{"status", effective_parse_status},
		{"mountinfo", effective_parse_mounts},
		{"limits", effective_parse_limits},
	};
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < sizeof(files) / sizeof(files[0]); i++) {
		r = read_file(dir, files[i].name, &text, e);
		if (r >= 0)
			r = files[i].parse(strbuf_str(&text), x, e);
	}
	if (r >= 0)
		r = read_file(dir, "uid_map", &text, e);
	if (r >= 0)
		r = add_lines(strbuf_str(&text), &x->uid_map, e);
	if (r >= 0)
		r = read_file(dir, "gid_map", &text, e);
	if (r >= 0)
		r = add_lines(strbuf_str(&text), &x->gid_map, e);
	if (r >= 0 && read_file(dir, "cgroup", &text, NULL) >= 0)
		x->cgroup = unified_cgroup(strbuf_str(&text));
	return r;
}

int effective_read(pid_t pid, struct effective *ret, struct err *e)
{
	_free_ char *path = str_printf("/proc/%d", (int)pid);
	_close_ int dir = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	int r;

	*ret = (struct effective){.pid = pid};
	if (dir < 0)
		return err_sys(e, "process %d", (int)pid);
	r = read_files(dir, ret, e);
	compare_namespaces(dir, ret);
	if (r < 0)
		effective_free(ret);
	return r;
}

/* Parent of a process, from field 4 of its stat file, which follows the name in brackets. */
static pid_t parent_of(const char *pid)
{
	_free_ char *path = str_printf("/proc/%s/stat", pid);
	_strbuf_ struct strbuf text = STRBUF_INIT;
	const char *p;

	if (!path || read_file(AT_FDCWD, path, &text, NULL) < 0)
		return -1;
	p = strrchr(strbuf_str(&text), ')');
	return p && strlen(p) > 4 ? (pid_t)strtol(p + 4, NULL, 10) : -1;
}

int effective_first_child(pid_t parent, pid_t *ret, struct err *e)
{
	DIR *d = opendir("/proc");
	const struct dirent *ent;
	pid_t found = 0;

	if (!d)
		return err_sys(e, "open /proc");
	/* Numbers are given in order but for a wrap: the smallest is the oldest. */
	while ((ent = readdir(d))) {
		pid_t pid = (pid_t)strtol(ent->d_name, NULL, 10);

		if (pid > 0 && (!found || pid < found) && parent_of(ent->d_name) == parent)
			found = pid;
	}
	closedir(d);
	if (!found)
		return err_set(e, ESRCH, "process %d has no child", (int)parent);
	*ret = found;
	return 0;
}
