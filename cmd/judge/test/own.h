/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_TEST_OWN_H
#define CSBX_CMD_TEST_OWN_H

#include "runtime/spec/spec.h"

struct err;

/*
 * 1 when each file of a directory belongs to a user and a group that exist in the container, else
 * 0: an overlay cannot change a file of other ids, as it would have to make one (EOVERFLOW). A
 * directory that cannot be read has files that nothing inside can read either. -errno: the
 * directory itself cannot be looked at.
 */
int test_tree_is_own(const char *dir, enum userns_mode mode, struct err *e);

#endif
