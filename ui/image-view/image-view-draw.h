/* SPDX-License-Identifier: MIT */
/* Draws the pictures of an image view in its six modes. */
#pragma once

#include "ui/image-view/image-view-private.h"

G_BEGIN_DECLS

void ms_image_view_draw(MsImageView *self, cairo_t *cr);
void ms_view_slot_show(MsViewSlot *self, MsImage *image, MsImage *other, GtkWidget *view);
void ms_view_slot_clear(MsViewSlot *self);

G_END_DECLS
