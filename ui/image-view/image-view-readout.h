/* SPDX-License-Identifier: MIT */
/* Shows the position and colours of the pixel under the pointer. */
#pragma once

#include "ui/image-view/image-view.h"

void ms_image_view_update_readout(MsImageView *self);
const char *ms_image_view_get_readout(MsImageView *self);
