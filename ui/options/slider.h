/* SPDX-License-Identifier: MIT */
/*
 * MsSlider: a slider for a number of the option table; wide ranges give most of their travel to small values. What it
 * tells a screen reader is the number, not the position.
 */
#pragma once

#include <gtk/gtk.h>

#include "core/option/option.h"

#define MS_TYPE_SLIDER (ms_slider_get_type())
/* Property: "number" (double, read-write, notifies): in the unit of the option */
G_DECLARE_FINAL_TYPE(MsSlider, ms_slider, MS, SLIDER, GtkScale)

GtkWidget *ms_slider_new(const MsOptionInfo *option);
