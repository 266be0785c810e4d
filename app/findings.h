/* SPDX-License-Identifier: MIT */
/* MsFindings: what the device's reductions say about a result (and its source), for --stats and --histogram. */
#pragma once

#include <json-glib/json-glib.h>

#include "core/engine/engine.h"

G_BEGIN_DECLS

typedef struct _MsFindings MsFindings;

MsFindings *ms_findings_new(MsEngine *engine, MsImage *source, MsImage *result, gboolean statistics, gboolean histogram,
                            MsTimingLog *log, GCancellable *cancellable, GError **error);
void ms_findings_free(gpointer self);
void ms_findings_add_json(const MsFindings *self, JsonBuilder *builder);
char *ms_findings_to_text(const MsFindings *self, gboolean statistics, gboolean histogram);

G_END_DECLS
