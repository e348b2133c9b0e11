/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of blocks, for the server and for the thread that makes blocks ahead. */

#include "runtime/helpers/squashd/image/sqblock.h"
#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define KEPT_BYTES (32 << 20) /* of freed memory */
#define PAGE_BYTES 4096u      /* at least; of larger pages some are asked for twice */

/*
 * The decompressors take their working memory anew for each block. Memory that was given back to
 * the kernel comes again page by page, which is a tenth of the time that a block takes.
 */
void sqblock_keep_memory(void)
{
#ifdef __GLIBC__
	(void)mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
	(void)mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
	(void)mallopt(M_ARENA_MAX, 1); /* for two threads that seldom ask at the same time */
#endif
}

/* Likewise: every page of it is about to be written to. */
unsigned char *sqblock_memory(size_t bytes)
{
	unsigned char *data = malloc(bytes);
	uintptr_t first = ((uintptr_t)data + PAGE_BYTES - 1) & ~(uintptr_t)(PAGE_BYTES - 1);

#ifdef MADV_POPULATE_WRITE
	if (data && bytes >= 2 * SQMETA_BYTES)
		(void)madvise((void *)first, bytes - PAGE_BYTES, MADV_POPULATE_WRITE);
#endif
	return data;
}
