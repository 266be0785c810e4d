/* SPDX-License-Identifier: MIT */
/*
 * Reductions beyond the matrix of operators and types: data on the device, chunks, packed forms, overflow,
 * cancelling. Every table of cases names the form that runs a case first: the suite runs one case for each kernel part
 * and each way to use it, CI also those that only vary the type or the preset, and the long form what CI runs.
 */
#include <math.h>
#include <string.h>

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
  g_assert_true(ms_reduce_define(&plan->spec, from, n, &expected, NULL));
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
  const guint64 n = 3000;
  g_autofree void *data = ms_pattern_new(MS_PATTERN_SPECIAL, spec.type, n);
  g_autoptr(MsReducePlan) plan = ms_reduce_cases_plan(text, &spec, &context->device->limits, n);
  if (!plan)
    return;
  g_auto(cl_mem) buffer =
    ms_context_create_buffer(context, CL_MEM_COPY_HOST_PTR | CL_MEM_READ_ONLY, n * plan->element_bytes, data, NULL);

  for (guint i = 0; i < G_N_ELEMENTS(parts); i += ms_fixture_under_oclgrind() ? 3 : 1)
    for (guint chunked = 0; chunked < (parts[i][1] > CHUNK ? 2 : 1); chunked++) {
      g_autofree char *what =
        g_strdup_printf("%s %s from %d", ms_reduce_operator(spec.op)->name, text, (int)parts[i][0]);
      g_autoptr(MsReducePlan) used = ms_reduce_plan_copy(plan);
      used->chunk = chunked ? CHUNK : plan->chunk;
      run_buffer(context, used, buffer, parts[i][0], parts[i][1], data, what);
    }
}

/** Case: a variant of a reduction, and the form that runs it first. */
typedef struct {
  MsTestForm form;
  const char *text;
  MsReduceSpec spec;
} Case;

static void
run_case(MsContext *context, const Case *a_case)
{
  if (a_case->form <= ms_fixture_form() && (context->device->limits.images || !strstr(a_case->text, "image")))
    run_parts(context, a_case->text, a_case->spec);
}

static void
run_cases(const Case *cases, gsize n)
{
  SET_UP_CONTEXT(context);
  for (gsize i = 0; i < n; i++)
    run_case(context, &cases[i]);
}

/** TextCase: a variant, and the form that runs it first. */
typedef struct {
  MsTestForm form;
  const char *text;
} TextCase;

static void
run_texts(const TextCase *cases, gsize n, void (*check)(MsContext *context, const char *text))
{
  SET_UP_CONTEXT(context);
  for (gsize i = 0; i < n; i++)
    if (cases[i].form <= ms_fixture_form() && (context->device->limits.images || !strstr(cases[i].text, "image")))
      check(context, cases[i].text);
}

static void
test_parts_of_buffers(void)
{
  static const Case cases[] = {
    {MS_TEST_SUITE, "auto", {MS_REDUCE_STDDEV, MS_ELEMENT_INT}},
    {MS_TEST_SUITE, "last-group", {MS_REDUCE_MINMAX_POSITIONS, MS_ELEMENT_SHORT}},
    {MS_TEST_SUITE, "pcl-recursive", {MS_REDUCE_STDDEV, MS_ELEMENT_UINT}},
    {MS_TEST_SUITE, "naive", {MS_REDUCE_MIN, MS_ELEMENT_FLOAT}},
    {MS_TEST_SUITE, "minmax-image", {MS_REDUCE_SUM, MS_ELEMENT_INT}},
    {MS_TEST_CI, "auto", {MS_REDUCE_SUM, MS_ELEMENT_INT}},
    {MS_TEST_CI, "auto", {MS_REDUCE_MINMAX_POSITIONS, MS_ELEMENT_FLOAT}},
    {MS_TEST_CI, "minmax-36", {MS_REDUCE_MINMAX_POSITIONS, MS_ELEMENT_UCHAR}},
    {MS_TEST_CI, "minmax-image", {MS_REDUCE_SUM, MS_ELEMENT_USHORT}},
  };

  run_cases(cases, G_N_ELEMENTS(cases));
}

/*
 * The packed forms, which `auto` uses on graphics processors only, on whatever device there is: in CI every one with
 * every variant.
 */
static void
test_packed(void)
{
  static const char *const texts[] = {"last-group +packed", "minmax-vector,vector=16,vector-partials=off +packed",
                                      "pcl-host,vector=8 +packed"};
  static const struct {
    MsReduceSpec spec;
    MsTestForm forms[G_N_ELEMENTS(texts)];
  } packed[] = {
    {{MS_REDUCE_COUNT_NONZERO, MS_ELEMENT_UCHAR}, {MS_TEST_SUITE, MS_TEST_CI, MS_TEST_CI}},
    {{MS_REDUCE_MINMAX, MS_ELEMENT_CHAR}, {MS_TEST_CI, MS_TEST_SUITE, MS_TEST_CI}},
    {{MS_REDUCE_SUM_SQUARES, MS_ELEMENT_CHAR}, {MS_TEST_CI, MS_TEST_CI, MS_TEST_SUITE}},
    {{MS_REDUCE_SUM_SQUARES, MS_ELEMENT_USHORT}, {MS_TEST_CI, MS_TEST_CI, MS_TEST_CI}},
    {{MS_REDUCE_STDDEV, MS_ELEMENT_UCHAR}, {MS_TEST_CI, MS_TEST_CI, MS_TEST_CI}},
    {{MS_REDUCE_STDDEV, MS_ELEMENT_SHORT}, {MS_TEST_CI, MS_TEST_CI, MS_TEST_CI}},
    {{MS_REDUCE_COUNT_NONZERO, MS_ELEMENT_CHAR}, {MS_TEST_CI, MS_TEST_CI, MS_TEST_CI}},
    {{MS_REDUCE_MINMAX, MS_ELEMENT_UCHAR}, {MS_TEST_CI, MS_TEST_CI, MS_TEST_CI}},
    {{MS_REDUCE_SUM_SQUARES, MS_ELEMENT_UCHAR}, {MS_TEST_CI, MS_TEST_CI, MS_TEST_CI}},
    {{MS_REDUCE_SUM_SQUARES, MS_ELEMENT_SHORT}, {MS_TEST_CI, MS_TEST_CI, MS_TEST_CI}},
    {{MS_REDUCE_STDDEV, MS_ELEMENT_CHAR}, {MS_TEST_CI, MS_TEST_CI, MS_TEST_CI}},
    {{MS_REDUCE_STDDEV, MS_ELEMENT_USHORT}, {MS_TEST_CI, MS_TEST_CI, MS_TEST_CI}},
  };

  SET_UP_CONTEXT(context);

  for (gsize k = 0; k < G_N_ELEMENTS(packed); k++)
    for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
      run_case(context, &(Case){packed[k].forms[i], texts[i], packed[k].spec});
}

/*
 * Vectors in local memory and the tree of four branches, with each way to end a group and a group of 2 to an odd power.
 * Adding up is tried where lanes are wider than the elements, and where they hold pairs.
 */
static void
test_vectors_in_local_memory(void)
{
  static const Case cases[] = {
    {MS_TEST_SUITE, "minmax-four-way", {MS_REDUCE_MINMAX, MS_ELEMENT_UCHAR}},
    {MS_TEST_CI, "minmax-bank,vector=4,group-size=32,between=last-group", {MS_REDUCE_MIN, MS_ELEMENT_FLOAT}},
    {MS_TEST_SUITE, "minmax-four-way,group-size=128,bank-conflict-saving=off", {MS_REDUCE_STDDEV, MS_ELEMENT_CHAR}},
    {MS_TEST_CI, "minmax-vector,between=recursive,vector=16,group-size=128", {MS_REDUCE_SUM, MS_ELEMENT_USHORT}},
    {MS_TEST_SUITE, "minmax-bank -fp64", {MS_REDUCE_SUM, MS_ELEMENT_FLOAT}},
    {MS_TEST_CI, "minmax-36,tree=naive,bank-conflict-saving=off", {MS_REDUCE_COUNT_NONZERO, MS_ELEMENT_INT}},
    {MS_TEST_CI, "minmax-image,bank-conflict-saving=on", {MS_REDUCE_MINMAX, MS_ELEMENT_CHAR}},
  };

  run_cases(cases, G_N_ELEMENTS(cases));
}

/* The forms of the last levels: reductions, shuffles, and the barrier of a sub-group, where the device has them. */
static void
test_sub_groups(void)
{
  static const Case cases[] = {
    {MS_TEST_SUITE, "pcl-host,group-size=64", {MS_REDUCE_SUM, MS_ELEMENT_INT}},
    {MS_TEST_SUITE, "pcl-recursive,times=1", {MS_REDUCE_MINMAX, MS_ELEMENT_CHAR}},
    {MS_TEST_SUITE, "pcl-host,group-size=64", {MS_REDUCE_MIN, MS_ELEMENT_FLOAT}},
    {MS_TEST_CI, "pcl-host,group-size=64", {MS_REDUCE_STDDEV, MS_ELEMENT_FLOAT}},
    {MS_TEST_CI, "pcl-recursive,times=1", {MS_REDUCE_SUM, MS_ELEMENT_INT}},
    {MS_TEST_SUITE, "pcl-host", {MS_REDUCE_MINMAX_POSITIONS, MS_ELEMENT_SHORT}},
    {MS_TEST_SUITE, "pcl-host -fp64", {MS_REDUCE_STDDEV, MS_ELEMENT_FLOAT}},
    {MS_TEST_SUITE, "last-group -shuffles", {MS_REDUCE_MINMAX_POSITIONS, MS_ELEMENT_SHORT}},
    {MS_TEST_CI, "pcl-host -shuffles -fp64", {MS_REDUCE_STDDEV, MS_ELEMENT_FLOAT}},
    {MS_TEST_SUITE, "pcl-host,vector=4,vector-partials=on", {MS_REDUCE_SUM, MS_ELEMENT_INT}},
    {MS_TEST_CI, "last-group,vector-partials=on", {MS_REDUCE_MINMAX, MS_ELEMENT_CHAR}},
    {MS_TEST_SUITE, "pcl-host -subgroups", {MS_REDUCE_SUM, MS_ELEMENT_INT}},
  };

  run_cases(cases, G_N_ELEMENTS(cases));
}

/* The form for devices without double, on whatever device there is. */
static void
test_compensated(void)
{
  static const Case cases[] = {
    {MS_TEST_CI, "pcl-host -fp64", {MS_REDUCE_SUM, MS_ELEMENT_FLOAT}},
    {MS_TEST_CI, "pcl-host -fp64", {MS_REDUCE_STDDEV, MS_ELEMENT_FLOAT}},
    {MS_TEST_CI, "last-group -fp64", {MS_REDUCE_SUM, MS_ELEMENT_FLOAT}},
    {MS_TEST_SUITE, "last-group -fp64", {MS_REDUCE_STDDEV, MS_ELEMENT_FLOAT}},
    {MS_TEST_CI, "minmax-units -fp64", {MS_REDUCE_SUM, MS_ELEMENT_FLOAT}},
    {MS_TEST_CI, "minmax-units -fp64", {MS_REDUCE_STDDEV, MS_ELEMENT_FLOAT}},
  };

  run_cases(cases, G_N_ELEMENTS(cases));
}

static void
reduce_array(MsContext *context, const MsReducePlan *plan, const void *data, guint64 n, MsReduceResult *result)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsReducer) reducer = ms_reducer_new(context, plan, NULL, &error);

  g_assert_no_error(error);
  ms_reducer_run(reducer, &(MsReduceInput){.host = data, .n = n}, &(MsReduceJob){result, NULL, NULL}, &error);
  g_assert_no_error(error);
}

static void
check_compensation(MsContext *context, const char *text)
{
  const guint64 n = 4096;
  const MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_FLOAT);
  g_autofree float *data = g_new(float, n);
  MsReduceResult result;
  float plain = 0;

  for (guint64 i = 0; i < n; i++)
    plain += data[i] = i == 0 ? 1e8f : 1;
  g_assert_cmpfloat(plain, ==, 1e8f);
  g_autoptr(MsReducePlan) plan = ms_reduce_cases_plan(text, &spec, &context->device->limits, n);
  g_assert_true(plan->compensated);
  reduce_array(context, plan, data, n, &result);
  g_assert_cmpfloat(result.sum_real, ==, 1e8 + 4095);
}

/* Small terms beside a large one vanish from a plain float sum; a compensated one keeps them. */
static void
test_compensation_matters(void)
{
  static const TextCase cases[] = {{MS_TEST_SUITE, "minmax-bank -fp64"},
                                   {MS_TEST_CI, "pcl-host,group-size=1,times=1024 -fp64"}};

  run_texts(cases, G_N_ELEMENTS(cases), check_compensation);
}

/*
 * Numbers that lie close together far from zero, on the device and in serial: half of them are one more than the
 * others.
 */
static void
check_far_deviation(MsContext *context, const char *text, MsElementType type, double low)
{
  const guint64 n = ms_fixture_under_oclgrind() ? 5000 : 100000;
  const MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_STDDEV, type);
  g_autofree void *data = g_malloc(n * ms_element_type_size(type));
  MsReduceResult found, serial;

  for (guint64 i = 0; i < n; i++) {
    if (type == MS_ELEMENT_FLOAT)
      ((float *)data)[i] = (float)(low + (double)(i % 2));
    else
      ((double *)data)[i] = low + (double)(i % 2);
  }
  g_autoptr(MsReducePlan) plan = ms_reduce_cases_plan(text, &spec, &context->device->limits, n);
  reduce_array(context, plan, data, n, &found);
  g_assert_true(ms_reduce_define(&spec, data, n, &serial, NULL));
  g_assert_cmpfloat_with_epsilon(serial.stddev, 0.5, 1e-9);
  g_assert_cmpfloat_with_epsilon(found.stddev, 0.5, 1e-6);
  g_assert_cmpfloat_with_epsilon(found.mean / (low + 0.5), 1.0, 1e-9);
  g_assert_cmpfloat_with_epsilon(found.sum_real / serial.sum_real, 1.0, 1e-9);
  g_assert_cmpfloat_with_epsilon(found.squares_real / serial.squares_real, 1.0, 1e-9);
}

static void
test_far_deviation(void)
{
  static const struct {
    MsTestForm form;
    const char *text;
    MsElementType type;
    double low;
  } cases[] = {
    {MS_TEST_SUITE, "auto", MS_ELEMENT_FLOAT, 1e5},
    {MS_TEST_SUITE, "auto", MS_ELEMENT_FLOAT, 16777214},
    {MS_TEST_SUITE, "auto", MS_ELEMENT_DOUBLE, 1e9},
    {MS_TEST_CI, "last-group", MS_ELEMENT_FLOAT, 1e5},
    {MS_TEST_CI, "last-group", MS_ELEMENT_FLOAT, 16777214},
    {MS_TEST_CI, "last-group", MS_ELEMENT_DOUBLE, 1e9},
    {MS_TEST_CI, "pcl-recursive", MS_ELEMENT_FLOAT, 1e5},
    {MS_TEST_CI, "pcl-recursive", MS_ELEMENT_FLOAT, 16777214},
    {MS_TEST_CI, "pcl-recursive", MS_ELEMENT_DOUBLE, 1e9},
    {MS_TEST_CI, "minmax-36", MS_ELEMENT_FLOAT, 1e5},
    {MS_TEST_CI, "minmax-36", MS_ELEMENT_FLOAT, 16777214},
    {MS_TEST_CI, "minmax-36", MS_ELEMENT_DOUBLE, 1e9},
    {MS_TEST_SUITE, "last-group -fp64", MS_ELEMENT_FLOAT, 1e5},
    {MS_TEST_SUITE, "last-group -fp64", MS_ELEMENT_FLOAT, 16777214},
  };
  SET_UP_CONTEXT(context);

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
    if (cases[i].form <= ms_fixture_form() && (context->device->limits.fp64 || cases[i].type != MS_ELEMENT_DOUBLE))
      check_far_deviation(context, cases[i].text, cases[i].type, cases[i].low);
}

static void
check_growing(MsContext *context, const char *text)
{
  const guint64 most = ms_fixture_under_oclgrind() ? 7000 : 70000, lengths[] = {100, most, 3000};
  const MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_INT);
  const MsReduceOptions options = ms_reduce_cases_variant(text);
  g_autofree gint32 *data = ms_pattern_new(MS_PATTERN_RANDOM, MS_ELEMENT_INT, most);
  g_autoptr(GError) error = NULL;
  g_autoptr(MsReducePlan) plan = ms_reduce_plan_new(&spec, &options, &context->device->limits, 70000, &error);
  g_autoptr(MsReducer) reducer = plan ? ms_reducer_new(context, plan, NULL, &error) : NULL;

  g_assert_no_error(error);
  for (gsize i = 0; i < G_N_ELEMENTS(lengths); i++) {
    MsReduceResult found, expected;
    ms_reducer_run(reducer, &(MsReduceInput){.host = data, .n = lengths[i]}, &(MsReduceJob){&found, NULL, NULL},
                   &error);
    g_assert_no_error(error);
    g_assert_true(ms_reduce_define(&spec, data, lengths[i], &expected, NULL));
    ms_reduce_assert_agrees(&found, &expected, text);
  }
}

/* A reducer is used for a short array first; its buffers must then grow. */
static void
test_growing(void)
{
  static const TextCase cases[] = {{MS_TEST_CI, "minmax-image"},
                                   {MS_TEST_SUITE, "last-group"},
                                   {MS_TEST_SUITE, "pcl-recursive"},
                                   {MS_TEST_CI, "pcl-host"}};

  run_texts(cases, G_N_ELEMENTS(cases), check_growing);
}

static void
check_narrow_atomics(MsContext *context, MsReduceOp op, MsElementType type)
{
  const MsReduceSpec spec = MS_REDUCE_SPEC(op, type);
  const MsReduceOptions options = ms_reduce_cases_variant("naive");
  const guint64 n = ms_fixture_under_oclgrind() ? 2000 : 20000;
  MsDeviceLimits limits = context->device->limits;
  g_autofree void *data = ms_pattern_new(MS_PATTERN_EXTREMES, type, n);
  g_autoptr(GError) error = NULL;
  MsReduceResult found, expected;

  limits.int64_atomics = FALSE;
  g_autoptr(MsReducePlan) plan = ms_reduce_plan_new(&spec, &options, &limits, n, &error);
  g_autoptr(MsReducer) reducer = plan ? ms_reducer_new(context, plan, NULL, &error) : NULL;
  g_assert_no_error(error);
  g_assert_true(
    ms_reducer_run(reducer, &(MsReduceInput){.host = data, .n = n}, &(MsReduceJob){&found, NULL, NULL}, &error));
  g_assert_true(ms_reduce_define(&spec, data, n, &expected, NULL));
  ms_reduce_assert_agrees(&found, &expected, "narrow atomics");
}

/* The atomics of devices without those of 64 bits, which carry from one half to the other. */
static void
test_narrow_atomics(void)
{
  static const struct {
    MsReduceOp op;
    MsTestForm forms[MS_ELEMENT_UINT + 1]; /* by type */
  } rows[] = {
    {MS_REDUCE_SUM, {MS_TEST_CI, MS_TEST_CI, MS_TEST_CI, MS_TEST_CI, MS_TEST_SUITE, MS_TEST_CI}},
    {MS_REDUCE_STDDEV, {MS_TEST_CI, MS_TEST_CI, MS_TEST_CI, MS_TEST_CI, MS_TEST_CI, MS_TEST_SUITE}},
    {MS_REDUCE_SUM_SQUARES, {MS_TEST_CI, MS_TEST_CI, MS_TEST_CI, MS_TEST_CI, MS_TEST_CI, MS_TEST_CI}},
    {MS_REDUCE_COUNT_NONZERO, {MS_TEST_CI, MS_TEST_CI, MS_TEST_CI, MS_TEST_CI, MS_TEST_CI, MS_TEST_CI}},
  };
  SET_UP_CONTEXT(context);

  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
    for (int type = MS_ELEMENT_UCHAR; type <= MS_ELEMENT_UINT; type++)
      if (rows[i].forms[type] <= ms_fixture_form())
        check_narrow_atomics(context, rows[i].op, (MsElementType)type);
}

static void
check_wrapping(MsContext *context, const char *variant, MsReduceSpec spec)
{
  const guint64 n = ms_fixture_under_oclgrind() ? 2000 : 20000;
  g_autofree char *text = g_strconcat(variant, ",accumulator=32-bit", NULL);
  MsReduceOptions options = ms_reduce_cases_variant(text), exact = options;
  g_autofree void *data = ms_pattern_new(MS_PATTERN_EXTREMES, spec.type, n);
  g_autoptr(GError) error = NULL;
  MsReduceResult found, expected;

  exact.accumulator = MS_ACCUMULATOR_EXACT;
  g_autoptr(MsReducePlan) wide = ms_reduce_plan_new(&spec, &exact, &context->device->limits, n, NULL);
  g_autoptr(MsReducePlan) plan = ms_reduce_plan_new(&spec, &options, &context->device->limits, n, NULL);
  g_autoptr(MsReducer) reducer = ms_reducer_new(context, plan, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(plan->partial_bytes * 2, ==, wide->partial_bytes);
  ms_reducer_run(reducer, &(MsReduceInput){.host = data, .n = n}, &(MsReduceJob){&found, NULL, NULL}, &error);
  g_assert_no_error(error);
  g_assert_true(ms_reduce_define(&spec, data, n, &expected, NULL));
  g_assert_cmpuint((guint32)found.sum, ==, (guint32)expected.sum);
  if (spec.op == MS_REDUCE_SUM && spec.type == MS_ELEMENT_UINT)
    g_assert_true(expected.sum > G_MAXUINT32);
  ms_reduce_result_wrap(plan, &expected);
  ms_reduce_assert_agrees(&found, &expected, text);
}

/*
 * Accumulators of 32 bits, whose sums leave their range: every way to end a group, each way to wait for the result. The
 * partials of a group take half the local memory.
 */
static void
test_wrapping(void)
{
  static const MsReduceSpec specs[] = {{MS_REDUCE_SUM, MS_ELEMENT_UINT},
                                       {MS_REDUCE_SUM, MS_ELEMENT_INT},
                                       {MS_REDUCE_SUM_ABS, MS_ELEMENT_INT},
                                       {MS_REDUCE_COUNT_NONZERO, MS_ELEMENT_FLOAT}};
  static const struct {
    const char *text;
    MsTestForm forms[G_N_ELEMENTS(specs)];
  } variants[] = {
    {"pcl", {MS_TEST_CI, MS_TEST_CI, MS_TEST_CI, MS_TEST_CI}},
    {"pcl-host,wait=event", {MS_TEST_CI, MS_TEST_CI, MS_TEST_CI, MS_TEST_CI}},
    {"pcl-recursive,wait=finish", {MS_TEST_CI, MS_TEST_SUITE, MS_TEST_CI, MS_TEST_CI}},
    {"last-group", {MS_TEST_SUITE, MS_TEST_CI, MS_TEST_CI, MS_TEST_CI}},
    {"minmax-vector", {MS_TEST_CI, MS_TEST_CI, MS_TEST_CI, MS_TEST_CI}},
    {"naive", {MS_TEST_SUITE, MS_TEST_CI, MS_TEST_CI, MS_TEST_CI}},
  };
  SET_UP_CONTEXT(context);

  for (gsize i = 0; i < G_N_ELEMENTS(variants); i++)
    for (gsize k = 0; k < G_N_ELEMENTS(specs); k++)
      if (variants[i].forms[k] <= ms_fixture_form())
        check_wrapping(context, variants[i].text, specs[k]);
}

/*
 * A library's well-known overflow: 4200 x 4200 pixels of 255 need more than 32 bits. Here sums and squares leave 32 and
 * 64 bits with a handful of elements, so that CI alone takes as many.
 */
static void
test_no_overflow(void)
{
  const guint64 n = ms_fixture_form() >= MS_TEST_CI ? 4200 * 4200 : 5000;
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

static void
check_again_and_again(MsContext *context, const char *text)
{
  const guint native_rounds = ms_fixture_form() >= MS_TEST_CI ? 200 : 20;
  const guint rounds = ms_fixture_under_oclgrind() ? 2 : native_rounds;
  const guint64 n = ms_fixture_under_oclgrind() ? 1100 : 65537;
  const MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_INT);
  const MsReduceOptions options = ms_reduce_cases_variant(text);
  g_autofree gint32 *data = ms_pattern_new(MS_PATTERN_RANDOM, MS_ELEMENT_INT, n);
  g_autoptr(MsReducePlan) plan = ms_reduce_plan_new(&spec, &options, &context->device->limits, n, NULL);
  g_autoptr(MsReducer) reducer = ms_reducer_new(context, plan, NULL, NULL);
  MsReduceResult result, expected;

  g_assert_true(ms_reduce_define(&spec, data, n, &expected, NULL));
  for (guint round = 0; round < rounds; round++) {
    g_assert_true(
      ms_reducer_run(reducer, &(MsReduceInput){.host = data, .n = n}, &(MsReduceJob){&result, NULL, NULL}, NULL));
    ms_reduce_assert_agrees(&result, &expected, text);
  }
}

/* Data shared between the threads of a processor by mistake give wrong results when launches follow each other. */
static void
test_again_and_again(void)
{
  static const TextCase cases[] = {{MS_TEST_SUITE, "last-group"},
                                   {MS_TEST_CI, "minmax-bank"},
                                   {MS_TEST_CI, "pcl-recursive"},
                                   {MS_TEST_SUITE, "swap-refined"},
                                   {MS_TEST_CI, "naive"}};

  run_texts(cases, G_N_ELEMENTS(cases), check_again_and_again);
}

static void
test_cancelled(void)
{
  SET_UP_CONTEXT(context);
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  MsReduceOptions options = ms_reduce_cases_variant("auto");
  MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_STDDEV, MS_ELEMENT_INT);
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
  MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_STDDEV, MS_ELEMENT_INT);
  g_autoptr(GError) error = NULL;
  MsReduceResult result;

  g_assert_false(ms_reduce_array(context, &(MsReduceRequest){spec, options},
                                 &(MsReduceInput){.host = (const guint8 *)&spec, .n = 0},
                                 &(MsReduceJob){&result, NULL, NULL}, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/reduce/run/parts-of-buffers", test_parts_of_buffers);
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
  return g_test_run();
}
