/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_POLICY_H
#define CSBX_RUNTIME_POLICY_H

/*
 * The site's policy, $(sysconfdir)/csbx/policy.conf. It can only tighten:
 *
 *	forbid WORD	   network=host ipc=host userns=subuid allow-root device bind cap-add
 *			   keep-groups seccomp=unconfined landlock=off systempaths=unconfined
 *			   no-new-privileges=false
 *	max WORD VALUE	   memory cpus pids-limit shm-size upper-size timeout kill-after
 *	force WORD	   read-only
 *
 * It is applied to the container_spec, where all front ends end, before spec_freeze(): a value that
 * is forbidden or above a maximum is -EPERM naming the option and the policy's line, a limit left
 * at its default becomes the maximum where the default is higher, and what a front end chose where
 * the user said nothing gives way. It guards against mistakes, not
 * against a hostile caller: a user who may run programs may also run another launcher.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct container_spec;
struct strbuf;

enum policy_forbid {
	FORBID_NET_HOST,
	FORBID_IPC_HOST,
	FORBID_SUBUID,
	FORBID_ALLOW_ROOT,
	FORBID_DEVICE,
	FORBID_BIND,
	FORBID_CAP_ADD,
	FORBID_KEEP_GROUPS,
	FORBID_NO_SECCOMP,
	FORBID_NO_LANDLOCK,
	FORBID_NO_MASKS,
	FORBID_NEW_PRIVS,
	FORBID_SHARED_ROOT,
	FORBID_WORDS,
};

enum policy_limit {
	LIMIT_MEMORY,
	LIMIT_CPUS,
	LIMIT_PIDS,
	LIMIT_SHM,
	LIMIT_UPPER,
	LIMIT_TIMEOUT,
	LIMIT_KILL_AFTER,
	LIMIT_OUTPUT,
	LIMIT_OUTPUT_KILL,
	LIMIT_WORDS,
};

enum policy_force { FORCE_READ_ONLY, FORCE_LIMITS_STRICT, FORCE_WORDS };

#define POLICY_RULES_MAX (FORBID_WORDS + LIMIT_WORDS + FORCE_WORDS)

/* Each number is the line of the file that says so, 0 = not said. */
struct policy {
	char *file; /* for messages; NULL = no policy */
	unsigned forbid[FORBID_WORDS], force[FORCE_WORDS], limit[LIMIT_WORDS];
	uint64_t max[LIMIT_WORDS];      /* counts where `limit` does; the lowest of several */
	char max_text[LIMIT_WORDS][24]; /* as the file has it */
};
#define POLICY_INIT \
	{           \
		0   \
	}

/* A missing file is no policy; one that cannot be read is an error. */
int policy_load(struct policy *p, struct err *e);
int policy_parse(struct policy *p, const char *file, const char *buf, size_t len, struct err *e);
/*
 * The front end's own choices give way to what is forbidden: who said nothing gets less, and no
 * error. policy_apply() does it, too; a front end that derives more from them does it first.
 */
int policy_settle_defaults(struct container_spec *s, struct err *e);
/* 1: the site forbids it, 0: it does not. */
int policy_forbids(enum policy_forbid what, struct err *e);
/* The error of policy_apply(), for those who would make something for it first. */
int policy_check(enum policy_forbid what, struct err *e);
/*
 * The rule number i, "max memory 2g", and the line that has it; false: there are not so many. A
 * rule that another one makes moot is none.
 */
bool policy_rule(const struct policy *p, size_t i, struct strbuf *out, unsigned *ret_line);
int policy_apply(const struct policy *p, struct container_spec *s, struct err *e);
void policy_free(struct policy *p);

#endif
