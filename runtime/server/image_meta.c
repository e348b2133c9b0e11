/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/server/image_meta.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/flat.h"

static bool *bool_field(struct image_meta *m, uint16_t tag)
{
	switch (tag) {
	case META_HAS_CONFIG:
		return &m->has_config;
	case META_HAS_USER_XATTRS:
		return &m->has_user_xattrs;
	case META_HAS_SHELL:
		return &m->has_shell;
	default:
		return NULL;
	}
}

static const char **str_field(struct image_meta *m, uint16_t tag)
{
	switch (tag) {
	case META_ARCH:
		return &m->arch;
	case META_USER:
		return &m->user;
	case META_WORKDIR:
		return &m->workdir;
	case META_STOP_SIGNAL:
		return &m->stop_signal;
	case META_CREATED:
		return &m->created;
	case META_REF:
		return &m->ref;
	case META_DIGEST:
		return &m->digest;
	default:
		return NULL;
	}
}

static struct strv *list_field(struct image_meta *m, uint16_t tag)
{
	switch (tag) {
	case META_ENV:
		return &m->env;
	case META_ENTRYPOINT:
		return &m->entrypoint;
	case META_CMD:
		return &m->cmd;
	case META_LABEL:
		return &m->labels;
	case META_VOLUME:
		return &m->volumes;
	case META_PORT:
		return &m->ports;
	case META_HEALTH:
		return &m->health;
	default:
		return NULL;
	}
}

static const char **bytes_field(struct image_meta *m, uint16_t tag, size_t **ret_len)
{
	switch (tag) {
	case META_PASSWD:
		*ret_len = &m->passwd_len;
		return &m->passwd;
	case META_GROUP:
		*ret_len = &m->group_len;
		return &m->group;
	case META_RC:
		*ret_len = &m->rc_len;
		return &m->rc;
	case META_ENVIRONMENT:
		*ret_len = &m->environment_len;
		return &m->environment;
	case META_FSTAB:
		*ret_len = &m->fstab_len;
		return &m->fstab;
	case META_RC_LOCAL:
		*ret_len = &m->rc_local_len;
		return &m->rc_local;
	default:
		return NULL;
	}
}

static int take_field(struct image_meta *m, const struct flat_field *f, struct err *e)
{
	bool *flag = bool_field(m, f->tag);
	const char **str = str_field(m, f->tag), **bytes, *s;
	struct strv *list = list_field(m, f->tag);
	size_t *len;
	uint64_t v;
	int r;

	if (flag) {
		r = flat_get_u64(f, &v, e);
		if (r < 0)
			return r;
		*flag = v != 0;
	} else if (str) {
		return flat_get_str(f, str, e);
	} else if (list) {
		r = flat_get_str(f, &s, e);
		if (r < 0)
			return r;
		strv_add(list, s);
		return strv_check(list, e);
	} else if ((bytes = bytes_field(m, f->tag, &len))) {
		if (f->len > IMAGE_META_FILE_MAX)
			return err_set(e, EBADMSG, "damaged record: field %u is too long", f->tag);
		*bytes = f->data;
		*len = f->len;
	}
	return 0;
}

int image_meta_decode(struct image_meta *m, const void *buf, size_t len, struct err *e)
{
	struct flat_reader reader;
	struct flat_field field;
	int r;

	memset(m, 0, sizeof(*m));
	m->record = malloc(len ? len : 1);
	if (!m->record)
		return err_oom(e);
	memcpy(m->record, buf, len);
	m->record_len = len;
	r = flat_open(&reader, m->record, len, IMAGE_META_MAGIC, IMAGE_META_VERSION, e);
	while (r >= 0 && (r = flat_next(&reader, &field, e)) > 0)
		r = take_field(m, &field, e);
	if (r < 0) {
		image_meta_free(m);
		(void)err_wrap(e, "image record");
	}
	return r;
}

void image_meta_free(struct image_meta *m)
{
	strv_free(&m->env);
	strv_free(&m->entrypoint);
	strv_free(&m->cmd);
	strv_free(&m->labels);
	strv_free(&m->volumes);
	strv_free(&m->ports);
	free(m->record);
	memset(m, 0, sizeof(*m));
}
