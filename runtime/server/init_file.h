/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_INIT_FILE_H
#define CSBX_RUNTIME_INIT_FILE_H

/*
 * csbx-init as what is exec'd: a sealed copy in memory (memfd_create(2)), that no program inside
 * can write to however he comes by it.
 */

#include <stdbool.h>

struct err;
struct paths;

/* A copy of an open file; where none can be executed (vm.memfd_noexec) a duplicate of the file. */
int init_file_seal(int file_fd, bool *ret_is_file, struct err *e);

/*
 * 0 when fd, which came from elsewhere, is csbx-init and stays so: sealed, with the bytes of the
 * file `installed`, or that file itself. Else -EPERM.
 */
int init_file_check(int fd, const char *installed, struct err *e);

/* A sealed copy of the installed csbx-init. A file that the caller could write to is -EPERM. */
int init_file_open(const struct paths *p, struct err *e);

/*
 * Becomes csbx-init, alone (init_abi.h), with the message and n more descriptors from
 * INIT_FD_FIRST_KEPT on; all others close. Returns on failure only.
 */
int init_file_exec(int init_fd, int msg_fd, const int *fds, unsigned n, struct err *e);

#endif
