/* SPDX-License-Identifier: Apache-2.0 */

#include "cmd/docker/daemon/create.h"

#include <stdlib.h>

#include "cmd/docker/daemon/etc.h"
#include "cmd/docker/daemon/groups.h"
#include "cmd/docker/show/events.h"
#include "cmd/docker/daemon/health_watch.h"
#include "cmd/docker/daemon/image.h"
#include "cmd/docker/daemon/network.h"
#include "cmd/docker/daemon/network_member.h"
#include "cmd/docker/daemon/run_args.h"
#include "cmd/docker/daemon/run_mounts.h"
#include "cmd/docker/daemon/start.h"
#include "cmd/docker/daemon/volumes_from.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/frame/names.h"
#include "cmd/docker/frame/publish_all.h"
#include "cmd/options/env_file.h"
#include "cmd/options/program_places.h"
#include "cmd/frame/frame.h"
#include "cmd/options/resolve.h"
#include "cmd/options/run_opts.h"
#include "cmd/options/signal_name.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/settings/config.h"
#include "runtime/record/container_find.h"
#include "runtime/record/container_store.h"
#include "runtime/server/image_file.h"
#include "runtime/server/meta_cache.h"
#include "runtime/life/container_end.h"
#include "runtime/record/endpoints.h"
#include "runtime/record/owner.h"
#include "runtime/spec/user.h"
#include "runtime/record/volume.h"

#define NAME_TRIES 8u

struct making {
	struct cmd *c;
	const struct docker_run_args *a;
	struct docker_image image;
	struct run_opts opts;
	struct subject subject;
	struct strv options, labels, notes; /* options: the texts that opts point to */
	struct endpoints
		endpoints; /* its networks, where it has other than those that are always there */
	struct docker_created *ret;
	struct docker_fault *f;
};

static int lookup(void *ctx, const char *key, size_t i, const char **ret_value,
		  const char **ret_place)
{
	return config_get_nth(ctx, key, i, ret_value, ret_place);
}

static int check_name(struct making *m)
{
	const char *name = m->a->name;

	if (!name || !*name || docker_name_is_valid(name))
		return 0;
	return docker_refuse(m->f,
			     "Invalid container name (%s), only "
			     "[a-zA-Z0-9][a-zA-Z0-9_.-] are allowed",
			     name);
}

/* Sets docker's defaults for all that the caller leaves open. */
static int set_defaults(struct making *m)
{
	struct run_opts *o = &m->opts;
	const char *network = config_get(m->c->config, "CSBX_DOCKER_NETWORK");
	bool joins;

	run_opts_init(o);
	if (network && !str_eq(network, "none") && !str_eq(network, "host"))
		return docker_refuse_early(m->f, "CSBX_DOCKER_NETWORK must be none or host");
	o->no_job_env = true;
	joins = m->a->network && str_has_prefix(m->a->network, "container:");
	o->spec.ns.net = network && str_eq(network, "none") && !m->endpoints.n && !joins ? NET_NONE
											 : NET_HOST;
	o->spec.limits.pids = PIDS_AS_POLICY;
	o->spec.limits.oom_single = true;
	o->spec.sec.new_privs = o->spec.sec.new_privs_is_default = true;
	o->spec.sec.caps_of_root = true;
	if (m->a->tty)
		strv_add(&o->env, "TERM=xterm");
	return 0;
}

static int fill_options(struct making *m, struct err *e)
{
	static const struct opt_use uses[] = {RUN_OPT_USES(0), {0}};
	const struct opt_parser parser = {
		.uses = uses,
		.args = &m->opts,
		.lookup = lookup,
		.read_conf = cmd_read_conf,
		.lookup_ctx = m->c->config,
	};
	int r = docker_run_options(m->a, &m->options, e);

	if (r >= 0)
		r = opt_apply(&parser, &m->options, e);
	/* A limit above the caller's own gives way to it. */
	for (size_t i = 0; r >= 0 && i < m->opts.spec.limits.n_rlimits; i++)
		m->opts.spec.limits.rlimits[i].is_default = true;
	return r < 0 ? r : docker_defaults_settle(m->c, m->a, m->endpoints.n > 0, &m->opts.spec, e);
}

static int set_identity(struct making *m, struct err *e)
{
	struct container_spec *s = &m->opts.spec;
	char id[NAME_ID_DIGITS + 1], host[65] = "";
	int r = name_new_id(id, e);

	if (r < 0)
		return r;
	s->id = strdup(id);
	if (!s->ns.hostname && s->ns.net == NET_HOST && !m->endpoints.n &&
	    gethostname(host, sizeof(host) - 1) == 0)
		s->ns.hostname = strdup(host);
	else if (!s->ns.hostname)
		s->ns.hostname = strdup(id);
	return s->id && s->ns.hostname ? 0 : err_oom(e);
}

static int set_life(struct making *m, struct err *e)
{
	struct process_spec *p = &m->opts.spec.proc;
	const char *signal = m->a->stop_signal && *m->a->stop_signal ? m->a->stop_signal
								     : m->subject.meta.stop_signal;

	p->pid1_signals = !m->a->init;
	p->tty_rows = m->a->tty_rows;
	p->tty_columns = m->a->tty_columns;
	if (signal && *signal && signal_parse(signal, &p->stop_signal, e) < 0)
		return err_wrap(e, "the image's stop signal");
	if (m->a->stop_timeout_s > INT64_MIN) {
		p->stop_timeout_is_set = true;
		p->stop_timeout_ms = m->a->stop_timeout_s < 0
					     ? UINT32_MAX
					     : (uint64_t)m->a->stop_timeout_s * 1000u;
	}
	return 0;
}

static int set_mounts(struct making *m, struct err *e)
{
	const struct paths *p = &m->c->paths;
	int r = docker_mounts_add(p, m->a, &m->opts.spec, e);

	if (r >= 0)
		r = docker_volumes_from_add(p, &m->a->volumes_from, &m->opts.spec, m->f);
	if (r >= 0)
		r = docker_mounts_add_anonymous(p, m->a, &m->opts.spec, e);
	return r < 0 ? r : docker_mounts_add_image(p, &m->subject.meta.volumes, &m->opts.spec, e);
}

/* docker's own words for a user or group that is not there. */
static int check_user(struct making *m)
{
	const struct image_meta *meta = &m->subject.meta;
	const struct user_db db = {meta->passwd, meta->group, meta->passwd_len, meta->group_len};
	const char *asked = m->opts.user ? m->opts.user : meta->user;
	_free_ char *user = asked ? strndup(asked, strcspn(asked, ":")) : NULL;
	const char *colon = asked ? strchr(asked, ':') : NULL;
	struct user found = USER_INIT;
	int r = user_resolve(&db, asked, &found, &m->f->err);

	user_free(&found);
	if (r >= 0)
		return 0;
	switch (m->f->err.origin) {
	case ERR_NO_GROUP:
		return docker_refuse(m->f,
				     "unable to find group %s: no matching entries in group file",
				     colon ? colon + 1 : "");
	case ERR_NO_USER:
		return docker_refuse(m->f,
				     "unable to find user %s: no matching entries in passwd file",
				     user ? user : "");
	case ERR_ID_RANGE:
		return docker_refuse(m->f, "uids and gids must be in range 0-2147483647");
	default:
		return docker_fault_is(m->f, DOCKER_BAD_REQUEST, r);
	}
}

static int add_groups(struct making *m)
{
	const struct image_meta *meta = &m->subject.meta;
	const struct user_db db = {meta->passwd, meta->group, meta->passwd_len, meta->group_len};

	return docker_groups_add(&m->a->groups, &db, &m->opts.spec, m->f);
}

static int collect_labels(struct making *m, struct err *e)
{
	int r = m->a->label_files.n ? volume_find_all(&m->c->paths, &m->opts.spec, e) : 0;

	for (size_t i = 0; i < m->subject.meta.labels.n; i++) {
		const char *label = m->subject.meta.labels.items[i];

		/* An image chooses no process of the host to end the container with. */
		if (!str_has_prefix(label, OWNER_LABEL "="))
			strv_set_env(&m->labels, label);
	}
	for (size_t i = 0; r >= 0 && i < m->a->label_files.n; i++)
		r = env_file_read(m->a->label_files.items[i], &m->opts.spec, &m->labels, e);
	for (size_t i = 0; i < m->opts.spec.labels.n; i++) {
		const char *label = m->opts.spec.labels.items[i];
		_free_ char *bare = strchr(label, '=') ? NULL : str_printf("%s=", label);

		strv_set_env(&m->labels, bare ? bare : label);
	}
	return r < 0 ? r : strv_check(&m->labels, e);
}

/* The words behind the entrypoint's first. */
static int add_words(struct making *m, struct strv *out, struct err *e)
{
	for (size_t i = 0; i < m->a->entrypoint_args.n; i++)
		strv_add(out, m->a->entrypoint_args.items[i]);
	for (size_t i = 0; i < m->a->command.n; i++)
		strv_add(out, m->a->command.items[i]);
	return strv_check(out, e);
}

static int fill_spec(struct making *m, struct err *e)
{
	_strv_ struct strv argv = STRV_INIT;
	int r = add_words(m, &argv, e);
	const struct resolve_request q = {&m->subject, (int)argv.n, argv.items, NULL};

	if (r >= 0)
		r = set_identity(m, e);
	if (r >= 0)
		r = set_life(m, e);
	if (r >= 0)
		r = set_mounts(m, e);
	if (r >= 0)
		r = docker_etc_add(m->a, &m->opts.spec, e);
	if (r >= 0)
		r = collect_labels(m, e);
	if (r >= 0)
		r = docker_run_notes(m->a, &m->notes, e);
	if (r >= 0 && m->a->other[DOCKER_OTHER_publish_all])
		r = docker_publish_all(&m->subject.meta.ports, &m->a->expose, &m->notes, e);
	if (r >= 0)
		docker_network_join_note(&m->c->paths, m->a, &m->notes);
	if (r >= 0)
		r = docker_health_notes(m->a, &m->subject.meta.health, &m->notes, e);
	if (r >= 0)
		r = resolve_spec(m->c, &q, &m->opts, e);
	return r;
}

static int store(struct making *m, const char *name, struct err *e)
{
	struct meta_source source;
	struct container_record traits = {
		.dialect = DIALECT_DOCKER,
		.labels = m->labels,
		.notes = m->notes,
		.image_ref = m->image.ref,
		.image_digest = m->image.id,
		.auto_remove = m->a->rm,
		.open_stdin = m->a->interactive,
	};
	const struct container_create how = {
		.name = name,
		.image = m->image.path,
		.meta = &source,
		.read_root = &m->opts.spec.rootfs,
		.read_meta = &m->subject.meta_record,
		.spec = &m->opts.spec,
		.traits = &traits,
	};
	const char *owner = strv_get_env(&m->labels, OWNER_LABEL);
	_free_ char *process = NULL;
	int r = owner && *owner ? owner_parse(owner, &process, e) : 0;

	traits.owner = process;
	cmd_meta_source(m->c, &source);
	if (r >= 0)
		r = container_store_create_id(&m->c->paths, &how, NULL, m->ret->id, e);
	traits.container_id = m->ret->id;
	if (r >= 0)
		docker_event_of(&m->c->paths, name, &traits, "create", NULL, NULL);
	return r;
}

/* A container that is not made leaves no volume behind that only it would have had. */
static void remove_volumes(struct making *m)
{
	const struct container_spec *s = &m->opts.spec;

	for (size_t i = 0; i < s->n_mounts; i++) {
		if (volume_is_own(&s->mounts[i]))
			(void)volume_remove(&m->c->paths, s->mounts[i].volume, NULL);
	}
}

/* The id of the container that has the name, for the text that harnesses look for. */
static int name_conflict(struct making *m, const char *name)
{
	struct container_found other;
	int r;

	if (container_find(&m->c->paths, name, &other, NULL) < 0)
		return docker_fault(m->f, DOCKER_CONFLICT, EEXIST,
				    "Conflict. The container name \"/%s\" is already in use.",
				    name);
	r = docker_fault(m->f, DOCKER_CONFLICT, EEXIST,
			 "Conflict. The container name \"/%s\" is already in use by container "
			 "\"%s\". You have to remove (or rename) that container to be able to "
			 "reuse that name.",
			 name, other.record.container_id ? other.record.container_id : "");
	container_record_free(&other.record);
	return r;
}

/*
 * Said before volumes and directories are made for nothing; in a race, store() says which create is
 * first.
 */
static int check_name_is_free(struct making *m)
{
	const char *name = m->a->name ? m->a->name + (*m->a->name == '/') : "";
	struct container_found other;
	bool is_taken;

	if (!*name || container_find(&m->c->paths, name, &other, NULL) < 0)
		return 0;
	is_taken = str_eq(other.name, name);
	container_record_free(&other.record);
	return is_taken ? name_conflict(m, name) : 0;
}

static int store_with_name(struct making *m)
{
	const char *asked = m->a->name && *m->a->name ? m->a->name : NULL;
	int r = -EEXIST;

	for (unsigned i = 0; r == -EEXIST && i < NAME_TRIES; i++) {
		_free_ char *made = NULL;
		const char *name = asked ? asked + (*asked == '/') : NULL;

		if (!name && docker_name_make(i, &made, &m->f->err) < 0)
			return -m->f->err.code;
		name = name ? name : made;
		r = store(m, name, &m->f->err);
		if (r == -EEXIST && asked)
			return name_conflict(m, name);
		if (r >= 0)
			strncpy(m->ret->name, name, sizeof(m->ret->name) - 1);
	}
	return r;
}

/* --- its networks ------------------------------------------------------------------------- */

static int find_networks(struct making *m)
{
	int r = docker_endpoints_of(&m->c->paths, m->a, &m->endpoints, m->f);

	/* Docker's client takes a 404 of a creation for an image that it has to pull. */
	if (r < 0 && m->f->status == DOCKER_NOT_FOUND)
		m->f->status = DOCKER_BAD_REQUEST;
	if (r >= 0 && m->endpoints.n)
		strv_add(&m->ret->warnings, DOCKER_NETWORK_WARNING);
	return r;
}

/* One that cannot join its networks is not left behind. */
static int join_networks(struct making *m)
{
	const struct paths *p = &m->c->paths;
	struct container_found found;
	int r;

	if (!m->endpoints.n)
		return 0;
	m->endpoints.container_id = strdup(m->ret->id);
	m->endpoints.hostname = strdup(m->opts.spec.ns.hostname);
	r = m->endpoints.container_id && m->endpoints.hostname
		    ? docker_endpoints_store(p, m->ret->name, &m->endpoints, m->f)
		    : err_oom(&m->f->err);
	if (r < 0 && container_find_again(p, m->ret->name, m->ret->id, &found, NULL) >= 0) {
		(void)container_remove(p, found.name, &found.record, true, NULL);
		container_record_free(&found.record);
	}
	return r;
}

/* Turns an error of resolving into a fault; docker has its own words for some. */
static int spec_error(struct making *m)
{
	int r;

	/* It has its words already. */
	if (m->f->status)
		return -m->f->err.code;
	switch (m->f->err.origin) {
	case ERR_NO_COMMAND:
		return docker_refuse(m->f, "no command specified");
	case ERR_EMPTY_COMMAND:
		r = docker_refuse(m->f, DOCKER_CREATE_FAILED
				  "exec: \"\": executable file not found in $PATH: unknown");
		m->f->exit_code = CMD_EXIT_NOT_FOUND;
		return r;
	default:
		return docker_fault_by_code(m->f, -m->f->err.code);
	}
}

/* The reason is named where it is a setting: the user has not asked for it here. */
static const char *discarded_ports(const struct making *m)
{
	const char *setting = config_get(m->c->config, "CSBX_DOCKER_NETWORK");

	return !m->a->network && setting && str_eq(setting, "none")
		       ? "Published ports are discarded: the container has no network, as "
			 "CSBX_DOCKER_NETWORK is none; --network host gives it the host's"
		       : "Published ports are discarded: the container has no network";
}

static int make(struct making *m)
{
	struct err *e = &m->f->err;
	int r = docker_image_find(&m->c->paths, m->a->image ? m->a->image : "", &m->image, m->f);

	if (r >= 0)
		r = check_name_is_free(m);
	if (r < 0)
		return r;
	if (fill_options(m, e) < 0 ||
	    subject_open(m->c, m->image.path, &m->opts, &m->subject, e) < 0)
		return docker_fault_by_code(m->f, -e->code);
	if (m->opts.spec.ns.net == NET_NONE &&
	    (m->a->publish.n || m->a->other[DOCKER_OTHER_publish_all]))
		strv_add(&m->ret->warnings, discarded_ports(m));
	r = check_user(m);
	if (r < 0)
		return r;
	if (fill_spec(m, e) < 0 || program_places(&m->opts.spec, &m->ret->programs, e) < 0)
		return spec_error(m);
	r = add_groups(m);
	if (r >= 0)
		r = store_with_name(m);
	return r < 0 ? r : join_networks(m);
}

int docker_create(struct cmd *c, const struct docker_run_args *a, struct docker_created *ret,
		  struct docker_fault *f)
{
	struct making m = {.c = c, .a = a, .ret = ret, .f = f};
	int r;

	*ret = (struct docker_created){0};
	r = find_networks(&m);
	if (r >= 0)
		r = set_defaults(&m);
	if (r >= 0)
		r = docker_fault_by_code(f, docker_check_values(a, &f->err));
	if (r >= 0)
		r = docker_run_check(a, f);
	if (r >= 0)
		r = check_name(&m);
	if (r >= 0)
		r = docker_run_warnings(a, &ret->warnings, &f->err);
	if (r >= 0)
		r = make(&m);
	if (r < 0)
		remove_volumes(&m);
	else
		volumes_settle(&c->paths, &m.opts.spec);
	docker_image_free(&m.image);
	subject_close(&m.subject);
	run_opts_done(&m.opts);
	strv_free(&m.options);
	strv_free(&m.labels);
	strv_free(&m.notes);
	endpoints_free(&m.endpoints);
	return r;
}

void docker_created_free(struct docker_created *n)
{
	strv_free(&n->warnings);
	program_places_free(&n->programs);
}
