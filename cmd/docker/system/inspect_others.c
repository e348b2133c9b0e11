/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/system/inspect_others.h"

#include <string.h>

#include "cmd/docker/daemon/network.h"
#include "cmd/docker/volume/volume.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/image/image_value.h"
#include "cmd/docker/show/value.h"
#include "cmd/options/image_find.h"
#include "image/table/table.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/settings/paths.h"

int inspect_image(const struct paths *p, const char *operand, bool size, struct docker_value **ret,
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

/* --- networks ----------------------------------------------------------------------------- */

int inspect_network_by_name(const struct paths *p, const char *operand, bool size,
			    struct docker_value **ret, struct err *e)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	int r = docker_network_value(p, operand, ret, &f);

	(void)size;
	if (r < 0 && e)
		*e = f.err;
	return r;
}

/*
 * --- volumes -------------------------------------------------------------------------------------
 */

int inspect_volume(const struct paths *p, const char *operand, bool size, struct docker_value **ret,
		   struct err *e)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	int r = docker_volume_value(p, operand, ret, &f);

	(void)size;
	if (r < 0 && e)
		*e = f.err;
	return r;
}
