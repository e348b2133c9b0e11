/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/show/human.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "runtime/base/str.h"

#define SECOND UINT64_C(1000000000)

void human_span(struct strbuf *out, uint64_t ns)
{
	uint64_t s = ns / SECOND, minutes = s / 60, hours = (s + 1800) / 3600;

	if (!s)
		strbuf_addstr(out, "Less than a second");
	else if (s == 1)
		strbuf_addstr(out, "1 second");
	else if (s < 60)
		strbuf_addf(out, "%" PRIu64 " seconds", s);
	else if (minutes == 1)
		strbuf_addstr(out, "About a minute");
	else if (minutes < 60)
		strbuf_addf(out, "%" PRIu64 " minutes", minutes);
	else if (hours == 1)
		strbuf_addstr(out, "About an hour");
	else if (hours < 48)
		strbuf_addf(out, "%" PRIu64 " hours", hours);
	else if (hours < 24 * 7 * 2)
		strbuf_addf(out, "%" PRIu64 " days", hours / 24);
	else if (hours < 24 * 30 * 2)
		strbuf_addf(out, "%" PRIu64 " weeks", hours / 24 / 7);
	else if (hours < 24 * 365 * 2)
		strbuf_addf(out, "%" PRIu64 " months", hours / 24 / 30);
	else
		strbuf_addf(out, "%" PRIu64 " years", hours / 24 / 365);
}

void human_ago(struct strbuf *out, uint64_t then_ns, uint64_t now_ns)
{
	if (!then_ns)
		return;
	human_span(out, now_ns > then_ns ? now_ns - then_ns : 0);
	strbuf_addstr(out, " ago");
}

static void scaled(struct strbuf *out, uint64_t bytes, unsigned base, const char *const *units,
		   int digits)
{
	double size = (double)bytes;
	unsigned unit = 0;

	for (; size >= base && units[unit + 1]; unit++)
		size /= base;
	strbuf_addf(out, "%.*g%s", digits, size, units[unit]);
}

void human_size(struct strbuf *out, uint64_t bytes, int digits)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB", NULL};

	scaled(out, bytes, 1000, units, digits);
}

void human_size_binary(struct strbuf *out, uint64_t bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", NULL};

	scaled(out, bytes, 1024, units, 4);
}

void human_time(struct strbuf *out, uint64_t realtime_ns)
{
	time_t t = (time_t)(realtime_ns / SECOND);
	struct tm tm;
	char text[64];

	if (localtime_r(&t, &tm) && strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %z %Z", &tm))
		strbuf_addstr(out, text);
}

void human_ellipsis(struct strbuf *out, const char *s, size_t n)
{
	size_t cut = 0, characters = 0;

	for (size_t i = 0; s[i]; i++) {
		if (((unsigned char)s[i] & 0xc0) == 0x80)
			continue;
		if (characters == n - 1)
			cut = i;
		characters++;
	}
	if (characters <= n) {
		strbuf_addstr(out, s);
		return;
	}
	strbuf_add(out, s, cut);
	strbuf_addstr(out, "\u2026");
}

static void quote_one(struct strbuf *out, const char *s, size_t n, uint32_t cp)
{
	static const char from[] = "\a\b\f\n\r\t\v\\\"", to[] = "abfnrtv\\\"";
	const char *found = cp < 0x80 && cp ? strchr(from, (int)cp) : NULL;

	if (found)
		strbuf_addf(out, "\\%c", to[found - from]);
	else if (cp < 0x20 || cp == 0x7f)
		strbuf_addf(out, "\\x%02" PRIx32, cp);
	else if (str_is_display_control(cp))
		strbuf_addf(out, "\\u%04" PRIx32, cp);
	else
		strbuf_add(out, s, n);
}

void human_quote(struct strbuf *out, const char *s)
{
	size_t len = strlen(s);

	strbuf_addch(out, '"');
	while (len) {
		uint32_t cp = 0;
		size_t n = str_utf8_next(s, len, &cp);

		if (n) {
			quote_one(out, s, n, cp);
		} else {
			strbuf_addf(out, "\\x%02x", (unsigned char)*s);
			n = 1;
		}
		s += n;
		len -= n;
	}
	strbuf_addch(out, '"');
}
