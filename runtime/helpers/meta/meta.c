/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/helpers/meta/meta.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/flat.h"
#include "runtime/base/image_trailer.h"
#include "runtime/base/io.h"
#include "runtime/base/json/json.h"
#include "runtime/server/image_meta.h"
#include "runtime/helpers/squashd/confine.h"
#include "runtime/helpers/squashd/image/originals.h"
#include "runtime/helpers/squashd/source_tree.h"
#include "runtime/helpers/squashd/image/sqimage.h"

#define TRAILER_ALIGN 4096 /* image_trailer.h */

struct wanted {
	uint16_t tag;
	const char *path;
	bool is_optional; /* over the cap it counts as missing */
};

/* Without them users are numbers: an image with a huge file can be started all the same. */
static const struct wanted user_files[] = {{META_PASSWD, "/etc/passwd", true},
					   {META_GROUP, "/etc/group", true}};

/* The files of an image that enroot's start uses (its doc/image-format.md). */
static const struct wanted enroot_files[] = {
	{META_RC, "/etc/rc"},
	{META_ENVIRONMENT, "/etc/environment"},
	{META_FSTAB, "/etc/fstab"},
	{META_RC_LOCAL, "/etc/rc.local"},
};

static int add_files(struct flat_writer *w, struct source_tree *t, const struct wanted *files,
		     size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		_strbuf_ struct strbuf text = STRBUF_INIT;
		int r = source_tree_read(t, files[i].path, IMAGE_META_FILE_MAX, &text, e);

		if (r == -EFBIG && files[i].is_optional)
			continue;
		if (r < 0)
			return r;
		if (r > 0)
			flat_bytes(w, files[i].tag, strbuf_str(&text), text.len);
	}
	return 0;
}

/*
 * Only those the image has of its own: a file that csbx put there says no more than no file does.
 */
static int add_enroot_files(struct flat_writer *w, struct source_tree *t, struct err *e)
{
	struct originals o = {.is_active = false};
	int r = 0;

	if (t->image)
		originals_find(t->image, &o);
	for (size_t i = 0; r >= 0 && i < sizeof(enroot_files) / sizeof(enroot_files[0]); i++) {
		if (originals_has(&o, strrchr(enroot_files[i].path, '/') + 1))
			r = add_files(w, t, &enroot_files[i], 1, e);
	}
	return r;
}

/* The trailer is a convenience: one that cannot be read is passed over. */
static void add_trailer(struct flat_writer *w, int fd, struct sqimage *img)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	struct flat_reader reader;
	struct flat_field f;
	struct sqstat st;
	const char *s;
	off_t at;

	sqimage_stat(img, &st);
	at = (off_t)((st.bytes + TRAILER_ALIGN - 1) / TRAILER_ALIGN * TRAILER_ALIGN);
	if (lseek(fd, at, SEEK_SET) != at || io_read_all(fd, IMAGE_TRAILER_MAX, &text, NULL) < 0 ||
	    flat_open(&reader, strbuf_str(&text), text.len, IMAGE_TRAILER_MAGIC,
		      IMAGE_TRAILER_VERSION, NULL) < 0)
		return;
	while (flat_next(&reader, &f, NULL) > 0) {
		if (f.tag == TRAILER_REF && flat_get_str(&f, &s, NULL) >= 0)
			flat_str(w, META_REF, s);
		else if (f.tag == TRAILER_MANIFEST_DIGEST && flat_get_str(&f, &s, NULL) >= 0)
			flat_str(w, META_DIGEST, s);
	}
}

/* In a stack a file that the image removes is an empty one: those below do not count. */
static void add_hidden(struct flat_writer *w, struct source_tree *t)
{
	if (source_tree_hides(t, "/etc", "passwd"))
		flat_bytes(w, META_PASSWD, "", 0);
	if (source_tree_hides(t, "/etc", "group"))
		flat_bytes(w, META_GROUP, "", 0);
}

static int write_record(struct flat_writer *w, struct source_tree *t, int fd, struct err *e)
{
	_strbuf_ struct strbuf config = STRBUF_INIT;
	int r = source_tree_read(t, "/.csbx/config.json", JSON_CONFIG_MAX, &config, e);

	if (r < 0)
		return r;
	flat_u64(w, META_HAS_CONFIG, r > 0);
	if (r > 0)
		r = meta_add_config(w, strbuf_str(&config), config.len, e);
	else
		r = add_enroot_files(w, t, e);
	if (r >= 0)
		r = add_files(w, t, user_files, sizeof(user_files) / sizeof(user_files[0]), e);
	if (r < 0)
		return r;
	flat_u64(w, META_HAS_USER_XATTRS, t->image && sqimage_has_user_xattrs(t->image));
	flat_u64(w, META_HAS_SHELL, source_tree_is_program(t, "/bin/sh"));
	add_hidden(w, t);
	if (t->image)
		add_trailer(w, fd, t->image);
	return flat_end(w, e);
}

int meta_main(int fd)
{
	struct source_tree t = {.dirfd = -1};
	struct flat_writer w = {{0}};
	struct err e = ERR_INIT;
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0)
		r = err_sys(&e, "image descriptor");
	else
		r = confine_tool(S_ISDIR(st.st_mode) ? fd : -1, CONFINE_READ, &e);
	if (r >= 0)
		r = source_tree_open(fd, S_ISDIR(st.st_mode), &t, &e);
	if (r >= 0) {
		flat_begin(&w, IMAGE_META_MAGIC, IMAGE_META_VERSION);
		r = write_record(&w, &t, fd, &e);
	}
	if (r >= 0)
		r = io_write_all(1, w.buf.data, w.buf.len, &e);
	else
		(void)io_write_all(1, e.msg, strlen(e.msg), NULL);
	flat_free(&w);
	source_tree_close(&t);
	return r < 0 ? 125 : 0;
}
