/* SPDX-License-Identifier: Apache-2.0 */

/* Operands that stand for an image, by the rules of docker's daemon (GetImage of moby). */

#include <stdlib.h>

#include "cmd/docker/image/image_value.h"
#include "image/table/table.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

static struct image_item *find_name(struct image_list *l, const char *canonical,
				    const char **ret_name)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct strv *names = &l->items[i].names;

		for (size_t k = 0; k < names->n; k++) {
			if (!str_eq(names->items[k], canonical))
				continue;
			*ret_name = names->items[k];
			return &l->items[i];
		}
	}
	return NULL;
}

static struct image_item *find_id(struct image_list *l, const char *operand)
{
	const char *hex = str_has_prefix(operand, "sha256:") ? operand + 7 : operand;
	struct image_item *found = NULL;
	size_t len = strlen(hex);

	if (!len || len > IMAGE_ID_HEX || strspn(hex, "0123456789abcdef") != len)
		return NULL;
	for (size_t i = 0; i < l->n; i++) {
		if (strncmp(image_id_hex(l->items[i].record.id), hex, len) != 0)
			continue;
		if (found)
			return NULL;
		found = &l->items[i];
	}
	return found;
}

struct image_item *image_item_find(struct image_list *l, const char *operand, const char **ret_name)
{
	_image_name_ struct image_name name = {0};
	struct image_item *item = NULL;
	const char *ignored;

	ret_name = ret_name ? ret_name : &ignored;
	*ret_name = NULL;
	if (!image_id_hex(operand)) {
		_free_ char *canonical = NULL;

		if (image_name_parse(operand, &name, NULL) < 0)
			return NULL;
		canonical = image_name_canonical(&name);
		item = canonical ? find_name(l, canonical, ret_name) : NULL;
	}
	return item ? item : find_id(l, operand);
}

void image_no_such(const char *operand, struct strbuf *out)
{
	_image_name_ struct image_name name = {0};
	_free_ char *canonical = NULL;
	const char *hex = image_id_hex(operand);

	strbuf_addstr(out, "No such image: ");
	if (!hex && image_name_parse(operand, &name, NULL) >= 0)
		canonical = image_name_canonical(&name);
	if (hex)
		strbuf_addf(out, "sha256:%s", hex);
	else if (canonical && name.tag && name.digest)
		strbuf_addstr(out, operand);
	else
		strbuf_addstr(out, canonical ? image_name_familiar(canonical) : operand);
}
