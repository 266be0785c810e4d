/* SPDX-License-Identifier: MIT */
/*
 * The direct kernel over image objects: which work-groups have windows that stay inside the image and need no bounds
 * tests, and that their pixels are those of the serial reference.
 */
#include "core/filter/mean-shift.h"
#include "core/opencl/cl.h"
#include "core/opencl/transfers.h"
#include "tests/support/fixture.h"
#include "tests/support/option-product.h"

#define WIDTH 40
#define HEIGHT 30
#define GROUP_WIDTH 8
#define GROUP_HEIGHT 4

static cl_kernel
build_check(MsContext *context, GError **error)
{
  g_autoptr(MsProgramSpec) spec = ms_program_spec_new();
  g_autofree char *path = g_test_build_filename(G_TEST_DIST, "filter", "inside-check.cl", NULL);
  g_autoptr(GMappedFile) file = g_mapped_file_new(path, FALSE, error);
  g_autoptr(GBytes) check = file ? g_mapped_file_get_bytes(file) : NULL;

  if (!check)
    return NULL;
  ms_program_spec_define_int(spec, "FROM_IMAGE", 1);
  ms_program_spec_define_int(spec, "REPLICATES", 0);
  ms_program_spec_add_part(spec, "direct/group-inside.cl");
  ms_program_spec_add_source(spec, "inside-check.cl", check);
  MsProgram *program = ms_context_build(context, spec, NULL, error);
  return program ? ms_program_create_kernel(program, "inside_check", error) : NULL;
}

/* The kernel's result for a group at every position of the image. */
static gboolean
ask_device(MsContext *context, cl_kernel kernel, int radius, int iterations, cl_int *inside, GError **error)
{
  const cl_int4 image = {{WIDTH, HEIGHT, 0, HEIGHT}}, filter = {{radius, 1, iterations, 1}};
  const MsNDRange range = {.dimensions = 2, .global = {WIDTH, HEIGHT}};
  gsize bytes = WIDTH * HEIGHT * sizeof *inside;
  g_auto(cl_mem) buffer = ms_context_create_buffer(context, CL_MEM_READ_WRITE, bytes, NULL, error);

  return buffer && ms_cl_check(clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffer), error, "setting an argument") &&
         ms_cl_check(clSetKernelArg(kernel, 1, sizeof image, &image), error, "setting an argument") &&
         ms_cl_check(clSetKernelArg(kernel, 2, sizeof filter, &filter), error, "setting an argument") &&
         ms_context_launch(context, &(MsLaunch){kernel, "inside_check", range, 0}, NULL, error) &&
         ms_context_download(context, &(MsBufferRange){buffer, 0, bytes}, inside, NULL, error);
}

/* Whether windows of @radius leave a side when pixels @first to @last move a radius in each iteration but the last. */
static gboolean
leaves(int first, int last, int side, int radius, int iterations)
{
  int low = first, high = last;

  for (int i = 1; i < iterations; i++) {
    low -= radius;
    high += radius;
  }
  return low - radius < 0 || high + radius > side - 1;
}

static void
test_groups(void)
{
  static const int filters[][2] = {{1, 1}, {2, 3}, {3, 2}, {5, 2}, {13, 1}, {14, 1}, {2000, 2000000}};
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(GError) error = NULL;
  cl_int inside[HEIGHT][WIDTH];

  if (!context)
    return;
  g_auto(cl_kernel) kernel = build_check(context, &error);
  g_assert_no_error(error);
  for (gsize i = 0; i < G_N_ELEMENTS(filters) - 1; i++) {
    int radius = filters[i][0], iterations = filters[i][1];
    ask_device(context, kernel, radius, iterations, inside[0], &error);
    g_assert_no_error(error);
    for (int y = 0; y < HEIGHT; y++)
      for (int x = 0; x < WIDTH; x++)
        g_assert_cmpint(inside[y][x], ==,
                        !leaves(x, x + GROUP_WIDTH - 1, WIDTH, radius, iterations) &&
                          !leaves(y, y + GROUP_HEIGHT - 1, HEIGHT, radius, iterations));
  }
  ask_device(context, kernel, filters[6][0], filters[6][1], inside[0], &error); /* the product exceeds 32 bits */
  g_assert_no_error(error);
  g_assert_cmpint(inside[HEIGHT / 2][WIDTH / 2], ==, 0);
}

/* Pictures whose middle groups are inside, whole and half radii, tiles and refilled work-items, one row of stripes. */
static void
test_pixels(void)
{
  static const MsRule rules[] = {MS_RULE_OPENCV, MS_RULE_TRUNCATE};
  static const double radii[] = {2, 2.5};
  static const MsKernel direct = MS_KERNEL_DIRECT;
  g_autoptr(MsImage) scene = ms_fixture_scene(53, 45, 3), noise = ms_fixture_noise(53, 45, 4);
  MsSettings settings = ms_settings_default();
  MsOptionProduct product;

  if (!ms_option_product_open(&product))
    return;
  settings.options.kernel = MS_KERNEL_DIRECT;
  settings.options.memory = MS_MEMORY_IMAGE;
  settings.options.work_group_width = GROUP_WIDTH;
  settings.options.work_group_height = GROUP_HEIGHT;
  settings.params.max_iterations = 4;
  settings.params.epsilon = 0;
  settings.params.sr = 120;
  for (gsize i = 0; i < 6; i++) {
    settings.params.rule = rules[i % 3 == 2];
    settings.params.sp = radii[i % 3 == 1];
    settings.options.local_memory = i == 3;
    settings.options.schedule = i >= 4 ? MS_SCHEDULE_REFILL : MS_SCHEDULE_FIXED;
    ms_mean_shift_set_memory_budget(product.filter, i == 1 ? 40 * 53 * 4 : 0);
    ms_option_product_compare_kernels(&product, scene, &settings, NULL, &direct, 1);
    ms_option_product_compare_kernels(&product, noise, &settings, NULL, &direct, 1);
  }
  g_assert_cmpuint(product.refused, ==, 0);
  ms_option_product_close(&product);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/inside/groups", test_groups);
  g_test_add_func("/inside/pixels", test_pixels);
  return g_test_run();
}
