/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/image/fetch.h"

#include <stdio.h>
#include <unistd.h>

#include "cmd/docker/frame/fault.h"
#include "cmd/docker/image/image_event.h"
#include "cmd/docker/image/pull_text.h"
#include "cmd/frame/cmd.h"
#include "cmd/image/image_add.h"
#include "cmd/image/settings.h"
#include "cmd/options/image_find.h"
#include "image/model/digest.h"
#include "image/oci/platform.h"
#include "image/source/source.h"
#include "image/store/store.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

struct pull {
	const struct image_pull *how;
	struct image_settings settings;
	int dirfd;
};

/*
 * The digest that the name stands for: of an image for several platforms the digest of their index.
 */
static int root_digest(struct pull *p, char ret[DIGEST_TEXT_MAX], struct err *e)
{
	struct platform platform;
	struct digest d;
	int r = 0;

	if (p->how->name->digest) {
		snprintf(ret, DIGEST_TEXT_MAX, "%s", p->how->name->digest);
		return 0;
	}
	r = platform_wanted(p->settings.source.arch, p->settings.source.platform, &platform, e);
	if (r >= 0)
		r = store_find_name(p->settings.source.store, p->how->canonical, &platform, &d, e);
	if (r >= 0)
		digest_format(&d, ret);
	return r;
}

static bool is_same(struct pull *p, const struct image_source *src)
{
	_image_entry_ struct image_entry x = {0};
	struct digest id;
	char text[DIGEST_TEXT_MAX];

	if (digest_of(strbuf_str(&src->config), src->config.len, &id, NULL) < 0)
		return false;
	return image_table_find(p->dirfd, p->how->canonical, &x, NULL) >= 0 &&
	       str_eq(x.id, digest_format(&id, text));
}

/* The image gets its name, and the name by digest that says where it came from. */
static int keep(struct pull *p, const struct image_source *src, const char *root, struct err *e)
{
	struct import_options o = output_opts_import(&p->settings.output);
	_strv_ struct strv names = STRV_INIT;
	const struct image_add_names n = {.names = &names, .options = &o};
	char id[IMAGE_ID_BYTES];

	if (!p->how->name->digest)
		strv_add(&names, p->how->canonical);
	strv_take(&names, str_printf("%s/%s@%s", p->how->name->domain, p->how->name->path, root));
	if (strv_check(&names, e) < 0)
		return -ENOMEM;
	return image_add_named(p->dirfd, src, &n, id, NULL, e);
}

static int pull_source(struct pull *p, struct image_source *src, struct err *e)
{
	struct pull_text t = {
		.name = p->how->name, .canonical = p->how->canonical, .quiet = p->how->quiet};
	char root[DIGEST_TEXT_MAX] = "";
	int r = root_digest(p, root, e);

	if (r < 0)
		return r;
	t.same = is_same(p, src);
	t.digest = root;
	p->how->begin(p->how->arg, &t, src);
	r = keep(p, src, root, e);
	if (r >= 0)
		p->how->end(p->how->arg, &t, src);
	return r;
}

static int pull_once(struct pull *p, bool *ret_again, struct err *e)
{
	_free_ char *uri = str_printf("docker://%s", p->how->canonical);
	bool show = !p->how->quiet && isatty(STDERR_FILENO);
	struct image_source src = {0};
	int r;

	p->settings.source.output = &p->settings.output;
	r = uri ? source_opts_open(p->how->cmd, &p->settings.source, uri, p->dirfd, !show, &src, e)
		: err_oom(e);

	if (r >= 0)
		r = pull_source(p, &src, e);
	*ret_again = source_opts_retry(&src, r, e);
	source_close(&src);
	return r;
}

static int pull(struct pull *p, struct err *e)
{
	bool again;
	int r = image_settings_read(p->how->cmd, &p->settings, e);

	if (r >= 0)
		r = p->dirfd = images_open(&p->how->cmd->paths, e);
	if (r < 0)
		return r;
	if (p->how->platform)
		p->settings.source.platform = p->how->platform;
	p->settings.source.progress = p->how->progress;
	p->settings.source.progress_arg = p->how->arg;
	p->settings.source.registry.first_auth = p->how->auth;
	r = pull_once(p, &again, e);
	return again ? pull_once(p, &again, e) : r;
}

/* The words of docker's daemon for what came of it. */
static int explain(const struct image_pull *how, int r, struct docker_fault *f)
{
	_free_ char *repository = str_printf("%s/%s", how->name->domain, how->name->path);
	const char *familiar = repository ? image_name_familiar(repository) : "";
	const struct err e = f->err;

	if (r == -EACCES || r == -EPERM)
		return docker_fault(f, DOCKER_NOT_FOUND, -r,
				    "pull access denied for %s, repository does not exist or may "
				    "require 'docker login': denied: %s",
				    familiar, e.msg);
	if (e.origin == ERR_NO_PLATFORM)
		return docker_fault(f, DOCKER_NOT_FOUND, -r,
				    "no matching manifest for the platform in the manifest list "
				    "entries: %s",
				    e.msg);
	if (e.origin == ERR_NO_MANIFEST)
		return docker_fault(f, DOCKER_NOT_FOUND, -r,
				    "manifest for %s not found: manifest unknown: manifest unknown",
				    image_name_familiar(how->canonical));
	if (r == -ECONNREFUSED || r == -EHOSTUNREACH || r == -ENETUNREACH || r == -ETIMEDOUT)
		return docker_fault(f, DOCKER_FAILED, -r, "Get \"https://%s/v2/\": %s",
				    how->name->domain, e.msg);
	return r;
}

int image_pull(const struct image_pull *how, struct docker_fault *f)
{
	struct pull p = {.how = how, .dirfd = -1};
	int r = pull(&p, &f->err);

	if (r < 0)
		r = explain(how, r, f);
	else
		image_event(&how->cmd->paths, "pull", image_name_familiar(how->canonical),
			    image_name_familiar(how->canonical));
	image_settings_done(&p.settings);
	fd_close(&p.dirfd);
	return r < 0 ? r : 0;
}
