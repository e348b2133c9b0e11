/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/system/info_value.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/show/human.h"
#include "cmd/docker/show/listed.h"
#include "cmd/docker/show/value.h"
#include "image/table/table.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/doctor/host.h"
#include "runtime/settings/paths.h"

static void add_containers(struct value *root, const struct paths *p)
{
	_listed_ struct listed_list all = {0};
	size_t running = 0, paused = 0;

	(void)listed_read(p, true, &all, NULL);
	for (size_t i = 0; i < all.n; i++) {
		running += all.items[i].status == CONTAINER_RUNNING;
		paused += all.items[i].status == CONTAINER_PAUSED;
	}
	value_int(root, "Containers", (int64_t)all.n);
	value_int(root, "ContainersRunning", (int64_t)running);
	value_int(root, "ContainersPaused", (int64_t)paused);
	value_int(root, "ContainersStopped", (int64_t)(all.n - running - paused));
}

static size_t count_images(const struct paths *p)
{
	_free_ char *path = str_printf("%s/" IMAGE_TABLE_DIR, p->data);
	_close_ int fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	struct image_list all = {0};
	size_t n = 0;

	if (fd >= 0 && image_table_list(fd, &all, NULL) >= 0) {
		n = all.n;
		image_list_free(&all);
	}
	return n;
}

static void add_words(struct value *parent, const char *key, const char *const *words)
{
	struct value *list = value_add(parent, key, VALUE_LIST);

	for (; *words; words++)
		value_str(list, NULL, *words);
}

static void add_driver(struct value *root, const struct paths *p)
{
	struct value *status, *pair;
	struct host_fact fact;

	host_probe(p, HOST_FUSE, &fact);
	value_str(root, "Driver", "overlay2");
	status = value_add(root, "DriverStatus", VALUE_LIST);
	pair = value_add(status, NULL, VALUE_LIST);
	value_str(pair, NULL, "Images");
	value_str(pair, NULL, fact.ok ? "squashfs, served by FUSE" : "squashfs, unpacked");
}

static void add_plugins(struct value *root)
{
	struct value *plugins = value_add(root, "Plugins", VALUE_STRUCT);

	add_words(plugins, "Volume", (const char *const[]){"local", NULL});
	add_words(plugins, "Network", (const char *const[]){"host", "null", NULL});
	value_add(plugins, "Authorization", VALUE_NOLIST);
	add_words(plugins, "Log", (const char *const[]){"json-file", NULL});
}

/* Limits: by the kernel where there is a group to put them into, else by watching. */
static void add_limits(struct value *root, const struct paths *p, bool ret_by_kernel[3])
{
	static const struct {
		enum host_feature feature;
		const char *keys[4];
	} limits[] = {
		{HOST_CGROUP_MEMORY, {"MemoryLimit", "SwapLimit", NULL}},
		{HOST_CGROUP_CPU, {"CpuCfsPeriod", "CpuCfsQuota", NULL}},
		{HOST_CGROUP_PIDS, {"PidsLimit", NULL}},
	};
	struct host_fact fact;

	for (size_t i = 0; i < 3; i++) {
		host_probe(p, limits[i].feature, &fact);
		ret_by_kernel[i] = fact.ok;
		for (size_t k = 0; limits[i].keys[k]; k++) {
			struct value *v = value_bool(root, limits[i].keys[k], true);

			value_in_go(v, str_eq(limits[i].keys[k], "CpuCfsPeriod")  ? "CPUCfsPeriod"
				       : str_eq(limits[i].keys[k], "CpuCfsQuota") ? "CPUCfsQuota"
										  : NULL);
		}
	}
	value_in_go(value_bool(root, "CPUShares", false), "CPUShares");
	value_bool(root, "CPUSet", false);
	value_bool(root, "IPv4Forwarding", false);
}

/* PRETTY_NAME of os-release(5). */
static void add_os_name(struct value *root)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	const char *at;

	(void)io_read_path("/etc/os-release", 64u << 10, &text, NULL);
	at = strstr(strbuf_str(&text), "PRETTY_NAME=");
	at = at ? at + strlen("PRETTY_NAME=") : "Linux";
	at += *at == '"';
	value_strn(root, "OperatingSystem", at, strcspn(at, "\"\n"));
}

static void add_machine(struct value *root)
{
	_strbuf_ struct strbuf memory = STRBUF_INIT;
	struct value *text;
	struct utsname u;
	struct sysinfo s;

	uname(&u);
	sysinfo(&s);
	human_size_binary(&memory, (uint64_t)s.totalram * s.mem_unit);
	value_str(root, "KernelVersion", u.release);
	add_os_name(root);
	value_str(root, "OSType", "linux");
	value_str(root, "Architecture", u.machine);
	value_int(root, "NCPU", sysconf(_SC_NPROCESSORS_ONLN));
	value_int(root, "MemTotal", (int64_t)((uint64_t)s.totalram * s.mem_unit));
	text = value_str(root, "MemTotalText", strbuf_str(&memory));
	if (text)
		text->flags = VALUE_GO_ONLY;
	value_str(root, "Name", u.nodename);
}

/* docker's info ends with what is not as one might expect; so does this. */
static void add_warnings(struct value *root, const bool by_kernel[3])
{
	struct value *list = value_add(root, "Warnings", VALUE_LIST);

	value_str(list, NULL,
		  "WARNING: containers use this machine's network unless --network none is given: "
		  "there is no bridge");
	if (!by_kernel[0])
		value_str(list, NULL,
			  "WARNING: no control group for memory: --memory is enforced by watching "
			  "(csbx doctor)");
	if (!by_kernel[1])
		value_str(list, NULL,
			  "WARNING: no control group for CPU time: --cpus chooses CPUs (csbx "
			  "doctor)");
	if (!by_kernel[2])
		value_str(list, NULL,
			  "WARNING: no control group for processes: --pids-limit is enforced by "
			  "watching (csbx doctor)");
}

static void add_rest(struct value *root, const struct paths *p)
{
	struct value *v;

	value_str(root, "DockerRootDir", p->data);
	value_str(root, "HttpProxy", "");
	value_str(root, "HttpsProxy", "");
	value_str(root, "NoProxy", "");
	value_add(root, "Labels", VALUE_LIST);
	value_bool(root, "ExperimentalBuild", false);
	value_str(root, "ServerVersion", DOCKER_VERSION);
	v = value_add(root, "Runtimes", VALUE_MAP);
	value_str(value_add(v, "runc", VALUE_STRUCT), "path", "csbx");
	value_str(root, "DefaultRuntime", "runc");
	v = value_add(root, "Swarm", VALUE_STRUCT);
	value_str(v, "NodeID", "");
	value_str(v, "NodeAddr", "");
	value_str(v, "LocalNodeState", "inactive");
	value_bool(v, "ControlAvailable", false);
	value_str(v, "Error", "");
	value_add(v, "RemoteManagers", VALUE_NOLIST);
	value_bool(root, "LiveRestoreEnabled", true);
	value_str(root, "Isolation", "");
	value_str(root, "InitBinary", "csbx-init");
	add_words(root, "SecurityOptions",
		  (const char *const[]){"name=seccomp,profile=builtin", "name=rootless",
					"name=cgroupns", NULL});
}

static void add_server(struct value *root, const struct paths *p)
{
	bool by_kernel[3] = {false};
	struct host_fact fact;
	struct timespec now;

	host_probe(p, HOST_CGROUP, &fact);
	clock_gettime(CLOCK_REALTIME, &now);
	value_strf(root, "ID", "csbx-%u", (unsigned)getuid());
	add_containers(root, p);
	value_int(root, "Images", (int64_t)count_images(p));
	add_driver(root, p);
	add_plugins(root);
	add_limits(root, p, by_kernel);
	value_bool(root, "Debug", false);
	value_int(root, "NFd", 0);
	value_bool(root, "OomKillDisable", false);
	value_int(root, "NGoroutines", 0);
	value_time(root, "SystemTime", (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
	value_str(root, "LoggingDriver", "json-file");
	value_str(root, "CgroupDriver", fact.ok ? "cgroupfs" : "none");
	value_str(root, "CgroupVersion", "2");
	value_int(root, "NEventsListener", 0);
	add_machine(root);
	add_rest(root, p);
	add_warnings(root, by_kernel);
}

int info_value(const struct paths *p, bool usable, struct value **ret, struct err *e)
{
	struct value *root = value_new(VALUE_STRUCT), *client;

	*ret = root;
	if (root)
		root->type = "system.dockerInfo";
	if (usable)
		add_server(root, p);
	client = value_add(root, "ClientInfo", VALUE_STRUCT);
	value_bool(client, "Debug", false);
	value_str(client, "Version", DOCKER_VERSION);
	value_str(client, "GitCommit", "csbx");
	value_str(client, "Context", "default");
	value_add(client, "Plugins", VALUE_LIST);
	value_add(client, "Warnings", VALUE_NOLIST);
	return value_check(root, e);
}
