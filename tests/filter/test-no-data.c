/* SPDX-License-Identifier: MIT */
/* Pixels without data: every kernel leaves them out of windows as the reference does, and they keep their value. */
#include <string.h>

#include "core/engine/engine.h"
#include "core/filter/plan/plan-private.h"
#include "tests/support/fixture.h"
#include "tests/support/gpu-kernel.h"

/* In the middle of the colours of a scene, so that windows which counted such a pixel would have other means. */
#define VALUE 100

/* Which pixels have no data: so many of a thousand, every so many rows and columns, and so many along the border. */
typedef struct {
  int per_thousand;
  int rows;
  int columns;
  int border;
} Mask;

static const Mask masks[] = {{300, 0, 0, 0}, {1, 0, 0, 0}, {0, 5, 0, 0},    {0, 0, 4, 0},
                             {50, 0, 0, 3},  {0, 0, 0, 0}, {1000, 0, 0, 0}, {990, 0, 0, 0}};

static gboolean
lacks_data(const Mask *mask, int x, int y, int width, int height, GRand *random)
{
  const int edge = MIN(MIN(x, width - 1 - x), MIN(y, height - 1 - y));

  return g_rand_int_range(random, 0, 1000) < mask->per_thousand || (mask->rows > 0 && y % mask->rows == 1) ||
         (mask->columns > 0 && x % mask->columns == 2) || edge < mask->border;
}

/* (transfer full): a scene, or noise where @noise; fourth bytes of any value. */
static MsImage *
new_map(int width, int height, const Mask *mask, gboolean noise)
{
  g_autoptr(MsImage) scene = (noise ? ms_fixture_noise : ms_fixture_scene)(width, height, 9);
  guint8 *pixels = g_memdup2(ms_image_get_pixels(scene), ms_image_get_byte_size(scene));
  g_autoptr(GBytes) text = g_bytes_new_static(G_STRINGIFY(VALUE), 4);
  g_autoptr(MsMetadata) metadata = ms_metadata_new(NULL, NULL, 0, 0);
  g_autoptr(GRand) random = g_rand_new_with_seed(3);

  ms_metadata_take_geo(metadata, ms_geo_new_no_data(text));
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      if (lacks_data(mask, x, y, width, height, random))
        memset(pixels + 4 * ((gsize)y * (gsize)width + (gsize)x), VALUE, 3);
  return ms_image_new_take(width, height, pixels, metadata);
}

/*
 * Kernels, and toggles of the direct one. All have their picture with modes compared in the suite; without modes a
 * kernel is another program, which the suite compiles once a kernel that has code of its own for such pixels.
 */
static const struct {
  const char *name;
  MsKernel kernel;
  MsToggles toggles;
  MsTestForm without_modes;
} variants[] = {
  {"direct", MS_KERNEL_DIRECT, {.unroll = 1}, MS_TEST_SUITE},
  {"image", MS_KERNEL_DIRECT, {.memory = MS_MEMORY_IMAGE, .unroll = 2}, MS_TEST_CI},
  {"tile", MS_KERNEL_DIRECT, {.access = MS_ACCESS_VLOAD, .unroll = 4, .local_memory = TRUE}, MS_TEST_CI},
  {"refill", MS_KERNEL_DIRECT, {.schedule = MS_SCHEDULE_REFILL, .unroll = 1}, MS_TEST_CI},
  {"rows", MS_KERNEL_ROWS, {.unroll = 1}, MS_TEST_SUITE},
  {"rows-wide", MS_KERNEL_ROWS_WIDE, {.unroll = 1}, MS_TEST_CI},
  {"packed", MS_KERNEL_PACKED, {.unroll = 1}, MS_TEST_SUITE},
  {"matrix", MS_KERNEL_MATRIX, {.unroll = 1}, MS_TEST_SUITE},
};

static MsSettings
settings_of(gsize variant, const MsParams *params)
{
  MsSettings settings = ms_settings_default();

  settings.params = *params;
  settings.options.kernel = variants[variant].kernel;
  settings.options.memory = variants[variant].toggles.memory;
  settings.options.local_memory = variants[variant].toggles.local_memory;
  settings.options.access = variants[variant].toggles.access;
  settings.options.unroll = variants[variant].toggles.unroll;
  settings.options.schedule = variants[variant].toggles.schedule;
  return settings;
}

/* The result of the reference, with modes where all kernels but one write them. */
typedef struct {
  MsImage *source;
  MsParams params;
  const MsRegion *region;
  MsImage *colours;
  guint16 *modes;
} Expected;

static void
clear_expected(Expected *self)
{
  g_clear_object(&self->colours);
  g_clear_pointer(&self->modes, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Expected, clear_expected)

static Expected
expect(MsImage *source, const MsParams *params, const MsRegion *region)
{
  Expected self = {source, *params, region, NULL, NULL};
  g_autoptr(GError) error = NULL;

  if (!region && params->rule != MS_RULE_REPLICATE) {
    self.modes = g_malloc(ms_image_get_byte_size(source));
    self.colours = ms_fixture_reference_modes(source, params, self.modes, &error);
  } else {
    self.colours = ms_fixture_reference(source, params, region, &error);
  }
  g_assert_no_error(error);
  return self;
}

/* Colours are compared, and modes where the kernel has them. */
static void
compare(MsOptionProduct *product, const Expected *expected, gsize variant)
{
  const MsSettings settings = settings_of(variant, &expected->params);
  const gboolean modes = expected->modes && settings.options.kernel != MS_KERNEL_MATRIX;
  const gsize bytes = ms_image_get_byte_size(expected->source);
  g_autofree guint16 *rests = modes ? g_malloc(bytes) : NULL;
  MsJob job = {.source = expected->source,
               .settings = &settings,
               .region = expected->region,
               .wants_modes = modes,
               .modes_into = rests};
  g_autoptr(MsPlan) stand_in = ms_gpu_kernel_stand_in(product, &job);
  g_autofree char *what =
    g_strdup_printf("%s, sp %g, sr %g", variants[variant].name, expected->params.sp, expected->params.sr);
  g_autoptr(GError) error = NULL;
  job.plan = stand_in;
  g_autoptr(MsImage) result = ms_fixture_filter(product->filter, job, &error);

  if (g_error_matches(error, MS_ERROR, MS_ERROR_UNSUPPORTED)) {
    product->refused++;
    return;
  }
  g_assert_no_error(error);
  ms_fixture_assert_same(expected->colours, result, what);
  if (modes)
    g_assert_cmpmem(expected->modes, bytes, rests, bytes);
  product->ran++;
}

static void
compare_all(MsOptionProduct *product, MsImage *source, const MsParams *params, const MsRegion *region)
{
  g_auto(Expected) expected = expect(source, params, region);

  for (gsize i = 0; i < G_N_ELEMENTS(variants); i++)
    if (expected.modes || variants[i].without_modes <= ms_fixture_form())
      compare(product, &expected, i);
}

/*
 * Windows of the rows kernels with two rows a vector, one, and several, and others than are remembered; records of the
 * packed kernel of two columns and four; every colour test, and radii that take in every colour.
 */
static const MsParams list[] = {
  {4, 60, 4, 0, MS_RULE_OPENCV},      {3.5, 60, 3, 0, MS_RULE_OPENCV},   {9, 300, 3, 1, MS_RULE_REPLICATE},
  {2, 510, 5, 0, MS_RULE_OPENCV},     {6, 254, 5, 0, MS_RULE_TRUNCATE},  {12.5, 20, 100, 0, MS_RULE_OPENCV},
  {5, 0, 5, 1, MS_RULE_OPENCV},       {16, 441, 3, 1, MS_RULE_TRUNCATE}, {5, 30, 5, 1, MS_RULE_REPLICATE},
  {2, 1000, 2, 1, MS_RULE_REPLICATE},
};

static void
test_kernels(void)
{
  const gboolean simulated = ms_fixture_under_oclgrind();
  const gsize n = ms_fixture_form() >= MS_TEST_CI && !simulated ? G_N_ELEMENTS(list) : 1;
  MsOptionProduct product;

  if (!ms_option_product_open(&product))
    return;
  for (gsize i = 0; i < n; i++)
    for (gsize m = 0; m < (simulated ? 1 : G_N_ELEMENTS(masks)); m++) {
      g_autoptr(MsImage) map = new_map(simulated ? 19 : 71, simulated ? 9 : 43, &masks[m], m % 2);
      compare_all(&product, map, &list[i], NULL);
    }
  ms_option_product_close(&product);
}

/* The rows kernels remember large windows, and add and take away columns of another copy of the picture. */
static void
test_remembered_windows(void)
{
  const MsParams params = {18, 40, 4, 1, MS_RULE_OPENCV};
  g_autoptr(MsImage) map = new_map(90, 70, &(const Mask){20, 0, 0, 2}, FALSE);
  MsOptionProduct product;

  if (ms_fixture_under_oclgrind()) {
    g_test_skip("Large windows take too long in a simulator; /rows/remembered-windows covers the accesses.");
    return;
  }
  if (!ms_option_product_open(&product))
    return;
  const MsKernel kernel = ms_fixture_has_vectors(product.context, MS_KERNEL_ROWS) ? MS_KERNEL_ROWS : MS_KERNEL_PACKED;
  g_auto(Expected) expected = expect(map, &params, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(variants); i++)
    if (variants[i].kernel == kernel || (variants[i].kernel == MS_KERNEL_ROWS_WIDE && ms_fixture_form() >= MS_TEST_CI))
      compare(&product, &expected, i);
  ms_option_product_close(&product);
}

/*
 * In a colour space, pixels with data may have the colour of those without. Where a picture is filtered in levels,
 * windows count pixels without data, which still keep their value.
 */
static void
test_spaces_and_levels(void)
{
  static const struct {
    MsParams params;
    MsTestForm colours, modes; /* the first form that compares them */
  } cases[] = {
    {{.sp = 3, .sr = 20, .max_iterations = 3, .space = MS_SPACE_LAB}, MS_TEST_SUITE, MS_TEST_CI},
    {{.sp = 3, .sr = 20, .max_iterations = 3, .levels = 1}, MS_TEST_CI, MS_TEST_SUITE},
    {{.sp = 3, .sr = 20, .max_iterations = 3, .levels = 2, .space = MS_SPACE_LUV}, MS_TEST_CI, MS_TEST_CI},
  };
  const MsTestForm form = ms_fixture_form();
  const gboolean simulated = ms_fixture_under_oclgrind();
  g_autoptr(MsImage) map = new_map(simulated ? 19 : 71, simulated ? 15 : 43, &masks[0], FALSE);
  MsOptionProduct product;

  if (!ms_option_product_open(&product))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    const MsRegion whole = ms_image_get_extent(map);
    /* As a region it has no modes, so that the colours are converted back. */
    g_auto(Expected) colours = expect(map, &cases[i].params, &whole), modes = expect(map, &cases[i].params, NULL);
    for (gsize v = 0; v < G_N_ELEMENTS(variants); v++) {
      if (variants[v].kernel != MS_KERNEL_PACKED && (simulated || form < MS_TEST_CI))
        continue;
      if (cases[i].colours <= form)
        compare(&product, &colours, v);
      if (cases[i].modes <= form && variants[v].kernel != MS_KERNEL_MATRIX)
        compare(&product, &modes, v);
    }
  }
  ms_option_product_close(&product);
}

/* Parts of a picture, and one in stripes, whose marks come with their rows. */
static void
test_regions_and_stripes(void)
{
  static const MsRegion regions[] = {{3, 2, 41, 17}, {0, 42, 71, 1}};
  g_autoptr(MsImage) map = new_map(71, 43, &masks[0], FALSE);
  MsOptionProduct product;

  if (ms_fixture_under_oclgrind()) {
    g_test_skip("Stripes change no access of the kernels; /no-data/kernels covers those.");
    return;
  }
  if (!ms_option_product_open(&product))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS(regions); i++)
    compare_all(&product, map, &list[0], &regions[i]);
  for (guint64 rows = 40; rows <= 41; rows++) {
    ms_mean_shift_set_memory_budget(product.filter, rows * 71 * 32);
    compare_all(&product, map, &list[0], NULL);
  }
  ms_option_product_close(&product);
}

/* Two filters on one device share the picture. */
static void
test_shares(void)
{
  SET_UP_CONTEXT(context);
  g_autoptr(MsImage) map = new_map(71, 43, &masks[0], FALSE);
  g_autoptr(GPtrArray) contexts = g_ptr_array_new_with_free_func((GDestroyNotify)ms_context_unref);
  MsSettings settings = settings_of(0, &list[0]);
  g_autoptr(GError) error = NULL;

  if (ms_fixture_under_oclgrind()) {
    g_test_skip("Shares change no access of the kernels; /no-data/kernels covers those.");
    return;
  }
  g_ptr_array_add(contexts, ms_context_ref(context));
  g_ptr_array_add(contexts, ms_context_new(context->device, &error));
  g_assert_no_error(error);
  g_auto(Expected) expected = expect(map, &list[0], NULL);
  g_autofree guint16 *modes = g_malloc(ms_image_get_byte_size(map));
  g_autoptr(MsMeanShift) both = ms_mean_shift_new_several(contexts);
  g_autoptr(MsImage) actual = ms_fixture_filter(
    both, (MsJob){.source = map, .settings = &settings, .wants_modes = TRUE, .modes_into = modes}, &error);
  g_assert_no_error(error);
  ms_fixture_assert_same(expected.colours, actual, "split");
  g_assert_cmpmem(modes, ms_image_get_byte_size(map), expected.modes, ms_image_get_byte_size(map));
}

/* What an engine tells while it runs. */
typedef struct {
  const MsImage *expected;
  int n_rows;
  int n_progress;
} Told;

static void
on_rows(const guint8 *pixels, int done, gpointer data)
{
  Told *self = data;
  const gsize bytes = (gsize)done * (gsize)ms_image_get_width((MsImage *)self->expected) * 4;

  g_assert_cmpmem(pixels, bytes, ms_image_get_pixels((MsImage *)self->expected), bytes);
  self->n_rows++;
}

static void
on_progress(int done, int total, gpointer data)
{
  ((Told *)data)->n_progress++;
}

/* Rows of such a picture are final as soon as they are reported, band by band, as those of any other. */
static void
test_early_rows(void)
{
  SET_UP_CONTEXT(context);
  g_autoptr(MsEngine) engine = ms_device_engine_new(context, MS_FALLBACK_FAIL, NULL, NULL);
  g_autoptr(MsImage) map = new_map(71, 143, &masks[0], FALSE);
  MsSettings settings = settings_of(0, &list[0]);
  g_autoptr(GError) error = NULL;

  if (ms_fixture_under_oclgrind()) {
    g_test_skip("Bands change no access of the kernels; /no-data/kernels covers those.");
    return;
  }
  settings.params.max_iterations = 50; /* ten bands where the caller waits for them */
  g_autoptr(MsImage) expected = ms_fixture_reference(map, &settings.params, NULL, &error);
  Told told = {.expected = expected};
  MsJob run = {.source = map,
               .settings = &settings,
               .interactive = TRUE,
               .rows = on_rows,
               .rows_data = &told,
               .progress = on_progress,
               .progress_data = &told};
  g_autoptr(MsImage) result = ms_engine_run(engine, &run, &error);
  g_assert_no_error(error);
  ms_fixture_assert_same(expected, result, "rows told early");
  g_assert_cmpint(told.n_rows, >=, 10);
  g_assert_cmpint(told.n_progress, >=, 10);
  ms_job_clear(&run);
}

/* Whether the plan has the marks, and kernels that leave marked pixels out of windows. */
static void
check_plan(const MsPlan *plan, gboolean has_marks, gboolean leaves_out)
{
  guint n_marking = 0;

  for (guint i = 0; i < plan->n_passes; i++)
    n_marking += strcmp(plan->passes[i].function, "mark_no_data") == 0;
  g_assert_cmpuint(n_marking, ==, has_marks);
  g_assert_true(ms_gpu_kernel_has_part(plan, "no-data/no-data.cl") == has_marks);
  g_assert_true(strstr(ms_program_spec_get_options(plan->program), leaves_out ? "-DNO_DATA=1" : "-DNO_DATA=0") != NULL);
  if (plan->coarser)
    check_plan(plan->coarser, FALSE, FALSE);
}

static void
check_plan_of(MsImage *source, const MsSettings *settings, const MsDeviceLimits *limits, gboolean has_marks,
              gboolean leaves_out)
{
  g_autoptr(GError) error = NULL;
  const MsJob job = {.source = source, .settings = settings};
  g_autoptr(MsPlan) plan = ms_plan_new(&job, &(MsDeviceShare){.limits = limits}, &error);

  g_assert_no_error(error);
  check_plan(plan, has_marks, leaves_out);
}

/* Pictures whose pixels all have data are filtered by the kernels without marks, as are the levels of any. */
static void
test_plan(void)
{
  static const MsKernel kernels[] = {MS_KERNEL_DIRECT, MS_KERNEL_ROWS, MS_KERNEL_PACKED, MS_KERNEL_MATRIX};
  MsDeviceLimits limits = ms_fixture_limits(MS_DEVICE_TYPE_GPU);
  g_autoptr(MsImage) map = new_map(71, 43, &masks[5], FALSE), scene = ms_fixture_scene(71, 43, 9);

  limits.nvidia_capability = MS_KERNEL_MATRIX_CAPABILITY;
  for (gsize i = 0; i < G_N_ELEMENTS(kernels); i++) {
    MsSettings settings = ms_settings_default();
    settings.options.kernel = kernels[i];
    check_plan_of(scene, &settings, &limits, FALSE, FALSE);
    check_plan_of(map, &settings, &limits, TRUE, TRUE);
    settings.params.levels = 2;
    if (kernels[i] != MS_KERNEL_MATRIX)
      check_plan_of(map, &settings, &limits, TRUE, FALSE);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/no-data/kernels", test_kernels);
  g_test_add_func("/no-data/remembered-windows", test_remembered_windows);
  g_test_add_func("/no-data/spaces-and-levels", test_spaces_and_levels);
  g_test_add_func("/no-data/regions-and-stripes", test_regions_and_stripes);
  g_test_add_func("/no-data/shares", test_shares);
  g_test_add_func("/no-data/early-rows", test_early_rows);
  g_test_add_func("/no-data/plan", test_plan);
  return g_test_run();
}
