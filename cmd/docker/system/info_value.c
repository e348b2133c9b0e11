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

static void add_containers(struct docker_value *root, const struct paths *p)
{
	_listed_ struct listed_list all = {0};
	size_t running = 0, paused = 0;

	(void)listed_read(p, true, &all, NULL);
	for (size_t i = 0; i < all.n; i++) {
		running += all.items[i].status == CONTAINER_RUNNING;
		paused += all.items[i].status == CONTAINER_PAUSED;
	}
	docker_value_int(root, "Containers", (int64_t)all.n);
	docker_value_int(root, "ContainersRunning", (int64_t)running);
	docker_value_int(root, "ContainersPaused", (int64_t)paused);
	docker_value_int(root, "ContainersStopped", (int64_t)(all.n - running - paused));
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

static void add_words(struct docker_value *parent, const char *key, const char *const *words)
{
	struct docker_value *list = docker_value_add(parent, key, DOCKER_VALUE_LIST);

	for (; *words; words++)
		docker_value_str(list, NULL, *words);
}

static void add_driver(struct docker_value *root, const struct paths *p)
{
	struct docker_value *status, *pair;
	struct host_fact fact;

	host_probe(p, HOST_FUSE, &fact);
	docker_value_str(root, "Driver", "overlay2");
	status = docker_value_add(root, "DriverStatus", DOCKER_VALUE_LIST);
	pair = docker_value_add(status, NULL, DOCKER_VALUE_LIST);
	docker_value_str(pair, NULL, "Images");
	docker_value_str(pair, NULL, fact.ok ? "squashfs, served by FUSE" : "squashfs, unpacked");
}

static void add_plugins(struct docker_value *root)
{
	struct docker_value *plugins = docker_value_add(root, "Plugins", DOCKER_VALUE_STRUCT);

	add_words(plugins, "Volume", (const char *const[]){"local", NULL});
	add_words(plugins, "Network", (const char *const[]){"host", "null", NULL});
	docker_value_add(plugins, "Authorization", DOCKER_VALUE_NOLIST);
	add_words(plugins, "Log", (const char *const[]){"json-file", NULL});
}

/* Limits: by the kernel where there is a group to put them into, else by watching. */
static void add_limits(struct docker_value *root, const struct paths *p, bool ret_by_kernel[3])
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
			struct docker_value *v = docker_value_bool(root, limits[i].keys[k], true);

			docker_value_in_go(
				v, str_eq(limits[i].keys[k], "CpuCfsPeriod")  ? "CPUCfsPeriod"
				   : str_eq(limits[i].keys[k], "CpuCfsQuota") ? "CPUCfsQuota"
									      : NULL);
		}
	}
	docker_value_in_go(docker_value_bool(root, "CPUShares", false), "CPUShares");
	docker_value_bool(root, "CPUSet", false);
	docker_value_bool(root, "IPv4Forwarding", false);
}

/* PRETTY_NAME of os-release(5). */
static void add_os_name(struct docker_value *root)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	const char *at;

	(void)io_read_path("/etc/os-release", 64u << 10, &text, NULL);
	at = strstr(strbuf_str(&text), "PRETTY_NAME=");
	at = at ? at + strlen("PRETTY_NAME=") : "Linux";
	at += *at == '"';
	docker_value_strn(root, "OperatingSystem", at, strcspn(at, "\"\n"));
}

static void add_machine(struct docker_value *root)
{
	_strbuf_ struct strbuf memory = STRBUF_INIT;
	struct docker_value *text;
	struct utsname u;
	struct sysinfo s;

	uname(&u);
	sysinfo(&s);
	human_size_binary(&memory, (uint64_t)s.totalram * s.mem_unit);
	docker_value_str(root, "KernelVersion", u.release);
	add_os_name(root);
	docker_value_str(root, "OSType", "linux");
	docker_value_str(root, "Architecture", u.machine);
	docker_value_int(root, "NCPU", sysconf(_SC_NPROCESSORS_ONLN));
	docker_value_int(root, "MemTotal", (int64_t)((uint64_t)s.totalram * s.mem_unit));
	text = docker_value_str(root, "MemTotalText", strbuf_str(&memory));
	if (text)
		text->flags = DOCKER_VALUE_GO_ONLY;
	docker_value_str(root, "Name", u.nodename);
}

/* docker's info ends with what is not as one might expect; so does this. */
static void add_warnings(struct docker_value *root, const bool by_kernel[3])
{
	struct docker_value *list = docker_value_add(root, "Warnings", DOCKER_VALUE_LIST);

	docker_value_str(
		list, NULL,
		"WARNING: containers use this machine's network unless --network none is given: "
		"there is no bridge");
	if (!by_kernel[0])
		docker_value_str(
			list, NULL,
			"WARNING: no control group for memory: --memory is enforced by watching "
			"(csbx doctor)");
	if (!by_kernel[1])
		docker_value_str(
			list, NULL,
			"WARNING: no control group for CPU time: --cpus chooses CPUs (csbx "
			"doctor)");
	if (!by_kernel[2])
		docker_value_str(
			list, NULL,
			"WARNING: no control group for processes: --pids-limit is enforced by "
			"watching (csbx doctor)");
}

static void add_rest(struct docker_value *root, const struct paths *p)
{
	struct docker_value *v;

	docker_value_str(root, "DockerRootDir", p->data);
	docker_value_str(root, "HttpProxy", "");
	docker_value_str(root, "HttpsProxy", "");
	docker_value_str(root, "NoProxy", "");
	docker_value_add(root, "Labels", DOCKER_VALUE_LIST);
	docker_value_bool(root, "ExperimentalBuild", false);
	docker_value_str(root, "ServerVersion", DOCKER_VERSION);
	v = docker_value_add(root, "Runtimes", DOCKER_VALUE_MAP);
	docker_value_str(docker_value_add(v, "runc", DOCKER_VALUE_STRUCT), "path", "csbx");
	docker_value_str(root, "DefaultRuntime", "runc");
	v = docker_value_add(root, "Swarm", DOCKER_VALUE_STRUCT);
	docker_value_str(v, "NodeID", "");
	docker_value_str(v, "NodeAddr", "");
	docker_value_str(v, "LocalNodeState", "inactive");
	docker_value_bool(v, "ControlAvailable", false);
	docker_value_str(v, "Error", "");
	docker_value_add(v, "RemoteManagers", DOCKER_VALUE_NOLIST);
	docker_value_bool(root, "LiveRestoreEnabled", true);
	docker_value_str(root, "Isolation", "");
	docker_value_str(root, "InitBinary", "csbx-init");
	add_words(root, "SecurityOptions",
		  (const char *const[]){"name=seccomp,profile=builtin", "name=rootless",
					"name=cgroupns", NULL});
}

static void add_server(struct docker_value *root, const struct paths *p)
{
	bool by_kernel[3] = {false};
	struct host_fact fact;
	struct timespec now;

	host_probe(p, HOST_CGROUP, &fact);
	clock_gettime(CLOCK_REALTIME, &now);
	docker_value_strf(root, "ID", "csbx-%u", (unsigned)getuid());
	add_containers(root, p);
	docker_value_int(root, "Images", (int64_t)count_images(p));
	add_driver(root, p);
	add_plugins(root);
	add_limits(root, p, by_kernel);
	docker_value_bool(root, "Debug", false);
	docker_value_int(root, "NFd", 0);
	docker_value_bool(root, "OomKillDisable", false);
	docker_value_int(root, "NGoroutines", 0);
	docker_value_time(root, "SystemTime",
			  (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
	docker_value_str(root, "LoggingDriver", "json-file");
	docker_value_str(root, "CgroupDriver", fact.ok ? "cgroupfs" : "none");
	docker_value_str(root, "CgroupVersion", "2");
	docker_value_int(root, "NEventsListener", 0);
	add_machine(root);
	add_rest(root, p);
	add_warnings(root, by_kernel);
}

int info_value(const struct paths *p, bool usable, struct docker_value **ret, struct err *e)
{
	struct docker_value *root = docker_value_new(DOCKER_VALUE_STRUCT), *client;

	*ret = root;
	if (root)
		root->type = "system.dockerInfo";
	if (usable)
		add_server(root, p);
	client = docker_value_add(root, "ClientInfo", DOCKER_VALUE_STRUCT);
	docker_value_bool(client, "Debug", false);
	docker_value_str(client, "Version", DOCKER_VERSION);
	docker_value_str(client, "GitCommit", "csbx");
	docker_value_str(client, "Context", "default");
	docker_value_add(client, "Plugins", DOCKER_VALUE_LIST);
	docker_value_add(client, "Warnings", DOCKER_VALUE_NOLIST);
	return docker_value_check(root, e);
}
