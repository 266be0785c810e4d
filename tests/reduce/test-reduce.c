/* SPDX-License-Identifier: MIT */
/*
 * Reductions beyond the matrix of operators and types: data on the device, chunks, channels, packed forms, overflow,
 * cancelling.
 */
#include <math.h>
#include <string.h>

#include "core/lab/array-run.h"
#include "core/opencl/transfers.h"
#include "tests/support/fixture.h"
#include "tests/reduce/reduce-cases.h"

/* Elements in each chunk of an array that is reduced in chunks. */
#define CHUNK 352

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
    g_assert_true(ms_reducer_run(reducer, &(MsReduceInput){.buffer = buffer, .first = first, .n = n},
                                 &(MsReduceJob){&result, NULL, NULL}, &error));
    g_assert_no_error(error);
    ms_reduce_assert_agrees(&result, &expected, what);
  }
}

/*
 * Arrays that start and end anywhere in a buffer, in one chunk and in many, with positions where the finish has them.
 */
static void
run_parts(MsContext *context, const char *text, MsReduceSpec spec)
{
  static const guint64 parts[][2] = {{0, 1}, {1, 1}, {15, 2}, {3, 400}, {16, 1000}, {7, 2993}, {2999, 1}};
  MsReduceOptions options = ms_reduce_cases_variant(text);
  const guint64 n = 3000;
  g_autofree void *data = ms_pattern_new(MS_PATTERN_SPECIAL, spec.type, spec.channel < 0 ? n : 4 * n);
  g_autoptr(MsReducePlan) plan = ms_reduce_plan_new(&spec, &options, &context->device->limits, n, NULL);
  g_assert_nonnull(plan);
  g_auto(cl_mem) buffer =
    ms_context_create_buffer(context, CL_MEM_COPY_HOST_PTR | CL_MEM_READ_ONLY, n * plan->element_bytes, data, NULL);

  for (guint i = 0; i < G_N_ELEMENTS(parts); i += g_getenv("MS_TEST_OCLGRIND") ? 3 : 1)
    for (guint chunked = 0; chunked < (parts[i][1] > CHUNK ? 2 : 1); chunked++) {
      g_autofree char *what =
        g_strdup_printf("%s %s from %d", ms_reduce_operator(spec.op)->name, text, (int)parts[i][0]);
      g_autoptr(MsReducePlan) used = ms_reduce_plan_copy(plan);
      used->chunk = chunked ? CHUNK : plan->chunk;
      run_buffer(context, used, buffer, parts[i][0], parts[i][1], data, what);
    }
}

static void
test_parts_of_buffers(void)
{
  SET_UP_CONTEXT(context);
  run_parts(context, "auto", MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_INT));
  run_parts(context, "auto", (MsReduceSpec){MS_REDUCE_MINMAX_POSITIONS, MS_ELEMENT_FLOAT, -1});
  run_parts(context, "last-group", (MsReduceSpec){MS_REDUCE_MINMAX_POSITIONS, MS_ELEMENT_SHORT, -1});
  run_parts(context, "minmax-36", (MsReduceSpec){MS_REDUCE_MINMAX_POSITIONS, MS_ELEMENT_UCHAR, -1});
  run_parts(context, "pcl-recursive", MS_REDUCE_SPEC(MS_REDUCE_STDDEV, MS_ELEMENT_UINT));
  run_parts(context, "naive", MS_REDUCE_SPEC(MS_REDUCE_MIN, MS_ELEMENT_FLOAT));
  if (context->device->limits.images)
    run_parts(context, "minmax-image", MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_USHORT));
}

static void
test_channels(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();

  for (int channel = 0; context && channel < (ms_fixture_form() >= MS_TEST_CI ? 4 : 2); channel++) {
    if (ms_fixture_form() >= MS_TEST_CI || channel % 2 == 0)
      run_parts(context, "auto", (MsReduceSpec){MS_REDUCE_SUM, MS_ELEMENT_UCHAR, channel});
    if (ms_fixture_form() >= MS_TEST_CI || channel % 2 == 1)
      run_parts(context, "last-group", (MsReduceSpec){MS_REDUCE_MINMAX_POSITIONS, MS_ELEMENT_UCHAR, channel});
  }
}

/*
 * The packed forms, which `auto` uses on graphics processors only, on whatever device there is: the first ones
 * with one of the variants each, or in CI all with all of them.
 */
static void
test_packed(void)
{
  static const char *const texts[] = {"last-group,packed=on", "minmax-vector,packed=on,vector=16,vector-partials=off",
                                      "pcl-host,vector=8,packed=on"};
  static const MsReduceSpec specs[] = {
    {MS_REDUCE_COUNT_NONZERO, MS_ELEMENT_UCHAR, -1}, {MS_REDUCE_MINMAX, MS_ELEMENT_CHAR, -1},
    {MS_REDUCE_SUM_SQUARES, MS_ELEMENT_CHAR, -1},    {MS_REDUCE_SUM_SQUARES, MS_ELEMENT_USHORT, -1},
    {MS_REDUCE_STDDEV, MS_ELEMENT_UCHAR, -1},        {MS_REDUCE_STDDEV, MS_ELEMENT_SHORT, -1},
    {MS_REDUCE_COUNT_NONZERO, MS_ELEMENT_CHAR, -1},  {MS_REDUCE_MINMAX, MS_ELEMENT_UCHAR, -1},
    {MS_REDUCE_SUM_SQUARES, MS_ELEMENT_UCHAR, -1},   {MS_REDUCE_SUM_SQUARES, MS_ELEMENT_SHORT, -1},
    {MS_REDUCE_STDDEV, MS_ELEMENT_CHAR, -1},         {MS_REDUCE_STDDEV, MS_ELEMENT_USHORT, -1},
  };
  g_autoptr(MsContext) context = ms_fixture_context();

  for (guint k = 0; context && k < (ms_fixture_form() >= MS_TEST_CI ? G_N_ELEMENTS(specs) : 3); k++)
    for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
      if (ms_fixture_form() >= MS_TEST_CI || i == k % G_N_ELEMENTS(texts))
        run_parts(context, texts[i], specs[k]);
}

/*
 * Vectors in local memory and the tree of four branches, with each way to end a group and a group of 2 to an odd power.
 * Adding up is tried where lanes are wider than the elements, and where they hold pairs.
 */
static void
test_vectors_in_local_memory(void)
{
  static const struct {
    const char *text;
    MsReduceSpec spec;
  } cases[] = {
    {"minmax-four-way", {MS_REDUCE_MINMAX, MS_ELEMENT_UCHAR, -1}},
    {"minmax-bank,vector=4,group-size=32,between=last-group", {MS_REDUCE_MIN, MS_ELEMENT_FLOAT, -1}},
    {"minmax-four-way,group-size=128,bank-conflict-saving=off", {MS_REDUCE_STDDEV, MS_ELEMENT_CHAR, -1}},
    {"minmax-vector,between=recursive,vector=16,group-size=128", {MS_REDUCE_SUM, MS_ELEMENT_USHORT, -1}},
    {"minmax-bank,float-sum=compensated", {MS_REDUCE_SUM, MS_ELEMENT_FLOAT, -1}},
    {"minmax-36,tree=naive,bank-conflict-saving=off", {MS_REDUCE_COUNT_NONZERO, MS_ELEMENT_INT, -1}},
    {"minmax-image,bank-conflict-saving=on", {MS_REDUCE_MINMAX, MS_ELEMENT_CHAR, -1}},
  };
  g_autoptr(MsContext) context = ms_fixture_context();

  for (guint i = 0; context && i < G_N_ELEMENTS(cases); i += ms_fixture_form() >= MS_TEST_CI ? 1 : 2)
    if (context->device->limits.images || !strstr(cases[i].text, "image"))
      run_parts(context, cases[i].text, cases[i].spec);
}

/*
 * The forms of the last levels where the device has them; elsewhere the plan refuses them and chooses none. Operators
 * that one form cannot take are left to the others.
 */
static void
test_sub_groups(void)
{
  static const char *const texts[] = {"pcl-host,sub-groups=barrier", "last-group,sub-groups=barrier",
                                      "pcl-host,sub-groups=shuffle", "pcl-recursive,times=1,sub-groups=reduce",
                                      "pcl-host,sub-groups=reduce,group-size=64"};
  static const MsReduceSpec specs[] = {{MS_REDUCE_SUM, MS_ELEMENT_INT, -1},
                                       {MS_REDUCE_MINMAX_POSITIONS, MS_ELEMENT_SHORT, -1},
                                       {MS_REDUCE_MIN, MS_ELEMENT_FLOAT, -1},
                                       {MS_REDUCE_MINMAX, MS_ELEMENT_CHAR, -1},
                                       {MS_REDUCE_STDDEV, MS_ELEMENT_FLOAT, -1}};
  g_autoptr(MsContext) context = ms_fixture_context();

  for (guint i = 0; context && i < G_N_ELEMENTS(texts); i++)
    for (guint k = 0; k < G_N_ELEMENTS(specs); k++) {
      const MsDeviceLimits *limits = &context->device->limits;
      MsReduceOptions options = ms_reduce_cases_variant(texts[i]);
      g_autofree char *refusal = ms_reduce_plan_refusal(&specs[k], &options, limits, 3000);
      gboolean refused = !limits->subgroups || (i >= 3 && ms_reduce_operator(specs[k].op)->positions) ||
                         (i == 2 && !limits->subgroup_shuffle);

      if (limits->nvidia_capability < 70)
        g_assert_true((refusal != NULL) == refused);
      if (!refusal && (ms_fixture_form() >= MS_TEST_CI || (i + k) % 2 == 0))
        run_parts(context, texts[i], specs[k]);
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
    if (ms_fixture_form() >= MS_TEST_CI || i == 0)
      run_parts(context, texts[i], MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_FLOAT));
    if (ms_fixture_form() >= MS_TEST_CI || i == 1)
      run_parts(context, texts[i], MS_REDUCE_SPEC(MS_REDUCE_STDDEV, MS_ELEMENT_FLOAT));
  }
}

/* Small terms beside a large one vanish from a plain float sum; a compensated one keeps them. */
static void
test_compensation_matters(void)
{
  const guint64 n = 4096;
  g_autofree float *data = g_new(float, n);
  SET_UP_CONTEXT(context);
  MsReduceOptions options = ms_reduce_cases_variant("pcl-host,float-sum=compensated,group-size=1,times=1024");
  MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_FLOAT);
  g_autoptr(GError) error = NULL;
  MsReduceResult result;
  float plain = 0;

  for (guint64 i = 0; i < n; i++)
    plain += data[i] = i == 0 ? 1e8f : 1;
  g_assert_cmpfloat(plain, ==, 1e8f);
  g_assert_true(ms_reduce_array(context, &(MsReduceRequest){spec, options}, &(MsReduceInput){.host = data, .n = n},
                                &(MsReduceJob){&result, NULL, NULL}, &error));
  g_assert_cmpfloat(result.sum_real, ==, 1e8 + 4095);
}

/*
 * Numbers that lie close together far from zero, on the device and in serial: half of them are one more than the
 * others.
 */
static void
check_far_deviation(MsContext *context, const char *text, MsElementType type, double low)
{
  const guint64 n = g_getenv("MS_TEST_OCLGRIND") ? 5000 : 100000;
  const MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_STDDEV, type);
  MsReduceOptions options = ms_reduce_cases_variant(text);
  g_autofree void *data = g_malloc(n * ms_element_type_size(type));
  g_autoptr(GError) error = NULL;
  MsReduceResult found, serial;

  for (guint64 i = 0; i < n; i++) {
    if (type == MS_ELEMENT_FLOAT)
      ((float *)data)[i] = (float)(low + (double)(i % 2));
    else
      ((double *)data)[i] = low + (double)(i % 2);
  }
  ms_reduce_array(context, &(MsReduceRequest){spec, options}, &(MsReduceInput){.host = data, .n = n},
                  &(MsReduceJob){&found, NULL, NULL}, &error);
  g_assert_no_error(error);
  g_assert_true(ms_reduce_serial(&spec, data, n, &serial, NULL));
  g_assert_cmpfloat_with_epsilon(serial.stddev, 0.5, 1e-9);
  g_assert_cmpfloat_with_epsilon(found.stddev, 0.5, 1e-6);
  g_assert_cmpfloat_with_epsilon(found.mean / (low + 0.5), 1.0, 1e-9);
  g_assert_cmpfloat_with_epsilon(found.sum_real / serial.sum_real, 1.0, 1e-9);
  g_assert_cmpfloat_with_epsilon(found.squares_real / serial.squares_real, 1.0, 1e-9);
}

static void
test_far_deviation(void)
{
  static const char *const texts[] = {"auto", "last-group", "pcl-recursive", "minmax-36",
                                      "last-group,float-sum=compensated"};
  g_autoptr(MsContext) context = ms_fixture_context();

  for (guint i = 0; context && i < G_N_ELEMENTS(texts); i += ms_fixture_form() >= MS_TEST_CI ? 1 : 2) {
    check_far_deviation(context, texts[i], MS_ELEMENT_FLOAT, 1e5);
    check_far_deviation(context, texts[i], MS_ELEMENT_FLOAT, 16777214);
    if (context->device->limits.fp64 && (ms_fixture_form() >= MS_TEST_CI || i == 0))
      check_far_deviation(context, texts[i], MS_ELEMENT_DOUBLE, 1e9);
  }
}

/* A reducer is used for a short array first; its buffers must then grow. */
static void
test_growing(void)
{
  static const char *const texts[] = {"minmax-image", "last-group", "pcl-host"};
  const guint64 lengths[] = {100, g_getenv("MS_TEST_OCLGRIND") ? 7000 : 70000, 3000};
  const MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_INT);
  g_autofree gint32 *data = ms_pattern_new(MS_PATTERN_RANDOM, MS_ELEMENT_INT, 70000);
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(GError) error = NULL;

  for (guint i = 0; context && i < G_N_ELEMENTS(texts); i++) {
    MsReduceOptions options = ms_reduce_cases_variant(texts[i]);
    if (!context->device->limits.images && i == 0)
      continue;
    g_autoptr(MsReducePlan) plan = ms_reduce_plan_new(&spec, &options, &context->device->limits, 70000, &error);
    g_autoptr(MsReducer) reducer = plan ? ms_reducer_new(context, plan, NULL, &error) : NULL;
    g_assert_no_error(error);
    for (guint k = 0; k < G_N_ELEMENTS(lengths); k++) {
      MsReduceResult found, expected;
      ms_reducer_run(reducer, &(MsReduceInput){.host = data, .n = lengths[k]}, &(MsReduceJob){&found, NULL, NULL},
                     &error);
      g_assert_no_error(error);
      g_assert_true(ms_reduce_serial(&spec, data, lengths[k], &expected, NULL));
      ms_reduce_assert_agrees(&found, &expected, texts[i]);
    }
  }
}

/* The atomics of devices without those of 64 bits, which carry from one half to the other. */
static void
test_narrow_atomics(void)
{
  static const MsReduceOp ops[] = {MS_REDUCE_SUM, MS_REDUCE_STDDEV, MS_REDUCE_SUM_SQUARES, MS_REDUCE_COUNT_NONZERO};
  g_autoptr(MsContext) context = ms_fixture_context();
  MsReduceOptions options = ms_reduce_cases_variant("naive");
  const guint64 n = g_getenv("MS_TEST_OCLGRIND") ? 2000 : 20000;

  for (int type = MS_ELEMENT_UCHAR; context && type <= MS_ELEMENT_UINT; type++)
    for (guint k = 0; k < G_N_ELEMENTS(ops); k++) {
      if (ms_fixture_form() < MS_TEST_CI && k != (guint)type % G_N_ELEMENTS(ops))
        continue;
      const MsReduceSpec spec = MS_REDUCE_SPEC(ops[k], (MsElementType)type);
      MsDeviceLimits limits = context->device->limits;
      g_autofree void *data = ms_pattern_new(MS_PATTERN_EXTREMES, (MsElementType)type, n);
      g_autoptr(GError) error = NULL;
      MsReduceResult found, expected;
      limits.int64_atomics = FALSE;
      g_autoptr(MsReducePlan) plan = ms_reduce_plan_new(&spec, &options, &limits, n, &error);
      g_autoptr(MsReducer) reducer = plan ? ms_reducer_new(context, plan, NULL, &error) : NULL;
      g_assert_no_error(error);
      g_assert_true(
        ms_reducer_run(reducer, &(MsReduceInput){.host = data, .n = n}, &(MsReduceJob){&found, NULL, NULL}, &error));
      g_assert_true(ms_reduce_serial(&spec, data, n, &expected, NULL));
      ms_reduce_assert_agrees(&found, &expected, "narrow atomics");
    }
}

/*
 * Accumulators of 32 bits, whose sums leave their range: every way to end a group, each way to wait for the result. The
 * partials of a group take half the local memory.
 */
static void
test_wrapping(void)
{
  static const char *const texts[] = {"pcl",        "pcl-host,wait=event", "pcl-recursive,wait=finish",
                                      "last-group", "minmax-vector",       "naive"};
  static const MsReduceSpec specs[] = {{MS_REDUCE_SUM, MS_ELEMENT_UINT, -1},
                                       {MS_REDUCE_SUM, MS_ELEMENT_INT, -1},
                                       {MS_REDUCE_SUM_ABS, MS_ELEMENT_INT, -1},
                                       {MS_REDUCE_COUNT_NONZERO, MS_ELEMENT_FLOAT, -1}};
  g_autoptr(MsContext) context = ms_fixture_context();
  const guint64 n = g_getenv("MS_TEST_OCLGRIND") ? 2000 : 20000;

  for (guint i = 0; context && i < G_N_ELEMENTS(texts) * G_N_ELEMENTS(specs); i++) {
    const MsReduceSpec spec = specs[i / G_N_ELEMENTS(texts)];
    g_autofree char *text = g_strconcat(texts[i % G_N_ELEMENTS(texts)], ",accumulator=32-bit", NULL);
    MsReduceOptions options = ms_reduce_cases_variant(text), exact = options;
    g_autofree void *data = ms_pattern_new(MS_PATTERN_EXTREMES, spec.type, n);
    g_autoptr(GError) error = NULL;
    MsReduceResult found, expected;
    if (ms_fixture_form() < MS_TEST_CI && (i / G_N_ELEMENTS(texts) + i) % 3 != 0)
      continue;
    exact.accumulator = MS_ACCUMULATOR_EXACT;
    g_autoptr(MsReducePlan) wide = ms_reduce_plan_new(&spec, &exact, &context->device->limits, n, NULL);
    g_autoptr(MsReducePlan) plan = ms_reduce_plan_new(&spec, &options, &context->device->limits, n, NULL);
    g_autoptr(MsReducer) reducer = ms_reducer_new(context, plan, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(plan->partial_bytes * 2, ==, wide->partial_bytes);
    ms_reducer_run(reducer, &(MsReduceInput){.host = data, .n = n}, &(MsReduceJob){&found, NULL, NULL}, &error);
    g_assert_no_error(error);
    g_assert_true(ms_reduce_serial(&spec, data, n, &expected, NULL));
    g_assert_cmpuint((guint32)found.sum, ==, (guint32)expected.sum);
    if (spec.op == MS_REDUCE_SUM && spec.type == MS_ELEMENT_UINT)
      g_assert_true(expected.sum > G_MAXUINT32);
    ms_reduce_result_wrap(plan, &expected);
    ms_reduce_assert_agrees(&found, &expected, text);
  }
}

/* A library's well-known overflow: 4200 x 4200 pixels of 255 need more than 32 bits. */
static void
test_no_overflow(void)
{
  const guint64 n = g_getenv("MS_TEST_OCLGRIND") ? 5000 : 4200 * 4200;
  g_autofree gint32 *data = g_new(gint32, n);
  SET_UP_CONTEXT(context);
  MsReduceOptions options = ms_reduce_cases_variant("auto");
  MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_STDDEV, MS_ELEMENT_INT);
  g_autoptr(GError) error = NULL;
  MsReduceResult result;

  for (guint64 i = 0; i < n; i++)
    data[i] = G_MININT32;
  g_assert_true(ms_reduce_array(context, &(MsReduceRequest){spec, options}, &(MsReduceInput){.host = data, .n = n},
                                &(MsReduceJob){&result, NULL, NULL}, &error));
  g_assert_true(result.sum == (MsWide)G_MININT32 * (MsWide)n);
  g_assert_true(result.squares == (MsWide)G_MININT32 * G_MININT32 * (MsWide)n);
  g_assert_cmpfloat(result.stddev, ==, 0);
}

/* Data shared between the threads of a processor by mistake give wrong results when launches follow each other. */
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
    MsReduceOptions options = ms_reduce_cases_variant(texts[i]);
    g_autoptr(MsReducePlan) plan = ms_reduce_plan_new(&spec, &options, &context->device->limits, n, NULL);
    g_autoptr(MsReducer) reducer = ms_reducer_new(context, plan, NULL, NULL);
    for (guint round = 0; round < rounds; round++) {
      g_assert_true(
        ms_reducer_run(reducer, &(MsReduceInput){.host = data, .n = n}, &(MsReduceJob){&result, NULL, NULL}, NULL));
      ms_reduce_assert_agrees(&result, &expected, texts[i]);
    }
  }
}

static void
test_cancelled(void)
{
  SET_UP_CONTEXT(context);
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  MsReduceOptions options = ms_reduce_cases_variant("auto");
  MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_INT);
  const gint32 data[3] = {1, 2, 3};
  g_autoptr(GError) error = NULL;
  MsReduceResult result;

  g_cancellable_cancel(cancellable);
  g_assert_false(ms_reduce_array(context, &(MsReduceRequest){spec, options}, &(MsReduceInput){.host = data, .n = 3},
                                 &(MsReduceJob){&result, NULL, cancellable}, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static void
test_empty(void)
{
  SET_UP_CONTEXT(context);
  MsReduceOptions options = ms_reduce_cases_variant("auto");
  MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_INT);
  g_autoptr(GError) error = NULL;
  MsReduceResult result;

  g_assert_false(ms_reduce_array(context, &(MsReduceRequest){spec, options},
                                 &(MsReduceInput){.host = (const guint8 *)&spec, .n = 0},
                                 &(MsReduceJob){&result, NULL, NULL}, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
}

static void
test_run(void)
{
  const MsReduceRunRequest request = {MS_REDUCE_SPEC(MS_REDUCE_MINMAX, MS_ELEMENT_FLOAT), ms_reduce_options_auto(),
                                      100000, 3, FALSE};
  SET_UP_CONTEXT(context);
  g_autoptr(JsonBuilder) builder = json_builder_new();
  g_autoptr(GError) error = NULL;

  g_autoptr(MsArrayRun) run = ms_reduce_run(context, &request, NULL, &error);
  g_assert_no_error(error);
  g_assert_true(run->agrees);
  g_assert_cmpfloat(run->median_ms, >, 0);
  g_assert_cmpfloat(run->min_ms, <=, run->median_ms);
  g_autofree char *text = ms_array_run_to_text(run);
  g_assert_nonnull(strstr(text, "agrees"));
  g_assert_cmpstr(run->chosen_by, ==, "program");
  ms_array_run_add_json(run, builder);
  g_autoptr(JsonNode) root = json_builder_get_root(builder);
  g_assert_true(json_object_get_boolean_member(json_node_get_object(root), "agrees"));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/reduce/run/parts-of-buffers", test_parts_of_buffers);
  g_test_add_func("/reduce/run/channels", test_channels);
  g_test_add_func("/reduce/run/packed", test_packed);
  g_test_add_func("/reduce/run/vectors-in-local-memory", test_vectors_in_local_memory);
  g_test_add_func("/reduce/run/sub-groups", test_sub_groups);
  g_test_add_func("/reduce/run/compensated", test_compensated);
  g_test_add_func("/reduce/run/compensation-matters", test_compensation_matters);
  g_test_add_func("/reduce/run/far-deviation", test_far_deviation);
  g_test_add_func("/reduce/run/growing", test_growing);
  g_test_add_func("/reduce/run/narrow-atomics", test_narrow_atomics);
  g_test_add_func("/reduce/run/wrapping", test_wrapping);
  g_test_add_func("/reduce/run/no-overflow", test_no_overflow);
  g_test_add_func("/reduce/run/again-and-again", test_again_and_again);
  g_test_add_func("/reduce/run/cancelled", test_cancelled);
  g_test_add_func("/reduce/run/empty", test_empty);
  /* The report measures the device's bandwidth, too, for which Oclgrind takes a quarter of an hour. */
  if (!ms_fixture_under_oclgrind())
    g_test_add_func("/reduce/run/generated", test_run);
  return g_test_run();
}
