/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/image/destination.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <stdio.h>

#include "cmd/frame/cmd.h"
#include "cmd/image/interrupt.h"
#include "cmd/image/progress.h"
#include "image/import/import.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"

/* The directory comes first: sources that must be spooled are spooled there. */
int destination_open(struct destination *d, const char *output, struct err *e)
{
	const char *slash = output ? strrchr(output, '/') : NULL;
	struct stat st;

	if (output && str_eq(output, "-"))
		return err_set(e, EINVAL,
			       "--output -: a squashfs file is not written from front to end, so "
			       "it cannot go to standard output: name a file (./- is one)");
	if (!slash)
		d->dir = str_printf(".");
	else
		d->dir = str_printf("%.*s", slash == output ? 1 : (int)(slash - output), output);
	if (!d->dir)
		return err_oom(e);
	d->dirfd = path_open_output_dir(d->dir, NULL, e);
	if (d->dirfd < 0)
		return d->dirfd;
	/* Some file systems say EPERM to a process that makes a file there. */
	if (!fstat(d->dirfd, &st) && !st.st_nlink)
		return err_set(
			e, ENOENT,
			"%s: this directory has been deleted (--output DIR/FILE names another)",
			slash ? d->dir : "current directory");
	return 0;
}

int destination_set_name(struct destination *d, const char *output, const char *image,
			 struct err *e)
{
	const char *slash = output ? strrchr(output, '/') : NULL;

	d->path = output ? str_printf("%s", output) : str_printf("%s.sqsh", image);
	d->name = output ? str_printf("%s", slash ? slash + 1 : output)
			 : str_printf("%s.sqsh", image);
	if (!d->path || !d->name)
		return err_oom(e);
	if (!d->name[0] || str_is_dots(d->name))
		return err_set(e, EINVAL, "'%s' names no file", d->path);
	return 0;
}

int destination_check_free(const struct destination *d, struct err *e)
{
	struct stat st;

	if (fstatat(d->dirfd, d->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	return err_code(e, S_ISDIR(st.st_mode) ? EISDIR : EEXIST, "%s", d->name);
}

void destination_close(struct destination *d)
{
	fd_close(&d->dirfd);
	ptr_free(&d->dir);
	ptr_free(&d->name);
	ptr_free(&d->path);
}

static void report(const struct destination *d, const struct import_result *res, uint64_t ns)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "%s: ", d->path);
	progress_add_size(&text, res->file_bytes);
	strbuf_addf(&text, ", %u names, ", res->n_entries);
	progress_add_size(&text, res->content_bytes);
	strbuf_addf(&text, " of content, %.1f s", (double)ns / 1e9);
	cmd_warn("%s", strbuf_str(&text));
}

int destination_write(const struct destination *d, const struct image_source *src,
		      const struct import_options *options, bool quiet, struct err *e)
{
	uint64_t start_ns = progress_clock_ns();
	struct import_options o = *options;
	struct interrupt interrupt;
	struct progress progress;
	struct import_result res;
	int r = interrupt_catch(&interrupt, e);

	if (r < 0)
		return r;
	o.progress = progress_show;
	o.progress_arg = &progress;
	o.cancel = &interrupt.caught;
	progress_init(&progress, quiet);
	r = import_image(src, d->dirfd, d->name, &o, &res, e);
	progress_done(&progress);
	interrupt_release(&interrupt);
	if (r == 0 && !quiet)
		report(d, &res, progress_clock_ns() - start_ns);
	return r;
}
