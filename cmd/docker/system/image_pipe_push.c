/* SPDX-License-Identifier: Apache-2.0 */

/* POST /images/NAME/push: its progress as docker's daemon writes it. */

#include <stdlib.h>
#include <string.h>

#include "cmd/docker/image/image_value.h"
#include "cmd/docker/system/image_pipe_priv.h"
#include "cmd/image/push_image.h"
#include "cmd/image/settings.h"
#include "cmd/options/image_find.h"
#include "image/table/image_name.h"
#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/out.h"
#include "runtime/base/str.h"

#define SAY_EVERY_MS 100u

struct push_lines {
	struct image_pipe *x;
	const struct image_layers *layers;
	uint64_t said_ms;
};

/* id NULL: a line of its own; bytes 0: without progress. */
static void say(struct push_lines *p, const char *status, const char *id, uint64_t done,
		uint64_t bytes)
{
	struct json_out j = JSON_OUT_INIT;

	json_begin_object(&j);
	json_kstr(&j, "status", status);
	if (id) {
		json_key(&j, "progressDetail");
		json_begin_object(&j);
		if (bytes) {
			json_ku64(&j, "current", done);
			json_ku64(&j, "total", bytes);
		}
		json_end_object(&j);
		json_kstr(&j, "id", id);
	}
	json_end_object(&j);
	(void)image_pipe_say(p->x, &j);
}

static void begun(void *arg, const struct image_layers *l)
{
	struct push_lines *p = arg;
	char name[PUSH_LAYER_NAME_BYTES];

	p->layers = l;
	for (size_t i = 0; i < l->n; i++) {
		push_layer_name(l, i, name);
		say(p, "Preparing", name, 0, 0);
	}
}

static void layer_done(void *arg, size_t i, enum registry_sent how)
{
	static const char *const words[] = {
		[REGISTRY_SENT] = "Pushed",
		[REGISTRY_WAS_THERE] = "Layer already exists",
		[REGISTRY_MOUNTED] = "Mounted from another repository",
	};
	struct push_lines *p = arg;
	char name[PUSH_LAYER_NAME_BYTES];

	push_layer_name(p->layers, i, name);
	say(p, words[how], name, 0, 0);
}

static void progress(void *arg, size_t i, uint64_t sent_bytes, uint64_t bytes)
{
	struct push_lines *p = arg;
	char name[PUSH_LAYER_NAME_BYTES];
	uint64_t now = clock_monotonic_ms();

	if (i >= p->layers->n || now - p->said_ms < SAY_EVERY_MS)
		return;
	p->said_ms = now;
	push_layer_name(p->layers, i, name);
	say(p, "Pushing", name, sent_bytes, bytes);
}

static void say_digest(struct push_lines *p, const char *tag, const struct digest *d,
		       uint64_t bytes)
{
	char digest[DIGEST_TEXT_MAX];
	_free_ char *text = str_printf("%s: digest: %s size: %llu", tag, digest_format(d, digest),
				       (unsigned long long)bytes);
	struct json_out j = JSON_OUT_INIT;

	say(p, text ? text : "", NULL, 0, 0);
	json_begin_object(&j);
	json_key(&j, "progressDetail");
	json_begin_object(&j);
	json_end_object(&j);
	json_key(&j, "aux");
	json_begin_object(&j);
	json_kstr(&j, "Tag", tag);
	json_kstr(&j, "Digest", digest);
	json_ku64(&j, "Size", bytes);
	json_end_object(&j);
	json_end_object(&j);
	(void)image_pipe_say(p->x, &j);
}

static int push(struct image_pipe *x, const struct image_item *item, const char *to,
		const char *domain, struct err *e)
{
	_image_settings_ struct image_settings settings;
	struct push_lines p = {.x = x};
	struct push_image job = {.cmd = &x->d.cmd,
				 .registry = &settings.source.registry,
				 .item = item,
				 .to = to,
				 .begun = begun,
				 .layer_done = layer_done,
				 .progress = progress,
				 .arg = &p};
	size_t len = image_name_repository_len(to);
	_free_ char *auth = NULL,
		    *text = str_printf("The push refers to repository [%.*s]", (int)len, to);
	struct digest manifest;
	uint64_t bytes;
	int r = image_settings_read(&x->d.cmd, &settings, e);

	if (r >= 0)
		r = image_pipe_auth(x, domain, &auth);
	if (r < 0)
		return r;
	settings.source.registry.first_auth = auth;
	say(&p, text ? text : "", NULL, 0, 0);
	r = push_image(&job, &manifest, &bytes, e);
	if (r >= 0)
		say_digest(&p, to + len + 1, &manifest, bytes);
	if (auth)
		explicit_bzero(auth, strlen(auth));
	return r;
}

static int push_named(struct image_pipe *x, const struct image_name *name, const char *to)
{
	_image_list_ struct image_list all = {0};
	_close_ int dirfd = images_open(&x->d.cmd.paths, &x->f.err);
	const struct image_item *item;
	int r = dirfd < 0 ? dirfd : image_table_list(dirfd, &all, &x->f.err);
	const char *familiar = image_name_familiar(to);

	if (r < 0)
		return r;
	item = image_item_find(&all, to, NULL);
	if (!item)
		return docker_fault(&x->f, DOCKER_NOT_FOUND, ENOENT,
				    "An image does not exist locally with the tag: %.*s",
				    (int)image_name_repository_len(familiar), familiar);
	return push(x, item, to, name->domain, &x->f.err);
}

int image_pipe_push(struct image_pipe *x)
{
	const char *image = image_pipe_text(x, "image"), *tag = image_pipe_text(x, "tag");
	_free_ char *text =
		str_printf("%s%s%s", image ? image : "", tag ? ":" : "", tag ? tag : "");
	_image_name_ struct image_name name = {0};
	_free_ char *to = NULL;
	int r = text ? image_name_parse(text, &name, &x->f.err) : err_oom(&x->f.err);

	if (r < 0)
		return docker_fault_is(&x->f, DOCKER_BAD_REQUEST, r);
	if (name.digest)
		return docker_fault(&x->f, DOCKER_BAD_REQUEST, EINVAL,
				    "cannot push a digest reference");
	to = image_name_canonical(&name);
	return to ? push_named(x, &name, to) : err_oom(&x->f.err);
}
