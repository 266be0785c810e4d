/* SPDX-License-Identifier: MIT */
/* The first stage of an image: its header, whether it can be loaded and saved, and the memory that it needs. */
#pragma once

#include "core/batch/run/batch-image.h"

gboolean ms_stage_measure(MsBatchImage *work, GError **error);
