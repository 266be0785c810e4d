/* SPDX-License-Identifier: MIT */
/* Every toggle combination of every rule on a picture small enough for a simulator that watches each memory access. */
#include "core/filter/mean-shift.h"
#include "tests/support/fixture.h"
#include "tests/support/option-product.h"

static void
test_rule(gconstpointer data)
{
  MsParams params = {.sp = 2, .sr = 80, .max_iterations = 3, .epsilon = 1, .rule = GPOINTER_TO_INT(data)};
  g_autoptr(MsImage) scene = ms_fixture_scene(11, 6, 3);
  MsOptionProduct product;

  if (!ms_option_product_open(&product))
    return;
  ms_option_product_all_toggles(&product, scene, &params, 4, 2);
  params.sp = 9;
  ms_option_product_all_kernels(&product, scene, &params);
  ms_option_product_close(&product);
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
