/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_TESTS_FUZZ_H
#define CSBX_TESTS_FUZZ_H

/*
 * A fuzz target is one file fuzz_<name>.c that defines this function over a parser of foreign
 * bytes: no files, no network, no state kept between calls, 0 returned. It is linked with
 * libFuzzer by `make fuzz` (clang) and with replay.c by `make check-fuzz` (any compiler).
 */

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A broken invariant: stops the fuzzer and keeps the input. */
#define FUZZ_ASSERT(cond) ((cond) ? (void)0 : __builtin_trap())

#endif
