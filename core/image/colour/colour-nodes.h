/* SPDX-License-Identifier: MIT */
/*
 * MsColourNodes: a conversion of 8-bit colours known at the nodes of a grid, between which is interpolated. What Little
 * CMS does for each pixel where a profile has tables is this, too, but takes four times as long.
 */
#pragma once

#include <glib.h>

typedef struct _MsColourNodes MsColourNodes;

/**
 * MsColourSampler: converts @n colours in 16 bits.
 * @places: three or four channels each
 * @rgb: (out): red, green and blue each
 */
typedef void (*MsColourSampler)(const guint16 *places, guint16 *rgb, gsize n, gpointer data);

MsColourNodes *ms_colour_nodes_new(guint n_channels, guint side, MsColourSampler sampler, gpointer data);
void ms_colour_nodes_free(MsColourNodes *self);
void ms_colour_nodes_convert(const MsColourNodes *self, guint8 *pixels, gsize n);
