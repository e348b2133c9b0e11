/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_HUMAN_H
#define CSBX_CMD_DOCKER_HUMAN_H

/* Spans of time and sizes in docker's words (the Go package docker/go-units). */

#include <stddef.h>
#include <stdint.h>

struct strbuf;

/* "Less than a second", "5 seconds", "About a minute", "3 weeks", ... */
void human_span(struct strbuf *out, uint64_t ns);
/* The same with " ago"; "" for a time that never was. */
void human_ago(struct strbuf *out, uint64_t then_ns, uint64_t now_ns);
/* Powers of 1000 with so many significant digits: "1.98MB"; docker uses 3, or 4. */
void human_size(struct strbuf *out, uint64_t bytes, int digits);
/* Powers of 1024 with four significant digits: "95.37MiB". */
void human_size_binary(struct strbuf *out, uint64_t bytes);
/* "2026-11-21 08:32:50 +0000 UTC" */
void human_time(struct strbuf *out, uint64_t realtime_ns);
/* At most n characters; the last one stands for a cut. */
void human_ellipsis(struct strbuf *out, const char *s, size_t n);
/* Go's strconv.Quote. */
void human_quote(struct strbuf *out, const char *s);

#endif
