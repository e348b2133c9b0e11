/* SPDX-License-Identifier: Apache-2.0 */
#include "image/source/container.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "image/source/source.h"
#include "image/import/enroot_meta.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"

/* A regular file; -ENOENT for anything else. O_PATH first: opening a FIFO or device has effects. */
static int open_regular(int root, const char *path, struct stat *st)
{
	_close_ int fd = path_open_in_root(root, path, O_PATH | O_NOFOLLOW, 0, NULL);

	if (fd < 0)
		return fd;
	if (fstat(fd, st) < 0 || !S_ISREG(st->st_mode))
		return -ENOENT;
	return path_open_in_root(root, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0,
				 NULL);
}

static int read_config(struct image_source *s, int root, struct err *e)
{
	struct stat st;
	_close_ int fd = open_regular(root, ".csbx/config.json", &st);

	if (fd == -ENOENT || fd == -ENOTDIR || fd == -ELOOP)
		return 0;
	if (fd < 0)
		return err_code(e, fd, "/.csbx/config.json");
	if (io_read_all(fd, CONTAINER_CONFIG_MAX, &s->config, e) < 0)
		return err_wrap(e, "/.csbx/config.json");
	s->is_our_image = s->config.len > 0;
	return 0;
}

static bool has_content(int root, const char *path, const struct strbuf *want)
{
	_strbuf_ struct strbuf got = STRBUF_INIT;
	struct stat st;
	_close_ int fd = open_regular(root, path, &st);

	if (fd < 0 || (uint64_t)st.st_size != want->len)
		return false;
	return io_read_all(fd, want->len, &got, NULL) >= 0 && got.len == want->len &&
	       (!want->len || !memcmp(got.data, want->data, want->len));
}

/*
 * The files that csbx put into the image for enroot are told by their bytes: they follow from the
 * config.
 */
static int find_our_files(struct image_source *s, int root, struct err *e)
{
	struct enroot_meta m = {0};
	struct enroot_file files[ENROOT_FILES];
	int r = enroot_meta_build(s, &m, e);

	if (r < 0)
		return err_wrap(e, "/.csbx/config.json");
	enroot_meta_list(&m, files);
	for (unsigned i = 0; i < ENROOT_FILES; i++) {
		if (has_content(root, files[i].path, files[i].content))
			s->our_enroot_files |= 1u << i;
	}
	enroot_meta_free(&m);
	return 0;
}

int container_source_open(struct image_source *s, int root, const char *name, struct err *e)
{
	int r;

	*s = (struct image_source){0};
	s->ref = str_printf("export:%s", name);
	s->name = str_printf("%s", name);
	s->layers = calloc(1, sizeof(*s->layers));
	r = s->ref && s->name && s->layers ? read_config(s, root, e) : err_oom(e);
	if (r == 0 && s->is_our_image)
		r = find_our_files(s, root, e);
	if (r < 0) {
		source_close(s);
		return r;
	}
	s->layers[s->n_layers++] = (struct source_layer){
		.kind = LAYER_DIRECTORY, .size_bytes = UINT64_MAX, .fd = root, .owns_fd = true};
	return 0;
}
