/* SPDX-License-Identifier: MIT */
/*
 * MsImageView: the picture before and after filtering, in six modes that share zoom and pan; draws the visible part
 * only.
 */
#pragma once

#include <gtk/gtk.h>

#include "ui/document/document.h"
#include "ui/document/picture-regions.h"

/** MsViewMode: what is shown; ms_view_mode_names[] holds the names used by the window's action. */
typedef enum {
  MS_VIEW_ORIGINAL,
  MS_VIEW_FILTERED,
  MS_VIEW_SPLIT,
  MS_VIEW_SIDE_BY_SIDE,
  MS_VIEW_DIFFERENCE,
  MS_VIEW_REGIONS,
  MS_N_VIEW_MODES,
} MsViewMode;

extern const char *const ms_view_mode_names[MS_N_VIEW_MODES + 1];

#define MS_TYPE_IMAGE_VIEW (ms_image_view_get_type())
/*
 * Properties, all with notify: "mode" (int, an MsViewMode), "divider" (double, 0 to 1); writable: "gain" (int: what
 * differences are multiplied by), "region-picture" (int, an MsRegionPicture: how regions are shown)
 * Signals: "readout-changed" (): the zoom or the text about the pixel under the pointer has changed;
 * "region-clicked" (): the region of a pixel was selected with the pointer
 */
G_DECLARE_FINAL_TYPE(MsImageView, ms_image_view, MS, IMAGE_VIEW, GtkDrawingArea)

GtkWidget *ms_image_view_new(MsDocument *document);
MsDocument *ms_image_view_get_document(MsImageView *self);
MsViewMode ms_image_view_get_mode(MsImageView *self);
void ms_image_view_set_mode(MsImageView *self, MsViewMode mode);
void ms_image_view_set_peek(MsImageView *self, gboolean peek);
double ms_image_view_get_divider(MsImageView *self);
void ms_image_view_set_gain(MsImageView *self, int gain);
char *ms_image_view_describe(MsImageView *self);
const char *ms_image_view_get_readout(MsImageView *self);

double ms_image_view_get_zoom(MsImageView *self);
void ms_image_view_set_zoom(MsImageView *self, double zoom);
void ms_image_view_zoom_in(MsImageView *self);
void ms_image_view_zoom_out(MsImageView *self);
void ms_image_view_fit(MsImageView *self);
MsRegion ms_image_view_get_visible(MsImageView *self);
