/* SPDX-License-Identifier: MIT */
#include "core/lab/kinds/run-image.h"

#include <glib/gi18n-lib.h>

#define DEFAULT_SIZE "512x512"

/** ms_lab_image_size: (transfer none): the factor "size" or its default. */
const char *
ms_lab_image_size(const MsFactors *factors)
{
  return ms_factors_get_or(factors, "size", DEFAULT_SIZE);
}

/**
 * ms_lab_image_open:
 * @work: (out): receives the number of pixels
 *
 * Returns: (transfer full): the image of the bench that @factors describe
 */
MsImage *
ms_lab_image_open(MsLabBench *bench, const MsFactors *factors, MsWork *work, GError **error)
{
  MsImage *image = ms_lab_bench_image(bench, ms_lab_image_size(factors), error);

  if (!image)
    return NULL;
  work->pixels = (double)ms_image_get_width(image) * ms_image_get_height(image);
  return g_object_ref(image);
}

/**
 * ms_lab_image_verify:
 * @result: the configuration's result
 *
 * Returns: %FALSE when the reference could not be computed; @verification says whether the images are equal
 */
gboolean
ms_lab_image_verify(const MsLabImageTask *task, MsImage *result, MsVerification *verification,
                    GCancellable *cancellable, GError **error)
{
  MsLabBench *bench = task->bench;
  MsImage *reference = ms_lab_bench_reference(bench, task->image, task->params, cancellable, error);

  if (!reference)
    return FALSE;
  task->work->window_samples = ms_lab_bench_window_samples(bench, task->image, task->params);
  g_autoptr(MsImage) rows = ms_lab_bench_referenced_rows(bench, result);
  MsImageDifference difference = ms_image_compare(rows, reference);
  verification->total = (guint64)ms_image_get_width(rows) * ms_image_get_height(rows);
  verification->mismatches = difference.mismatched_pixels;
  verification->max_difference = difference.max_difference;
  verification->against = g_strdup(N_("the serial reference"));
  return TRUE;
}
