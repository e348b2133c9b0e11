/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cgroup/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/fd.h"
#include "runtime/base/str.h"

#define DIGITS "0123456789"
#define PERIOD_US 100000u
#define LONG_PERIOD_US 1000000u
#define QUOTA_MIN_US 1000u

static const char *const names[] = {"memory", "cpu", "pids"};
#define N_NAMES (sizeof(names) / sizeof(names[0]))

static bool is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && !memcmp(text, word, len);
}

unsigned cgroup_parse_controllers(const char *text)
{
	unsigned set = 0;

	while (*(text += strspn(text, " \n"))) {
		size_t len = strcspn(text, " \n");

		for (size_t i = 0; i < N_NAMES; i++)
			set |= is_word(text, len, names[i]) ? 1u << i : 0;
		text += len;
	}
	return set;
}

const char *cgroup_controller_name(unsigned controller)
{
	for (size_t i = 0; i < N_NAMES; i++) {
		if (controller == 1u << i)
			return names[i];
	}
	return "?";
}

void cgroup_print_controllers(unsigned set, char ret[32])
{
	int n = 0;

	*ret = 0;
	for (size_t i = 0; i < N_NAMES; i++) {
		if (set & 1u << i)
			n += snprintf(ret + n, 32 - (size_t)n, "%s+%s", n ? " " : "", names[i]);
	}
}

uint64_t cgroup_parse_number(const char *text)
{
	char *end;
	unsigned long long v;

	if (*text < '0' || *text > '9')
		return 0;
	v = strtoull(text, &end, 10);
	return *end && *end != '\n' ? 0 : v;
}

uint64_t cgroup_parse_key(const char *text, const char *key)
{
	size_t n = strlen(key);

	while (*text) {
		const char *nl = strchr(text, '\n');

		if (!strncmp(text, key, n) && text[n] == ' ')
			return cgroup_parse_number(text + n + 1);
		text = nl ? nl + 1 : text + strlen(text);
	}
	return 0;
}

bool cgroup_parse_stalled(const char *text, uint64_t *ret_us)
{
	const char *line = str_has_prefix(text, "full ") ? text : strstr(text, "\nfull ");
	const char *total = line ? strstr(line, " total=") : NULL;

	*ret_us = total ? cgroup_parse_number(total + strlen(" total=")) : 0;
	return total != NULL;
}

void cgroup_print_cpu_max(uint64_t cpus_milli, char ret[48])
{
	uint64_t period = PERIOD_US;

	if (cpus_milli * PERIOD_US / 1000 < QUOTA_MIN_US)
		period = LONG_PERIOD_US;
	snprintf(ret, 48, "%llu %llu", (unsigned long long)(cpus_milli * period / 1000),
		 (unsigned long long)period);
}

char *cgroup_own_path(const char *cgroups)
{
	const char *line = str_has_prefix(cgroups, "0::") ? cgroups : strstr(cgroups, "\n0::");

	if (!line)
		return NULL;
	line += *line == '\n' ? 4 : 3;
	/* "/../x" is outside of our cgroup namespace: nothing below our mounts is its. */
	if (*line != '/' || str_has_prefix(line, "/.."))
		return NULL;
	return strndup(line, strcspn(line, "\n"));
}

/* Blanks, tabs, newlines and backslashes are \ooo in mountinfo; in place. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (s[0] == '\\' && strspn(s + 1, "01234567") >= 3) {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = 0;
}

/* Fields 4 and 5: the part of the tree that is mounted, and where. */
static bool split_line(char *line, char **ret_root, char **ret_point)
{
	char *save = NULL, *word = strtok_r(line, " ", &save);

	for (int i = 1; word && i < 4; i++)
		word = strtok_r(NULL, " ", &save);
	*ret_root = word;
	*ret_point = word ? strtok_r(NULL, " ", &save) : NULL;
	if (!*ret_point)
		return false;
	unescape(*ret_root);
	unescape(*ret_point);
	return **ret_root == '/' && **ret_point == '/';
}

static char *directory_of(char *line, const char *own, size_t *ret_top_len)
{
	char *root, *point;
	size_t n;

	if (!strstr(line, " - cgroup2 ") || !split_line(line, &root, &point))
		return NULL;
	n = str_eq(root, "/") ? 0 : strlen(root);
	if (strncmp(own, root, n) || (own[n] && own[n] != '/'))
		return NULL;
	*ret_top_len = strlen(point);
	return str_printf("%s%s", point, str_eq(own + n, "/") ? "" : own + n);
}

char *cgroup_find_directory(const char *mountinfo, const char *own, size_t *ret_top_len)
{
	while (*mountinfo) {
		size_t len = strcspn(mountinfo, "\n");
		_free_ char *line = strndup(mountinfo, len);
		char *dir = line ? directory_of(line, own, ret_top_len) : NULL;

		if (dir)
			return dir;
		mountinfo += len + (mountinfo[len] != 0);
	}
	return NULL;
}

/* "job_12", "12.server", "job.12.3" have 12; "112" has not. */
static bool has_id(const char *name, size_t len, const char *id)
{
	size_t n = strlen(id);

	for (size_t i = 0; n && i + n <= len; i++) {
		if (!strncmp(name + i, id, n) && (!i || !strchr(DIGITS, name[i - 1])) &&
		    (i + n == len || !strchr(DIGITS, name[i + n])))
			return true;
	}
	return false;
}

size_t cgroup_job_len(const char *own, const char *id)
{
	size_t job = 0, digits = strspn(id, DIGITS), at = 0;
	_free_ char *number = strndup(id, digits);

	while (own[at] == '/') {
		size_t len = strcspn(own + at + 1, "/");

		if (len > 5 && !strncmp(own + at + 1, "step_", 5))
			return at + 1 + len;
		if (!job && number && has_id(own + at + 1, len, number))
			job = at + 1 + len;
		at += 1 + len;
	}
	return job ? job : at;
}
