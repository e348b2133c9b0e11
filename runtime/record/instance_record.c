/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdlib.h>

#include "runtime/base/err.h"
#include "runtime/base/flat.h"
#include "runtime/record/instance.h"
#include "runtime/spec/name.h"

enum tag {
	TAG_ID = 1,     /* str */
	TAG_NAME,       /* str */
	TAG_IMAGE,      /* str */
	TAG_LAYER,      /* str */
	TAG_SCRATCH,    /* str */
	TAG_CGROUP,     /* str */
	TAG_SERVER,     /* str */
	TAG_COMMAND,    /* str, repeated */
	TAG_SUPERVISOR, /* u64 */
	TAG_INIT,       /* u64 */
	TAG_STARTED,    /* u64: nanoseconds */
	TAG_SPEC,       /* str */
	TAG_PAUSED,     /* u64: 0 or 1 */
	TAG_BARE,       /* u64: BARE_*, absent: not bare */
	TAG_TICKS,      /* u64 */
	TAG_CAPS,       /* u64 */
	TAG_JOB,        /* str */
	TAG_USER,       /* u64: uid, and gid in the upper half */
};

enum bare_bit {
	BARE = 1,
	BARE_NEW_PRIVS = 2,
	BARE_SECCOMP_OFF = 4,
	BARE_FAKE_IDS = 8,
};

static void put_bare(struct flat_writer *w, const struct instance_record *r)
{
	if (!r->is_bare)
		return;
	flat_u64(w, TAG_BARE,
		 BARE | (r->new_privs ? BARE_NEW_PRIVS : 0) |
			 (r->seccomp_off ? BARE_SECCOMP_OFF : 0) |
			 (r->fake_ids ? BARE_FAKE_IDS : 0));
	flat_u64(w, TAG_TICKS, r->start_ticks);
	flat_u64(w, TAG_CAPS, r->caps);
	flat_u64(w, TAG_USER, r->uid | (uint64_t)r->gid << 32);
}

static int get_bare(struct instance_record *r, const struct flat_field *f, struct err *e)
{
	uint64_t v = 0;
	int ret = flat_get_u64(f, &v, e);

	r->is_bare = v & BARE;
	r->new_privs = v & BARE_NEW_PRIVS;
	r->seccomp_off = v & BARE_SECCOMP_OFF;
	r->fake_ids = v & BARE_FAKE_IDS;
	return ret;
}

int instance_record_encode(const struct instance_record *r, struct strbuf *out, struct err *e)
{
	struct flat_writer w;
	int ret;

	flat_begin(&w, INSTANCE_MAGIC, INSTANCE_VERSION);
	flat_str(&w, TAG_ID, r->id);
	flat_str(&w, TAG_NAME, r->name);
	flat_str(&w, TAG_IMAGE, r->image);
	flat_str(&w, TAG_LAYER, r->layer);
	flat_str(&w, TAG_SCRATCH, r->scratch);
	flat_str(&w, TAG_CGROUP, r->cgroup);
	flat_str(&w, TAG_SERVER, r->server);
	flat_strv(&w, TAG_COMMAND, &r->command);
	flat_u64(&w, TAG_SUPERVISOR, (uint64_t)r->supervisor);
	flat_u64(&w, TAG_INIT, (uint64_t)r->init);
	flat_u64(&w, TAG_STARTED, r->started_ns);
	flat_str(&w, TAG_SPEC, r->spec);
	flat_u64(&w, TAG_PAUSED, r->paused);
	put_bare(&w, r);
	flat_str(&w, TAG_JOB, r->job);
	ret = flat_end(&w, e);
	if (!ret) {
		strbuf_add(out, w.buf.data, w.buf.len);
		ret = strbuf_check(out, e);
	}
	flat_free(&w);
	return ret;
}

static int get_pid(const struct flat_field *f, pid_t *ret, struct err *e)
{
	uint64_t v;
	int r = flat_get_u64(f, &v, e);

	if (r < 0)
		return r;
	if (v > INT_MAX)
		return err_set(e, EBADMSG, "damaged record: no process id");
	*ret = (pid_t)v;
	return 0;
}

static int decode_field(struct instance_record *r, const struct flat_field *f, struct err *e)
{
	const char *s;
	uint64_t v = 0;
	int ret;

	switch (f->tag) {
	case TAG_ID:
		return flat_get_str(f, &r->id, e);
	case TAG_NAME:
		return flat_get_str(f, &r->name, e);
	case TAG_IMAGE:
		return flat_get_str(f, &r->image, e);
	case TAG_LAYER:
		return flat_get_str(f, &r->layer, e);
	case TAG_SCRATCH:
		return flat_get_str(f, &r->scratch, e);
	case TAG_CGROUP:
		return flat_get_str(f, &r->cgroup, e);
	case TAG_SERVER:
		return flat_get_str(f, &r->server, e);
	case TAG_COMMAND:
		ret = flat_get_str(f, &s, e);
		if (!ret)
			strv_add(&r->command, s);
		return ret;
	case TAG_JOB:
		return flat_get_str(f, &r->job, e);
	case TAG_SUPERVISOR:
		return get_pid(f, &r->supervisor, e);
	case TAG_INIT:
		return get_pid(f, &r->init, e);
	case TAG_STARTED:
		return flat_get_u64(f, &r->started_ns, e);
	case TAG_SPEC:
		return flat_get_str(f, &r->spec, e);
	case TAG_PAUSED:
		ret = flat_get_u64(f, &v, e);
		r->paused = v;
		return ret;
	case TAG_BARE:
		return get_bare(r, f, e);
	case TAG_TICKS:
		return flat_get_u64(f, &r->start_ticks, e);
	case TAG_CAPS:
		return flat_get_u64(f, &r->caps, e);
	case TAG_USER:
		ret = flat_get_u64(f, &v, e);
		r->uid = (uint32_t)v;
		r->gid = (uint32_t)(v >> 32);
		return ret;
	default:
		return 0;
	}
}

int instance_record_decode(struct instance_record *ret, void *buf, size_t len, struct err *e)
{
	struct flat_reader reader;
	struct flat_field f;
	int r;

	*ret = (struct instance_record){.memory = buf};
	r = flat_open(&reader, buf, len, INSTANCE_MAGIC, INSTANCE_VERSION, e);
	while (r >= 0 && (r = flat_next(&reader, &f, e)) > 0)
		r = decode_field(ret, &f, e);
	if (r >= 0)
		r = strv_check(&ret->command, e);
	if (r >= 0 &&
	    (!ret->id || !name_is_id(ret->id) || (ret->name && !name_is_valid(ret->name))))
		r = err_set(e, EBADMSG, "damaged record: no instance");
	if (r < 0)
		instance_record_free(ret);
	return r < 0 ? r : 0;
}

void instance_record_free(struct instance_record *r)
{
	strv_free(&r->command);
	free(r->memory);
	*r = (struct instance_record){0};
}
