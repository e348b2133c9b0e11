/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/image/stack_tar.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/image/container_files.h"
#include "cmd/options/run_opts.h"
#include "image/pack/tar_out.h"
#include "image/pack/tree.h"
#include "image/table/table.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/life/container_root.h"

/* In a process of its own: it does not come back from the user namespace. */
static int pack(const struct container_files *f, const struct container_spec *s, pid_t caller,
		int tar_fd, struct err *e)
{
	_close_ int root = container_files_enter(f, s, e);
	struct tar_out out;
	int r;

	if (root < 0)
		return root;
	r = container_root_die_with(caller, e);
	if (r < 0)
		return r;
	tar_out_init(&out, tar_fd);
	r = tree_pack(root, "", TREE_DEVICES_OF_IMAGE, &out, e);
	if (r >= 0)
		r = tar_out_end(&out, e);
	tar_out_free(&out);
	return r;
}

static int pack_apart(const struct container_files *f, const struct container_spec *s, int tar_fd,
		      struct err *e)
{
	struct err said = ERR_INIT;
	const pid_t caller = getpid();
	int fds[2], status = 0;
	ssize_t n;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	pid = fork();
	if (!pid) {
		(void)pack(f, s, caller, tar_fd, &said);
		_exit(write(fds[1], &said, sizeof(said)) != (ssize_t)sizeof(said));
	}
	close(fds[1]);
	do {
		n = pid < 0 ? 0 : read(fds[0], &said, sizeof(said));
	} while (n < 0 && errno == EINTR);
	close(fds[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (n != (ssize_t)sizeof(said))
		return err_set(e, EIO, "the process that was to read the image died");
	if (said.code && e)
		*e = said;
	return -said.code;
}

int stack_tar_write(struct cmd *c, const struct image_record *rec, int tar_fd, struct err *e)
{
	struct container_files f = CONTAINER_FILES_INIT;
	char file[IMAGE_FILE_BYTES];
	_free_ char *path = NULL;
	struct run_opts o;
	int r;

	image_table_file(rec->id, file);
	path = str_printf("%s/" IMAGE_TABLE_DIR "/%s", c->paths.data, file);
	if (!path)
		return err_oom(e);
	run_opts_init(&o);
	r = container_files_of_image(c, path, &o, &f, e);
	if (r >= 0)
		r = pack_apart(&f, &o.spec, tar_fd, e);
	container_files_close(&f);
	run_opts_done(&o);
	return r;
}
