/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Both ends speak tar: the agent (copy_agent.h) inside, this process, with the caller's own rights,
 * outside. Neither names a path of the other's. In the host's tree no link is followed below the
 * target's directory, because what is copied may have been made by the container.
 */
#include "cmd/image/copy.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/image/container_files.h"
#include "cmd/image/copy_agent.h"
#include "cmd/options/run_opts.h"
#include "image/pack/copy_rules.h"
#include "image/pack/tar_out.h"
#include "image/pack/tree.h"
#include "image/pack/tree_unpack.h"
#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/record/container_find.h"
#include "runtime/life/container_root.h"
#include "runtime/record/instance.h"

#define ENDING_MS 1000
#define BUSY_MS 10000

struct copy {
	struct cmd *cmd;
	const struct copy_job *job;
	struct run_opts *run;
	struct container_root root;   /* of a running container */
	struct container_files files; /* of another */
	bool has_files;
	struct copy_agent agent;
	enum copy_failure failure;
};

static int failed(struct copy *x, enum copy_failure why, int r)
{
	x->failure = why;
	return r;
}

/*
 * --- the container ------------------------------------------------------------------------------
 */

static int enter_running(void *arg, struct err *e)
{
	struct copy *x = arg;
	int r = container_root_enter(&x->root, e);

	return r < 0 ? r : x->root.root_fd;
}

static int enter_files(void *arg, struct err *e)
{
	struct copy *x = arg;

	return container_files_enter(&x->files, &x->run->spec, e);
}

/* A container that stays has one instance; every other name or id stands for an instance itself. */
static int find_instance(struct copy *x, struct instance_record *ret, struct err *e)
{
	const struct paths *p = &x->cmd->paths;
	struct container_found found;
	int r = container_find(p, x->job->container, &found, NULL);

	if (r == -ENOTUNIQ)
		return err_set(e, ENOTUNIQ, "multiple IDs found with provided prefix: %s",
			       x->job->container);
	if (r < 0)
		return instance_find(p, x->job->container, ret, e);
	r = found.record.spec ? instance_read(p, found.record.container_id, ret, e)
			      : instance_find(p, found.name, ret, e);
	container_record_free(&found.record);
	return r;
}

static int open_running(struct copy *x, struct err *e)
{
	struct instance_record rec = {0};
	int r = find_instance(x, &rec, e);

	if (r < 0)
		return r;
	r = container_root_open(&x->cmd->paths, &rec, &x->root, e);
	instance_record_free(&rec);
	return r < 0 ? r : copy_agent_start(&x->agent, enter_running, x, e);
}

static int open_files(struct copy *x, struct err *e)
{
	int r;

	x->files = (struct container_files)CONTAINER_FILES_INIT;
	x->files.is_writable = !x->job->is_out;
	r = container_files_open(x->cmd, x->job->container, x->run, &x->files, e);
	x->has_files = r >= 0 || x->files.layer.dir >= 0;
	return r == -ENOENT ? failed(x, COPY_NO_CONTAINER, r) : r;
}

/* For another try: frees the parts of the container that were found, and keeps its ids. */
static void close_files(struct copy *x)
{
	enum userns_mode ids = x->run->spec.ns.userns;

	if (x->has_files)
		(void)container_files_check(x->cmd, &x->files, NULL);
	x->has_files = false;
	container_files_close(&x->files);
	run_opts_done(x->run);
	run_opts_init(x->run);
	x->run->spec.ns.userns = ids;
}

/*
 * Running or not is for the moment: one that is just starting or ending may be neither, and of one
 * that does not run a single copy at a time has the layer. Those are waited for.
 */
static int open_container(struct copy *x, struct err *e)
{
	static const struct timespec pause = {.tv_nsec = 10000000};
	const uint64_t begun = clock_monotonic_ms();

	for (;; nanosleep(&pause, NULL)) {
		const uint64_t waited_ms = clock_monotonic_ms() - begun;
		int r = open_running(x, e);

		if (r == -EACCES && waited_ms < ENDING_MS)
			continue;
		if (r != -ENOENT && r != -ESRCH)
			return r;
		r = open_files(x, e);
		if (r >= 0)
			return copy_agent_start(&x->agent, enter_files, x, e);
		if (r != -EBUSY || waited_ms >= BUSY_MS)
			return r;
		close_files(x);
	}
}

/* An absolute path; "C:x" means /x. */
static char *inside_path(const struct copy_job *j)
{
	return str_printf("/%s", j->inside + (j->inside[0] == '/'));
}

/*
 * --- out ----------------------------------------------------------------------------------------
 */

static int rule_failed(struct copy *x, int r, const char *target, struct err *e)
{
	switch (r) {
	case -EISDIR:
		x->failure = COPY_CANNOT_COPY_DIRECTORY;
		return err_set(e, EISDIR, "%s: a file; a directory cannot replace it", target);
	case -ENOTDIR:
		x->failure = COPY_NOT_DIRECTORY;
		return err_set(e, ENOTDIR, "%s: not a directory", target);
	case -ENOENT:
		x->failure = COPY_NO_DIRECTORY;
		return err_set(e, ENOENT, "%s: no such directory", target);
	default:
		return err_code(e, r, "%s", target);
	}
}

static int open_host_parent(struct copy *x, const char *path, struct err *e)
{
	int fd = path_open_output_dir(path, NULL, e);

	return fd < 0 ? failed(x, COPY_NO_PARENT, fd) : fd;
}

/* The side that failed first ends the other's stream: its own text is the one to tell. */
static int both(struct copy *x, int here, const struct err *why_here, int there,
		const struct err *why_there, struct err *e)
{
	bool use_there = there < 0 && !(here < 0 && there == -EPIPE);

	if (here >= 0 && there >= 0)
		return 0;
	if (!use_there)
		x->failure = COPY_FAILED_OUTSIDE;
	if (e)
		*e = use_there ? *why_there : *why_here;
	return use_there ? there : here;
}

static int receive_tree(struct copy *x, const struct copy_plan *p, const char *path, struct err *e)
{
	struct err here = ERR_INIT, there = ERR_INIT;
	_close_ int parent = open_host_parent(x, p->parent, e);
	const struct tree_unpack u = {
		.root_fd = parent,
		.base = "",
		.resolve = TREE_BENEATH,
		.from = p->member,
		.to = p->name,
		.keep_owner = !geteuid() && x->job->keep_owner,
		.set_ids = x->job->keep_set_ids ? TREE_SET_IDS_OF_OWN : TREE_SET_IDS_OF_NONE,
		.own_uid = x->agent.caller_uid,
		.own_gid = x->agent.caller_gid,
		.refuse_way_out = true,
	};
	int pipes[2], r, sent;

	if (parent < 0)
		return parent;
	if (pipe2(pipes, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	r = copy_agent_pack(&x->agent, path, x->job->follow, p->member, pipes[1], e);
	close(pipes[1]);
	if (r < 0) {
		close(pipes[0]);
		return r;
	}
	r = tree_unpack(&u, pipes[0], &here);
	close(pipes[0]);
	sent = copy_agent_finish(&x->agent, &there);
	return both(x, r, &here, sent, &there, e);
}

/* All of a root is named from the root, as Docker names it: its client puts a name before that. */
static const char *tar_member(const struct copy_job *j, const char *path, const char *member)
{
	if (j->whole)
		return "";
	return strspn(path, "/") == strlen(path) ? "/" : member;
}

static int copy_out(struct copy *x, struct err *e)
{
	const struct copy_job *j = x->job;
	_free_ char *path = inside_path(j);
	struct copy_plan p = {0};
	struct copy_stat there;
	struct stat st;
	mode_t mode;
	int r;

	if (!path)
		return err_oom(e);
	r = copy_agent_look(&x->agent, path, j->follow, &there, e);
	if (r < 0)
		return failed(x, COPY_NO_SOURCE_INSIDE, r);
	mode = there.mode;
	if (S_ISCHR(mode) || S_ISBLK(mode))
		return failed(x, COPY_NO_SOURCE_INSIDE,
			      err_set(e, EOPNOTSUPP, "%s: a device node", path));
	if (j->found && !j->found(j->arg, &there))
		return 0;
	const struct copy_source s = {path, S_ISDIR(mode)};
	const struct copy_target t = {
		.path = str_eq(j->outside, "-") ? "/" : j->outside,
		.exists = str_eq(j->outside, "-") || stat(j->outside, &st) == 0,
		.is_directory = str_eq(j->outside, "-") || S_ISDIR(st.st_mode),
	};

	r = copy_plan_make(&s, &t, &p);
	if (r < 0)
		return rule_failed(x, r, j->outside, e);
	if (str_eq(j->outside, "-")) {
		r = copy_agent_pack(&x->agent, path, j->follow, tar_member(j, path, p.member),
				    j->tar_fd, e);
		if (r >= 0)
			r = copy_agent_finish(&x->agent, e);
	} else {
		r = receive_tree(x, &p, path, e);
	}
	copy_plan_free(&p);
	return r;
}

/*
 * --- in -----------------------------------------------------------------------------------------
 */

static int pack_host(int fd, const char *member, int out, struct err *e)
{
	struct tar_out t;
	int r;

	tar_out_init(&t, out);
	r = tree_pack(fd, member, TREE_DEVICES_REFUSED, &t, e);
	if (r >= 0)
		r = tar_out_end(&t, e);
	tar_out_free(&t);
	return r;
}

static int send_tree(struct copy *x, const struct copy_plan *p, int source, struct err *e)
{
	const struct copy_into into = {p->parent, p->member, p->name, x->job->keep_owner};
	struct err here = ERR_INIT, there = ERR_INIT;
	int pipes[2], r, got;

	if (pipe2(pipes, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	r = copy_agent_unpack(&x->agent, &into, pipes[0], e);
	close(pipes[0]);
	if (r < 0) {
		close(pipes[1]);
		return r;
	}
	r = pack_host(source, p->member, pipes[1], &here);
	close(pipes[1]);
	got = copy_agent_finish(&x->agent, &there);
	if (r == -EPIPE && got < 0) /* it stopped reading, and says why */
		r = 0;
	return both(x, r, &here, got, &there, e);
}

/* A write to a link goes to its target, as any program in there would write. */
static int stat_target(struct copy *x, const char *path, struct copy_target *ret, struct err *e)
{
	mode_t mode = 0;
	int r = copy_agent_stat(&x->agent, path, true, &mode, e);

	if (r == -ENOENT || (r == -ENOTDIR && copy_path_wants_directory(path)))
		r = 0;
	*ret = (struct copy_target){path, mode != 0, S_ISDIR(mode)};
	return r;
}

static int check_parent(struct copy *x, const char *path, struct err *e)
{
	mode_t mode;
	int r = copy_agent_stat(&x->agent, path, true, &mode, e);

	if (r < 0)
		return failed(x, COPY_NO_PARENT, r);
	if (!S_ISDIR(mode))
		return failed(x, COPY_NOT_DIRECTORY,
			      err_set(e, ENOTDIR, "%s: not a directory", path));
	return 0;
}

static int copy_tar_in(struct copy *x, const struct copy_target *t, struct err *e)
{
	const struct copy_into into = {.parent = t->path, .keep_owner = true};
	int r;

	if (!t->is_directory)
		return failed(x, COPY_NOT_DIRECTORY,
			      err_set(e, t->exists ? ENOTDIR : ENOENT,
				      "%s: must be a directory for a tar", t->path));
	r = copy_agent_unpack(&x->agent, &into, x->job->tar_fd, e);
	return r < 0 ? r : copy_agent_finish(&x->agent, e);
}

static int copy_in(struct copy *x, struct err *e)
{
	const struct copy_job *j = x->job;
	_free_ char *path = inside_path(j);
	struct copy_plan p = {0};
	struct copy_target t;
	struct stat st;
	_close_ int source = -1;
	int r;

	if (!path)
		return err_oom(e);
	r = stat_target(x, path, &t, e);
	if (r < 0)
		return r;
	if (str_eq(j->outside, "-"))
		return copy_tar_in(x, &t, e);
	source = path_open_source(j->outside, j->follow ? 0 : O_NOFOLLOW, e);
	if (source < 0)
		return failed(x, COPY_NO_SOURCE_OUTSIDE, source);
	if (fstat(source, &st) < 0)
		return failed(x, COPY_NO_SOURCE_OUTSIDE, err_sys(e, "%s", j->outside));
	r = copy_plan_make(&(struct copy_source){j->outside, S_ISDIR(st.st_mode)}, &t, &p);
	if (r < 0)
		return rule_failed(x, r, path, e);
	r = check_parent(x, p.parent, e);
	if (r >= 0)
		r = send_tree(x, &p, source, e);
	if (r == -EROFS || r == -EEXIST)
		x->failure = r == -EROFS ? COPY_READ_ONLY : COPY_WRONG_TYPE;
	copy_plan_free(&p);
	return r;
}

int copy_run(struct cmd *c, const struct copy_job *j, struct run_opts *o,
	     enum copy_failure *ret_failure, struct err *e)
{
	struct copy x = {
		.cmd = c,
		.job = j,
		.run = o,
		.root = CONTAINER_ROOT_INIT,
		.files = CONTAINER_FILES_INIT,
		.agent = COPY_AGENT_INIT,
		.failure = COPY_FAILED,
	};
	struct err gone = ERR_INIT;
	int r, synced = 0;

	signal(SIGPIPE, SIG_IGN);
	r = open_container(&x, e);
	if (r >= 0)
		r = j->is_out ? copy_out(&x, e) : copy_in(&x, e);
	copy_agent_close(&x.agent);
	if (x.has_files && container_files_check(c, &x.files, &gone) == -ENOENT)
		r = failed(&x, COPY_NO_CONTAINER, err_set(e, ENOENT, "%s", gone.msg));
	else if (x.has_files)
		synced = container_files_sync(&x.files, r < 0 ? NULL : e);
	container_files_close(&x.files);
	container_root_close(&x.root);
	*ret_failure = x.failure;
	return r < 0 ? r : synced;
}

int copy_whole(struct cmd *c, const char *container, int out_fd, struct err *e)
{
	const struct copy_job j = {
		.container = container,
		.inside = "/.",
		.whole = true,
		.outside = "-",
		.tar_fd = out_fd,
		.is_out = true,
		.keep_owner = true,
		.keep_set_ids = true,
	};
	enum copy_failure failure;
	struct run_opts run;
	int r;

	run_opts_init(&run);
	r = copy_run(c, &j, &run, &failure, e);
	run_opts_done(&run);
	if (r < 0 && failure == COPY_NO_CONTAINER)
		return err_set(e, ENOENT, "No such container: %s", container);
	return r;
}

bool copy_split(const char *arg, char **ret_name, const char **ret_path)
{
	const char *colon = strchr(arg, ':');

	if (!colon || arg[0] == '/' || arg[0] == '.')
		return false;
	*ret_name = strndup(arg, (size_t)(colon - arg));
	*ret_path = colon + 1;
	return true;
}
