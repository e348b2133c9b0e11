/* SPDX-License-Identifier: Apache-2.0 */

/* POST /images/create: a pull, and its progress as docker's daemon writes it. */

#include <stdlib.h>

#include "cmd/docker/image/fetch.h"
#include "cmd/docker/image/pull_text.h"
#include "cmd/docker/show/human.h"
#include "cmd/docker/system/image_pipe_priv.h"
#include "image/model/source.h"
#include "image/registry/transfer.h"
#include "image/table/image_name.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/out.h"
#include "runtime/base/str.h"

#define SHORT_DIGEST 12
#define BAR_WIDTH 50

struct pull_lines {
	struct image_pipe *x;
	const struct image_name *name;
	const char *canonical;
	bool has_begun, has_layers;
	bool *complete; /* by the transfer's item: its end was told */
	uint64_t *told_bytes;
	size_t n;
};

/* A line without progress; id may be NULL. */
static void say(struct pull_lines *p, const char *status, const char *id)
{
	struct json_out j = JSON_OUT_INIT;

	json_begin_object(&j);
	json_kstr(&j, "status", status);
	if (id)
		json_kstr(&j, "id", id);
	json_end_object(&j);
	(void)image_pipe_say(p->x, &j);
}

static void short_digest(const struct digest *d, char ret[SHORT_DIGEST + 1])
{
	memcpy(ret, d->hex, SHORT_DIGEST);
	ret[SHORT_DIGEST] = 0;
}

static void say_layer(struct pull_lines *p, const char *status, const struct digest *d)
{
	char id[SHORT_DIGEST + 1];
	struct json_out j = JSON_OUT_INIT;

	short_digest(d, id);
	json_begin_object(&j);
	json_kstr(&j, "status", status);
	json_key(&j, "progressDetail");
	json_begin_object(&j);
	json_end_object(&j);
	json_kstr(&j, "id", id);
	json_end_object(&j);
	(void)image_pipe_say(p->x, &j);
}

/* "[=====>      ]  1.2MB/3MB" */
static void add_bar(struct strbuf *out, uint64_t done, uint64_t size)
{
	unsigned full = size ? (unsigned)((double)done / (double)size * BAR_WIDTH) : 0;

	strbuf_addch(out, '[');
	for (unsigned i = 0; i < BAR_WIDTH; i++)
		strbuf_addch(out, i < full ? '=' : i == full ? '>' : ' ');
	strbuf_addstr(out, "]  ");
	human_size(out, done, 4);
	strbuf_addch(out, '/');
	human_size(out, size, 4);
}

static void say_downloading(struct pull_lines *p, const struct transfer_item *item, uint64_t done)
{
	_strbuf_ struct strbuf bar = STRBUF_INIT;
	char id[SHORT_DIGEST + 1];
	struct json_out j = JSON_OUT_INIT;

	short_digest(&item->digest, id);
	add_bar(&bar, done, item->size_bytes);
	json_begin_object(&j);
	json_kstr(&j, "status", "Downloading");
	json_key(&j, "progressDetail");
	json_begin_object(&j);
	json_ku64(&j, "current", done);
	json_ku64(&j, "total", item->size_bytes);
	json_end_object(&j);
	json_kstr(&j, "progress", strbuf_str(&bar));
	json_kstr(&j, "id", id);
	json_end_object(&j);
	(void)image_pipe_say(p->x, &j);
}

static void say_begin(struct pull_lines *p)
{
	_free_ char *text = str_printf("Pulling from %s", p->name->path);

	if (!p->has_begun && text)
		say(p, text,
		    p->name->digest ? p->name->digest
		    : p->name->tag  ? p->name->tag
				    : "latest");
	p->has_begun = true;
}

static bool expect(struct pull_lines *p, const struct transfer *t)
{
	if (p->n == t->n)
		return true;
	free(p->complete);
	free(p->told_bytes);
	p->complete = calloc(t->n + 1, sizeof(*p->complete));
	p->told_bytes = calloc(t->n + 1, sizeof(*p->told_bytes));
	p->n = p->complete && p->told_bytes ? t->n : 0;
	for (size_t i = 0; i < p->n; i++) {
		if (t->items[i].is_layer)
			say_layer(p, "Pulling fs layer", &t->items[i].digest);
	}
	p->has_layers = p->n;
	return p->n;
}

static void progress(void *arg, const struct transfer *t)
{
	struct pull_lines *p = arg;

	say_begin(p);
	if (!expect(p, t))
		return;
	for (size_t i = 0; i < t->n; i++) {
		const struct transfer_item *item = &t->items[i];
		uint64_t done = item->done_bytes;

		if (!item->is_layer || p->complete[i])
			continue;
		if (done != p->told_bytes[i])
			say_downloading(p, item, done);
		p->told_bytes[i] = done;
		p->complete[i] = item->complete;
		if (item->complete) {
			say_layer(p, "Verifying Checksum", &item->digest);
			say_layer(p, "Download complete", &item->digest);
		}
	}
}

/* The layers are there: also those that no transfer brought, from the cache. */
static void begin(void *arg, const struct pull_text *t, const struct image_source *src)
{
	struct pull_lines *p = arg;

	say_begin(p);
	for (size_t i = 0; !t->same && !p->has_layers && i < src->n_layers; i++) {
		say_layer(p, "Pulling fs layer", &src->layers[i].digest);
		say_layer(p, "Download complete", &src->layers[i].digest);
	}
}

static void end(void *arg, const struct pull_text *t, const struct image_source *src)
{
	struct pull_lines *p = arg;
	_free_ char *digest = str_printf("Digest: %s", t->digest);
	_free_ char *status = str_printf("Status: %s for %s",
					 t->same ? "Image is up to date" : "Downloaded newer image",
					 image_name_familiar(t->canonical));

	for (size_t i = 0; !t->same && i < src->n_layers; i++)
		say_layer(p, "Pull complete", &src->layers[i].digest);
	say(p, digest ? digest : "", NULL);
	say(p, status ? status : "", NULL);
}

static int pull(struct image_pipe *x, const struct image_name *name, const char *canonical)
{
	struct pull_lines p = {.x = x, .name = name, .canonical = canonical};
	_free_ char *auth = NULL;
	struct image_pull how = {
		.cmd = &x->d.cmd,
		.name = name,
		.canonical = canonical,
		.platform = image_pipe_text(x, "platform"),
		.quiet = true,
		.begin = begin,
		.end = end,
		.progress = progress,
		.arg = &p,
	};
	int r = image_pipe_auth(x, name->domain, &auth);

	how.auth = auth;
	if (r >= 0)
		r = image_pull(&how, &x->f);
	if (auth)
		explicit_bzero(auth, strlen(auth));
	free(p.complete);
	free(p.told_bytes);
	return r;
}

int image_pipe_pull(struct image_pipe *x)
{
	const char *image = image_pipe_text(x, "image"), *tag = image_pipe_text(x, "tag");
	_free_ char *text = str_printf("%s%s%s", image ? image : "",
				       !tag               ? ""
				       : strchr(tag, ':') ? "@"
							  : ":",
				       tag ? tag : "");
	_image_name_ struct image_name name = {0};
	_free_ char *canonical = NULL;
	int r = text ? image_name_parse(text, &name, &x->f.err) : err_oom(&x->f.err);

	if (r < 0)
		return docker_fault_is(&x->f, DOCKER_BAD_REQUEST, r);
	if (!name.tag && !name.digest)
		return docker_fault(&x->f, 501, EOPNOTSUPP,
				    "csbx does not pull all tags of a repository: name one");
	canonical = image_name_canonical(&name);
	return canonical ? pull(x, &name, canonical) : err_oom(&x->f.err);
}
