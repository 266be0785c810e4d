/* SPDX-License-Identifier: MIT */
/* A generated picture for measuring: photograph-like (gradients, texture, edges, noise), the same on every machine. */
#pragma once

#include "core/image/common/image.h"

MsImage *ms_scene_new(int width, int height);
