/* SPDX-License-Identifier: MIT */
/* Zooms and scrolls an image view. */
#pragma once

#include "ui/image-view/image-view.h"

void ms_image_view_moved(MsImageView *self);
void ms_image_view_update_pane(MsImageView *self);
double ms_image_view_scale(MsImageView *self);
void ms_image_view_pointer_in_pane(MsImageView *self, double *x, double *y);
MsViewMode ms_image_view_effective_mode(MsImageView *self);
double ms_image_view_pane_width(MsImageView *self);
double ms_image_view_get_zoom(MsImageView *self);
void ms_image_view_set_zoom(MsImageView *self, double zoom);
void ms_image_view_zoom_in(MsImageView *self);
void ms_image_view_zoom_out(MsImageView *self);
void ms_image_view_fit(MsImageView *self);
MsRegion ms_image_view_get_visible(MsImageView *self);
