/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/doctor/host_cause.h"
#include "runtime/doctor/host.h"
#include "runtime/settings/paths.h"

static void runtime_fallback(const struct paths *p, struct host_fact *f)
{
	const char *dir = getenv("XDG_RUNTIME_DIR");

	if (!dir || !*dir)
		host_miss(f,
			  "%.60s, because XDG_RUNTIME_DIR is not set and there is no /run/user/%u "
			  "of yours",
			  p->runtime, geteuid());
	else
		host_miss(f,
			  "%.60s, because XDG_RUNTIME_DIR (%.120s) is missing or not yours alone",
			  p->runtime, dir);
	host_remedy(f, "log in by a service that makes one (pam_systemd), or set "
		       "CSBX_RUNTIME_PATH to a directory of yours on this machine");
}

void host_probe_runtime_dir(const struct paths *p, struct host_fact *f)
{
	char fallback[32];
	_close_ int fd = -1;
	struct err e = ERR_INIT;

	if (!p) {
		host_miss(f, "not tried: no runtime path is known");
		return;
	}
	snprintf(fallback, sizeof(fallback), "/tmp/csbx-%u", geteuid());
	fd = paths_open(p->runtime, NULL, &e);
	if (fd < 0) {
		host_miss(f, "%.230s", e.msg);
		host_remedy(f, "set CSBX_RUNTIME_PATH to a directory of yours on this machine");
		f->blocks = true;
	} else if (str_eq(p->runtime, fallback)) {
		runtime_fallback(p, f);
	} else {
		f->ok = true;
		host_reason(f, "%.230s", p->runtime);
	}
}

/* The path itself is opened, as whatever uses it does; an absent one is made. */
void host_probe_data_dir(const struct paths *p, struct host_fact *f)
{
	_close_ int data = -1, cache = -1;
	struct err e = ERR_INIT;

	if (!p) {
		host_miss(f, "not tried: no data path is known");
		return;
	}
	data = paths_open(p->data, NULL, &e);
	if (data >= 0)
		cache = paths_open(p->cache, NULL, &e);
	f->ok = data >= 0 && cache >= 0;
	if (f->ok) {
		host_reason(f, "%.120s and %.120s are yours alone", p->data, p->cache);
		return;
	}
	host_miss(f, "%.140s: %s", e.msg,
		  data < 0 ? "no container has a name, and no image"
			   : "nothing is fetched, unpacked or built");
	host_remedy(f, "set %s to a directory of yours",
		    data < 0 ? "CSBX_DATA_PATH" : "CSBX_CACHE_PATH");
}
