/* SPDX-License-Identifier: MIT */
/* The stage that decodes an image into memory, or inspects the file of one that is filtered in bands. */
#pragma once

#include "core/batch/run/batch-image.h"

gboolean ms_stage_decode(MsBatchImage *work, GError **error);
