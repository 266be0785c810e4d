/* SPDX-License-Identifier: MIT */
#include "tests/support/option-product.h"

#include <string.h>

#include "core/filter/plan/plan.h"
#include "core/filter/settings/settings.h"
#include "tests/support/fixture.h"

/* More than the table has. */
#define MAX_TOGGLES 16

/**
 * ms_option_product_open:
 *
 * Returns: %FALSE when there is no device and the test has been skipped
 */
gboolean
ms_option_product_open(MsOptionProduct *product)
{
  *product = (MsOptionProduct){.context = ms_fixture_context()};
  if (!product->context)
    return FALSE;
  product->filter = ms_mean_shift_new(product->context);
  return TRUE;
}

/** ms_option_product_close: prints the counts; a product that compared nothing fails. */
void
ms_option_product_close(MsOptionProduct *product)
{
  g_test_message("%u runs compared, %u combinations refused with a reason", product->ran, product->refused);
  g_assert_cmpuint(product->ran, >, 0);
  g_clear_pointer(&product->filter, ms_mean_shift_free);
  g_clear_pointer(&product->context, ms_context_unref);
}

/** ms_option_product_compare: compares a run with @expected; a refusal must be the plan's and carry a sentence. */
void
ms_option_product_compare(MsOptionProduct *product, MsImage *source, MsImage *expected, const MsSettings *settings,
                          const MsRegion *region)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *arguments = ms_settings_to_arguments(settings);
  g_autofree char *what =
    g_strdup_printf("%dx%d %s", ms_image_get_width(source), ms_image_get_height(source), arguments);
  g_autoptr(MsImage) actual =
    ms_fixture_filter(product->filter, (MsJob){.source = source, .settings = settings, .region = region}, &error);

  if (!actual && g_error_matches(error, MS_ERROR, MS_ERROR_UNSUPPORTED)) {
    g_assert_cmpuint(strlen(error->message), >, 20);
    product->refused++;
    return;
  }
  if (!actual)
    g_error("%s: %s", what, error->message);
  ms_fixture_assert_same(expected, actual, what);
  product->ran++;
}

/** ms_option_product_compare_kernels: compares each of @n @kernels with the serial reference. */
void
ms_option_product_compare_kernels(MsOptionProduct *product, MsImage *source, const MsSettings *settings,
                                  const MsRegion *region, const MsKernel *kernels, gsize n)
{
  MsSettings varied = *settings;
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) expected = ms_fixture_reference(source, &settings->params, region, &error);

  g_assert_no_error(error);
  for (gsize i = 0; i < n; i++) {
    varied.options.kernel = kernels[i];
    ms_option_product_compare(product, source, expected, &varied, region);
  }
}

/* One value of every toggle that is a choice, kernel and schedule included. */
typedef struct {
  guint values[MAX_TOGGLES];
  MsSettings settings;
} Combination;

/* Appends every combination of the values of the toggles from row @from of the table on. */
static void
add_combinations(GArray *combinations, Combination combination, guint from, guint toggle)
{
  const MsOptionInfo *table = ms_options.rows;

  while (from < ms_options.n_rows &&
         (table[from].group != MS_OPTION_GROUP_TOGGLE || table[from].kind != MS_OPTION_CHOICE))
    from++;
  if (from == ms_options.n_rows) {
    g_array_append_val(combinations, combination);
    return;
  }
  g_assert_cmpuint(toggle, <, MAX_TOGGLES);
  for (guint i = 0; table[from].values[i]; i++) {
    g_autoptr(GError) error = NULL;
    gboolean set = ms_option_set_text(&table[from], &combination.settings, table[from].values[i], &error);
    g_assert_no_error(error);
    g_assert_true(set);
    combination.values[toggle] = i + 1;
    add_combinations(combinations, combination, from + 1, toggle + 1);
  }
}

/* The number of pairs of values in a combination that are not among @covered; @add puts them there. */
static guint
count_pairs(const Combination *combination, GHashTable *covered, gboolean add)
{
  guint fresh = 0;

  for (guint i = 0; i < MAX_TOGGLES && combination->values[i]; i++)
    for (guint j = i + 1; j < MAX_TOGGLES && combination->values[j]; j++) {
      guint key = ((i * 256 + combination->values[i]) * MAX_TOGGLES + j) * 256 + combination->values[j];
      fresh += !g_hash_table_contains(covered, GUINT_TO_POINTER(key));
      if (add)
        g_hash_table_add(covered, GUINT_TO_POINTER(key));
    }
  return fresh;
}

static gboolean
is_refused(MsOptionProduct *product, MsImage *source, const MsSettings *settings)
{
  const MsJob planned = {.source = source, .settings = settings};
  g_autofree char *reason = ms_plan_refusal(&planned, &(MsDeviceShare){.limits = &product->context->device->limits});

  return reason != NULL;
}

/* The combination with the most uncovered pairs of values; %NULL when every pair is covered. */
static const Combination *
next_combination(GArray *combinations, GHashTable *covered)
{
  const Combination *best = NULL;
  guint most = 0;

  for (guint i = 0; i < combinations->len; i++) {
    const Combination *combination = &g_array_index(combinations, Combination, i);
    guint fresh = count_pairs(combination, covered, FALSE);
    if (fresh > most) {
      most = fresh;
      best = combination;
    }
  }
  if (best)
    count_pairs(best, covered, TRUE);
  return best;
}

/* Compares all refused combinations, and as few of the others as cover every pair of values that can run together. */
static void
compare_pairs(MsOptionProduct *product, MsImage *source, MsImage *expected, GArray *combinations)
{
  g_autoptr(GHashTable) covered = g_hash_table_new(NULL, NULL);
  const Combination *next;

  for (guint i = combinations->len; i-- > 0;) {
    const MsSettings *settings = &g_array_index(combinations, Combination, i).settings;
    if (!is_refused(product, source, settings))
      continue;
    ms_option_product_compare(product, source, expected, settings, NULL);
    g_array_remove_index_fast(combinations, i);
  }
  while ((next = next_combination(combinations, covered)))
    ms_option_product_compare(product, source, expected, &next->settings, NULL);
}

/**
 * ms_option_product_all_toggles: compares combinations of all choices among the toggles with the reference, so that
 * every two values that can run together do so; every combination where the whole product is asked for.
 */
void
ms_option_product_all_toggles(MsOptionProduct *product, MsImage *source, const MsParams *params, int group_width,
                              int group_height)
{
  g_autoptr(GArray) combinations = g_array_new(FALSE, TRUE, sizeof(Combination));
  Combination first = {.settings = ms_settings_default()};
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) expected = ms_fixture_reference(source, params, NULL, &error);

  g_assert_no_error(error);
  first.settings.params = *params;
  first.settings.options.work_group_width = group_width;
  first.settings.options.work_group_height = group_height;
  add_combinations(combinations, first, 0, 0);
  if (ms_fixture_form() < MS_TEST_LONG) {
    compare_pairs(product, source, expected, combinations);
    return;
  }
  for (guint i = 0; i < combinations->len; i++)
    ms_option_product_compare(product, source, expected, &g_array_index(combinations, Combination, i).settings, NULL);
}

/** ms_option_product_one_kernel: one kernel by name with the other toggles as they are by default. */
void
ms_option_product_one_kernel(MsOptionProduct *product, MsImage *source, const MsParams *params, MsKernel kernel)
{
  MsSettings settings = ms_settings_default();
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) expected = ms_fixture_reference(source, params, NULL, &error);

  g_assert_no_error(error);
  settings.params = *params;
  settings.options.kernel = kernel;
  ms_option_product_compare(product, source, expected, &settings, NULL);
}

/** ms_option_product_all_kernels: every kernel and schedule by name with the other toggles as they are by default. */
void
ms_option_product_all_kernels(MsOptionProduct *product, MsImage *source, const MsParams *params)
{
  MsSettings settings = ms_settings_default();
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) expected = ms_fixture_reference(source, params, NULL, &error);

  g_assert_no_error(error);
  settings.params = *params;
  for (int kernel = MS_KERNEL_AUTO; ms_filter_kernel_names[kernel]; kernel++) {
    settings.options.kernel = kernel;
    for (int schedule = MS_SCHEDULE_FIXED; schedule <= MS_SCHEDULE_REFILL; schedule++) {
      settings.options.schedule = schedule;
      ms_option_product_compare(product, source, expected, &settings, NULL);
    }
  }
}
