/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Values as docker's command line reads them. The accepted values and the messages are those of
 * Go's strconv and time packages and of docker's go-units.
 */

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/docker/frame/argv.h"
#include "cmd/options/env_file.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"

int docker_set_int(void *int64, const char *value, struct err *e)
{
	char *end = NULL;
	long long v;

	errno = 0;
	v = strtoll(value, &end, 0);
	if (!*value || *end || strspn(value, " \t\n\v\f\r"))
		return err_set(e, EINVAL, "strconv.ParseInt: parsing \"%s\": invalid syntax",
			       value);
	if (errno == ERANGE)
		return err_set(e, EINVAL, "strconv.ParseInt: parsing \"%s\": value out of range",
			       value);
	*(int64_t *)int64 = v;
	return 0;
}

/* go-units RAMInBytes: "10", "1.5", "32kb", "2 GiB", case ignored, powers of 1024. */
int docker_set_bytes(void *uint64, const char *value, struct err *e)
{
	_free_ char *copy = strdup(value);
	char *to = copy;

	if (!copy)
		return err_oom(e);
	for (const char *c = value; *c; c++) {
		if (*c == ' ')
			continue;
		*to++ = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
	}
	*to = 0;
	if (to > copy + 1 && to[-1] == 'b' && to[-2] >= '0' && to[-2] <= '9')
		*--to = 0;
	if (num_parse_bytes(copy, uint64) < 0)
		return err_set(e, EINVAL, "invalid size: '%s'", value);
	return 0;
}

/* One "12.5ms" of a duration; returns what follows, NULL when it is none. */
static const char *parse_part(const char *s, double *ns)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {{"ns", 1},  {"us", 1e3}, {"µs", 1e3},  {"ms", 1e6},
		     {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};
	size_t digits = strspn(s, "0123456789."), n;
	char *end;
	double v = strtod(s, &end);

	if (!digits || end != s + digits)
		return NULL;
	n = strcspn(end, "0123456789.");
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strlen(units[i].unit) == n && !strncmp(units[i].unit, end, n)) {
			*ns += v * units[i].ns;
			return end + n;
		}
	}
	return NULL;
}

int docker_set_duration(void *ns, const char *value, struct err *e)
{
	const char *s = value;
	double sum = 0;

	while (s && *s && !str_eq(value, "0"))
		s = parse_part(s, &sum);
	if (!*value || !s)
		return err_set(e, EINVAL, "time: invalid duration \"%s\"", value);
	if (sum >= (double)INT64_MAX)
		return err_set(e, EINVAL, "time: invalid duration \"%s\"", value);
	*(uint64_t *)ns = (uint64_t)sum;
	return 0;
}

int docker_set_env(void *strv, const char *value, struct err *e)
{
	if (!*value || *value == '=')
		return err_set(e, EINVAL, "invalid environment variable: %s", value);
	strv_add(strv, value);
	return strv_check(strv, e);
}
