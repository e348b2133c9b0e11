/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/enroot/verb/uri.h"

#include <stdlib.h>
#include <unistd.h>

#include "cmd/enroot/frame/enroot.h"
#include "cmd/image/settings.h"
#include "image/table/ref.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"

#define DOCKER "docker://"

static bool has_scheme(const char *uri)
{
	static const char *const schemes[] = {DOCKER, "dockerd://",   "podman://",
					      "oci:", "oci-archive:", "docker-archive:",
					      "tar:", "dir:"};

	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		if (str_has_prefix(uri, schemes[i]) && uri[strlen(schemes[i])])
			return true;
	}
	return false;
}

/* A number of enroot's as csbx's of another range; one out of it is cut to its ends. */
static int set_number(const struct enroot *x, const char *key, uint64_t max, uint64_t factor,
		      uint64_t *ret, struct err *e)
{
	const struct enroot_setting *s = enroot_conf_find(&x->conf, key);
	uint64_t n;

	if (!s || !*s->value)
		return 0;
	if (num_parse_u64(s->value, UINT32_MAX, &n) < 0)
		return err_set(e, EINVAL, "%s: %s=%s: not a number", s->place, key, s->value);
	if (n)
		*ret = n > max / factor ? max : n * factor;
	return 0;
}

static int set_numbers(const struct enroot *x, struct image_settings *o, struct err *e)
{
	struct registry_opts *g = &o->source.registry;
	int r = 0;

	if (!o->output.threads)
		r = set_number(x, "ENROOT_MAX_PROCESSORS", 64, 1, &o->output.threads, e);
	if (r >= 0 && !g->connections)
		r = set_number(x, "ENROOT_MAX_CONNECTIONS", 32, 1, &g->connections, e);
	if (r >= 0 && !g->timeout_ms)
		r = set_number(x, "ENROOT_CONNECT_TIMEOUT", 3600000, 1000, &g->timeout_ms, e);
	if (r >= 0 && !g->tries)
		r = set_number(x, "ENROOT_TRANSFER_RETRIES", 100, 1, &g->tries, e);
	return r;
}

/* ENROOT_ALLOW_HTTP is for every registry; csbx names those it trusts so. */
static int allow_http(const struct enroot *x, const char *uri, struct image_settings *o,
		      struct err *e)
{
	_image_ref_ struct image_ref ref = {0};

	if (!enroot_conf_flag(&x->conf, "ENROOT_ALLOW_HTTP", false) || !str_has_prefix(uri, DOCKER))
		return 0;
	if (image_ref_parse(uri + strlen(DOCKER), &ref, e) < 0)
		return err_wrap(e, "Invalid argument: %s", uri);
	strv_add(&o->source.registry.insecure, ref.registry);
	return strv_check(&o->source.registry.insecure, e);
}

/* Reads the one option of mksquashfs that matters: which compressor, and how hard it tries. */
static int set_compressor(const struct enroot *x, struct image_settings *o)
{
	static const char comp[] = "-comp ", level[] = "-Xcompression-level ";
	const char *words = enroot_conf_get(&x->conf, "ENROOT_SQUASH_OPTIONS");
	const char *name = words ? strstr(words, comp) : NULL;
	const char *number = words ? strstr(words, level) : NULL;
	_free_ char *value = NULL;

	if (!name || getenv("CSBX_COMP"))
		return 0;
	name += strlen(comp);
	if (number)
		number += strlen(level);
	value = str_printf("%.*s%s%.*s", (int)strcspn(name, " "), name, number ? ":" : "",
			   number ? (int)strcspn(number, " ") : 0, number ? number : "");
	if (!value)
		return -ENOMEM;
	if (squash_parse_comp(value, &o->output.squash.comp, &o->output.squash.level, NULL) < 0)
		enroot_warn("ENROOT_SQUASH_OPTIONS: %s is not a compressor that csbx has; zstd is "
			    "used",
			    value);
	return 0;
}

/* enroot.conf may have the variables that curl and the TLS library look for in the environment. */
static int export_settings(const struct enroot *x, struct err *e)
{
	static const char *const keys[] = {"SSL_CERT_DIR", "SSL_CERT_FILE", "all_proxy",
					   "no_proxy",     "http_proxy",    "https_proxy"};
	_free_ char *config = enroot_config_dir(&x->conf);

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct enroot_setting *s = enroot_conf_find(&x->conf, keys[i]);

		if (s && *s->value && setenv(keys[i], s->value, 0) < 0)
			return err_oom(e);
	}
	/* The directory of .credentials. */
	if (!config || setenv("ENROOT_CONFIG_PATH", config, 1) < 0)
		return err_oom(e);
	return 0;
}

int enroot_image_settings(struct enroot *x, const char *uri, const char *arch,
			  struct image_settings *ret, struct err *e)
{
	int r;

	*ret = (struct image_settings){0};
	if (!has_scheme(uri))
		return err_set(e, EINVAL, "Invalid argument: %s", uri);
	r = image_settings_read(&x->cmd, ret, e);
	if (r >= 0 && arch)
		ret->source.arch = arch;
	if (r >= 0)
		r = set_numbers(x, ret, e);
	if (r >= 0)
		r = allow_http(x, uri, ret, e);
	if (r >= 0)
		r = set_compressor(x, ret);
	if (r >= 0)
		r = export_settings(x, e);
	ret->output.quiet = !isatty(STDERR_FILENO);
	return r;
}
