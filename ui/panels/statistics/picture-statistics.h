/* SPDX-License-Identifier: MIT */
/*
 * MsPictureStatistics: statistics and histograms of the two pictures compared, computed on the device off the main
 * thread.
 */
#pragma once

#include "core/reduce/image-comparison.h"
#include "core/reduce/image-statistics.h"
#include "ui/document/document.h"
#include "ui/engine/picture-result.h"

#define MS_TYPE_PICTURE_STATISTICS (ms_picture_statistics_get_type())
G_DECLARE_FINAL_TYPE(MsPictureStatistics, ms_picture_statistics, MS, PICTURE_STATISTICS, MsPictureResult)

MsPictureStatistics *ms_picture_statistics_of(MsDocument *document);
void ms_picture_statistics_update(MsPictureStatistics *self, MsDocument *document);

const MsImageStatistics *ms_picture_statistics_get_before(MsPictureStatistics *self);
const MsImageStatistics *ms_picture_statistics_get_after(MsPictureStatistics *self);
const MsImageComparison *ms_picture_statistics_get_comparison(MsPictureStatistics *self);
char *ms_picture_statistics_name_before(MsDocument *document);
char *ms_picture_statistics_name_after(MsDocument *document);
