/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/show/listed.h"

#include <stdlib.h>
#include <time.h>

#include "cmd/docker/show/human.h"
#include "cmd/docker/frame/notes.h"
#include "cmd/docker/frame/published.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/record/container_record.h"
#include "runtime/record/container_store.h"
#include "runtime/record/endpoints.h"
#include "runtime/server/image_meta.h"
#include "runtime/settings/paths.h"
#include "runtime/spec/flat.h"
#include "runtime/kernel/tree_size.h"

struct walk {
	const struct paths *paths;
	struct listed_list *list;
	int containers; /* their directory */
	struct err *e;
};

static void free_item(struct listed *x)
{
	for (size_t i = 0; i < x->n_mounts; i++) {
		free(x->mounts[i].source);
		free(x->mounts[i].target);
	}
	free(x->mounts);
	free(x->name);
	free(x->image);
	free(x->image_id);
	free(x->command);
	strv_free(&x->labels);
	strv_free(&x->notes);
	strv_free(&x->networks);
}

void listed_free(struct listed_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free_item(&l->items[i]);
	free(l->items);
	*l = (struct listed_list){0};
}

/* As the daemon joins them: an argument with a blank in single quotes. */
static char *join_command(const struct strv *argv)
{
	_strbuf_ struct strbuf b = STRBUF_INIT;

	for (size_t i = 0; i < argv->n; i++) {
		const char *quote = i && strchr(argv->items[i], ' ') ? "'" : "";

		strbuf_addf(&b, "%s%s%s%s", i ? " " : "", quote, argv->items[i], quote);
	}
	return b.len ? strbuf_take(&b) : strdup("");
}

static int add_mounts(struct listed *x, const struct container_spec *s)
{
	x->mounts = calloc(s->n_mounts + 1, sizeof(*x->mounts));
	if (!x->mounts)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_mounts; i++) {
		const struct mount_spec *m = &s->mounts[i];
		const char *source = m->volume ? m->volume : m->source;

		if (m->kind != MOUNT_BIND || !source || !m->target)
			continue;
		x->mounts[x->n_mounts] =
			(struct listed_mount){strdup(source), strdup(m->target), m->volume != NULL};
		if (!x->mounts[x->n_mounts].source || !x->mounts[x->n_mounts].target)
			return -ENOMEM;
		x->n_mounts++;
	}
	return 0;
}

static int add_spec(struct listed *x, const struct container_record *rec, struct err *e)
{
	struct container_spec s;
	int r = spec_flat_read(&s, rec->spec, rec->spec_len, e);

	if (r < 0)
		return r;
	x->command = join_command(&s.proc.argv);
	x->memory_bytes = s.limits.memory_bytes;
	x->network = s.ns.net == NET_HOST ? "host" : "none";
	r = x->command ? add_mounts(x, &s) : -ENOMEM;
	spec_free(&s);
	return r < 0 ? err_code(e, r, "list") : 0;
}

/* The command that a recipe runs by default. */
static int add_meta(struct listed *x, const struct container_record *rec)
{
	struct image_meta m = {0};
	struct strv argv = STRV_INIT;

	if (image_meta_decode(&m, rec->meta, rec->meta_len, NULL) < 0)
		return 0;
	for (size_t i = 0; i < m.entrypoint.n; i++)
		strv_add(&argv, m.entrypoint.items[i]);
	for (size_t i = 0; i < m.cmd.n; i++)
		strv_add(&argv, m.cmd.items[i]);
	x->command = join_command(&argv);
	strv_free(&argv);
	image_meta_free(&m);
	return x->command ? 0 : -ENOMEM;
}

static int add_record(struct listed *x, const struct container_record *rec, struct err *e)
{
	const char *image = rec->image_ref ? rec->image_ref : rec->image;

	x->created_ns = rec->created_ns;
	x->is_recipe = !rec->spec;
	x->image = strdup(image ? image : "");
	x->image_id = strdup(rec->image_digest ? rec->image_digest : "");
	for (size_t i = 0; i < rec->labels.n; i++)
		strv_add(&x->labels, rec->labels.items[i]);
	notes_copy(&x->notes, "publish", &rec->notes);
	notes_copy(&x->notes, "network", &rec->notes);
	if (!x->image || !x->image_id || strv_check(&x->labels, e) < 0)
		return -ENOMEM;
	if (rec->spec)
		return add_spec(x, rec, e);
	return rec->meta && !x->command ? add_meta(x, rec) : 0;
}

static int fill(struct listed *x, const struct container_view *v, struct err *e)
{
	int r = 0;

	x->name = strdup(v->name);
	memcpy(x->id, v->id, sizeof(x->id));
	x->network = "";
	x->status = v->state.status;
	x->exit_code = v->state.exit_code;
	x->started_ns = x->created_ns = v->state.started_ns;
	x->finished_ns = v->state.finished_ns;
	if (!x->name)
		return -ENOMEM;
	if (v->instance) {
		x->init = v->instance->init;
		x->is_recipe = true;
		if (!v->record)
			x->image = strdup(v->instance->image ? v->instance->image : "");
		if (!v->record || !v->record->spec)
			x->command = join_command(&v->instance->command);
	}
	if (v->record)
		r = add_record(x, v->record, e);
	if (!x->image)
		x->image = strdup("");
	if (!x->image_id)
		x->image_id = strdup("");
	if (!x->command)
		x->command = strdup("");
	return r < 0 ? r : x->image && x->image_id && x->command ? 0 : -ENOMEM;
}

/* A record that cannot be read is as good as none. */
static void add_networks(struct listed *x, int containers)
{
	_endpoints_ struct endpoints all = {0};

	if (endpoints_read(containers, x->name, &all, NULL) <= 0)
		return;
	for (size_t i = 0; i < all.n; i++)
		strv_add(&x->networks, all.items[i].network);
}

static int add_view(void *arg, const struct container_view *v)
{
	struct walk *w = arg;
	struct listed_list *l = w->list;
	struct err why = ERR_INIT;
	int r;

	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 64;
		struct listed *items = reallocarray(l->items, cap, sizeof(*items));

		if (!items)
			return err_code(w->e, ENOMEM, "list containers");
		l->items = items;
		l->cap = cap;
	}
	l->items[l->n] = (struct listed){0};
	r = fill(&l->items[l->n++], v, &why);
	if (r >= 0 && v->record &&
	    (v->state.status == CONTAINER_RUNNING || v->state.status == CONTAINER_PAUSED))
		l->items[l->n - 1].health = health_of(w->paths, v->name, v->record);
	if (r == -ENOMEM)
		return err_code(w->e, ENOMEM, "list containers");
	if (v->record && v->record->dialect == DIALECT_DOCKER)
		add_networks(&l->items[l->n - 1], w->containers);
	/* One that cannot be read shall not hide the others. */
	if (r < 0)
		l->items[l->n - 1].status = CONTAINER_DEAD;
	return 0;
}

static int newest_first(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;

	if (x->created_ns != y->created_ns)
		return x->created_ns < y->created_ns ? 1 : -1;
	return strcmp(x->name, y->name);
}

int listed_read(const struct paths *p, bool all, struct listed_list *ret, struct err *e)
{
	unsigned flags =
		CONTAINER_EACH_NO_PID | (all ? 0 : CONTAINER_EACH_LIVE | CONTAINER_EACH_AGAIN);
	_close_ int containers = container_store_open_dir(p, e);
	struct walk w = {p, ret, containers, e};
	struct timespec now;
	int r;

	*ret = (struct listed_list){0};
	r = containers < 0 ? containers : container_each(p, flags, add_view, &w, e);
	if (r < 0) {
		listed_free(ret);
		return r;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	ret->now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	if (ret->n)
		qsort(ret->items, ret->n, sizeof(ret->items[0]), newest_first);
	return 0;
}

const struct listed *listed_find(const struct listed_list *l, const char *operand)
{
	const struct listed *found = NULL;
	size_t len = strlen(operand);

	if (*operand == '/')
		operand++;
	for (size_t i = 0; i < l->n; i++) {
		if (str_eq(l->items[i].name, operand))
			return &l->items[i];
	}
	for (size_t i = 0; i < l->n && len; i++) {
		if (strncmp(l->items[i].id, operand, len))
			continue;
		if (found)
			return NULL;
		found = &l->items[i];
	}
	return found;
}

void listed_status(const struct listed *x, uint64_t now_ns, struct strbuf *out)
{
	switch (x->status) {
	case CONTAINER_RUNNING:
	case CONTAINER_PAUSED:
		strbuf_addstr(out, "Up ");
		human_span(out, now_ns > x->started_ns ? now_ns - x->started_ns : 0);
		if (x->status == CONTAINER_PAUSED)
			strbuf_addstr(out, " (Paused)");
		else if (x->health != HEALTH_NONE)
			strbuf_addf(out, " (%s%s)", x->health == HEALTH_STARTING ? "health: " : "",
				    health_status_name(x->health));
		break;
	case CONTAINER_RESTARTING:
		strbuf_addf(out, "Restarting (%d) ", x->exit_code);
		human_ago(out, x->finished_ns, now_ns);
		break;
	case CONTAINER_EXITED:
		strbuf_addf(out, "Exited (%d) ", x->exit_code);
		human_ago(out, x->finished_ns ? x->finished_ns : x->started_ns, now_ns);
		break;
	case CONTAINER_DEAD:
		strbuf_addstr(out, "Dead");
		break;
	default:
		strbuf_addstr(out, "Created");
	}
}

void listed_ports(const struct listed *x, struct strbuf *out)
{
	const char *note;

	if (x->status != CONTAINER_RUNNING && x->status != CONTAINER_PAUSED)
		return;
	for (size_t i = 0; (note = notes_get(&x->notes, "publish", i)); i++) {
		const struct published p = published_split(note);

		strbuf_addf(out, "%s%s:%.*s->%s", i ? ", " : "", *p.ip ? p.ip : "0.0.0.0",
			    *p.host ? 32 : (int)strcspn(p.port, "/"), *p.host ? p.host : p.port,
			    p.port);
	}
}

uint64_t listed_size(const struct paths *p, const struct listed *x)
{
	_free_ char *upper = str_printf("%s/%s/upper", p->layers, x->is_recipe ? x->name : x->id);

	return upper ? tree_size(upper) : 0;
}
