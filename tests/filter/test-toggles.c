/* SPDX-License-Identifier: MIT */
/* Every toggle combination of every rule on a picture small enough for a simulator that watches each memory access. */
#include "core/filter/mean-shift.h"
#include "tests/support/fixture.h"
#include "tests/support/matrix.h"

static void
test_rule(gconstpointer data)
{
  MsParams params = {.sp = 2, .sr = 80, .max_iterations = 3, .epsilon = 1, .rule = GPOINTER_TO_INT(data)};
  g_autoptr(MsImage) scene = ms_fixture_scene(11, 6, 3);
  MsMatrix matrix;

  if (!ms_matrix_open(&matrix))
    return;
  ms_matrix_all_toggles(&matrix, scene, &params, 4, 2);
  params.sp = 9;
  ms_matrix_all_kernels(&matrix, scene, &params);
  ms_matrix_close(&matrix);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/toggles/opencv", GINT_TO_POINTER(MS_RULE_OPENCV), test_rule);
  g_test_add_data_func("/toggles/truncate", GINT_TO_POINTER(MS_RULE_TRUNCATE), test_rule);
  g_test_add_data_func("/toggles/replicate", GINT_TO_POINTER(MS_RULE_REPLICATE), test_rule);
  return g_test_run();
}
