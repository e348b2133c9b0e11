/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csbx-scope PID UNIT: has the systemd user manager put the process into a new scope UNIT that is
 * delegated (Delegate=yes), and returns when that is done. A program of its own because only it
 * needs D-Bus. Exit code 0, or 1 with one line about the reason on stdout.
 *
 * The manager is asked on its private socket, which is there without a message bus; else on the
 * user's bus. From a session of its own making (ssh) the user manager may not take a process: it
 * has the system manager do that, which is why this goes through it at all. The one who started us
 * bounds the time.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>

#include "runtime/base/num.h"

#define DESTINATION "org.freedesktop.systemd1"
#define MANAGER "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager"

struct wait {
	const char *unit;
	bool is_done;
	char result[32];
};

__attribute__((format(printf, 1, 2))) static int fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	return 1;
}

/* JobRemoved(u id, o job, s unit, s result) */
static int job_removed(sd_bus_message *m, void *data, sd_bus_error *e)
{
	struct wait *w = data;
	const char *job, *unit, *result;
	uint32_t id;

	(void)e;
	if (sd_bus_message_read(m, "uoss", &id, &job, &unit, &result) >= 0 &&
	    !strcmp(unit, w->unit)) {
		w->is_done = true;
		snprintf(w->result, sizeof(w->result), "%s", result);
	}
	return 0;
}

static int open_private(sd_bus **ret)
{
	const char *dir = getenv("XDG_RUNTIME_DIR");
	char address[256];
	sd_bus *bus = NULL;
	int r, n;

	if (!dir || *dir != '/')
		return -ENOENT;
	n = snprintf(address, sizeof(address), "unix:path=%s/systemd/private", dir);
	/* Separators of an address: such a name would have to be escaped. */
	if (n >= (int)sizeof(address) || strpbrk(dir, ",;%"))
		return -EINVAL;
	r = sd_bus_new(&bus);
	if (r >= 0)
		r = sd_bus_set_address(bus, address);
	if (r >= 0)
		r = sd_bus_start(bus);
	if (r < 0)
		sd_bus_unref(bus);
	else
		*ret = bus;
	return r;
}

static int open_bus(sd_bus **ret)
{
	int r = open_private(ret);

	return r < 0 ? sd_bus_open_user(ret) : r;
}

static int fill_request(sd_bus_message *m, uint32_t pid, const char *unit)
{
	int r = sd_bus_message_append(m, "ss", unit, "fail");

	if (r >= 0)
		r = sd_bus_message_open_container(m, 'a', "(sv)");
	if (r >= 0)
		r = sd_bus_message_append(m, "(sv)(sv)(sv)(sv)", "Description", "s",
					  "csbx container", "Delegate", "b", 1, "CollectMode", "s",
					  "inactive-or-failed", "PIDs", "au", 1, pid);
	if (r >= 0)
		r = sd_bus_message_close_container(m);
	return r >= 0 ? sd_bus_message_append(m, "a(sa(sv))", 0) : r;
}

static int start_scope(sd_bus *bus, uint32_t pid, const char *unit)
{
	sd_bus_error e = SD_BUS_ERROR_NULL;
	sd_bus_message *m = NULL;
	int r = sd_bus_message_new_method_call(bus, &m, DESTINATION, MANAGER, "StartTransientUnit");

	if (r >= 0)
		r = fill_request(m, pid, unit);
	if (r >= 0)
		r = sd_bus_call(bus, m, 0, &e, NULL);
	if (r < 0)
		fail("systemd user manager: %s", e.message ? e.message : strerror(-r));
	sd_bus_error_free(&e);
	sd_bus_message_unref(m);
	return r;
}

static int wait_for_job(sd_bus *bus, const struct wait *w)
{
	while (!w->is_done) {
		int r = sd_bus_process(bus, NULL);

		if (!r)
			r = sd_bus_wait(bus, UINT64_MAX);
		if (r < 0)
			return fail("systemd user manager: %s", strerror(-r));
	}
	return strcmp(w->result, "done")
		       ? fail("systemd user manager: the scope's start: %s", w->result)
		       : 0;
}

int main(int argc, char **argv)
{
	struct wait w = {.unit = argc == 3 ? argv[2] : ""};
	sd_bus *bus = NULL;
	uint64_t pid;
	int r;

	if (argc != 3 || num_parse_u64(argv[1], INT32_MAX, &pid) < 0)
		return fail("usage: csbx-scope PID UNIT");
	r = open_bus(&bus);
	if (r < 0)
		return fail("no systemd user manager: %s",
			    r == -ENOMEDIUM ? "XDG_RUNTIME_DIR is not set" : strerror(-r));
	/* Signals go to subscribers; a manager's private socket gets them in any case. */
	(void)sd_bus_call_method(bus, DESTINATION, MANAGER, "Subscribe", NULL, NULL, NULL);
	r = sd_bus_match_signal(bus, NULL, NULL, MANAGER, "JobRemoved", job_removed, &w);
	if (r < 0)
		return fail("systemd user manager: %s", strerror(-r));
	r = start_scope(bus, (uint32_t)pid, w.unit);
	r = r < 0 ? 1 : wait_for_job(bus, &w);
	sd_bus_flush_close_unref(bus);
	return r;
}
