/* SPDX-License-Identifier: MIT */
/* The manifest, and resuming an interrupted batch. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/batch/manifest-entry.h"
#include "tests/batch/batch-fixture.h"
#include "tests/support/cases.h"
#include "tests/support/image-files.h"

static MsManifest *
open_manifest(BatchFixture *f)
{
  g_autofree char *path = g_build_filename(f->folder, "manifest.jsonl", NULL);
  g_autoptr(GError) error = NULL;
  MsManifest *manifest = batch_fixture_open_manifest(path, &error);

  g_assert_no_error(error);
  return manifest;
}

static guint
run_with_manifest(BatchFixture *f, MsBatchCounts *counts)
{
  g_autoptr(MsManifest) manifest = open_manifest(f);
  guint before = f->engine->runs;

  f->request.manifest = manifest;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  g_assert_true(ms_manifest_complete(manifest, items, NULL));
  f->n_finished = 0;
  batch_fixture_run_good(f, items);
  *counts = ms_batch_count(items);
  return f->engine->runs - before;
}

/* Each member of the line of an image, as other programs read it. */
static void
test_line(BatchFixture *f, gconstpointer data)
{
  g_autoptr(MsBatchItem) item = ms_batch_item_new(3, "/in/a.png", "a.png");
  MsBatchRequest request = ms_batch_request_default();

  item->output = g_strdup("/out/a.jpg");
  item->status = MS_ITEM_DONE;
  item->width = 41;
  item->height = 23;
  ms_note_add(&item->notes, MS_NOTE_SHORTENED, "a.jpg", NULL);
  item->source = (MsFileStamp){TRUE, 1001, 2002, 3003, 7007, "ab"};
  item->result = (MsFileStamp){TRUE, 4004, 5005, 6006, 8008, "cd"};
  request.save.quality = 77;
  request.settings.params.sp = 7;
  g_autofree char *line = ms_manifest_line(item, &request);
  g_assert_cmpstr(
    line, ==,
    "{\"input\":\"/in/a.png\",\"output\":\"/out/a.jpg\",\"format\":\"jpeg\",\"quality\":77,\"status\":\"done\","
    "\"note\":\"The name was too long for the result, which is 'a.jpg'.\",\"settings\":\"--sp 7 --sr 20 "
    "--max-iterations 5 --epsilon 1 --rule opencv --levels 0 "
    "--space rgb\",\"size\":1001,\"modified\":2002,\"modified_ns\":3003,\"sha256\":\"ab\",\"output_size\":4004,"
    "\"output_sha256\":\"cd\",\"width\":41,\"height\":23}");
  item->status = MS_ITEM_PENDING;
  g_autofree char *saving = ms_manifest_line(item, &request);
  g_assert_nonnull(strstr(saving, "\"status\":\"saving\""));
  g_assert_nonnull(
    strstr(saving, "\"output_size\":4004,\"output_inode\":8008,\"output_modified\":5005,\"output_modified_ns\":6006"));
}

static void
test_manifest_resume(BatchFixture *f, gconstpointer data)
{
  MsBatchCounts counts;
  g_autofree char *first = batch_fixture_out_path(f, "a.png");

  batch_fixture_add_picture(f, "a.png", 5, 5);
  batch_fixture_add_picture(f, "b.png", 6, 5);
  batch_fixture_add_picture(f, "b\"\\\n\xff.png", 7, 5);
  batch_fixture_add_file(f, f->in, "c.png", "damaged");
  f->request.resume = TRUE;
  f->request.on_conflict = MS_CONFLICT_OVERWRITE;
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 3);
  g_assert_cmpuint(counts.failed, ==, 1);

  /* Finished images are skipped, the failed one is tried again. */
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 0);
  g_assert_cmpuint(counts.skipped, ==, 3);
  g_assert_cmpuint(counts.failed, ==, 1);

  /* Images with a lost output, a changed input or other settings are filtered again. */
  g_assert_cmpint(g_unlink(first), ==, 0);
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  batch_fixture_add_picture(f, "b.png", 60, 5);
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  f->request.settings.params.sr = 30;
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 3);
}

/* Replaces a picture by one of another size and sets the time of its last change. */
static void
replace_picture(BatchFixture *f, const char *name, int width, const struct timespec *changed)
{
  g_autofree char *path = g_build_filename(f->in, name, NULL);
  const struct timespec times[2] = {*changed, *changed};

  batch_fixture_add_picture(f, name, width, 5);
  g_assert_cmpint(utimensat(AT_FDCWD, path, times, 0), ==, 0);
}

/* A changed input is detected by its size alone and by its time alone. */
static void
test_manifest_changed_input(BatchFixture *f, gconstpointer data)
{
  static const struct timespec then = {1000000000, 5}, later = {1000000000, 6};
  MsBatchCounts counts;

  f->request.resume = TRUE;
  f->request.on_conflict = MS_CONFLICT_OVERWRITE;
  replace_picture(f, "a.png", 5, &then);
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 0);
  replace_picture(f, "a.png", 60, &then);
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  replace_picture(f, "a.png", 60, &later);
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
}

static void
test_manifest_torn(BatchFixture *f, gconstpointer data)
{
  MsBatchCounts counts;

  batch_fixture_add_picture(f, "a.png", 5, 5);
  batch_fixture_add_file(f, f->folder, "manifest.jsonl",
                         "rubbish\n[1]\n{}\n{\"input\": 3}\n{\"input\": \"/x/a.png\", \"stat");
  f->request.resume = TRUE;
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 0);
  g_assert_cmpuint(counts.skipped, ==, 1);
}

/* Damaged lines must neither crash nor raise a warning of the JSON library, which would end this test. */
static void
test_manifest_damaged_lines(BatchFixture *f, gconstpointer data)
{
  MsBatchCounts counts;
  g_autofree char *picture = g_build_filename(f->in, "a.png", NULL);
  g_autoptr(GString) lines = g_string_new(NULL);

  batch_fixture_add_picture(f, "a.png", 5, 5);
  g_string_append_printf(lines, "{\"input\": \"%s\", \"status\": 7}\n", picture);
  g_string_append_printf(lines, "{\"input\": \"%s\", \"status\": \"done\", \"settings\": 5}\n", picture);
  g_string_append_printf(lines, "{\"input\": \"%s\", \"size\": \"5\"}\n", picture);
  for (guint i = 0; i < 1000000; i++)
    g_string_append_c(lines, '[');
  g_string_append_c(lines, '\n');
  batch_fixture_add_file(f, f->folder, "manifest.jsonl", lines->str);
  f->request.resume = TRUE;
  g_autoptr(MsManifest) manifest = open_manifest(f);
  g_autofree char *sentence = ms_manifest_describe_ignored(manifest);
  g_assert_nonnull(strstr(sentence, "4 lines"));
  g_assert_nonnull(strstr(sentence, "line 1"));
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
}

/* One line is no "1 lines". */
static void
test_manifest_damaged_line(BatchFixture *f, gconstpointer data)
{
  batch_fixture_add_file(f, f->folder, "manifest.jsonl", "rubbish\n");
  f->request.resume = TRUE;
  g_autoptr(MsManifest) manifest = open_manifest(f);
  g_autofree char *sentence = ms_manifest_describe_ignored(manifest);

  g_assert_true(g_str_has_prefix(sentence, "Line 1 of the manifest '"));
  g_assert_null(strstr(sentence, "lines"));
}

static void
set_nanoseconds(const char *path, long nanoseconds)
{
  struct stat info;

  g_assert_cmpint(stat(path, &info), ==, 0);
  const struct timespec times[2] = {info.st_atim, {info.st_mtim.tv_sec, nanoseconds}};
  g_assert_cmpint(utimensat(AT_FDCWD, path, times, 0), ==, 0);
}

static void
test_manifest_changes_within_a_second(BatchFixture *f, gconstpointer data)
{
  MsBatchCounts counts;
  g_autofree char *input = g_build_filename(f->in, "a.png", NULL);
  g_autofree char *output = batch_fixture_out_path(f, "a.png");

  batch_fixture_add_picture(f, "a.png", 5, 5);
  set_nanoseconds(input, 1000);
  f->request.resume = TRUE;
  f->request.on_conflict = MS_CONFLICT_OVERWRITE;
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 0);
  set_nanoseconds(input, 2000);
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  g_assert_cmpint(truncate(output, 0), ==, 0);
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  g_assert_cmpint(truncate(output, 20), ==, 0);
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 0);
}

static void
test_manifest_cannot_be_written(BatchFixture *f, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  batch_fixture_add_picture(f, "a.png", 5, 5);
  batch_fixture_add_picture(f, "b.png", 5, 5);
  batch_fixture_add_picture(f, "c.png", 5, 5);
  g_autofree char *missing = g_build_filename(f->folder, "missing", "m.jsonl", NULL);
  g_autoptr(MsManifest) nowhere = batch_fixture_open_manifest(missing, &error);
  g_assert_null(nowhere);
  g_assert_error(error, MS_ERROR, MS_ERROR_IO);
  g_assert_nonnull(strstr(error->message, "--manifest"));

  if (!g_file_test("/dev/full", G_FILE_TEST_EXISTS)) {
    g_test_skip("There is no /dev/full on this system.");
    return;
  }
  g_clear_error(&error);
  g_autoptr(MsManifest) full = batch_fixture_open_manifest("/dev/full", &error);
  g_assert_no_error(error);
  f->request.manifest = full;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  batch_fixture_run_good(f, items);
  g_assert_cmpuint(f->problems->len, ==, 1);
}

static void
test_resume_without_manifest(BatchFixture *f, gconstpointer data)
{
  batch_fixture_add_picture(f, "a.png", 5, 5);
  batch_fixture_add_picture(f, "b.png", 5, 5);
  batch_fixture_add_file(f, f->out, "a.png", "done before");
  f->request.resume = TRUE;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  batch_fixture_run_good(f, items);
  g_assert_cmpuint(f->engine->runs, ==, 1);
  g_assert_cmpint(batch_fixture_item(items, 0)->status, ==, MS_ITEM_SKIPPED);
  g_assert_cmpint(batch_fixture_item(items, 1)->status, ==, MS_ITEM_DONE);
}

/* An image counts as finished only for the same folder, name, format and quality of the output. */
static void
test_manifest_other_outputs(BatchFixture *f, gconstpointer data)
{
  MsBatchCounts counts;
  g_autofree char *other = g_build_filename(f->folder, "other", NULL);

  g_assert_cmpint(g_mkdir(other, 0777), ==, 0);
  batch_fixture_add_picture(f, "a.png", 5, 5);
  f->request.resume = TRUE;
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  f->request.output = other;
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 0);
  f->request.name_template = "{stem}-f.{ext}";
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  f->request.save.format = MS_IMAGE_FORMAT_JPEG;
  f->request.on_conflict = MS_CONFLICT_OVERWRITE;
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 0);
  f->request.save.quality = 50;
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 0);
}

/* Names that differ only in a number count as the same: the list may have grown, or another name was free. */
static void
test_manifest_numbers(BatchFixture *f, gconstpointer data)
{
  MsBatchCounts counts;

  batch_fixture_add_picture(f, "b.png", 5, 5);
  batch_fixture_add_file(f, f->out, "b.png", "in the way");
  f->request.resume = TRUE;
  f->request.on_conflict = MS_CONFLICT_UNIQUE;
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 0);
  f->request.name_template = "{seq}.{ext}";
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  batch_fixture_add_picture(f, "a.png", 5, 5);
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  g_assert_cmpuint(counts.skipped, ==, 1);
}

/* Lines of the first version: without format and quality. */
static void
test_manifest_old_lines(BatchFixture *f, gconstpointer data)
{
  MsBatchCounts counts;
  g_autofree char *path = g_build_filename(f->folder, "manifest.jsonl", NULL);
  g_autofree char *content = NULL;

  batch_fixture_add_picture(f, "a.png", 5, 5);
  f->request.resume = TRUE;
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  g_assert_true(g_file_get_contents(path, &content, NULL, NULL));
  char *format = g_strrstr(content, "\"format\":\"png\",");
  g_assert_nonnull(format);
  memset(format, ' ', strlen("\"format\":\"png\","));
  g_assert_true(g_file_set_contents(path, content, -1, NULL));
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 0);
}

static char *
cut_last_line(const char *path)
{
  g_autofree char *content = NULL;
  char *last;

  g_assert_true(g_file_get_contents(path, &content, NULL, NULL));
  content[strlen(content) - 1] = '\0';
  last = strrchr(content, '\n');
  last[1] = '\0';
  g_assert_true(g_file_set_contents(path, content, -1, NULL));
  return g_steal_pointer(&content);
}

/* The line that says that the image is done is missing, but not the one before it, about the file of its output. */
static void
check_killed_after_name(BatchFixture *f, MsResume resume)
{
  MsBatchCounts counts;
  g_autofree char *path = g_build_filename(f->folder, "manifest.jsonl", NULL);
  g_autofree char *output = batch_fixture_out_path(f, "a.png");
  g_autofree char *kept = batch_fixture_out_path(f, "kept.png");
  g_autofree char *lines = NULL, *after = NULL, *content = NULL;
  gsize length;

  batch_fixture_add_picture(f, "a.png", 5, 5);
  f->request.resume = resume;
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  g_assert_true(g_file_get_contents(path, &lines, NULL, NULL));
  g_free(cut_last_line(path));

  /* It is done, and the next run writes the missing line again. */
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 0);
  g_assert_cmpuint(counts.skipped, ==, 1);
  g_assert_true(g_file_get_contents(path, &after, NULL, NULL));
  g_assert_cmpstr(after, ==, lines);
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 0);

  /* A file of the same size and time that took the place of the output is another one. */
  g_free(cut_last_line(path));
  g_assert_true(g_file_get_contents(output, &content, &length, NULL));
  struct stat info;
  g_assert_cmpint(stat(output, &info), ==, 0);
  g_assert_cmpint(g_rename(output, kept), ==, 0);
  g_assert_true(g_file_set_contents(output, content, (gssize)length, NULL));
  const struct timespec times[2] = {info.st_atim, info.st_mtim};
  g_assert_cmpint(utimensat(AT_FDCWD, output, times, 0), ==, 0);
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 0);
  g_assert_cmpuint(counts.failed, ==, 1);

  /* So is the file itself after somebody wrote to it, whose number may be given to any file, too. */
  g_assert_cmpint(g_rename(kept, output), ==, 0);
  set_nanoseconds(output, info.st_mtim.tv_nsec == 1000 ? 2000 : 1000);
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 0);
  g_assert_cmpuint(counts.failed, ==, 1);
}

static void
test_manifest_killed_after_name(BatchFixture *f, gconstpointer data)
{
  check_killed_after_name(f, MS_RESUME_STAT);
}

static void
test_manifest_killed_after_name_by_hash(BatchFixture *f, gconstpointer data)
{
  check_killed_after_name(f, MS_RESUME_HASH);
}

/* The name was never given: the image is filtered again, and of what an earlier run finished nothing is forgotten. */
static void
test_manifest_killed_before_name(BatchFixture *f, gconstpointer data)
{
  MsBatchCounts counts;
  g_autofree char *path = g_build_filename(f->folder, "manifest.jsonl", NULL);
  g_autofree char *output = batch_fixture_out_path(f, "a.png");
  g_autofree char *content = NULL;

  batch_fixture_add_picture(f, "a.png", 5, 5);
  f->request.resume = MS_RESUME_STAT;
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  g_assert_true(g_file_get_contents(path, &content, NULL, NULL));
  g_free(cut_last_line(path));
  g_assert_cmpint(g_unlink(output), ==, 0);
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  g_assert_cmpuint(counts.done, ==, 1);

  /* Another run was about to replace the output that is there. */
  char *end = strchr(content, '\n');
  end[1] = '\0';
  FILE *file = fopen(path, "a");
  g_assert_nonnull(file);
  g_assert_cmpint(fputs(content, file), >=, 0);
  g_assert_cmpint(fclose(file), ==, 0);
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 0);
  g_assert_cmpuint(counts.skipped, ==, 1);
}

/* Every byte of the manifest must belong to a line of JSON. */
static void
assert_lines_are_records(BatchFixture *f, guint n)
{
  g_autofree char *path = g_build_filename(f->folder, "manifest.jsonl", NULL);
  g_autofree char *content = NULL;

  g_assert_true(g_file_get_contents(path, &content, NULL, NULL));
  g_auto(GStrv) lines = g_strsplit(content, "\n", -1);
  g_assert_cmpuint(g_strv_length(lines), ==, n + 1);
  g_assert_cmpstr(lines[n], ==, "");
  for (guint i = 0; i < n; i++) {
    g_autoptr(MsManifestEntry) entry = ms_manifest_entry_parse(lines[i], strlen(lines[i]));
    g_assert_nonnull(entry);
  }
}

/* An output of another shard may have got its name just now; its own process adds the line. */
static void
test_manifest_of_another_shard(BatchFixture *f, gconstpointer data)
{
  MsBatchCounts counts;
  g_autofree char *path = g_build_filename(f->folder, "manifest.jsonl", NULL);
  guint n_own = 0;

  batch_fixture_add_picture(f, "a.png", 5, 5);
  f->request.resume = MS_RESUME_STAT;
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  g_free(cut_last_line(path));
  for (guint i = 0; i < 3; i++) {
    f->request.shard = (MsShard){.index = i % 2 + 1, .count = 2};
    n_own += ms_shard_takes(&f->request.shard, "a.png");
    g_assert_cmpuint(run_with_manifest(f, &counts), ==, 0);
    assert_lines_are_records(f, n_own > 0 ? 2 : 1);
  }
}

/* A file that no line records is a conflict like any other, and stays what it is unless it may be replaced. */
static void
test_manifest_killed(BatchFixture *f, gconstpointer data)
{
  MsBatchCounts counts;
  g_autofree char *path = g_build_filename(f->folder, "manifest.jsonl", NULL);
  g_autofree char *last = batch_fixture_out_path(f, "b.png");
  g_autofree char *numbered = batch_fixture_out_path(f, "b-1.png");
  g_autofree char *content = NULL;

  f->request.jobs = 1;
  batch_fixture_add_picture(f, "a.png", 5, 5);
  batch_fixture_add_picture(f, "b.png", 6, 5);
  f->request.resume = TRUE;
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 2);
  g_free(cut_last_line(path));
  g_assert_true(g_file_set_contents(last, "theirs", -1, NULL));
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 0);
  g_assert_cmpuint(counts.failed, ==, 1);
  g_assert_cmpuint(counts.skipped, ==, 1);
  f->request.on_conflict = MS_CONFLICT_SKIP;
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 0);
  g_assert_cmpuint(counts.skipped, ==, 2);
  g_assert_true(g_file_get_contents(last, &content, NULL, NULL));
  g_assert_cmpstr(content, ==, "theirs");

  f->request.on_conflict = MS_CONFLICT_UNIQUE;
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  g_assert_true(g_file_test(numbered, G_FILE_TEST_EXISTS));
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 0);

  f->request.on_conflict = MS_CONFLICT_OVERWRITE;
  g_free(cut_last_line(path));
  g_free(cut_last_line(path));
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  g_assert_cmpuint(counts.done, ==, 1);
  g_assert_cmpuint(counts.skipped, ==, 1);
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 0);
  g_assert_cmpuint(counts.skipped, ==, 2);
}

/* Results beside their inputs are not inputs of the next run, with or without a manifest, unless named as arguments. */
static void
test_resume_beside_inputs(BatchFixture *f, gconstpointer data)
{
  MsBatchCounts counts;
  g_autofree char *result = g_build_filename(f->in, "a-f.png", NULL);

  batch_fixture_add_picture(f, "a.png", 5, 5);
  batch_fixture_add_picture(f, "b.png", 6, 5);
  f->request.output = f->in;
  f->request.name_template = "{stem}-f.{ext}";
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 2);
  f->request.resume = TRUE;
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 0);
  g_assert_cmpuint(counts.skipped, ==, 2);
  f->request.on_conflict = MS_CONFLICT_OVERWRITE;
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 0);
  g_assert_cmpuint(counts.skipped, ==, 2);

  f->request.on_conflict = MS_CONFLICT_FAIL;
  f->request.manifest = NULL;
  g_autoptr(GPtrArray) plain = batch_fixture_plan(f);
  g_assert_cmpuint(plain->len, ==, 2);
  g_assert_cmpuint(ms_batch_count(plain).skipped, ==, 2);
  /* The file could be an original, so it is not replaced. */
  f->request.on_conflict = MS_CONFLICT_OVERWRITE;
  g_autoptr(GPtrArray) overwrite = batch_fixture_plan(f);
  g_assert_cmpuint(overwrite->len, ==, 4);
  g_assert_cmpuint(ms_batch_count(overwrite).failed, ==, 2);
  f->request.on_conflict = MS_CONFLICT_FAIL;
  f->inputs[1] = result;
  g_autoptr(GPtrArray) named = batch_fixture_plan(f);
  g_assert_cmpuint(named->len, ==, 3);
  g_assert_cmpstr(batch_fixture_item(named, 2)->input, ==, result);
}

/* The result of one run may be the input of another. */
static void
test_manifest_two_steps(BatchFixture *f, gconstpointer data)
{
  MsBatchCounts counts;
  g_autofree char *second = g_build_filename(f->folder, "second", NULL);

  g_assert_cmpint(g_mkdir(second, 0777), ==, 0);
  batch_fixture_add_picture(f, "a.png", 5, 5);
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  f->inputs[0] = f->out;
  f->request.output = second;
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
}

static gboolean
append_within(MsManifest *manifest, const char *input, rlim_t limit, const MsBatchRequest *request)
{
  g_autoptr(MsBatchItem) item = ms_batch_item_new(1, input, input);
  struct rlimit before, now;

  item->status = MS_ITEM_DONE;
  g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &before), ==, 0);
  now = (struct rlimit){limit == 0 ? before.rlim_cur : limit, before.rlim_max};
  g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &now), ==, 0);
  gboolean good = ms_manifest_append(manifest, item, request, NULL);
  g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &before), ==, 0);
  return good;
}

/* Half a record of a killed run is removed; a text of somebody else that does not end its line stays. */
static void
test_manifest_half_record(BatchFixture *f, gconstpointer data)
{
  MsBatchCounts counts;
  g_autofree char *path = g_build_filename(f->folder, "manifest.jsonl", NULL);
  g_autofree char *content = NULL;

  batch_fixture_add_picture(f, "a.png", 5, 5);
  batch_fixture_add_picture(f, "b.png", 5, 5);
  f->request.resume = TRUE;
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 2);
  g_assert_true(g_file_get_contents(path, &content, NULL, NULL));
  for (guint cut = 2; cut < 60; cut += 9) {
    g_assert_true(g_file_set_contents(path, content, (gssize)(strlen(content) - cut), NULL));
    g_assert_cmpuint(run_with_manifest(f, &counts), ==, 0);
    assert_lines_are_records(f, 4);
  }
  g_assert_true(g_file_set_contents(path, "{\"in", -1, NULL));
  run_with_manifest(f, &counts);
  assert_lines_are_records(f, 2);
  g_assert_true(g_file_set_contents(path, "notes", -1, NULL));
  run_with_manifest(f, &counts);
  g_autofree char *kept = NULL;
  g_assert_true(g_file_get_contents(path, &kept, NULL, NULL));
  g_assert_true(g_str_has_prefix(kept, "notes\n{"));
}

static void
test_manifest_one_bad_line(BatchFixture *f, gconstpointer data)
{
  batch_fixture_add_file(f, f->folder, "manifest.jsonl", "rubbish\n");
  g_autoptr(MsManifest) manifest = open_manifest(f);
  g_autofree char *sentence = ms_manifest_describe_ignored(manifest);

  g_assert_true(g_str_has_prefix(sentence, "Line 1 of the manifest"));
}

/* What other processes recorded counts, their manifests being named or matching a pattern; nothing is written there. */
static void
test_manifest_of_others(BatchFixture *f, gconstpointer data)
{
  g_autofree char *own = g_build_filename(f->folder, "manifest.jsonl", NULL);
  g_autofree char *theirs = g_build_filename(f->folder, "other-1.jsonl", NULL);
  g_autofree char *pattern = g_build_filename(f->folder, "other-*.jsonl", NULL);
  g_autofree char *none = g_build_filename(f->folder, "none-*.jsonl", NULL);
  g_autofree char *a = g_build_filename(f->in, "a.png", NULL), *b = g_build_filename(f->in, "b.png", NULL);
  g_autoptr(GError) error = NULL;
  MsBatchCounts counts;

  batch_fixture_add_picture(f, "a.png", 5, 5);
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  g_assert_cmpint(rename(own, theirs), ==, 0);
  batch_fixture_add_file(f, f->folder, "other-2.jsonl", "rubbish\n");
  batch_fixture_add_picture(f, "b.png", 6, 5);
  const char *const ways[] = {theirs, pattern};
  for (gsize i = 0; i < G_N_ELEMENTS(ways); i++) {
    g_autoptr(MsManifest) manifest = ms_manifest_load(own, &error);
    g_assert_true(ms_manifest_read_more(manifest, ways[i], &error));
    g_autofree char *sentence = ms_manifest_describe_ignored(manifest);
    g_assert_cmpint(i, ==, sentence && strstr(sentence, "other-2.jsonl"));
    g_assert_true(ms_manifest_find(manifest, a)->done);
    g_assert_null(ms_manifest_find(manifest, b));
    g_assert_true(ms_manifest_begin(manifest, &error));
    g_assert_true(g_file_test(own, G_FILE_TEST_EXISTS));
    g_assert_false(ms_manifest_read_more(manifest, none, &error));
    g_assert_error(error, MS_ERROR, MS_ERROR_IO);
    g_clear_error(&error);
  }
  g_autoptr(MsManifest) read_only = ms_manifest_load(pattern, &error);
  g_assert_true(ms_manifest_find(read_only, a)->done);
  g_assert_false(ms_manifest_begin(read_only, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
}

/* No run could read the records back from a pipe, and without a reader they would vanish. */
static void
test_manifest_is_no_pipe(BatchFixture *f, gconstpointer data)
{
  g_autofree char *path = g_build_filename(f->folder, "pipe", NULL);
  g_autoptr(GError) error = NULL;

  g_assert_cmpint(mkfifo(path, 0600), ==, 0);
  g_assert_null(ms_manifest_load(path, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
  g_assert_nonnull(strstr(error->message, "pipe"));
}

/* An input that was touched or changed is refused, and so are other settings, before anything is filtered. */
static void
test_manifest_touched(BatchFixture *f, gconstpointer data)
{
  MsBatchCounts counts;
  g_autofree char *input = g_build_filename(f->in, "a.png", NULL);

  batch_fixture_add_picture(f, "a.png", 5, 5);
  f->request.resume = TRUE;
  g_assert_cmpuint(run_with_manifest(f, &counts), ==, 1);
  set_nanoseconds(input, 1000);
  for (int i = 0; i < 2; i++) {
    g_assert_cmpuint(run_with_manifest(f, &counts), ==, 0);
    g_assert_cmpuint(counts.failed, ==, 1);
    batch_fixture_add_picture(f, "a.png", 7, 5);
  }
  f->request.settings.params.sr = 30;
  for (int i = 0; i < 3; i++) {
    g_assert_cmpuint(run_with_manifest(f, &counts), ==, 0);
    g_assert_cmpuint(counts.failed, ==, 1);
  }
}

/* A line that was not completely written must not damage the next one, and leaves nothing. */
static void
test_manifest_cut_line(BatchFixture *f, gconstpointer data)
{
  g_autoptr(MsManifest) manifest = open_manifest(f);

  signal(SIGXFSZ, SIG_IGN);
  g_assert_false(append_within(manifest, "/x/cut", 20, &f->request));
  g_assert_false(append_within(manifest, "/x/none", 20, &f->request));
  g_assert_true(append_within(manifest, "/x/whole", 0, &f->request));
  g_assert_true(append_within(manifest, "/x/next", 0, &f->request));
  signal(SIGXFSZ, SIG_DFL);
  g_autoptr(MsManifest) again = open_manifest(f);
  g_assert_null(ms_manifest_find(again, "/x/cut"));
  g_assert_nonnull(ms_manifest_find(again, "/x/whole"));
  g_assert_nonnull(ms_manifest_find(again, "/x/next"));
  assert_lines_are_records(f, 2);
}

void
ms_test_batch_manifest(void)
{
  BATCH_FIXTURE_ADD("manifest/line", test_line);
  BATCH_FIXTURE_ADD("manifest/resume", test_manifest_resume);
  BATCH_FIXTURE_ADD("manifest/changed-input", test_manifest_changed_input);
  BATCH_FIXTURE_ADD("manifest/torn", test_manifest_torn);
  BATCH_FIXTURE_ADD("manifest/damaged-lines", test_manifest_damaged_lines);
  BATCH_FIXTURE_ADD("manifest/damaged-line", test_manifest_damaged_line);
  BATCH_FIXTURE_ADD("manifest/changes-within-a-second", test_manifest_changes_within_a_second);
  BATCH_FIXTURE_ADD("manifest/cut-line", test_manifest_cut_line);
  BATCH_FIXTURE_ADD("manifest/half-record", test_manifest_half_record);
  BATCH_FIXTURE_ADD("manifest/one-bad-line", test_manifest_one_bad_line);
  BATCH_FIXTURE_ADD("manifest/is-no-pipe", test_manifest_is_no_pipe);
  BATCH_FIXTURE_ADD("manifest/touched", test_manifest_touched);
  BATCH_FIXTURE_ADD("manifest/cannot-be-written", test_manifest_cannot_be_written);
  BATCH_FIXTURE_ADD("manifest/other-outputs", test_manifest_other_outputs);
  BATCH_FIXTURE_ADD("manifest/numbers", test_manifest_numbers);
  BATCH_FIXTURE_ADD("manifest/old-lines", test_manifest_old_lines);
  BATCH_FIXTURE_ADD("manifest/killed", test_manifest_killed);
  BATCH_FIXTURE_ADD("manifest/killed-before-name", test_manifest_killed_before_name);
  BATCH_FIXTURE_ADD("manifest/killed-after-name", test_manifest_killed_after_name);
  BATCH_FIXTURE_ADD("manifest/killed-after-name-by-hash", test_manifest_killed_after_name_by_hash);
  BATCH_FIXTURE_ADD("manifest/of-another-shard", test_manifest_of_another_shard);
  BATCH_FIXTURE_ADD("manifest/of-others", test_manifest_of_others);
  BATCH_FIXTURE_ADD("manifest/two-steps", test_manifest_two_steps);
  BATCH_FIXTURE_ADD("resume-beside-inputs", test_resume_beside_inputs);
  BATCH_FIXTURE_ADD("resume-without-manifest", test_resume_without_manifest);
}
