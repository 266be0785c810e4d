/* SPDX-License-Identifier: MIT */
/* MsPriceTag: what a value of a toggle costs in units of the present settings: a thin bar with the number below it. */
#pragma once

#include <gtk/gtk.h>

#include "ui/document/flips.h"

#define MS_TYPE_PRICE_TAG (ms_price_tag_get_type())
G_DECLARE_FINAL_TYPE(MsPriceTag, ms_price_tag, MS, PRICE_TAG, GtkDrawingArea)

GtkWidget *ms_price_tag_new(const char *name);
void ms_price_tag_set(MsPriceTag *self, const MsFlip *flip, MsRun *present, double most);
const char *ms_price_tag_get_text(MsPriceTag *self);
char *ms_price_text(const MsFlip *flip, MsRun *present);
