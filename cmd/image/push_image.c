/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/image/push_image.h"

#include <stdio.h>
#include <stdlib.h>

#include "cmd/frame/cmd.h"
#include "cmd/image/image_opts.h"
#include "cmd/image/interrupt.h"
#include "cmd/image/registry_opts.h"
#include "cmd/image/stack_tar.h"
#include "cmd/options/image_find.h"
#include "image/save/push.h"
#include "image/store/store.h"
#include "image/table/image_name.h"
#include "image/table/ref.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

#define SHORT_DIGEST 12

void push_layer_name(const struct image_layers *l, size_t i, char ret[PUSH_LAYER_NAME_BYTES])
{
	const char *diff_id = i < l->n ? l->items[i].diff_id : NULL;
	const char *hex = diff_id ? strchr(diff_id, ':') : NULL;

	if (hex)
		snprintf(ret, PUSH_LAYER_NAME_BYTES, "%.*s", SHORT_DIGEST, hex + 1);
	else
		snprintf(ret, PUSH_LAYER_NAME_BYTES, "layer %zu", i);
}

static int write_stack(void *arg, const struct image_record *rec, int tar_fd, struct err *e)
{
	return stack_tar_write(arg, rec, tar_fd, e);
}

/* Another repository of the same registry that has this image: its layers need not be sent. */
static int find_other(const struct push_image *p, const char *domain, const char *path, char **ret,
		      struct err *e)
{
	for (size_t i = 0; i < p->item->names.n && !*ret; i++) {
		_image_name_ struct image_name n = {0};

		if (image_name_parse(p->item->names.items[i], &n, NULL) < 0 ||
		    !str_eq(n.domain, domain) || str_eq(n.path, path))
			continue;
		*ret = strdup(n.path);
		if (!*ret)
			return err_oom(e);
	}
	return 0;
}

static int open_registry(const struct push_image *p, const struct interrupt *i,
			 struct registry **ret, struct err *e)
{
	_image_ref_ struct image_ref ref = {0};
	struct registry_options o;
	int r = image_ref_parse(p->to, &ref, e);

	if (r >= 0)
		r = registry_opts_get(p->cmd, p->registry, &o, e);
	if (r < 0)
		return r;
	o.mirrors = NULL; /* they are read from */
	o.cancel = &i->caught;
	return registry_open(ret, &ref, &o, e);
}

static int push(const struct push_image *p, struct image_push *to, struct digest *ret_manifest,
		uint64_t *ret_bytes, struct err *e)
{
	_image_name_ struct image_name name = {0};
	_free_ char *other = NULL;
	struct interrupt interrupt;
	int r = image_name_parse(p->to, &name, e);

	if (r >= 0)
		r = find_other(p, name.domain, name.path, &other, e);
	if (r >= 0)
		r = interrupt_catch(&interrupt, e);
	if (r < 0)
		return r;
	to->mount_from = other;
	to->connections = p->registry->connections;
	r = open_registry(p, &interrupt, &to->registry, e);
	if (r >= 0)
		r = image_push(to, ret_manifest, ret_bytes, e);
	registry_close(&to->registry);
	interrupt_release(&interrupt);
	return r;
}

int push_image(const struct push_image *p, struct digest *ret_manifest, uint64_t *ret_bytes,
	       struct err *e)
{
	struct image_content content = {.dirfd = -1, .write_stack = write_stack, .arg = p->cmd};
	struct image_push to = {
		.content = &content,
		.record = &p->item->record,
		.by_zstd = p->by_zstd,
		.begun = p->begun,
		.layer_done = p->layer_done,
		.progress = p->progress,
		.arg = p->arg,
	};
	int r = content.dirfd = images_open(&p->cmd->paths, e);

	if (r >= 0)
		r = open_store(p->cmd, &content.store, e);
	if (r >= 0)
		r = push(p, &to, ret_manifest, ret_bytes, e);
	store_close(&content.store);
	fd_close(&content.dirfd);
	return r < 0 ? r : 0;
}
