/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_COPY_STEP_H
#define CSBX_CMD_BUILD_COPY_STEP_H

/* Between the parts of COPY and ADD: copy_words.c, what is asked for, and copy_step.c. */

#include "cmd/build/add_url.h"
#include "cmd/build/build.h"
#include "cmd/build/select.h"
#include "cmd/build/transfer.h"

struct copy_work {
	struct build *b;
	struct build_stage *s;
	const struct instruction *i;
	struct strv sources, inlines; /* inlines: names of here-documents */
	struct strv texts;            /* theirs */
	struct strv urls;
	bool is_unpacked;        /* archives among those go where ADD unpacks them */
	struct add_url *fetched; /* one for each of urls; NULL: not yet */
	char *dest;              /* absolute; ends with a slash where it must be a directory */
	struct selection taken;  /* of the context */
	struct ignore excluded;
	struct select_rules rules;
	struct build_stage *from; /* --from, NULL: the context */
	struct build_stage image; /* --from of an image */
	struct transfer transfer;
	struct build_view view, source;
};

/* Sources and destination, with their values. */
int copy_words_read(struct copy_work *w, struct err *e);
/* --chown, --chmod, --exclude; --from has been looked at. */
int copy_flags_read(struct copy_work *w, struct err *e);
/* Fetches each URL once a build: its content now is part of the step's key. */
int copy_fetch(struct copy_work *w, struct err *e);

#endif
