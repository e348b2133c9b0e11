/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/frame/ports.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "cmd/docker/frame/fault.h"
#include "cmd/docker/frame/notes.h"
#include "cmd/docker/frame/published.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/life/container_start.h"
#include "runtime/record/port_claim.h"
#include "runtime/spec/name.h"

struct ranges {
	struct port_range *items;
	size_t n;
};

static int parse_address(const char *text, struct port_range *r, struct docker_fault *f)
{
	size_t len = strlen(text);
	_free_ char *bare = *text == '[' && len > 2 ? strndup(text + 1, len - 2) : strdup(text);

	if (!bare)
		return docker_fault(f, 0, ENOMEM, "out of memory");
	r->family = strchr(bare, ':') ? AF_INET6 : AF_INET;
	if (*bare && inet_pton(r->family, bare, r->address) != 1)
		return docker_refuse(f, "invalid IP address: %s", bare);
	return 0;
}

/* "8000/tcp", "8000-8010/udp": of the container, which are those of the machine (run_check.c). */
static void parse_port(const char *text, struct port_range *r)
{
	const char *slash = strchr(text, '/');
	char *end;

	r->first = r->last = (uint16_t)strtoul(text, &end, 10);
	if (*end == '-')
		r->last = (uint16_t)strtoul(end + 1, NULL, 10);
	r->last = r->last < r->first ? r->first : r->last;
	r->protocol = slash && !strcasecmp(slash, "/udp")    ? PORT_UDP
		      : slash && !strcasecmp(slash, "/sctp") ? PORT_SCTP
							     : PORT_TCP;
}

/* Without an address a port is published on all of both families. */
static int add(struct ranges *out, const char *note, struct docker_fault *f)
{
	const struct published p = published_split(note);
	struct port_range r = {0};
	int ret = parse_address(p.ip, &r, f);

	if (ret < 0)
		return ret;
	parse_port(p.port, &r);
	if (!r.first)
		return docker_refuse(f, "invalid containerPort: %s", p.port);
	out->items[out->n++] = r;
	if (!*p.ip) {
		r.family = AF_INET6;
		out->items[out->n++] = r;
	}
	return 0;
}

static int collect(const struct strv *notes, struct ranges *out, struct docker_fault *f)
{
	_strv_ struct strv words = STRV_INIT;
	int r = 0;

	notes_get_all(notes, "publish", &words);
	out->items = calloc(2 * words.n + 1, sizeof(*out->items));
	if (!out->items || strv_check(&words, &f->err) < 0)
		return docker_fault(f, 0, ENOMEM, "out of memory");
	for (size_t i = 0; i < words.n && r >= 0; i++)
		r = add(out, words.items[i], f);
	return r;
}

/* docker's words name an endpoint, a new one for each try. */
static int explain(const struct container_start *s, const struct port_clash *c, int code,
		   struct docker_fault *f)
{
	static const char *const protocols[] = {"tcp", "udp", "sctp"};
	const struct port_range *r = c->range;
	const char *open = r->family == AF_INET6 ? "[" : "", *close = *open ? "]" : "";
	char id[NAME_ID_DIGITS + 1],
		endpoint[NAME_CONTAINER_ID_DIGITS + 1] = "", ip[INET6_ADDRSTRLEN] = "", why[160];

	if (name_new_id(id, NULL) >= 0)
		(void)name_new_container_id(id, endpoint, NULL);
	inet_ntop(r->family, r->address, ip, sizeof(ip));
	if (code == EADDRINUSE && c->is_claimed)
		snprintf(why, sizeof(why), "Bind for %s:%u failed: port is already allocated", ip,
			 c->port);
	else
		snprintf(why, sizeof(why),
			 "Error starting userland proxy: listen %s%c %s%s%s:%u: bind: %s",
			 protocols[r->protocol], r->family == AF_INET6 ? '6' : '4', open, ip, close,
			 c->port,
			 code == EADDRINUSE ? "address already in use"
					    : "cannot assign requested address");
	return docker_fault(
		f, 0, code,
		"driver failed programming external connectivity on endpoint %s (%s): %s",
		s->found.name, endpoint, why);
}

int docker_ports_claim(struct container_start *s, struct docker_fault *f)
{
	const struct strv *notes = &s->found.record.notes;
	const char *network = notes_get(notes, "network", 0);
	struct port_clash clash = {0};
	struct ranges all = {0};
	int r = 0;

	if (!notes_get(notes, "publish", 0) || s->spec.ns.net == NET_NONE ||
	    (network && str_eq(network, "host")))
		return 0;
	r = collect(notes, &all, f);
	if (r >= 0)
		r = s->held_fd = port_claim(s->paths, all.items, all.n, &clash, &f->err);
	if (r < 0 && clash.range)
		r = explain(s, &clash, -r, f);
	free(all.items);
	return r < 0 ? r : 0;
}
