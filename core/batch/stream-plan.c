/* SPDX-License-Identifier: MIT */
#include "core/batch/stream-plan.h"

#include "core/filter/pyramid/pyramid.h"

#define BYTES_PER_PIXEL 4

/* The rows from which some are halved, in the colours of the file and in those of the filter, and the halved ones. */
#define ROWS_HALVED (2 * (2 * MS_STREAM_HALVED_ROWS + 8) + MS_STREAM_HALVED_ROWS)

/* More rows are not faster: those of the halo, which are uploaded again for each tile, are few beside these. */
#define MOST_RESULT_BYTES (G_GUINT64_CONSTANT(256) << 20)

/*
 * Rows that are in memory at once: the source with its halo and copies of it, the result, what of it is being encoded,
 * and the copies for comparing and measuring.
 */
static guint64
rows_in_memory(const MsStreamPlan *self, const MsStreamRequest *request, guint64 most_rows)
{
  guint64 held = MIN((guint64)request->height, most_rows + 2 * (guint64)self->halo);

  return (1 + request->halo_copies) * held + (2 + request->copies) * most_rows;
}

/* Bytes of the level above the picture; 0 without levels. */
static guint64
coarse_bytes(const MsStreamRequest *request)
{
  const MsPyramidSize size = ms_pyramid_size(request->width, request->height, 1);

  return request->params.levels > 0 ? (guint64)size.width * (guint64)size.height * BYTES_PER_PIXEL : 0;
}

/*
 * While the level above is computed: the halved picture, its result and an earlier copy of this, the levels above it,
 * which have a third of its pixels in as many arrays, and the rows that are halved.
 */
static guint64
bytes_before_bands(const MsStreamRequest *request)
{
  const guint64 rows = request->params.levels > 0 ? ROWS_HALVED * (guint64)request->width * BYTES_PER_PIXEL : 0;

  return rows + (2 + request->coarse_copies + (request->params.levels > 1 ? 1 : 0)) * coarse_bytes(request);
}

static guint64
bytes_of(const MsStreamPlan *self, const MsStreamRequest *request, guint64 most_rows)
{
  const guint64 rows = rows_in_memory(self, request, most_rows) * (guint64)request->width * BYTES_PER_PIXEL;
  const guint64 coarse = request->coarse_copies * coarse_bytes(request);

  return request->codec_bytes + MAX(bytes_before_bands(request), coarse + rows);
}

/** ms_stream_plan: the most rows whose memory is within the request's, up to a size that gains nothing more. */
MsStreamPlan
ms_stream_plan(const MsStreamRequest *request)
{
  guint64 row_bytes = (guint64)request->width * BYTES_PER_PIXEL;
  MsStreamPlan plan = {.halo = ms_params_halo(&request->params, request->height)};
  guint64 low = 0, high = CLAMP(MOST_RESULT_BYTES / row_bytes, 1, (guint64)request->height);

  while (low < high) {
    guint64 middle = low + (high - low + 1) / 2;
    if (bytes_of(&plan, request, middle) <= request->memory)
      low = middle;
    else
      high = middle - 1;
  }
  plan.most_rows = (int)low;
  plan.bytes = bytes_of(&plan, request, MAX(low, 1));
  return plan;
}
