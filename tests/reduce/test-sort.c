/* SPDX-License-Identifier: MIT */
/*
 * Bitonic sort against qsort: kinds of order, lengths, types, swap variants. Each table names the form that runs a case
 * first: the suite runs every kernel and every type, CI also each with every swap range, group and type.
 */
#include <math.h>
#include <string.h>

#include "core/reduce/sort.h"
#include "tests/support/fixture.h"

typedef enum {
  KEYS_RANDOM,
  KEYS_SORTED,
  KEYS_REVERSED,
  KEYS_EQUAL,
  KEYS_FEW,
  KEYS_GREATEST,
  N_KEYS,
} Keys;

static guint32
key_of(Keys kind, guint64 i, guint64 n, GRand *random)
{
  switch (kind) {
  case KEYS_SORTED:
    return (guint32)(i * 3);
  case KEYS_REVERSED:
    return (guint32)((n - i) * 3);
  case KEYS_EQUAL:
    return 0x3f800000u;
  case KEYS_FEW:
    return g_rand_int(random) % 5 * 0x33333333u;
  case KEYS_GREATEST:
    return i % 2 ? 0xffffffffu : 0x7fffffffu;
  case KEYS_RANDOM:
    return g_rand_int(random);
  case N_KEYS:
    break;
  }
  g_assert_not_reached();
}

/* Random bits are floats too: NaN, infinities, both zeros and subnormal numbers among them. */
static guint32 *
keys_new(Keys kind, guint64 n)
{
  g_autoptr(GRand) random = g_rand_new_with_seed((guint32)n + kind);
  guint32 *keys = g_new(guint32, n);

  for (guint64 i = 0; i < n; i++)
    keys[i] = key_of(kind, i, n, random);
  return keys;
}

static void
check(MsContext *context, const MsSortOptions *options, MsElementType type, Keys kind, guint64 n)
{
  g_autofree guint32 *keys = keys_new(kind, n);
  g_autofree guint32 *expected = g_memdup2(keys, n * sizeof *keys);
  g_autoptr(GError) error = NULL;

  ms_sort_serial(type, expected, n);
  g_assert_true(
    ms_fixture_sort(&(MsDeviceRun){context, NULL, NULL}, &(MsSortRequest){*options, type, n}, keys, &error));
  g_assert_no_error(error);
  g_assert_cmpmem(keys, n * sizeof *keys, expected, n * sizeof *keys);
}

static const MsElementType types[] = {MS_ELEMENT_UINT, MS_ELEMENT_INT, MS_ELEMENT_FLOAT};

/* Oclgrind looks at addresses, which the keys hardly change, and takes long: there two kinds do for each type. */
static gboolean
is_wanted(Keys kind)
{
  return !ms_fixture_under_oclgrind() || ms_fixture_form() >= MS_TEST_CI || kind == KEYS_RANDOM || kind == KEYS_EQUAL;
}

/* Short and long arrays take different programs; the type changes nothing but the keys. */
static void
test_fast(void)
{
  static const struct {
    MsTestForm form;
    gboolean of_one_type; /* in the suite */
    gboolean simulated;   /* also under Oclgrind */
    guint64 n;
  } lengths[] = {
    {MS_TEST_SUITE, FALSE, TRUE, 1},    {MS_TEST_SUITE, FALSE, TRUE, 2},     {MS_TEST_SUITE, FALSE, TRUE, 3},
    {MS_TEST_SUITE, FALSE, TRUE, 31},   {MS_TEST_SUITE, FALSE, TRUE, 1000},  {MS_TEST_SUITE, TRUE, TRUE, 1023},
    {MS_TEST_SUITE, TRUE, TRUE, 1024},  {MS_TEST_SUITE, TRUE, TRUE, 1025},   {MS_TEST_CI, FALSE, FALSE, 4096},
    {MS_TEST_SUITE, TRUE, FALSE, 5000}, {MS_TEST_SUITE, TRUE, FALSE, 16385}, {MS_TEST_SUITE, TRUE, FALSE, 100003},
  };
  const MsSortOptions options = ms_sort_options_default();
  const MsTestForm form = ms_fixture_form();
  SET_UP_CONTEXT(context);

  for (gsize i = 0; i < G_N_ELEMENTS(lengths); i++) {
    const gsize n_types = lengths[i].of_one_type && form < MS_TEST_CI ? 1 : G_N_ELEMENTS(types);
    if (lengths[i].form > form || (ms_fixture_under_oclgrind() && !lengths[i].simulated))
      continue;
    for (gsize t = 0; t < n_types; t++)
      for (Keys kind = 0; kind < N_KEYS; kind++)
        if (is_wanted(kind))
          check(context, &options, types[t], kind, lengths[i].n);
  }
}

static void
check_study(MsContext *context, MsElementType type, MsSwap swap, int range)
{
  static const guint64 lengths[] = {3, 511, 700, 5000};
  const guint n_lengths = ms_fixture_under_oclgrind() ? 3 : G_N_ELEMENTS(lengths);
  const MsSortOptions options = {MS_SORT_STUDY, swap, range, 512};

  for (guint i = 0; i < n_lengths; i++) {
    check(context, &options, type, KEYS_RANDOM, lengths[i]);
    check(context, &options, type, KEYS_REVERSED, lengths[i]);
  }
}

/* The type decides nothing but the keys, so the swap variants run over one of them. */
static void
test_study(void)
{
  static const struct {
    MsTestForm form;
    MsElementType type;
    MsSwap swap;
    int range;
  } cases[] = {
    {MS_TEST_SUITE, MS_ELEMENT_UINT, MS_SWAP_OFF, 64},      {MS_TEST_CI, MS_ELEMENT_INT, MS_SWAP_OFF, 64},
    {MS_TEST_CI, MS_ELEMENT_FLOAT, MS_SWAP_OFF, 64},        {MS_TEST_SUITE, MS_ELEMENT_UINT, MS_SWAP_PLAIN, 64},
    {MS_TEST_CI, MS_ELEMENT_UINT, MS_SWAP_PLAIN, 128},      {MS_TEST_CI, MS_ELEMENT_UINT, MS_SWAP_PLAIN, 256},
    {MS_TEST_CI, MS_ELEMENT_UINT, MS_SWAP_PLAIN, 512},      {MS_TEST_CI, MS_ELEMENT_UINT, MS_SWAP_REFINED, 64},
    {MS_TEST_CI, MS_ELEMENT_UINT, MS_SWAP_REFINED, 128},    {MS_TEST_CI, MS_ELEMENT_UINT, MS_SWAP_REFINED, 256},
    {MS_TEST_SUITE, MS_ELEMENT_UINT, MS_SWAP_REFINED, 512},
  };
  SET_UP_CONTEXT(context);

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
    if (cases[i].form <= ms_fixture_form())
      check_study(context, cases[i].type, cases[i].swap, cases[i].range);
}

/* Three steps at a time need an array of many blocks: small groups make one. */
static void
test_small_groups(void)
{
  static const struct {
    MsTestForm form;
    int group;
  } cases[] = {{MS_TEST_CI, 1}, {MS_TEST_SUITE, 4}, {MS_TEST_CI, 16}, {MS_TEST_CI, 64}};
  SET_UP_CONTEXT(context);

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    const MsSortOptions options = {MS_SORT_FAST, MS_SWAP_OFF, 64, cases[i].group};
    if (cases[i].form <= ms_fixture_form())
      check(context, &options, MS_ELEMENT_UINT, KEYS_RANDOM, 3000);
  }
}

/* Named groups take the form of graphics processors, on whatever device there is. */
static void
test_groups(void)
{
  static const struct {
    MsTestForm form;
    MsElementType type;
  } cases[] = {{MS_TEST_CI, MS_ELEMENT_UINT}, {MS_TEST_CI, MS_ELEMENT_INT}, {MS_TEST_SUITE, MS_ELEMENT_FLOAT}};
  const MsSortOptions options = {MS_SORT_FAST, MS_SWAP_OFF, 64, 128};
  SET_UP_CONTEXT(context);

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
    for (Keys kind = 0; kind < N_KEYS; kind++)
      if (cases[i].form <= ms_fixture_form())
        check(context, &options, cases[i].type, kind, ms_fixture_under_oclgrind() ? 700 : 5000);
}

static void
test_float_order(void)
{
  float keys[] = {1, NAN, -INFINITY, 0.0f, -0.0f, INFINITY, -1, -NAN, 1e-40f};
  const float expected[] = {-NAN, -INFINITY, -1, -0.0f, 0.0f, 1e-40f, 1, INFINITY, NAN};
  const MsSortOptions options = ms_sort_options_default();
  SET_UP_CONTEXT(context);
  g_autoptr(GError) error = NULL;

  g_assert_true(ms_fixture_sort(&(MsDeviceRun){context, NULL, NULL},
                                &(MsSortRequest){options, MS_ELEMENT_FLOAT, G_N_ELEMENTS(keys)}, keys, &error));
  g_assert_cmpmem(keys, sizeof keys, expected, sizeof expected);
}

static MsDeviceLimits
small_device(void)
{
  return (MsDeviceLimits){.type = MS_DEVICE_TYPE_GPU,
                          .max_work_group = 256,
                          .max_work_item = {256, 256, 256},
                          .local_memory = 16384,
                          .global_memory = 1 << 28,
                          .max_allocation = 1 << 26};
}

static void
test_refusals(void)
{
  static const struct {
    MsSortOptions options;
    MsElementType type;
    guint64 n;
    const char *says;
  } cases[] = {
    {{MS_SORT_FAST, MS_SWAP_OFF, 64, 0}, MS_ELEMENT_DOUBLE, 10, "cannot be sorted"},
    {{MS_SORT_FAST, MS_SWAP_OFF, 64, 512}, MS_ELEMENT_INT, 10, "at most 256"},
    {{MS_SORT_FAST, MS_SWAP_OFF, 64, 100}, MS_ELEMENT_INT, 10, "power of two"},
    {{MS_SORT_FAST, MS_SWAP_PLAIN, 64, 256}, MS_ELEMENT_INT, 10, "study's form"},
    {{MS_SORT_STUDY, MS_SWAP_PLAIN, 512, 256}, MS_ELEMENT_INT, 10, "swap range 512 "},
    {{MS_SORT_STUDY, MS_SWAP_PLAIN, 32, 256}, MS_ELEMENT_INT, 10, "swap range 32 "},
    {{MS_SORT_FAST, MS_SWAP_OFF, 64, 0}, MS_ELEMENT_INT, 1 << 25, "padded to a power of two"},
  };
  const MsDeviceLimits limits = small_device();

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_false(ms_sort_check(&cases[i].options, cases[i].type, &limits, cases[i].n, &error));
    g_assert_error(error, MS_ERROR, MS_ERROR_UNSUPPORTED);
    g_assert_nonnull(strstr(error->message, cases[i].says));
  }
  g_assert_true(ms_sort_check(&(MsSortOptions){.swap_range = 64}, MS_ELEMENT_INT, &limits, 1 << 20, NULL));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/sort/fast", test_fast);
  g_test_add_func("/sort/study", test_study);
  g_test_add_func("/sort/small-groups", test_small_groups);
  g_test_add_func("/sort/groups", test_groups);
  g_test_add_func("/sort/float-order", test_float_order);
  g_test_add_func("/sort/refusals", test_refusals);
  return g_test_run();
}
