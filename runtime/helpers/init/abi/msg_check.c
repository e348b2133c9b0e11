/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/helpers/init/abi/msg_check.h"

#include <linux/errno.h>
#include <linux/filter.h>

#define PATH_BYTES_MAX 4096u   /* PATH_MAX: the kernel takes no longer path */
#define HOSTNAME_BYTES_MAX 65u /* __NEW_UTS_LEN and a NUL */
#define MAP_BYTES_MAX 4096u    /* the kernel takes at most a page */
#define RLIMITS_KNOWN 16u      /* RLIM_NLIMITS of asm-generic/resource.h */
#define COMPLAINT_BYTES_MAX 512u
#define NO_ID UINT32_MAX /* (uid_t)-1 means "leave as it is" to setresuid(2) */

static bool range_is_inside(const struct init_msg *m, struct init_range r, uint32_t align)
{
	if (!r.len)
		return !r.off;
	return r.off >= sizeof(*m) && r.off % align == 0 && (uint64_t)r.off + r.len <= m->total_len;
}

/* True when the range is exactly n strings, each with its NUL. */
static bool range_is_strings(const struct init_msg *m, struct init_range r, uint32_t n)
{
	const char *p = init_msg_at(m, r);
	uint32_t found = 0;

	if (!r.len)
		return !n;
	for (uint32_t i = 0; i < r.len; i++)
		found += !p[i];
	return found == n && !p[r.len - 1];
}

static bool range_is_records(struct init_range r, uint32_t size, uint32_t max)
{
	return r.len % size == 0 && r.len / size <= max;
}

static bool ranges_are_sound(const struct init_msg *m)
{
	return range_is_inside(m, m->argv, 1) && range_is_inside(m, m->env, 1) &&
	       range_is_inside(m, m->cwd, 1) && range_is_inside(m, m->uid_map, 1) &&
	       range_is_inside(m, m->gid_map, 1) && range_is_inside(m, m->hostname, 1) &&
	       range_is_inside(m, m->complaint, 1) &&
	       range_is_inside(m, m->groups, sizeof(uint32_t)) &&
	       range_is_inside(m, m->rlimits, _Alignof(struct init_rlimit)) &&
	       range_is_inside(m, m->bpf, _Alignof(struct sock_filter)) &&
	       range_is_records(m->groups, sizeof(uint32_t), INIT_MAX_GROUPS) &&
	       range_is_records(m->rlimits, sizeof(struct init_rlimit), INIT_MAX_RLIMITS) &&
	       range_is_records(m->bpf, sizeof(struct sock_filter), INIT_MAX_INSNS);
}

static bool strings_are_sound(const struct init_msg *m)
{
	const char *cwd = init_msg_at(m, m->cwd);

	if (!m->argc || m->argc > INIT_MAX_ARGS || m->envc > INIT_MAX_ARGS ||
	    m->cwd.len > PATH_BYTES_MAX || m->hostname.len > HOSTNAME_BYTES_MAX ||
	    m->complaint.len > COMPLAINT_BYTES_MAX)
		return false;
	return range_is_strings(m, m->argv, m->argc) && range_is_strings(m, m->env, m->envc) &&
	       range_is_strings(m, m->cwd, 1) && cwd[0] == '/' &&
	       range_is_strings(m, m->hostname, m->flags & INIT_NEW_UTS ? 1 : 0) &&
	       range_is_strings(m, m->complaint, m->flags & (INIT_BARE | INIT_JOIN) ? 1 : 0);
}

/* An exec joins a user namespace that has its maps; a start must bring both. */
static bool maps_are_sound(const struct init_msg *m)
{
	if (m->flags & INIT_EXEC)
		return !m->uid_map.len && !m->gid_map.len;
	return m->uid_map.len && m->gid_map.len && m->uid_map.len < MAP_BYTES_MAX &&
	       m->gid_map.len < MAP_BYTES_MAX;
}

static bool rlimits_are_sound(const struct init_msg *m)
{
	const struct init_rlimit *l = init_msg_at(m, m->rlimits);

	for (uint32_t i = 0; i < m->rlimits.len / sizeof(*l); i++) {
		if (l[i].resource >= RLIMITS_KNOWN || l[i].soft > l[i].hard || l[i].pad)
			return false;
	}
	return true;
}

static bool groups_are_sound(const struct init_msg *m)
{
	const uint32_t *g = init_msg_at(m, m->groups);

	for (uint32_t i = 0; i < m->groups.len / sizeof(*g); i++) {
		if (g[i] == NO_ID)
			return false;
	}
	return !(m->groups.len && (m->flags & INIT_KEEP_GROUPS));
}

/* Alone it has neither a pid 1's nor a supervisor's part to play. */
static bool alone_is_sound(const struct init_msg *m)
{
	const uint32_t neither = INIT_HAS_CGROUP | INIT_TTY | INIT_NEW_TTY | INIT_TTY_STDERR |
				 INIT_PAYLOAD_SIGNALS | INIT_NEW_NET | INIT_NEW_UTS | INIT_NEW_IPC |
				 INIT_LANE | INIT_SPARE | INIT_OWN_CGROUP;
	bool join = m->flags & INIT_JOIN, bare = m->flags & INIT_BARE;

	if (m->n_join_fds > INIT_MAX_JOIN_FDS || m->failure_code > 255 || join != !!m->n_join_fds)
		return false;
	if (!join && !bare)
		return !m->failure_code;
	if (m->flags & neither || m->oom_score_adj)
		return false;
	return join ? !bare && m->flags & INIT_EXEC
		    : !(m->flags & INIT_EXEC) && m->flags & INIT_ONE_ID;
}

static bool flags_are_sound(const struct init_msg *m)
{
	const uint32_t start_only = INIT_NEW_NET | INIT_NEW_UTS | INIT_NEW_IPC | INIT_ONE_ID |
				    INIT_DENY_SETGROUPS | INIT_NO_USERNS | INIT_NEW_CGROUP_NS |
				    INIT_LANE | INIT_SPARE;

	if (m->flags & INIT_SPARE && (m->flags & (INIT_LANE | INIT_TTY) || m->n_keep_fds))
		return false;
	if (m->flags & ~INIT_FLAGS_ALL || (m->flags & INIT_WARM && !m->n_keep_fds))
		return false;
	if ((m->flags & INIT_EXEC) && (m->flags & start_only))
		return false;
	if (m->flags & INIT_OWN_CGROUP && !(m->flags & INIT_EXEC))
		return false;
	if ((m->flags & (INIT_NEW_TTY | INIT_TTY_STDERR)) &&
	    (m->flags & (INIT_EXEC | INIT_TTY)) != (INIT_EXEC | INIT_TTY))
		return false;
	return alone_is_sound(m) && !(m->flags & INIT_SECCOMP) == !m->bpf.len;
}

int init_msg_check(const void *buf, size_t len)
{
	const struct init_msg *m = buf;

	if (len < sizeof(*m) || m->magic != INIT_MAGIC)
		return -EBADMSG;
	if (m->version != INIT_ABI_VERSION)
		return -EPROTONOSUPPORT;
	if (len > INIT_MSG_MAX)
		return -E2BIG;
	if (m->total_len != len || !flags_are_sound(m) || !ranges_are_sound(m))
		return -EBADMSG;
	if (!strings_are_sound(m) || !maps_are_sound(m) || !rlimits_are_sound(m) ||
	    !groups_are_sound(m))
		return -EBADMSG;
	if (m->uid == NO_ID || m->gid == NO_ID || m->n_keep_fds > INIT_MAX_KEEP_FDS ||
	    m->umask > 0777 || m->oom_score_adj > 1000 || m->pad)
		return -EBADMSG;
	return 0;
}

bool init_msg_tty_size(const struct init_msg *m, struct init_tail *ret)
{
	const uint32_t at = m->total_len - (uint32_t)sizeof(*ret);
	const struct init_tail *tail = (const void *)((const char *)m + at);

	if (!(m->flags & INIT_NEW_TTY) || at < sizeof(*m) || at % _Alignof(struct init_tail) ||
	    tail->magic != INIT_TAIL_MAGIC)
		return false;
	*ret = *tail;
	return true;
}
