/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/life/unpacked_prune.h"

#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/kernel/temp_dir.h"
#include "runtime/kernel/tree_size.h"
#include "runtime/life/gc_priv.h"
#include "runtime/server/unpacked.h"
#include "runtime/settings/paths.h"
#include "runtime/userns/tree_remove.h"

bool unpacked_is_key(const char *name)
{
	return *name && strspn(name, "0123456789abcdef-") == strlen(name);
}

int unpacked_remove(int dirfd, const char *key, struct err *e)
{
	_free_ char *lock = str_printf("%s.lock", key);
	_close_ int temp = temp_begin(dirfd, e);
	char tmp[TEMP_NAME_BYTES];
	int r = temp;

	if (!lock)
		return err_oom(e);
	if (r >= 0)
		r = temp_move_away(dirfd, key, tmp, e);
	if (r >= 0 && unlinkat(dirfd, lock, 0) < 0)
		r = err_sys(e, "unlink lock");
	return r < 0 ? r : tree_remove(dirfd, tmp, e);
}

static int open_area(const struct paths *p, struct gc_area *a, struct err *e)
{
	return gc_area_open(a, str_printf("%s/unpacked", p->cache), p->cache, "unpacked", e);
}

static uint64_t size_of(const struct gc_area *a, const char *key)
{
	_free_ char *path = str_printf("%s/%s", a->path, key);

	return path ? tree_size(path) : 0;
}

int unpacked_survey(const struct paths *p, size_t *ret_n, uint64_t *ret_bytes, uint64_t *ret_free,
		    struct err *e)
{
	struct gc_area a;
	int r = open_area(p, &a, e);

	*ret_n = 0;
	*ret_bytes = *ret_free = 0;
	for (size_t i = 0; r >= 0 && i < a.names.n; i++) {
		_close_ int lock = -1;
		uint64_t bytes;

		if (!unpacked_is_key(a.names.items[i]))
			continue;
		bytes = size_of(&a, a.names.items[i]);
		++*ret_n;
		*ret_bytes += bytes;
		if (unpacked_is_unused(a.fd, a.names.items[i], 0, &lock))
			*ret_free += bytes;
	}
	gc_area_close(&a);
	return r;
}

int unpacked_prune(const struct paths *p, uint64_t unused_s, bool dry_run, uint64_t *ret_freed,
		   struct err *e)
{
	struct gc_area a;
	int r = open_area(p, &a, e);

	for (size_t i = 0; r >= 0 && i < a.names.n; i++) {
		const char *key = a.names.items[i];
		_close_ int lock = -1;
		uint64_t bytes;

		if (!unpacked_is_key(key) || !unpacked_is_unused(a.fd, key, unused_s, &lock))
			continue;
		bytes = size_of(&a, key);
		r = dry_run ? 0 : unpacked_remove(a.fd, key, e);
		if (r >= 0)
			*ret_freed += bytes;
	}
	gc_area_close(&a);
	return r < 0 ? err_wrap(e, "unpacked images") : 0;
}
