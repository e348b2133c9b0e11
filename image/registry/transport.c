/* SPDX-License-Identifier: Apache-2.0 */
#include "image/registry/transport.h"

/* Its checks of types call the functions by name. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "image/registry/url.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/log.h"

#define STALL_BYTES_PER_S 1000L

/*
 * libcurl is loaded by the first who opens a transport: with the thirty libraries that it needs,
 * the dynamic loader would take half the time of a build that asks no registry. Mustn't: be the
 * first in a process that sees an image's files as its own root.
 */
#define LIBRARY "libcurl.so.4" /* the interface of curl.h since 7.16 */
#define FUNCTIONS(X)          \
	X(curl_easy_cleanup)  \
	X(curl_easy_getinfo)  \
	X(curl_easy_init)     \
	X(curl_easy_perform)  \
	X(curl_easy_reset)    \
	X(curl_easy_setopt)   \
	X(curl_easy_strerror) \
	X(curl_global_init)   \
	X(curl_slist_append)  \
	X(curl_slist_free_all)
/* NOLINTNEXTLINE(bugprone-macro-parentheses): the name that is declared */
#define DECLARE(name) __typeof__(name) *name;
#define LOOK_UP(name) ok &= !!(*(void **)&lib.name = dlsym(handle, #name));

static struct {
	bool is_there;
	char why[200];
	FUNCTIONS(DECLARE)
} lib;

static void load(void)
{
	void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	bool ok = handle;
	const char *why;

	if (handle) {
		FUNCTIONS(LOOK_UP)
	}
	why = ok ? NULL : dlerror();
	snprintf(lib.why, sizeof(lib.why), "%.150s%s", why ? why : "libcurl does not start",
		 handle ? "" : "; install libcurl (Debian: libcurl4)");
	lib.is_there = ok && !lib.curl_global_init(CURL_GLOBAL_DEFAULT);
}

struct transport {
	CURL *curl;
};

/* A request under way; the callbacks see it. */
struct exchange {
	CURL *curl;
	const struct http_request *q;
	struct http_response *answer;
	size_t header_bytes;
	bool begun, heard;
	int failure; /* -errno of a callback, with its text in e */
	struct err *e;
};

int transport_open(struct transport **ret, struct err *e)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct transport *t = calloc(1, sizeof(*t));

	if (!t)
		return err_oom(e);
	(void)pthread_once(&once, load);
	if (lib.is_there)
		t->curl = lib.curl_easy_init();
	if (!t->curl) {
		free(t);
		return err_set(e, ENOSYS, "%s", lib.why);
	}
	*ret = t;
	return 0;
}

void transport_close(struct transport **t)
{
	if (!*t)
		return;
	lib.curl_easy_cleanup((*t)->curl);
	free(*t);
	*t = NULL;
}

void http_response_free(struct http_response *answer)
{
	strv_free(&answer->headers);
	strbuf_free(&answer->body);
	*answer = (struct http_response){0};
}

const char *http_answer_header(const struct http_response *answer, const char *name, size_t i)
{
	size_t n = strlen(name);

	for (size_t k = 0; k < answer->headers.n; k++) {
		const char *h = answer->headers.items[k];

		if (!strncasecmp(h, name, n) && h[n] == ':' && !i--)
			return h + n + 1 + strspn(h + n + 1, " \t");
	}
	return NULL;
}

static int fail(struct exchange *x, int code)
{
	x->failure = code < 0 ? code : -EIO;
	return 0;
}

/* curl hands over whole lines, those of every answer on the way to the last one. */
static size_t on_header(char *line, size_t size, size_t n, void *arg)
{
	struct exchange *x = arg;
	size_t len = n;

	(void)size;
	x->heard = true;
	if (len >= 5 && !memcmp(line, "HTTP/", 5)) {
		strv_free(&x->answer->headers);
		x->header_bytes = 0;
		return n;
	}
	while (len && strchr(" \t\r\n", line[len - 1]))
		len--;
	x->header_bytes += n;
	if (x->header_bytes > TRANSPORT_HEADERS_MAX || memchr(line, 0, len)) {
		fail(x, err_set(x->e, EBADMSG,
				"malformed answer: headers of more than %u bytes or with NULs",
				TRANSPORT_HEADERS_MAX));
		return n + 1;
	}
	if (len)
		strv_addn(&x->answer->headers, line, len);
	return n;
}

static bool is_success(const struct http_response *answer)
{
	return answer->status >= 200 && answer->status < 300;
}

/* Once, when the last answer's headers are complete. */
static int begin(struct exchange *x)
{
	long status = 0;

	x->begun = true;
	lib.curl_easy_getinfo(x->curl, CURLINFO_RESPONSE_CODE, &status);
	x->answer->status = status > 0 && status < 1000 ? (unsigned)status : 0;
	if (strv_check(&x->answer->headers, x->e) < 0)
		return -ENOMEM;
	if (!is_success(x->answer) || !x->q->begin)
		return 0;
	return x->q->begin(x->q->arg, x->answer, x->e);
}

/* An error's body is for a message: the rest that does not fit is not missed. */
static int collect(struct exchange *x, const void *data, size_t len)
{
	struct strbuf *body = &x->answer->body;
	bool success = is_success(x->answer);
	size_t max = success ? x->q->max_bytes : TRANSPORT_ERROR_BODY_MAX;

	if (success && len > max - body->len)
		return err_set(x->e, EFBIG, "more than %zu bytes in an answer", max);
	strbuf_add(body, data, len < max - body->len ? len : max - body->len);
	return strbuf_check(body, x->e);
}

static size_t on_body(char *data, size_t size, size_t n, void *arg)
{
	struct exchange *x = arg;
	int r = x->begun ? 0 : begin(x);

	(void)size;
	x->heard = true;
	if (r >= 0 && x->q->sink && is_success(x->answer))
		r = x->q->sink(x->q->arg, data, n, x->e);
	else if (r >= 0)
		r = collect(x, data, n);
	if (r >= 0)
		return n;
	fail(x, r);
	return n + 1;
}

static int on_tick(void *arg, curl_off_t dltotal, curl_off_t dlnow, curl_off_t ultotal,
		   curl_off_t ulnow)
{
	struct exchange *x = arg;
	bool heard = x->heard;

	(void)dltotal;
	(void)dlnow;
	(void)ultotal;
	(void)ulnow;
	x->heard = false;
	if (x->q->tick)
		x->q->tick(x->q->tick_arg, x->q, heard);
	return x->q->cancel && *x->q->cancel;
}

/*
 * curl trusts the certificates it is given *instead* of its own file, so the system's go with
 * them. The variables are OpenSSL's, which curl's library does not read by itself.
 */
static int set_trust(CURL *curl, const struct transport_tls *tls, struct err *e)
{
	const char *file = secure_getenv("SSL_CERT_FILE"), *dir = secure_getenv("SSL_CERT_DIR");
	_strbuf_ struct strbuf pem = STRBUF_INIT;
	struct curl_blob blob = {.flags = CURL_BLOB_COPY};
	char *system = NULL;

	if (dir && *dir)
		lib.curl_easy_setopt(curl, CURLOPT_CAPATH, dir);
	if (file && *file)
		lib.curl_easy_setopt(curl, CURLOPT_CAINFO, file);
	if (!tls->ca_pem)
		return 0;
	if (!file || !*file) {
		lib.curl_easy_getinfo(curl, CURLINFO_CAINFO, &system);
		file = system;
	}
	strbuf_addstr(&pem, tls->ca_pem);
	strbuf_addch(&pem, '\n');
	if (file)
		io_read_path(file, 16u << 20, &pem, NULL);
	if (strbuf_check(&pem, e) < 0)
		return -ENOMEM;
	blob.data = pem.data;
	blob.len = pem.len;
	lib.curl_easy_setopt(curl, CURLOPT_CAINFO_BLOB, &blob);
	return 0;
}

static int set_tls(CURL *curl, const struct transport_tls *tls, struct err *e)
{
	lib.curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	if (!tls)
		return 0;
	if (tls->no_verify) {
		lib.curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);
		lib.curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 0L);
	}
	if (tls->cert_file)
		lib.curl_easy_setopt(curl, CURLOPT_SSLCERT, tls->cert_file);
	if (tls->key_file)
		lib.curl_easy_setopt(curl, CURLOPT_SSLKEY, tls->key_file);
	return set_trust(curl, tls, e);
}

static void set_limits(CURL *curl, const struct transport_limits *l)
{
	long stall_s = (long)((l->stall_ms + 999) / 1000);

	lib.curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)l->connect_ms);
	lib.curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, STALL_BYTES_PER_S);
	lib.curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, stall_s ? stall_s : 1);
}

static void set_method(CURL *curl, const struct http_request *q)
{
	if (str_eq(q->method, "HEAD")) {
		lib.curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
	} else if (str_eq(q->method, "POST") || str_eq(q->method, "PUT") ||
		   str_eq(q->method, "PATCH")) {
		const void *data = q->data ? q->data : q->body ? q->body : "";
		size_t len = q->data ? q->data_len : q->body ? strlen(q->body) : 0;

		lib.curl_easy_setopt(curl, CURLOPT_POST, 1L);
		lib.curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, q->method);
		lib.curl_easy_setopt(curl, CURLOPT_POSTFIELDS, data);
		lib.curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
	} else {
		lib.curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L);
	}
}

static int set_headers(CURL *curl, const struct http_request *q, struct curl_slist **list,
		       struct err *e)
{
	for (size_t i = 0; q->headers && i < q->headers->n; i++) {
		struct curl_slist *more = lib.curl_slist_append(*list, q->headers->items[i]);

		if (!more)
			return err_oom(e);
		*list = more;
	}
	lib.curl_easy_setopt(curl, CURLOPT_HTTPHEADER, *list);
	return 0;
}

static int set_target(CURL *curl, const struct http_request *q, struct err *e)
{
	_free_ char *url = url_format(q->url);

	if (!url || lib.curl_easy_setopt(curl, CURLOPT_URL, url))
		return err_oom(e);
	lib.curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, q->url->https ? "https" : "http");
	if (q->unix_socket)
		lib.curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, q->unix_socket);
	/* As Go's clients do: a server on this machine is not reached through a proxy. */
	if (q->unix_socket || url_host_is_local(q->url->host))
		lib.curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
	return 0;
}

static void set_callbacks(CURL *curl, struct exchange *x, char *text)
{
	lib.curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, text);
	lib.curl_easy_setopt(curl, CURLOPT_USERAGENT, "csbx/" CSBX_VERSION);
	lib.curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	lib.curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	lib.curl_easy_setopt(curl, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	lib.curl_easy_setopt(curl, CURLOPT_BUFFERSIZE, 256L << 10);
	lib.curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
	lib.curl_easy_setopt(curl, CURLOPT_HEADERDATA, x);
	lib.curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
	lib.curl_easy_setopt(curl, CURLOPT_WRITEDATA, x);
	lib.curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_tick);
	lib.curl_easy_setopt(curl, CURLOPT_XFERINFODATA, x);
	lib.curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
}

/* OpenSSL writes without MSG_NOSIGNAL: a server that hangs up would end the process. */
static CURLcode perform_without_sigpipe(CURL *curl)
{
	const struct timespec now = {0};
	sigset_t set, old, pending;
	bool was_pending;
	CURLcode code;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigpending(&pending);
	was_pending = sigismember(&pending, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	code = lib.curl_easy_perform(curl);
	while (!was_pending && sigtimedwait(&set, NULL, &now) < 0 && errno == EINTR)
		;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return code;
}

static int errno_of(CURLcode code)
{
	switch (code) {
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
		return EHOSTUNREACH;
	case CURLE_COULDNT_CONNECT:
		return ECONNREFUSED;
	case CURLE_OPERATION_TIMEDOUT:
		return ETIMEDOUT;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_CERTPROBLEM:
		return EKEYREJECTED;
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_WEIRD_SERVER_REPLY:
	case CURLE_BAD_CONTENT_ENCODING:
		return EPROTO;
	case CURLE_PARTIAL_FILE:
	case CURLE_RECV_ERROR:
	case CURLE_SEND_ERROR:
	case CURLE_GOT_NOTHING:
		return ECONNRESET;
	case CURLE_ABORTED_BY_CALLBACK:
		return ECANCELED;
	case CURLE_OUT_OF_MEMORY:
		return ENOMEM;
	default:
		return EIO;
	}
}

/*
 * Why the exchange failed. A server that misses our certificate sends a TLS alert, which libcurl
 * tells in the text of its library alone; with TLS 1.3 it comes when the handshake is over for us.
 */
static int failed(struct exchange *x, CURLcode code, const char *text)
{
	bool is_alert = strstr(text, " alert ");
	int number = is_alert && errno_of(code) == ECONNRESET ? EKEYREJECTED : errno_of(code);
	int r = err_set(x->e, number, "%.300s", *text ? text : lib.curl_easy_strerror(code));

	return is_alert ? err_from(ERR_TLS_CLIENT, x->e, r) : r;
}

/* A proxy that does not let us through to a TLS server; 0: none did. */
static long refused_by_proxy(CURL *curl)
{
	long status = 0;

	lib.curl_easy_getinfo(curl, CURLINFO_HTTP_CONNECTCODE, &status);
	return status >= 300 ? status : 0;
}

static int conclude(struct exchange *x, CURLcode code, const char *text)
{
	int r = 0;

	if (!x->failure && code == CURLE_OK && !x->begun)
		r = begin(x);
	if (x->failure || r < 0)
		return x->failure ? x->failure : r;
	if (code == CURLE_OK)
		return x->answer->status ? 0 : err_set(x->e, EPROTO, "not an HTTP answer");
	if (errno_of(code) == ECANCELED)
		return err_set(x->e, ECANCELED, "interrupted");
	if (refused_by_proxy(x->curl))
		return err_set(x->e, EPROTO, "the proxy answered %ld to CONNECT",
			       refused_by_proxy(x->curl));
	return failed(x, code, text);
}

int transport_request(struct transport *t, const struct http_request *q,
		      struct http_response *answer, struct err *e)
{
	struct exchange x = {.curl = t->curl, .q = q, .answer = answer, .e = e};
	char text[CURL_ERROR_SIZE] = "";
	struct curl_slist *list = NULL;
	CURLcode code = CURLE_OK;
	int r;

	http_response_free(answer);
	lib.curl_easy_reset(t->curl); /* keeps the connections */
	set_callbacks(t->curl, &x, text);
	set_limits(t->curl, &q->limits);
	set_method(t->curl, q);
	r = set_target(t->curl, q, e);
	if (r >= 0)
		r = set_tls(t->curl, q->tls, e);
	if (r >= 0)
		r = set_headers(t->curl, q, &list, e);
	if (r >= 0) {
		code = perform_without_sigpipe(t->curl);
		r = conclude(&x, code, text);
	}
	lib.curl_slist_free_all(list);
	/* The path may hold a signature; the origin tells enough. */
	log_trace("%s %s:%u: %u, %d", q->method, q->url->host, q->url->port, answer->status, r);
	return r;
}
