/* SPDX-License-Identifier: MIT */
/* Thread swapping: tables are permutations within their range, group work-items by branch, and change no result. */
#include <string.h>

#include "core/reduce/sort.h"
#include "core/reduce/swap.h"
#include "tests/reduce/reduce-cases.h"
#include "tests/support/fixture.h"

#define GROUP 512
#define WARP 32

static void
assert_permutes(const guint16 *map, guint range)
{
  gboolean seen[GROUP] = {FALSE};

  for (guint i = 0; i < GROUP; i++) {
    g_assert_cmpuint(map[i] / range, ==, i / range);
    g_assert_false(seen[map[i]]);
    seen[map[i]] = TRUE;
  }
}

static void
assert_inverts(const guint16 *map)
{
  guint16 inverse[GROUP];

  ms_swap_table_invert(map, inverse, GROUP);
  for (guint i = 0; i < GROUP; i++)
    g_assert_cmpuint(inverse[map[i]], ==, i);
}

/* The tables of tree and sort are their own inverses, that of outcomes is not. */
static void
test_permutations(void)
{
  guint16 map[GROUP];

  for (guint range = 64; range <= GROUP; range *= 2) {
    ms_swap_table_by_outcome(map, range, GROUP, ms_swap_example_outcome);
    assert_permutes(map, range);
    assert_inverts(map);
    ms_swap_table_tree(map, range, GROUP);
    assert_permutes(map, range);
    assert_inverts(map);
    for (guint distance = 1; distance < GROUP; distance *= 2) {
      ms_swap_table_bitonic(map, range, GROUP, distance);
      assert_permutes(map, range);
    }
  }
}

/* The published result of the study's example: every warp diverges, range 64 halves that, 128 removes it. */
static void
test_example_divergence(void)
{
  guint16 map[GROUP];

  for (guint i = 0; i < GROUP; i++)
    map[i] = (guint16)i;
  g_assert_cmpuint(ms_reduce_cases_divergent_warps(map, GROUP, WARP, ms_swap_example_outcome), ==, GROUP / WARP);
  ms_swap_table_by_outcome(map, 64, GROUP, ms_swap_example_outcome);
  g_assert_cmpuint(ms_reduce_cases_divergent_warps(map, GROUP, WARP, ms_swap_example_outcome), ==, GROUP / WARP / 2);
  ms_swap_table_by_outcome(map, 128, GROUP, ms_swap_example_outcome);
  g_assert_cmpuint(ms_reduce_cases_divergent_warps(map, GROUP, WARP, ms_swap_example_outcome), ==, 0);
}

static guint
tree_outcome_2(guint id)
{
  return id % 2 != 0;
}
static guint
tree_outcome_8(guint id)
{
  return id % 8 != 0;
}

static void
test_tree_divergence(void)
{
  guint16 map[GROUP];

  ms_swap_table_tree(map, 256, GROUP);
  g_assert_cmpuint(ms_reduce_cases_divergent_warps(map, GROUP, WARP, tree_outcome_2), ==, 0);
  g_assert_cmpuint(ms_reduce_cases_divergent_warps(map, GROUP, WARP, tree_outcome_8), ==, 0);
  ms_swap_table_tree(map, 64, GROUP);
  g_assert_cmpuint(ms_reduce_cases_divergent_warps(map, GROUP, WARP, tree_outcome_2), ==, 0);
  g_assert_cmpuint(ms_reduce_cases_divergent_warps(map, GROUP, WARP, tree_outcome_8), ==, GROUP / WARP / 2);
}

static guint
bit_4(guint id)
{
  return (id & 4) != 0;
}

static void
test_bitonic_divergence(void)
{
  guint16 map[GROUP];

  for (guint i = 0; i < GROUP; i++)
    map[i] = (guint16)i;
  g_assert_cmpuint(ms_reduce_cases_divergent_warps(map, GROUP, WARP, bit_4), ==, GROUP / WARP);
  ms_swap_table_bitonic(map, 64, GROUP, 4);
  g_assert_cmpuint(ms_reduce_cases_divergent_warps(map, GROUP, WARP, bit_4), ==, 0);
}

static void
test_example_results(void)
{
  const guint n = g_getenv("MS_TEST_OCLGRIND") ? 600 : 10007;
  g_autofree float *a = g_new(float, n), *b = g_new(float, n), *found = g_new(float, n), *expected = g_new(float, n);
  SET_UP_CONTEXT(context);
  static const guint ranges[] = {0, 64, 128, 256};

  for (guint i = 0; i < n; i++) {
    a[i] = 0.1f * (float)i;
    b[i] = 1000.7f - (float)i;
  }
  ms_swap_example_serial(a, b, expected, n);
  for (guint i = 0; i < G_N_ELEMENTS(ranges); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(MsSwapExample) example = ms_swap_example_new(context, &(MsSwapArrays){a, b, n}, ranges[i], NULL, &error);
    g_assert_no_error(error);
    g_assert_true(ms_swap_example_run(example, NULL, &error));
    g_assert_true(ms_swap_example_read(example, found, &error));
    g_assert_no_error(error);
    g_assert_cmpmem(found, n * sizeof(float), expected, n * sizeof(float));
  }
}

static gboolean
defines(const MsProgramSpec *spec, const char *define)
{
  g_autofree char *all = g_strdup_printf(" %s ", ms_program_spec_get_options((MsProgramSpec *)spec));
  g_autofree char *wanted = g_strdup_printf(" -D%s ", define);

  return strstr(all, wanted) != NULL;
}

/* The example swaps where a range is given: in its program and in its map, which removes its divergent warps. */
static void
test_example_program(void)
{
  static const guint ranges[] = {0, 64, 128}, divergent[] = {8, 4, 0};
  guint16 map[MS_SWAP_EXAMPLE_GROUP];

  for (guint i = 0; i < G_N_ELEMENTS(ranges); i++) {
    g_autoptr(MsProgramSpec) spec = ms_swap_example_compose(ranges[i]);
    g_assert_true(defines(spec, ranges[i] > 0 ? "WORK_OF_ITEM=SWAPPED_WORK" : "WORK_OF_ITEM=OWN_WORK"));
    ms_swap_example_map(map, ranges[i]);
    g_assert_cmpuint(ms_reduce_cases_divergent_warps(map, MS_SWAP_EXAMPLE_GROUP, WARP, ms_swap_example_outcome), ==,
                     divergent[i]);
  }
}

/* Each form of the study's sort reads a different table, with its own range. */
static void
test_sort_programs(void)
{
  static const char *const forms[] = {"WORK_AT=OWN_WORK_AT", "WORK_AT=SWAPPED_WORK_AT", "WORK_AT=REFINED_WORK_AT"};
  static const int ranges[] = {64, 128, 256, 512};
  MsSortOptions options = ms_sort_options_default();
  MsDeviceLimits limits = ms_reduce_cases_device();

  options.form = MS_SORT_STUDY;
  for (int swap = MS_SWAP_OFF; swap <= MS_SWAP_REFINED; swap++)
    for (gsize i = 0; i < G_N_ELEMENTS(ranges); i++) {
      options.swap = (MsSwap)swap;
      options.swap_range = ranges[i];
      g_autofree char *range = g_strdup_printf("SWAP_RANGE=%d", ranges[i]);
      g_autofree char *rows = g_strdup_printf("SWAP_ROWS=%d", 6 + (int)i);
      g_autoptr(MsProgramSpec) spec = ms_sort_compose(&options, MS_ELEMENT_UINT, &limits, 4096);
      g_assert_true(defines(spec, forms[swap]));
      g_assert_true(defines(spec, range));
      g_assert_true(defines(spec, rows));
    }
  options = ms_sort_options_default();
  g_autoptr(MsProgramSpec) fast = ms_sort_compose(&options, MS_ELEMENT_UINT, &limits, 4096);
  g_assert_null(strstr(ms_program_spec_get_options(fast), "WORK_AT"));
}

static void
test_refusals(void)
{
  static const guint wrong[] = {0, 1, 32, 65, 96, 1024};

  for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_false(ms_swap_range_is_valid(wrong[i], GROUP, &error));
    g_assert_error(error, MS_ERROR, MS_ERROR_UNSUPPORTED);
  }
  g_assert_true(ms_swap_range_is_valid(512, GROUP, NULL));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/swap/permutations", test_permutations);
  g_test_add_func("/swap/example-divergence", test_example_divergence);
  g_test_add_func("/swap/tree-divergence", test_tree_divergence);
  g_test_add_func("/swap/bitonic-divergence", test_bitonic_divergence);
  g_test_add_func("/swap/example-results", test_example_results);
  g_test_add_func("/swap/example-program", test_example_program);
  g_test_add_func("/swap/sort-programs", test_sort_programs);
  g_test_add_func("/swap/refusals", test_refusals);
  return g_test_run();
}
