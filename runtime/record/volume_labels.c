/* SPDX-License-Identifier: Apache-2.0 */

/* volumes/NAME/labels: "key=value" each, a flat record; it comes with the volume or never. */

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/flat.h"
#include "runtime/base/io.h"
#include "runtime/kernel/temp_dir.h"
#include "runtime/record/volume.h"
#include "runtime/settings/paths.h"
#include "runtime/spec/name.h"
#include "runtime/userns/tree_remove.h"

#define LABELS_MAGIC 0x314c5643u /* "CVL1" */
#define LABELS_VERSION 1u
#define LABELS_BYTES_MAX (1u << 20)

enum tag { TAG_LABEL = 1 }; /* str, repeated */

static int put_labels(int dirfd, const char *name, const struct strv *labels, struct err *e)
{
	_free_ char *file = str_printf("%s/labels", name);
	struct flat_writer w = {0};
	int r;

	if (!file)
		return err_oom(e);
	flat_begin(&w, LABELS_MAGIC, LABELS_VERSION);
	flat_strv(&w, TAG_LABEL, labels);
	r = flat_end(&w, e);
	if (r >= 0 && w.buf.len > LABELS_BYTES_MAX)
		r = err_set(e, E2BIG, "the labels are longer than %u bytes", LABELS_BYTES_MAX);
	if (r >= 0) {
		const struct io_replace where = {.dirfd = dirfd, .name = file, .mode = 0600};

		r = io_write_file_at(&where, w.buf.data, w.buf.len, e);
	}
	flat_free(&w);
	return r;
}

static int fill(int dirfd, const char *tmp, const struct strv *labels, struct err *e)
{
	_free_ char *data = str_printf("%s/_data", tmp);
	mode_t old;
	int r = 0;

	if (!data)
		return err_oom(e);
	old = umask(0);
	if (mkdirat(dirfd, tmp, 0700) < 0 || mkdirat(dirfd, data, 0755) < 0)
		r = err_sys(e, "make a volume");
	umask(old);
	return r < 0 ? r : put_labels(dirfd, tmp, labels, e);
}

/*
 * With its labels from the first moment on. A process that was faster has made the volume that
 * there is.
 */
static int make_named(const struct paths *p, const char *name, const struct strv *labels,
		      struct err *e)
{
	_close_ int dirfd = paths_open(p->data, "volumes", e), temp = -1;
	char tmp[TEMP_NAME_BYTES];
	int r;

	if (dirfd < 0)
		return dirfd;
	if (faccessat(dirfd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	r = temp = temp_begin(dirfd, e);
	if (r >= 0)
		r = temp_name(tmp, e);
	if (r < 0)
		return r;
	r = fill(dirfd, tmp, labels, e);
	if (r >= 0 && renameat(dirfd, tmp, dirfd, name) == 0)
		return 0;
	if (r >= 0 && errno != EEXIST && errno != ENOTEMPTY)
		r = err_sys(e, "make volume %s", name);
	(void)tree_remove(dirfd, tmp, NULL);
	return r;
}

int volume_make(const struct paths *p, const char *name, const struct strv *labels, char **ret_name,
		char **ret_path, struct err *e)
{
	_close_ int dirfd = -1;
	int r = 0;

	if (name && labels->n && name_is_valid(name))
		r = make_named(p, name, labels, e);
	if (r >= 0)
		r = volume_open(p, name, ret_name, ret_path, e);
	if (r < 0 || name || !labels->n)
		return r;
	/* No other process knows its name yet. */
	dirfd = paths_open(p->data, "volumes", e);
	return dirfd < 0 ? dirfd : put_labels(dirfd, *ret_name, labels, e);
}

static int decode(const struct strbuf *text, struct strv *ret, struct err *e)
{
	struct flat_reader reader;
	struct flat_field f;
	const char *label;
	int r = flat_open(&reader, text->data, text->len, LABELS_MAGIC, LABELS_VERSION, e);

	while (r >= 0 && (r = flat_next(&reader, &f, e)) > 0) {
		if (f.tag != TAG_LABEL)
			continue;
		r = flat_get_str(&f, &label, e);
		if (r >= 0)
			strv_add(ret, label);
	}
	return r < 0 ? r : strv_check(ret, e);
}

int volume_labels(const struct paths *p, const char *name, struct strv *ret, struct err *e)
{
	_close_ int dirfd = paths_open(p->data, "volumes", e);
	_free_ char *file = str_printf("%s/labels", name);
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r;

	if (dirfd < 0)
		return dirfd;
	if (!file)
		return err_oom(e);
	if (!name_is_valid(name))
		return err_set(e, EINVAL, "'%s' is no name of a volume", name);
	r = io_read_file_at(dirfd, file, LABELS_BYTES_MAX, &text, NULL);
	if (r == -ENOENT)
		return 0;
	r = r < 0 ? err_code(e, r, "labels") : decode(&text, ret, e);
	return r < 0 ? err_wrap(e, "volume %s", name) : 0;
}
