/* SPDX-License-Identifier: MIT */
#include "tests/support/cases.h"

#include <glib.h>

#define MS_TEST_FILE(name) ms_test_##name();

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  MS_TEST_FILES
  return g_test_run();
}
