/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/server/key.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/server/image_file.h"
#include "runtime/spec/image_id.h"

#define CGROUPS_MAX 16384

/* FNV-1a. Collisions are caught by the server, which compares the whole key. */
static uint64_t hash_bytes(uint64_t h, const void *data, size_t len)
{
	const unsigned char *p = data;

	while (len--)
		h = (h ^ *p++) * UINT64_C(1099511628211);
	return h;
}

#define HASH_START UINT64_C(14695981039346656037)

/* Length of path up to and with a component "step_*", 0 when there is none. */
static size_t step_prefix(const char *path, size_t len)
{
	for (size_t i = 0; i + 6 < len; i++) {
		const char *end;

		if (memcmp(path + i, "/step_", 6))
			continue;
		end = memchr(path + i + 1, '/', len - i - 1);
		return end ? (size_t)(end - path) : len;
	}
	return 0;
}

/* Ranks how well a line of /proc/self/cgroup says where we live: v2, else the controllers that
 * bind. */
static int line_rank(const char *controllers, size_t n)
{
	static const char *const by_rank[] = {"name=systemd", "freezer", "pids", "memory"};

	if (!n)
		return 5;
	for (int i = 3; i >= 0; i--) {
		if (n == strlen(by_rank[i]) && !memcmp(controllers, by_rank[i], n))
			return i + 1;
	}
	return 0;
}

struct cgroup_choice {
	const char *path; /* of the best line so far */
	size_t len;
	int rank;
	bool is_step;
};

/* One line "ID:controllers:path"; the root cgroup of a hierarchy says nothing. */
static void consider_line(struct cgroup_choice *c, const char *line, const char *end)
{
	const char *ctl = memchr(line, ':', (size_t)(end - line)), *path;
	size_t len, step;
	int rank;

	if (!ctl || !(path = memchr(ctl + 1, ':', (size_t)(end - ctl - 1))))
		return;
	rank = line_rank(ctl + 1, (size_t)(path - ctl - 1));
	path++;
	len = (size_t)(end - path);
	step = step_prefix(path, len);
	if (!step && (c->is_step || len <= 1))
		return;
	if (c->is_step == (step > 0) && rank <= c->rank)
		return;
	*c = (struct cgroup_choice){
		.path = path, .len = step ? step : len, .rank = rank, .is_step = step > 0};
}

void squashd_domain(const char *cgroups, size_t len, const struct batch_job *job,
		    char ret[SQUASHD_DOMAIN_MAX])
{
	struct cgroup_choice c = {.path = "/", .len = 1, .rank = -1};
	_strbuf_ struct strbuf b = STRBUF_INIT;

	for (const char *p = cgroups, *end = cgroups + len; p < end;) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		consider_line(&c, p, nl ? nl : end);
		p = nl ? nl + 1 : end;
	}
	strbuf_add(&b, c.path, c.len);
	if (!c.is_step) {
		if (job->slurm_job)
			strbuf_addf(&b, " slurm=%s.%s@%s", job->slurm_job,
				    job->slurm_step ? job->slurm_step : "batch",
				    job->slurm_node ? job->slurm_node : "");
		if (job->pbs_job)
			strbuf_addf(&b, " pbs=%s", job->pbs_job);
		if (job->lsf_job)
			strbuf_addf(&b, " lsf=%s", job->lsf_job);
	}
	memset(ret, 0, SQUASHD_DOMAIN_MAX);
	if (b.len < SQUASHD_DOMAIN_MAX)
		memcpy(ret, strbuf_str(&b), b.len);
	else /* too deep to keep whole: its start is for people, the hash tells domains apart */
		snprintf(ret, SQUASHD_DOMAIN_MAX, "%.400s...#%016llx", strbuf_str(&b),
			 (unsigned long long)hash_bytes(HASH_START, b.data, b.len));
}

static int current_domain(char ret[SQUASHD_DOMAIN_MAX], struct err *e)
{
	struct batch_job job = {
		.slurm_job = getenv("SLURM_JOB_ID"),
		.slurm_step = getenv("SLURM_STEP_ID"),
		.slurm_node = getenv("SLURMD_NODENAME"),
		.pbs_job = getenv("PBS_JOBID"),
		.lsf_job = getenv("LSB_JOBID"),
	};
	_close_ int fd = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
	char text[CGROUPS_MAX];
	ssize_t n = 0;

	/* A kernel without cgroups has no such file: then the job's ids alone are the domain. */
	if (fd >= 0)
		n = read(fd, text, sizeof(text));
	if (n < 0 || (fd < 0 && errno != ENOENT))
		return err_sys(e, "read /proc/self/cgroup");
	squashd_domain(text, (size_t)n, &job, ret);
	return 0;
}

int squashd_key_fill(struct squashd_key *key, const struct container_spec *spec,
		     const struct id_map *map, const char *init, int userns_fd, struct err *e)
{
	struct stat st;

	memset(key, 0, sizeof(*key));
	key->caller_uid = geteuid();
	key->caller_gid = getegid();
	key->kind = spec->rootfs.kind;
	key->has_user_xattrs = spec->rootfs.has_user_xattrs;
	/* The lowest last: those who have it in common share a server, whatever lies over it. */
	for (size_t i = spec->rootfs.n_lowers + 1; i--;) {
		const struct rootfs_part part = rootfs_part_at(&spec->rootfs, i);

		if (stat(part.path, &st) < 0)
			return err_sys(e, "stat");
		image_id_from_stat(&key->image, &st);
		if (!image_id_same(&key->image, &part.id))
			return err_set(e, ESTALE, "changed or replaced since it was pinned");
	}
	if (stat(init, &st) < 0)
		return err_sys(e, "%s", init);
	image_id_from_stat(&key->init, &st);
	key->uid = spec_map_uid(spec);
	key->gid = spec_map_gid(spec);
	key->map = *map;
	if (fstat(userns_fd, &st) < 0)
		return err_sys(e, "/proc/self/ns/user");
	key->userns_ino = st.st_ino;
	return current_domain(key->domain, e);
}

void squashd_key_name(const struct squashd_key *key, char ret[SQUASHD_NAME_MAX])
{
	/* A csbx of another protocol, or build of it, does not even find the socket. */
	static const uint32_t protocol[] = {SQUASHD_PROTO_MAGIC, sizeof(struct squashd_request),
					    sizeof(struct squashd_reply)};
	uint64_t h = hash_bytes(HASH_START, protocol, sizeof(protocol));

	h = hash_bytes(h, key, sizeof(*key));
	h ^= h >> 32; /* FNV leaves the top bits poor */
	snprintf(ret, SQUASHD_NAME_MAX, "%016llx.sock", (unsigned long long)h);
}
