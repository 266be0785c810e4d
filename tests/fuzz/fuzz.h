/* SPDX-License-Identifier: MIT */
/* What a fuzz target offers: one input to try, for libFuzzer and for our own driver, and sound inputs to begin with. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <glib.h>

G_BEGIN_DECLS

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** ms_fuzz_seeds: (transfer full) (element-type GBytes): inputs that are taken; the driver damages them. */
GPtrArray *ms_fuzz_seeds(void);

G_END_DECLS
