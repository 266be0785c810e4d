/* SPDX-License-Identifier: MIT */
/* The batch: the runner with engines that fail, compute wrong pixels and wait. */
#include <string.h>
#include <unistd.h>

#include "core/filter/space/space.h"
#include "core/image/image-save.h"
#include "tests/batch/batch-fixture.h"
#include "tests/support/cases.h"
#include "tests/support/fixture.h"
#include "tests/support/image-files.h"
#include "tests/support/profiles.h"

static void
test_run_all(BatchFixture *f, gconstpointer data)
{
  for (int i = 0; i < 24; i++) {
    g_autofree char *name = g_strdup_printf("%s/p%d.png", i % 3 ? "." : "sub", i);
    batch_fixture_add_picture(f, name, 5 + i, 9);
  }
  f->request.recursive = TRUE;
  f->run.keep_log = TRUE;
  f->request.repeat = 3;
  f->request.verify = TRUE;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  batch_fixture_run_good(f, items);
  g_assert_cmpuint(ms_batch_count(items).done, ==, 24);
  g_assert_cmpuint(f->engine->runs, ==, 72);
  g_assert_cmpuint(f->n_progress, >=, 72);
  for (guint i = 0; i < items->len; i++) {
    const MsBatchItem *item = batch_fixture_item(items, i);
    batch_fixture_assert_reference(f, item);
    g_assert_cmpuint(item->kernel_ms->len, ==, 3);
    g_assert_true(item->verified && !ms_batch_item_differs(item));
    g_assert_cmpstr(item->device, ==, "test");
    g_assert_cmpuint(ms_timing_log_get_length(item->log), ==, 3);
  }
}

static void
test_run_bad_ones_among_good(BatchFixture *f, gconstpointer data)
{
  batch_fixture_add_picture(f, "a.png", 5, 5);
  batch_fixture_add_file(f, f->in, "b.png", "no image");
  batch_fixture_add_file(f, f->in, "c.png", "");
  batch_fixture_add_picture(f, "d.png", 17, 4);
  batch_fixture_add_picture(f, "e.png", 6, 4);
  f->engine->behaviour = FAILING_ENGINE;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  batch_fixture_run_good(f, items);

  g_assert_nonnull(strstr(batch_fixture_item(items, 3)->error, "d.png"));
  const MsItemStatus expected[] = {MS_ITEM_DONE, MS_ITEM_FAILED, MS_ITEM_FAILED, MS_ITEM_FAILED, MS_ITEM_DONE};
  for (guint i = 0; i < G_N_ELEMENTS(expected); i++) {
    const MsBatchItem *item = batch_fixture_item(items, i);
    g_assert_cmpint(item->status, ==, expected[i]);
    g_assert_cmpint(g_file_test(item->output, G_FILE_TEST_EXISTS), ==, expected[i] == MS_ITEM_DONE);
    g_assert_cmpint(item->error != NULL, ==, expected[i] == MS_ITEM_FAILED);
  }
  g_assert_cmpuint(ms_test_folder_count(f->out), ==, 2);
}

static void
run_with_lanes(BatchFixture *f, FakeBehaviour behaviour)
{
  for (int i = 0; i < 20; i++) {
    g_autofree char *name = g_strdup_printf("p%02d.png", i);
    batch_fixture_add_picture(f, name, 5 + i, 9);
  }
  f->engine->stand_in.images = 3;
  f->engine->behaviour = behaviour;
  f->request.jobs = 4;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  batch_fixture_run_good(f, items);
  g_assert_cmpuint(ms_batch_count(items).done, ==, 20);
  for (guint i = 0; i < items->len; i++)
    batch_fixture_assert_reference(f, batch_fixture_item(items, i));
}

static void
test_run_lanes_at_once(BatchFixture *f, gconstpointer data)
{
  run_with_lanes(f, TRUE_ENGINE);
  g_assert_cmpint(f->engine->most_meeting, ==, 3);
  g_assert_cmpint((int)f->engine->runs + f->engine->lane_runs, ==, 20);
}

/* Each further lane gives its one image back to the first. */
static void
test_run_failing_lanes(BatchFixture *f, gconstpointer data)
{
  run_with_lanes(f, FAILING_LANES);
  g_assert_cmpuint(f->engine->runs, ==, 20);
  g_assert_cmpint(f->engine->lane_runs, ==, 2);
}

static void
test_run_measured_alone(BatchFixture *f, gconstpointer data)
{
  f->request.repeat = 2;
  run_with_lanes(f, TRUE_ENGINE);
  g_assert_cmpint(f->engine->most_meeting, ==, 1);
  g_assert_cmpint(f->engine->lane_runs, ==, 0);
}

static void
test_run_wrong_results(BatchFixture *f, gconstpointer data)
{
  batch_fixture_add_picture(f, "a.png", 9, 5);
  f->engine->behaviour = WRONG_ENGINE;
  f->request.verify = TRUE;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  batch_fixture_run_good(f, items);

  const MsBatchItem *item = batch_fixture_item(items, 0);
  g_assert_cmpint(item->status, ==, MS_ITEM_FAILED);
  g_assert_cmpuint(item->difference.mismatched_pixels, ==, 1);
  g_assert_cmpint(item->difference.max_difference, ==, 8);
  g_assert_nonnull(strstr(item->error, "1 of 45 pixels"));
  g_assert_cmpuint(ms_batch_count(items).different, ==, 1);
  g_assert_cmpuint(ms_test_folder_count(f->out), ==, 0);
}

/* Runs one picture with this profile (nullable) in a space. */
static GPtrArray *
run_in_space(BatchFixture *f, MsSpace space, GBytes *icc)
{
  g_autoptr(MsMetadata) metadata = ms_metadata_new(icc, NULL, 0, 0);
  g_autoptr(MsImage) image = ms_test_image_random(9, 5, 1, TRUE, metadata);
  g_autofree char *path = g_build_filename(f->in, "a.png", NULL);
  MsSaveOptions save = ms_save_options_default();

  save.overwrite = TRUE;
  g_assert_true(ms_image_save(image, path, &save, NULL, NULL, NULL));
  f->request.settings.params.space = space;
  f->request.on_conflict = MS_CONFLICT_OVERWRITE;
  f->n_finished = 0;
  GPtrArray *items = batch_fixture_plan(f);
  batch_fixture_run_good(f, items);
  return items;
}

/* A report says by which profile colours were converted, and notes that it is not the picture's. */
static void
test_run_profile(BatchFixture *f, gconstpointer data)
{
  g_autoptr(GBytes) wide = ms_test_profile_wide(1.8);
  g_autofree guint8 *bytes = g_memdup2(g_bytes_get_data(wide, NULL), g_bytes_get_size(wide));
  /* The first entry of the table of tags is that of red, without which the profile has no matrix. */
  memcpy(bytes + 132, "none", 4);
  g_autoptr(GBytes) other = g_bytes_new(bytes, g_bytes_get_size(wide));
  const struct {
    MsSpace space;
    GBytes *icc;
    const char *profile;
    gboolean noted;
  } rows[] = {{MS_SPACE_RGB, wide, NULL, FALSE},
              {MS_SPACE_LAB, NULL, "sRGB", FALSE},
              {MS_SPACE_LUV, wide, ms_space_knows_profile(wide) ? "unnamed" : "sRGB", !ms_space_knows_profile(wide)},
              {MS_SPACE_LUV, other, "sRGB", TRUE},
              {MS_SPACE_RGB, other, NULL, FALSE}};

  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GPtrArray) items = run_in_space(f, rows[i].space, rows[i].icc);
    const MsBatchItem *item = batch_fixture_item(items, 0);
    g_autofree char *note = ms_note_describe(item->notes, MS_LANGUAGE_ENGLISH);
    g_assert_cmpstr(item->profile, ==, rows[i].profile);
    g_assert_cmpint(note && strstr(note, "took its colours for sRGB"), ==, rows[i].noted);
  }
}

/* However little memory the limit allows, one image at a time is processed. */
static void
test_run_memory(BatchFixture *f, gconstpointer data)
{
  for (int i = 0; i < 12; i++) {
    g_autofree char *name = g_strdup_printf("p%02d.png", i);
    batch_fixture_add_picture(f, name, 10, i == 5 ? 100 : 10);
  }
  f->request.memory_limit = 1300;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  batch_fixture_run_good(f, items);
  for (guint i = 0; i < items->len; i++)
    g_assert_cmpint(batch_fixture_item(items, i)->status, ==, i == 5 ? MS_ITEM_FAILED : MS_ITEM_DONE);
  g_assert_nonnull(strstr(batch_fixture_item(items, 5)->error, "--memory-limit"));
}

static void
test_run_limits(BatchFixture *f, gconstpointer data)
{
  batch_fixture_add_picture(f, "a.png", 10, 10);
  f->request.limits.max_pixels = 99;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  batch_fixture_run_good(f, items);
  g_assert_cmpint(batch_fixture_item(items, 0)->status, ==, MS_ITEM_FAILED);
  g_assert_cmpuint(f->engine->runs, ==, 0);
}

static void
test_run_interrupted(BatchFixture *f, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  for (int i = 0; i < 30; i++) {
    g_autofree char *name = g_strdup_printf("p%02d.png", i);
    batch_fixture_add_picture(f, name, 20, 20);
  }
  f->engine->cancel_after_first = f->cancellable;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  g_assert_false(batch_fixture_run(f, items, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  MsBatchCounts counts = ms_batch_count(items);
  g_assert_cmpuint(counts.failed, ==, 0);
  g_assert_cmpuint(counts.pending, >, 25);
  g_assert_cmpuint(ms_test_folder_count(f->out), ==, counts.done);
}

static MsEngine *
open_nothing(gpointer data, GError **error)
{
  g_set_error(error, MS_ERROR, MS_ERROR_NO_DEVICE, "No device.");
  return NULL;
}

static void
test_run_without_device(BatchFixture *f, gconstpointer data)
{
  const MsBatchRun own = {.request = &f->request, .open = open_nothing};
  g_autoptr(GError) error = NULL;

  batch_fixture_add_picture(f, "a.png", 5, 5);
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  g_assert_false(ms_runner_run(items, &own, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_NO_DEVICE);
  g_assert_cmpint(batch_fixture_item(items, 0)->status, ==, MS_ITEM_PENDING);

  /* A batch without images opens no device. */
  g_clear_error(&error);
  ms_batch_item_skip(batch_fixture_item(items, 0), "done before");
  g_assert_true(ms_runner_run(items, &own, &error));
}

static void
count_waiting(MsBatchEvent *event, gpointer data)
{
  if (event->kind == MS_BATCH_WAITS)
    g_atomic_int_inc((int *)data);
}

static MsEngine *
open_after_decoding(gpointer data, GError **error)
{
  while (g_atomic_int_get((int *)data) < 12)
    g_usleep(1000);
  return fake_engine_new()->base;
}

/* A running device needs two images ahead of one thread; while it is opened, more are decoded. */
static void
test_run_decodes_while_opening(BatchFixture *f, gconstpointer data)
{
  int waiting = 0;
  const MsBatchRun own = {.request = &f->request,
                          .open = open_after_decoding,
                          .event = count_waiting,
                          .data = &waiting,
                          .event_data = &waiting};
  g_autoptr(GError) error = NULL;

  for (int i = 0; i < 12; i++) {
    g_autofree char *name = g_strdup_printf("p%02d.png", i);
    batch_fixture_add_picture(f, name, 10, 10);
  }
  f->request.jobs = 1;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  g_assert_true(ms_runner_run(items, &own, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(ms_batch_count(items).done, ==, 12);
}

static MsEngine *
open_before_decoding(gpointer data, GError **error)
{
  g_usleep(20000);
  g_assert_cmpint(g_atomic_int_get((int *)data), ==, 0);
  return fake_engine_new()->base;
}

/* An image that takes more than half of the memory is decoded once the device is open. */
static void
test_run_large_image_waits(BatchFixture *f, gconstpointer data)
{
  int waiting = 0;
  const MsBatchRun own = {.request = &f->request,
                          .open = open_before_decoding,
                          .event = count_waiting,
                          .data = &waiting,
                          .event_data = &waiting};
  g_autoptr(GError) error = NULL;

  batch_fixture_add_picture(f, "large.png", 100, 100);
  f->request.memory_limit = 200000;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  g_assert_true(ms_runner_run(items, &own, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(ms_batch_count(items).done, ==, 1);
}

/* What a JPEG file cannot hold is known from the header, before hours of work. */
static void
test_run_too_wide_for_jpeg(BatchFixture *f, gconstpointer data)
{
  batch_fixture_add_picture(f, "wide.png", 65501, 1);
  f->request.save.format = MS_IMAGE_FORMAT_JPEG;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  batch_fixture_run_good(f, items);
  g_assert_cmpuint(f->engine->runs, ==, 0);
  g_assert_nonnull(strstr(batch_fixture_item(items, 0)->error, "65500"));

  f->request.save.format = MS_IMAGE_FORMAT_PNG;
  f->n_finished = 0;
  g_autoptr(GPtrArray) png = batch_fixture_plan(f);
  batch_fixture_run_good(f, png);
  g_assert_cmpint(batch_fixture_item(png, 0)->status, ==, MS_ITEM_DONE);
}

/* Another process takes the free name between planning and saving. */
static void
test_run_name_taken_meanwhile(BatchFixture *f, gconstpointer data)
{
  batch_fixture_add_picture(f, "a.png", 5, 5);
  f->request.on_conflict = MS_CONFLICT_UNIQUE;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  batch_fixture_assert_output(f, batch_fixture_item(items, 0), "a.png");
  batch_fixture_add_file(f, f->out, "a.png", "theirs");
  batch_fixture_add_file(f, f->out, "a-1.png", "theirs too");
  batch_fixture_run_good(f, items);
  batch_fixture_assert_output(f, batch_fixture_item(items, 0), "a-2.png");
  batch_fixture_assert_reference(f, batch_fixture_item(items, 0));

  f->request.on_conflict = MS_CONFLICT_FAIL;
  f->request.save.format = MS_IMAGE_FORMAT_JPEG;
  f->n_finished = 0;
  g_autoptr(GPtrArray) again = batch_fixture_plan(f);
  batch_fixture_add_file(f, f->out, "a.jpg", "theirs");
  batch_fixture_run_good(f, again);
  g_assert_cmpint(batch_fixture_item(again, 0)->status, ==, MS_ITEM_FAILED);
  g_autofree char *path = batch_fixture_out_path(f, "a.jpg");
  g_autofree char *content = NULL;
  g_assert_true(g_file_get_contents(path, &content, NULL, NULL));
  g_assert_cmpstr(content, ==, "theirs");
}

static void
test_run_skips_what_another_process_saved(BatchFixture *f, gconstpointer data)
{
  g_autofree char *path = batch_fixture_out_path(f, "a.png");
  g_autofree char *content = NULL;

  batch_fixture_add_picture(f, "a.png", 5, 5);
  f->request.on_conflict = MS_CONFLICT_SKIP;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  batch_fixture_add_file(f, f->out, "a.png", "theirs");
  batch_fixture_run_good(f, items);
  g_assert_cmpint(batch_fixture_item(items, 0)->status, ==, MS_ITEM_SKIPPED);
  g_assert_true(g_file_get_contents(path, &content, NULL, NULL));
  g_assert_cmpstr(content, ==, "theirs");
}

/* Where links are followed, two names for one file are one output, and a dangling link says where it is created. */
static void
test_run_links_among_outputs(BatchFixture *f, gconstpointer data)
{
  g_autofree char *a = batch_fixture_out_path(f, "a.png");
  g_autofree char *c = batch_fixture_out_path(f, "c.png");
  g_autofree char *elsewhere = g_build_filename(f->folder, "elsewhere.png", NULL);

  batch_fixture_add_picture(f, "a.png", 5, 5);
  batch_fixture_add_picture(f, "b.png", 6, 5);
  batch_fixture_add_picture(f, "c.png", 7, 5);
  g_assert_cmpint(symlink("b.png", a), ==, 0);
  g_assert_cmpint(symlink("../elsewhere.png", c), ==, 0);
  f->request.follow_links = TRUE;
  f->request.on_conflict = MS_CONFLICT_SKIP;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  batch_fixture_run_good(f, items);
  g_assert_cmpint(batch_fixture_item(items, 0)->status, ==, MS_ITEM_DONE);
  g_assert_cmpint(batch_fixture_item(items, 1)->status, ==, MS_ITEM_FAILED);
  g_assert_nonnull(strstr(batch_fixture_item(items, 1)->error, "so would"));
  g_assert_cmpint(batch_fixture_item(items, 2)->status, ==, MS_ITEM_DONE);
  batch_fixture_assert_reference(f, batch_fixture_item(items, 0));
  batch_fixture_assert_reference(f, batch_fixture_item(items, 2));
  g_assert_true(g_file_test(a, G_FILE_TEST_IS_SYMLINK));
  g_assert_true(g_file_test(c, G_FILE_TEST_IS_SYMLINK));
  g_assert_true(g_file_test(elsewhere, G_FILE_TEST_IS_REGULAR));

  /* Both outputs exist: neither is replaced. */
  f->request.on_conflict = MS_CONFLICT_OVERWRITE;
  f->n_finished = 0;
  g_autoptr(GPtrArray) again = batch_fixture_plan(f);
  batch_fixture_run_good(f, again);
  g_assert_cmpuint(ms_batch_count(again).done, ==, 2);
  g_assert_cmpint(batch_fixture_item(again, 1)->status, ==, MS_ITEM_FAILED);
}

static void
test_reference_engine(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsEngine) engine = ms_engine_open("reference", MS_FALLBACK_DEFAULT, NULL, NULL, &error);
  g_autoptr(MsImage) scene = ms_fixture_scene(20, 10, 3);
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  MsSettings settings = ms_settings_default();
  MsJob about = {.source = scene, .settings = &settings, .log = log};

  g_assert_no_error(error);
  g_assert_null(ms_engine_get_context(engine));
  g_assert_true(ms_engine_check(engine, &settings, NULL));
  g_autoptr(MsImage) result = ms_engine_run(engine, &about, &error);
  g_assert_no_error(error);
  g_autoptr(MsImage) expected = ms_fixture_reference(scene, &settings.params, NULL, NULL);
  ms_fixture_assert_same(expected, result, "the reference engine");
  g_assert_cmpuint(ms_timing_log_get_length(log), ==, 1);
  g_assert_cmpfloat(ms_timing_log_get_filter_ms(log), >, 0);
  settings.params.sp = 1000;
  g_assert_false(ms_engine_check(engine, &settings, NULL));
}

void
ms_test_batch_run(void)
{
  BATCH_FIXTURE_ADD("run/all", test_run_all);
  BATCH_FIXTURE_ADD("run/bad-ones-among-good", test_run_bad_ones_among_good);
  BATCH_FIXTURE_ADD("run/lanes-at-once", test_run_lanes_at_once);
  BATCH_FIXTURE_ADD("run/failing-lanes", test_run_failing_lanes);
  BATCH_FIXTURE_ADD("run/measured-alone", test_run_measured_alone);
  BATCH_FIXTURE_ADD("run/wrong-results", test_run_wrong_results);
  BATCH_FIXTURE_ADD("run/memory", test_run_memory);
  BATCH_FIXTURE_ADD("run/profile", test_run_profile);
  BATCH_FIXTURE_ADD("run/too-wide-for-jpeg", test_run_too_wide_for_jpeg);
  BATCH_FIXTURE_ADD("run/limits", test_run_limits);
  BATCH_FIXTURE_ADD("run/interrupted", test_run_interrupted);
  BATCH_FIXTURE_ADD("run/without-device", test_run_without_device);
  BATCH_FIXTURE_ADD("run/decodes-while-opening", test_run_decodes_while_opening);
  BATCH_FIXTURE_ADD("run/large-image-waits", test_run_large_image_waits);
  BATCH_FIXTURE_ADD("run/name-taken-meanwhile", test_run_name_taken_meanwhile);
  BATCH_FIXTURE_ADD("run/skips-what-another-process-saved", test_run_skips_what_another_process_saved);
  BATCH_FIXTURE_ADD("run/links-among-outputs", test_run_links_among_outputs);
  g_test_add_func("/batch/reference-engine", test_reference_engine);
}
