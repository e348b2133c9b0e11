/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/mount_table.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/err.h"

#define DEPTH_MAX 1024 /* of mounts upon mounts: more is a circle */

static bool is_octal(const char *s)
{
	return s[0] >= '0' && s[0] <= '3' && s[1] >= '0' && s[1] <= '7' && s[2] >= '0' &&
	       s[2] <= '7';
}

/* "\040" and its kin; a backslash itself is "\134". In place. */
static void unescape(char *s)
{
	char *out = s;

	while (*s) {
		if (*s == '\\' && is_octal(s + 1)) {
			*out++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 4;
		} else {
			*out++ = *s++;
		}
	}
	*out = 0;
}

/* The field that begins at *at, which moves behind it; NULL at the end of the line. */
static char *take_field(char **at)
{
	char *field = *at, *end;

	if (!field || !*field)
		return NULL;
	end = strchr(field, ' ');
	if (end)
		*end++ = 0;
	*at = end;
	return field;
}

/* Decimal digits up to `end`. sscanf(3) of every line is a part of a start that can be measured. */
static bool take_number(const char **at, char end, unsigned *ret)
{
	const char *s = *at;
	unsigned n = 0;

	if (!s || *s < '0' || *s > '9')
		return false;
	for (; *s >= '0' && *s <= '9'; s++) {
		if (n > (INT_MAX - 9) / 10)
			return false;
		n = 10 * n + (unsigned)(*s - '0');
	}
	*at = s + 1;
	*ret = n;
	return *s == end;
}

static bool parse_line(char *line, struct mount_row *ret)
{
	const char *id = take_field(&line), *parent = take_field(&line),
		   *device = take_field(&line);
	char *root = take_field(&line), *point = take_field(&line), *options = take_field(&line);
	unsigned own, above;

	if (!options || !take_number(&id, 0, &own) || !take_number(&parent, 0, &above) ||
	    !take_number(&device, ':', &ret->major) || !take_number(&device, 0, &ret->minor))
		return false;
	ret->id = (int)own;
	ret->parent = (int)above;
	unescape(root);
	unescape(point);
	ret->root = root;
	ret->point = point;
	ret->is_writable = !strncmp(options, "rw", 2) && (!options[2] || options[2] == ',');
	return true;
}

static size_t count_lines(const char *text)
{
	size_t n = 0;

	for (; (text = strchr(text, '\n')); text++)
		n++;
	return n + 1;
}

int mount_table_parse(char *text, struct mount_table *ret, struct err *e)
{
	char *next;

	*ret = (struct mount_table){.text = text};
	ret->rows = calloc(count_lines(text), sizeof(*ret->rows));
	if (!ret->rows) {
		mount_table_free(ret);
		return err_oom(e);
	}
	for (char *line = text; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		if (!parse_line(line, &ret->rows[ret->n])) {
			mount_table_free(ret);
			return err_set(e, EBADMSG, "/proc/self/mountinfo: a line that is none");
		}
		ret->n++;
	}
	return 0;
}

void mount_table_free(struct mount_table *t)
{
	free(t->rows);
	free(t->text);
	*t = (struct mount_table)MOUNT_TABLE_INIT;
}

const struct mount_row *mount_table_by_id(const struct mount_table *t, int id)
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->rows[i].id == id)
			return &t->rows[i];
	}
	return NULL;
}

static bool is_below(const struct mount_table *t, const struct mount_row *row, int top)
{
	for (int depth = 0; row && depth < DEPTH_MAX; depth++) {
		if (row->id == top)
			return true;
		if (row->parent == row->id)
			return false;
		row = mount_table_by_id(t, row->parent);
	}
	return false;
}

void mount_table_mark(struct mount_table *t, int top)
{
	for (size_t i = 0; i < t->n; i++)
		t->rows[i].is_below = is_below(t, &t->rows[i], top);
}

/* from NULL: of the first ones, whose parent is not to be seen. */
static bool is_child(const struct mount_table *t, const struct mount_row *row,
		     const struct mount_row *from)
{
	if (from)
		return row->parent == from->id && row->id != from->id;
	return row->parent == row->id || !mount_table_by_id(t, row->parent);
}

/* Of those that a path may lead into next, the way down comes to the highest first. */
static const struct mount_row *next_on_way(const struct mount_table *t,
					   const struct mount_row *from, const char *path)
{
	const struct mount_row *next = NULL;

	for (size_t i = 0; i < t->n; i++) {
		const struct mount_row *row = &t->rows[i];

		if (row->is_below || (from && row->parent != from->id) ||
		    !path_beyond(row->point, path) || !is_child(t, row, from))
			continue;
		if (from && !path_beyond(from->point, row->point))
			continue;
		if (!next || strlen(row->point) <= strlen(next->point))
			next = row;
	}
	return next;
}

/*
 * As the kernel goes, from mount to mount: one that another lies over, itself or a directory above,
 * is out of reach, though its point may be the longest part of the path.
 */
const struct mount_row *mount_table_locate(const struct mount_table *t, const char *path)
{
	const struct mount_row *at = next_on_way(t, NULL, path), *next;

	for (size_t n = 0; at && n < t->n; n++) {
		next = next_on_way(t, at, path);
		if (!next)
			break;
		at = next;
	}
	return at;
}

/* path: in the file system of `outside`. True when a mount below shows path, a directory above it,
 * or a file beneath it. */
static bool is_on_one_way(const struct mount_table *t, const struct mount_row *outside,
			  const char *path)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct mount_row *row = &t->rows[i];

		if (row->is_below && row->major == outside->major && row->minor == outside->minor &&
		    (path_beyond(row->root, path) || path_beyond(path, row->root)))
			return true;
	}
	return false;
}

/* The path in the file system of a mount that path, a path outside, leads through. */
static bool in_file_system(const struct mount_row *row, const char *path, char ret[PATH_MAX])
{
	const char *beyond = path_beyond(row->point, path);
	bool is_whole = !row->root[1];
	int n = snprintf(ret, PATH_MAX, "%s%s%s", is_whole ? "" : row->root,
			 *beyond || is_whole ? "/" : "", beyond);

	return n >= 0 && n < PATH_MAX;
}

bool mount_table_may_show(const struct mount_table *t, const char *path)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct mount_row *row = &t->rows[i];
		char in_fs[PATH_MAX];

		if (row->is_below || !path_beyond(row->point, path))
			continue;
		if (!in_file_system(row, path, in_fs) || is_on_one_way(t, row, in_fs))
			return true;
	}
	return false;
}

static bool is_one_file_system(const struct mount_row *a, const struct mount_row *b)
{
	return a->major == b->major && a->minor == b->minor;
}

static bool shows(const struct mount_table *t, const char *source, bool with_below,
		  const char *path, bool wants_writable)
{
	const struct mount_row *from = mount_table_locate(t, source),
			       *to = mount_table_locate(t, path);
	char top[PATH_MAX], place[PATH_MAX];

	if (!from || !to)
		return false;
	if (!in_file_system(from, source, top) || !in_file_system(to, path, place))
		return true;
	if (is_one_file_system(from, to) && path_beyond(top, place) &&
	    (from->is_writable || !wants_writable))
		return true;
	for (size_t i = 0; with_below && i < t->n; i++) {
		const struct mount_row *row = &t->rows[i];

		if (!row->is_below && is_one_file_system(row, to) &&
		    (row->is_writable || !wants_writable) && path_beyond(source, row->point) &&
		    path_beyond(row->root, place))
			return true;
	}
	return false;
}

bool mount_table_shows(const struct mount_table *t, const char *source, bool with_below,
		       const char *path)
{
	return shows(t, source, with_below, path, false);
}

bool mount_table_shows_writable(const struct mount_table *t, const char *source, bool with_below,
				const char *path)
{
	return shows(t, source, with_below, path, true);
}

const char *path_beyond(const char *dir, const char *path)
{
	size_t len = strlen(dir);

	if (len == 1 && *dir == '/')
		return *path == '/' ? path + 1 : NULL;
	if (strncmp(dir, path, len) != 0)
		return NULL;
	if (!path[len])
		return path + len;
	return path[len] == '/' ? path + len + 1 : NULL;
}
