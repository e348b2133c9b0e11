/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_STEP_JOIN_H
#define CSBX_STEP_JOIN_H

/* As csbx-join: runs it and returns its exit code; -1 under any other name. */
int step_join_personality(int argc, char **argv);

#endif
