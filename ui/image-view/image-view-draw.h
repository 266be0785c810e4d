/* SPDX-License-Identifier: MIT */
/* Draws the pictures of an image view in its six modes. */
#pragma once

#include "ui/image-view/image-view-private.h"

void ms_image_view_draw(MsImageView *self, cairo_t *cr);
