/* SPDX-License-Identifier: Apache-2.0 */

/* Single values of a request, as docker's command line reads them; the socket's are no better. */

#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "cmd/docker/daemon/run_args.h"
#include "cmd/docker/frame/argv.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/spec/rlimit.h"

/* NAME:IP or NAME=IP, or host-gateway in the place of the address. */
int docker_check_add_host(const char *value, struct err *e)
{
	unsigned char address[sizeof(struct in6_addr)];
	size_t n = strcspn(value, ":=");
	const char *ip = value[n] ? value + n + 1 : "";
	_free_ char *bare = strdup(*ip == '[' ? ip + 1 : ip);

	if (!bare)
		return err_oom(e);
	if (*ip == '[' && str_has_suffix(bare, "]"))
		bare[strlen(bare) - 1] = 0;
	if (!n || !*ip)
		return err_set(e, EINVAL, "bad format for add-host: \"%s\"", value);
	if (!str_eq(ip, "host-gateway") && inet_pton(AF_INET, bare, address) != 1 &&
	    inet_pton(AF_INET6, bare, address) != 1)
		return err_set(e, EINVAL, "invalid IP address in add-host: \"%s\"", ip);
	return 0;
}

int docker_check_dns(const char *value, struct err *e)
{
	unsigned char address[sizeof(struct in6_addr)];

	if (inet_pton(AF_INET, value, address) != 1 && inet_pton(AF_INET6, value, address) != 1)
		return err_set(e, EINVAL, "IP address is not correctly formatted: %s", value);
	return 0;
}

static bool is_resource(const char *name, size_t len)
{
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		const char *known = rlimit_name(i);

		if (strlen(known) == len && !strncmp(known, name, len))
			return true;
	}
	return false;
}

static int parse_limit(const char *s, size_t len, int64_t *ret, struct err *e)
{
	_free_ char *text = strndup(s, len);

	return text ? docker_set_int(ret, text, e) : err_oom(e);
}

int docker_check_ulimit(const char *value, struct err *e)
{
	size_t n = strcspn(value, "="), soft_len;
	const char *soft = value[n] ? value + n + 1 : "", *hard;
	int64_t s, h;

	if (!value[n])
		return err_set(e, EINVAL, "invalid ulimit argument: %s", value);
	if (!is_resource(value, n))
		return err_set(e, EINVAL, "invalid ulimit type: %.*s", (int)n, value);
	soft_len = strcspn(soft, ":");
	hard = soft[soft_len] ? soft + soft_len + 1 : NULL;
	if (hard && strchr(hard, ':'))
		return err_set(e, EINVAL,
			       "too many limit value arguments - %s, can only have up to "
			       "two, `soft[:hard]`",
			       soft);
	if (parse_limit(soft, soft_len, &s, e) < 0 ||
	    (hard && parse_limit(hard, strlen(hard), &h, e) < 0))
		return -EINVAL;
	h = hard ? h : s;
	if (h != -1 && (s == -1 || s > h))
		return err_set(e, EINVAL,
			       "ulimit soft limit must be less than or equal to hard limit: %lld > "
			       "%lld",
			       (long long)s, (long long)h);
	return 0;
}

/* kernel.msg*, kernel.shm*, kernel.sem, fs.mqueue.*, net.*: as docker's own check. */
int docker_check_sysctl(const char *value, struct err *e)
{
	static const char *const prefixes[] = {"net.", "fs.mqueue.", "kernel.msg", "kernel.sem",
					       "kernel.shm"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (str_has_prefix(value, prefixes[i]))
			return 0;
	}
	return err_set(e, EINVAL, "sysctl '%s' is not allowed", value);
}

int docker_check_label(const char *value, struct err *e)
{
	return *value == '=' ? err_set(e, EINVAL, "invalid label '%s': empty name", value) : 0;
}

int docker_check_values(const struct docker_run_args *a, struct err *e)
{
	const struct {
		const struct strv *values;
		int (*check)(const char *value, struct err *e);
	} lists[] = {
		{&a->add_hosts, docker_check_add_host}, {&a->dns, docker_check_dns},
		{&a->ulimits, docker_check_ulimit},     {&a->sysctls, docker_check_sysctl},
		{&a->labels, docker_check_label},
	};
	int r = 0;

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		for (size_t k = 0; r >= 0 && k < lists[i].values->n; k++)
			r = lists[i].check(lists[i].values->items[k], e);
	}
	return r;
}
