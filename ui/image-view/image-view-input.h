/* SPDX-License-Identifier: MIT */
/* Handles the mouse, touch and keys of an image view. */
#pragma once

#include "ui/image-view/image-view.h"

void ms_image_view_add_input(MsImageView *self);
gboolean ms_image_view_press_key(MsImageView *self, GdkEventKey *event);
