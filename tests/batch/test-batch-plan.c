/* SPDX-License-Identifier: MIT */
/* Planning of batches. */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/batch/batch-fixture.h"
#include "tests/support/cases.h"

static void
test_plan_folder(BatchFixture *f, gconstpointer data)
{
  batch_fixture_add_picture(f, "b.png", 3, 3);
  batch_fixture_add_picture(f, "a.jpg", 3, 3);
  batch_fixture_add_picture(f, "deep/er/c.PNG", 3, 3);
  batch_fixture_add_file(f, f->in, "notes.txt", "no image");
  batch_fixture_add_file(f, f->in, "broken.png", "no image either");
  batch_fixture_add_file(f, f->in, ".hidden.png", "x");
  batch_fixture_add_file(f, f->in, "signature", "\x89PNG\r\n\x1a\n");

  g_autoptr(GPtrArray) flat = batch_fixture_plan(f);
  g_assert_cmpuint(flat->len, ==, 4);
  batch_fixture_assert_output(f, batch_fixture_item(flat, 0), "a.jpg");
  batch_fixture_assert_output(f, batch_fixture_item(flat, 1), "b.png");
  batch_fixture_assert_output(f, batch_fixture_item(flat, 2), "broken.png");
  batch_fixture_assert_output(f, batch_fixture_item(flat, 3), "signature.png");

  f->request.recursive = TRUE;
  f->request.name_template = "{seq}-{stem}-sp{sp}.{ext}";
  f->request.save.format = MS_IMAGE_FORMAT_JPEG;
  g_autoptr(GPtrArray) deep = batch_fixture_plan(f);
  g_assert_cmpuint(deep->len, ==, 5);
  batch_fixture_assert_output(f, batch_fixture_item(deep, 0), "1-a-sp2.jpg");
  batch_fixture_assert_output(f, batch_fixture_item(deep, 3), "deep/er/4-c-sp2.jpg");
}

static void
test_plan_outputs_inside_inputs(BatchFixture *f, gconstpointer data)
{
  g_autofree char *inside = g_build_filename(f->in, "results", NULL);

  batch_fixture_add_picture(f, "a.png", 3, 3);
  batch_fixture_add_picture(f, "results/a.png", 3, 3);
  f->request.recursive = TRUE;
  f->request.output = inside;
  f->request.on_conflict = MS_CONFLICT_OVERWRITE;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  g_assert_cmpuint(items->len, ==, 1);
  g_assert_cmpstr(batch_fixture_item(items, 0)->relative, ==, "a.png");
}

static void
check_plan_error(BatchFixture *f, int code, const char *part)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) items = ms_batch_plan(&f->request, &error);

  g_assert_null(items);
  g_assert_error(error, MS_ERROR, code);
  g_assert_nonnull(strstr(error->message, part));
}

static void
test_plan_wrong_outputs(BatchFixture *f, gconstpointer data)
{
  g_autofree char *picture = g_build_filename(f->in, "a.png", NULL);
  g_autofree char *missing = g_build_filename(f->folder, "missing", NULL);
  g_autofree char *below = g_build_filename(missing, "x.png", NULL);
  g_autofree char *unnamed = g_build_filename(f->out, "x.gif", NULL);

  batch_fixture_add_picture(f, "a.png", 3, 3);
  f->request.output = missing;
  g_autoptr(GPtrArray) into_new = batch_fixture_plan(f);
  g_assert_cmpuint(ms_batch_count(into_new).pending, ==, 1);
  g_assert_false(g_file_test(missing, G_FILE_TEST_EXISTS));
  f->request.output = below;
  check_plan_error(f, MS_ERROR_USAGE, "end it in /");
  f->request.output = picture;
  check_plan_error(f, MS_ERROR_USAGE, "is a file");
  f->request.output = "-";
  check_plan_error(f, MS_ERROR_USAGE, "one image");
  f->inputs[0] = picture;
  f->request.output = below;
  check_plan_error(f, MS_ERROR_IO, "does not exist");
  f->request.output = unnamed;
  check_plan_error(f, MS_ERROR_USAGE, ".png, .jpg");
  f->request.output = f->out;
  f->request.name_template = "{what}";
  check_plan_error(f, MS_ERROR_USAGE, "--name");
  f->request.name_template = "..";
  check_plan_error(f, MS_ERROR_USAGE, "--name");
  f->request.name_template = "{stem}";
  f->inputs[0] = "..png";
  g_autoptr(GPtrArray) dots = batch_fixture_plan(f);
  g_assert_cmpint(batch_fixture_item(dots, 0)->status, ==, MS_ITEM_FAILED);
  g_assert_nonnull(strstr(batch_fixture_item(dots, 0)->error, "--name"));
}

static void
test_plan_conflicts(BatchFixture *f, gconstpointer data)
{
  batch_fixture_add_picture(f, "a.png", 3, 3);
  batch_fixture_add_file(f, f->out, "a.png", "in the way");
  batch_fixture_add_file(f, f->out, "a-1.png", "in the way too");

  g_autoptr(GPtrArray) fail = batch_fixture_plan(f);
  g_assert_cmpint(batch_fixture_item(fail, 0)->status, ==, MS_ITEM_FAILED);
  g_assert_nonnull(strstr(batch_fixture_item(fail, 0)->error, "--on-conflict"));
  f->request.on_conflict = MS_CONFLICT_SKIP;
  g_autoptr(GPtrArray) skip = batch_fixture_plan(f);
  g_assert_cmpint(batch_fixture_item(skip, 0)->status, ==, MS_ITEM_SKIPPED);
  f->request.on_conflict = MS_CONFLICT_UNIQUE;
  g_autoptr(GPtrArray) unique = batch_fixture_plan(f);
  g_assert_cmpint(batch_fixture_item(unique, 0)->status, ==, MS_ITEM_PENDING);
  batch_fixture_assert_output(f, batch_fixture_item(unique, 0), "a-2.png");
  f->request.on_conflict = MS_CONFLICT_OVERWRITE;
  g_autoptr(GPtrArray) overwrite = batch_fixture_plan(f);
  g_assert_cmpint(batch_fixture_item(overwrite, 0)->status, ==, MS_ITEM_PENDING);
  g_assert_true(batch_fixture_item(overwrite, 0)->overwrite);
}

static void
test_plan_collisions(BatchFixture *f, gconstpointer data)
{
  batch_fixture_add_picture(f, "a.jpg", 3, 3);
  batch_fixture_add_picture(f, "a.png", 3, 3);
  f->request.save.format = MS_IMAGE_FORMAT_PNG;
  f->request.on_conflict = MS_CONFLICT_OVERWRITE;

  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  g_assert_cmpint(batch_fixture_item(items, 0)->status, ==, MS_ITEM_PENDING);
  g_assert_cmpint(batch_fixture_item(items, 1)->status, ==, MS_ITEM_FAILED);
  g_assert_nonnull(strstr(batch_fixture_item(items, 1)->error, "a.jpg"));
  f->request.on_conflict = MS_CONFLICT_UNIQUE;
  g_autoptr(GPtrArray) unique = batch_fixture_plan(f);
  batch_fixture_assert_output(f, batch_fixture_item(unique, 0), "a.png");
  batch_fixture_assert_output(f, batch_fixture_item(unique, 1), "a-1.png");
}

/* So many images that searching for a free name from 1 each time would take hours. */
static void
test_plan_many_free_names(BatchFixture *f, gconstpointer data)
{
  const guint n = 20003;
  g_autofree char *picture = g_build_filename(f->in, "a.png", NULL);
  g_autofree const char **inputs = g_new0(const char *, n + 1);

  batch_fixture_add_picture(f, "a.png", 3, 3);
  batch_fixture_add_file(f, f->out, "x-2.png", "in the way");
  for (guint i = 0; i < n; i++)
    inputs[i] = picture;
  f->request.inputs = inputs;
  f->request.name_template = "x.png";
  f->request.on_conflict = MS_CONFLICT_UNIQUE;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  g_assert_cmpuint(ms_batch_count(items).pending, ==, n);
  batch_fixture_assert_output(f, batch_fixture_item(items, 0), "x.png");
  batch_fixture_assert_output(f, batch_fixture_item(items, 1), "x-1.png");
  batch_fixture_assert_output(f, batch_fixture_item(items, 2), "x-3.png");
  batch_fixture_assert_output(f, batch_fixture_item(items, n - 1), "x-20003.png");
}

/* An input is never overwritten, by its name, a hard link, a symbolic link, or as another item's input. */
static void
test_plan_never_overwrites_inputs(BatchFixture *f, gconstpointer data)
{
  g_autofree char *a = g_build_filename(f->in, "a.png", NULL);
  g_autofree char *b = g_build_filename(f->in, "b.png", NULL);
  g_autofree char *hard = batch_fixture_out_path(f, "hard.png");
  g_autofree char *soft = batch_fixture_out_path(f, "soft.png");
  const char *const outputs[] = {a, b, hard, soft};

  batch_fixture_add_picture(f, "a.png", 3, 3);
  batch_fixture_add_picture(f, "b.png", 3, 3);
  g_assert_cmpint(link(a, hard), ==, 0);
  g_assert_cmpint(symlink(b, soft), ==, 0);
  f->request.on_conflict = MS_CONFLICT_OVERWRITE;
  f->request.output = f->in;
  g_autoptr(GPtrArray) folder = batch_fixture_plan(f);
  g_assert_cmpuint(ms_batch_count(folder).failed, ==, 2);

  f->inputs[0] = a;
  for (gsize i = 0; i < G_N_ELEMENTS(outputs); i++) {
    f->request.output = outputs[i];
    g_autoptr(GPtrArray) items = batch_fixture_plan(f);
    gboolean other = outputs[i] == b || outputs[i] == soft;
    g_assert_cmpint(batch_fixture_item(items, 0)->status, ==, other ? MS_ITEM_PENDING : MS_ITEM_FAILED);
    if (!other)
      g_assert_nonnull(strstr(batch_fixture_item(items, 0)->error, "never overwritten"));
  }
}

static void
test_plan_shards(BatchFixture *f, gconstpointer data)
{
  guint total = 0;

  for (int i = 0; i < 20; i++) {
    g_autofree char *name = g_strdup_printf("p%d.png", i);
    batch_fixture_add_picture(f, name, 2, 2);
  }
  f->request.name_template = "{seq}.{ext}";
  g_autoptr(GHashTable) outputs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (guint k = 1; k <= 3; k++) {
    f->request.shard = (MsShard){k, 3};
    g_autoptr(GPtrArray) items = batch_fixture_plan(f);
    total += items->len;
    for (guint i = 0; i < items->len; i++)
      g_assert_true(g_hash_table_add(outputs, g_strdup(batch_fixture_item(items, i)->output)));
  }
  g_assert_cmpuint(total, ==, 20);
}

static void
test_plan_troubles(BatchFixture *f, gconstpointer data)
{
  g_autofree char *empty = g_build_filename(f->folder, "empty", NULL);

  g_assert_cmpint(g_mkdir(empty, 0777), ==, 0);
  f->inputs[0] = empty;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  g_assert_cmpuint(items->len, ==, 1);
  g_assert_cmpint(batch_fixture_item(items, 0)->status, ==, MS_ITEM_FAILED);
  g_assert_nonnull(strstr(batch_fixture_item(items, 0)->error, "--recursive"));
}

static GPtrArray *
plan_without_privileges(BatchFixture *f)
{
  gboolean privileged = geteuid() == 0;

  if (privileged) {
    g_assert_cmpint(g_chmod(f->folder, 0755), ==, 0);
    g_assert_cmpint(g_chmod(f->out, 0777), ==, 0);
    g_assert_cmpint(seteuid(65534), ==, 0);
  }
  GPtrArray *items = batch_fixture_plan(f);
  if (privileged)
    g_assert_cmpint(seteuid(0), ==, 0);
  return items;
}

/* An unreadable file, and folders that cannot be searched or listed, stay in the list. */
static void
test_plan_unreadable(BatchFixture *f, gconstpointer data)
{
  g_autofree char *file = g_build_filename(f->in, "no-ending", NULL);
  g_autofree char *folder = g_build_filename(f->in, "deep", NULL);
  g_autofree char *closed = g_build_filename(f->in, "zz-closed", NULL);
  g_autofree char *dangling = g_build_filename(f->in, "dangling", NULL);

  batch_fixture_add_picture(f, "deep/a.png", 3, 3);
  batch_fixture_add_file(f, f->in, "no-ending", "\x89PNG\r\n\x1a\n");
  g_assert_cmpint(symlink("missing", dangling), ==, 0);
  g_assert_cmpint(g_chmod(file, 0), ==, 0);
  g_assert_cmpint(g_chmod(folder, 0644), ==, 0);
  g_assert_cmpint(g_mkdir(closed, 0), ==, 0);
  f->request.recursive = TRUE;
  g_autoptr(GPtrArray) items = plan_without_privileges(f);
  g_assert_cmpint(g_chmod(folder, 0755), ==, 0);
  g_assert_cmpint(g_chmod(closed, 0755), ==, 0);
  g_assert_cmpuint(items->len, ==, 3);
  g_assert_cmpint(batch_fixture_item(items, 0)->status, ==, MS_ITEM_FAILED);
  g_assert_nonnull(strstr(batch_fixture_item(items, 0)->error, "deep/a.png"));
  g_assert_cmpstr(batch_fixture_item(items, 1)->relative, ==, "no-ending");
  g_assert_cmpint(batch_fixture_item(items, 2)->status, ==, MS_ITEM_FAILED);
  g_assert_nonnull(strstr(batch_fixture_item(items, 2)->error, "zz-closed"));
}

static void
test_plan_hidden(BatchFixture *f, gconstpointer data)
{
  batch_fixture_add_picture(f, ".a.png", 3, 3);
  batch_fixture_add_picture(f, ".deep/b.png", 3, 3);
  batch_fixture_add_picture(f, "c.png", 3, 3);
  batch_fixture_add_file(f, f->in, ".ms-0123.tmp", "\x89PNG\r\n\x1a\n");
  f->request.recursive = TRUE;
  g_autoptr(GPtrArray) usual = batch_fixture_plan(f);
  g_assert_cmpuint(usual->len, ==, 1);
  f->request.hidden = TRUE;
  g_autoptr(GPtrArray) all = batch_fixture_plan(f);
  g_assert_cmpuint(all->len, ==, 3);
  g_assert_cmpstr(batch_fixture_item(all, 0)->relative, ==, ".a.png");
}

void
ms_test_batch_plan(void)
{
  BATCH_FIXTURE_ADD("plan/folder", test_plan_folder);
  BATCH_FIXTURE_ADD("plan/outputs-inside-inputs", test_plan_outputs_inside_inputs);
  BATCH_FIXTURE_ADD("plan/wrong-outputs", test_plan_wrong_outputs);
  BATCH_FIXTURE_ADD("plan/unreadable", test_plan_unreadable);
  BATCH_FIXTURE_ADD("plan/hidden", test_plan_hidden);
  BATCH_FIXTURE_ADD("plan/conflicts", test_plan_conflicts);
  BATCH_FIXTURE_ADD("plan/collisions", test_plan_collisions);
  BATCH_FIXTURE_ADD("plan/never-overwrites-inputs", test_plan_never_overwrites_inputs);
  BATCH_FIXTURE_ADD("plan/many-free-names", test_plan_many_free_names);
  BATCH_FIXTURE_ADD("plan/shards", test_plan_shards);
  BATCH_FIXTURE_ADD("plan/problems", test_plan_troubles);
}
