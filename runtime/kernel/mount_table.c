/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/mount_table.h"

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

static bool parse_line(char *line, struct mount_row *ret)
{
	char *id = take_field(&line), *parent = take_field(&line), *device = take_field(&line);
	char *root = take_field(&line), *point = take_field(&line), *options = take_field(&line);

	if (!options || sscanf(id, "%d", &ret->id) != 1 ||
	    sscanf(parent, "%d", &ret->parent) != 1 ||
	    sscanf(device, "%u:%u", &ret->major, &ret->minor) != 2)
		return false;
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
		return err_set(e, ENOMEM, "out of memory");
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

bool mount_table_is_below(const struct mount_table *t, const struct mount_row *row, int top)
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

const struct mount_row *mount_table_locate(const struct mount_table *t, const char *path,
					   int except)
{
	const struct mount_row *best = NULL;

	for (size_t i = 0; i < t->n; i++) {
		const struct mount_row *row = &t->rows[i];

		if (path_beyond(row->point, path) &&
		    (!best || strlen(row->point) >= strlen(best->point)) &&
		    !mount_table_is_below(t, row, except))
			best = row;
	}
	return best;
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
