/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/show/log_time.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "cmd/docker/frame/argv.h"
#include "runtime/base/str.h"

#define NS UINT64_C(1000000000)

void docker_log_time(uint64_t realtime_ns, struct strbuf *out)
{
	time_t s = (time_t)(realtime_ns / NS);
	char text[32];
	struct tm tm;

	if (!gmtime_r(&s, &tm) || !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm))
		return;
	strbuf_addf(out, "%s.%09uZ ", text, (unsigned)(realtime_ns % NS));
}

/* ".5" as nanoseconds; *s moves behind it. */
static uint64_t fraction(const char **s)
{
	uint64_t ns = 0, unit = NS / 10;

	if (**s != '.')
		return 0;
	for ((*s)++; **s >= '0' && **s <= '9'; (*s)++, unit /= 10)
		ns += (uint64_t)(**s - '0') * unit;
	return ns;
}

static int parse_zone(const char *s, struct tm *tm, time_t *ret)
{
	struct tm zone = {0};
	int sign = *s == '-' ? 1 : -1;

	if (!*s) {
		tm->tm_isdst = -1;
		*ret = mktime(tm);
		return 0;
	}
	*ret = timegm(tm);
	if (str_eq(s, "Z"))
		return 0;
	if ((*s != '+' && *s != '-') || !(s = strptime(s + 1, "%H:%M", &zone)) || *s)
		return -EINVAL;
	*ret += sign * (zone.tm_hour * 3600 + zone.tm_min * 60);
	return 0;
}

static int parse_date(const char *text, uint64_t *ret_ns)
{
	static const char *const forms[] = {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d"};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct tm tm = {0};
		const char *rest = strptime(text, forms[i], &tm);
		uint64_t ns;
		time_t s;

		if (!rest)
			continue;
		ns = fraction(&rest);
		if (parse_zone(rest, &tm, &s) < 0 || s < 0)
			return -EINVAL;
		*ret_ns = (uint64_t)s * NS + ns;
		return 0;
	}
	return -EINVAL;
}

static int parse_seconds(const char *text, uint64_t *ret_ns)
{
	size_t digits = strspn(text, "0123456789");
	const char *rest = text + digits;
	uint64_t s;

	if (!digits || digits > 10)
		return -EINVAL;
	s = strtoull(text, NULL, 10);
	*ret_ns = s * NS + fraction(&rest);
	return *rest ? -EINVAL : 0;
}

int docker_log_time_parse(const char *text, uint64_t *ret_ns)
{
	struct timespec now;
	uint64_t ago = 0, now_ns;

	if (parse_seconds(text, ret_ns) >= 0)
		return 0;
	if (docker_set_duration(&ago, text, NULL) < 0)
		return parse_date(text, ret_ns);
	clock_gettime(CLOCK_REALTIME, &now);
	now_ns = (uint64_t)now.tv_sec * NS + (uint64_t)now.tv_nsec;
	*ret_ns = ago < now_ns ? now_ns - ago : 0;
	return 0;
}
