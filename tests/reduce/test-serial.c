/* SPDX-License-Identifier: MIT */
/* The plain serial loops give what the definition gives, for every operator, element type, form and thread count. */
#include <math.h>

#include "core/reduce/serial.h"
#include "tests/support/cases.h"

#define N 4099

static void
fill(void *data, MsElementType type, GRand *random)
{
  for (guint i = 0; i < N; i++)
    if (type == MS_ELEMENT_FLOAT)
      ((float *)data)[i] = i % 50 == 7 ? NAN : (float)g_rand_double_range(random, 0, 9);
    else if (type == MS_ELEMENT_DOUBLE)
      ((double *)data)[i] = i % 50 == 7 ? (double)-INFINITY : g_rand_double_range(random, 0, 9);
    else
      for (gsize k = 0; k < ms_element_type_size(type); k++)
        ((guint8 *)data)[i * ms_element_type_size(type) + k] = (guint8)g_rand_int(random) & (i % 5 ? 255 : 0);
}

static void
check(MsReduceOp op, MsElementType type, const void *data, guint64 n)
{
  const MsReduceSpec spec = MS_REDUCE_SPEC(op, type);
  MsReduceResult expected, result;

  g_assert_true(ms_reduce_define(&spec, data, n, &expected, NULL));
  for (guint form = 0; form < 6; form++) {
    const MsSerialOptions options = {form % 2 == 1, form / 2 == 0 ? 1 : form / 2 == 1 ? 3 : 100};
    g_assert_true(ms_reduce_baseline(&spec, data, n, &options, &result, NULL));
    g_autofree char *found = ms_reduce_result_to_string(&result), *wanted = ms_reduce_result_to_string(&expected);
    if (!ms_reduce_result_agrees(&result, &expected, 1e-6))
      g_error("%s of %s, form %u: %s instead of %s", ms_reduce_operator(op)->name, ms_element_type_name(type), form,
              found, wanted);
  }
}

static void
test_agrees(void)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(28);
  g_autofree double *data = g_new(double, N), *numbers = g_new(double, N);

  for (MsElementType type = 0; type < MS_ELEMENT_N_TYPES; type++) {
    fill(data, type, random);
    for (guint i = 0; i < N; i++)
      if (type == MS_ELEMENT_FLOAT)
        ((float *)numbers)[i] = (float)i;
      else
        numbers[i] = i;
    for (MsReduceOp op = 0; op < MS_REDUCE_N_OPS; op++) {
      const gboolean sums = !ms_reduce_operator_is_extreme(ms_reduce_operator(op)) && op != MS_REDUCE_COUNT_NONZERO;
      /* A sum of what is no number is none, whichever way it is taken, so that reals are summed over numbers. */
      const void *elements = sums && ms_element_type_is_real(type) ? numbers : data;
      check(op, type, elements, N);
      check(op, type, elements, 1);
      check(op, type, elements, 2);
    }
  }
}

/* The loops begin with infinity, which must not hide that no element is a number, nor that one is infinite. */
static void
test_extremes_of_reals(void)
{
  const float nothing[] = {NAN, NAN, NAN}, infinite[] = {NAN, INFINITY, NAN};

  for (MsReduceOp op = MS_REDUCE_MIN; op <= MS_REDUCE_MINMAX_POSITIONS; op++) {
    check(op, MS_ELEMENT_FLOAT, nothing, 3);
    check(op, MS_ELEMENT_FLOAT, infinite, 3);
  }
}

/* The baseline of speed-ups is to be at least as fast as the blocks of 64 bits that define the results. */
static void
test_speed(void)
{
  const MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_INT);
  const guint64 n = 1 << 20;
  g_autofree gint32 *data = g_new0(gint32, n);
  gint64 blocks = G_MAXINT64, loops = G_MAXINT64;
  MsReduceResult result;

  for (guint i = 0; i < 9; i++) {
    gint64 start = g_get_monotonic_time();
    ms_reduce_define(&spec, data, n, &result, NULL);
    blocks = MIN(blocks, g_get_monotonic_time() - start);
    start = g_get_monotonic_time();
    ms_reduce_baseline(&spec, data, n, &(MsSerialOptions){TRUE, 1}, &result, NULL);
    loops = MIN(loops, g_get_monotonic_time() - start);
  }
  g_test_message("blocks %" G_GINT64_FORMAT " µs, loops %" G_GINT64_FORMAT " µs; %s", blocks, loops,
                 ms_serial_compiler());
  g_assert_cmpint(loops, <, blocks);
}

void
ms_test_serial(void)
{
  g_test_add_func("/reduce/serial/agrees", test_agrees);
  g_test_add_func("/reduce/serial/extremes-of-reals", test_extremes_of_reals);
  g_test_add_func("/reduce/serial/speed", test_speed);
}
