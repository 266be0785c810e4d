/* SPDX-License-Identifier: MIT */
#include "tests/batch/batch-fixture.h"

#include <glib/gstdio.h>

#include "core/image/image-save.h"
#include "tests/support/fixture.h"
#include "tests/support/image-files.h"

/** batch_fixture_add_picture: writes random pixels below the folder of inputs and creates missing folders. */
void
batch_fixture_add_picture(BatchFixture *f, const char *name, int width, int height)
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

void
batch_fixture_add_file(BatchFixture *f, const char *folder, const char *name, const char *content)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);

  g_assert_true(g_file_set_contents(path, content, -1, NULL));
}

void
batch_fixture_set_up(BatchFixture *f, gconstpointer data)
{
  f->folder = ms_test_folder_new();
  f->in = g_build_filename(f->folder, "in", NULL);
  f->out = g_build_filename(f->folder, "out", NULL);
  g_assert_cmpint(g_mkdir(f->in, 0777), ==, 0);
  g_assert_cmpint(g_mkdir(f->out, 0777), ==, 0);
  f->inputs[0] = f->in;
  f->request = ms_batch_request_default();
  f->request.inputs = f->inputs;
  f->request.output = f->out;
  f->request.settings.params.sp = 2;
  f->run.request = &f->request;
  f->request.jobs = 3;
  f->engine = fake_engine_new();
  f->cancellable = g_cancellable_new();
  f->problems = g_ptr_array_new_with_free_func(g_free);
}

static void
remove_tree(const char *path)
{
  g_autoptr(GDir) folder = g_file_test(path, G_FILE_TEST_IS_SYMLINK) ? NULL : g_dir_open(path, 0, NULL);
  const char *name;

  while (folder && (name = g_dir_read_name(folder))) {
    g_autofree char *entry = g_build_filename(path, name, NULL);
    remove_tree(entry);
  }
  g_assert_cmpint(g_remove(path), ==, 0);
}

void
batch_fixture_tear_down(BatchFixture *f, gconstpointer data)
{
  ms_driver_free(f->driver);
  ms_engine_unref(f->engine->base);
  g_object_unref(f->cancellable);
  g_ptr_array_unref(f->problems);
  g_free(f->in);
  g_free(f->out);
  remove_tree(f->folder);
  g_free(f->folder);
}

/** batch_fixture_plan: (transfer full): the items of the request, which must be valid. */
GPtrArray *
batch_fixture_plan(BatchFixture *f)
{
  g_autoptr(GError) error = NULL;
  GPtrArray *items = ms_batch_plan(&f->request, &error);

  g_assert_no_error(error);
  return items;
}

/** batch_fixture_open_manifest: (transfer full): a manifest that was read and is open for appending. */
MsManifest *
batch_fixture_open_manifest(const char *path, GError **error)
{
  g_autoptr(MsManifest) manifest = ms_manifest_load(path, error);

  return manifest && ms_manifest_begin(manifest, error) ? g_steal_pointer(&manifest) : NULL;
}

/** batch_fixture_item: (transfer none) */
MsBatchItem *
batch_fixture_item(GPtrArray *items, guint index)
{
  g_assert_cmpuint(index, <, items->len);
  return g_ptr_array_index(items, index);
}

/** batch_fixture_out_path: (transfer full): in the folder of outputs. */
char *
batch_fixture_out_path(BatchFixture *f, const char *name)
{
  return g_build_filename(f->out, name, NULL);
}

void
batch_fixture_assert_output(BatchFixture *f, const MsBatchItem *item, const char *name)
{
  g_autofree char *path = batch_fixture_out_path(f, name);

  g_assert_cmpstr(item->output, ==, path);
}

static MsEngine *
open_fake_engine(gpointer data, GError **error)
{
  return ms_engine_ref(((BatchFixture *)data)->engine->base);
}

/* Records what has finished, as the supervisor of a batch does. */
static void
take_event(MsBatchEvent *event, gpointer data)
{
  BatchFixture *f = data;
  g_autoptr(GError) error = NULL;

  if (event->kind == MS_BATCH_PROGRESS) {
    g_assert_cmpfloat(event->fraction, <=, 1);
    f->n_progress++;
  }
  if (event->kind != MS_BATCH_FINISHED)
    return;
  g_assert_cmpint(event->item->status, !=, MS_ITEM_PENDING);
  f->n_finished++;
  if (f->request.manifest && !ms_manifest_append(f->request.manifest, event->item, &f->request, &error) && error)
    g_ptr_array_add(f->problems, g_strdup(error->message));
}

/** batch_fixture_run: runs the batch on the fake engine and counts what the runner reports. */
gboolean
batch_fixture_run(BatchFixture *f, GPtrArray *items, GError **error)
{
  f->run.open = open_fake_engine;
  f->run.event = take_event;
  f->run.data = f->run.event_data = f;
  f->run.cancellable = f->cancellable;
  return ms_runner_run(items, &f->run, error);
}

/** batch_fixture_run_good: runs the batch; checks that it ends without an error and reports each item once. */
void
batch_fixture_run_good(BatchFixture *f, GPtrArray *items)
{
  g_autoptr(GError) error = NULL;

  g_assert_true(batch_fixture_run(f, items, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(f->n_finished, ==, items->len);
}

/** batch_fixture_assert_reference: checks that the saved output equals the serial reference's result. */
void
batch_fixture_assert_reference(BatchFixture *f, const MsBatchItem *item)
{
  g_autoptr(MsImage) source = ms_image_load(item->input, NULL, NULL, NULL);
  g_autoptr(MsImage) expected = ms_fixture_reference(source, &f->request.settings.params, NULL, NULL);
  g_autoptr(MsImage) actual = ms_image_load(item->output, NULL, NULL, NULL);

  g_assert_nonnull(actual);
  ms_fixture_assert_same(expected, actual, item->output);
}
