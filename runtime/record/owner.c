/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/record/owner.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"
#include "runtime/kernel/process_id.h"

static int split(const char *text, pid_t *ret_pid, uint64_t *ret_start, bool *ret_has_start)
{
	const char *colon = strchr(text, ':');
	_free_ char *number = colon ? strndup(text, (size_t)(colon - text)) : strdup(text);
	uint64_t pid = 0;

	if (!number || num_parse_u64(number, INT32_MAX, &pid) < 0 || !pid)
		return -EINVAL;
	*ret_pid = (pid_t)pid;
	*ret_has_start = colon != NULL;
	return colon ? num_parse_u64(colon + 1, UINT64_MAX, ret_start) : 0;
}

static int gone(const char *owner, struct err *e)
{
	return err_set(e, ESRCH, "its owner, process %s, is gone", owner);
}

int owner_parse(const char *text, char **ret, struct err *e)
{
	uint64_t asked = 0, now;
	bool has_start;
	pid_t pid;

	if (split(text, &pid, &asked, &has_start) < 0)
		return err_set(e, EINVAL, "'%s' is no process: PID or PID:STARTTIME", text);
	if (process_start_ticks(pid, &now) < 0 || (has_start && asked != now))
		return gone(text, e);
	*ret = str_printf("%d:%llu", pid, (unsigned long long)now);
	return *ret ? 0 : err_oom(e);
}

int owner_open(const char *owner, struct err *e)
{
	uint64_t asked = 0, now;
	_close_ int fd = -1;
	bool has_start;
	pid_t pid;

	if (split(owner, &pid, &asked, &has_start) < 0 || !has_start)
		return err_set(e, EBADMSG, "damaged record: no owner");
	/* The descriptor first: from then on the number cannot become somebody else's unseen. */
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (fd < 0)
		return errno == ESRCH || errno == EINVAL ? gone(owner, e)
							 : err_sys(e, "pidfd_open");
	if (process_start_ticks(pid, &now) < 0 || now != asked)
		return gone(owner, e);
	return take_fd(&fd);
}

bool owner_is_gone(const char *owner)
{
	int fd = owner_open(owner, NULL);
	bool is_gone = fd == -ESRCH;

	fd_close(&fd);
	return is_gone;
}
