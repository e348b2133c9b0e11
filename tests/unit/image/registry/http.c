/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values that servers send in headers: image/registry/url.h, image/registry/http_value.h,
 * image/registry/auth.h.
 */
#include "image/registry/url.h"

#include "image/registry/auth.h"
#include "image/registry/http_value.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "tests/unit/tap.h"

static void test_urls(void)
{
	static const struct {
		const char *text, *written;
	} good[] = {
		{"https://a", "https://a/"},
		{"HTTPS://A.example:443/x", "https://a.example/x"},
		{"http://a:80?q#f", "http://a/?q"},
		{"http://a:8080/x?y=/../#z", "http://a:8080/x?y=/../"},
		{"https://[::1]:5000/v2/", "https://[::1]:5000/v2/"},
		{"https://a:/x", NULL},
		{"https://a/%2e%2e/x", "https://a/%2e%2e/x"},
	};
	static const char *const bad[] = {
		"",
		"a",
		"ftp://a/",
		"file:///etc/passwd",
		"https://",
		"https:///x",
		"https://u@a/",
		"https://u:p@a/",
		"https://a b/",
		"https://a\\b/",
		"https://a:0/",
		"https://a:65536/",
		"https://a:80:80/",
		"https://a:x/",
		"https://[::1/",
		"https://[::1]x/",
		"https://[]/",
		"https://a\r\nX:",
		"https://\xc3\xa4/",
		"https:/a/",
		"https://a@b@c/",
		"https://a%40b/",
		"//a/",
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		_url_ struct url u = {0};
		int r = url_parse(good[i].text, &u, NULL);
		_free_ char *text = r < 0 ? NULL : url_format(&u);

		if (good[i].written)
			is_str(text, good[i].written, "%s", good[i].text);
		else
			is_int(r, -EBADMSG, "refused: %s", good[i].text);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		_url_ struct url u = {0};

		is_int(url_parse(bad[i], &u, NULL), -EBADMSG, "refused: number %zu", i);
	}
}

/* RFC 3986, 5.4, as far as servers use it; dots stay, the server resolves them. */
static void test_resolve(void)
{
	static const char *const cases[][2] = {
		{"https://other/x", "https://other/x"},
		{"//other:1/x", "https://other:1/x"},
		{"/y", "https://r:5000/y"},
		{"y", "https://r:5000/v2/a/y"},
		{"?z", "https://r:5000/v2/a/b?z"},
		{"", "https://r:5000/v2/a/b"},
		{"y?a=b:c", "https://r:5000/v2/a/y?a=b:c"},
		{"./x:y", "https://r:5000/v2/a/./x:y"},
		{"#f", "https://r:5000/v2/a/b"},
		{"x:y", NULL},
		{"javascript:x", NULL},
		{"/a b", NULL},
	};
	_url_ struct url base = {0};

	is_int(url_parse("https://r:5000/v2/a/b?q=/", &base, NULL), 0, "the base");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_url_ struct url u = {0};
		int r = url_resolve(&base, cases[i][0], &u, NULL);
		_free_ char *text = r < 0 ? NULL : url_format(&u);

		if (cases[i][1])
			is_str(text, cases[i][1], "'%s'", cases[i][0]);
		else
			is_int(r, -EBADMSG, "refused: '%s'", cases[i][0]);
	}
}

static void test_where_one_may_go(void)
{
	static const char *const local[] = {
		"localhost", "LOCALHOST", "localhost.",       "a.localhost",
		"127.0.0.1", "127.1",     "0x7f.1",           "2130706433",
		"0",         "0.0.0.0",   "169.254.169.254",  "::1",
		"::",        "fe80::1",   "::ffff:127.0.0.1", "017700000001",
	};
	static const char *const elsewhere[] = {"example.com", "10.0.0.1",          "192.168.1.1",
						"2001:db8::1", "localhost.example", "xlocalhost",
						"169.253.1.1"};
	static const struct {
		const char *from, *to;
		int want;
	} ways[] = {
		{"https://a/", "https://b/", 0},
		{"http://a/", "https://b/", 0},
		{"http://a/", "http://b/", 0},
		{"https://a/", "http://a/", -EPERM},
		{"https://a/", "https://127.0.0.1/", -EPERM},
		{"http://a/", "http://169.254.169.254/latest/meta-data", -EPERM},
		{"http://a/", "http://0x7f000001/", -EPERM},
		{"http://localhost:1/", "http://127.0.0.1:2/", 0},
		{"http://a/", "http://[::ffff:169.254.169.254]/", -EPERM},
	};

	for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++)
		ok(url_host_is_local(local[i]), "%s is here", local[i]);
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
		ok(!url_host_is_local(elsewhere[i]), "%s is elsewhere", elsewhere[i]);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		_url_ struct url from = {0}, to = {0};

		url_parse(ways[i].from, &from, NULL);
		url_parse(ways[i].to, &to, NULL);
		is_int(url_may_go(&from, &to, NULL), ways[i].want, "%s -> %s", ways[i].from,
		       ways[i].to);
	}
}

static void test_ranges(void)
{
	static const struct {
		const char *text;
		uint64_t first, last, total;
	} good[] = {
		{"bytes 0-9/10", 0, 9, 10},
		{"Bytes 5-5/*", 5, 5, UINT64_MAX},
		{"bytes  1-2/3", 1, 2, 3},
		{"bytes 0-9223372036854775806/9223372036854775807", 0, INT64_MAX - 1, INT64_MAX},
	};
	static const char *const bad[] = {
		"",
		"bytes",
		"bytes */10",
		"bytes 0-9",
		"bytes 0-9/",
		"bytes 9-0/10",
		"bytes 0-10/10",
		"bytes -5/10",
		"bytes 0-9/10 ",
		"bytes 0 -9/10",
		"items 0-9/10",
		"bytes=0-9/10",
		"bytes 0-9/99999999999999999999",
		"bytes 0x0-9/10",
		"bytes 0-9,11-12/20",
		"bytes +0-9/10",
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct content_range r = {0};

		is_int(content_range_parse(good[i].text, &r), 0, "%s", good[i].text);
		ok(r.first == good[i].first && r.last == good[i].last && r.total == good[i].total,
		   "its numbers");
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct content_range r;

		is_int(content_range_parse(bad[i], &r), -EBADMSG, "refused: '%s'", bad[i]);
	}
}

static void test_retry_after(void)
{
	static const struct {
		const char *text;
		long long want_ms; /* -1: refused */
	} cases[] = {
		{"0", 0},
		{"120", 120000},
		{"Tue, 14 Nov 2023 22:13:30 GMT", 10000},
		{"Tue, 14 Nov 2023 22:13:10 GMT", 0},
		{"", -1},
		{"-1", -1},
		{"1.5", -1},
		{"soon", -1},
		{"99999999999", -1},
		{"Tue, 14 Nov 2023 22:13:30 CET", -1},
		{"14 Nov 2023", -1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t ms = 0;
		int r = retry_after_parse(cases[i].text, 1700000000, &ms);

		is_int(r < 0 ? -1 : (long long)ms, cases[i].want_ms, "Retry-After: '%s'",
		       cases[i].text);
	}
}

static void test_types(void)
{
	char type[32];

	ok(media_type_parse("Application/JSON; charset=utf-8", type, sizeof(type)),
	   "with a parameter");
	is_str(type, "application/json", "in lower case, alone");
	ok(!media_type_parse("application/a-type-that-is-too-long", type, sizeof(type)),
	   "too long");
}

/* "scheme realm service scope error|..." of what was parsed, "-" for what is absent. */
static char *describe(const struct auth_challenges *c)
{
	static const char *const names[] = {"other", "basic", "bearer"};
	_strbuf_ struct strbuf b = STRBUF_INIT;

	for (size_t i = 0; i < c->n; i++) {
		const struct auth_challenge *x = &c->items[i];

		strbuf_addf(&b, "%s%s %s %s %s %s", i ? "|" : "", names[x->scheme],
			    x->realm ? x->realm : "-", x->service ? x->service : "-",
			    x->scope ? x->scope : "-", x->error ? x->error : "-");
	}
	return strdup(strbuf_str(&b));
}

static void test_challenges(void)
{
	static const char *const cases[][2] = {
		{"Basic realm=\"x\"", "basic x - - -"},
		{"Bearer realm=\"https://a/t\",service=\"s\",scope=\"repository:a/b:pull,push\"",
		 "bearer https://a/t s repository:a/b:pull,push -"},
		{"BEARER  Realm = \"a\" , SCOPE = b,error=\"insufficient_scope\"",
		 "bearer a - b insufficient_scope"},
		{"Bearer realm=\"a\\\"b\\\\c\"", "bearer a\"b\\c - - -"},
		{"Negotiate abc/+==, Basic realm=x", "other - - - -|basic x - - -"},
		{"Negotiate, Bearer realm=\"x\", Basic realm=\"y\"",
		 "other - - - -|bearer x - - -|basic y - - -"},
		{"Digest realm=\"r\", nonce=\"a,b\", Basic realm=\"y\"",
		 "other r - - -|basic y - - -"},
		{", ,Basic realm=\"\",,", "basic  - - -"},
		{"Basic", "basic - - - -"},
		{"", ""},
		{"Bearer realm=\"x", NULL},
		{"Bearer realm=\"x\\", NULL},
		{"Bearer realm=", "bearer - - - -"},
		{"Bearer realm=\"a\" service=\"b\"", NULL},
		{"Bearer realm=\"a\", realm=\"b\"", NULL},
		{"realm=\"a\"", NULL},
		{"=", NULL},
		{"\"x\"", NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_auth_challenges_ struct auth_challenges c = {0};
		int r = auth_challenges_parse(&c, cases[i][0], NULL);
		_free_ char *got = describe(&c);

		if (cases[i][1] && ok(r == 0, "parsed: %s", cases[i][0]))
			is_str(got, cases[i][1], "%s", cases[i][0]);
		else if (!cases[i][1])
			is_int(r, -EBADMSG, "refused: %s", cases[i][0]);
	}
}

static void test_choice(void)
{
	_auth_challenges_ struct auth_challenges c = {0};

	ok(!auth_choose(&c), "nothing to choose from");
	auth_challenges_parse(&c, "Negotiate, Bearer service=x, Basic realm=a", NULL);
	ok(auth_choose(&c) && auth_choose(&c)->scheme == AUTH_BASIC,
	   "Bearer without realm is none");
	auth_challenges_parse(&c, "Bearer realm=b", NULL);
	ok(auth_choose(&c)->scheme == AUTH_BEARER, "Bearer before Basic");
	for (int i = 0; i < 20; i++)
		auth_challenges_parse(&c, "Basic realm=c", NULL);
	is_int(c.n, AUTH_CHALLENGES_MAX, "surplus ones are left out");
}

static void test_tokens(void)
{
	static const struct {
		const char *text, *token;
		uint64_t seconds;
	} cases[] = {
		{"{\"token\":\"abc\"}", "abc", 60},
		{"{\"access_token\":\"abc\",\"expires_in\":300}", "abc", 300},
		{"{\"token\":\"t\",\"access_token\":\"a\",\"expires_in\":10}", "t", 60},
		{"{\"token\":\"\",\"access_token\":\"a\",\"expires_in\":\"x\"}", "a", 60},
		{"{\"token\":\"a\\r\\nX: y\"}", NULL, 0},
		{"{\"token\":\"a b\"}", NULL, 0},
		{"{\"token\":7}", NULL, 0},
		{"{}", NULL, 0},
		{"[]", NULL, 0},
		{"", NULL, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_free_ char *token = NULL;
		uint64_t seconds = 0;
		int r = auth_token_parse(cases[i].text, strlen(cases[i].text), &token, &seconds,
					 NULL);

		is_int(r < 0, !cases[i].token, "%s", cases[i].text);
		if (cases[i].token && !r)
			ok(str_eq(token, cases[i].token) && seconds == cases[i].seconds,
			   "its token and time");
	}
}

static void test_forms(void)
{
	_strbuf_ struct strbuf url = STRBUF_INIT, form = STRBUF_INIT, said = STRBUF_INIT;
	static const char body[] =
		"{\"errors\":[{\"code\":\"DENIED\",\"message\":\"no\\u001b[1m\\n\"}]}";

	strbuf_addstr(&url, "https://a/t");
	auth_add_query(&url, "scope", "repository:a/b:pull");
	auth_add_query(&url, "account", "a b&c=d");
	is_str(url.data, "https://a/t?scope=repository%3Aa%2Fb%3Apull&account=a%20b%26c%3Dd",
	       "a query");
	auth_add_form(&form, "a", "x+y");
	auth_add_form(&form, "b", "\xc3\xa4");
	is_str(form.data, "a=x%2By&b=%C3%A4", "a form");
	auth_add_error_text(&said, body, strlen(body));
	ok(str_has_prefix(strbuf_str(&said), "DENIED: no") && !strpbrk(said.data, "\033\n"),
	   "an error's text");
	strbuf_reset(&said);
	auth_add_error_text(&said, "<html>", 6);
	is_int(said.len, 0, "not of a web page");
}

int main(void)
{
	test_urls();
	test_resolve();
	test_where_one_may_go();
	test_ranges();
	test_retry_after();
	test_types();
	test_challenges();
	test_choice();
	test_tokens();
	test_forms();
	return done_testing();
}
