/* SPDX-License-Identifier: MIT */
/*
 * MsImageViewAccessible: the image view for assistive technology: a picture with a description and the divider as
 * value.
 */
#pragma once

#include <gtk/gtk-a11y.h>

G_BEGIN_DECLS

#define MS_TYPE_IMAGE_VIEW_ACCESSIBLE (ms_image_view_accessible_get_type())

GType ms_image_view_accessible_get_type(void);

G_END_DECLS
