/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/image/delete.h"

#include <stdlib.h>

#include "cmd/docker/image/image_event.h"
#include "cmd/docker/image/image_value.h"
#include "cmd/docker/show/listed.h"
#include "image/table/table.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

struct deletion {
	const struct image_delete *how;
	struct image_list *all;
	struct image_item *item;
	struct strv *lines;
};

static void note(struct strv *lines, const char *what, const char *name)
{
	strv_take(lines, str_printf("%s: %s", what, name));
}

static bool is_digest(const char *name)
{
	return strchr(name, '@');
}

static bool same_repository(const char *a, const char *b)
{
	size_t n = image_name_repository_len(a);

	return n == image_name_repository_len(b) && !memcmp(a, b, n);
}

static const struct listed *user_of(const struct deletion *d, bool running)
{
	const struct listed_list *l = d->how->containers;

	for (size_t i = 0; i < l->n; i++) {
		const struct listed *x = &l->items[i];
		bool live = container_is_active(x->status);

		if (x->image_id && str_eq(x->image_id, d->item->record.id) && live == running)
			return x;
	}
	return NULL;
}

/* One name with its digest, or digests alone, in one repository. */
static bool is_single(const struct strv *names)
{
	const char *tag = NULL, *digest = NULL;

	if (names->n <= 1)
		return names->n == 1;
	for (size_t i = 0; i < names->n; i++) {
		const char *name = names->items[i];

		if (!is_digest(name) && tag)
			return false;
		if (is_digest(name) && digest && !same_repository(name, digest))
			return false;
		*(is_digest(name) ? &digest : &tag) = name;
	}
	return digest && (!tag || same_repository(tag, digest));
}

static int conflict(const struct deletion *d, bool hard, struct err *e, const char *why,
		    const struct listed *user)
{
	return err_set(e, EBUSY, "conflict: unable to delete %.12s (%s be forced) - %s%.12s",
		       image_id_hex(d->item->record.id), hard ? "cannot" : "must", why,
		       user ? user->id : "");
}

/* names_too: names that are left are in the way as well. */
static int check_conflict(const struct deletion *d, bool names_too, struct err *e)
{
	const struct listed *user = user_of(d, true);

	if (user)
		return conflict(d, true, e, "image is being used by running container ", user);
	if (d->how->force)
		return 0;
	if (names_too && d->item->names.n)
		return conflict(d, false, e, "image is referenced in multiple repositories", NULL);
	user = user_of(d, false);
	return user ? conflict(d, false, e, "image is being used by stopped container ", user) : 0;
}

static int untag(struct deletion *d, size_t i, struct err *e)
{
	struct strv *names = &d->item->names;
	char *name = names->items[i];
	int r = image_table_untag(d->how->dirfd, name, e);

	if (r < 0 && r != -ENOENT)
		return r;
	note(d->lines, "Untagged", image_name_familiar(name));
	image_event(d->how->paths, "untag", d->item->record.id, d->item->record.id);
	for (names->n--; i < names->n; i++)
		names->items[i] = names->items[i + 1];
	names->items[names->n] = NULL;
	free(name);
	return 0;
}

static int untag_all(struct deletion *d, struct err *e)
{
	int r = 0;

	while (r >= 0 && d->item->names.n)
		r = untag(d, 0, e);
	return r;
}

/* The name goes, and with a repository's last tag its digests. Then, is the image still named? */
static int remove_name(struct deletion *d, const char *name, struct err *e)
{
	struct strv *names = &d->item->names;
	_free_ char *copy = strdup(name);
	const struct listed *user = user_of(d, true);
	bool has_tag = false;
	int r = 0;

	if (!user)
		user = user_of(d, false);
	if (!copy)
		return err_oom(e);
	if (!d->how->force && is_single(names) && user)
		return err_set(e, EBUSY,
			       "conflict: unable to remove repository reference \"%s\" (must "
			       "force) - container %.12s is using its referenced image %.12s",
			       image_name_familiar(copy), user->id,
			       image_id_hex(d->item->record.id));
	for (size_t i = 0; r >= 0 && i < names->n; i++) {
		if (str_eq(names->items[i], copy)) {
			r = untag(d, i, e);
			break;
		}
	}
	for (size_t i = 0; i < names->n; i++)
		has_tag |= !is_digest(names->items[i]) && same_repository(names->items[i], copy);
	for (size_t i = 0; r >= 0 && !has_tag && !is_digest(copy) && i < names->n;) {
		if (is_digest(names->items[i]) && same_repository(names->items[i], copy))
			r = untag(d, i, e);
		else
			i++;
	}
	return r;
}

static bool others_have(const struct deletion *d, const char *chain_id)
{
	for (size_t i = 0; i < d->all->n; i++) {
		const struct strv *chain = &d->all->items[i].record.chain_ids;

		for (size_t k = 0; &d->all->items[i] != d->item && k < chain->n; k++) {
			if (str_eq(chain->items[k], chain_id))
				return true;
		}
	}
	return false;
}

static int remove_image(struct deletion *d, struct err *e)
{
	const struct strv *chain = &d->item->record.chain_ids;
	int r = check_conflict(d, true, e);

	if (r >= 0)
		r = untag_all(d, e);
	if (r >= 0)
		r = image_table_delete(d->how->dirfd, d->item->record.id, e);
	if (r < 0)
		return r;
	note(d->lines, "Deleted", d->item->record.id);
	image_event(d->how->paths, "delete", d->item->record.id, d->item->record.id);
	/* A container keeps the layers it stands on. */
	for (size_t i = chain->n; i-- && !user_of(d, false);) {
		if (others_have(d, chain->items[i]))
			break;
		note(d->lines, "Deleted", chain->items[i]);
	}
	return 0;
}

static int run(struct deletion *d, const char *name, struct err *e)
{
	int r = 0;

	if (name)
		r = remove_name(d, name, e);
	else if (is_single(&d->item->names)) {
		r = check_conflict(d, false, e);
		if (r >= 0)
			r = untag_all(d, e);
	}
	if (r < 0 || (name && d->item->names.n))
		return r;
	/* The name is gone, as was asked; the image stays without one for the containers that use
	 * it. */
	if (name && (user_of(d, true) || (!d->how->force && user_of(d, false))))
		return 0;
	return remove_image(d, e);
}

int image_delete(const struct image_delete *how, const char *operand, struct strv *lines,
		 struct err *e)
{
	_image_list_ struct image_list all = {0};
	struct deletion d = {.how = how, .all = &all, .lines = lines};
	_close_ int lock = image_table_lock(how->dirfd, e);
	_strbuf_ struct strbuf text = STRBUF_INIT;
	const char *name;
	int r = lock < 0 ? lock : image_table_list(how->dirfd, &all, e);

	if (r < 0)
		return r;
	d.item = image_item_find(&all, operand, &name);
	if (!d.item) {
		image_no_such(operand, &text);
		return err_set(e, ENOENT, "%s", strbuf_str(&text));
	}
	r = run(&d, name, e);
	return r < 0 ? r : strv_check(lines, e);
}
