/* SPDX-License-Identifier: Apache-2.0 */

/* Run options: the files that the container sees. */

#include <stddef.h>
#include <sys/stat.h>

#include "cmd/options/mount_spec.h"
#include "cmd/options/run_opts.h"
#include "runtime/base/err.h"

#define AT(member) offsetof(struct run_opts, member)

static int add(struct container_spec *s, const char *value,
	       int (*parse)(const char *, struct mount_spec *, struct err *), struct err *e)
{
	struct mount_spec m, *slot;
	int r = parse(value, &m, e);

	if (r < 0)
		return r;
	slot = spec_add_mount(s);
	if (!slot)
		return err_oom(e);
	*slot = m;
	return 0;
}

/* A directory that is mounted may be where the command starts, resolve.c. */
static int set_mount(void *opts, const char *value, struct err *e)
{
	struct run_opts *o = opts;
	int r = add(&o->spec, value, mount_parse, e);
	const struct mount_spec *m;
	struct stat st;
	bool is_dir;

	if (r < 0)
		return r;
	m = &o->spec.mounts[o->spec.n_mounts - 1];
	is_dir = m->kind == MOUNT_BIND && !m->volume && stat(m->source, &st) == 0 &&
		 S_ISDIR(st.st_mode);
	strv_add(&o->mount_dirs, is_dir ? m->target : "");
	return strv_check(&o->mount_dirs, e);
}

static int set_volume(void *spec, const char *value, struct err *e)
{
	return add(spec, value, volume_parse, e);
}

static int set_tmpfs(void *spec, const char *value, struct err *e)
{
	return add(spec, value, tmpfs_parse, e);
}

static int set_device(void *spec, const char *value, struct err *e)
{
	return add(spec, value, device_parse, e);
}

static const struct opt opts[] = {
	{OPT_CALL, 0, "mount", "SPEC", 0, set_mount, .repeats = true, .has_key = true,
	 .offers = "dir",
	 .help = "make a host file or directory visible: SOURCE:TARGET[:ro,...], a line of fstab "
		 "with ':' for blanks (SOURCE:TARGET:none:rbind,ro), tmpfs:TARGET[:size=64m], or "
		 "type=bind,src=SOURCE,dst=TARGET,readonly"},
	{OPT_CALL, 0, "volume", "SPEC", AT(spec), set_volume, .repeats = true, .has_key = true,
	 .offers = "dir",
	 .help = "the same in docker's form: SOURCE:TARGET[:ro]; a SOURCE without a slash is the "
		 "name of a volume (csbx volume), made when it is missing"},
	{OPT_CALL, 0, "tmpfs", "TARGET[:OPTIONS]", AT(spec), set_tmpfs, .repeats = true,
	 .has_key = true,
	 .help = "an empty directory in memory; OPTIONS are size=64m, mode=1777, ro, noexec"},
	{OPT_CALL, 0, "device", "SOURCE[:TARGET]", AT(spec), set_device, .repeats = true,
	 .has_key = true, .offers = "file",
	 .help = "add a device node of the host that you may open yourself"},
	{OPT_LIST, 0, "fetch", "PATH", AT(spec.fetch), .repeats = true,
	 .help = "put the file at PATH, as the program leaves it, into the result (--json, "
		 "--result-fd), in base64"},
	{OPT_FLAG, 0, "read-only", .offset = AT(read_only), .has_key = true,
	 .help = "make the container's root read-only"},
	{OPT_BYTES, 0, "upper-size", "SIZE", AT(spec.rootfs.upper_bytes), .has_key = true,
	 .initial = "a quarter of the memory", .help = "how much a throw-away layer may hold"},
	{OPT_BYTES, 0, "shm-size", "SIZE", AT(spec.limits.shm_bytes), .has_key = true,
	 .initial = "64m", .help = "size of /dev/shm"},
	{0},
};

const struct opt_table run_table_files = {"Files and mounts", opts};
