/* SPDX-License-Identifier: MIT */
/* Exact histograms of images on the device: R, G, B, A and luma in one pass. */
#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

#include "core/image/common/image.h"
#include "core/opencl/context.h"

typedef enum {
  MS_CHANNEL_R,
  MS_CHANNEL_G,
  MS_CHANNEL_B,
  MS_CHANNEL_A,
  MS_CHANNEL_LUMA,
  MS_N_CHANNELS,
} MsImageChannel;

/** MS_LUMA: luma in integers: 0.299 R + 0.587 G + 0.114 B rounded to the nearest, halves upwards. */
#define MS_LUMA(r, g, b) ((299u * (guint)(r) + 587u * (guint)(g) + 114u * (guint)(b) + 500u) / 1000u)

/** MsHistogram: 256 exact counts for each channel and luma; every row sums to @pixels. */
typedef struct {
  guint64 pixels;
  guint64 counts[MS_N_CHANNELS][256];
} MsHistogram;

const char *ms_image_channel_name(MsImageChannel channel);

gboolean ms_histogram_of_image(const MsDeviceRun *run, MsImage *image, MsHistogram *histogram, GError **error);
void ms_histogram_add(MsHistogram *self, const MsHistogram *other);
void ms_histogram_serial(const guint8 *pixels, guint64 n_pixels, MsHistogram *histogram);
char *ms_histogram_to_text(const MsHistogram *self);
void ms_histogram_add_json(const MsHistogram *self, JsonBuilder *builder);
