/* SPDX-License-Identifier: MIT */
/* Plans the memory of dividing an image into regions as far as its size says; makes no call but arithmetic. */
#pragma once

#include "core/filter/settings/settings.h"

/**
 * MsRegionPlanRequest:
 * @params: of the filter
 * @keeps_modes: whether the modes are needed after the regions were found
 * @paints: whether a picture is written
 */
typedef struct {
  int width;
  int height;
  MsParams params;
  gboolean keeps_modes;
  gboolean paints;
} MsRegionPlanRequest;

/**
 * MsRegionPlan: bytes that arrays of pixels take of the host's memory, each stage with what it keeps of earlier ones.
 * @reading: the decoder's memory and the picture
 * @filtering: with the filter's result and modes
 * @finding: held while regions are searched, without the memory of the search
 * @writing: held while the table is made, without the memory of the table
 * @painting: a picture and its encoder, beside @writing
 * @modes: the modes as they are written, beside @writing
 * @least: the least memory that any image of this size needs
 */
typedef struct {
  guint64 reading;
  guint64 filtering;
  guint64 finding;
  guint64 writing;
  guint64 painting;
  guint64 modes;
  guint64 least;
} MsRegionPlan;

MsRegionPlan ms_region_plan(const MsRegionPlanRequest *request);
