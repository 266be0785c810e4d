/* SPDX-License-Identifier: MIT */
/* The regions of a picture in shared memory: labels, then segments, then neighbours. */
#pragma once

#include "core/regions/segment-table.h"

int ms_regions_answer_new(const MsSegmentation *segmentation, const MsSegmentTable *table, GError **error);
gboolean ms_regions_answer_read(GVariant *content, int fd, MsImage *source, MsSegmentation **segmentation,
                                MsSegmentTable **table);
