/* SPDX-License-Identifier: Apache-2.0 */
/*
 * readall DIR...: reads every regular file below the directories, in the order in which they are
 * listed, not following symbolic links, and prints how many files and bytes that were.
 */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static unsigned long long files, bytes;

static int read_file(const char *path)
{
	static char buf[1 << 17];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n;

	if (fd < 0)
		return -1;
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		bytes += (unsigned long long)n;
	close(fd);
	files++;
	return n < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
	FTS *tree = argc > 1 ? fts_open(argv + 1, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
	FTSENT *f;

	if (!tree) {
		fputs("usage: readall DIR...\n", stderr);
		return 125;
	}
	while ((f = fts_read(tree))) {
		/* Directories and files that others may not read are no part of the comparison. */
		if (f->fts_info == FTS_F && (f->fts_statp->st_mode & 0444) == 0444 &&
		    read_file(f->fts_accpath) < 0) {
			fprintf(stderr, "readall: %s: %s\n", f->fts_path, strerror(errno));
			return 1;
		}
	}
	fts_close(tree);
	printf("%llu files, %llu bytes\n", files, bytes);
	return 0;
}
