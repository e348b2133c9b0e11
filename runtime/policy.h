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
 *			   max-output max-output-kill
 *	force WORD	   limits=strict read-only
 *
 * It is applied to the container_spec, where all front ends end, before spec_freeze(): what is
 * forbidden or above a maximum is -EPERM naming the option and the policy's line, a limit left at
 * its default becomes the maximum. It guards against mistakes, not against a hostile caller: who
 * may run programs may also run another launcher.
 */

#include <stddef.h>
#include <stdint.h>

struct err;
struct container_spec;

#define POLICY_WORDS 32 /* at least the number of words above */

struct policy {
	char *file; /* for messages; NULL = no policy */
	unsigned forbid_line[POLICY_WORDS], force_line[POLICY_WORDS], max_line[POLICY_WORDS];
	uint64_t max[POLICY_WORDS]; /* counts where max_line is set */
};
#define POLICY_INIT {0}

/* A missing file is no policy; one that cannot be read is an error. */
int policy_load(struct policy *p, struct err *e);
int policy_parse(struct policy *p, const char *file, const char *buf, size_t len, struct err *e);
int policy_apply(const struct policy *p, struct container_spec *s, struct err *e);
void policy_free(struct policy *p);

#endif
