/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/options/input_file.h"

#include <fcntl.h>
#include "cmd/options/program_places.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"

int input_file_open(const char *path, int flags, const struct container_spec *spec, struct err *e)
{
	_program_places_ struct path_places programs = {0};
	int r = spec ? program_places(spec, &programs, e) : 0;

	return r < 0 ? r : path_open_input(path, flags, &programs, e);
}

int input_file_read(const char *path, size_t max, const struct container_spec *spec,
		    struct strbuf *out, struct err *e)
{
	_close_ int fd = input_file_open(path, O_RDONLY | O_NONBLOCK, spec, e);

	return fd < 0 ? fd : io_read_regular(fd, path, max, out, e);
}

char *input_path(const char *path, const struct container_spec *spec, struct err *e)
{
	_close_ int fd = input_file_open(path, O_PATH, spec, e);

	return fd < 0 ? NULL : path_of_open(fd, path, e);
}

char *input_directory_path(const char *path, const struct container_spec *spec, struct err *e)
{
	_close_ int fd = input_file_open(path, O_RDONLY | O_DIRECTORY, spec, e);

	return fd < 0 ? NULL : path_of_open(fd, path, e);
}
