/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/daemon/etc.h"

#include <stdlib.h>

#include "cmd/docker/daemon/run_args.h"
#include "runtime/base/err.h"
#include "runtime/base/io.h"
#include "runtime/spec/spec.h"

#define HOST_FILE_BYTES_MAX (1u << 20)

static const char hosts_head[] = "127.0.0.1\tlocalhost\n"
				 "::1\tlocalhost ip6-localhost ip6-loopback\n"
				 "fe00::0\tip6-localnet\n"
				 "ff00::0\tip6-mcastprefix\n"
				 "ff02::1\tip6-allnodes\n"
				 "ff02::2\tip6-allrouters\n";

static int add_file(struct container_spec *s, const char *path, struct strbuf *text, struct err *e)
{
	size_t len = text->len;
	int r = strbuf_check(text, e);
	char *data = r < 0 ? NULL : strbuf_take(text);

	if (r >= 0 && !data)
		data = calloc(1, 1);
	return data ? spec_add_file(s, path, data, len, e) : err_oom(e);
}

/* "name:address" or "name=address"; host-gateway is this machine, whose network it shares. */
static void add_host(const char *text, struct strbuf *out)
{
	size_t n = strcspn(text, ":=");
	const char *ip = text + n + 1;

	if (str_eq(ip, "host-gateway"))
		ip = "127.0.0.1";
	if (*ip == '[')
		strbuf_addf(out, "%.*s", (int)strcspn(ip + 1, "]"), ip + 1);
	else
		strbuf_addstr(out, ip);
	strbuf_addf(out, "\t%.*s\n", (int)n, text);
}

static int add_hosts(const struct docker_run_args *a, struct container_spec *s, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;

	if (s->ns.net != NET_HOST ||
	    io_read_path("/etc/hosts", HOST_FILE_BYTES_MAX, &text, NULL) < 0) {
		strbuf_reset(&text);
		strbuf_addstr(&text, hosts_head);
	}
	for (size_t i = 0; i < a->add_hosts.n; i++)
		add_host(a->add_hosts.items[i], &text);
	return add_file(s, "etc/hosts", &text, e);
}

/* Lines of the host's file that the flags do not replace. */
static void keep_lines(const struct strbuf *host, const char *word, struct strbuf *out)
{
	const char *line = strbuf_str(host);

	while (*line) {
		size_t n = strcspn(line, "\n");

		if (!strncmp(line, word, strlen(word)))
			strbuf_addf(out, "%.*s\n", (int)n, line);
		line += n + (line[n] == '\n');
	}
}

static void add_words(const char *word, const struct strv *values, struct strbuf *out)
{
	if (!values->n)
		return;
	strbuf_addstr(out, word);
	for (size_t i = 0; i < values->n; i++)
		strbuf_addf(out, " %s", values->items[i]);
	strbuf_addch(out, '\n');
}

static int add_resolv(const struct docker_run_args *a, struct container_spec *s, struct err *e)
{
	_strbuf_ struct strbuf host = STRBUF_INIT, text = STRBUF_INIT;

	(void)io_read_path("/etc/resolv.conf", HOST_FILE_BYTES_MAX, &host, NULL);
	if (a->dns_search.n)
		add_words("search", &a->dns_search, &text);
	else
		keep_lines(&host, "search", &text);
	for (size_t i = 0; i < a->dns.n; i++)
		strbuf_addf(&text, "nameserver %s\n", a->dns.items[i]);
	if (!a->dns.n)
		keep_lines(&host, "nameserver", &text);
	if (a->dns_options.n)
		add_words("options", &a->dns_options, &text);
	else
		keep_lines(&host, "options", &text);
	return add_file(s, "etc/resolv.conf", &text, e);
}

int docker_etc_add(const struct docker_run_args *a, struct container_spec *s, struct err *e)
{
	_strbuf_ struct strbuf empty = STRBUF_INIT;
	int r = add_file(s, ".dockerenv", &empty, e);

	if (r >= 0 && (a->add_hosts.n || s->ns.net == NET_NONE))
		r = add_hosts(a, s, e);
	if (r >= 0 && (a->dns.n || a->dns_search.n || a->dns_options.n || s->ns.net == NET_NONE))
		r = add_resolv(a, s, e);
	return r;
}
