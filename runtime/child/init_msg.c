/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/child/init_msg.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/memfd.h>
#include <stddef.h>
#include <sys/mman.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"
#include "runtime/helpers/init/abi/stage_text.h"
#include "runtime/spec/rlimit.h"
#include "runtime/kernel/cap.h"
#include "runtime/kernel/seccomp.h"
#include "runtime/spec/spec.h"
#include "runtime/userns/userns.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U /* Linux 6.3 */
#endif

#define CAP_BIT(cap) (UINT64_C(1) << (cap))
/* Capabilities that mean nothing unless their namespace belongs to the payload's own B. */
#define CAPS_OVER_NET (CAP_BIT(CAP_NET_ADMIN) | CAP_BIT(CAP_NET_RAW))
#define CAPS_OVER_UTS CAP_BIT(CAP_SYS_ADMIN)
#define CAPS_OVER_IPC (CAP_BIT(CAP_IPC_OWNER) | CAP_BIT(CAP_SYS_ADMIN))

#define MAP_TEXT_BYTES (ID_EXTENTS_MAX * 36)

/*
 * The message grows at the end of a buffer that may move and may hold other things before it:
 * places are offsets from `start`, the header is filled in a local copy and written last.
 */
struct builder {
	struct strbuf *out;
	size_t start;
	struct init_msg m;
};

static void align(struct builder *b, size_t to)
{
	static const char zero[8];
	size_t at = b->out->len - b->start;

	strbuf_add(b->out, zero, (to - at % to) % to);
}

static struct init_range range_from(const struct builder *b, size_t at)
{
	uint32_t len = (uint32_t)(b->out->len - at);

	return (struct init_range){len ? (uint32_t)(at - b->start) : 0, len};
}

static struct init_range add_bytes(struct builder *b, const void *data, size_t len)
{
	size_t at = b->out->len;

	strbuf_add(b->out, data, len);
	return range_from(b, at);
}

static struct init_range add_strv(struct builder *b, const struct strv *v)
{
	size_t at = b->out->len;

	for (size_t i = 0; i < v->n; i++)
		strbuf_add(b->out, v->items[i], strlen(v->items[i]) + 1);
	return range_from(b, at);
}

static size_t strv_bytes(const struct strv *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++)
		n += strlen(v->items[i]) + 1;
	return n;
}

static uint32_t security_flags(const struct container_spec *s)
{
	uint32_t flags = 0;

	if (!s->sec.new_privs)
		flags |= INIT_NO_NEW_PRIVS;
	/* The filter keeps keyctl(2) and its kin out of reach: a keyring of its own is a second
	 * lock. */
	if (!s->sec.seccomp_off)
		flags |= INIT_SECCOMP | INIT_KEYRING_TRY;
	if (s->sec.fake_ids || s->sec.fake_nodes)
		flags |= INIT_SECCOMP;
	return flags;
}

/* The flags that only a start decides; an exec takes the namespaces as they are. */
static uint32_t start_flags(const struct container_spec *s, const struct id_map *map)
{
	uint32_t flags = INIT_NO_USERNS | INIT_CREATE_CWD;

	if (s->ns.cgroup == CGROUPNS_PRIVATE)
		flags |= INIT_NEW_CGROUP_NS;
	if (id_map_is_one(map))
		flags |= INIT_ONE_ID;
	if ((s->sec.caps & CAPS_OVER_NET) && s->ns.net == NET_NONE)
		flags |= INIT_NEW_NET;
	if ((s->sec.caps & CAPS_OVER_UTS) && s->ns.uts == UTS_PRIVATE)
		flags |= INIT_NEW_UTS;
	if ((s->sec.caps & CAPS_OVER_IPC) && s->ns.ipc == IPC_PRIVATE)
		flags |= INIT_NEW_IPC;
	return flags;
}

/*
 * A bare start has namespaces that csbx has made in A or none of its own, and the caller's /proc,
 * where the sysctl may be read-only: the filter alone keeps nested user namespaces out.
 */
static uint32_t bare_flags(const struct container_spec *s)
{
	return INIT_BARE | INIT_ONE_ID | INIT_CREATE_CWD |
	       (s->ns.cgroup == CGROUPNS_PRIVATE ? INIT_NEW_CGROUP_NS : 0);
}

static uint32_t own_flags(const struct container_spec *s, const struct id_map *map,
			  const struct init_msg_params *params)
{
	if (params->exec)
		return INIT_EXEC | (params->complaint ? INIT_JOIN : 0);
	return params->complaint ? bare_flags(s) : start_flags(s, map);
}

static uint32_t message_flags(const struct container_spec *s, const struct id_map *map,
			      const struct init_msg_params *params)
{
	uint32_t flags = security_flags(s) | own_flags(s, map, params);

	if (s->proc.tty == TTY_YES)
		flags |= INIT_TTY;
	if (s->proc.pid1_signals && !params->exec)
		flags |= INIT_PAYLOAD_SIGNALS;
	if (params->has_cgroup)
		flags |= INIT_HAS_CGROUP;
	if (params->is_lane)
		flags |= INIT_LANE;
	if (params->is_spare)
		flags |= INIT_SPARE;
	/*
	 * One id: setgroups(2) is given up for good, the caller's groups stay (user_namespaces(7)).
	 */
	if (s->proc.keep_groups || !map || id_map_is_one(map))
		flags |= INIT_KEEP_GROUPS;
	return flags;
}

static void add_maps(struct builder *b, const struct id_map *map)
{
	char text[MAP_TEXT_BYTES];
	size_t n = id_extents_identity(map->uid, map->n_uid, text, sizeof(text));

	b->m.uid_map = add_bytes(b, text, n);
	n = id_extents_identity(map->gid, map->n_gid, text, sizeof(text));
	b->m.gid_map = add_bytes(b, text, n);
}

static void add_filter(struct builder *b, const struct container_spec *s,
		       const struct init_msg_params *params)
{
	const uint64_t of_net =
		CAP_BIT(CAP_NET_ADMIN) | CAP_BIT(CAP_NET_RAW) | CAP_BIT(CAP_SYS_ADMIN);
	bool net_returns = s->ns.net == NET_NONE && !(s->sec.caps & of_net);
	uint64_t caps = s->sec.caps | (net_returns ? SECCOMP_NET_RETURNS : 0) |
			(params->is_lane ? SECCOMP_FILES_STAY : 0);
	size_t at;

	align(b, 8);
	at = b->out->len;
	if (s->sec.fake_ids || s->sec.fake_nodes)
		seccomp_fake_add(s->sec.fake_ids, b->out);
	if (s->sec.seccomp_off)
		seccomp_allow_add(b->out);
	else
		seccomp_filter_add(caps, b->out);
	b->m.bpf = range_from(b, at);
}

static int add_rlimits(struct builder *b, const struct container_spec *s, struct err *e)
{
	struct init_rlimit l[INIT_MAX_RLIMITS];
	int n = rlimit_fill(s, l, INIT_MAX_RLIMITS, e), kept = 0;

	if (n < 0)
		return n;
	/* Alone, the caller's limits stay but for those that were asked for. */
	for (int i = 0; i < n; i++) {
		if (!b->m.complaint.len || !s->limits.rlimits[i].is_default)
			l[kept++] = l[i];
	}
	align(b, _Alignof(struct init_rlimit));
	b->m.rlimits = add_bytes(b, l, (size_t)kept * sizeof(l[0]));
	return 0;
}

/* Refuses all that init would refuse, in words that name the culprit. */
static int check_sizes(const struct process_spec *p, size_t bytes, struct err *e)
{
	if (p->argv.n > INIT_MAX_ARGS || p->env.n > INIT_MAX_ARGS)
		return err_set(e, E2BIG, "more than %u arguments or environment variables",
			       INIT_MAX_ARGS);
	if (bytes > INIT_MSG_MAX - 65536)
		return err_set(e, E2BIG, "arguments and environment are too long");
	if (p->n_groups > INIT_MAX_GROUPS)
		return err_set(e, E2BIG, "too many supplementary groups");
	if (p->n_keep_fds > INIT_MAX_KEEP_FDS)
		return err_set(e, E2BIG, "more than %u descriptors to keep", INIT_MAX_KEEP_FDS);
	if (strlen(p->cwd) >= 4096)
		return err_set(e, ENAMETOOLONG,
			       "--workdir: a path of %zu bytes, of 4095 at most: name another one",
			       strlen(p->cwd));
	return 0;
}

static int add_parts(struct builder *b, const struct container_spec *s, const struct id_map *map,
		     const struct init_msg_params *params, struct err *e)
{
	const char *complaint = params->complaint;
	struct init_msg *m = &b->m;
	int r;

	strbuf_add(b->out, m, sizeof(*m));
	if (complaint)
		m->complaint = add_bytes(b, complaint, strlen(complaint) + 1);
	r = add_rlimits(b, s, e);
	if (r < 0)
		return r;
	if (m->flags & INIT_SECCOMP)
		add_filter(b, s, params);
	if (!(m->flags & INIT_KEEP_GROUPS))
		m->groups = add_bytes(b, s->proc.groups, s->proc.n_groups * sizeof(uint32_t));
	m->argv = add_strv(b, &s->proc.argv);
	m->env = add_strv(b, &s->proc.env);
	m->cwd = add_bytes(b, s->proc.cwd, strlen(s->proc.cwd) + 1);
	if (!(m->flags & INIT_EXEC))
		add_maps(b, map);
	if (m->flags & INIT_NEW_UTS)
		m->hostname = add_bytes(b, s->ns.hostname, strlen(s->ns.hostname) + 1);
	return 0;
}

/* The head goes in last: only now it is known how long all of it is. */
static int finish(struct builder *b, struct err *e)
{
	int r = strbuf_check(b->out, e);

	if (r < 0)
		return r;
	b->m.total_len = (uint32_t)(b->out->len - b->start);
	memcpy(b->out->data + b->start, &b->m, sizeof(b->m));
	return 0;
}

int init_msg_build(const struct container_spec *spec, const struct id_map *map,
		   const struct init_msg_params *params, struct strbuf *out, struct err *e)
{
	size_t bytes = strv_bytes(&spec->proc.argv) + strv_bytes(&spec->proc.env);
	struct builder b = {
		.out = out,
		.start = out->len,
		.m =
			{
				.magic = INIT_MAGIC,
				.version = INIT_ABI_VERSION,
				.flags = message_flags(spec, map, params),
				.uid = spec->proc.uid,
				.gid = spec->proc.gid,
				.caps = spec->sec.caps,
				.argc = (uint32_t)spec->proc.argv.n,
				.envc = (uint32_t)spec->proc.env.n,
				.n_keep_fds = (uint32_t)spec->proc.n_keep_fds,
				.umask = params->umask,
				.oom_score_adj = params->oom_score_adj,
				.n_join_fds = params->n_join_fds,
				.failure_code = params->failure_code,
			},
	};
	int r = check_sizes(&spec->proc, bytes, e);

	if (r < 0)
		return r;
	strbuf_reserve(out, bytes + 8192); /* one allocation, for nearly every message */
	r = add_parts(&b, spec, map, params, e);
	return r < 0 ? r : finish(&b, e);
}

/* The ranges of a checked message are copied as they are; only their place changes. */
static struct init_range copy_range(struct builder *b, const struct init_msg *m,
				    struct init_range r)
{
	align(b, 8);
	return add_bytes(b, (const char *)m + r.off, r.len);
}

static void add_exec_parts(struct builder *b, const struct init_msg *start,
			   const struct process_spec *p)
{
	const struct init_tail tail = {.tty_rows = (uint16_t)p->tty_rows,
				       .tty_columns = (uint16_t)p->tty_columns,
				       .magic = INIT_TAIL_MAGIC};
	struct init_msg *m = &b->m;

	strbuf_add(b->out, m, sizeof(*m));
	m->rlimits = copy_range(b, start, start->rlimits);
	m->bpf = copy_range(b, start, start->bpf);
	if (!(m->flags & INIT_KEEP_GROUPS)) {
		align(b, 8);
		m->groups = add_bytes(b, p->groups, p->n_groups * sizeof(uint32_t));
	}
	m->argv = add_strv(b, &p->argv);
	m->env = add_strv(b, &p->env);
	m->cwd = add_bytes(b, p->cwd, strlen(p->cwd) + 1);
	if (m->flags & INIT_NEW_TTY && tail.tty_rows && tail.tty_columns) {
		align(b, _Alignof(struct init_tail));
		strbuf_add(b->out, &tail, sizeof(tail));
	}
}

int init_msg_build_exec(const struct init_msg *start, const struct process_spec *p,
			uint32_t more_flags, struct strbuf *out, struct err *e)
{
	struct builder b = {
		.out = out,
		.start = out->len,
		.m =
			{
				.magic = INIT_MAGIC,
				.version = INIT_ABI_VERSION,
				.flags = (start->flags & INIT_EXEC_KEPT) | INIT_EXEC | more_flags,
				.uid = p->uid,
				.gid = p->gid,
				.caps = start->caps,
				.argc = (uint32_t)p->argv.n,
				.envc = (uint32_t)p->env.n,
				.n_keep_fds = (uint32_t)p->n_keep_fds,
				.umask = start->umask,
				.oom_score_adj = start->oom_score_adj,
			},
	};
	int r = check_sizes(p, strv_bytes(&p->argv) + strv_bytes(&p->env), e);

	if (r < 0)
		return r;
	add_exec_parts(&b, start, p);
	return finish(&b, e);
}

int init_msg_memfd(const struct strbuf *msg, struct err *e)
{
	const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	_close_ int fd = memfd_create("csbx-message", flags | MFD_NOEXEC_SEAL);
	int r;

	if (fd < 0 && errno == EINVAL) /* before Linux 6.3 */
		fd = memfd_create("csbx-message", flags);
	if (fd < 0)
		return err_sys(e, "message for csbx-init: memfd_create");
	r = io_write_all(fd, msg->data, msg->len, e);
	if (r < 0)
		return err_wrap(e, "message for csbx-init");
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) < 0)
		return err_sys(e, "message for csbx-init: seal");
	return take_fd(&fd);
}

int init_msg_replace_env(int *fd, const struct strv *env, struct err *e)
{
	_strbuf_ struct strbuf msg = STRBUF_INIT;
	struct builder b = {.out = &msg};
	int r, made;

	if (lseek(*fd, 0, SEEK_SET) < 0)
		return err_sys(e, "message for csbx-init");
	r = io_read_all(*fd, INIT_MSG_MAX, &msg, e);
	if (r >= 0 && msg.len < sizeof(b.m))
		r = err_set(e, EBADMSG, "message for csbx-init: cut short");
	if (r < 0)
		return r;
	memcpy(&b.m, msg.data, sizeof(b.m));
	if (env->n > INIT_MAX_ARGS || strv_bytes(env) + msg.len > INIT_MSG_MAX - 65536)
		return err_set(e, E2BIG, "the environment is too long");
	b.m.env = add_strv(&b, env);
	b.m.envc = (uint32_t)env->n;
	r = finish(&b, e);
	made = r < 0 ? r : init_msg_memfd(&msg, e);
	if (made < 0)
		return made;
	fd_close(fd);
	*fd = made;
	return 0;
}

const char *init_stage_name(uint32_t stage)
{
	return stage < INIT_STAGE_MAX && *init_stage_text[stage] ? init_stage_text[stage]
								 : "unknown stage";
}

static int exec_error(const struct init_status *st, const char *argv0, struct err *e)
{
	if (st->code == ENOENT && st->detail == INIT_DETAIL_INTERPRETER) {
		err_set(e, ENOENT,
			"%s: its interpreter (#! line or dynamic loader) is not in the image",
			argv0);
		return 127;
	}
	if (st->code == ENOENT || st->code == ENOTDIR) {
		err_set(e, st->code, "%s: command not found in the image", argv0);
		return 127;
	}
	if (st->code == ENOEXEC)
		err_set(e, ENOEXEC,
			"%s: exec format error (no #! line, or built for another machine)", argv0);
	else
		err_code(e, st->code, "%s", argv0);
	return 126;
}

int init_status_error(const struct init_status *st, const struct process_spec *proc, struct err *e)
{
	bool at_cwd = st->stage == INIT_STAGE_MKDIR || st->stage == INIT_STAGE_CWD;

	if (st->stage == INIT_STAGE_EXEC)
		return exec_error(st, proc->argv.items[0], e);
	if (at_cwd)
		(void)err_from(
			ERR_WORKDIR, e,
			err_code(e, st->code, "%s %s", init_stage_name(st->stage), proc->cwd));
	else
		err_code(e, st->code, "%s", init_stage_name(st->stage));
	if (st->stage == INIT_STAGE_KEYRING && st->code == EDQUOT)
		err_append(e, "kernel.keys.maxkeys is used up");
	return INIT_EXIT_FAILED;
}
