/* SPDX-License-Identifier: MIT */
/* The stage that decodes an image into memory, or inspects the file of one that is filtered in bands. */
#pragma once

#include "core/batch/run/batch-image.h"

G_BEGIN_DECLS

gboolean ms_stage_decode(MsBatchImage *work, GError **error);

G_END_DECLS
