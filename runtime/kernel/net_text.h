/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_NET_TEXT_H
#define CSBX_RUNTIME_NET_TEXT_H

/* Lines and words of the files below /proc/PID/net (net_tried.c, net_traces.c). */

#include <string.h>

/* The line behind this one, NULL at the end. */
static inline const char *net_text_line(const char *line)
{
	line = strchr(line, '\n');
	return line && line[1] ? line + 1 : NULL;
}

/* Length of the word at p; *p is moved past blanks first. */
static inline size_t net_text_word(const char **p)
{
	*p += strspn(*p, " \t");
	return strcspn(*p, " \t\n");
}

#endif
