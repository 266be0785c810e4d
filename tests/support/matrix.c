/* SPDX-License-Identifier: MIT */
#include "tests/support/matrix.h"

#include <string.h>

#include "core/filter/kernel-names.h"
#include "tests/support/fixture.h"

/**
 * ms_matrix_open:
 *
 * Returns: %FALSE when there is no device and the test has been skipped
 */
gboolean
ms_matrix_open(MsMatrix *matrix)
{
  *matrix = (MsMatrix){.context = ms_fixture_context()};
  if (!matrix->context)
    return FALSE;
  matrix->filter = ms_mean_shift_new(matrix->context);
  return TRUE;
}

/** ms_matrix_close: says how much was compared; a matrix that compared nothing fails. */
void
ms_matrix_close(MsMatrix *matrix)
{
  g_test_message("%u runs compared, %u combinations refused with a reason", matrix->ran, matrix->refused);
  g_assert_cmpuint(matrix->ran, >, 0);
  g_clear_object(&matrix->filter);
  g_clear_object(&matrix->context);
}

/** ms_matrix_compare: compares a run with @expected; a refusal must be the plan's and carry a sentence. */
void
ms_matrix_compare(MsMatrix *matrix, MsImage *source, MsImage *expected, const MsSettings *settings,
                  const MsRegion *region)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *arguments = ms_settings_to_arguments(settings);
  g_autofree char *what =
    g_strdup_printf("%dx%d %s", ms_image_get_width(source), ms_image_get_height(source), arguments);
  g_autoptr(MsImage) actual = ms_mean_shift_run(matrix->filter, source, settings, region, NULL, NULL, &error);

  if (!actual && g_error_matches(error, MS_ERROR, MS_ERROR_UNSUPPORTED)) {
    g_assert_cmpuint(strlen(error->message), >, 20);
    matrix->refused++;
    return;
  }
  if (!actual)
    g_error("%s: %s", what, error->message);
  ms_fixture_assert_same(expected, actual, what);
  matrix->ran++;
}

/*
 * Calls ms_matrix_compare() for every value of every toggle from row @from of the table on, kernels and schedules
 * included.
 */
static void
compare_toggles(MsMatrix *matrix, MsImage *source, MsImage *expected, MsSettings settings, guint from)
{
  guint n;
  const MsOptionInfo *table = ms_options_table(&n);

  while (from < n && (table[from].group != MS_OPTION_GROUP_TOGGLE || table[from].kind != MS_OPTION_CHOICE))
    from++;
  if (from == n) {
    ms_matrix_compare(matrix, source, expected, &settings, NULL);
    return;
  }
  for (guint i = 0; table[from].values[i]; i++) {
    g_autoptr(GError) error = NULL;
    gboolean set = ms_option_set_text(&table[from], &settings, table[from].values[i], &error);
    g_assert_no_error(error);
    g_assert_true(set);
    compare_toggles(matrix, source, expected, settings, from + 1);
  }
}

/** ms_matrix_all_toggles: every combination of every choice among the toggles, against the reference. */
void
ms_matrix_all_toggles(MsMatrix *matrix, MsImage *source, const MsParams *params, int group_width, int group_height)
{
  MsSettings settings = ms_settings_default();
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) expected = ms_reference_run(source, params, NULL, NULL, NULL, NULL, &error);

  g_assert_no_error(error);
  settings.params = *params;
  settings.options.work_group_width = group_width;
  settings.options.work_group_height = group_height;
  compare_toggles(matrix, source, expected, settings, 0);
}

/** ms_matrix_all_kernels: every kernel and schedule by name with the other toggles as they are by default. */
void
ms_matrix_all_kernels(MsMatrix *matrix, MsImage *source, const MsParams *params)
{
  MsSettings settings = ms_settings_default();
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) expected = ms_reference_run(source, params, NULL, NULL, NULL, NULL, &error);

  g_assert_no_error(error);
  settings.params = *params;
  for (int kernel = MS_KERNEL_AUTO; ms_filter_kernel_names[kernel]; kernel++) {
    settings.options.kernel = kernel;
    for (int schedule = MS_SCHEDULE_FIXED; schedule <= MS_SCHEDULE_REFILL; schedule++) {
      settings.options.schedule = schedule;
      ms_matrix_compare(matrix, source, expected, &settings, NULL);
    }
  }
}
