/* SPDX-License-Identifier: MIT */
/* An image on several devices at once against the same image on one. */
#include <glib/gstdio.h>

#include "core/filter/split/split.h"
#include "tests/support/fixture.h"

static GPtrArray *
open_all_devices(void)
{
  g_autoptr(GPtrArray) devices = ms_device_enumerate(NULL);
  GPtrArray *contexts = g_ptr_array_new_with_free_func((GDestroyNotify)ms_context_unref);

  for (guint i = 0; devices && i < MIN(devices->len, 3u); i++)
    g_ptr_array_add(contexts, ms_context_new(g_ptr_array_index(devices, i), NULL));
  return contexts;
}

static void
test_same_picture(gconstpointer data)
{
  g_autoptr(MsContext) present = ms_fixture_context();
  g_autofree char *folder = g_dir_make_tmp("ms-split-XXXXXX", NULL);
  g_autofree char *store = g_build_filename(folder, "speeds.ini", NULL);
  g_autoptr(MsImage) scene = ms_fixture_scene(90, 101, 5);
  MsSettings settings = ms_settings_default();
  g_autoptr(GError) error = NULL;

  if (!present)
    return;
  settings.params.sp = 4;
  g_autoptr(GPtrArray) contexts = open_all_devices();
  g_test_message("%u devices", contexts->len);
  if (contexts->len < 2) {
    g_test_skip("Fewer than two devices.");
    return;
  }
  g_autoptr(MsImage) expected = ms_fixture_reference(scene, &settings.params, NULL, NULL);
  g_autoptr(MsSplit) split = ms_split_new(contexts, GPOINTER_TO_INT(data));
  ms_split_set_store(split, store);
  ms_split_set_compares(split, TRUE);
  for (int run = 0; run < 3; run++) {
    g_autoptr(MsTimingLog) log = ms_timing_log_new();
    g_autoptr(MsImage) actual =
      ms_split_run(split, &(MsJob){.source = scene, .settings = &settings, .log = log}, &error);
    guint rows = 0, busy = 0;

    g_assert_no_error(error);
    ms_fixture_assert_same(expected, actual, "split");
    for (guint i = 0; i < contexts->len; i++) {
      rows += ms_split_get_rows(split, i);
      busy += ms_split_get_rows(split, i) > 0 ? 1 : 0;
    }
    g_assert_cmpuint(rows, ==, 101);
    /* The adaptive mode times the fastest device alone after all of them together. */
    if (run == 2 && GPOINTER_TO_INT(data) == MS_SPLIT_ADAPTIVE)
      g_assert_cmpuint(busy, ==, 1);
    /* The other modes' shares depend on the kinds of devices, and on how busy the machine is. */
    if (GPOINTER_TO_INT(data) == MS_SPLIT_EQUAL) {
      g_assert_cmpuint(ms_split_get_rows(split, 1), >, 0);
      g_assert_cmpuint(ms_timing_log_get_length(log), >=, 6);
    }
  }
  g_assert_true(g_file_test(store, G_FILE_TEST_EXISTS));
  /* It saves once more when it is freed. */
  g_clear_pointer(&split, ms_split_free);
  g_assert_cmpint(g_unlink(store), ==, 0);
  g_assert_cmpint(g_rmdir(folder), ==, 0);
}

static guint
count_kernels(MsSplit *split, MsImage *scene)
{
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  MsSettings settings = ms_settings_default();
  g_autoptr(GError) error = NULL;
  guint n = 0;

  settings.params.sp = 2;
  g_autoptr(MsImage) result = ms_split_run(split, &(MsJob){.source = scene, .settings = &settings, .log = log}, &error);
  g_assert_no_error(error);
  for (guint i = 0; i < ms_timing_log_get_length(log); i++)
    n += ms_timing_log_get(log, i)->stage == MS_STAGE_KERNEL;
  return n;
}

/* Devices that share the machine's memory filter in more stripes where they may take less of it. */
static void
test_memory_budget(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(GPtrArray) contexts = g_ptr_array_new();
  g_autoptr(MsImage) scene = ms_fixture_scene(200, 300, 5);

  if (!context || ms_device_has_own_memory(context->device)) {
    g_test_skip("No device that shares the machine's memory.");
    return;
  }
  g_ptr_array_add(contexts, context);
  g_autoptr(MsSplit) split = ms_split_new(contexts, MS_SPLIT_EQUAL);
  ms_split_set_store(split, NULL);
  ms_split_set_steps(split, 1);
  guint whole = count_kernels(split, scene);
  ms_split_set_memory_budget(split, 200 * 300 * 4);
  g_assert_cmpuint(count_kernels(split, scene), >, whole);
}

static void
note_rows(int done, int total, gpointer last)
{
  g_assert_cmpint(done, >, *(int *)last);
  g_assert_cmpint(total, ==, 96);
  *(int *)last = done;
}

/* The rows of the image are reported after each step, and not those of a device's part of it. */
static void
test_progress(void)
{
  MsContext *context = ms_fixture_context();
  g_autoptr(GPtrArray) contexts = g_ptr_array_new_with_free_func((GDestroyNotify)ms_context_unref);
  g_autoptr(MsImage) scene = ms_fixture_scene(60, 96, 5);
  MsSettings settings = ms_settings_default();
  g_autoptr(GError) error = NULL;
  int last = 0;

  if (!context)
    return;
  g_ptr_array_add(contexts, context);
  g_autoptr(MsSplit) split = ms_split_new(contexts, MS_SPLIT_EQUAL);
  ms_split_set_store(split, NULL);
  ms_split_set_steps(split, 4);
  settings.params.sp = 4;
  g_autoptr(MsImage) result = ms_split_run(
    split, &(MsJob){.source = scene, .settings = &settings, .progress = note_rows, .progress_data = &last}, &error);
  g_assert_no_error(error);
  g_assert_cmpint(last, ==, 96);
}

/* Rows of the first of two devices on an image of @height rows; 0, with the test skipped, where there is one device. */
static guint
rows_of_first(MsSplitMode mode, guint steps, const char *store, int height)
{
  g_autoptr(GPtrArray) contexts = open_all_devices();
  g_autoptr(MsImage) scene = ms_fixture_scene(32, height, 5);
  MsSettings settings = ms_settings_default();
  g_autoptr(GError) error = NULL;

  if (contexts->len < 2) {
    g_test_skip("Fewer than two devices.");
    return 0;
  }
  g_ptr_array_set_size(contexts, 2);
  settings.params.sp = 2;
  g_autoptr(MsSplit) split = ms_split_new(contexts, mode);
  ms_split_set_store(split, store);
  ms_split_set_steps(split, steps);
  for (int run = 0; run < 2; run++) {
    g_autoptr(MsImage) result = ms_split_run(split, &(MsJob){.source = scene, .settings = &settings}, &error);
    g_assert_no_error(error);
  }
  return ms_split_get_rows(split, 0);
}

/* Gives each device of the store an invented speed: the first group's is @times that of the others. */
static void
set_speeds(const char *store, double times)
{
  g_autoptr(GKeyFile) file = g_key_file_new();

  g_assert_true(g_key_file_load_from_file(file, store, G_KEY_FILE_NONE, NULL));
  g_auto(GStrv) groups = g_key_file_get_groups(file, NULL);
  for (char **group = groups; *group; group++) {
    g_auto(GStrv) keys = g_key_file_get_keys(file, *group, NULL, NULL);
    for (char **key = keys; *key; key++)
      g_key_file_set_double(file, *group, *key, group == groups ? times * 1e9 : 1e9);
  }
  g_assert_true(g_key_file_save_to_file(file, store, NULL));
}

/* Equal shares are equal; learned ones begin with the speeds of the store; adaptive ones move within a run. */
static void
test_modes_differ(void)
{
  g_autofree char *folder = g_dir_make_tmp("ms-split-XXXXXX", NULL);
  g_autofree char *store = g_build_filename(folder, "speeds.ini", NULL);
  guint equal = rows_of_first(MS_SPLIT_EQUAL, 8, store, 800);

  if (equal == 0)
    return;
  g_assert_cmpuint(equal, ==, 400);
  set_speeds(store, 3);
  guint learned = rows_of_first(MS_SPLIT_LEARNED, 1, store, 80);
  g_assert_true(learned == 60 || learned == 20);
  g_assert_cmpuint(rows_of_first(MS_SPLIT_EXPERIENCE, 1, store, 80), !=, 40);
  set_speeds(store, 3);
  g_assert_cmpuint(rows_of_first(MS_SPLIT_DYNAMIC, 1, store, 80), ==, 40);
  g_assert_cmpuint(rows_of_first(MS_SPLIT_BOUNDED, 1, store, 80), ==, 40);
  set_speeds(store, 100);
  learned = rows_of_first(MS_SPLIT_LEARNED, 1, store, 80);
  g_assert_true(learned == 80 || learned == 0);
  g_unlink(store);
  g_assert_cmpuint(rows_of_first(MS_SPLIT_ADAPTIVE, 16, NULL, 3200), !=, 1600);
  g_rmdir(folder);
}

static void
run_once(MsSplit *split, MsImage *image)
{
  MsSettings settings = ms_settings_default();
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) result = ms_split_run(split, &(MsJob){.source = image, .settings = &settings}, &error);

  g_assert_no_error(error);
}

static void
test_first_step_is_not_learned_from(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autofree char *folder = g_dir_make_tmp("ms-split-XXXXXX", NULL);
  g_autofree char *store = g_build_filename(folder, "speeds.ini", NULL);
  g_autoptr(GPtrArray) contexts = g_ptr_array_new();
  g_autoptr(MsImage) scene = ms_fixture_scene(40, 40, 5);

  if (!context)
    return;
  g_ptr_array_add(contexts, context);
  g_autoptr(MsSplit) split = ms_split_new(contexts, MS_SPLIT_LEARNED);
  ms_split_set_store(split, store);
  ms_split_set_steps(split, 1);
  run_once(split, scene);
  g_assert_false(g_file_test(store, G_FILE_TEST_EXISTS));
  run_once(split, scene);
  g_assert_true(g_file_test(store, G_FILE_TEST_EXISTS));
  /* It saves once more when it is freed. */
  g_clear_pointer(&split, ms_split_free);
  g_assert_cmpint(g_unlink(store), ==, 0);
  g_assert_cmpint(g_rmdir(folder), ==, 0);
}

/* One device and a partner of a tenth of its speed: the picture of one device, and about a tenth of the rows. */
static void
test_partner(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(GPtrArray) contexts = g_ptr_array_new();
  g_autoptr(MsImage) scene = ms_fixture_scene(60, 1600, 5);
  MsSettings settings = ms_settings_default();
  g_autoptr(GError) error = NULL;

  if (!context)
    return;
  settings.params.sp = 3;
  g_ptr_array_add(contexts, context);
  g_autoptr(MsImage) expected = ms_fixture_reference(scene, &settings.params, NULL, NULL);
  g_autoptr(MsSplit) split = ms_split_new(contexts, MS_SPLIT_ADAPTIVE);
  ms_split_set_store(split, NULL);
  ms_split_set_steps(split, 40);
  ms_split_add_partner(split, 9.6);
  for (int run = 0; run < 2; run++) {
    g_autoptr(MsImage) actual = ms_split_run(split, &(MsJob){.source = scene, .settings = &settings}, &error);
    g_assert_no_error(error);
    ms_fixture_assert_same(expected, actual, "partner");
  }
  g_assert_cmpuint(ms_split_get_n_devices(split), ==, 2);
  g_assert_cmpuint(ms_split_get_rows(split, 0) + ms_split_get_rows(split, 1), ==, 1600);
  g_assert_cmpfloat(ms_split_get_shares(split).share[1], >, 0.04);
  g_assert_cmpfloat(ms_split_get_shares(split).share[1], <, 0.25);
  g_assert_cmpfloat(ms_split_get_simulated_ms(split), >, 0);
}

static void
test_cancelled(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(GPtrArray) contexts = g_ptr_array_new();
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_autoptr(MsImage) scene = ms_fixture_scene(40, 40, 5);
  MsSettings settings = ms_settings_default();
  g_autoptr(GError) error = NULL;

  if (!context)
    return;
  g_ptr_array_add(contexts, context);
  g_autoptr(MsSplit) split = ms_split_new(contexts, MS_SPLIT_EQUAL);
  ms_split_set_store(split, NULL);
  g_cancellable_cancel(cancellable);
  g_assert_null(
    ms_split_run(split, &(MsJob){.source = scene, .settings = &settings, .cancellable = cancellable}, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* Filters once and frees the result; returns the address of its pixels. */
static gconstpointer
place_of_result(MsSplit *split, MsImage *scene)
{
  MsSettings settings = ms_settings_default();
  g_autoptr(GError) error = NULL;

  settings.params.sp = 1;
  settings.params.max_iterations = 1;
  g_autoptr(MsImage) result = ms_split_run(split, &(MsJob){.source = scene, .settings = &settings}, &error);
  g_assert_no_error(error);
  return ms_image_get_pixels(result);
}

/* A large result takes the memory that the one before it left. */
static void
test_result_memory(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(GPtrArray) contexts = g_ptr_array_new();
  g_autoptr(MsImage) scene = NULL;

  if (!context || ms_fixture_under_oclgrind()) {
    g_test_skip("No device that is fast enough for a large image.");
    return;
  }
  scene = ms_fixture_noise(4096, 2100, 5);
  g_ptr_array_add(contexts, context);
  g_autoptr(MsSplit) split = ms_split_new(contexts, MS_SPLIT_EQUAL);
  ms_split_set_store(split, NULL);
  gconstpointer first = place_of_result(split, scene);
  /* Takes the place of the first result if that was freed. */
  g_autofree guint8 *other = g_malloc(ms_image_get_byte_size(scene));
  g_assert_true(other != first);
  g_assert_true(place_of_result(split, scene) == first);
}

int
main(int argc, char **argv)
{
  /* Two devices on every machine that has PoCL; other drivers ignore it. */
  g_setenv("POCL_DEVICES", "pthread basic", FALSE);
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/split/partner", test_partner);
  g_test_add_data_func("/split/same-picture/equal", GINT_TO_POINTER(MS_SPLIT_EQUAL), test_same_picture);
  g_test_add_data_func("/split/same-picture/learned", GINT_TO_POINTER(MS_SPLIT_LEARNED), test_same_picture);
  g_test_add_data_func("/split/same-picture/adaptive", GINT_TO_POINTER(MS_SPLIT_ADAPTIVE), test_same_picture);
  g_test_add_func("/split/modes-differ", test_modes_differ);
  g_test_add_func("/split/first-step-is-not-learned-from", test_first_step_is_not_learned_from);
  g_test_add_func("/split/memory-budget", test_memory_budget);
  g_test_add_func("/split/cancelled", test_cancelled);
  g_test_add_func("/split/progress", test_progress);
  g_test_add_func("/split/result-memory", test_result_memory);
  return g_test_run();
}
