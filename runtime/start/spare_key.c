/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/start/spare_key.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"
#include "runtime/helpers/init/abi/init_abi.h"
#include "runtime/kernel/peer.h"
#include "runtime/server/key.h"
#include "runtime/settings/paths.h"
#include "runtime/start/container_setup.h"

#ifndef PR_SCHED_CORE
#define PR_SCHED_CORE 62
#define PR_SCHED_CORE_GET 0
#endif
#ifndef PR_GET_IO_FLUSHER
#define PR_GET_IO_FLUSHER 58
#endif
#ifndef PR_GET_MDWE
#define PR_GET_MDWE 66
#endif
#ifndef PR_GET_MEMORY_MERGE
#define PR_GET_MEMORY_MERGE 68
#endif

static void add_text(struct strbuf *out, const char *s, size_t len)
{
	const uint32_t n = s ? (uint32_t)len : UINT32_MAX;

	strbuf_add(out, &n, sizeof(n));
	if (s)
		strbuf_add(out, s, len);
}

static void add_str(struct strbuf *out, const char *s)
{
	add_text(out, s, s ? strlen(s) : 0);
}

static void add_number(struct strbuf *out, uint64_t n)
{
	strbuf_add(out, &n, sizeof(n));
}

/*
 * --- what is made --------------------------------------------------------------------------------
 */

static void add_plan(const struct plan *p, struct strbuf *out)
{
	add_number(out, p->n);
	for (size_t i = 0; i < p->n; i++) {
		const struct op *op = &p->ops[i];

		add_number(out, (uint64_t)op->kind << 32 | op->flags);
		add_number(out, op->mode);
		add_number(out, op->bytes);
		add_str(out, op->src);
		add_str(out, op->dst);
		add_text(out, op->data, op->data_len);
	}
}

static void add_range(const struct strbuf *message, struct init_range r, struct strbuf *out)
{
	add_text(out, message->data + r.off, r.len);
}

static void add_message(const struct strbuf *message, struct strbuf *out)
{
	struct init_msg m;

	memcpy(&m, message->data, sizeof(m));
	add_number(out, m.flags & ~(uint32_t)INIT_SPARE);
	add_number(out, (uint64_t)m.uid << 32 | m.gid);
	add_number(out, m.caps);
	add_number(out, (uint64_t)m.umask << 32 | m.oom_score_adj);
	add_range(message, m.cwd, out);
	add_range(message, m.uid_map, out);
	add_range(message, m.gid_map, out);
	add_range(message, m.groups, out);
	add_range(message, m.rlimits, out);
	add_range(message, m.bpf, out);
	add_range(message, m.hostname, out);
}

static int add_server(const struct container *c, struct strbuf *out, struct err *e)
{
	_free_ char *init = paths_helper(c->paths, "csbx-init");
	_close_ int userns = peer_own_userns(e);
	struct squashd_key key;
	int r = init ? userns : err_oom(e);

	if (r >= 0)
		r = squashd_key_fill(&key, c->spec, &c->map, init, userns, e);
	if (r < 0)
		return r;
	strbuf_add(out, &key, sizeof(key));
	for (size_t i = 1; i <= c->spec->rootfs.n_lowers; i++) {
		const struct rootfs_part part = rootfs_part_at(&c->spec->rootfs, i);

		strbuf_add(out, &part.id, sizeof(part.id));
	}
	add_number(out, c->paths->linger_ms);
	return 0;
}

/*
 * --- what is handed down -------------------------------------------------------------------------
 */

/* What a kernel has not is the same for all. */
static void add_file(int proc, const char *name, struct strbuf *out)
{
	_close_ int fd = openat(proc, name, O_RDONLY | O_CLOEXEC);
	char text[8192];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));

	add_text(out, n < 0 ? NULL : text, n < 0 ? 0 : (size_t)n);
}

/* Lines of proc(5), PID/status, that say nothing of what a child gets. All others count. */
static bool is_passing(const char *line)
{
	static const char *const names[] = {
		"Name:",        "State:",   "Tgid:",   "Ngid:",     "Pid:",
		"PPid:",        "FDSize:",  "NStgid:", "NSpid:",    "NSpgid:",
		"NSsid:",       "Kthread:", "Vm",      "Rss",       "Hugetlb",
		"CoreDumping:", "Threads:", "SigQ:",   "SigPnd:",   "ShdPnd:",
		"SigBlk:",      "SigIgn:",  "SigCgt:", "voluntary", "nonvoluntary",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strncmp(line, names[i], strlen(names[i])))
			return true;
	}
	return false;
}

/* A tracer would miss the container; a filter's rules cannot be compared. */
static bool is_alone(const char *line)
{
	return (strncmp(line, "TracerPid:", 10) || !strcmp(line, "TracerPid:\t0")) &&
	       (strncmp(line, "Seccomp:", 8) || !strcmp(line, "Seccomp:\t0"));
}

static int add_status(int proc, struct strbuf *out, struct err *e)
{
	_close_ int fd = openat(proc, "status", O_RDONLY | O_CLOEXEC);
	char text[8192], *rest = text, *line;
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n <= 0 || n == sizeof(text) - 1)
		return err_set(e, EOPNOTSUPP, "spare: own status");
	text[n] = 0;
	while ((line = strsep(&rest, "\n"))) {
		if (!is_alone(line))
			return err_set(e, EOPNOTSUPP, "spare: %s", line);
		if (!is_passing(line))
			add_str(out, line);
	}
	return 0;
}

static int add_namespaces(int proc, struct strbuf *out, struct err *e)
{
	static const char *const names[] = {"ns/cgroup",           "ns/ipc", "ns/mnt", "ns/net",
					    "ns/pid_for_children", "ns/pid", "ns/uts", "ns/user",
					    "ns/time_for_children"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char link[64];
		ssize_t n = readlinkat(proc, names[i], link, sizeof(link));

		if (n < 0 && errno != ENOENT)
			return err_sys(e, "spare: %s", names[i]);
		add_text(out, n < 0 ? NULL : link, n < 0 ? 0 : (size_t)n);
	}
	add_number(out, peer_own_mounts_id());
	return 0;
}

static void add_scheduling(struct strbuf *out)
{
	unsigned char attr[128] = {0};
	unsigned long nodes[16] = {0};
	int policy = 0;
	uint64_t cookie = 0;

	add_number(out, (uint64_t)syscall(SYS_sched_getattr, 0, attr, sizeof(attr), 0));
	strbuf_add(out, attr, sizeof(attr));
	add_number(out, (uint64_t)syscall(SYS_ioprio_get, 1, 0));
	add_number(out, (uint64_t)syscall(SYS_get_mempolicy, &policy, nodes, sizeof(nodes) * 8,
					  NULL, 0));
	add_number(out, (uint64_t)policy);
	strbuf_add(out, nodes, sizeof(nodes));
	add_number(out, (uint64_t)prctl(PR_SCHED_CORE, PR_SCHED_CORE_GET, 0, 0, &cookie));
	add_number(out, cookie);
}

static void add_modes(struct strbuf *out)
{
	add_number(out, (uint64_t)personality(0xffffffff));
	add_number(out, (uint64_t)prctl(PR_GET_SECUREBITS, 0, 0, 0, 0));
	add_number(out, (uint64_t)prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0));
	add_number(out, (uint64_t)prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0));
	add_number(out, (uint64_t)prctl(PR_GET_IO_FLUSHER, 0, 0, 0, 0));
	add_number(out, (uint64_t)prctl(PR_GET_MDWE, 0, 0, 0, 0));
	add_number(out, (uint64_t)prctl(PR_GET_MEMORY_MERGE, 0, 0, 0, 0));
}

static int add_handed_down(struct strbuf *out, struct err *e)
{
	static const char *const files[] = {
		"limits",       "cgroup",    "oom_score_adj", "coredump_filter",
		"attr/current", "attr/exec", "attr/fscreate", "attr/keycreate",
		"loginuid",     "sessionid", "setgroups",
	};
	_close_ int proc = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = proc < 0 ? err_sys(e, "open /proc/self") : add_status(proc, out, e);

	if (r >= 0)
		r = add_namespaces(proc, out, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		add_file(proc, files[i], out);
	add_scheduling(out);
	add_modes(out);
	return 0;
}

int spare_key(const struct container *c, const struct strbuf *message, struct strbuf *out,
	      struct err *e)
{
	int r;

	strbuf_reset(out);
	r = add_server(c, out, e);
	if (r < 0)
		return r;
	add_plan(&c->plan, out);
	add_message(message, out);
	r = add_handed_down(out, e);
	if (r >= 0)
		r = strbuf_check(out, e);
	if (r >= 0 && out->len > SPARE_KEY_MAX)
		r = err_set(e, EOPNOTSUPP, "spare: a start of too many words");
	return r;
}

void spare_key_name(const struct strbuf *key, char ret[SPARE_NAME_BYTES])
{
	uint64_t h = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < key->len; i++)
		h = (h ^ (unsigned char)key->data[i]) * UINT64_C(1099511628211);
	h ^= h >> 32; /* FNV leaves the top bits poor */
	snprintf(ret, SPARE_NAME_BYTES, "%016llx.sock", (unsigned long long)h);
}
