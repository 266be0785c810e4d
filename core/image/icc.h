/* SPDX-License-Identifier: MIT */
/* Looks into an ICC profile just far enough to know whether it describes RGB pixels. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean ms_icc_is_rgb(GBytes *profile);

G_END_DECLS
