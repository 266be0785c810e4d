/* SPDX-License-Identifier: MIT */
#include "core/image/png/png-plan.h"

#include "core/image/png/png-deflate.h"

/*
 * Filtered bytes of a band: at this size the end of a band costs 5 bytes, and filtering its dictionary 3 % of the time.
 */
#define BAND_SIZE (1 << 20)

/* An image with fewer bytes is deflated as a whole by the faster library, in less time than starting threads takes. */
#define SMALL_SIZE (4 << 20)

/* An image with more bytes is compressed in bands, which needs less memory than the whole filtered image. */
#define MOST_WHOLE_SIZE (64 << 20)

/**
 * ms_png_plan:
 * @threads: how many may compress this image at once
 *
 * The output depends on the plan and not on the timing of threads.
 *
 * Returns: how to compress the image in the shortest time
 */
MsPngPlan
ms_png_plan(const MsPngRows *rows, guint threads)
{
  gsize stride = ms_png_rows_stride(rows);
  /* Two threads with zlib are about as fast as one with libdeflate. */
  gsize most_whole = threads > 2 ? SMALL_SIZE : MOST_WHOLE_SIZE;

  return (MsPngPlan){
    .is_whole = ms_png_deflate_is_built() && stride * rows->height <= most_whole,
    .band_rows = CLAMP(BAND_SIZE / stride, 1, rows->height),
    .threads = MAX(1, threads),
  };
}

/** ms_png_plan_bands_in_flight: how many bands are at most compressed or, finished, wait for an earlier one. */
gsize
ms_png_plan_bands_in_flight(const MsPngPlan *self)
{
  return self->threads > 1 ? 2 * self->threads : 1;
}

/**
 * ms_png_plan_bytes:
 *
 * Returns: bytes of memory that compressing takes: the filtered rows and the output of the whole image, or the filtered
 *   rows of the bands that threads work on and the output of these and of those that wait for an earlier one
 */
guint64
ms_png_plan_bytes(const MsPngPlan *self, const MsPngRows *rows)
{
  guint64 band = (guint64)ms_png_rows_stride(rows) * self->band_rows;

  if (self->is_whole)
    return 2 * (guint64)ms_png_rows_stride(rows) * rows->height;
  return band * (ms_png_plan_bands_in_flight(self) + (guint64)self->threads);
}
