/* SPDX-License-Identifier: MIT */
/*
 * Operators on types, at awkward lengths and on awkward values, against the serial result. In CI every
 * operator runs with every preset and on every type, and every preset on every type; the long form runs all
 * combinations. The suite runs the table below.
 */
#include <string.h>

#include "core/reduce/reduce-options.h"
#include "tests/reduce/reduce-cases.h"
#include "tests/support/fixture.h"

/* The length of the patterns. */
#define PATTERN_LENGTH 1000

static const struct {
  MsTestForm form;
  gboolean simulated; /* also under Oclgrind */
  guint64 n;
} lengths[] = {
  {MS_TEST_SUITE, FALSE, 1},          {MS_TEST_SUITE, FALSE, 2},   {MS_TEST_SUITE, FALSE, 3},
  {MS_TEST_SUITE, TRUE, 31},          {MS_TEST_SUITE, FALSE, 255}, {MS_TEST_SUITE, FALSE, 256},
  {MS_TEST_SUITE, FALSE, 257},        {MS_TEST_SUITE, TRUE, 1000}, {MS_TEST_SUITE, FALSE, 65537},
  {MS_TEST_CI, FALSE, (1 << 20) + 3},
};

/*
 * What the suite runs: every operator, every type, and one preset for each kernel part, from which the other presets
 * differ by numbers; where the test reduce compiles such a program, the same. Where the device or the type refuses the
 * preset, auto runs.
 */
static const struct {
  MsReduceOp op;
  MsElementType type;
  const char *preset;
} suite_cases[] = {
  {MS_REDUCE_SUM, MS_ELEMENT_INT, "swap-refined"},
  {MS_REDUCE_SUM_ABS, MS_ELEMENT_DOUBLE, "last-group"},
  {MS_REDUCE_SUM_SQUARES, MS_ELEMENT_SHORT, "minmax-bank"},
  {MS_REDUCE_NORM2, MS_ELEMENT_CHAR, "local-stride"},
  {MS_REDUCE_MEAN, MS_ELEMENT_FLOAT, "auto"},
  {MS_REDUCE_STDDEV, MS_ELEMENT_UINT, "pcl-recursive"},
  {MS_REDUCE_MIN, MS_ELEMENT_FLOAT, "naive"},
  {MS_REDUCE_MAX, MS_ELEMENT_USHORT, "swap-refined"},
  {MS_REDUCE_MINMAX, MS_ELEMENT_UCHAR, "minmax-image"},
  {MS_REDUCE_MINMAX_POSITIONS, MS_ELEMENT_SHORT, "last-group"},
  {MS_REDUCE_COUNT_NONZERO, MS_ELEMENT_UCHAR, "local-stride"},
};

/*
 * The type that CI runs with each preset and operator, in the order of MsReduceOp and with a dash where the plan
 * refuses the preset; every preset meets every type that it takes. The letters name the types in their order.
 */
static const char type_letters[] = "BbHhiIfd";

static const struct {
  const char *preset;
  const char *types;
} ci_types[] = {
  {"naive", "bHhi-fdBbHh"},           {"global-stride", "HhiI-dBbHhi"},     {"local-stride", "hiIf-BbHhiI"},
  {"divergence-free", "iIfd-bHhiIf"}, {"completely-unroll", "IfdB-HhiIfd"}, {"pcl", "fdBb-hiIfdB"},
  {"pcl-recursive", "dBbHhiIfdBb"},   {"pcl-host", "BbHhiIfdBbH"},          {"minmax-sequential", "bHhiIfdBbHh"},
  {"minmax-image", "HhiIfBBbHhi"},    {"minmax-vector", "hiIfdBbHhiI"},     {"minmax-bank", "iIfdBbHhiIf"},
  {"minmax-four-way", "IfdBbHhiIfd"}, {"minmax-units", "fdBbHhiIfdB"},      {"minmax-18", "dBbHhiIfdBb"},
  {"minmax-36", "BbHhiIfdBbH"},       {"minmax-28", "bHhiIfdBbHh"},         {"swap-plain", "HhiIfdBbHhi"},
  {"swap-refined", "hiIfdBbHhiI"},    {"last-group", "iIfdBbHhiIf"},
};

/** Matrix: one operator on one type. Refusals are counted, since a matrix that only refuses proves nothing. */
typedef struct {
  MsContext *context;
  MsReduceSpec spec;
  guint ran;
  guint refused;
} Matrix;

/** Array: one array with its serial result. */
typedef struct {
  MsPattern pattern;
  guint64 n;
  void *data;
  MsReduceResult expected;
} Array;

static void
run_plan(Matrix *matrix, const MsReducePlan *plan, const Array *array, const char *what)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsReducer) reducer = ms_reducer_new(matrix->context, plan, NULL, &error);
  MsReduceResult result;

  g_assert_no_error(error);
  g_assert_true(ms_reducer_run(reducer, &(MsReduceInput){.host = array->data, .n = array->n},
                               &(MsReduceJob){&result, NULL, NULL}, &error));
  g_assert_no_error(error);
  ms_reduce_assert_agrees(&result, &array->expected, what);
  matrix->ran++;
}

static void
compare(Matrix *matrix, const MsReducePreset *preset, const Array *array)
{
  MsReduceOptions options = ms_reduce_preset_options(preset);
  g_autoptr(GError) error = NULL;
  g_autoptr(MsReducePlan) plan =
    ms_reduce_plan_new(&matrix->spec, &options, &matrix->context->device->limits, array->n, &error);
  g_autofree char *what =
    g_strdup_printf("%s of %" G_GUINT64_FORMAT " %s %s, %s", ms_reduce_operator(matrix->spec.op)->name, array->n,
                    ms_pattern_name(array->pattern), ms_element_type_name(matrix->spec.type), preset->name);

  if (plan && ms_pattern_suits(array->pattern, &matrix->spec, plan))
    run_plan(matrix, plan, array, what);
  if (plan)
    return;
  g_assert_error(error, MS_ERROR, MS_ERROR_UNSUPPORTED);
  g_test_message("%s: %s", what, error->message);
  matrix->refused++;
}

static const MsReducePreset *
find_preset(const char *name)
{
  guint n = 0;
  const MsReducePreset *presets = ms_reduce_presets(&n);

  for (guint i = 0; i < n; i++)
    if (strcmp(presets[i].name, name) == 0)
      return &presets[i];
  g_assert_not_reached();
}

static gboolean
is_refused(const Matrix *matrix, const MsReducePreset *preset)
{
  MsReduceOptions options = ms_reduce_preset_options(preset);
  g_autofree char *refusal =
    ms_reduce_plan_refusal(&matrix->spec, &options, &matrix->context->device->limits, PATTERN_LENGTH);

  return refusal != NULL;
}

/* The row of the suite's table, -1 where it has none. */
static int
find_suite_case(const MsReduceSpec *spec)
{
  for (gsize i = 0; i < G_N_ELEMENTS(suite_cases); i++)
    if (suite_cases[i].op == spec->op && suite_cases[i].type == spec->type)
      return (int)i;
  return -1;
}

static const MsReducePreset *
suite_preset(const Matrix *matrix)
{
  const MsReducePreset *preset = find_preset(suite_cases[find_suite_case(&matrix->spec)].preset);

  return is_refused(matrix, preset) ? find_preset("auto") : preset;
}

/* Whether CI runs this preset on this operator and type. */
static gboolean
is_paired(const Matrix *matrix, const MsReducePreset *preset)
{
  for (gsize i = 0; i < G_N_ELEMENTS(ci_types); i++)
    if (strcmp(ci_types[i].preset, preset->name) == 0)
      return ci_types[i].types[matrix->spec.op] == type_letters[matrix->spec.type];
  g_assert_cmpstr(preset->name, ==, "auto"); /* runs on every type */
  return TRUE;
}

static void
run_array(Matrix *matrix, MsPattern pattern, guint64 n)
{
  Array array = {pattern, n, ms_pattern_new(pattern, matrix->spec.type, n), {0}};
  guint n_presets = 0;
  const MsReducePreset *presets = ms_reduce_presets(&n_presets);

  g_assert_true(ms_reduce_define(&matrix->spec, array.data, n, &array.expected, NULL));
  if (ms_fixture_form() < MS_TEST_CI)
    compare(matrix, suite_preset(matrix), &array);
  for (guint i = 0; ms_fixture_form() >= MS_TEST_CI && i < n_presets; i++)
    if (ms_fixture_form() == MS_TEST_LONG || is_paired(matrix, &presets[i]))
      compare(matrix, &presets[i], &array);
  g_free(array.data);
}

static void
run_type(gconstpointer data)
{
  const gboolean simulated = ms_fixture_under_oclgrind();
  SET_UP_CONTEXT(context);
  Matrix matrix = {.context = context, .spec = *(const MsReduceSpec *)data};

  for (gsize i = 0; i < G_N_ELEMENTS(lengths); i++)
    if (lengths[i].form <= ms_fixture_form() && (lengths[i].simulated || !simulated))
      run_array(&matrix, MS_PATTERN_RANDOM, lengths[i].n);
  for (int pattern = MS_PATTERN_ZEROS; pattern < MS_N_PATTERNS && !simulated; pattern++)
    run_array(&matrix, pattern, PATTERN_LENGTH);
  g_test_message("%u compared, %u refused by the plan", matrix.ran, matrix.refused);
  if (context->device->limits.fp64 || matrix.spec.type != MS_ELEMENT_DOUBLE)
    g_assert_cmpuint(matrix.ran, >, matrix.refused);
}

static void
add_type(MsReduceSpec spec)
{
  if (ms_fixture_form() < MS_TEST_CI && find_suite_case(&spec) < 0)
    return;
  g_autofree char *path =
    g_strdup_printf("/reduce/%s/%s", ms_reduce_operator(spec.op)->name, ms_element_type_name(spec.type));

  g_test_add_data_func_full(path, g_memdup2(&spec, sizeof spec), run_type, g_free);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (int op = 0; op < MS_REDUCE_N_OPS; op++)
    for (int type = 0; type < MS_ELEMENT_N_TYPES; type++)
      add_type(MS_REDUCE_SPEC(op, type));
  return g_test_run();
}
