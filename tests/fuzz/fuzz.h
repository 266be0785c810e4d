/* SPDX-License-Identifier: MIT */
/*
 * The interface of a fuzz target: a function for one input, for libFuzzer and for the driver of this folder, and valid
 * seeds.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <glib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** ms_fuzz_seeds: (transfer full) (element-type GBytes): valid inputs, which the driver damages. */
GPtrArray *ms_fuzz_seeds(void);
