/* SPDX-License-Identifier: Apache-2.0 */

/* /etc/subuid and passwd text, then the map that comes of it: always one the kernel could take. */
#include "runtime/userns/subid.h"
#include "runtime/userns/userns.h"
#include "tests/fuzz/fuzz.h"

static void check_extents(const struct id_extent *x, uint32_t n, uint32_t main_id, uint32_t caller)
{
	uint32_t mains = 0;

	FUZZ_ASSERT(n >= 1 && n <= ID_EXTENTS_MAX);
	for (uint32_t i = 0; i < n; i++) {
		FUZZ_ASSERT(x[i].count && (uint64_t)x[i].inside + x[i].count <= UINT32_MAX);
		FUZZ_ASSERT((uint64_t)x[i].outside + x[i].count <= UINT32_MAX);
		if (x[i].inside == main_id) {
			mains++;
			FUZZ_ASSERT(x[i].count == 1 && x[i].outside == caller);
		} else {
			FUZZ_ASSERT(x[i].outside != 0);
			FUZZ_ASSERT(caller < x[i].outside || caller - x[i].outside >= x[i].count);
		}
		for (uint32_t k = 0; k < i; k++)
			FUZZ_ASSERT(x[i].inside >= (uint64_t)x[k].inside + x[k].count ||
				    x[k].inside >= (uint64_t)x[i].inside + x[i].count);
	}
	FUZZ_ASSERT(mains == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct userns_facts f = {.caller_uid = 1000, .caller_gid = 1000, .can_use_ranges = true};
	const char *text = (const char *)data, *name;
	uint32_t main_id = size ? data[0] : 0;
	struct id_map map;
	size_t len = 0;

	subid_parse(text, size, "bob", 1000, &f.uid);
	subid_parse(text, size, NULL, 1000, &f.gid);
	FUZZ_ASSERT(f.uid.n <= SUBID_RANGES_MAX && f.gid.n <= f.uid.n);
	FUZZ_ASSERT(userns_map_plan(&f, main_id, main_id, USERNS_AUTO, &map, NULL) == 0);
	check_extents(map.uid, map.n_uid, main_id, 1000);
	check_extents(map.gid, map.n_gid, main_id, 1000);
	name = subid_login_name(text, size, 1000, &len);
	FUZZ_ASSERT(!name || (len && name >= text && name + len <= text + size));
	return 0;
}
