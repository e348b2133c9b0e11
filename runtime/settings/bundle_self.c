/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/settings/bundle_self.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/flat.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"
#include "runtime/spec/image_id.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

/*
 * Bytes behind the section headers, which end a program: once those of a bundle, whose trailer is
 * cut off or changed. As csbx it would take the words meant for the image for verbs of its own.
 */
static bool has_more_than_a_program(int fd, uint64_t size)
{
	Elf64_Ehdr h;

	return pread(fd, &h, sizeof(h), 0) == sizeof(h) && !memcmp(h.e_ident, ELFMAG, SELFMAG) &&
	       h.e_ident[EI_CLASS] == ELFCLASS64 && h.e_shoff && h.e_shnum &&
	       size > h.e_shoff + (uint64_t)h.e_shnum * h.e_shentsize;
}

int bundle_self_open(struct bundle_self *ret, struct err *e)
{
	_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;

	*ret = (struct bundle_self)BUNDLE_SELF_INIT;
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, "/proc/self/exe");
	if (!bundle_read(fd, &ret->parts))
		return has_more_than_a_program(fd, (uint64_t)st.st_size)
			       ? err_set(e, EBADMSG, "the bundle is damaged: its end is missing")
			       : 0;
	image_id_from_stat(&ret->id, &st);
	ret->fd = take_fd(&fd);
	return 1;
}

void bundle_self_close(struct bundle_self *b)
{
	fd_close(&b->memfds[0]);
	fd_close(&b->memfds[1]);
	fd_close(&b->fd);
}

#define FIRST_FREE_FD 32 /* above all that server/start.c places */

/* Before Linux 6.3 the flag is unknown, and every memfd may be run. */
static int make_memfd(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return fd;
}

static int copy_program(const struct bundle_self *b, enum bundle_part part, const char *name)
{
	const struct bundle_extent *x = &b->parts.parts[part];
	off_t at = (off_t)x->offset, end = at + (off_t)x->bytes;
	_close_ int fd = make_memfd(name);

	if (fd < 0)
		return -1;
	while (at < end) {
		ssize_t n = sendfile(fd, b->fd, &at, (size_t)(end - at));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
	}
	if (fchmod(fd, 0555) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0)
		return -1;
	/* It is exec'd by its number, when what the program is to have is in the low ones. */
	return fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
}

char *bundle_self_helper(struct bundle_self *b, const char *program)
{
	static const char *const names[] = {
		[BUNDLE_INIT] = "csbx-init",
		[BUNDLE_SQUASHD] = "csbx-squashd",
	};

	for (int i = BUNDLE_INIT; i <= BUNDLE_SQUASHD; i++) {
		if (!str_eq(program, names[i]))
			continue;
		if (b->memfds[i] < 0)
			b->memfds[i] = copy_program(b, (enum bundle_part)i, program);
		return b->memfds[i] < 0 ? NULL : str_printf("/proc/self/fd/%d", b->memfds[i]);
	}
	return str_printf("/nonexistent/%s", program);
}

int bundle_self_read(const struct bundle_self *b, enum bundle_part part, size_t max,
		     struct strbuf *ret, struct err *e)
{
	const struct bundle_extent *x = &b->parts.parts[part];

	if (x->bytes > max)
		return err_set(e, EFBIG, "the bundle is damaged: a part of it is too large");
	if (!strbuf_reserve(ret, x->bytes))
		return err_oom(e);
	if (io_pread_exact(b->fd, ret->data + ret->len, x->bytes, x->offset, e) < 0)
		return err_wrap(e, "the bundle");
	ret->len += x->bytes;
	ret->data[ret->len] = 0;
	return 0;
}

static int take_field(struct bundle_config *c, const struct flat_field *f, struct err *e)
{
	const char *file;
	uint64_t crc;
	int r = 0;

	switch (f->tag) {
	case BUNDLE_NAME:
		return flat_get_str(f, &c->name, e);
	case BUNDLE_ID:
		return flat_get_str(f, &c->id, e);
	case BUNDLE_DESCRIPTION:
		return flat_get_str(f, &c->description, e);
	case BUNDLE_TARGET:
		return flat_get_str(f, &c->target, e);
	case BUNDLE_META:
		c->meta = f->data;
		c->meta_len = f->len;
		break;
	case BUNDLE_CRC:
		r = flat_get_u64(f, &crc, e);
		c->has_crc = r >= 0;
		c->crc = r >= 0 ? (uint32_t)crc : 0;
		break;
	case BUNDLE_FILE:
		r = flat_get_str(f, &file, e);
		if (r >= 0)
			strv_add(&c->files, file);
		break;
	}
	return r;
}

int bundle_self_config(const struct bundle_self *b, struct bundle_config *ret, struct err *e)
{
	struct flat_reader reader;
	struct flat_field f;
	int r;

	*ret = (struct bundle_config){.name = "", .id = "", .description = "", .target = ""};
	r = bundle_self_read(b, BUNDLE_CONFIG, BUNDLE_CONFIG_MAX, &ret->memory, e);
	if (r >= 0)
		r = flat_open(&reader, ret->memory.data, ret->memory.len, BUNDLE_CONFIG_MAGIC,
			      BUNDLE_CONFIG_VERSION, e);
	while (r >= 0 && (r = flat_next(&reader, &f, e)) > 0)
		r = take_field(ret, &f, e);
	if (r >= 0)
		r = strv_check(&ret->files, e);
	if (r >= 0 && !ret->meta)
		r = err_set(e, EBADMSG, "it does not say what is in its image");
	return r < 0 ? err_wrap(e, "the bundle") : 0;
}

void bundle_config_free(struct bundle_config *c)
{
	strv_free(&c->files);
	strbuf_free(&c->memory);
}
