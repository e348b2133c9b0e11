/* SPDX-License-Identifier: Apache-2.0 */

/* Id ranges: whether the caller has any, and which ones are free. */

#include "runtime/base/err.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"
#include "runtime/doctor/host.h"
#include "runtime/doctor/host_cause.h"
#include "runtime/userns/subid.h"
#include "runtime/userns/userns.h"

#define FIRST 100000u /* as useradd(8) begins */
#define COUNT 65536u

/* The first range that neither file gives to a user; 0: there is none. */
static uint32_t find_free(void)
{
	_strbuf_ struct strbuf uids = STRBUF_INIT, gids = STRBUF_INIT;
	uint32_t at = FIRST, before;

	(void)io_read_path("/etc/subuid", SUBID_FILE_MAX, &uids, NULL);
	(void)io_read_path("/etc/subgid", SUBID_FILE_MAX, &gids, NULL);
	do {
		before = at;
		at = subid_find_free(strbuf_str(&uids), uids.len, at, COUNT);
		if (at)
			at = subid_find_free(strbuf_str(&gids), gids.len, at, COUNT);
	} while (at && at != before);
	return at;
}

void host_probe_subid(const struct paths *p, struct host_fact *f)
{
	struct userns_facts u;
	struct err e = ERR_INIT;
	uint32_t at;

	(void)p;
	if (userns_probe(USERNS_AUTO, &u, &e) < 0) {
		host_miss(f, "%.200s", e.msg);
		return;
	}
	f->ok = u.can_use_ranges && u.uid.n && u.gid.n;
	if (f->ok) {
		host_reason(f, "%zu uid and %zu gid range(s), newuidmap and newgidmap", u.uid.n,
			    u.gid.n);
		return;
	}
	host_miss(f, "%s: you are the only user inside a container",
		  u.can_use_ranges || !u.why_not ? "no range in /etc/subuid and /etc/subgid"
						 : u.why_not);
	at = find_free();
	if (u.uid.n && u.gid.n)
		host_remedy(f, "install package uidmap (again), and start csbx outside of what "
			       "takes privileges away");
	else if (at)
		host_remedy(f,
			    "install uidmap, then, with a range that is free here: usermod "
			    "--add-subuids %u-%u --add-subgids %u-%u %s",
			    at, at + COUNT - 1, at, at + COUNT - 1, host_login());
}
