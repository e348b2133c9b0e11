/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/system/inspect_others.h"

#include <string.h>

#include "cmd/docker/daemon/volume.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/image/image_value.h"
#include "cmd/docker/show/value.h"
#include "cmd/options/image_find.h"
#include "image/table/image_table.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/settings/paths.h"

int inspect_image(const struct paths *p, const char *operand, bool size, struct value **ret,
		  struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	_image_list_ struct image_list all = {0};
	const struct image_item *item;
	_close_ int dirfd = -1;
	int r;

	(void)size;
	dirfd = images_open(p, e);
	r = dirfd < 0 ? dirfd : image_table_list(dirfd, &all, e);
	if (r < 0)
		return r;
	item = image_item_find(&all, operand, NULL);
	if (item)
		return image_value_inspect(item, ret, e);
	image_no_such(operand, &text);
	return err_set(e, ENOENT, "%s", strbuf_str(&text));
}

/* --- networks ------------------------------------------------------------------------------------
 */

const struct network inspect_networks[2] = {
	{"host", "host", "686f737400000000000000000000000000000000000000000000000000000000"},
	{"none", "null", "6e6f6e6500000000000000000000000000000000000000000000000000000000"},
};

static struct value *describe_network(const struct network *n)
{
	struct value *v = value_new(VALUE_STRUCT), *ipam;

	if (!v)
		return NULL;
	v->type = "types.NetworkResource";
	value_str(v, "Name", n->name);
	value_in_go(value_str(v, "Id", n->id), "ID");
	value_time(v, "Created", 0);
	value_str(v, "Scope", "local");
	value_str(v, "Driver", n->driver);
	value_bool(v, "EnableIPv4", true);
	value_bool(v, "EnableIPv6", false);
	ipam = value_add(v, "IPAM", VALUE_STRUCT);
	value_str(ipam, "Driver", "default");
	value_add(ipam, "Options", VALUE_NOMAP);
	value_add(ipam, "Config", VALUE_NOLIST);
	value_bool(v, "Internal", false);
	value_bool(v, "Attachable", false);
	value_bool(v, "Ingress", false);
	value_str(value_add(v, "ConfigFrom", VALUE_STRUCT), "Network", "");
	value_bool(v, "ConfigOnly", false);
	value_add(v, "Containers", VALUE_MAP);
	value_add(v, "Options", VALUE_MAP);
	value_add(v, "Labels", VALUE_MAP);
	return v;
}

int inspect_network_by_name(const struct paths *p, const char *operand, bool size,
			    struct value **ret, struct err *e)
{
	(void)p, (void)size;
	for (size_t i = 0; i < 2; i++) {
		const struct network *n = &inspect_networks[i];

		if (!str_eq(n->name, operand) &&
		    (strlen(operand) < 4 || !str_has_prefix(n->id, operand)))
			continue;
		*ret = describe_network(n);
		return value_check(*ret, e);
	}
	return err_set(e, ENOENT, "network %s not found", operand);
}

/* --- volumes -------------------------------------------------------------------------------------
 */

int inspect_volume(const struct paths *p, const char *operand, bool size, struct value **ret,
		   struct err *e)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	int r = docker_volume_value(p, operand, ret, &f);

	(void)size;
	if (r < 0 && e)
		*e = f.err;
	return r;
}
