/* SPDX-License-Identifier: MIT */
/*
 * Statistics and histograms of a result and its source, for --stats and --histogram, as bytes that a worker process can
 * send to its supervisor.
 */
#pragma once

#include <json-glib/json-glib.h>

#include "core/engine/engine.h"

/** MsImageSummaryParts: whether --stats and --histogram are given. */
typedef struct {
  gboolean statistics;
  gboolean histogram;
} MsImageSummaryParts;

GBytes *ms_image_summary_new(const MsDeviceRun *run, MsImage *source, MsImage *result, MsImageSummaryParts parts,
                             GError **error);
GBytes *ms_image_summary_join(GBytes *above, GBytes *below);
void ms_image_summary_add_json(GBytes *summary, JsonBuilder *builder);
char *ms_image_summary_to_text(GBytes *summary);
