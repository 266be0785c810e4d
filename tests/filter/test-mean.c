/* SPDX-License-Identifier: MIT */
/*
 * The rounding of each rule on the device against the host's arithmetic: for every n up to (2 * 64 + 1)^2 the sums
 * that give exact ties and their neighbours, through the double product and through the whole-number forms for devices
 * without doubles.
 */
#include "core/filter/reference.h"
#include "core/opencl/cl.h"
#include "core/opencl/transfers.h"
#include "tests/support/fixture.h"

#define N_MAX (129 * 129)

/** MeanCase: the part of a kernel, the rule and its name in the part, and the file of tests/filter that calls it. */
typedef struct {
  const char *part;
  MsRule rule;
  const char *name;
  const char *check;
} MeanCase;

static const MeanCase cases[] = {
  {"prelude/mean-fp64.cl", MS_RULE_OPENCV, "opencv", "mean-check.cl"},
  {"prelude/mean-integer.cl", MS_RULE_OPENCV, "opencv", "mean-check.cl"},
  {"prelude/mean-truncate.cl", MS_RULE_TRUNCATE, "truncate", "mean-check.cl"},
  {"prelude/mean-float.cl", MS_RULE_REPLICATE, "replicate", "mean-check.cl"},
  {"packed/mean-words.cl", MS_RULE_OPENCV, "opencv", "mean-check-packed.cl"},
  {"packed/mean-words.cl", MS_RULE_TRUNCATE, "truncate", "mean-check-packed.cl"},
  {"rows/mean-words.cl", MS_RULE_OPENCV, "opencv", "mean-check-rows.cl"},
  {"rows/mean-words.cl", MS_RULE_TRUNCATE, "truncate", "mean-check-rows.cl"},
  {"rows/mean-words.cl", MS_RULE_REPLICATE, "replicate", "mean-check-rows.cl"},
};

/* Whether the part computes sums of absolute coordinates, in 32 bits. */
static gboolean
takes_words(const MeanCase *mean)
{
  return g_str_has_suffix(mean->part, "words.cl");
}

typedef struct {
  cl_int relative;
  cl_int n;
  cl_int base;
  cl_int result;
} Sample;

static void
add_sample(GArray *samples, gint64 sum, int n, int base, gint64 largest)
{
  gint64 relative = sum - (gint64)base * n;
  Sample sample = {(cl_int)relative, n, base, 0};

  if (sum >= 0 && sum <= largest)
    g_array_append_val(samples, sample);
}

/*
 * Quotients of colours from 0 to 255, and of coordinates up to the longest side an image may have. In the suite the
 * forms in words, whose every sum tests/filter/test-quotients.c checks on the host, get a share of the counts.
 */
static GArray *
make_samples(const MeanCase *mean)
{
  const gint64 largest = takes_words(mean) ? G_MAXINT32 - N_MAX : G_MAXINT64;
  const int step = takes_words(mean) && ms_fixture_form() < MS_TEST_CI ? 13 : 1;
  static const int bases[] = {0, 1, 2, 127, 128, 1000, 4095, 4096, 65535, 99999, 999999};
  GArray *samples = g_array_new(FALSE, FALSE, sizeof(Sample));

  for (int n = 1; n <= N_MAX; n += n < 1024 ? 1 : step) {
    for (int q = n % 7; q < 256; q += 7)
      for (int off = -1; off <= 1; off++)
        add_sample(samples, (gint64)q * n + n / 2 + off, n, 0, largest);
    for (gsize i = 0; i < G_N_ELEMENTS(bases); i++)
      for (int off = -1; off <= 1; off++)
        add_sample(samples, (gint64)bases[i] * n + n / 2 + off, n, bases[i] + n % 3 - 1, largest);
  }
  return samples;
}

static gboolean
run_on_device(MsContext *context, const MeanCase *mean, GArray *samples, GError **error)
{
  g_autoptr(MsProgramSpec) spec = ms_program_spec_new();
  gsize bytes = samples->len * sizeof(Sample);
  MsNDRange range = {.dimensions = 1, .global = {samples->len}};
  g_autofree char *path = g_test_build_filename(G_TEST_DIST, "filter", mean->check, NULL);
  g_autoptr(GMappedFile) file = g_mapped_file_new(path, FALSE, error);
  g_autoptr(GBytes) check = file ? g_mapped_file_get_bytes(file) : NULL;
  MsProgram *program;

  if (!check)
    return FALSE;
  if (takes_words(mean)) {
    const gboolean rows = g_str_has_prefix(mean->part, "rows/");
    ms_program_spec_add_part(spec, "prelude/names.cl");
    ms_program_spec_add_part(spec, "prelude/quotients.cl");
    ms_program_spec_define_text(spec, "WORDS", rows ? "int8" : "int");
    ms_program_spec_define_text(spec, "FLOATS", rows ? "float8" : "float");
    ms_program_spec_define_text(spec, "MEAN", mean->name);
    ms_program_spec_define_int(spec, "TRUNCATES", mean->rule == MS_RULE_TRUNCATE);
  } else {
    ms_program_spec_add_part(spec, "prelude/types.cl");
  }
  ms_program_spec_add_part(spec, mean->part);
  ms_program_spec_define_int(spec, "NO_DATA", 0);
  ms_program_spec_add_source(spec, mean->check, check);
  program = ms_context_build(context, spec, NULL, error);
  g_auto(cl_kernel) kernel = program ? ms_program_create_kernel(program, "mean_check", error) : NULL;
  if (!kernel)
    return FALSE;
  g_auto(cl_mem) buffer = ms_context_create_buffer(context, CL_MEM_READ_WRITE, bytes, NULL, error);
  return buffer && ms_context_upload(context, &(MsBufferRange){buffer, 0, bytes}, samples->data, NULL, error) &&
         ms_cl_check(clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffer), error, "setting an argument") &&
         ms_context_launch(context, &(MsLaunch){kernel, "mean_check", range, 0}, NULL, error) &&
         ms_context_download(context, &(MsBufferRange){buffer, 0, bytes}, samples->data, NULL, error);
}

static void
test_part(gconstpointer data)
{
  const MeanCase *mean = data;
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(GArray) samples = make_samples(mean);
  g_autoptr(GError) error = NULL;

  if (!context)
    return;
  if (g_str_has_suffix(mean->part, "fp64.cl") && !context->device->limits.fp64) {
    g_test_skip("This device has no doubles; the whole-number form is tested.");
    return;
  }
  gboolean ran = run_on_device(context, mean, samples, &error);
  g_assert_no_error(error);
  g_assert_true(ran);
  for (guint i = 0; i < samples->len; i++) {
    const Sample *s = &g_array_index(samples, Sample, i);
    gint64 sum = s->relative + (gint64)s->base * s->n;
    int expected = ms_reference_mean(sum, s->n, mean->rule);
    if (s->result != expected)
      g_error("%s: the mean of %d values with sum %" G_GINT64_FORMAT " is %d, not %d", mean->part, s->n, sum, expected,
              s->result);
  }
  g_test_message("%u sums agree", samples->len);
}

/* Ties for which the product with the rounded reciprocal and the rounded quotient differ must be among the samples. */
static void
test_samples_hold_the_trap(void)
{
  guint differing = 0;

  for (int n = 2; n <= N_MAX; n += 2)
    for (int q = 0; q < 256; q++) {
      gint64 sum = (gint64)q * n + n / 2;
      int even = q + (q & 1);
      differing += ms_reference_mean(sum, n, MS_RULE_OPENCV) != even;
    }
  g_test_message("%u ties round against the even neighbour", differing);
  g_assert_cmpuint(differing, >, 1000);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/mean/samples-hold-the-trap", test_samples_hold_the_trap);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strconcat("/mean/", cases[i].part, "/", cases[i].name, NULL);
    g_test_add_data_func(path, &cases[i], test_part);
  }
  return g_test_run();
}
