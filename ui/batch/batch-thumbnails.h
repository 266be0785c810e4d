/* SPDX-License-Identifier: MIT */
/* The column of thumbnails in the list of a batch. */
#pragma once

#include <gtk/gtk.h>

void ms_batch_add_thumbnails(GtkTreeView *tree);
