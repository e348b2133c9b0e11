/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/settings/policy.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysinfo.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"
#include "runtime/settings/config.h"
#include "runtime/spec/spec.h"

static const char *const forbid_words[FORBID_WORDS] = {
	[FORBID_NET_HOST] = "network=host",
	[FORBID_IPC_HOST] = "ipc=host",
	[FORBID_SUBUID] = "userns=subuid",
	[FORBID_ALLOW_ROOT] = "allow-root",
	[FORBID_DEVICE] = "device",
	[FORBID_BIND] = "bind",
	[FORBID_CAP_ADD] = "cap-add",
	[FORBID_KEEP_GROUPS] = "keep-groups",
	[FORBID_NO_SECCOMP] = "seccomp=unconfined",
	[FORBID_NO_LANDLOCK] = "landlock=off",
	[FORBID_NO_MASKS] = "systempaths=unconfined",
	[FORBID_NEW_PRIVS] = "no-new-privileges=false",
	[FORBID_SHARED_ROOT] = "root=shared",
};

static const char *const force_words[FORCE_WORDS] = {
	[FORCE_READ_ONLY] = "read-only",
	[FORCE_LIMITS_STRICT] = "limits=strict",
};

static int parse_pids(const char *s, uint64_t *ret)
{
	return num_parse_u64(s, UINT64_MAX - 1, ret);
}

static int parse_cpus(const char *s, uint64_t *ret)
{
	return num_parse_milli(s, UINT64_C(1000) * 1000000, ret);
}

/* `unset` is what 0 in the spec stands for; 0 = no limit at all. */
static const struct {
	const char *word;
	int (*parse)(const char *s, uint64_t *ret);
	size_t offset;
	uint64_t unset;
} limits[LIMIT_WORDS] = {
#define IN(field) offsetof(struct container_spec, field)
	[LIMIT_MEMORY] = {"memory", num_parse_bytes, IN(limits.memory_bytes), 0},
	[LIMIT_CPUS] = {"cpus", parse_cpus, IN(limits.cpus_milli), 0},
	[LIMIT_PIDS] = {"pids-limit", parse_pids, IN(limits.pids), 4096},
	[LIMIT_SHM] = {"shm-size", num_parse_bytes, IN(limits.shm_bytes), 64 << 20},
	[LIMIT_UPPER] = {"upper-size", num_parse_bytes, IN(rootfs.upper_bytes), 0},
	[LIMIT_TIMEOUT] = {"timeout", num_parse_duration, IN(limits.timeout_ms), 0},
	[LIMIT_KILL_AFTER] = {"kill-after", num_parse_duration, IN(limits.kill_after_ms), 100},
	[LIMIT_OUTPUT] = {"max-output", num_parse_bytes, IN(limits.output_bytes), 0},
	[LIMIT_OUTPUT_KILL] = {"max-output-kill", num_parse_bytes, IN(limits.output_kill_bytes), 0},
#undef IN
};

/* --- text --------------------------------------------------------------------------------- */

static int find_word(const char *const *words, int n, const char *word)
{
	for (int i = 0; i < n; i++) {
		if (!strcmp(words[i], word))
			return i;
	}
	return -1;
}

static int set_max(struct policy *p, unsigned line, const char *word, const char *value)
{
	uint64_t max;

	for (int i = 0; i < LIMIT_WORDS; i++) {
		if (strcmp(limits[i].word, word))
			continue;
		/* 0 would read as "no limit" in the spec. */
		if (!value || limits[i].parse(value, &max) < 0 || !max)
			return -EINVAL;
		if (!p->limit[i] || max < p->max[i]) {
			p->max[i] = max;
			p->limit[i] = line;
			snprintf(p->max_text[i], sizeof(p->max_text[i]), "%s", value);
		}
		return 0;
	}
	return -ENOENT;
}

/* words: the line's words, NULL where there are fewer. */
static int parse_words(struct policy *p, unsigned line, char *const words[3])
{
	int i;

	if (!words[1])
		return -EINVAL;
	if (!strcmp(words[0], "max"))
		return set_max(p, line, words[1], words[2]);
	if (words[2])
		return -EINVAL;
	if (!strcmp(words[0], "forbid")) {
		i = find_word(forbid_words, FORBID_WORDS, words[1]);
		if (i >= 0)
			p->forbid[i] = line;
	} else if (!strcmp(words[0], "force")) {
		i = find_word(force_words, FORCE_WORDS, words[1]);
		if (i >= 0)
			p->force[i] = line;
	} else {
		return -EINVAL;
	}
	return i < 0 ? -ENOENT : 0;
}

static int parse_line(struct policy *p, const char *file, unsigned number, const char *s,
		      size_t len, struct err *e)
{
	_free_ char *line = strndup(s, len);
	_strbuf_ struct strbuf shown = STRBUF_INIT;
	char *words[3] = {NULL}, *save = NULL;
	int n = 0, r;

	if (!line)
		return err_oom(e);
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)s[i] < 0x20 && s[i] != '\t' && s[i] != '\r')
			return err_set(e, EINVAL, "%s:%u: a control character", file, number);
	}
	strbuf_add_escaped(&shown, s, len < 64 ? len : 64);
	for (char *w = strtok_r(line, " \t\r", &save); w; w = strtok_r(NULL, " \t\r", &save)) {
		if (!n && *w == '#')
			return 0;
		if (n == 3)
			return err_set(e, EINVAL, "%s:%u: too many words", file, number);
		words[n++] = w;
	}
	if (!n)
		return 0;
	r = parse_words(p, number, words);
	if (r == -ENOENT)
		return err_set(e, EINVAL, "%s:%u: unknown word '%s'", file, number, words[1]);
	if (r < 0)
		return err_set(e, EINVAL,
			       "%s:%u: '%s' is no rule (forbid WORD, max WORD VALUE, force WORD)",
			       file, number, strbuf_str(&shown));
	return 0;
}

int policy_parse(struct policy *p, const char *file, const char *buf, size_t len, struct err *e)
{
	unsigned number = 0;

	free(p->file);
	p->file = strdup(file);
	if (!p->file)
		return err_oom(e);
	while (len) {
		const char *end = memchr(buf, '\n', len);
		size_t n = end ? (size_t)(end - buf) : len;
		int r = parse_line(p, file, ++number, buf, n, e);

		if (r < 0)
			return r;
		n += end != NULL;
		buf += n;
		len -= n;
	}
	return 0;
}

int policy_load(struct policy *p, struct err *e)
{
	static const char file[] = CSBX_SYSCONFDIR "/policy.conf";
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r = config_read_file(AT_FDCWD, file, file, &text, e);

	if (r <= 0)
		return r;
	r = policy_parse(p, file, strbuf_str(&text), text.len, e);
	if (r < 0)
		policy_free(p);
	return r;
}

void policy_free(struct policy *p)
{
	free(p->file);
	*p = (struct policy)POLICY_INIT;
}

bool policy_rule(const struct policy *p, size_t i, struct strbuf *out, unsigned *ret_line)
{
	size_t at = 0;

	for (size_t k = 0; k < FORBID_WORDS; k++) {
		if (p->forbid[k] && at++ == i) {
			strbuf_addf(out, "forbid %s", forbid_words[k]);
			*ret_line = p->forbid[k];
			return true;
		}
	}
	for (size_t k = 0; k < LIMIT_WORDS; k++) {
		if (p->limit[k] && at++ == i) {
			strbuf_addf(out, "max %s %s", limits[k].word, p->max_text[k]);
			*ret_line = p->limit[k];
			return true;
		}
	}
	for (size_t k = 0; k < FORCE_WORDS; k++) {
		if (p->force[k] && at++ == i) {
			strbuf_addf(out, "force %s", force_words[k]);
			*ret_line = p->force[k];
			return true;
		}
	}
	return false;
}

/* --- spec --------------------------------------------------------------------------------- */

static bool has_mount(const struct container_spec *s, enum mount_kind kind)
{
	for (size_t i = 0; i < s->n_mounts; i++) {
		if (s->mounts[i].kind == kind)
			return true;
	}
	return false;
}

static bool asks_for(const struct container_spec *s, enum policy_forbid what)
{
	switch (what) {
	case FORBID_NET_HOST:
		return s->ns.net == NET_HOST;
	case FORBID_IPC_HOST:
		return s->ns.ipc == IPC_HOST;
	case FORBID_SUBUID:
		return s->ns.userns == USERNS_SUBUID;
	case FORBID_ALLOW_ROOT:
		return s->allow_root;
	case FORBID_DEVICE:
		return has_mount(s, MOUNT_DEVICE);
	case FORBID_BIND:
		return has_mount(s, MOUNT_BIND) || has_mount(s, MOUNT_COPY);
	case FORBID_CAP_ADD:
		return s->sec.caps_add ||
		       (s->sec.caps_are_set && (s->sec.caps & ~SPEC_CAPS_DEFAULT));
	case FORBID_KEEP_GROUPS:
		return s->proc.keep_groups;
	case FORBID_NO_SECCOMP:
		return s->sec.seccomp_off;
	case FORBID_NO_LANDLOCK:
		return s->sec.landlock_off;
	case FORBID_NO_MASKS:
		return s->sec.masks_off;
	case FORBID_NEW_PRIVS:
		return s->sec.new_privs;
	case FORBID_SHARED_ROOT:
		return s->sec.root_shared;
	case FORBID_WORDS:
		break;
	}
	return false;
}

/* True where the limit that is not set does not apply: another one of the kind does its work. */
static bool is_moot(enum policy_limit i, const struct container_spec *s)
{
	switch (i) {
	case LIMIT_SHM:
		return s->ns.ipc == IPC_HOST;
	case LIMIT_OUTPUT:
		return s->limits.output_kill_bytes;
	case LIMIT_OUTPUT_KILL:
		return s->limits.output_bytes;
	default:
		return false;
	}
}

/* True where the front end chose the limit. */
static bool is_default(enum policy_limit i, const struct container_spec *s)
{
	return (i == LIMIT_MEMORY && s->limits.memory_is_default) ||
	       (i == LIMIT_TIMEOUT && s->limits.timeout_is_default);
}

static int apply_limit(const struct policy *p, enum policy_limit i, struct container_spec *s,
		       struct err *e)
{
	uint64_t *field = (uint64_t *)(void *)((char *)s + limits[i].offset),
		 unset = limits[i].unset;
	struct sysinfo info;

	/* One of the two output limits takes the other's place, within its maximum. */
	if ((i == LIMIT_OUTPUT || i == LIMIT_OUTPUT_KILL) &&
	    s->limits.output_bytes + s->limits.output_kill_bytes > p->max[i])
		return err_set(e, EPERM, "output is above the maximum of %s:%u for --%s", p->file,
			       p->limit[i], limits[i].word);
	if (i == LIMIT_PIDS && *field == PIDS_AS_POLICY)
		*field = p->max[i];
	if (*field > p->max[i] && is_default(i, s))
		*field = p->max[i];
	if (*field > p->max[i])
		return err_set(e, EPERM, "--%s is above the maximum of %s:%u", limits[i].word,
			       p->file, p->limit[i]);
	if (*field || is_moot(i, s))
		return 0;
	/* An upper on tmpfs gets a quarter of the memory: a higher maximum changes nothing. */
	if (i == LIMIT_UPPER && !sysinfo(&info))
		unset = (uint64_t)info.totalram * info.mem_unit / 4;
	if (!unset || unset > p->max[i])
		*field = p->max[i];
	return 0;
}

/*
 * Takes away the host's files that a front end shows without being asked: a bare start (bare.h) has
 * the host's whole /proc and /sys, and no landlock.
 */
static void hide_host(const struct policy *p, struct container_spec *s)
{
	for (size_t i = 0; p->forbid[FORBID_DEVICE] && i < s->n_mounts; i++)
		s->mounts[i].devices = false;
	if (p->forbid[FORBID_DEVICE])
		s->ns.host_dev = false;
	if (!p->forbid[FORBID_NO_MASKS] && !p->forbid[FORBID_NO_LANDLOCK])
		return;
	s->ns.pid = PID_PRIVATE;
	s->ns.cgroup = CGROUPNS_PRIVATE;
	s->ns.host_sys = false;
}

static void settle_defaults(const struct policy *p, struct container_spec *s)
{
	if (p->forbid[FORBID_NET_HOST] && s->ns.net_is_default)
		s->ns.net = NET_NONE;
	if (p->forbid[FORBID_IPC_HOST] && s->ns.ipc_is_default)
		s->ns.ipc = IPC_PRIVATE;
	if (p->forbid[FORBID_NEW_PRIVS] && s->sec.new_privs_is_default)
		s->sec.new_privs = false;
	if (p->forbid[FORBID_SHARED_ROOT] && s->sec.root_shared_is_default)
		s->sec.root_shared = false;
}

int policy_settle_defaults(struct container_spec *s, struct err *e)
{
	struct policy p = POLICY_INIT;
	int r = policy_load(&p, e);

	if (r >= 0)
		settle_defaults(&p, s);
	policy_free(&p);
	return r < 0 ? r : 0;
}

static int refuse_word(const struct policy *p, enum policy_forbid what, struct err *e)
{
	return err_set(e, EPERM, "%s is forbidden by %s:%u", forbid_words[what], p->file,
		       p->forbid[what]);
}

int policy_forbids(enum policy_forbid what, struct err *e)
{
	struct policy p = POLICY_INIT;
	int r = policy_load(&p, e);

	if (r >= 0)
		r = p.forbid[what] != 0;
	policy_free(&p);
	return r;
}

int policy_check(enum policy_forbid what, struct err *e)
{
	struct policy p = POLICY_INIT;
	int r = policy_load(&p, e);

	if (r >= 0 && p.forbid[what])
		r = refuse_word(&p, what, e);
	policy_free(&p);
	return r < 0 ? r : 0;
}

int policy_apply(const struct policy *p, struct container_spec *s, struct err *e)
{
	if (!p->file)
		return 0;
	settle_defaults(p, s);
	for (int i = 0; i < FORBID_WORDS; i++) {
		if (p->forbid[i] && asks_for(s, (enum policy_forbid)i))
			return refuse_word(p, (enum policy_forbid)i, e);
	}
	for (int i = 0; i < LIMIT_WORDS; i++) {
		int r = p->limit[i] ? apply_limit(p, (enum policy_limit)i, s, e) : 0;

		if (r < 0)
			return r;
	}
	hide_host(p, s);
	if (p->force[FORCE_LIMITS_STRICT])
		s->limits.strict = true;
	if (p->force[FORCE_READ_ONLY]) {
		if (s->rootfs.upper == UPPER_KEPT)
			return err_set(e, EPERM, "--rw is forbidden by %s:%u", p->file,
				       p->force[FORCE_READ_ONLY]);
		s->rootfs.upper = UPPER_READONLY;
	}
	return 0;
}
