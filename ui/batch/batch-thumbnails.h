/* SPDX-License-Identifier: MIT */
/* The column of thumbnails in the list of a batch. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void ms_batch_add_thumbnails(GtkTreeView *tree);

G_END_DECLS
