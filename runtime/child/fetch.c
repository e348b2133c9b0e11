/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. The program is dead and cannot change the tree any more, but it made it: links are
 * followed inside the container's root only (openat2 RESOLVE_IN_ROOT), nothing is opened for
 * reading before it is known to be a regular file, and its size is looked at before it is read.
 * The reader is the supervisor, as the caller: it fetches no file that the caller may not read.
 *
 * A read of an image whose server hangs could not be interrupted, so the server is asked first.
 */
#include "runtime/child/fetch.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"
#include "runtime/helpers/init/abi/init_abi.h"
#include "runtime/child/launch.h"
#include "runtime/spec/result.h"
#include "runtime/server/hung.h"
#include "runtime/spec/spec.h"

#define SERVER_WAIT_MS 300

int fetch_send_root(int control_fd, int proc_fd, struct err *e)
{
	struct init_event ev = {.magic = INIT_MAGIC, .type = LAUNCH_EV_ROOT};
	_close_ int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	_close_ int ns = openat(proc_fd, "self/ns/mnt", O_RDONLY | O_CLOEXEC);

	if (root < 0 || ns < 0)
		return err_sys(e, "keep the root for --fetch");
	return fd_send_patient(control_fd, &ev, sizeof(ev), (int[]){root, ns}, 2, e);
}

void fetch_root_close(struct fetch_root *root)
{
	fd_close(&root->root_fd);
	fd_close(&root->ns_fd);
}

/* Both opens find the same file: no process is left that could change it in between. */
static int open_regular(int root, const char *path, uint64_t left, struct err *e)
{
	_close_ int fd = path_open_in_root(root, path, O_PATH, 0, e);
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return err_sys(e, "%s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, EINVAL, "%s: not a regular file", path);
	if ((uint64_t)st.st_size > left)
		return err_set(e, EFBIG, "%s: %llu bytes, more than the %llu that are left of %llu",
			       path, (unsigned long long)st.st_size, (unsigned long long)left,
			       (unsigned long long)FETCH_BYTES_MAX);
	return path_open_in_root(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0, e);
}

static int fetch_one(const struct fetch_root *root, uint64_t left, struct run_file *f,
		     struct err *e)
{
	_close_ int fd = open_regular(root->root_fd, f->path, left, e);
	int r = fd < 0 ? fd : io_read_all(fd, left, &f->data, e);

	if (r < 0)
		strbuf_free(&f->data);
	f->is_there = r >= 0;
	return r;
}

static bool server_is_well(int sock)
{
	struct pollfd p = {.fd = sock, .events = POLLIN};

	if (sock < 0)
		return true;
	server_ping(sock);
	return poll(&p, 1, SERVER_WAIT_MS) > 0 && server_has_answered(sock);
}

int fetch_files(const struct container_spec *spec, const struct fetch_root *root, int server_fd,
		struct run_result *r, struct err *e)
{
	uint64_t left = FETCH_BYTES_MAX;
	bool is_well;

	if (!spec->fetch.n)
		return 0;
	r->files = calloc(spec->fetch.n, sizeof(*r->files));
	if (!r->files)
		return err_oom(e);
	is_well = root->root_fd >= 0 && server_is_well(server_fd);
	for (size_t i = 0; i < spec->fetch.n; i++) {
		struct run_file *f = &r->files[r->n_files++];
		struct err why = ERR_INIT;
		int got;

		f->path = spec->fetch.items[i];
		if (root->root_fd < 0)
			got = err_set(&why, ENOENT, "%s: the container was not started", f->path);
		else if (!is_well)
			got = err_set(&why, EIO, "%s: the image server does not answer", f->path);
		else
			got = fetch_one(root, left, f, &why);
		if (got < 0)
			strv_take(&r->degraded, str_printf("fetch: %s", why.msg));
		left -= f->data.len;
	}
	return 0;
}
