/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_CGROUP_SCOPE_H
#define CSBX_RUNTIME_CGROUP_SCOPE_H

/*
 * A scope of the systemd user manager, for callers that have no delegated group above them, as in
 * an ssh session: the scope is, and the caller is moved into it (a placement across a group that
 * belongs to root is refused by the kernel, so this is needed at every such start). systemd removes
 * the scope, and what is left below it, when it is empty.
 */

struct cgroup_parent;
struct err;
struct paths;

/*
 * Moves the calling process into a scope csbx-ID.scope, there into a group of its own, and opens
 * the scope as a parent. Takes p->scope_timeout_ms at most. -errno with the reason otherwise; the
 * process may have been moved even then.
 */
int cgroup_scope_enter(const struct paths *p, const char *id, unsigned need,
		       struct cgroup_parent *ret, struct err *e);

#endif
