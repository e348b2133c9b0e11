/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of mount files: what is accepted is clean, what is refused leaves nothing behind. */
#include "runtime/spec/fstab.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/path.h"
#include "tests/fuzz/fuzz.h"

#define ROOT "/r/root"

static void check(const struct fstab_entry *x)
{
	const struct mount_spec *m = &x->mount;
	bool has_source = m->kind == MOUNT_BIND || m->kind == MOUNT_SELF;

	FUZZ_ASSERT(m->target && path_is_clean_absolute(m->target) && !strstr(m->target, "//"));
	FUZZ_ASSERT(m->kind == MOUNT_BIND || m->kind == MOUNT_SELF || m->kind == MOUNT_TMPFS);
	if (x->kind != FSTAB_MOUNT || x->is_kernel) {
		FUZZ_ASSERT(!m->source);
		return;
	}
	FUZZ_ASSERT((m->source != NULL) == has_source);
	FUZZ_ASSERT(m->kind != MOUNT_SELF || path_is_clean_absolute(m->source));
	/* The container's own root is never taken for a place of the host. */
	FUZZ_ASSERT(m->kind != MOUNT_BIND ||
		    (strcmp(m->source, ROOT) && strncmp(m->source, ROOT "/", sizeof(ROOT))));
	FUZZ_ASSERT(m->kind == MOUNT_TMPFS || (!m->tmpfs_bytes && !m->tmpfs_mode));
	FUZZ_ASSERT(m->kind == MOUNT_BIND || !m->devices);
	FUZZ_ASSERT(x->pass >= -1 && x->pass <= 99);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fstab_entry x;
	struct err e = ERR_INIT;
	/* No byte behind the end may be read. */
	char *text = malloc(size + !size);
	int r;

	if (!text)
		return 0;
	memcpy(text, data, size);
	r = fstab_parse_line(text, size, ROOT, &x, &e);
	FUZZ_ASSERT(r >= 0 || (e.code > 0 && e.msg[0]));
	if (r > 0)
		check(&x);
	else
		FUZZ_ASSERT(!x.mount.source && !x.mount.target);
	fstab_entry_free(&x);
	free(text);
	return 0;
}
