/* SPDX-License-Identifier: Apache-2.0 */
#include "image/registry/http_value.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "runtime/base/num.h"

/* Digits at *p up to a byte of `ends`; *p moves to it. */
static int take_number(const char **p, const char *ends, uint64_t *ret)
{
	char digits[24] = "";
	size_t n = strspn(*p, "0123456789");

	if (!n || n >= sizeof(digits) || !strchr(ends, (*p)[n]))
		return -EBADMSG;
	memcpy(digits, *p, n);
	*p += n;
	return num_parse_u64(digits, INT64_MAX, ret) < 0 ? -EBADMSG : 0;
}

int content_range_parse(const char *value, struct content_range *ret)
{
	struct content_range c = {.total = UINT64_MAX};
	const char *p = value;

	if (strncasecmp(p, "bytes ", 6))
		return -EBADMSG;
	p += 6 + strspn(p + 6, " ");
	if (take_number(&p, "-", &c.first) < 0 || *p++ != '-')
		return -EBADMSG;
	if (take_number(&p, "/", &c.last) < 0 || *p++ != '/')
		return -EBADMSG;
	if (*p == '*')
		p++;
	else if (take_number(&p, "", &c.total) < 0)
		return -EBADMSG;
	if (*p || c.first > c.last || c.last >= c.total)
		return -EBADMSG;
	*ret = c;
	return 0;
}

int retry_after_parse(const char *value, int64_t now_s, uint64_t *ret_ms)
{
	struct tm tm = {0};
	const char *end;
	uint64_t s;
	time_t at;

	if (!num_parse_u64(value, UINT32_MAX, &s)) {
		*ret_ms = s * 1000;
		return 0;
	}
	/* The one form that servers may send; the C locale's names are the ones meant. */
	end = strptime(value, "%a, %d %b %Y %H:%M:%S GMT", &tm);
	if (!end || *end)
		return -EBADMSG;
	at = timegm(&tm);
	if (at - now_s > UINT32_MAX)
		return -EBADMSG;
	*ret_ms = at > now_s ? (uint64_t)(at - now_s) * 1000 : 0;
	return 0;
}

bool media_type_parse(const char *value, char *ret, size_t cap)
{
	size_t n = strcspn(value, "; \t");

	if (n >= cap)
		return false;
	for (size_t i = 0; i < n; i++)
		ret[i] = (char)(value[i] >= 'A' && value[i] <= 'Z' ? value[i] + 32 : value[i]);
	ret[n] = 0;
	return true;
}
