/* SPDX-License-Identifier: MIT */
/* The batch: what is planned for which image, and what the runner makes of it with engines that fail, lie and wait. */
#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "core/batch/runner.h"
#include "tests/fixture.h"
#include "tests/image-files.h"

/* ---- An engine whose behaviour a test chooses ---- */

#define TEST_TYPE_ENGINE (test_engine_get_type())
G_DECLARE_FINAL_TYPE(TestEngine, test_engine, TEST, ENGINE, MsBatchEngine)

typedef enum {
  TRUE_ENGINE,
  WRONG_ENGINE,
  FAILING_ENGINE,
} TestBehaviour;

struct _TestEngine {
  MsBatchEngine parent_instance;
  TestBehaviour behaviour;
  GCancellable *cancel_after_first;
  guint runs;
};

G_DEFINE_FINAL_TYPE(TestEngine, test_engine, MS_TYPE_BATCH_ENGINE)

static MsBatchEngineInfo
test_engine_describe(MsBatchEngine *engine)
{
  return (MsBatchEngineInfo){.name = "test", .platform = "test", .driver = "1", .type = "other"};
}

static MsImage *
one_pixel_off(MsImage *image)
{
  gsize size = ms_image_get_byte_size(image);
  guint8 *pixels = g_memdup2(ms_image_get_pixels(image), size);

  pixels[size / 2] ^= 8;
  return ms_image_new_take(ms_image_get_width(image), ms_image_get_height(image), pixels,
                           ms_image_get_metadata(image));
}

static MsImage *
test_engine_run(MsBatchEngine *engine, MsImage *source, const MsSettings *settings, MsBatchEngineRun *run,
                GCancellable *cancellable, GError **error)
{
  TestEngine *self = TEST_ENGINE(engine);
  g_autoptr(MsImage) result = NULL;

  run->used = *settings;
  self->runs++;
  if (self->behaviour == FAILING_ENGINE && ms_image_get_width(source) == 17) {
    g_set_error(error, MS_ERROR, MS_ERROR_DEVICE, "The device does not like a width of 17.");
    return NULL;
  }
  result = ms_reference_run(source, &settings->params, NULL, ms_batch_engine_report_progress, self,
                            cancellable, error);
  if (result)
    ms_timing_log_add_host(run->log, MS_STAGE_KERNEL, "test", 0, g_get_monotonic_time() - 1000);
  if (self->cancel_after_first && self->runs == 1)
    g_cancellable_cancel(self->cancel_after_first);
  if (result && self->behaviour == WRONG_ENGINE)
    return one_pixel_off(result);
  return g_steal_pointer(&result);
}

static void
test_engine_class_init(TestEngineClass *klass)
{
  MS_BATCH_ENGINE_CLASS(klass)->describe = test_engine_describe;
  MS_BATCH_ENGINE_CLASS(klass)->run = test_engine_run;
}

static void
test_engine_init(TestEngine *self)
{
}

/* ---- A folder with pictures, and a request for them ---- */

typedef struct {
  char *folder;
  char *in;
  char *out;
  const char *inputs[8];
  MsBatchRequest request;
  MsRunnerOptions options;
  TestEngine *engine;
  GCancellable *cancellable;
  guint n_finished;
  guint n_progress;
  GPtrArray *troubles;
} Fixture;

static void
add_picture(Fixture *f, const char *name, int width, int height)
{
  g_autofree char *path = g_build_filename(f->in, name, NULL);
  g_autofree char *folder = g_path_get_dirname(path);
  g_autoptr(MsImage) image = ms_test_image_random(width, height, (guint32)width, TRUE, NULL);
  MsSaveOptions save = ms_save_options_default();
  g_autoptr(GError) error = NULL;

  g_assert_cmpint(g_mkdir_with_parents(folder, 0777), ==, 0);
  save.overwrite = TRUE;
  ms_image_save(image, path, &save, NULL, NULL, &error);
  g_assert_no_error(error);
}

static void
add_file(Fixture *f, const char *folder, const char *name, const char *content)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);

  g_assert_true(g_file_set_contents(path, content, -1, NULL));
}

static void
set_up(Fixture *f, gconstpointer data)
{
  f->folder = ms_test_folder_new();
  f->in = g_build_filename(f->folder, "in", NULL);
  f->out = g_build_filename(f->folder, "out", NULL);
  g_assert_cmpint(g_mkdir(f->in, 0777), ==, 0);
  g_assert_cmpint(g_mkdir(f->out, 0777), ==, 0);
  f->inputs[0] = f->in;
  f->request = (MsBatchRequest){
      .inputs = f->inputs, .output = f->out, .shard = {1, 1}, .settings = ms_settings_default()};
  f->request.settings.params.sp = 2;
  f->options = ms_runner_options_default();
  f->options.settings = f->request.settings;
  f->options.jobs = 3;
  f->engine = g_object_new(TEST_TYPE_ENGINE, NULL);
  f->cancellable = g_cancellable_new();
  f->troubles = g_ptr_array_new_with_free_func(g_free);
}

static void
remove_tree(const char *path)
{
  g_autoptr(GDir) folder = g_file_test(path, G_FILE_TEST_IS_SYMLINK) ? NULL : g_dir_open(path, 0, NULL);
  const char *name;

  while (folder && (name = g_dir_read_name(folder)) != NULL) {
    g_autofree char *entry = g_build_filename(path, name, NULL);
    remove_tree(entry);
  }
  g_assert_cmpint(g_remove(path), ==, 0);
}

static void
tear_down(Fixture *f, gconstpointer data)
{
  g_object_unref(f->engine);
  g_object_unref(f->cancellable);
  g_ptr_array_unref(f->troubles);
  g_free(f->in);
  g_free(f->out);
  remove_tree(f->folder);
  g_free(f->folder);
}

static GPtrArray *
plan(Fixture *f)
{
  g_autoptr(GError) error = NULL;
  GPtrArray *items = ms_batch_plan(&f->request, &error);

  g_assert_no_error(error);
  return items;
}

static MsBatchItem *
item_at(GPtrArray *items, guint index)
{
  g_assert_cmpuint(index, <, items->len);
  return g_ptr_array_index(items, index);
}

static char *
out_path(Fixture *f, const char *name)
{
  return g_build_filename(f->out, name, NULL);
}

static void
assert_output(Fixture *f, const MsBatchItem *item, const char *name)
{
  g_autofree char *path = out_path(f, name);

  g_assert_cmpstr(item->output, ==, path);
}

static MsBatchEngine *
open_test_engine(gpointer data, GError **error)
{
  return g_object_ref(MS_BATCH_ENGINE(((Fixture *)data)->engine));
}

static void
count_finished(MsBatchItem *item, gpointer data)
{
  g_assert_cmpint(item->status, !=, MS_ITEM_PENDING);
  ((Fixture *)data)->n_finished++;
}

static void
count_progress(MsBatchItem *item, int done, int total, gpointer data)
{
  g_assert_cmpint(done, <=, total);
  ((Fixture *)data)->n_progress++;
}

static void
note_trouble(const char *sentence, gpointer data)
{
  g_ptr_array_add(((Fixture *)data)->troubles, g_strdup(sentence));
}

static gboolean
run(Fixture *f, GPtrArray *items, GError **error)
{
  const MsRunnerHooks hooks = {.open = open_test_engine,
                               .finished = count_finished,
                               .progress = count_progress,
                               .trouble = note_trouble,
                               .data = f};

  return ms_runner_run(items, &f->options, &hooks, f->cancellable, error);
}

static void
run_good(Fixture *f, GPtrArray *items)
{
  g_autoptr(GError) error = NULL;

  g_assert_true(run(f, items, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(f->n_finished, ==, items->len);
}

/* ---- Plans ---- */

static void
test_plan_folder(Fixture *f, gconstpointer data)
{
  add_picture(f, "b.png", 3, 3);
  add_picture(f, "a.jpg", 3, 3);
  add_picture(f, "deep/er/c.PNG", 3, 3);
  add_file(f, f->in, "notes.txt", "no image");
  add_file(f, f->in, "broken.png", "no image either");
  add_file(f, f->in, ".hidden.png", "x");
  add_file(f, f->in, "signature", "\x89PNG\r\n\x1a\n");

  g_autoptr(GPtrArray) flat = plan(f);
  g_assert_cmpuint(flat->len, ==, 4);
  assert_output(f, item_at(flat, 0), "a.jpg");
  assert_output(f, item_at(flat, 1), "b.png");
  assert_output(f, item_at(flat, 2), "broken.png");
  assert_output(f, item_at(flat, 3), "signature.png");

  f->request.recursive = TRUE;
  f->request.name_template = "{seq}-{stem}-sp{sp}.{ext}";
  f->request.format = MS_IMAGE_FORMAT_JPEG;
  g_autoptr(GPtrArray) deep = plan(f);
  g_assert_cmpuint(deep->len, ==, 5);
  assert_output(f, item_at(deep, 0), "1-a-sp2.jpg");
  assert_output(f, item_at(deep, 3), "deep/er/4-c-sp2.jpg");
}

static void
test_plan_outputs_inside_inputs(Fixture *f, gconstpointer data)
{
  g_autofree char *inside = g_build_filename(f->in, "results", NULL);

  add_picture(f, "a.png", 3, 3);
  add_picture(f, "results/a.png", 3, 3);
  f->request.recursive = TRUE;
  f->request.output = inside;
  f->request.on_conflict = MS_CONFLICT_OVERWRITE;
  g_autoptr(GPtrArray) items = plan(f);
  g_assert_cmpuint(items->len, ==, 1);
  g_assert_cmpstr(item_at(items, 0)->relative, ==, "a.png");
}

static void
check_plan_error(Fixture *f, int code, const char *part)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) items = ms_batch_plan(&f->request, &error);

  g_assert_null(items);
  g_assert_error(error, MS_ERROR, code);
  g_assert_nonnull(strstr(error->message, part));
}

static void
test_plan_wrong_outputs(Fixture *f, gconstpointer data)
{
  g_autofree char *picture = g_build_filename(f->in, "a.png", NULL);
  g_autofree char *missing = g_build_filename(f->folder, "missing", NULL);
  g_autofree char *below = g_build_filename(missing, "x.png", NULL);
  g_autofree char *unnamed = g_build_filename(f->out, "x.webp", NULL);

  add_picture(f, "a.png", 3, 3);
  f->request.output = missing;
  check_plan_error(f, MS_ERROR_IO, "does not exist");
  f->request.output = picture;
  check_plan_error(f, MS_ERROR_USAGE, "is a file");
  f->request.output = "-";
  check_plan_error(f, MS_ERROR_USAGE, "one image");
  f->inputs[0] = picture;
  f->request.output = below;
  check_plan_error(f, MS_ERROR_IO, "does not exist");
  f->request.output = unnamed;
  check_plan_error(f, MS_ERROR_USAGE, ".png or .jpg");
  f->request.output = f->out;
  f->request.name_template = "{what}";
  check_plan_error(f, MS_ERROR_USAGE, "--name");
}

static void
test_plan_conflicts(Fixture *f, gconstpointer data)
{
  add_picture(f, "a.png", 3, 3);
  add_file(f, f->out, "a.png", "in the way");
  add_file(f, f->out, "a-1.png", "in the way too");

  g_autoptr(GPtrArray) fail = plan(f);
  g_assert_cmpint(item_at(fail, 0)->status, ==, MS_ITEM_FAILED);
  g_assert_nonnull(strstr(item_at(fail, 0)->error, "--on-conflict"));
  f->request.on_conflict = MS_CONFLICT_SKIP;
  g_autoptr(GPtrArray) skip = plan(f);
  g_assert_cmpint(item_at(skip, 0)->status, ==, MS_ITEM_SKIPPED);
  f->request.on_conflict = MS_CONFLICT_UNIQUE;
  g_autoptr(GPtrArray) unique = plan(f);
  g_assert_cmpint(item_at(unique, 0)->status, ==, MS_ITEM_PENDING);
  assert_output(f, item_at(unique, 0), "a-2.png");
  f->request.on_conflict = MS_CONFLICT_OVERWRITE;
  g_autoptr(GPtrArray) overwrite = plan(f);
  g_assert_cmpint(item_at(overwrite, 0)->status, ==, MS_ITEM_PENDING);
  g_assert_true(item_at(overwrite, 0)->overwrite);
}

static void
test_plan_collisions(Fixture *f, gconstpointer data)
{
  add_picture(f, "a.jpg", 3, 3);
  add_picture(f, "a.png", 3, 3);
  f->request.format = MS_IMAGE_FORMAT_PNG;
  f->request.on_conflict = MS_CONFLICT_OVERWRITE;

  g_autoptr(GPtrArray) items = plan(f);
  g_assert_cmpint(item_at(items, 0)->status, ==, MS_ITEM_PENDING);
  g_assert_cmpint(item_at(items, 1)->status, ==, MS_ITEM_FAILED);
  g_assert_nonnull(strstr(item_at(items, 1)->error, "a.jpg"));
  f->request.on_conflict = MS_CONFLICT_UNIQUE;
  g_autoptr(GPtrArray) unique = plan(f);
  assert_output(f, item_at(unique, 0), "a.png");
  assert_output(f, item_at(unique, 1), "a-1.png");
}

/* By name, by a hard link, by a symbolic link, and when it is another's input: never. */
static void
test_plan_never_overwrites_inputs(Fixture *f, gconstpointer data)
{
  g_autofree char *a = g_build_filename(f->in, "a.png", NULL);
  g_autofree char *b = g_build_filename(f->in, "b.png", NULL);
  g_autofree char *hard = out_path(f, "hard.png");
  g_autofree char *soft = out_path(f, "soft.png");
  const char *const outputs[] = {a, b, hard, soft};

  add_picture(f, "a.png", 3, 3);
  add_picture(f, "b.png", 3, 3);
  g_assert_cmpint(link(a, hard), ==, 0);
  g_assert_cmpint(symlink(b, soft), ==, 0);
  f->request.on_conflict = MS_CONFLICT_OVERWRITE;
  f->request.output = f->in;
  g_autoptr(GPtrArray) folder = plan(f);
  g_assert_cmpuint(ms_batch_count(folder).failed, ==, 2);

  f->inputs[0] = a;
  for (gsize i = 0; i < G_N_ELEMENTS(outputs); i++) {
    f->request.output = outputs[i];
    g_autoptr(GPtrArray) items = plan(f);
    gboolean other = outputs[i] == b || outputs[i] == soft;
    g_assert_cmpint(item_at(items, 0)->status, ==, other ? MS_ITEM_PENDING : MS_ITEM_FAILED);
    if (!other)
      g_assert_nonnull(strstr(item_at(items, 0)->error, "never overwritten"));
  }
}

static void
test_plan_shards(Fixture *f, gconstpointer data)
{
  guint total = 0;

  for (int i = 0; i < 20; i++) {
    g_autofree char *name = g_strdup_printf("p%d.png", i);
    add_picture(f, name, 2, 2);
  }
  f->request.name_template = "{seq}.{ext}";
  g_autoptr(GHashTable) outputs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (guint k = 1; k <= 3; k++) {
    f->request.shard = (MsShard){k, 3};
    g_autoptr(GPtrArray) items = plan(f);
    total += items->len;
    for (guint i = 0; i < items->len; i++)
      g_assert_true(g_hash_table_add(outputs, g_strdup(item_at(items, i)->output)));
  }
  g_assert_cmpuint(total, ==, 20);
}

static void
test_plan_troubles(Fixture *f, gconstpointer data)
{
  g_autofree char *empty = g_build_filename(f->folder, "empty", NULL);

  g_assert_cmpint(g_mkdir(empty, 0777), ==, 0);
  f->inputs[0] = empty;
  g_autoptr(GPtrArray) items = plan(f);
  g_assert_cmpuint(items->len, ==, 1);
  g_assert_cmpint(item_at(items, 0)->status, ==, MS_ITEM_FAILED);
  g_assert_nonnull(strstr(item_at(items, 0)->error, "--recursive"));
}

/* ---- Runs ---- */

static void
assert_is_reference(Fixture *f, const MsBatchItem *item)
{
  g_autoptr(MsImage) source = ms_image_load(item->input, NULL, NULL, NULL);
  g_autoptr(MsImage) expected =
      ms_reference_run(source, &f->options.settings.params, NULL, NULL, NULL, NULL, NULL);
  g_autoptr(MsImage) actual = ms_image_load(item->output, NULL, NULL, NULL);

  g_assert_nonnull(actual);
  ms_fixture_assert_same(expected, actual, item->output);
}

static void
test_run_all(Fixture *f, gconstpointer data)
{
  for (int i = 0; i < 24; i++) {
    g_autofree char *name = g_strdup_printf("%s/p%d.png", i % 3 ? "." : "sub", i);
    add_picture(f, name, 5 + i, 9);
  }
  f->request.recursive = TRUE;
  f->options.keep_log = TRUE;
  f->options.repeat = 3;
  f->options.verify = TRUE;
  g_autoptr(GPtrArray) items = plan(f);
  run_good(f, items);
  g_assert_cmpuint(ms_batch_count(items).done, ==, 24);
  g_assert_cmpuint(f->engine->runs, ==, 72);
  g_assert_cmpuint(f->n_progress, >=, 72);
  for (guint i = 0; i < items->len; i++) {
    const MsBatchItem *item = item_at(items, i);
    assert_is_reference(f, item);
    g_assert_cmpuint(item->kernel_ms->len, ==, 3);
    g_assert_true(item->verified && !ms_batch_item_differs(item));
    g_assert_cmpstr(item->device, ==, "test");
    g_assert_cmpuint(ms_timing_log_get_length(item->log), ==, 3);
  }
}

static void
test_run_bad_ones_among_good(Fixture *f, gconstpointer data)
{
  add_picture(f, "a.png", 5, 5);
  add_file(f, f->in, "b.png", "no image");
  add_file(f, f->in, "c.png", "");
  add_picture(f, "d.png", 17, 4);
  add_picture(f, "e.png", 6, 4);
  f->engine->behaviour = FAILING_ENGINE;
  g_autoptr(GPtrArray) items = plan(f);
  run_good(f, items);

  const MsItemStatus expected[] = {MS_ITEM_DONE, MS_ITEM_FAILED, MS_ITEM_FAILED, MS_ITEM_FAILED,
                                   MS_ITEM_DONE};
  for (guint i = 0; i < G_N_ELEMENTS(expected); i++) {
    const MsBatchItem *item = item_at(items, i);
    g_assert_cmpint(item->status, ==, expected[i]);
    g_assert_cmpint(g_file_test(item->output, G_FILE_TEST_EXISTS), ==, expected[i] == MS_ITEM_DONE);
    g_assert_cmpint(item->error != NULL, ==, expected[i] == MS_ITEM_FAILED);
  }
  g_assert_cmpuint(ms_test_folder_count(f->out), ==, 2);
}

static void
test_run_wrong_results(Fixture *f, gconstpointer data)
{
  add_picture(f, "a.png", 9, 5);
  f->engine->behaviour = WRONG_ENGINE;
  f->options.verify = TRUE;
  g_autoptr(GPtrArray) items = plan(f);
  run_good(f, items);

  const MsBatchItem *item = item_at(items, 0);
  g_assert_cmpint(item->status, ==, MS_ITEM_FAILED);
  g_assert_cmpuint(item->difference.mismatched_pixels, ==, 1);
  g_assert_cmpint(item->difference.max_difference, ==, 8);
  g_assert_nonnull(strstr(item->error, "1 of 45 pixels"));
  g_assert_cmpuint(ms_batch_count(items).different, ==, 1);
  g_assert_cmpuint(ms_test_folder_count(f->out), ==, 0);
}

/* However little memory there is, one image at a time gets through. */
static void
test_run_memory(Fixture *f, gconstpointer data)
{
  for (int i = 0; i < 12; i++) {
    g_autofree char *name = g_strdup_printf("p%02d.png", i);
    add_picture(f, name, 10, i == 5 ? 100 : 10);
  }
  f->options.memory_limit = 1000;
  g_autoptr(GPtrArray) items = plan(f);
  run_good(f, items);
  for (guint i = 0; i < items->len; i++)
    g_assert_cmpint(item_at(items, i)->status, ==, i == 5 ? MS_ITEM_FAILED : MS_ITEM_DONE);
  g_assert_nonnull(strstr(item_at(items, 5)->error, "--memory-limit"));
}

static void
test_run_limits(Fixture *f, gconstpointer data)
{
  add_picture(f, "a.png", 10, 10);
  f->options.limits.max_pixels = 99;
  g_autoptr(GPtrArray) items = plan(f);
  run_good(f, items);
  g_assert_cmpint(item_at(items, 0)->status, ==, MS_ITEM_FAILED);
  g_assert_cmpuint(f->engine->runs, ==, 0);
}

static void
test_run_interrupted(Fixture *f, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  for (int i = 0; i < 30; i++) {
    g_autofree char *name = g_strdup_printf("p%02d.png", i);
    add_picture(f, name, 20, 20);
  }
  f->engine->cancel_after_first = f->cancellable;
  g_autoptr(GPtrArray) items = plan(f);
  g_assert_false(run(f, items, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  MsBatchCounts counts = ms_batch_count(items);
  g_assert_cmpuint(counts.failed, ==, 0);
  g_assert_cmpuint(counts.pending, >, 25);
  g_assert_cmpuint(ms_test_folder_count(f->out), ==, counts.done);
}

static MsBatchEngine *
open_nothing(gpointer data, GError **error)
{
  g_set_error(error, MS_ERROR, MS_ERROR_NO_DEVICE, "No device.");
  return NULL;
}

static void
test_run_without_device(Fixture *f, gconstpointer data)
{
  const MsRunnerHooks hooks = {.open = open_nothing};
  g_autoptr(GError) error = NULL;

  add_picture(f, "a.png", 5, 5);
  g_autoptr(GPtrArray) items = plan(f);
  g_assert_false(ms_runner_run(items, &f->options, &hooks, NULL, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_NO_DEVICE);
  g_assert_cmpint(item_at(items, 0)->status, ==, MS_ITEM_PENDING);

  /* Nothing to do needs no device. */
  g_clear_error(&error);
  ms_batch_item_skip(item_at(items, 0), "done before");
  g_assert_true(ms_runner_run(items, &f->options, &hooks, NULL, &error));
}

/* Somebody takes the free name between the plan and the save. */
static void
test_run_name_taken_meanwhile(Fixture *f, gconstpointer data)
{
  add_picture(f, "a.png", 5, 5);
  f->request.on_conflict = MS_CONFLICT_UNIQUE;
  g_autoptr(GPtrArray) items = plan(f);
  assert_output(f, item_at(items, 0), "a.png");
  add_file(f, f->out, "a.png", "theirs");
  add_file(f, f->out, "a-1.png", "theirs too");
  run_good(f, items);
  assert_output(f, item_at(items, 0), "a-2.png");
  assert_is_reference(f, item_at(items, 0));

  f->request.on_conflict = MS_CONFLICT_FAIL;
  f->request.format = MS_IMAGE_FORMAT_JPEG;
  f->n_finished = 0;
  g_autoptr(GPtrArray) again = plan(f);
  add_file(f, f->out, "a.jpg", "theirs");
  run_good(f, again);
  g_assert_cmpint(item_at(again, 0)->status, ==, MS_ITEM_FAILED);
  g_autofree char *path = out_path(f, "a.jpg");
  g_autofree char *content = NULL;
  g_assert_true(g_file_get_contents(path, &content, NULL, NULL));
  g_assert_cmpstr(content, ==, "theirs");
}

/* ---- Manifest and resuming ---- */

static MsManifest *
open_manifest(Fixture *f)
{
  g_autofree char *path = g_build_filename(f->folder, "manifest.jsonl", NULL);
  g_autoptr(GError) error = NULL;
  MsManifest *manifest = ms_manifest_open(path, &error);

  g_assert_no_error(error);
  return manifest;
}

static guint
run_with_manifest(Fixture *f, MsBatchCounts *counts)
{
  g_autoptr(MsManifest) manifest = open_manifest(f);
  guint before = f->engine->runs;

  f->request.manifest = f->options.manifest = manifest;
  g_autoptr(GPtrArray) items = plan(f);
  f->n_finished = 0;
  run_good(f, items);
  *counts = ms_batch_count(items);
  return f->engine->runs - before;
}

static void
test_manifest_resume(Fixture *f, gconstpointer data)
{
  MsBatchCounts counts;
  g_autofree char *first = out_path(f, "a.png");

  add_picture(f, "a.png", 5, 5);
  add_picture(f, "b.png", 6, 5);
  add_picture(f, "b\"\\\n\xff.png", 7, 5);
  add_file(f, f->in, "c.png", "damaged");
  f->request.resume = TRUE;
  f->request.on_conflict = MS_CONFLICT_OVERWRITE;
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 3);
  g_assert_cmpuint(counts.failed, ==, 1);

  /* Done ones are left out, the failed one is tried again. */
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 0);
  g_assert_cmpuint(counts.skipped, ==, 3);
  g_assert_cmpuint(counts.failed, ==, 1);

  /* A lost output, a changed input and other settings are done anew. */
  g_assert_cmpint(g_unlink(first), ==, 0);
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  add_picture(f, "b.png", 60, 5);
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  f->request.settings.params.sr = 30;
  f->options.settings = f->request.settings;
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 3);
}

static void
test_manifest_torn(Fixture *f, gconstpointer data)
{
  MsBatchCounts counts;

  add_picture(f, "a.png", 5, 5);
  add_file(f, f->folder, "manifest.jsonl",
           "rubbish\n[1]\n{}\n{\"input\": 3}\n{\"input\": \"/x/a.png\", \"stat");
  f->request.resume = TRUE;
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 0);
  g_assert_cmpuint(counts.skipped, ==, 1);
}

static void
test_manifest_cannot_be_written(Fixture *f, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  add_picture(f, "a.png", 5, 5);
  g_autoptr(MsManifest) nowhere = ms_manifest_open("/nonexistent/m.jsonl", &error);
  g_assert_null(nowhere);
  g_assert_error(error, MS_ERROR, MS_ERROR_IO);
  g_assert_nonnull(strstr(error->message, "--manifest"));

  if (!g_file_test("/dev/full", G_FILE_TEST_EXISTS)) {
    g_test_skip("There is no /dev/full on this system.");
    return;
  }
  g_clear_error(&error);
  g_autoptr(MsManifest) full = ms_manifest_open("/dev/full", &error);
  g_assert_no_error(error);
  f->options.manifest = full;
  g_autoptr(GPtrArray) items = plan(f);
  run_good(f, items);
  g_assert_cmpuint(f->troubles->len, ==, 1);
}

static void
test_resume_without_manifest(Fixture *f, gconstpointer data)
{
  add_picture(f, "a.png", 5, 5);
  add_picture(f, "b.png", 5, 5);
  add_file(f, f->out, "a.png", "done before");
  f->request.resume = TRUE;
  g_autoptr(GPtrArray) items = plan(f);
  run_good(f, items);
  g_assert_cmpuint(f->engine->runs, ==, 1);
  g_assert_cmpint(item_at(items, 0)->status, ==, MS_ITEM_SKIPPED);
  g_assert_cmpint(item_at(items, 1)->status, ==, MS_ITEM_DONE);
}

/* ---- The reference engine ---- */

static void
test_reference_engine(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsBatchEngine) engine =
      ms_batch_engine_open("reference", MS_FALLBACK_DEFAULT, NULL, NULL, &error);
  g_autoptr(MsImage) scene = ms_fixture_scene(20, 10, 3);
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  MsSettings settings = ms_settings_default();
  MsBatchEngineRun about = {.log = log};

  g_assert_no_error(error);
  g_assert_null(ms_batch_engine_get_context(engine));
  g_assert_true(ms_batch_engine_check(engine, &settings, NULL));
  g_autoptr(MsImage) result = ms_batch_engine_run(engine, scene, &settings, &about, NULL, &error);
  g_assert_no_error(error);
  g_autoptr(MsImage) expected = ms_reference_run(scene, &settings.params, NULL, NULL, NULL, NULL, NULL);
  ms_fixture_assert_same(expected, result, "the reference engine");
  g_assert_cmpuint(ms_timing_log_get_length(log), ==, 1);
  settings.params.sp = 1000;
  g_assert_false(ms_batch_engine_check(engine, &settings, NULL));
}

#define ADD(path, function) g_test_add("/batch/" path, Fixture, NULL, set_up, function, tear_down)

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  ADD("plan/folder", test_plan_folder);
  ADD("plan/outputs-inside-inputs", test_plan_outputs_inside_inputs);
  ADD("plan/wrong-outputs", test_plan_wrong_outputs);
  ADD("plan/conflicts", test_plan_conflicts);
  ADD("plan/collisions", test_plan_collisions);
  ADD("plan/never-overwrites-inputs", test_plan_never_overwrites_inputs);
  ADD("plan/shards", test_plan_shards);
  ADD("plan/troubles", test_plan_troubles);
  ADD("run/all", test_run_all);
  ADD("run/bad-ones-among-good", test_run_bad_ones_among_good);
  ADD("run/wrong-results", test_run_wrong_results);
  ADD("run/memory", test_run_memory);
  ADD("run/limits", test_run_limits);
  ADD("run/interrupted", test_run_interrupted);
  ADD("run/without-device", test_run_without_device);
  ADD("run/name-taken-meanwhile", test_run_name_taken_meanwhile);
  ADD("manifest/resume", test_manifest_resume);
  ADD("manifest/torn", test_manifest_torn);
  ADD("manifest/cannot-be-written", test_manifest_cannot_be_written);
  ADD("resume-without-manifest", test_resume_without_manifest);
  g_test_add_func("/batch/reference-engine", test_reference_engine);
  return g_test_run();
}
