/* SPDX-License-Identifier: MIT */
/* MsBatchPage: the workspace Batch, which filters files and folders while the rest of the window is in use. */
#pragma once

#include <gtk/gtk.h>

#include "ui/document/document.h"

#define MS_TYPE_BATCH_PAGE (ms_batch_page_get_type())
/*
 * Property: "document" (MsDocument or NULL, write-only): the picture whose settings are offered.
 * Signal: "open" (const char *path): the user opens an image in the workspace Picture.
 */
G_DECLARE_FINAL_TYPE(MsBatchPage, ms_batch_page, MS, BATCH_PAGE, GtkBin)

void ms_batch_page_set_engine(MsBatchPage *self, MsWindowEngine *engine);
void ms_batch_page_add(MsBatchPage *self, GFile *file);
