/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/options/fake_root.h"

#include "cmd/options/apt_as_root.h"
#include "runtime/spec/spec.h"
#include "runtime/userns/userns.h"

int fake_root_apply(struct container_spec *s, struct err *e)
{
	struct id_map map;
	int r = userns_map_for(s->proc.uid, s->proc.gid, s->ns.userns, &map, e);

	if (r < 0)
		return r;
	s->sec.fake_nodes = true;
	s->sec.fake_ids = id_map_is_one(&map);
	return s->sec.fake_ids ? apt_as_root(s, e) : 0;
}
