/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/engine/http/http.h"

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "tests/unit/tap.h"

static char memory[HTTP_HEAD_MAX + 1];

static int parse(const char *text, struct http_head *ret, struct err *e)
{
	size_t len = strlen(text), end;

	memcpy(memory, text, len + 1);
	end = http_head_end(memory, len);
	memory[end] = 0;
	return end ? http_head_parse(memory, end, ret, e) : -EAGAIN;
}

static void test_good(void)
{
	struct http_head h;
	struct err e = ERR_INIT;

	ok(parse("POST /v1.41/containers/a%2Db/start?t=1&x=%20 HTTP/1.1\r\nHost: d\r\n"
		 "Content-Length:  12 \r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\nrest",
		 &h, &e) == 0,
	   "a head of docker's");
	ok(h.method == HTTP_POST && h.has_length && h.length_bytes == 12 && !h.is_chunked,
	   "length");
	ok(h.wants_upgrade && h.keeps_alive && !h.is_old && !h.wants_continue, "what it wants");
	is_str(h.path, "/v1.41/containers/a-b/start", "the path is decoded");
	is_str(h.query, "t=1&x=%20", "the query is not");
	is_str(http_header(&h, "host"), "d", "names of headers in any case");
	ok(!http_header(&h, "cookie"), "one that is not there");
	ok(parse("GET /_ping HTTP/1.0\n\n", &h, &e) == 0 && h.is_old && !h.keeps_alive,
	   "bare newlines, and the older version, which closes");
	ok(parse("GET /_ping HTTP/1.1\r\nConnection: close\r\n\r\n", &h, &e) == 0 && !h.keeps_alive,
	   "who closes");
	ok(parse("PUT /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n",
		 &h, &e) == 0 &&
		   h.is_chunked && h.wants_continue,
	   "chunks, and who waits");
	is_int(parse("GET / HTTP/1.1\r\nHost: x\r\n", &h, &e), -EAGAIN, "no end yet");
}

static void test_bad(void)
{
	static const struct {
		const char *text;
		int code;
	} bad[] = {
		{"GET\r\n\r\n", EBADMSG},
		{"GET /\r\n\r\n", EBADMSG},
		{"GET  / HTTP/1.1\r\n\r\n", EBADMSG},
		{"GET / x HTTP/1.1\r\n\r\n", EBADMSG},
		{"GET x HTTP/1.1\r\n\r\n", EBADMSG},
		{"GET /%zz HTTP/1.1\r\n\r\n", EBADMSG},
		{"GET /%00 HTTP/1.1\r\n\r\n", EBADMSG},
		{"GET /a/../b HTTP/1.1\r\n\r\n", EBADMSG},
		{"GET /a/%2e%2E HTTP/1.1\r\n\r\n", EBADMSG},
		{"GET /a%2f..%2fb HTTP/1.1\r\n\r\n", EBADMSG},
		{"GET / HTTP/2.0\r\n\r\n", EPROTONOSUPPORT},
		{"G(T / HTTP/1.1\r\n\r\n", EBADMSG},
		{"PATCH / HTTP/1.1\r\n\r\n", ENOSYS},
		{"GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", EBADMSG},
		{"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", EBADMSG},
		{"GET / HTTP/1.1\r\nContent-Length: 1, 1\r\n\r\n", EBADMSG},
		{"GET / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", EBADMSG},
		{"GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
		 EBADMSG},
		{"GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", EBADMSG},
		{"GET / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", EOPNOTSUPP},
		{"GET / HTTP/1.1\r\nExpect: tea\r\n\r\n", EBADMSG},
		{"GET / HTTP/1.1\r\n folded: x\r\n\r\n", EBADMSG},
		{"GET / HTTP/1.1\r\nno colon\r\n\r\n", EBADMSG},
		{"GET / HTTP/1.1\r\nna me: x\r\n\r\n", EBADMSG},
		{"GET / HTTP/1.1\r\nname : x\r\n\r\n", EBADMSG},
		{"GET / HTTP/1.1\r\nname: \001\r\n\r\n", EBADMSG},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct http_head h;
		struct err e = ERR_INIT;

		is_int(parse(bad[i].text, &h, &e), -bad[i].code, "refused: %zu", i);
	}
}

static void test_query(void)
{
	static const char query[] = "a=1&b=x%2Fy+z&c&a=2&=e&t=True&f=FALSE&n=none&bad=%g1";
	_strv_ struct strv all = STRV_INIT;
	_free_ char *v = NULL;
	struct err e = ERR_INIT;

	ok(http_query_get(query, "b", &v, &e) == 0, "a field");
	is_str(v, "x/y z", "decoded");
	ptr_free(&v);
	ok(http_query_get(query, "c", &v, &e) == 0 && v && !*v, "one without a value");
	ptr_free(&v);
	ok(http_query_get(query, "zz", &v, &e) == 0 && !v, "one that is not there");
	is_int(http_query_get(query, "bad", &v, &e), -EBADMSG, "one that cannot be decoded");
	ok(http_query_list(query, "a", &all, &e) == 0 && all.n == 2, "several");
	ok(http_query_true(query, "a") && http_query_true(query, "t"), "what is true");
	ok(!http_query_true(query, "f") && !http_query_true(query, "n") &&
		   !http_query_true(query, "c") && !http_query_true(query, "zz"),
	   "what is not");
}

int main(void)
{
	test_good();
	test_bad();
	test_query();
	return done_testing();
}
