/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SQUASHD_FILTER_H
#define CSBX_SQUASHD_FILTER_H

/* A seccomp(2) allow-list, built by hand: a call that is not listed fails with EPERM. */

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

#define FILTER_INSNS_MAX 512
#define FILTER_CALLS_MAX 512 /* numbers end below it */

struct filter {
	struct sock_filter insns[FILTER_INSNS_MAX];
	size_t n;
	bool allowed[FILTER_CALLS_MAX]; /* whatever the arguments */
	bool full;
};

/* Native calls only: other ABIs' numbers mean other calls. */
void filter_begin(struct filter *f);
void filter_allow(struct filter *f, int nr);
/* Only if the low 32 bits of the argument equal the value, as the kernel takes an int. */
void filter_allow_arg(struct filter *f, int nr, unsigned arg, uint32_t value);
/* Only if none of the bits is set in the argument. */
void filter_allow_without(struct filter *f, int nr, unsigned arg, uint32_t bits);
/* Only if one of the bits is set in it. */
void filter_allow_with(struct filter *f, int nr, unsigned arg, uint32_t bits);
/* Ends the list. -E2BIG: it is too long. */
int filter_end(struct filter *f, struct err *e);
/* Ends it, and puts it in force for this thread; no_new_privs must be set. */
int filter_load(struct filter *f, struct err *e);

#endif
