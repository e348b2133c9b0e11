/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/volume/list.h"

#include <regex.h>

#include "cmd/docker/volume/volume.h"
#include "cmd/docker/frame/argv.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/show/events.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/kernel/tree_size.h"
#include "runtime/record/volume.h"
#include "runtime/settings/paths.h"

static int check_filters(const struct strv *filters, struct docker_fault *f)
{
	static const char *const keys[] = {"dangling=", "driver=", "label=", "name="};

	for (size_t i = 0; i < filters->n; i++) {
		const char *x = filters->items[i];
		bool known = false;

		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
			known |= str_has_prefix(x, keys[k]);
		if (!known)
			return docker_refuse(f, "invalid filter '%.*s'", (int)strcspn(x, "="), x);
		if (str_has_prefix(x, "dangling=") && docker_parse_bool(x + 9) < 0)
			return docker_refuse(f, "invalid filter 'dangling=[%s]'", x + 9);
	}
	return 0;
}

static bool name_matches(const char *pattern, const char *name)
{
	regex_t regex;
	bool yes = str_eq(pattern, name);

	if (yes || regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB))
		return yes;
	yes = !regexec(&regex, name, 0, NULL, 0);
	regfree(&regex);
	return yes;
}

/* Any name and any driver may match; all labels must. 1, 0, or an error. */
static int chosen(const struct paths *p, const struct strv *filters, const char *name,
		  const struct strv *labels, struct err *e)
{
	bool names = false, drivers = false, named = false, driven = false;

	for (size_t i = 0; i < filters->n; i++) {
		const char *f = filters->items[i], *value = strchr(f, '=') + 1;

		if (str_has_prefix(f, "label=")) {
			if (!docker_has_label(labels, value))
				return 0;
		} else if (str_has_prefix(f, "name=")) {
			names = true;
			named |= name_matches(value, name);
		} else if (str_has_prefix(f, "driver=")) {
			drivers = true;
			driven |= str_eq(value, "local");
		} else {
			_strv_ struct strv users = STRV_INIT;
			int r = volume_users(p, name, &users, e);

			if (r < 0)
				return r;
			if (docker_parse_bool(value) != !users.n)
				return 0;
		}
	}
	return (!names || named) && (!drivers || driven);
}

int docker_volume_list(const struct paths *p, const struct strv *filters, struct strv *ret,
		       struct docker_fault *f)
{
	_strv_ struct strv names = STRV_INIT;
	int r = check_filters(filters, f);

	if (r >= 0)
		r = volume_list(p, &names, &f->err);
	for (size_t i = 0; r >= 0 && i < names.n; i++) {
		_strv_ struct strv labels = STRV_INIT;

		r = volume_labels(p, names.items[i], &labels, &f->err);
		if (r >= 0)
			r = chosen(p, filters, names.items[i], &labels, &f->err);
		if (r > 0)
			strv_add(ret, names.items[i]);
	}
	return r < 0 ? r : strv_check(ret, &f->err);
}

/* --- prune -------------------------------------------------------------------------------- */

int docker_volume_check_prune(const struct strv *filters, bool *all, struct docker_fault *f)
{
	for (size_t i = 0; i < filters->n; i++) {
		const char *x = filters->items[i];

		if (str_has_prefix(x, "all=") && docker_parse_bool(x + 4) >= 0)
			*all |= docker_parse_bool(x + 4) > 0;
		else if (!str_has_prefix(x, "label=") && !str_has_prefix(x, "label!="))
			return docker_refuse(f, "invalid filter '%.*s'", (int)strcspn(x, "="), x);
	}
	return 0;
}

/* 1, 0, or an error: by its labels. */
static int may_go(const struct paths *p, const struct strv *filters, const char *name,
		  struct err *e)
{
	_strv_ struct strv labels = STRV_INIT;
	int r = filters->n ? volume_labels(p, name, &labels, e) : 0;

	for (size_t i = 0; r >= 0 && i < filters->n; i++) {
		const char *f = filters->items[i];

		if ((str_has_prefix(f, "label=") && !docker_has_label(&labels, f + 6)) ||
		    (str_has_prefix(f, "label!=") && docker_has_label(&labels, f + 7)))
			return 0;
	}
	return r < 0 ? r : 1;
}

int docker_volume_prune(const struct paths *p, bool all, const struct strv *filters,
			struct strv *ret, uint64_t *bytes, struct docker_fault *f)
{
	_strv_ struct strv names = STRV_INIT;
	uint64_t before = *bytes;
	int r = docker_volume_check_prune(filters, &all, f);

	if (r >= 0)
		r = volume_list(p, &names, &f->err);
	for (size_t i = 0; r >= 0 && i < names.n; i++) {
		const char *name = names.items[i];
		_free_ char *path = str_printf("%s/volumes/%s", p->data, name);
		uint64_t size;

		if (!path)
			return err_code(&f->err, ENOMEM, "prune");
		if (!all && !volume_is_anonymous(name))
			continue;
		r = may_go(p, filters, name, &f->err);
		if (r <= 0)
			continue;
		size = tree_size(path);
		r = volume_remove(p, name, &f->err);
		if (r >= 0) {
			strv_add(ret, name);
			*bytes += size;
		} else if (r == -EBUSY || r == -ENOENT) {
			r = 0;
		}
	}
	if (r >= 0)
		docker_event_prune(p, "volume", *bytes - before);
	return r < 0 ? r : strv_check(ret, &f->err);
}
