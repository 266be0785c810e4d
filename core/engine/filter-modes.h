/* SPDX-License-Identifier: MIT */
/* Filters an image on a device or by the serial reference, and keeps the mode of each pixel for its regions. */
#pragma once

#include "core/filter/mean-shift.h"

G_BEGIN_DECLS

MsImage *ms_filter_modes_run(MsContext *context, MsImage *source, const MsSettings *settings, guint16 **modes,
                             GCancellable *cancellable, GError **error);

G_END_DECLS
