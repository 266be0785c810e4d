/* SPDX-License-Identifier: MIT */
/* What the matrix leaves out: options, plans and their refusals, data on the device, chunks, channels, positions, threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/reduce/reduce-run.h"
#include "tests/fixture.h"
#include "tests/reduce-cases.h"

static MsDeviceLimits
made_up_device(void)
{
  return (MsDeviceLimits){.type = MS_DEVICE_TYPE_GPU, .compute_units = 18, .max_work_group = 256,
                          .max_work_item = {256, 256, 256}, .local_memory = 32768, .global_memory = 1u << 30,
                          .max_allocation = 1u << 28, .images = TRUE, .image_max_width = 8192, .image_max_height = 8192,
                          .fp64 = TRUE, .int64_atomics = TRUE, .little_endian = TRUE, .preferred_multiple = 64,
                          .opencl_version = 120};
}

static MsReduceOptions
variant(const char *text)
{
  g_autoptr(GError) error = NULL;
  MsReduceOptions options = ms_reduce_options_auto();

  ms_reduce_options_parse(text, &options, &error);
  g_assert_no_error(error);
  return options;
}

static void
test_options_round_trip(void)
{
  static const char *const texts[] = {"auto", "naive", "minmax-36", "pcl,times=1024", "last-group,vector=16,group-size=64",
                                      "swap-plain,swap-range=128", "minmax-image,groups=units,groups-count=3"};
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    MsReduceOptions options = variant(texts[i]);
    g_autofree char *text = ms_reduce_options_to_string(&options);
    MsReduceOptions again = variant(text);
    g_assert_true(ms_reduce_options_equal(&options, &again));
  }
  for (guint i = 0; i < (ms_reduce_presets(&n), n); i++)
    g_assert_cmpstr(ms_reduce_preset_match(&ms_reduce_presets(&n)[i].options), ==, ms_reduce_presets(&n)[i].name);
}

/* What auto makes of any length can be given back as text: reports name it, and a search begins there. */
static void
test_resolved_options_round_trip(void)
{
  static const MsDeviceType types[] = {MS_DEVICE_TYPE_CPU, MS_DEVICE_TYPE_GPU};

  for (guint k = 0; k < 2 * 32; k++) {
    MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_SUM, k % 2 ? MS_ELEMENT_UCHAR : MS_ELEMENT_FLOAT);
    MsReduceOptions automatic = ms_reduce_options_auto();
    MsDeviceLimits limits = made_up_device();
    g_autoptr(GError) error = NULL;

    limits.type = types[k / 32];
    g_autoptr(MsReducePlan) plan = ms_reduce_plan_new(&spec, &automatic, &limits, G_GUINT64_CONSTANT(1) << k % 32, &error);
    g_assert_no_error(error);
    g_autofree char *text = ms_reduce_options_to_string(&plan->options);
    MsReduceOptions again = variant(text);
    g_assert_true(ms_reduce_options_equal(&plan->options, &again));
  }
}

static void
test_options_refused(void)
{
  static const char *const texts[] = {"", "fastest", "naive,vector=3", "naive,speed=9", "naive,vector", "auto,vector=4",
                                      "naive,times=8193", "naive,times=-1", "naive,times=1e2"};

  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    MsReduceOptions options = ms_reduce_options_auto(), before = options;
    g_autoptr(GError) error = NULL;
    g_assert_false(ms_reduce_options_parse(texts[i], &options, &error));
    g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
    g_assert_true(ms_reduce_options_equal(&options, &before));
  }
}

typedef struct {
  const char *variant;
  MsReduceSpec spec;
  guint64 n;
  const char *says;
} Refusal;

static const Refusal refusals[] = {
  {"naive", {MS_REDUCE_SUM, MS_ELEMENT_INT, FALSE, -1}, 0, "empty"},
  {"auto", {MS_REDUCE_SUM, MS_ELEMENT_INT, TRUE, -1}, 9, "Positions"},
  {"auto", {MS_REDUCE_SUM, MS_ELEMENT_INT, FALSE, 1}, 9, "channel"},
  {"auto", {MS_REDUCE_SUM, MS_ELEMENT_UCHAR, FALSE, 4}, 9, "channel"},
  {"naive", {MS_REDUCE_MINMAX, MS_ELEMENT_INT, TRUE, -1}, 9, "No atomic"},
  {"naive,float-sum=compensated", {MS_REDUCE_SUM, MS_ELEMENT_FLOAT, FALSE, -1}, 9, "compensated"},
  {"naive,group-size=100", {MS_REDUCE_SUM, MS_ELEMENT_INT, FALSE, -1}, 9, "power of two"},
  {"naive,group-size=512", {MS_REDUCE_SUM, MS_ELEMENT_INT, FALSE, -1}, 9, "at most 256"},
  {"naive,bank-conflict-saving=on", {MS_REDUCE_SUM, MS_ELEMENT_INT, FALSE, -1}, 9, "Bank-conflict"},
  {"pcl,swap=plain", {MS_REDUCE_SUM, MS_ELEMENT_INT, FALSE, -1}, 9, "tree=naive"},
  {"swap-plain,swap-range=512", {MS_REDUCE_SUM, MS_ELEMENT_INT, FALSE, -1}, 9, "swap-range 512"},
  {"minmax-image,vector=8", {MS_REDUCE_SUM, MS_ELEMENT_INT, FALSE, -1}, 9, "vector=4"},
  {"naive,packed=on", {MS_REDUCE_COUNT_NONZERO, MS_ELEMENT_UCHAR, FALSE, -1}, 9, "packed"},
  {"last-group,packed=on", {MS_REDUCE_SUM, MS_ELEMENT_UCHAR, FALSE, -1}, 9, "packed"},
  {"last-group,packed=on", {MS_REDUCE_STDDEV, MS_ELEMENT_INT, FALSE, -1}, 9, "packed"},
  {"last-group,packed=on", {MS_REDUCE_MINMAX, MS_ELEMENT_UCHAR, TRUE, -1}, 9, "packed"},
  {"minmax-image", {MS_REDUCE_SUM, MS_ELEMENT_DOUBLE, FALSE, -1}, 9, "No image format"},
  {"minmax-image", {MS_REDUCE_SUM, MS_ELEMENT_UCHAR, FALSE, 2}, 9, "in place"},
};

static void
test_plan_refusals(void)
{
  const MsDeviceLimits limits = made_up_device();

  for (guint i = 0; i < G_N_ELEMENTS(refusals); i++) {
    MsReduceOptions options = variant(refusals[i].variant);
    g_autofree char *refusal = ms_reduce_plan_refusal(&refusals[i].spec, &options, &limits, refusals[i].n);
    if (!refusal || !strstr(refusal, refusals[i].says))
      g_error("%s: %s instead of “%s”", refusals[i].variant, refusal ? refusal : "accepted", refusals[i].says);
  }
}

static void
assert_refused_by(const MsDeviceLimits *limits, const char *text, MsReduceOp op, MsElementType type, const char *says)
{
  MsReduceOptions options = variant(text);
  MsReduceSpec spec = MS_REDUCE_SPEC(op, type);
  g_autofree char *refusal = ms_reduce_plan_refusal(&spec, &options, limits, 1000);

  g_assert_nonnull(refusal);
  g_assert_nonnull(strstr(refusal, says));
}

/* What depends on the device is refused only where the device lacks it. */
static void
test_plan_devices(void)
{
  MsDeviceLimits limits = made_up_device();
  MsReduceSpec floats = MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_FLOAT), ints = MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_INT);
  MsReduceOptions naive = variant("naive"), automatic = variant("auto");

  limits.fp64 = limits.int64_atomics = limits.images = FALSE;
  assert_refused_by(&limits, "auto", MS_REDUCE_SUM, MS_ELEMENT_DOUBLE, "no double precision");
  assert_refused_by(&limits, "pcl-host,float-sum=double", MS_REDUCE_SUM, MS_ELEMENT_FLOAT, "compensated");
  assert_refused_by(&limits, "minmax-image", MS_REDUCE_SUM, MS_ELEMENT_INT, "no images");
  g_autofree char *refusal = ms_reduce_plan_refusal(&floats, &naive, &limits, 1000);
  g_assert_nonnull(refusal);
  g_assert_null(ms_reduce_plan_refusal(&ints, &naive, &limits, 1000));
  g_assert_null(ms_reduce_plan_refusal(&floats, &automatic, &limits, 1000));
  limits = made_up_device();
  limits.int64_atomics = FALSE;
  assert_refused_by(&limits, "naive", MS_REDUCE_MIN, MS_ELEMENT_DOUBLE, "64-bit atomics");
  limits.local_memory = 1024;
  assert_refused_by(&limits, "pcl-host", MS_REDUCE_SUM, MS_ELEMENT_INT, "local memory");
}

/* Squares of small types are summed load by load on graphics processors, where lanes would cost registers. */
static void
test_plan_squares(void)
{
  MsDeviceLimits limits = made_up_device();
  MsReduceOptions automatic = variant("auto");

  for (int type = 0; type < MS_ELEMENT_N_TYPES; type++)
    for (int gpu = 0; gpu < 2; gpu++) {
      MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_STDDEV, (MsElementType)type);
      limits.type = gpu ? MS_DEVICE_TYPE_GPU : MS_DEVICE_TYPE_CPU;
      g_autoptr(MsReducePlan) plan = ms_reduce_plan_new(&spec, &automatic, &limits, 1000, NULL);
      g_assert_nonnull(plan);
      g_assert_cmpint(plan->options.packed, ==, gpu && type <= MS_ELEMENT_SHORT ? MS_PACKED_ON : MS_PACKED_OFF);
    }
}

/* Pairs of 16 bits: `auto` takes them where one instruction compares both, and the part follows the device. */
static void
test_plan_pairs(void)
{
  MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_MINMAX, MS_ELEMENT_CHAR);
  static const guint capabilities[] = {0, 89, 90};
  g_autoptr(GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS(capabilities); i++) {
    MsDeviceLimits limits = made_up_device();
    MsReduceOptions automatic = variant("auto"), packed = variant("last-group,packed=on");

    limits.type = MS_DEVICE_TYPE_GPU;
    limits.nvidia_capability = capabilities[i];
    g_autoptr(MsReducePlan) chosen = ms_reduce_plan_new(&spec, &automatic, &limits, 1000, &error);
    g_assert_no_error(error);
    g_assert_cmpint(chosen->options.packed, ==, capabilities[i] >= 90 ? MS_PACKED_ON : MS_PACKED_OFF);
    g_autoptr(MsReducePlan) forced = ms_reduce_plan_new(&spec, &packed, &limits, 1000, &error);
    g_assert_no_error(error);
    g_assert_true((strstr(ms_program_spec_get_options(forced->program), "PAIR=s16x2") != NULL) == (capabilities[i] >= 90));
  }
}

static void
test_plan_auto(void)
{
  MsDeviceLimits limits = made_up_device();
  MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_USHORT);
  MsReduceOptions automatic = variant("auto");

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
  const MsDeviceLimits limits = made_up_device();
  MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_UCHAR);
  MsReduceOptions options = variant("minmax-18,groups-count=1,group-size=32,vector=1");
  g_autoptr(MsReducePlan) plan = ms_reduce_plan_new(&spec, &options, &limits, 1 << 30, NULL);

  g_assert_cmpuint(plan->chunk, ==, 32 << 15);
  g_assert_cmpuint(ms_reduce_plan_launch(plan, plan->chunk).times, ==, 1 << 15);
}

static void
run_buffer(MsContext *context, const MsReducePlan *plan, cl_mem buffer, guint64 first, guint64 n, const void *data,
           const char *what)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsReducer) reducer = ms_reducer_new(context, plan, NULL, &error);
  const guint8 *from = (const guint8 *)data + first * plan->element_bytes;
  MsReduceResult result, expected;

  g_assert_no_error(error);
  g_assert_true(ms_reduce_serial(&plan->spec, from, n, &expected, NULL));
  for (int repeat = 0; repeat < 2; repeat++) {
    g_assert_true(ms_reducer_run_buffer(reducer, buffer, first, n, &result, NULL, NULL, &error));
    g_assert_no_error(error);
    ms_reduce_assert_agrees(&result, &expected, what);
  }
}

/* Arrays that start and end anywhere in a buffer, in one chunk and in many, with positions where the finish has them. */
static void
run_parts(MsContext *context, const char *text, MsReduceSpec spec)
{
  static const guint64 parts[][2] = {{0, 1}, {1, 1}, {15, 2}, {3, 400}, {16, 1000}, {7, 2993}, {2999, 1}};
  MsReduceOptions options = variant(text);
  const guint64 n = 3000;
  g_autofree void *data = ms_pattern_new(MS_PATTERN_SPECIAL, spec.type, spec.channel < 0 ? n : 4 * n);
  g_autoptr(MsReducePlan) plan = ms_reduce_plan_new(&spec, &options, ms_context_get_limits(context), n, NULL);
  g_assert_nonnull(plan);
  g_auto(cl_mem) buffer =
    ms_context_create_buffer(context, CL_MEM_COPY_HOST_PTR | CL_MEM_READ_ONLY, n * plan->element_bytes, data, NULL);

  for (guint i = 0; i < G_N_ELEMENTS(parts); i += g_getenv("MS_TEST_OCLGRIND") ? 3 : 1)
    for (guint chunked = 0; chunked < 2; chunked++) {
      g_autofree char *what = g_strdup_printf("%s %s from %d", ms_reduce_op_name(spec.op), text, (int)parts[i][0]);
      g_autoptr(MsReducePlan) used = ms_reduce_plan_copy(plan);
      used->chunk = chunked ? 352 : plan->chunk;
      run_buffer(context, used, buffer, parts[i][0], parts[i][1], data, what);
    }
}

static void
test_parts_of_buffers(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();

  if (!context)
    return;
  run_parts(context, "auto", MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_INT));
  run_parts(context, "auto", (MsReduceSpec){MS_REDUCE_MINMAX, MS_ELEMENT_FLOAT, TRUE, -1});
  run_parts(context, "last-group", (MsReduceSpec){MS_REDUCE_MINMAX, MS_ELEMENT_SHORT, TRUE, -1});
  run_parts(context, "minmax-36", (MsReduceSpec){MS_REDUCE_MINMAX, MS_ELEMENT_UCHAR, TRUE, -1});
  run_parts(context, "pcl-recursive", MS_REDUCE_SPEC(MS_REDUCE_STDDEV, MS_ELEMENT_UINT));
  run_parts(context, "naive", MS_REDUCE_SPEC(MS_REDUCE_MIN, MS_ELEMENT_FLOAT));
  if (ms_context_get_limits(context)->images)
    run_parts(context, "minmax-image", MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_USHORT));
}

static void
test_channels(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();

  for (int channel = 0; context && channel < 4; channel++) {
    run_parts(context, "auto", (MsReduceSpec){MS_REDUCE_SUM, MS_ELEMENT_UCHAR, FALSE, channel});
    run_parts(context, "last-group", (MsReduceSpec){MS_REDUCE_MINMAX, MS_ELEMENT_UCHAR, TRUE, channel});
  }
}

/* Forms that `auto` keeps for graphics processors, on whatever device there is. */
static void
test_packed(void)
{
  static const char *const texts[] = {"last-group,packed=on", "minmax-vector,packed=on,vector=16", "pcl-host,vector=8,packed=on"};
  g_autoptr(MsContext) context = ms_fixture_context();

  for (guint i = 0; context && i < G_N_ELEMENTS(texts); i++) {
    run_parts(context, texts[i], MS_REDUCE_SPEC(MS_REDUCE_COUNT_NONZERO, MS_ELEMENT_UCHAR));
    run_parts(context, texts[i], MS_REDUCE_SPEC(MS_REDUCE_COUNT_NONZERO, MS_ELEMENT_CHAR));
    run_parts(context, texts[i], MS_REDUCE_SPEC(MS_REDUCE_MINMAX, MS_ELEMENT_UCHAR));
    run_parts(context, texts[i], MS_REDUCE_SPEC(MS_REDUCE_MINMAX, MS_ELEMENT_CHAR));
    for (MsElementType type = MS_ELEMENT_UCHAR; type <= MS_ELEMENT_SHORT; type++) {
      run_parts(context, texts[i], MS_REDUCE_SPEC(MS_REDUCE_SUM_SQUARES, type));
      run_parts(context, texts[i], MS_REDUCE_SPEC(MS_REDUCE_STDDEV, type));
    }
  }
}

/* The form for devices without double, on whatever device there is. */
static void
test_compensated(void)
{
  static const char *const texts[] = {"pcl-host,float-sum=compensated", "last-group,float-sum=compensated",
                                      "minmax-units,float-sum=compensated"};
  g_autoptr(MsContext) context = ms_fixture_context();

  for (guint i = 0; context && i < G_N_ELEMENTS(texts); i++) {
    run_parts(context, texts[i], MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_FLOAT));
    run_parts(context, texts[i], MS_REDUCE_SPEC(MS_REDUCE_STDDEV, MS_ELEMENT_FLOAT));
  }
}

/* Small terms beside a large one vanish from a plain float sum; a compensated one keeps them. */
static void
test_compensation_matters(void)
{
  const guint64 n = 4096;
  g_autofree float *data = g_new(float, n);
  g_autoptr(MsContext) context = ms_fixture_context();
  MsReduceOptions options = variant("pcl-host,float-sum=compensated,group-size=1,times=1024");
  MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_FLOAT);
  g_autoptr(GError) error = NULL;
  MsReduceResult result;
  float plain = 0;

  if (!context)
    return;
  for (guint64 i = 0; i < n; i++)
    plain += data[i] = i == 0 ? 1e8f : 1;
  g_assert_cmpfloat(plain, ==, 1e8f);
  g_assert_true(ms_reduce_array(context, &spec, &options, data, n, &result, NULL, NULL, &error));
  g_assert_cmpfloat(result.sum_real, ==, 1e8 + 4095);
}

/* A library's well-known overflow: 4200 x 4200 pixels of 255 need more than 32 bits. */
static void
test_no_overflow(void)
{
  const guint64 n = g_getenv("MS_TEST_OCLGRIND") ? 5000 : 4200 * 4200;
  g_autofree gint32 *data = g_new(gint32, n);
  g_autoptr(MsContext) context = ms_fixture_context();
  MsReduceOptions options = variant("auto");
  MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_STDDEV, MS_ELEMENT_INT);
  g_autoptr(GError) error = NULL;
  MsReduceResult result;

  if (!context)
    return;
  for (guint64 i = 0; i < n; i++)
    data[i] = G_MININT32;
  g_assert_true(ms_reduce_array(context, &spec, &options, data, n, &result, NULL, NULL, &error));
  g_assert_true(result.sum == (MsWide)G_MININT32 * (MsWide)n);
  g_assert_true(result.squares == (MsWide)G_MININT32 * G_MININT32 * (MsWide)n);
  g_assert_cmpfloat(result.stddev, ==, 0);
}

/* Whatever is shared between the threads of a processor by mistake shows when one launch follows another. */
static void
test_again_and_again(void)
{
  static const char *const texts[] = {"last-group", "minmax-bank", "pcl-recursive", "naive", "swap-refined"};
  const guint rounds = g_getenv("MS_TEST_OCLGRIND") ? 2 : 200;
  const guint64 n = g_getenv("MS_TEST_OCLGRIND") ? 1100 : 65537;
  g_autofree gint32 *data = ms_pattern_new(MS_PATTERN_RANDOM, MS_ELEMENT_INT, n);
  g_autoptr(MsContext) context = ms_fixture_context();
  MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_INT);
  MsReduceResult result, expected;

  g_assert_true(ms_reduce_serial(&spec, data, n, &expected, NULL));
  for (guint i = 0; context && i < G_N_ELEMENTS(texts); i++) {
    MsReduceOptions options = variant(texts[i]);
    g_autoptr(MsReducePlan) plan = ms_reduce_plan_new(&spec, &options, ms_context_get_limits(context), n, NULL);
    g_autoptr(MsReducer) reducer = ms_reducer_new(context, plan, NULL, NULL);
    for (guint round = 0; round < rounds; round++) {
      g_assert_true(ms_reducer_run_host(reducer, data, n, &result, NULL, NULL, NULL));
      ms_reduce_assert_agrees(&result, &expected, texts[i]);
    }
  }
}

static void
test_cancelled(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  MsReduceOptions options = variant("auto");
  MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_INT);
  const gint32 data[3] = {1, 2, 3};
  g_autoptr(GError) error = NULL;
  MsReduceResult result;

  if (!context)
    return;
  g_cancellable_cancel(cancellable);
  g_assert_false(ms_reduce_array(context, &spec, &options, data, 3, &result, NULL, cancellable, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static void
test_empty(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  MsReduceOptions options = variant("auto");
  MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_INT);
  g_autoptr(GError) error = NULL;
  MsReduceResult result;

  if (!context)
    return;
  g_assert_false(ms_reduce_array(context, &spec, &options, &spec, 0, &result, NULL, NULL, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
}

static void
test_run(void)
{
  const MsReduceRunRequest request = {MS_REDUCE_SPEC(MS_REDUCE_MINMAX, MS_ELEMENT_FLOAT), ms_reduce_options_auto(),
                                      g_getenv("MS_TEST_OCLGRIND") ? 700 : 100000, 3, 1, FALSE};
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(JsonBuilder) builder = json_builder_new();
  g_autoptr(GError) error = NULL;

  if (!context)
    return;
  g_autoptr(MsReduceRun) run = ms_reduce_run(context, &request, NULL, NULL, &error);
  g_assert_no_error(error);
  g_assert_true(run->agrees);
  g_assert_cmpfloat(run->median_ms, >, 0);
  g_assert_cmpfloat(run->min_ms, <=, run->median_ms);
  g_autofree char *text = ms_reduce_run_to_text(run);
  g_assert_nonnull(strstr(text, "agrees"));
  g_assert_cmpstr(run->chosen_by, ==, "program");
  ms_reduce_run_add_json(run, builder);
  g_autoptr(JsonNode) root = json_builder_get_root(builder);
  g_assert_true(json_object_get_boolean_member(json_node_get_object(root), "agrees"));
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

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/reduce/options/round-trip", test_options_round_trip);
  g_test_add_func("/reduce/options/resolved-round-trip", test_resolved_options_round_trip);
  g_test_add_func("/reduce/options/refused", test_options_refused);
  g_test_add_func("/reduce/plan/refusals", test_plan_refusals);
  g_test_add_func("/reduce/plan/devices", test_plan_devices);
  g_test_add_func("/reduce/plan/auto", test_plan_auto);
  g_test_add_func("/reduce/plan/pairs", test_plan_pairs);
  g_test_add_func("/reduce/plan/squares", test_plan_squares);
  g_test_add_func("/reduce/plan/chunk", test_plan_chunk);
  g_test_add_func("/reduce/run/parts-of-buffers", test_parts_of_buffers);
  g_test_add_func("/reduce/run/channels", test_channels);
  g_test_add_func("/reduce/run/packed", test_packed);
  g_test_add_func("/reduce/run/compensated", test_compensated);
  g_test_add_func("/reduce/run/compensation-matters", test_compensation_matters);
  g_test_add_func("/reduce/run/no-overflow", test_no_overflow);
  g_test_add_func("/reduce/run/again-and-again", test_again_and_again);
  g_test_add_func("/reduce/run/cancelled", test_cancelled);
  g_test_add_func("/reduce/run/empty", test_empty);
  g_test_add_func("/reduce/run/generated", test_run);
  g_test_add_func("/reduce/wide-text", test_wide_text);
  return g_test_run();
}
