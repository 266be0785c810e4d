/* SPDX-License-Identifier: MIT */
/*
 * Operators on types, at awkward lengths and on awkward values, against the serial result. In CI every
 * operator runs with every preset and on every type, and every preset on every type; the long form runs all
 * combinations. Otherwise each operator runs on a few types with one representative preset each, chosen so that every
 * type and every representative occurs with several operators.
 */
#include <string.h>

#include "core/reduce/reduce-options.h"
#include "tests/reduce/reduce-cases.h"
#include "tests/support/fixture.h"

static const guint64 lengths[] = {1, 2, 3, 31, 255, 256, 257, 1000, 65537, (1 << 20) + 3};
static const guint64 short_lengths[] = {31, 1000};
static const guint64 pattern_length = 1000;

/* One preset for each kernel part; the others differ from these by numbers. */
static const char *const representatives[] = {"auto",        "naive",        "local-stride", "pcl-recursive",
                                              "minmax-bank", "minmax-image", "swap-refined", "last-group"};

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

/* The representative preset of this operator and type, or the next one that the device and the type allow. */
static const MsReducePreset *
representative(const Matrix *matrix)
{
  const MsDeviceLimits *limits = &matrix->context->device->limits;
  guint first = (guint)matrix->spec.op / 2 + (guint)matrix->spec.type;

  for (guint i = 0; i < G_N_ELEMENTS(representatives); i++) {
    const char *name = representatives[(first + i) % G_N_ELEMENTS(representatives)];
    const MsReducePreset *preset = find_preset(name);
    MsReduceOptions options = ms_reduce_preset_options(preset);
    g_autofree char *refusal = ms_reduce_plan_refusal(&matrix->spec, &options, limits, pattern_length);
    if (!refusal)
      return preset;
  }
  return find_preset("auto");
}

/*
 * Whether preset @number runs on this type: on the first that it takes in an order that begins elsewhere for each
 * operator and preset, so that all pairs of operator, type and preset occur. The first preset, auto, runs on every
 * type.
 */
static gboolean
is_paired(const Matrix *matrix, const MsReducePreset *preset, guint number)
{
  MsReduceOptions options = ms_reduce_preset_options(preset);
  MsReduceSpec spec = matrix->spec;

  if (number == 0 || ms_fixture_form() == MS_TEST_LONG)
    return TRUE;
  for (guint i = 0; i < MS_ELEMENT_N_TYPES; i++) {
    spec.type = (number + (guint)spec.op + i) % MS_ELEMENT_N_TYPES;
    g_autofree char *refusal =
      ms_reduce_plan_refusal(&spec, &options, &matrix->context->device->limits, pattern_length);
    if (!refusal)
      return spec.type == matrix->spec.type;
  }
  return FALSE;
}

static void
run_array(Matrix *matrix, MsPattern pattern, guint64 n)
{
  Array array = {pattern, n, ms_pattern_new(pattern, matrix->spec.type, n), {0}};
  guint n_presets = 0;
  const MsReducePreset *presets = ms_reduce_presets(&n_presets);

  g_assert_true(ms_reduce_serial(&matrix->spec, array.data, n, &array.expected, NULL));
  if (ms_fixture_form() < MS_TEST_CI)
    compare(matrix, representative(matrix), &array);
  for (guint i = 0; ms_fixture_form() >= MS_TEST_CI && i < n_presets; i++)
    if (is_paired(matrix, &presets[i], i))
      compare(matrix, &presets[i], &array);
  g_free(array.data);
}

static void
run_type(gconstpointer data)
{
  gboolean slow = g_getenv("MS_TEST_OCLGRIND") != NULL;
  const guint64 *list = slow ? short_lengths : lengths;
  guint n = slow ? G_N_ELEMENTS(short_lengths) : G_N_ELEMENTS(lengths);
  SET_UP_CONTEXT(context);
  Matrix matrix = {.context = context, .spec = *(const MsReduceSpec *)data};

  for (guint i = 0; i < n; i++)
    run_array(&matrix, MS_PATTERN_RANDOM, list[i]);
  for (int pattern = MS_PATTERN_ZEROS; pattern < MS_N_PATTERNS && !slow; pattern++)
    run_array(&matrix, pattern, pattern_length);
  g_test_message("%u compared, %u refused by the plan", matrix.ran, matrix.refused);
  if (context->device->limits.fp64 || matrix.spec.type != MS_ELEMENT_DOUBLE)
    g_assert_cmpuint(matrix.ran, >, matrix.refused);
}

/*
 * One or two types represent the others, different ones for each operator. Operators that differ from another by a
 * function of the element run on more.
 */
static gboolean
is_left_out(const MsReduceSpec *spec)
{
  gboolean more = (spec->op == MS_REDUCE_SUM_ABS || spec->op == MS_REDUCE_NORM2) && !g_getenv("MS_TEST_OCLGRIND");
  guint divisor = more ? 4 : 5;

  return ms_fixture_form() < MS_TEST_CI && (spec->type + spec->op) % divisor != 0;
}

static void
add_type(MsReduceSpec spec)
{
  if (is_left_out(&spec))
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
