/* SPDX-License-Identifier: MIT */
/* Draws one picture, or a part of the next one, where the zoom of an image view puts it. */
#pragma once

#include "ui/document/document-filter.h"
#include "ui/image-view/image-view-private.h"

void ms_view_slot_show(MsViewSlot *self, MsImage *image, MsImage *other, GtkWidget *view);
void ms_view_slot_clear(MsViewSlot *self);
void ms_view_slot_draw(MsImageView *self, cairo_t *cr, MsViewSlot *slot, int gain);
void ms_view_slot_draw_piece(MsImageView *self, cairo_t *cr, const MsPiece *piece);
