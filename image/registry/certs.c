/* SPDX-License-Identifier: Apache-2.0 */
#include "image/registry/certs.h"

#include <dirent.h>
#include <stdlib.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"

#define CERTS_FILE_MAX (1u << 20)

static int add_authority(struct certs *c, const char *path, struct err *e)
{
	int r = io_read_path(path, CERTS_FILE_MAX, &c->ca, e);

	strbuf_addch(&c->ca, '\n');
	return r < 0 ? r : strbuf_check(&c->ca, e);
}

/* NAME.cert belongs with NAME.key; one pair can be shown, and a second would be guesswork. */
static int set_pair(struct certs *c, const char *path, struct err *e)
{
	if (c->cert_file)
		return err_set(e, EINVAL, "%s: a second client certificate besides %s", path,
			       c->cert_file);
	c->cert_file = strdup(path);
	c->key_file = str_printf("%.*s.key", (int)(strlen(path) - strlen(".cert")), path);
	if (!c->cert_file || !c->key_file)
		return err_oom(e);
	return access(c->key_file, R_OK) < 0 ? err_sys(e, "%s", c->key_file) : 0;
}

/* 1 when the directory is there. */
static int load_dir(struct certs *c, const char *dir, struct err *e)
{
	struct dirent **names;
	int n = scandir(dir, &names, NULL, alphasort), r = 0;

	if (n < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == EACCES
			       ? 0
			       : err_sys(e, "%s", dir);
	for (int i = 0; i < n; i++) {
		_free_ char *path = str_printf("%s/%s", dir, names[i]->d_name);

		if (!path)
			r = err_oom(e);
		else if (r >= 0 && str_has_suffix(path, ".crt"))
			r = add_authority(c, path, e);
		else if (r >= 0 && str_has_suffix(path, ".cert"))
			r = set_pair(c, path, e);
		free(names[i]);
	}
	free(names);
	return r < 0 ? r : 1;
}

static char *user_dir(const char *registry)
{
	const char *config = secure_getenv("XDG_CONFIG_HOME"), *home = secure_getenv("HOME");

	if (config && *config)
		return str_printf("%s/containers/certs.d/%s", config, registry);
	return home && *home ? str_printf("%s/.config/containers/certs.d/%s", home, registry)
			     : NULL;
}

int certs_load(const char *registry, struct certs *ret, struct err *e)
{
	_free_ char *own = user_dir(registry);
	_free_ char *containers = str_printf("/etc/containers/certs.d/%s", registry);
	_free_ char *docker = str_printf("/etc/docker/certs.d/%s", registry);
	const char *const dirs[] = {own, containers, docker};
	int r = 0;

	*ret = (struct certs){0};
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]) && !r; i++)
		r = dirs[i] ? load_dir(ret, dirs[i], e) : 0;
	if (r < 0) {
		certs_free(ret);
		return err_wrap(e, "certificates for %s", registry);
	}
	ret->tls = (struct transport_tls){.ca_pem = ret->ca.len ? ret->ca.data : NULL,
					  .cert_file = ret->cert_file,
					  .key_file = ret->key_file};
	return 0;
}

void certs_free(struct certs *c)
{
	strbuf_free(&c->ca);
	free(c->cert_file);
	free(c->key_file);
	*c = (struct certs){0};
}
