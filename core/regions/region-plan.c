/* SPDX-License-Identifier: MIT */
#include "core/regions/region-plan.h"

/* Bytes a pixel: of a picture, of modes and of labels; and of a decoder or an encoder, besides its picture. */
#define PICTURE 4
#define MODES 4
#define LABELS 4
#define CODEC 8

/* Halved picture, result, modes and enlarged result of the levels above a picture, which have a third of its pixels. */
#define LEVELS (PICTURE + PICTURE + MODES + PICTURE)
#define LEVEL_SHARE 3

/* No memory has a byte for each of these, and the sums of more would exceed 64 bits. */
#define MOST_PIXELS (G_GUINT64_CONSTANT(1) << 58)

static guint64
max_of(guint64 a, guint64 b)
{
  return MAX(a, b);
}

/** ms_region_plan: the sums for one image; a region or a border of regions adds to them. */
MsRegionPlan
ms_region_plan(const MsRegionPlanRequest *request)
{
  const guint64 pixels = MIN((guint64)request->width * (guint64)request->height, MOST_PIXELS);
  const guint64 levels = request->params.levels > 0 ? pixels * LEVELS / LEVEL_SHARE + LEVELS : 0;
  const guint64 converted = request->params.space == MS_SPACE_RGB ? 0 : pixels * PICTURE;
  MsRegionPlan plan = {.reading = pixels * (PICTURE + CODEC),
                       .filtering = pixels * (2 * PICTURE + MODES) + converted + levels,
                       .finding = pixels * (2 * PICTURE + MODES),
                       .writing = pixels * (PICTURE + LABELS + (request->keeps_modes ? MODES : 0)),
                       .painting = request->paints ? pixels * (PICTURE + CODEC) : 0,
                       /* Both numbers of a mode become as wide as a label. */
                       .modes = request->keeps_modes ? pixels * 2 * LABELS : 0};

  plan.least = max_of(max_of(plan.reading, plan.filtering),
                      max_of(plan.finding + pixels * LABELS, plan.writing + max_of(plan.painting, plan.modes)));
  return plan;
}
