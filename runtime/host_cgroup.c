/* SPDX-License-Identifier: Apache-2.0 */

/* Where limits could be made: the caller's place in the cgroup v2 tree, cgroups(7). */

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"
#include "runtime/host.h"
#include "runtime/host_cause.h"

static bool read_file(const char *path, struct strbuf *out)
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd >= 0 && io_read_all(fd, 1u << 20, out, NULL) >= 0;
}

/* Mount point of the cgroup2 file system in mountinfo (proc_pid_mountinfo(5)), or NULL. */
static char *find_mount(const char *mountinfo)
{
	while (*mountinfo) {
		size_t len = strcspn(mountinfo, "\n");
		_free_ char *line = strndup(mountinfo, len);
		char *type = line ? strstr(line, " - cgroup2 ") : NULL;

		if (type) {
			char *save = NULL, *word = strtok_r(line, " ", &save);

			for (int i = 0; word && i < 4; i++)
				word = strtok_r(NULL, " ", &save);
			return word ? strdup(word) : NULL;
		}
		mountinfo += len + (mountinfo[len] != 0);
	}
	return NULL;
}

/* Our own group's path below the mount: the line "0::PATH". */
static char *find_own(const char *cgroups)
{
	const char *line = str_has_prefix(cgroups, "0::") ? cgroups : strstr(cgroups, "\n0::");

	if (!line)
		return NULL;
	line += *line == '\n' ? 4 : 3;
	return strndup(line, strcspn(line, "\n"));
}

/* The nearest group at or above path that we may make groups in; path is cut to it. */
static bool find_writable(char *path, size_t mount_len)
{
	while (true) {
		char *slash;

		if (access(path, W_OK) == 0)
			return true;
		slash = strrchr(path, '/');
		if (!slash || (size_t)(slash - path) < mount_len)
			return false;
		*slash = 0;
	}
}

void host_probe_cgroup(const struct paths *p, struct host_fact *f)
{
	_strbuf_ struct strbuf mounts = STRBUF_INIT, own = STRBUF_INIT, controllers = STRBUF_INIT;
	_free_ char *mount = NULL, *group = NULL, *path = NULL, *file = NULL;

	(void)p;
	if (!read_file("/proc/self/mountinfo", &mounts) || !read_file("/proc/self/cgroup", &own)) {
		host_miss(f, "/proc cannot be read");
		return;
	}
	mount = find_mount(strbuf_str(&mounts));
	group = find_own(strbuf_str(&own));
	if (!mount || !group) {
		host_miss(f, "no cgroup v2 tree is mounted");
		host_remedy(f, "boot with systemd.unified_cgroup_hierarchy=1");
		return;
	}
	path = str_printf("%s%s", mount, str_eq(group, "/") ? "" : group);
	file = path ? str_printf("%s/cgroup.controllers", path) : NULL;
	if (!file || !read_file(file, &controllers)) {
		host_miss(f, "%.180s cannot be read", file ? file : "the caller's group");
		return;
	}
	if (controllers.len)
		controllers.data[strcspn(controllers.data, "\n")] = 0;
	if (!find_writable(path, strlen(mount))) {
		host_miss(f, "no group above %.100s is delegated to you", group);
		host_remedy(
			f,
			"start csbx in a systemd user session, or with: systemd-run --user --scope "
			"-p Delegate=yes");
		return;
	}
	f->ok = true;
	host_reason(f, "%.100s is writable; controllers here: %.80s", path,
		    *strbuf_str(&controllers) ? strbuf_str(&controllers) : "none");
}
