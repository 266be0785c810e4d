/* SPDX-License-Identifier: MIT */
/* The regions in an image view: their picture, the one that is selected, and clicks on them. */
#pragma once

#include <gtk/gtk.h>

#include "ui/image-view/image-view.h"

void ms_image_view_follow_regions(MsImageView *self);
void ms_image_view_leave_regions(MsImageView *self);
void ms_image_view_update_regions(MsImageView *self);
void ms_image_view_paint_regions(MsImageView *self);
char *ms_image_view_caption_regions(MsImageView *self);
void ms_image_view_draw_selected_region(MsImageView *self, cairo_t *cr);
void ms_image_view_click(MsImageView *self, double x, double y);
