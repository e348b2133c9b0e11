/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_BASE_ERR_H
#define CSBX_BASE_ERR_H

/*
 * The room runtime/base. The parts that every program of csbx builds on: errors, memory, text,
 * numbers, paths, records.
 *
 * In: values of the caller. Out: results, or an error as a value (err.h).
 *
 *	err.h			errors as values; log.h: tracing for developers
 *	fd.h			who owns a descriptor or memory; io.h: whole reads and writes
 *	str.h			text that grows; num.h, base64.h, crc32.h, clock.h: small tools
 *	path.h			paths in a tree that somebody else controls
 *	flat.h			records on disk and between programs
 *	bundle.h, image_trailer.h: what lies behind an image in its file
 *	linux_calls.h		system calls that a small C library lacks
 *
 * Must: build with libc alone, also with a small one.
 * Mustn't: know containers or images, print, keep state.
 */

/*
 * Errors as values. A fallible function returns 0, an fd or a count on success and -errno on
 * failure; its last parameter is a struct err (NULL allowed) that is written only on failure.
 * Callers wrap outside-in, so that the text reads "start py: mount /data: Permission denied".
 * The struct has no pointers and fits PIPE_BUF: it crosses a pipe or a socket in one write.
 */

#include <errno.h>
#include <stdarg.h>

/* The thing that failed, for callers that must know it where the code cannot tell. */
enum err_origin {
	ERR_PLAIN,
	ERR_IMAGE_SERVER,
	ERR_LIMIT,
	ERR_TMPFS_XATTR, /* no user attributes on tmpfs: another place will do */
	ERR_NO_CONTAINER,
	ERR_NO_IMAGE,    /* no image of that name is loaded or pulled */
	ERR_NO_PLATFORM, /* the image is there, but not for this machine */
	ERR_NO_MANIFEST, /* the registry has no image of that name and tag */
	ERR_NO_USER,     /* not in the image's /etc/passwd */
	ERR_NO_GROUP,
	ERR_ID_RANGE, /* a user's or group's number that cannot be one */
	ERR_NO_COMMAND,
	ERR_EMPTY_COMMAND,
	ERR_WORKDIR,    /* the working directory: its name, or entering it */
	ERR_TLS_CLIENT, /* the other side asks for a certificate of ours */
};

struct err {
	int code; /* a positive errno, 0 = no error */
	enum err_origin origin;
	char msg[504]; /* NUL-terminated, one line, no trailing newline */
};

#define ERR_INIT  \
	{         \
		0 \
	}

/* Sets the text as given; returns -code. */
int err_set(struct err *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Sets "out of memory"; returns -ENOMEM. */
int err_oom(struct err *e);

/* Sets "text: strerror(errno)"; returns -errno. Errno 0 is reported as EIO. */
int err_sys(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same for a code already at hand (positive or negative). */
int err_code(struct err *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Notes what failed for an error that was just set: r = err_set(e, ...), which it returns. */
int err_from(enum err_origin origin, struct err *e, int r);

/* Prepends "text: " to an error that is set; returns -e->code (-EIO for a NULL e). */
int err_wrap(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The cause without the name that it begins with, where the words before it end with that name. */
const char *err_without_name(const char *cause, const char *words);

/* Appends " (hint)" when there is room; keeps the code. */
void err_append(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* strerror(3) with glibc's texts in every program, whatever C library it is linked with. */
const char *err_text(int code);

/* Replaces control bytes so that hostile text cannot drive a terminal; in place. */
void err_sanitize(struct err *e);

#endif
