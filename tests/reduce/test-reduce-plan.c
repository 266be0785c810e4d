/* SPDX-License-Identifier: MIT */
/* Options and plans of reductions, which need no device: texts there and back, refusals, what `auto` chooses. */
#include <string.h>

#include "core/reduce/reduce-options.h"
#include "core/reduce/reduce-plan.h"
#include "tests/reduce/reduce-cases.h"
#include "tests/support/cases.h"

static void
test_options_round_trip(void)
{
  static const char *const texts[] = {"auto",
                                      "naive",
                                      "minmax-36",
                                      "pcl,times=1024",
                                      "last-group,vector=16,group-size=64",
                                      "swap-plain,swap-range=128",
                                      "minmax-image,groups=units,groups-count=3"};
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    MsReduceOptions options = ms_reduce_cases_variant(texts[i]);
    g_autofree char *text = ms_reduce_variant_to_string(&options, NULL);
    MsReduceOptions again = ms_reduce_cases_variant(text);
    g_assert_true(ms_reduce_options_equal(&options, &again));
  }
  for (guint i = 0; i < (ms_reduce_presets(&n), n); i++) {
    MsReduceOptions options = ms_reduce_preset_options(&ms_reduce_presets(&n)[i]);
    g_autofree char *text = ms_reduce_variant_to_string(&options, NULL);
    g_assert_cmpstr(text, ==, ms_reduce_presets(&n)[i].name);
  }
}

/* What auto makes of any length can be given back as text: reports name it, and a search begins there. */
static void
test_resolved_options_round_trip(void)
{
  static const MsDeviceType types[] = {MS_DEVICE_TYPE_CPU, MS_DEVICE_TYPE_GPU};

  for (guint k = 0; k < 2 * 32; k++) {
    MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_SUM, k % 2 ? MS_ELEMENT_UCHAR : MS_ELEMENT_FLOAT);
    MsReduceOptions automatic = ms_reduce_options_auto();
    MsDeviceLimits limits = ms_reduce_cases_device();
    g_autoptr(GError) error = NULL;

    limits.type = types[k / 32];
    g_autoptr(MsReducePlan) plan =
      ms_reduce_plan_new(&spec, &automatic, &limits, G_GUINT64_CONSTANT(1) << k % 32, &error);
    g_assert_no_error(error);
    g_autofree char *text = ms_reduce_variant_to_string(&plan->options, NULL);
    MsReduceOptions again = ms_reduce_cases_variant(text);
    g_assert_true(ms_reduce_options_equal(&plan->options, &again));
  }
}

static void
test_options_refused(void)
{
  static const char *const texts[] = {"",
                                      "fastest",
                                      "naive,vector=3",
                                      "naive,speed=9",
                                      "naive,vector",
                                      "naive,",
                                      "naive,,vector=4",
                                      "auto,vector=4",
                                      "naive,times=8193",
                                      "naive,times=-1",
                                      "naive,times=1e2"};

  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    MsReduceOptions options = ms_reduce_options_auto(), before = options;
    g_autoptr(GError) error = NULL;
    g_assert_false(ms_reduce_variant_parse(texts[i], &options, &error));
    g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
    g_assert_true(ms_reduce_options_equal(&options, &before));
  }
}

/* A setting that changes nothing in the reduction is refused with the reason, and the text of a variant omits it. */
static void
test_settings_without_effect(void)
{
  static const struct {
    const char *variant;
    MsReduceOp op;
    MsElementType type;
    const char *says; /* NULL where the settings have an effect */
  } cases[] = {
    {"minmax-36,times=8", MS_REDUCE_MINMAX, MS_ELEMENT_INT, "times has no effect here: groups=units and groups=fixed"},
    {"minmax-36,times=8,groups=size", MS_REDUCE_MINMAX, MS_ELEMENT_INT, NULL},
    {"naive,groups-count=3", MS_REDUCE_SUM, MS_ELEMENT_INT, "groups=size"},
    {"naive,groups-count=3,groups=units", MS_REDUCE_SUM, MS_ELEMENT_INT, NULL},
    {"naive,builtin=on", MS_REDUCE_SUM, MS_ELEMENT_INT, "compares no elements"},
    {"naive,builtin=on", MS_REDUCE_MIN, MS_ELEMENT_INT, NULL},
    {"naive,swap-range=128", MS_REDUCE_SUM, MS_ELEMENT_INT, "swap=off"},
    {"swap-plain,swap-range=128", MS_REDUCE_SUM, MS_ELEMENT_INT, NULL},
    {"naive,stride=block", MS_REDUCE_SUM, MS_ELEMENT_INT, "times=1"},
    {"naive,stride=block,times=4", MS_REDUCE_SUM, MS_ELEMENT_INT, NULL},
    {"minmax-18,vector=1,vector-partials=off", MS_REDUCE_MIN, MS_ELEMENT_INT, "vector=1"},
    {"pcl,vector=4,vector-partials=on", MS_REDUCE_MINMAX_POSITIONS, MS_ELEMENT_INT, "lane by lane"},
    {"pcl,vector=4,vector-partials=on", MS_REDUCE_MIN, MS_ELEMENT_INT, NULL},
    {"minmax-36,builtin=on", MS_REDUCE_SUM, MS_ELEMENT_INT, NULL}, /* what the preset says anyway */
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    MsReduceSpec spec = MS_REDUCE_SPEC(cases[i].op, cases[i].type);
    MsReduceOptions options = ms_reduce_cases_variant(cases[i].variant);
    g_autofree char *text = ms_reduce_variant_to_string(&options, &spec);
    g_autoptr(GError) error = NULL;
    g_assert_true(ms_reduce_variant_check_used(cases[i].variant, &spec, &error) == !cases[i].says);
    if (cases[i].says)
      g_assert_nonnull(strstr(error->message, cases[i].says));
    g_assert_true(ms_reduce_variant_check_used(text, &spec, NULL));
  }
}

typedef struct {
  const char *variant;
  MsReduceSpec spec;
  guint64 n;
  const char *says;
} Refusal;

static const Refusal refusals[] = {
  {"naive", {MS_REDUCE_SUM, MS_ELEMENT_INT}, 0, "empty"},
  {"naive", {MS_REDUCE_MINMAX_POSITIONS, MS_ELEMENT_INT}, 9, "No atomic"},
  {"naive,group-size=100", {MS_REDUCE_SUM, MS_ELEMENT_INT}, 9, "power of two"},
  {"naive,group-size=512", {MS_REDUCE_SUM, MS_ELEMENT_INT}, 9, "at most 256"},
  {"naive,bank-conflict-saving=on", {MS_REDUCE_SUM, MS_ELEMENT_INT}, 9, "Bank-conflict"},
  {"pcl,swap=plain", {MS_REDUCE_SUM, MS_ELEMENT_INT}, 9, "tree=naive"},
  {"swap-plain,swap-range=512", {MS_REDUCE_SUM, MS_ELEMENT_INT}, 9, "swap-range 512"},
  {"minmax-image,vector=8", {MS_REDUCE_SUM, MS_ELEMENT_INT}, 9, "vector=4"},
  {"minmax-units,groups-count=65536,group-size=256", {MS_REDUCE_SUM, MS_ELEMENT_INT}, 9, "groups-count"},
  {"minmax-image", {MS_REDUCE_SUM, MS_ELEMENT_DOUBLE}, 9, "No image format"},
};

static void
test_plan_refusals(void)
{
  const MsDeviceLimits limits = ms_reduce_cases_device();

  for (guint i = 0; i < G_N_ELEMENTS(refusals); i++) {
    MsReduceOptions options = ms_reduce_cases_variant(refusals[i].variant);
    g_autofree char *refusal = ms_reduce_plan_refusal(&refusals[i].spec, &options, &limits, refusals[i].n);
    if (!refusal || !strstr(refusal, refusals[i].says))
      g_error("%s: %s instead of “%s”", refusals[i].variant, refusal ? refusal : "accepted", refusals[i].says);
  }
}

static void
assert_refused_by(const MsDeviceLimits *limits, const char *text, MsReduceOp op, MsElementType type, const char *says)
{
  MsReduceOptions options = ms_reduce_cases_variant(text);
  MsReduceSpec spec = MS_REDUCE_SPEC(op, type);
  g_autofree char *refusal = ms_reduce_plan_refusal(&spec, &options, limits, 1000);

  g_assert_nonnull(refusal);
  g_assert_nonnull(strstr(refusal, says));
}

/* What depends on the device is refused only where the device lacks it. */
static void
test_plan_devices(void)
{
  MsDeviceLimits limits = ms_reduce_cases_device();
  MsReduceSpec floats = MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_FLOAT),
               ints = MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_INT);
  MsReduceOptions naive = ms_reduce_cases_variant("naive"), automatic = ms_reduce_cases_variant("auto");

  limits.fp64 = limits.int64_atomics = limits.images = FALSE;
  assert_refused_by(&limits, "auto", MS_REDUCE_SUM, MS_ELEMENT_DOUBLE, "no double precision");
  assert_refused_by(&limits, "naive", MS_REDUCE_SUM, MS_ELEMENT_FLOAT, "compensated");
  assert_refused_by(&limits, "minmax-image", MS_REDUCE_SUM, MS_ELEMENT_INT, "no images");
  g_autofree char *refusal = ms_reduce_plan_refusal(&floats, &naive, &limits, 1000);
  g_assert_nonnull(refusal);
  g_assert_null(ms_reduce_plan_refusal(&ints, &naive, &limits, 1000));
  g_assert_null(ms_reduce_plan_refusal(&floats, &automatic, &limits, 1000));
  limits = ms_reduce_cases_device();
  limits.int64_atomics = FALSE;
  assert_refused_by(&limits, "naive", MS_REDUCE_MIN, MS_ELEMENT_DOUBLE, "64-bit atomics");
  limits.local_memory = 1024;
  assert_refused_by(&limits, "pcl-host", MS_REDUCE_SUM, MS_ELEMENT_INT, "local memory");
}

/* Squares of small types are summed load by load on graphics processors, where lanes would cost registers. */
static void
test_plan_squares(void)
{
  MsDeviceLimits limits = ms_reduce_cases_device();
  MsReduceOptions automatic = ms_reduce_cases_variant("auto");

  for (int type = 0; type < MS_ELEMENT_N_TYPES; type++)
    for (int gpu = 0; gpu < 2; gpu++) {
      MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_STDDEV, (MsElementType)type);
      limits.type = gpu ? MS_DEVICE_TYPE_GPU : MS_DEVICE_TYPE_CPU;
      g_autoptr(MsReducePlan) plan = ms_reduce_plan_new(&spec, &automatic, &limits, 1000, NULL);
      g_assert_nonnull(plan);
      g_assert_cmpint(plan->packed, ==, gpu && type <= MS_ELEMENT_SHORT);
    }
}

/* Pairs of 16 bits: `auto` takes them where one instruction compares both, and the part follows the device. */
static void
test_plan_pairs(void)
{
  MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_MINMAX, MS_ELEMENT_CHAR);
  static const guint capabilities[] = {0, 89, 90};

  for (gsize i = 0; i < G_N_ELEMENTS(capabilities); i++) {
    MsDeviceLimits limits = ms_reduce_cases_device();

    limits.type = MS_DEVICE_TYPE_GPU;
    limits.nvidia_capability = capabilities[i];
    g_autoptr(MsReducePlan) chosen = ms_reduce_cases_plan("auto", &spec, &limits, 1000);
    g_assert_cmpint(chosen->packed, ==, capabilities[i] >= 90);
    g_autoptr(MsReducePlan) forced = ms_reduce_cases_plan("last-group +packed", &spec, &limits, 1000);
    g_assert_true((strstr(ms_program_spec_get_options(forced->program), "PAIR=s16x2") != NULL) ==
                  (capabilities[i] >= 90));
  }
}

static void
test_plan_auto(void)
{
  MsDeviceLimits limits = ms_reduce_cases_device();
  MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_USHORT);
  MsReduceOptions automatic = ms_reduce_cases_variant("auto");

  g_autoptr(MsReducePlan) gpu = ms_reduce_plan_new(&spec, &automatic, &limits, 1 << 26, NULL);
  g_assert_cmpint(gpu->options.vector, ==, 8);
  g_assert_cmpint(gpu->options.between, ==, MS_REDUCE_BETWEEN_LAST_GROUP);
  g_assert_cmpint(gpu->options.work_group, ==, 256);
  g_assert_cmpuint(ms_reduce_plan_launch(gpu, 1 << 26).groups, ==, 18 * 8);
  g_autoptr(MsReducePlan) tiny = ms_reduce_plan_new(&spec, &automatic, &limits, 5, NULL);
  g_assert_cmpuint(ms_reduce_plan_launch(tiny, 5).groups, ==, 1);
  limits.type = MS_DEVICE_TYPE_CPU;
  g_autoptr(MsReducePlan) cpu = ms_reduce_plan_new(&spec, &automatic, &limits, 1 << 26, NULL);
  g_assert_cmpint(cpu->options.work_group, ==, 1);
  g_assert_cmpint(cpu->options.stride, ==, MS_REDUCE_STRIDE_BLOCK);
  g_assert_cmpint(cpu->options.vector, ==, 16);
}

/* Loads of a work-item never exceed what its 32-bit lanes hold: the chunk shrinks with the grid. */
static void
test_plan_chunk(void)
{
  const MsDeviceLimits limits = ms_reduce_cases_device();
  MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_UCHAR);
  MsReduceOptions options = ms_reduce_cases_variant("minmax-18,groups-count=1,group-size=32,vector=1");
  g_autoptr(MsReducePlan) plan = ms_reduce_plan_new(&spec, &options, &limits, 1 << 30, NULL);

  g_assert_cmpuint(plan->chunk, ==, 32 << 15);
  g_assert_cmpuint(ms_reduce_plan_launch(plan, plan->chunk).times, ==, 1 << 15);
}

static void
test_wide_text(void)
{
  const MsWide least = -((MsWide)1 << 126) - ((MsWide)1 << 126);
  g_autofree char *zero = ms_wide_to_string(0), *negative = ms_wide_to_string(-12345), *end = ms_wide_to_string(least);

  g_assert_cmpstr(zero, ==, "0");
  g_assert_cmpstr(negative, ==, "-12345");
  g_assert_cmpstr(end, ==, "-170141183460469231731687303715884105728");
}

void
ms_test_reduce_plan(void)
{
  g_test_add_func("/reduce-plan/options/round-trip", test_options_round_trip);
  g_test_add_func("/reduce-plan/options/resolved-round-trip", test_resolved_options_round_trip);
  g_test_add_func("/reduce-plan/options/refused", test_options_refused);
  g_test_add_func("/reduce-plan/options/without-effect", test_settings_without_effect);
  g_test_add_func("/reduce-plan/refusals", test_plan_refusals);
  g_test_add_func("/reduce-plan/devices", test_plan_devices);
  g_test_add_func("/reduce-plan/auto", test_plan_auto);
  g_test_add_func("/reduce-plan/pairs", test_plan_pairs);
  g_test_add_func("/reduce-plan/squares", test_plan_squares);
  g_test_add_func("/reduce-plan/chunk", test_plan_chunk);
  g_test_add_func("/reduce-plan/wide-text", test_wide_text);
}
