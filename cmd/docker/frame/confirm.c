/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/frame/confirm.h"

#include <strings.h>
#include <unistd.h>

#include "cmd/docker/frame/docker.h"
#include "runtime/base/str.h"

/* Reads one line, and not a byte more: the bytes that follow belong to the next reader. */
bool docker_confirm(const char *warning)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	char answer[16] = "";
	size_t n = 0;

	strbuf_addf(&out, "%s\nAre you sure you want to continue? [y/N] ", warning);
	if (cmd_print(&out) != CMD_EXIT_OK)
		return false;
	while (n + 1 < sizeof(answer) && read(STDIN_FILENO, answer + n, 1) == 1 &&
	       answer[n] != '\n')
		n++;
	answer[n] = 0;
	if (n && answer[n - 1] == '\r')
		answer[n - 1] = 0;
	return !strcasecmp(answer, "y");
}
