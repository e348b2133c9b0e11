/* SPDX-License-Identifier: Apache-2.0 */
#include "image/registry/url.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <strings.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"

static bool is_host_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '.' || c == '-' || c == '_';
}

static int check_bytes(const char *s, struct err *e)
{
	if (strlen(s) > URL_MAX)
		return err_set(e, EBADMSG, "a URL of more than %d bytes", URL_MAX);
	for (; *s; s++) {
		if (*s <= ' ' || *s >= 0x7f || strchr("\\\"<>^`{|}", *s))
			return err_set(e, EBADMSG, "a URL with a byte that none may have");
	}
	return 0;
}

/* ":PORT" or nothing. */
static int parse_port(const char *s, size_t len, struct url *u, struct err *e)
{
	char digits[6] = "";
	uint64_t port;

	u->port = u->https ? 443 : 80;
	if (!len)
		return 0;
	if (len > sizeof(digits))
		return err_set(e, EBADMSG, "a URL with a bad port");
	memcpy(digits, s + 1, len - 1);
	if (*s != ':' || num_parse_u64(digits, 65535, &port) < 0 || !port)
		return err_set(e, EBADMSG, "a URL with a bad port");
	u->port = (unsigned)port;
	return 0;
}

static int parse_authority(const char *s, size_t len, struct url *u, struct err *e)
{
	size_t n = 0;

	if (memchr(s, '@', len))
		return err_set(e, EBADMSG, "a URL with a user name in it");
	if (len && *s == '[') {
		const char *end = memchr(s, ']', len);

		n = end ? (size_t)(end - s) : 0;
		if (n < 2 || strspn(s + 1, "0123456789abcdefABCDEF:.") != n - 1)
			return err_set(e, EBADMSG, "a URL with a bad host");
		u->host = strndup(s + 1, n - 1);
		n++;
	} else {
		while (n < len && is_host_char(s[n]))
			n++;
		if (!n || n > 253)
			return err_set(e, EBADMSG, "a URL with a bad host");
		u->host = strndup(s, n);
	}
	if (!u->host)
		return err_oom(e);
	for (char *p = u->host; *p; p++)
		*p = (char)(*p >= 'A' && *p <= 'Z' ? *p + 'a' - 'A' : *p);
	return parse_port(s + n, len - n, u, e);
}

static int set_path(struct url *u, const char *dir, size_t dir_len, const char *s, struct err *e)
{
	u->path = str_printf("%.*s%.*s", (int)dir_len, dir, (int)strcspn(s, "#"), s);
	return u->path ? 0 : err_oom(e);
}

/* Parses the part after "scheme://". */
static int parse_rest(const char *s, bool https, struct url *ret, struct err *e)
{
	_url_ struct url u = {.https = https};
	size_t n = strcspn(s, "/?#");
	int r = parse_authority(s, n, &u, e);

	if (r >= 0)
		r = set_path(&u, "/", s[n] == '/' ? 0 : 1, s + n, e);
	if (r < 0)
		return r;
	*ret = u;
	u = (struct url){0};
	return 0;
}

int url_parse(const char *text, struct url *ret, struct err *e)
{
	int r = check_bytes(text, e);

	if (r < 0)
		return r;
	if (!strncasecmp(text, "https://", 8))
		return parse_rest(text + 8, true, ret, e);
	if (!strncasecmp(text, "http://", 7))
		return parse_rest(text + 7, false, ret, e);
	return err_set(e, EBADMSG, "a URL that is neither http:// nor https://");
}

/* A relative reference has no colon in its first segment; a text with one has a scheme. */
static bool has_scheme(const char *s)
{
	return s[strcspn(s, ":/?#")] == ':';
}

int url_resolve(const struct url *base, const char *location, struct url *ret, struct err *e)
{
	_url_ struct url u = {.https = base->https, .port = base->port};
	size_t path_len = strcspn(base->path, "?"), dir_len = path_len;
	int r = check_bytes(location, e);

	if (r < 0)
		return r;
	if (has_scheme(location))
		return url_parse(location, ret, e);
	if (str_has_prefix(location, "//"))
		return parse_rest(location + 2, base->https, ret, e);
	while (dir_len && base->path[dir_len - 1] != '/')
		dir_len--;
	if (*location == '/')
		dir_len = 0;
	else if (*location == '?' || !*location || *location == '#')
		dir_len = path_len;
	u.host = strdup(base->host);
	r = u.host ? set_path(&u, base->path, dir_len, location, e) : err_oom(e);
	if (r < 0)
		return r;
	*ret = u;
	u = (struct url){0};
	return 0;
}

void url_free(struct url *u)
{
	free(u->host);
	free(u->path);
	*u = (struct url){0};
}

char *url_format_origin(const struct url *u)
{
	const char *scheme = u->https ? "https" : "http";
	bool v6 = strchr(u->host, ':');

	if (u->port == (u->https ? 443 : 80))
		return str_printf(v6 ? "%s://[%s]" : "%s://%s", scheme, u->host);
	return str_printf(v6 ? "%s://[%s]:%u" : "%s://%s:%u", scheme, u->host, u->port);
}

char *url_format(const struct url *u)
{
	_free_ char *origin = url_format_origin(u);

	return origin ? str_printf("%s%s", origin, u->path) : NULL;
}

bool url_same_origin(const struct url *a, const struct url *b)
{
	return a->https == b->https && a->port == b->port && str_eq(a->host, b->host);
}

static bool v4_is_local(const struct in_addr *a)
{
	uint32_t ip = ntohl(a->s_addr);

	return ip >> 24 == 127 || ip >> 24 == 0 || ip >> 16 == 0xa9fe;
}

static bool v6_is_local(const struct in6_addr *a)
{
	struct in_addr v4;

	if (IN6_IS_ADDR_V4MAPPED(a) || IN6_IS_ADDR_V4COMPAT(a)) {
		memcpy(&v4, &a->s6_addr[12], sizeof(v4));
		if (v4_is_local(&v4))
			return true;
	}
	return IN6_IS_ADDR_LOOPBACK(a) || IN6_IS_ADDR_UNSPECIFIED(a) || IN6_IS_ADDR_LINKLOCAL(a);
}

bool url_host_is_local(const char *host)
{
	size_t n = strlen(host);
	struct in6_addr v6;
	struct in_addr v4;

	if (n && host[n - 1] == '.')
		n--;
	if ((n == 9 && !strncasecmp(host, "localhost", 9)) ||
	    (n > 10 && !strncasecmp(host + n - 10, ".localhost", 10)))
		return true;
	if (inet_aton(host, &v4))
		return v4_is_local(&v4);
	return inet_pton(AF_INET6, host, &v6) == 1 && v6_is_local(&v6);
}

int url_may_go(const struct url *from, const struct url *to, struct err *e)
{
	if (from->https && !to->https)
		return err_set(e, EPERM, "from https to http");
	if (url_host_is_local(to->host) && !url_host_is_local(from->host))
		return err_set(e, EPERM, "to an address of this machine");
	return 0;
}
