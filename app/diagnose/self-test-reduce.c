/* SPDX-License-Identifier: MIT */
#include "app/diagnose/self-test.h"

#include <string.h>

#include "core/reduce/image-comparison.h"
#include "core/reduce/image-statistics.h"
#include "core/reduce/reduce.h"
#include "core/reduce/operators.h"
#include "core/reduce/sort.h"
#include "core/reduce/swap.h"

/* No multiple of any work-group, and more than one group folds. */
#define N 10007
#define WIDTH 97
#define HEIGHT 61
#define SWAP_RANGE 64

static guint8 *
random_bytes(gsize n, guint32 seed)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  guint8 *bytes = g_malloc(n);

  for (gsize i = 0; i < n; i++)
    bytes[i] = (guint8)g_rand_int_range(random, 0, 256);
  return bytes;
}

static MsImage *
new_image(guint32 seed)
{
  return ms_image_new_take(WIDTH, HEIGHT, random_bytes((gsize)WIDTH * HEIGHT * 4, seed), NULL);
}

/* Integers, whose results are exact. */
static void
test_operator(MsSelfTest *self, MsReduceOp op)
{
  const MsReduceSpec spec = MS_REDUCE_SPEC(op, MS_ELEMENT_INT);
  const MsReduceOptions options = ms_reduce_options_auto();
  g_autofree char *name = g_strdup_printf("reduction %s", ms_reduce_operator(op)->name);
  g_autofree guint8 *elements = random_bytes(N * sizeof(gint32), 2);
  g_autoptr(GError) error = NULL;
  MsReduceResult found = {0}, serial = {0};
  const gboolean ran =
    ms_reduce_array(self->context, &(MsReduceRequest){spec, options}, &(MsReduceInput){.host = elements, .n = N},
                    &(MsReduceJob){&found, NULL, NULL}, &error) &&
    ms_reduce_serial(&spec, elements, N, &serial, &error);

  ms_self_test_add(self, name, ran && !ms_reduce_result_agrees(&found, &serial, 0), error);
}

static void
test_histogram(MsSelfTest *self)
{
  g_autoptr(MsImage) image = new_image(3);
  g_autoptr(GError) error = NULL;
  MsHistogram found = {0}, serial = {0};
  guint64 different = 0;

  ms_histogram_serial(ms_image_get_pixels(image), (guint64)WIDTH * HEIGHT, &serial);
  if (ms_histogram_of_image(&(MsDeviceRun){self->context, NULL, NULL}, image, &found, &error))
    for (int c = 0; c < MS_N_CHANNELS; c++)
      for (int i = 0; i < 256; i++)
        different += found.counts[c][i] != serial.counts[c][i];
  ms_self_test_add(self, "histogram", different, error);
}

static void
test_comparison(MsSelfTest *self)
{
  g_autoptr(MsImage) a = new_image(4), b = new_image(5);
  g_autoptr(GError) error = NULL;
  MsImageComparison found = {0}, serial = {0};
  guint64 different = 0;

  ms_image_comparison_serial(ms_image_get_pixels(a), ms_image_get_pixels(b), (guint64)WIDTH * HEIGHT, &serial);
  if (ms_image_comparison(&(MsDeviceRun){self->context, NULL, NULL}, a, b, &found, &error)) {
    for (int c = 0; c < 4; c++)
      different += (found.absolute[c] != serial.absolute[c]) + (found.squared[c] != serial.squared[c]);
    different += (found.changed != serial.changed) + (found.max_difference != serial.max_difference);
  }
  ms_self_test_add(self, "comparison of images", different, error);
}

static void
test_sort(MsSelfTest *self, const char *name, MsSortForm form)
{
  MsSortOptions options = ms_sort_options_default();
  g_autofree guint32 *found = (guint32 *)random_bytes(N * sizeof(guint32), 6);
  g_autofree guint32 *serial = g_memdup2(found, N * sizeof(guint32));
  g_autoptr(GError) error = NULL;
  guint64 different = 0;

  options.form = form;
  ms_sort_serial(MS_ELEMENT_UINT, serial, N);
  if (ms_sort_host(&(MsDeviceRun){self->context, NULL, NULL}, &(MsSortRequest){options, MS_ELEMENT_UINT, N}, found,
                   &error))
    for (int i = 0; i < N; i++)
      different += found[i] != serial[i];
  ms_self_test_add(self, name, different, error);
}

static void
test_swapping(MsSelfTest *self)
{
  g_autofree float *a = g_new(float, N), *b = g_new(float, N), *found = g_new0(float, N), *serial = g_new0(float, N);
  g_autoptr(MsSwapExample) example = NULL;
  g_autoptr(GError) error = NULL;
  guint64 different = 0;

  for (int i = 0; i < N; i++) {
    a[i] = 0.1f * (float)i;
    b[i] = 1000.7f - (float)i;
  }
  ms_swap_example_serial(a, b, serial, N);
  example = ms_swap_example_new(self->context, &(MsSwapArrays){a, b, N}, SWAP_RANGE, NULL, &error);
  if (example && ms_swap_example_run(example, NULL, &error) && ms_swap_example_read(example, found, &error))
    for (int i = 0; i < N; i++)
      different += memcmp(&found[i], &serial[i], sizeof *found) != 0;
  ms_self_test_add(self, "thread swapping", different, error);
}

/**
 * ms_self_test_reduce: tests every reduction, the histogram, the comparison, the sort and the example of thread
 * swapping.
 */
void
ms_self_test_reduce(MsSelfTest *self)
{
  for (int op = 0; op < MS_REDUCE_N_OPS; op++)
    test_operator(self, (MsReduceOp)op);
  test_histogram(self);
  test_comparison(self);
  test_sort(self, "sort", MS_SORT_FAST);
  test_sort(self, "sort, study's form", MS_SORT_STUDY);
  test_swapping(self);
}
