/* SPDX-License-Identifier: MIT */
/*
 * MsImageViewAccessible: what assistive technology reads from the image view: a picture with a description, and the
 * position of the divider as its value.
 */
#pragma once

#include <gtk/gtk-a11y.h>

#define MS_TYPE_IMAGE_VIEW_ACCESSIBLE (ms_image_view_accessible_get_type())

GType ms_image_view_accessible_get_type(void);
