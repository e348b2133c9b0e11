/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/show/ps_filter.h"

#include <ctype.h>
#include <regex.h>
#include <stdlib.h>

#include "cmd/docker/frame/notes.h"
#include "cmd/docker/frame/published.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

enum key {
	KEY_ANCESTOR,
	KEY_BEFORE,
	KEY_EXITED,
	KEY_EXPOSE,
	KEY_HEALTH,
	KEY_ID,
	KEY_IS_TASK,
	KEY_ISOLATION,
	KEY_LABEL,
	KEY_NAME,
	KEY_NETWORK,
	KEY_PUBLISH,
	KEY_SINCE,
	KEY_STATUS,
	KEY_VOLUME,
	KEY_MAX,
};

static const char *const key_names[KEY_MAX] = {
	"ancestor", "before", "exited",  "expose",  "health", "id",     "is-task", "isolation",
	"label",    "name",   "network", "publish", "since",  "status", "volume",
};

struct term {
	enum key key;
	const char *value;
	regex_t regex; /* name and id, where `has_regex` */
	bool has_regex;
	int number;
	uint64_t time_ns; /* before and since */
};

struct ps_filter {
	size_t n;
	unsigned keys; /* a bit each */
	struct term terms[];
};

int ps_filter_set(void *strv, const char *value, struct err *e)
{
	_strbuf_ struct strbuf b = STRBUF_INIT;
	const char *equal = strchr(value, '=');

	if (!equal)
		return err_set(e, EINVAL, "bad format of filter (expected name=value)");
	/* docker takes blanks around and capitals in the key. */
	while (value < equal && isspace((unsigned char)*value))
		value++;
	for (const char *s = value; s < equal; s++)
		if (!isspace((unsigned char)*s))
			strbuf_addch(&b, (char)tolower((unsigned char)*s));
	strbuf_addch(&b, '=');
	for (equal++; isspace((unsigned char)*equal); equal++)
		;
	strbuf_addstr(&b, equal);
	while (b.len && isspace((unsigned char)b.data[b.len - 1]))
		b.data[--b.len] = 0;
	strv_add(strv, strbuf_str(&b));
	return strv_check(strv, e);
}

static int find_key(const char *filter, enum key *ret, struct err *e)
{
	size_t len = strcspn(filter, "=");

	for (unsigned i = 0; i < KEY_MAX; i++) {
		if (strlen(key_names[i]) == len && !strncmp(key_names[i], filter, len)) {
			*ret = (enum key)i;
			return 0;
		}
	}
	return err_set(e, EINVAL, "Invalid filter '%.*s'", (int)len, filter);
}

static int check_word(const struct term *t, const char *const *words, struct err *e)
{
	for (; *words; words++) {
		if (str_eq(*words, t->value))
			return 0;
	}
	return err_set(e, EINVAL, "Invalid filter '%s=%s'", key_names[t->key], t->value);
}

static int check_number(struct term *t, struct err *e)
{
	char *end;

	t->number = (int)strtol(t->value, &end, 10);
	if (!*t->value || *end)
		return err_set(e, EINVAL, "strconv.Atoi: parsing \"%s\": invalid syntax", t->value);
	return 0;
}

static int check_container(struct term *t, const struct listed_list *all, struct err *e)
{
	const struct listed *x = listed_find(all, t->value);

	if (!x)
		return err_set(e, EINVAL, "no such container %s", t->value);
	t->time_ns = x->created_ns;
	return 0;
}

static int prepare(struct term *t, const struct listed_list *all, struct err *e)
{
	static const char *const states[] = {"created",  "running", "paused", "restarting",
					     "removing", "exited",  "dead",   NULL};
	static const char *const health[] = {"starting", "healthy", "unhealthy", "none", NULL};
	static const char *const truth[] = {"true", "false", "1", "0", "True", "False", NULL};

	switch (t->key) {
	case KEY_STATUS:
		return check_word(t, states, e);
	case KEY_HEALTH:
		return check_word(t, health, e);
	case KEY_IS_TASK:
		return check_word(t, truth, e);
	case KEY_EXITED:
		return check_number(t, e);
	case KEY_BEFORE:
	case KEY_SINCE:
		return check_container(t, all, e);
	case KEY_NAME:
	case KEY_ID:
		t->has_regex = !regcomp(&t->regex, t->value, REG_EXTENDED | REG_NOSUB);
		return 0;
	default:
		return 0;
	}
}

int ps_filter_new(const struct strv *filters, const struct listed_list *all, struct ps_filter **ret,
		  struct err *e)
{
	struct ps_filter *f = calloc(1, sizeof(*f) + filters->n * sizeof(f->terms[0]));
	int r = f ? 0 : err_code(e, ENOMEM, "filter");

	for (size_t i = 0; i < filters->n && r >= 0; i++) {
		struct term *t = &f->terms[f->n++];

		r = find_key(filters->items[i], &t->key, e);
		if (r < 0)
			break;
		t->value = strchr(filters->items[i], '=') + 1;
		f->keys |= 1u << t->key;
		r = prepare(t, all, e);
	}
	if (r < 0)
		ps_filter_free(f);
	else
		*ret = f;
	return r;
}

void ps_filter_free(struct ps_filter *f)
{
	for (size_t i = 0; f && i < f->n; i++) {
		if (f->terms[i].has_regex)
			regfree(&f->terms[i].regex);
	}
	free(f);
}

bool ps_filter_wants_all(const struct strv *filters)
{
	for (size_t i = 0; i < filters->n; i++) {
		if (str_has_prefix(filters->items[i], "status=") ||
		    str_has_prefix(filters->items[i], "exited=") ||
		    str_has_prefix(filters->items[i], "before=") ||
		    str_has_prefix(filters->items[i], "since="))
			return true;
	}
	return false;
}

/*
 * --- matching ------------------------------------------------------------------------------------
 */

static bool matches_text(const struct term *t, const char *text)
{
	return str_eq(t->value, text) || (t->has_regex && !regexec(&t->regex, text, 0, NULL, 0));
}

/* docker tries names with and without the slash before them. */
static bool matches_name(const struct term *t, const char *name)
{
	_free_ char *slashed = str_printf("/%s", name);

	return matches_text(t, name) || (slashed && matches_text(t, slashed));
}

static bool matches_label(const struct term *t, const struct strv *labels)
{
	size_t len = strcspn(t->value, "=");

	for (size_t i = 0; i < labels->n; i++) {
		const char *label = labels->items[i];

		if (strcspn(label, "=") != len || strncmp(label, t->value, len))
			continue;
		if (!t->value[len] || str_eq(label + len + (label[len] == '='), t->value + len + 1))
			return true;
	}
	return false;
}

/* An image by its name, with or without ":latest", or by its id or the beginning of it. */
static bool matches_image(const char *value, const struct listed *x)
{
	_free_ char *latest = str_printf("%s:latest", value);
	_free_ char *of_it = str_printf("%s:latest", x->image);
	const char *hex = str_has_prefix(x->image_id, "sha256:") ? x->image_id + 7 : "";

	if (str_has_prefix(value, "sha256:"))
		value += 7;
	return str_eq(value, x->image) || (latest && str_eq(latest, x->image)) ||
	       (of_it && str_eq(value, of_it)) || (*value && str_has_prefix(hex, value));
}

static bool matches_volume(const char *value, const struct listed *x)
{
	for (size_t i = 0; i < x->n_mounts; i++) {
		if (str_eq(x->mounts[i].source, value) || str_eq(x->mounts[i].target, value))
			return true;
	}
	return false;
}

static bool matches_port(const char *value, const struct listed *x)
{
	size_t len = strcspn(value, "/");
	const char *note;

	for (size_t i = 0; (note = notes_get(&x->notes, "publish", i)); i++) {
		const struct published p = published_split(note);

		if (!strncmp(p.port, value, len) && p.port[len] == '/' &&
		    (!value[len] || str_eq(p.port + len, value + len)))
			return true;
	}
	return false;
}

static bool matches_network(const char *value, const struct listed *x)
{
	for (size_t i = 0; i < x->networks.n; i++) {
		if (str_eq(x->networks.items[i], value))
			return true;
	}
	return !x->networks.n && str_eq(value, x->network);
}

static bool matches_status(const char *value, enum container_status s)
{
	return str_eq(value, container_status_name(s));
}

static bool matches(const struct term *t, const struct listed *x)
{
	switch (t->key) {
	case KEY_ANCESTOR:
		return matches_image(t->value, x);
	case KEY_BEFORE:
		return x->created_ns < t->time_ns;
	case KEY_SINCE:
		return x->created_ns > t->time_ns;
	case KEY_EXITED:
		return x->status == CONTAINER_EXITED && x->exit_code == t->number;
	case KEY_HEALTH:
		return str_eq(t->value, health_status_name(x->health));
	case KEY_ID:
		return matches_text(t, x->id);
	case KEY_LABEL:
		return matches_label(t, &x->labels);
	case KEY_NAME:
		return matches_name(t, x->name);
	case KEY_NETWORK:
		return matches_network(t->value, x);
	case KEY_PUBLISH:
		return matches_port(t->value, x);
	case KEY_STATUS:
		return matches_status(t->value, x->status);
	case KEY_VOLUME:
		return matches_volume(t->value, x);
	case KEY_IS_TASK:
		return tolower((unsigned char)*t->value) == 'f' || *t->value == '0';
	default:
		return false;
	}
}

bool ps_filter_matches(const struct ps_filter *f, const struct listed *x)
{
	unsigned matched = 0;

	for (size_t i = 0; i < f->n; i++) {
		bool yes = matches(&f->terms[i], x);

		if (!yes && f->terms[i].key == KEY_LABEL)
			return false;
		if (yes)
			matched |= 1u << f->terms[i].key;
	}
	return matched == f->keys;
}
