/* SPDX-License-Identifier: Apache-2.0 */
/* Mounts of the command line: what is accepted is clean, what is refused leaves nothing behind. */
#include "cmd/options/mount_spec.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/path.h"
#include "runtime/spec/name.h"
#include "runtime/spec/spec.h"
#include "tests/fuzz/fuzz.h"

static void one(int (*parse)(const char *, struct mount_spec *, struct err *), const char *text)
{
	struct mount_spec m = {0};
	struct err e = ERR_INIT;
	int r = parse(text, &m, &e);

	if (r < 0) {
		FUZZ_ASSERT(!m.source && !m.target && !m.asked && !m.volume);
		FUZZ_ASSERT(e.code > 0 && e.msg[0]);
		return;
	}
	FUZZ_ASSERT(path_is_clean_absolute(m.target));
	FUZZ_ASSERT(!strstr(m.target, "//"));
	FUZZ_ASSERT((m.source != NULL) == (m.kind != MOUNT_TMPFS && !m.volume));
	FUZZ_ASSERT(!m.volume || (m.kind == MOUNT_BIND && name_is_valid(m.volume)));
	FUZZ_ASSERT(!m.source || *m.source);
	FUZZ_ASSERT(m.kind == MOUNT_TMPFS || (!m.tmpfs_bytes && !m.tmpfs_mode));
	FUZZ_ASSERT(!strcmp(m.asked, text));
	FUZZ_ASSERT(!mount_make_absolute(&m, "/cwd", &e) && (!m.source || *m.source == '/'));
	free(m.source);
	free(m.target);
	free(m.asked);
	free(m.volume);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[1024];

	if (size >= sizeof(text))
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	one(mount_parse, text);
	one(volume_parse, text);
	one(tmpfs_parse, text);
	one(device_parse, text);
	return 0;
}
