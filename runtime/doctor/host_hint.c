/* SPDX-License-Identifier: Apache-2.0 */

/*
 * From an error to its remedy. The words are those of the runtime's own messages; a row only
 * points to a feature, and the feature is tried before anything is said, so no hint is a guess.
 */

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "runtime/base/str.h"
#include "runtime/doctor/host.h"

#define OPEN_FILES_ENOUGH 256u

static const struct {
	const char *words; /* found in the message */
	enum host_feature feature;
} rows[] = {
	{"user namespace", HOST_USERNS},
	{"namespaces", HOST_USERNS},
	{"id map", HOST_USERNS},
	{"uid_map", HOST_USERNS},
	{"newuidmap", HOST_SUBID},
	{"subuid", HOST_SUBID},
	{"id maps", HOST_USERNS},
	{"ranges", HOST_SUBID},
	{"/dev/fuse", HOST_FUSE},
	{"fuse", HOST_FUSE},
	{"overlay", HOST_OVERLAY},
	{"overlay", HOST_OVERLAY_DISK},
	{"proc", HOST_PROC},
	{"mount", HOST_USERNS},
	{"openat2", HOST_OPENAT2},
	{"open_tree", HOST_OPEN_TREE},
	{"move_mount", HOST_OPEN_TREE},
	{"fsopen", HOST_OPEN_TREE},
	{"mount_setattr", HOST_MOUNT_SETATTR},
	{"pidfd", HOST_PIDFD},
	{"seccomp", HOST_SECCOMP},
	{"csbx-squashd", HOST_HELPERS},
	{"csbx-meta", HOST_HELPERS},
	{"csbx-init", HOST_HELPERS},
	{"csbx-image", HOST_HELPERS},
	{"csbx-tool", HOST_HELPERS},
};

/* Only these can mean that the machine lacks something. */
static bool is_host_code(int code)
{
	return code == EPERM || code == EACCES || code == ENOSYS || code == ENOSPC ||
	       code == EINVAL || code == ENODEV || code == ENOENT || code == EUSERS ||
	       code == EOPNOTSUPP;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* True for "fuse" in "/dev/fuse: ...", not in "refused". */
static bool has_word(const char *msg, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = strstr(msg, word); p; p = strstr(p + 1, word)) {
		if ((p == msg || !is_letter(p[-1])) && !is_letter(p[n]))
			return true;
	}
	return false;
}

/* Said only where there is a limit: a file may be too large for its file system too. */
static bool blame_file_limit(struct strbuf *out)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return false;
	strbuf_addf(out, "files of this session may have %llu bytes at most (ulimit -f)",
		    (unsigned long long)limit.rlim_cur);
	return true;
}

/* What a start takes is some thirty, in the process that has most. */
static bool blame_open_files(struct strbuf *out)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= OPEN_FILES_ENOUGH)
		return false;
	strbuf_addf(out,
		    "processes of this session may have %llu open files at most: ulimit -n %u, or "
		    "more",
		    (unsigned long long)limit.rlim_cur, OPEN_FILES_ENOUGH);
	return true;
}

/* True, with the remedy, if the machine lacks the feature. */
static bool blame_feature(enum host_feature feature, struct strbuf *out)
{
	struct host_fact fact;

	host_probe(NULL, feature, &fact);
	if (fact.ok || !*fact.remedy)
		return false;
	strbuf_addf(out, "%s: %s", fact.reason, fact.remedy);
	return true;
}

/* A message seldom names the system call that is missing. */
static bool blame_kernel(struct strbuf *out)
{
	static const enum host_feature calls[] = {HOST_KERNEL,        HOST_OPENAT2, HOST_OPEN_TREE,
						  HOST_MOUNT_SETATTR, HOST_PIDFD,   HOST_SECCOMP,
						  HOST_MEMFD};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (blame_feature(calls[i], out))
			return true;
	}
	return false;
}

bool host_hint(int code, const char *msg, struct strbuf *out)
{
	if (code == EFBIG)
		return blame_file_limit(out);
	if (code == EMFILE)
		return blame_open_files(out);
	if (code == ENOSYS && blame_kernel(out))
		return true;
	for (size_t i = 0; is_host_code(code) && i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (has_word(msg, rows[i].words) && blame_feature(rows[i].feature, out))
			return true;
	}
	return false;
}
