/* SPDX-License-Identifier: MIT */
/* MsBatchPreview: the selected image of a batch before and after, scaled while decoding and off the main thread. */
#pragma once

#include <gtk/gtk.h>

#define MS_TYPE_BATCH_PREVIEW (ms_batch_preview_get_type())
G_DECLARE_FINAL_TYPE(MsBatchPreview, ms_batch_preview, MS, BATCH_PREVIEW, GtkBox)

void ms_batch_preview_show(MsBatchPreview *self, const char *before, const char *after);
