/* SPDX-License-Identifier: MIT */
/*
 * MsScreenColours: the colour profiles of a screen's monitors, and the conversions by which pictures of other profiles
 * are drawn there. Pictures keep their stored values; only what is drawn is converted.
 */
#pragma once

#include <gtk/gtk.h>

#include "core/image/colour/colour.h"
#include "core/image/common/image.h"

#define MS_TYPE_SCREEN_COLOURS (ms_screen_colours_get_type())
/* Signal: "changed" (): of a monitor; the conversions found before are no longer valid. */
G_DECLARE_FINAL_TYPE(MsScreenColours, ms_screen_colours, MS, SCREEN_COLOURS, GObject)

MsScreenColours *ms_screen_colours_of(GtkWidget *widget);
int ms_screen_colours_monitor_of(GtkWidget *widget);
const MsColour *ms_screen_colours_for_image(GtkWidget *widget, int monitor, MsImage *image);
void ms_screen_colours_show(GtkImage *image, GdkPixbuf *pixbuf, GBytes *icc);
