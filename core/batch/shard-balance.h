/* SPDX-License-Identifier: MIT */
/* Dividing a list of images into shards of nearly equal numbers of pixels. */
#pragma once

#include "core/batch/inputs.h"
#include "core/image/common/image-source.h"

guint *ms_shard_balance(GPtrArray *inputs, guint count, const MsImageLimits *limits);
