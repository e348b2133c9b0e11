/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/dockerfile/check.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <strings.h>

#include "cmd/build/dockerfile/dockerfile.h"
#include "cmd/build/dockerfile/words.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

static const struct {
	const char *name;
	long long ns;
} units[] = {
	{"ns", 1},           {"us", 1000},         {"ms", 1000000},
	{"s", 1000000000LL}, {"m", 60000000000LL}, {"h", 3600000000000LL},
};

static long long unit_ns(const char *s, size_t len)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strlen(units[i].name) == len && !strncmp(units[i].name, s, len))
			return units[i].ns;
	}
	return 0;
}

/* One "1.5h"; adds it to *total. NULL if it is none. */
static const char *duration_part(const char *s, long long *total)
{
	long long whole = 0, fraction = 0, scale = 1, unit;
	const char *digits = s, *name;

	for (; isdigit((unsigned char)*s); s++) {
		if (whole > 1000000000000LL)
			return NULL;
		whole = whole * 10 + (*s - '0');
	}
	if (*s == '.') {
		for (s++; isdigit((unsigned char)*s); s++) {
			if (scale > 100000000)
				continue;
			fraction = fraction * 10 + (*s - '0');
			scale *= 10;
		}
	}
	name = s;
	while (*s && *s != '.' && !isdigit((unsigned char)*s))
		s++;
	unit = unit_ns(name, (size_t)(s - name));
	if (name == digits || !unit || __builtin_mul_overflow(whole, unit, &whole) ||
	    __builtin_add_overflow(whole, fraction * (unit / scale), &whole) ||
	    __builtin_add_overflow(*total, whole, total))
		return NULL;
	return s;
}

int health_duration(const char *text, long long *ret_ns, struct err *e)
{
	bool negative = *text == '-';
	const char *s = text + (*text == '-' || *text == '+');
	long long total = 0;

	if (str_eq(s, "0")) {
		*ret_ns = 0;
		return 0;
	}
	if (!*s)
		return err_set(e, EINVAL, "time: invalid duration \"%.100s\"", text);
	while (s && *s)
		s = duration_part(s, &total);
	if (!s)
		return err_set(e, EINVAL, "time: invalid duration \"%.100s\"", text);
	*ret_ns = negative ? -total : total;
	return 0;
}

static int check_time(const struct instruction *i, const char *flag, struct err *e)
{
	const char *value = instruction_flag(i, flag);
	long long ns = 0;
	int r = value && *value ? health_duration(value, &ns, e) : 0;

	if (r < 0)
		return r;
	if (ns < 0 || (ns && ns < 1000000))
		return err_set(e, EINVAL, "%s cannot be less than 1ms", flag);
	return 0;
}

static int check_retries(const struct instruction *i, struct err *e)
{
	const char *value = instruction_flag(i, "retries");
	char *end;
	long n;

	if (!value || !*value)
		return 0;
	n = strtol(value, &end, 10);
	if (*end)
		return err_set(e, EINVAL, "strconv.ParseInt: parsing \"%.100s\": invalid syntax",
			       value);
	if (n < 0 || n > 1000000)
		return err_set(e, EINVAL, "--retries cannot be negative (%ld)", n);
	return 0;
}

static int check_flags(const struct instruction *i, struct err *e)
{
	static const char *const times[] = {"interval", "timeout", "start-period",
					    "start-interval"};
	int r = 0;

	for (size_t n = 0; r >= 0 && n < sizeof(times) / sizeof(times[0]); n++)
		r = check_time(i, times[n], e);
	return r < 0 ? r : check_retries(i, e);
}

static int take_command(struct instruction *i, const char *s, struct err *e)
{
	int r;

	if (!*s)
		return err_set(e, EINVAL, "Missing command after HEALTHCHECK CMD");
	r = words_json(s, &i->args, e);
	i->is_json = r > 0;
	if (!r)
		strv_add(&i->args, s);
	return r < 0 ? r : strv_check(&i->args, e);
}

int health_words(struct instruction *i, struct err *e)
{
	const char *end = words_skip_text(i->rest), *s = words_skip_blanks(end);
	size_t len = (size_t)(end - i->rest);

	if (!len)
		return err_set(e, EINVAL, "HEALTHCHECK requires at least one argument");
	if (len == 4 && !strncasecmp(i->rest, "NONE", 4)) {
		if (*s)
			return err_set(e, EINVAL, "HEALTHCHECK NONE takes no arguments");
		strv_add(&i->args, "NONE");
		return strv_check(&i->args, e);
	}
	if (len != 3 || strncasecmp(i->rest, "CMD", 3)) {
		_free_ char *word = strndup(i->rest, len > 100 ? 100 : len);

		for (char *p = word; p && *p; p++)
			*p = (char)toupper((unsigned char)*p);
		return err_set(e, EINVAL, "Unknown type \"%s\" in HEALTHCHECK (try CMD)",
			       word ? word : "");
	}
	strv_add(&i->args, "CMD");
	if (take_command(i, s, e) < 0)
		return e ? -e->code : -EINVAL;
	return check_flags(i, e);
}
