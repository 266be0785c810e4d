/* SPDX-License-Identifier: MIT */
/*
 * Plans for invented devices, without OpenCL calls: every refusal with its reason, every resolved `auto`, stripes and
 * bands.
 */
#include <string.h>

#include "core/filter/plan/plan-private.h"
#include "core/filter/plan/plan.h"
#include "core/filter/pyramid/pyramid.h"
#include "core/filter/settings/settings.h"
#include "tests/support/cases.h"
#include "tests/support/fixture.h"

static MsPlanCase
made_up_request(int width, int height)
{
  MsSettings settings = ms_settings_default();
  MsDeviceLimits limits = ms_fixture_limits(MS_DEVICE_TYPE_GPU);

  settings.options.kernel = MS_KERNEL_DIRECT;
  return ms_plan_case(&settings, &limits, width, height);
}

static void
test_refusals(void)
{
  MsPlanCase base = made_up_request(640, 480), request;

  request = base;
  request.settings.options.memory = MS_MEMORY_IMAGE;
  request.settings.options.access = MS_ACCESS_VLOAD;
  ms_fixture_assert_refused(&request, "vload");
  request.settings.options.access = MS_ACCESS_POINTER;
  request.limits.images = FALSE;
  ms_fixture_assert_refused(&request, "image objects");
  request = base;
  request.settings.options.memory = MS_MEMORY_IMAGE;
  request.limits.image_max_width = 512;
  ms_fixture_assert_refused(&request, "640 pixels wide");
  request = base;
  request.settings.options.work_group_width = 32;
  request.settings.options.work_group_height = 16;
  ms_fixture_assert_refused(&request, "32x16");
  request.settings.options.work_group_height = 8;
  request.settings.options.local_memory = 1;
  request.limits.local_memory = 1000;
  ms_fixture_assert_refused(&request, "local memory");
  request = base;
  request.settings.options.schedule = MS_SCHEDULE_REFILL;
  request.settings.options.local_memory = 1;
  ms_fixture_assert_refused(&request, "--schedule refill");
  request = base;
  request.share.memory_budget = 1000;
  ms_fixture_assert_refused(&request, "One row");
}

static void
assert_loops_end(MsPlanCase *request, MsKernel kernel, double sp, int most)
{
  request->settings.options.kernel = kernel;
  request->settings.params.sp = sp;
  for (int i = most; i <= most + 1; i++) {
    request->settings.params.max_iterations = i;
    g_autofree char *refusal = ms_plan_case_refusal(request);
    g_assert_true(i == most ? !refusal : refusal && strstr(refusal, " after 65535 iterations"));
  }
}

/* By hand: a window of 41 rows of 41 pixels takes 41 * 42 iterations, and the pixel's loop one for each window. */
static void
test_loops_that_end(void)
{
  MsPlanCase request = made_up_request(640, 480);

  request.limits.loop_iterations = 65535;
  request.limits.fp64 = FALSE;
  assert_loops_end(&request, MS_KERNEL_DIRECT, 20, 65535 / (41 * 42 + 1));
  request.settings.options.unroll = 4;
  assert_loops_end(&request, MS_KERNEL_DIRECT, 40, 65535 / (81 * (1 + 20 + 3) + 1));
  request.settings.options.unroll = 1;
  request.settings.options.schedule = MS_SCHEDULE_REFILL;
  assert_loops_end(&request, MS_KERNEL_DIRECT, 2, 65535 / ((128 * 8 / 4 + 1) * (5 * 6 + 1)));
  request.settings.options.schedule = MS_SCHEDULE_FIXED;
  assert_loops_end(&request, MS_KERNEL_PACKED, 20, 65535 / (4 * 42 * (1 + 11) + 4 + 4 * 6 + 1));
}

/* Pixels of the list for each work-item, which the first ones of a group may take alone. */
static void
test_shares_where_loops_end(void)
{
  for (int limited = 0; limited < 2; limited++) {
    MsPlanCase request = made_up_request(640, 480);
    g_autoptr(GError) error = NULL;

    request.settings.options.kernel = MS_KERNEL_PACKED;
    request.settings.params.sp = 5;
    request.limits.loop_iterations = limited ? 65535 : 0;
    g_autoptr(MsPlan) plan = ms_plan_case_new(&request, &error);
    g_assert_no_error(error);
    g_assert_cmpint(plan->passes[2].item_height, ==, limited ? 1 : 8);
  }
}

static void
test_usage_errors_come_first(void)
{
  MsPlanCase request = made_up_request(64, 64);
  g_autoptr(GError) error = NULL;

  request.settings.params.sp = 1000;
  g_assert_null(ms_plan_case_new(&request, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
}

static void
test_auto_work_group(void)
{
  MsPlanCase request = made_up_request(640, 480);
  g_autoptr(GError) error = NULL;
  g_autoptr(MsPlan) plan = ms_plan_case_new(&request, &error);

  g_assert_no_error(error);
  g_assert_cmpint(plan->settings.options.work_group_width * plan->settings.options.work_group_height, ==, 128);
  g_assert_cmpint(plan->settings.options.work_group_width, ==, 32);
  request.limits.max_work_group = 1;
  request.limits.max_work_item[0] = request.limits.max_work_item[1] = 1;
  g_autoptr(MsPlan) small = ms_plan_case_new(&request, &error);
  g_assert_no_error(error);
  g_assert_cmpint(small->settings.options.work_group_width, ==, 1);
  g_assert_cmpint(small->settings.options.work_group_height, ==, 1);
}

static void
test_auto_resolves_on_every_device(void)
{
  for (int type = MS_DEVICE_TYPE_CPU; type <= MS_DEVICE_TYPE_OTHER; type++) {
    MsPlanCase request = made_up_request(200, 100);
    g_autoptr(GError) error = NULL;
    request.limits.type = type;
    request.settings.options.kernel = MS_KERNEL_AUTO;
    g_autoptr(MsPlan) plan = ms_plan_case_new(&request, &error);
    g_assert_no_error(error);
    g_assert_cmpint(plan->settings.options.kernel, !=, MS_KERNEL_AUTO);
    g_assert_cmpint(plan->settings.options.work_group_width, >, 0);
    request.settings.options.memory = MS_MEMORY_IMAGE;
    request.settings.options.local_memory = 1;
    g_autoptr(MsPlan) with_toggles = ms_plan_case_new(&request, &error);
    g_assert_no_error(error);
    g_assert_cmpint(with_toggles->settings.options.memory, ==, MS_MEMORY_IMAGE);
  }
}

/* OpenCL C 3.0 where the device has it, because PoCL 7 declares the functions of images for no other version. */
static void
test_images_follow_the_devices_language(void)
{
  static const struct {
    guint version;
    MsMemory memory;
    const char *options;
  } cases[] = {{120, MS_MEMORY_IMAGE, "-cl-std=CL1.2 "},
               {300, MS_MEMORY_IMAGE, "-cl-std=CL3.0 "},
               {300, MS_MEMORY_BUFFER, "-cl-std=CL1.2 "}};

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    MsPlanCase request = made_up_request(200, 100);
    g_autoptr(GError) error = NULL;
    request.limits.opencl_version = cases[i].version;
    request.settings.options.kernel = MS_KERNEL_DIRECT;
    request.settings.options.memory = cases[i].memory;
    g_autoptr(MsPlan) plan = ms_plan_case_new(&request, &error);
    g_assert_no_error(error);
    g_assert_true(g_str_has_prefix(ms_program_spec_get_options(plan->program), cases[i].options));
  }
}

static gboolean
has_part(const MsPlan *plan, const char *name)
{
  for (guint i = 0; i < ms_program_spec_get_n_parts(plan->program); i++)
    if (strcmp(ms_program_spec_get_part(plan->program, i), name) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
has_define(const MsPlan *plan, const char *define)
{
  g_autofree char *all = g_strdup_printf("%s ", ms_program_spec_get_options(plan->program));
  g_autofree char *wanted = g_strdup_printf(" -D%s ", define);

  return strstr(all, wanted) != NULL;
}

static void
test_toggles_choose_parts(void)
{
  MsPlanCase request = made_up_request(64, 64);

  request.limits.fp64 = FALSE;
  g_autoptr(MsPlan) without_doubles = ms_plan_case_new(&request, NULL);
  g_assert_true(has_part(without_doubles, "prelude/mean-integer.cl"));
  request.settings.options.access = MS_ACCESS_VLOAD;
  request.settings.options.unroll = 4;
  g_autoptr(MsPlan) vload = ms_plan_case_new(&request, NULL);
  g_assert_true(has_define(vload, "STEP_BYTES=16"));
  request.settings.params.sp = 2.5;
  g_autoptr(MsPlan) half = ms_plan_case_new(&request, NULL);
  g_assert_true(has_define(half, "HALF_RADIUS=1"));
  g_autofree char *source = ms_program_spec_compose(half->program);
  g_assert_null(strstr(source, "#ifdef"));
}

static void
test_stripes_keep_the_budget(void)
{
  MsPlanCase request = made_up_request(1000, 100000);
  g_autoptr(GError) error = NULL;

  request.settings.params.sp = 5;
  request.share.memory_budget = 4000 * 3000;
  g_autoptr(MsPlan) plan = ms_plan_case_new(&request, &error);
  g_assert_no_error(error);
  g_assert_cmpint(plan->halo, ==, 25);
  g_assert_cmpuint(plan->depth, ==, 3);
  g_assert_cmpint(plan->tile_rows, ==, (3000 / 3 - 50) / 2);
  request.share.is_shared = TRUE;
  g_clear_pointer(&plan, ms_plan_free);
  plan = ms_plan_case_new(&request, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(plan->depth, ==, 1);
  g_assert_cmpint(plan->tile_rows, ==, (3000 - 50) / 2);
  g_assert_cmpuint(ms_plan_device_bytes(plan, plan->tile_rows), <=, request.share.memory_budget);
  g_assert_cmpint(plan->band_rows, <=, plan->tile_rows);
}

/* Each level has half the size and half the radius of the one below; where they do not fit together, it is cut. */
static void
test_levels(void)
{
  MsPlanCase request = made_up_request(641, 480), other;
  g_autoptr(GError) error = NULL;

  request.settings.params.sp = 3;
  request.settings.params.levels = 2;
  g_autoptr(MsPlan) plan = ms_plan_case_new(&request, &error);
  g_assert_no_error(error);
  g_assert_true(has_define(plan, "HAS_MARKS=1"));
  g_assert_cmpint(plan->tile_rows, ==, 480);
  g_assert_cmpint(plan->coarser->width, ==, 321);
  g_assert_cmpfloat(plan->coarser->settings.params.sp, ==, 1.5);
  g_assert_true(has_define(plan->coarser, "HAS_MARKS=1"));
  const MsPlan *top = plan->coarser->coarser;
  g_assert_cmpint(top->width, ==, 161);
  g_assert_cmpfloat(top->settings.params.sp, ==, 1);
  g_assert_true(has_define(top, "HAS_MARKS=0"));
  g_assert_null(top->coarser);

  other = request;
  other.share.memory_budget = 641 * 480 * 8;
  g_autoptr(MsPlan) cut = ms_plan_case_new(&other, &error);
  g_assert_no_error(error);
  g_assert_true(cut->in_tiles);
  g_assert_false(plan->in_tiles);
  g_assert_cmpint(cut->tile_rows, <, 480);
  g_assert_cmpuint(ms_plan_device_bytes(cut, cut->tile_rows), <=, other.share.memory_budget);
  other.share.memory_budget = 641 * 8;
  ms_fixture_assert_refused(&other, "One row of this image");
  other = request;
  other.settings.options.memory = MS_MEMORY_IMAGE;
  ms_fixture_assert_refused(&other, "--memory buffer");
  other = request;
  other.limits.nvidia_capability = MS_KERNEL_MATRIX_CAPABILITY;
  other.settings.options.kernel = MS_KERNEL_MATRIX;
  ms_fixture_assert_refused(&other, "mask");
  other.settings.params.rule = MS_RULE_TRUNCATE;
  g_assert_null(ms_plan_case_new(&other, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
}

static void
test_bands_cover_all_rows_once(void)
{
  MsRows whole = {7, 100};
  int next = 7;

  for (int done = 0; done < whole.count;) {
    MsRows rows = ms_bands_next(whole, done, 33);
    g_assert_cmpint(rows.first, ==, next);
    g_assert_cmpint(rows.count, >, 0);
    next += rows.count;
    done += rows.count;
  }
  g_assert_cmpint(next, ==, 107);
  MsRows held = ms_bands_with_halo((MsRows){90, 10}, 20, 105);
  g_assert_cmpint(held.first, ==, 70);
  g_assert_cmpint(held.count, ==, 35);
}

static void
test_option_refusal_is_the_plans(void)
{
  MsPlanCase request = made_up_request(64, 64);
  g_autoptr(GError) error = NULL;

  request.settings.options.access = MS_ACCESS_VLOAD;
  const MsJob job = {.settings = &request.settings, .size = request.job.size};
  const MsDeviceShare share = {.limits = &request.limits};
  g_autofree char *reason = ms_plan_option_refusal(&job, &share, ms_option_find("memory"), "image");
  request.settings.options.memory = MS_MEMORY_IMAGE;
  g_assert_null(ms_plan_case_new(&request, &error));
  g_assert_cmpstr(reason, ==, error->message);
  request.settings.options.memory = MS_MEMORY_BUFFER;
  g_assert_null(ms_plan_option_refusal(&job, &share, ms_option_find("unroll"), "4"));
}

static void
read_arguments(const char *arguments, MsSettings *settings)
{
  g_auto(GStrv) words = g_strsplit(arguments, " ", -1);
  g_autoptr(GError) error = NULL;

  for (guint i = 0; words[i]; i += 2) {
    g_assert_true(g_str_has_prefix(words[i], "--"));
    ms_option_set_text(ms_option_find(words[i] + 2), settings, words[i + 1], &error);
    g_assert_no_error(error);
  }
}

static void
assert_repeats(const MsPlanCase *request)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsPlan) plan = ms_plan_case_new(request, &error);
  MsPlanCase again = *request;

  g_assert_no_error(error);
  g_autofree char *arguments = ms_settings_to_arguments(&plan->settings);
  again.settings = ms_settings_default();
  read_arguments(arguments, &again.settings);
  g_autoptr(MsPlan) repeated = ms_plan_case_new(&again, &error);
  if (error)
    g_error("%s: %s", arguments, error->message);
  g_assert_true(ms_settings_equal(&plan->settings, &repeated->settings));
  g_autofree char *first = ms_program_spec_hash(plan->program);
  g_autofree char *second = ms_program_spec_hash(repeated->program);
  g_assert_cmpstr(first, ==, second);
}

/* The settings in a report can be passed to the program again. */
static void
test_reported_options_repeat_the_run(void)
{
  MsPlanCase request = made_up_request(640, 480);

  assert_repeats(&request);
  request.settings.options.schedule = MS_SCHEDULE_REFILL;
  request.settings.options.unroll = 4;
  assert_repeats(&request);
  request = made_up_request(640, 480);
  request.limits.clang_vectors = TRUE;
  request.limits.nvidia_capability = MS_KERNEL_MATRIX_CAPABILITY;
  for (int kernel = MS_KERNEL_AUTO; ms_filter_kernel_names[kernel]; kernel++) {
    request.settings.options.kernel = kernel;
    assert_repeats(&request);
  }
}

/* A kernel with a fixed work-group refuses others, and `auto` does not choose the kernel by the work-group. */
static void
test_own_work_group_by_name_alone(void)
{
  MsPlanCase request = made_up_request(640, 480);
  g_autoptr(GError) error = NULL;

  request.settings.options.kernel = MS_KERNEL_ROWS;
  request.settings.options.work_group_width = 2;
  request.settings.options.work_group_height = 1;
  ms_fixture_assert_refused(&request, "--work-group 2x1");
  request.limits.type = MS_DEVICE_TYPE_CPU;
  request.settings.options.kernel = MS_KERNEL_AUTO;
  request.settings.options.work_group_width = 1;
  g_autoptr(MsPlan) plan = ms_plan_case_new(&request, &error);
  g_assert_no_error(error);
  g_assert_cmpint(plan->settings.options.kernel, ==, MS_KERNEL_DIRECT);
}

/* The halo of 2000 rows exceeds what a processor's stripes usually take, but not the device. */
static void
test_stripes_grow_with_the_halo(void)
{
  MsPlanCase request = made_up_request(8000, 6000);
  g_autoptr(GError) error = NULL;

  request.limits.type = MS_DEVICE_TYPE_CPU;
  request.settings.params.sp = 20;
  request.settings.params.max_iterations = 100;
  g_autoptr(MsPlan) plan = ms_plan_case_new(&request, &error);
  g_assert_no_error(error);
  g_assert_cmpint(plan->halo, ==, 2000);
  g_assert_cmpint(plan->tile_rows, >=, 2000);
  g_assert_cmpuint(ms_plan_device_bytes(plan, plan->tile_rows), <=, request.limits.max_allocation);

  /* A small halo changes nothing. */
  request.settings.params.max_iterations = 5;
  g_autoptr(MsPlan) usual = ms_plan_case_new(&request, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(ms_plan_device_bytes(usual, usual->tile_rows), <=, 96 << 20);

  request.settings.params.max_iterations = 100;
  request.share.memory_budget = 96 << 20;
  ms_fixture_assert_refused(&request, "MiB");
}

/* Devices that lack something, as they are met: what each changes of an invented one. */
typedef struct {
  const char *name;
  void (*change)(MsDeviceLimits *limits);
} Lack;

static void
lack_nothing(MsDeviceLimits *limits)
{
}

static void
lack_images(MsDeviceLimits *limits)
{
  limits->images = FALSE;
  limits->image_max_width = limits->image_max_height = 0;
}

static void
have_small_groups(MsDeviceLimits *limits)
{
  limits->max_work_group = limits->max_work_item[0] = limits->max_work_item[1] = 64;
}

static void
have_single_items(MsDeviceLimits *limits)
{
  limits->max_work_group = limits->max_work_item[0] = limits->max_work_item[1] = 1;
}

static void
have_narrow_groups(MsDeviceLimits *limits)
{
  limits->max_work_item[1] = 1;
}

static void
have_small_local_memory(MsDeviceLimits *limits)
{
  limits->local_memory = 1024;
}

static void
lack_atomics(MsDeviceLimits *limits)
{
  limits->int64_atomics = FALSE;
}

static void
have_small_buffers(MsDeviceLimits *limits)
{
  limits->max_allocation = 16 << 20;
  limits->global_memory = 64 << 20;
}

static void
lack_doubles(MsDeviceLimits *limits)
{
  limits->fp64 = FALSE;
  limits->vector_bytes = 4;
}

static void
end_loops(MsDeviceLimits *limits)
{
  lack_doubles(limits);
  limits->loop_iterations = 65535;
}

static void
share_memory(MsDeviceLimits *limits)
{
  limits->host_unified = TRUE;
}

static const Lack lacks[] = {
  {"nothing", lack_nothing},
  {"images", lack_images},
  {"groups of 64", have_small_groups},
  {"groups of 1", have_single_items},
  {"groups of one row", have_narrow_groups},
  {"1 KiB of local memory", have_small_local_memory},
  {"64-bit atomics", lack_atomics},
  {"buffers of 16 MiB", have_small_buffers},
  {"doubles", lack_doubles},
  {"loops that end by themselves", end_loops},
  {"memory of its own", share_memory},
};

/* Bytes of an argument on a device of 64 bits. */
static gsize
argument_bytes(MsArg arg)
{
  switch (arg) {
  case MS_ARG_IMAGE:
  case MS_ARG_REGION:
  case MS_ARG_BAND:
  case MS_ARG_FILTER:
    return sizeof(cl_int4);
  case MS_ARG_MARGIN:
  case MS_ARG_PITCH:
  case MS_ARG_SP:
  case MS_ARG_NO_DATA:
    return sizeof(cl_int);
  case MS_ARG_SOURCE:
  case MS_ARG_PIXELS:
  case MS_ARG_RESULT:
  case MS_ARG_LOCAL:
  case MS_ARG_MASK:
  case MS_ARG_TABLES:
  case MS_ARG_MODES:
  case MS_ARG_SCRATCH_0:
  case MS_ARG_SCRATCH_1:
  case MS_ARG_SCRATCH_2:
  case MS_ARG_SCRATCH_3:
  case MS_ARG_SCRATCH_4:
    return sizeof(cl_mem);
  }
  g_return_val_if_reached(0);
}

/* The least CL_DEVICE_MAX_PARAMETER_SIZE that OpenCL allows. */
#define LEAST_PARAMETER_BYTES 1024

static void
assert_pass_fits(const MsPass *pass, const MsDeviceLimits *limits)
{
  gsize bytes = 0;

  g_assert_cmpuint(pass->local[0] * pass->local[1], <=, limits->max_work_group);
  g_assert_cmpuint(pass->local[0], <=, limits->max_work_item[0]);
  g_assert_cmpuint(pass->local[1], <=, limits->max_work_item[1]);
  g_assert_cmpuint(pass->local_bytes, <=, limits->local_memory);
  for (guint i = 0; i < pass->n_args; i++)
    bytes += argument_bytes(pass->args[i]);
  g_assert_cmpuint(bytes, <=, LEAST_PARAMETER_BYTES);
}

/* Each buffer by itself fits an allocation, and nothing that the device lacks is used. */
static void
assert_plan_fits(const MsPlan *plan)
{
  const MsDeviceLimits *l = plan->limits;
  const guint64 width = (guint64)plan->width, rows = (guint64)plan->tile_rows;
  const guint64 held = MIN((guint64)plan->height, rows + 2 * (guint64)plan->halo);

  g_assert_cmpuint(held * width * 4, <=, l->max_allocation);
  for (guint i = 0; i < plan->n_scratch; i++)
    g_assert_cmpuint(held * plan->scratch[i].row_bytes + plan->scratch[i].fixed_bytes, <=, l->max_allocation);
  g_assert_true(l->images || !plan->source_is_image);
  for (guint i = 0; i < plan->n_passes; i++)
    assert_pass_fits(&plan->passes[i], l);
  if (plan->coarser)
    assert_plan_fits(plan->coarser);
}

static void
check_plan_of(const MsPlanCase *request, gboolean must_run)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsPlan) plan = ms_plan_case_new(request, &error);

  if (plan) {
    assert_plan_fits(plan);
    return;
  }
  g_assert_error(error, MS_ERROR, MS_ERROR_UNSUPPORTED);
  g_assert_true(g_str_has_suffix(error->message, "."));
  g_assert_false(must_run);
}

/* Every kernel on every invented device: what is planned keeps each limit, and `auto` always finds a plan. */
static void
test_invented_devices(void)
{
  static const double radii[] = {1, 5, 15, 32};
  static const int sizes[][2] = {{64, 48}, {1920, 1080}};

  for (gsize k = 0; k < G_N_ELEMENTS(lacks); k++)
    for (int type = MS_DEVICE_TYPE_CPU; type <= MS_DEVICE_TYPE_GPU + 1; type++)
      for (int kernel = MS_KERNEL_AUTO; ms_filter_kernel_names[kernel]; kernel++)
        for (guint i = 0; i < G_N_ELEMENTS(radii) * G_N_ELEMENTS(sizes) * 4; i++) {
          const int *size = sizes[i / 4 % 2];
          MsPlanCase request = made_up_request(size[0], size[1]);
          request.limits = ms_fixture_limits(type == MS_DEVICE_TYPE_CPU ? MS_DEVICE_TYPE_CPU : MS_DEVICE_TYPE_GPU);
          request.limits.clang_vectors = type == MS_DEVICE_TYPE_CPU;
          request.limits.nvidia_capability = type > MS_DEVICE_TYPE_GPU ? 90 : 0;
          lacks[k].change(&request.limits);
          request.settings.options.kernel = kernel;
          request.settings.params.sp = radii[i / 8];
          request.settings.params.levels = i & 1 ? 2 : 0;
          request.job.wants_modes = (i & 2) != 0;
          g_test_message("%s, type %d, kernel %d, case %u", lacks[k].name, type, kernel, i);
          check_plan_of(&request, kernel == MS_KERNEL_AUTO);
        }
}

void
ms_test_plan(void)
{
  g_test_add_func("/plan/refusals", test_refusals);
  g_test_add_func("/plan/loops-that-end", test_loops_that_end);
  g_test_add_func("/plan/shares-where-loops-end", test_shares_where_loops_end);
  g_test_add_func("/plan/usage-errors-come-first", test_usage_errors_come_first);
  g_test_add_func("/plan/images-follow-the-devices-language", test_images_follow_the_devices_language);
  g_test_add_func("/plan/auto-work-group", test_auto_work_group);
  g_test_add_func("/plan/auto-resolves-on-every-device", test_auto_resolves_on_every_device);
  g_test_add_func("/plan/invented-devices", test_invented_devices);
  g_test_add_func("/plan/toggles-choose-parts", test_toggles_choose_parts);
  g_test_add_func("/plan/stripes-keep-the-budget", test_stripes_keep_the_budget);
  g_test_add_func("/plan/stripes-grow-with-the-halo", test_stripes_grow_with_the_halo);
  g_test_add_func("/plan/levels", test_levels);
  g_test_add_func("/plan/bands-cover-all-rows-once", test_bands_cover_all_rows_once);
  g_test_add_func("/plan/option-refusal-is-the-plans", test_option_refusal_is_the_plans);
  g_test_add_func("/plan/reported-options-repeat-the-run", test_reported_options_repeat_the_run);
  g_test_add_func("/plan/own-work-group-by-name-alone", test_own_work_group_by_name_alone);
}
