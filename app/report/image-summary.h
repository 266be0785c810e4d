/* SPDX-License-Identifier: MIT */
/* MsImageSummary: statistics and histograms of a result and its source, for --stats and --histogram. */
#pragma once

#include <json-glib/json-glib.h>

#include "core/engine/engine.h"

G_BEGIN_DECLS

typedef struct _MsImageSummary MsImageSummary;

MsImageSummary *ms_image_summary_new(MsEngine *engine, MsImage *source, MsImage *result, gboolean statistics,
                                     gboolean histogram, MsTimingLog *log, GCancellable *cancellable, GError **error);
void ms_image_summary_free(gpointer self);
void ms_image_summary_add_json(const MsImageSummary *self, JsonBuilder *builder);
char *ms_image_summary_to_text(const MsImageSummary *self);

G_END_DECLS
