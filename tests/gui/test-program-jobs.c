/* SPDX-License-Identifier: MIT */
/* The processes that the window starts for the Lab and the workspace Batch: killed, stopped, paused and resumed. */
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/filter/settings/filter-presets.h"
#include "core/image/image-save.h"
#include "tests/gui/panel-fixture.h"
#include "tests/gui/processes.h"
#include "tests/support/fixture.h"
#include "ui/batch/batch-page.h"
#include "ui/batch/batch-rows.h"
#include "ui/document/document.h"
#include "ui/panels/common/report-view.h"
#include "ui/panels/experiment/experiment-panel.h"
#include "ui/panels/tune/tune-panel.h"
#include "ui/program/program-job.h"

#define VICTIM "--victim"

/* Kills the program, or stops it and cancels its job by a click; its children end with it in both cases. */
static void
end_program(GtkWidget *root, int number, const char *cancel)
{
  const GPid program = processes_find_program();
  g_autoptr(GArray) pids = processes_below(program);

  g_assert_cmpint(program, !=, 0);
  g_assert_cmpuint(pids->len, >, 0);
  g_array_append_val(pids, program);
  g_assert_cmpint(kill(program, number), ==, 0);
  if (number == SIGSTOP)
    gtk_button_clicked(GTK_BUTTON(find_button(root, cancel)));
  wait_for(60, processes_count_alive(pids) == 0);
}

static const int numbers[] = {SIGKILL, SIGSEGV, SIGSTOP};

/* Checks what the page says of the end. */
static void
check_sentence(GtkWidget *root, int number)
{
  g_autofree char *words = g_strdup_printf("was ended by signal %d", number);

  /* A program under AddressSanitizer catches SIGSEGV and exits. */
  g_assert_true(find_label_with(root, number == SIGSTOP ? "Cancelled" : words) ||
                (number == SIGSEGV && find_label_with(root, "ended with status")));
}

/* The Lab */

static MsReport *
get_report(PanelFixture *f)
{
  return ms_report_view_get_report(MS_REPORT_VIEW(find_by_type(f->panel, MS_TYPE_REPORT_VIEW)));
}

/* In another report than @before: that of the run before is shown until the new one has rows. */
static guint
measured_rows(PanelFixture *f, const MsReport *before)
{
  const MsReport *report = get_report(f);

  return report && report != before ? ms_report_count(report, MS_OUTCOME_OK) : 0;
}

static void
test_experiment(void)
{
  g_autofree char *folder = g_dir_make_tmp("ms-jobs-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(folder, "long.experiment", NULL);

  SET_UP_PANEL(f, MS_TYPE_EXPERIMENT_PANEL);
  g_assert_true(g_file_set_contents(path,
                                    "[Experiment]\nTitle=Long\nKind=mean-shift\n[Axes]\n"
                                    "sp=2;3;4;5;6;7;8;9;10;11;12\nunroll=1;2;4\n[Fixed]\nsr=10\nkernel=direct\n"
                                    "size=160x120\n",
                                    -1, NULL));
  g_assert_true(ms_experiment_panel_add_file(MS_EXPERIMENT_PANEL(f.panel), path, NULL));
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(find_button(f.panel, "On the open _picture")), TRUE);
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(find_button(f.panel, "_Quick")), TRUE);
  for (guint i = 0; i < G_N_ELEMENTS(numbers); i++) {
    g_autoptr(MsReport) before = get_report(&f) ? ms_report_ref(get_report(&f)) : NULL;
    ms_job_panel_run(MS_JOB_PANEL(f.panel));
    wait_for(120, measured_rows(&f, before) > 0);
    end_program(f.panel, numbers[i], "C_ancel");
    wait_for(60, !ms_job_panel_is_running(MS_JOB_PANEL(f.panel)));
    check_sentence(f.panel, numbers[i]);
    g_assert_cmpuint(measured_rows(&f, before), >, 0);
    g_assert_cmpstr(get_report(&f)->input, ==, "scene.png");
  }
  /* The window's own work goes on. */
  panel_fixture_filter(&f, "sr", "21");
  g_unlink(path);
  g_rmdir(folder);
}

static void
test_tune(void)
{
  SET_UP_PANEL(f, MS_TYPE_TUNE_PANEL);
  MsTunePanel *panel = MS_TUNE_PANEL(f.panel);
  GtkTreeView *tree = GTK_TREE_VIEW(find_by_type(f.panel, GTK_TYPE_TREE_VIEW));
  MsReportView *view = MS_REPORT_VIEW(find_by_type(f.panel, MS_TYPE_REPORT_VIEW));
  panel_fixture_set_number(&f, "Budget in seconds", 600);
  panel_fixture_check(&f, "Start over", TRUE);
  for (guint i = 0; i < G_N_ELEMENTS(numbers); i++) {
    ms_job_panel_run(MS_JOB_PANEL(f.panel));
    g_assert_null(ms_report_view_get_report(view)); /* the trials of the search before are gone */
    wait_for(120, ms_tune_panel_get_best(panel));
    end_program(f.panel, numbers[i], "C_ancel");
    wait_for(60, !ms_job_panel_is_running(MS_JOB_PANEL(f.panel)));
    check_sentence(f.panel, numbers[i]);
    g_assert_nonnull(ms_tune_panel_get_best(panel));
    g_assert_cmpint(tree_rows(tree), ==, ms_tune_panel_get_report(panel)->rows->len);
  }
  panel_fixture_filter(&f, "sr", "22");
}

/* What the program writes that is no event ends it. */
static void
test_garbage(void)
{
  g_autofree char *folder = g_dir_make_tmp("ms-jobs-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(folder, "meanshift-lab", NULL);
  g_autofree char *program = g_strdup(g_getenv("MEANSHIFT_LAB_PROGRAM"));
  static const struct {
    const char *script;
    const char *words;
  } programs[] = {
    {"echo '{\"event\":\"progress\",\"fraction\":0.5}'; echo 'not JSON'; sleep 60", "no event"},
    {"echo '[1]'; sleep 60", "no event"},
    {"while :; do echo words words words words words words words words words words words; done >&2", "without end"},
    {"tr '\\0' x </dev/zero", "without end"},
    {"echo '{\"event\":\"progress\",\"fraction\":0.5}'; exit 0", "ended with status 0"},
    {"echo 'meanshift-lab: The driver is broken.' >&2; exit 4", "The driver is broken."},
    {"echo '{\"event\":\"error\",\"message\":\"a\",\"shown\":\"b c\"}'; echo '{\"event\":\"ended\",\"status\":4}'; "
     "exit 4",
     "b c"},
  };

  SET_UP_PANEL(f, MS_TYPE_TUNE_PANEL);
  for (guint i = 0; i < G_N_ELEMENTS(programs); i++) {
    g_autofree char *script = g_strconcat("#!/bin/sh\n", programs[i].script, "\n", NULL);
    g_assert_true(g_file_set_contents_full(path, script, -1, G_FILE_SET_CONTENTS_NONE, 0700, NULL));
    g_setenv("MEANSHIFT_LAB_PROGRAM", path, TRUE);
    ms_job_panel_run(MS_JOB_PANEL(f.panel));
    wait_for(30, !ms_job_panel_is_running(MS_JOB_PANEL(f.panel)));
    g_test_message("%s", programs[i].script);
    g_assert_nonnull(find_label_with(f.panel, programs[i].words));
  }
  g_setenv("MEANSHIFT_LAB_PROGRAM", "/nonexistent", TRUE);
  ms_job_panel_run(MS_JOB_PANEL(f.panel));
  wait_for(30, !ms_job_panel_is_running(MS_JOB_PANEL(f.panel)));
  g_assert_nonnull(find_label_with(f.panel, "/nonexistent"));
  g_setenv("MEANSHIFT_LAB_PROGRAM", program, TRUE);
  g_unlink(path);
  g_rmdir(folder);
}

/* The workspace Batch */

typedef struct {
  char *folder;
  char *output;
  GtkWidget *page;
} Batch;

static void
set_up_batch(Batch *self, PanelFixture *f, guint n)
{
  g_autoptr(MsImage) scene = ms_fixture_scene(640, 480, 3);

  self->page = f->panel;
  self->folder = g_dir_make_tmp("ms-batch-XXXXXX", NULL);
  self->output = g_build_filename(self->folder, "meanshift", NULL);
  for (guint i = 0; i < n; i++) {
    g_autofree char *name = g_strdup_printf("%02u.png", i);
    g_autofree char *path = g_build_filename(self->folder, name, NULL);
    g_assert_true(ms_image_save(scene, path, NULL, NULL, NULL, NULL));
  }
  g_assert_true(ms_document_set_option(f->document, "sp", "8", NULL));
  ms_batch_page_set_engine(MS_BATCH_PAGE(self->page), f->engine);
}

static void
add_folder(Batch *self)
{
  g_autoptr(GFile) file = g_file_new_for_path(self->folder);

  ms_batch_page_add(MS_BATCH_PAGE(self->page), file);
}

static void
tear_down_batch(Batch *self)
{
  panel_fixture_remove_folder(self->folder);
  g_free(self->folder);
  g_free(self->output);
}

static GtkTreeModel *
rows_of(Batch *self)
{
  return gtk_tree_view_get_model(GTK_TREE_VIEW(find_named(self->page, "Pictures of the batch")));
}

static guint
count_rows(Batch *self, MsItemStatus wanted)
{
  GtkTreeModel *model = rows_of(self);
  GtkTreeIter iter;
  guint n = 0;

  for (gboolean more = gtk_tree_model_get_iter_first(model, &iter); more;
       more = gtk_tree_model_iter_next(model, &iter)) {
    int status = 0;
    gtk_tree_model_get(model, &iter, MS_BATCH_STATUS, &status, -1);
    n += status == (int)wanted;
  }
  return n;
}

static char *
output_of(Batch *self, int row)
{
  return tree_cell(GTK_TREE_VIEW(find_named(self->page, "Pictures of the batch")), row, MS_BATCH_OUTPUT);
}

static char *
message_of(Batch *self, int row)
{
  return tree_cell(GTK_TREE_VIEW(find_named(self->page, "Pictures of the batch")), row, MS_BATCH_MESSAGE);
}

static void
click(Batch *self, const char *label)
{
  gtk_button_clicked(GTK_BUTTON(find_button(self->page, label)));
}

static gboolean
is_resting(Batch *self)
{
  return gtk_widget_get_sensitive(find_button(self->page, "_Dry Run"));
}

/* The files of the output folder with their inodes: a file that was written again has another. */
static GHashTable *
list_results(Batch *self)
{
  GHashTable *results = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  GDir *dir = g_dir_open(self->output, 0, NULL);

  for (const char *name; dir && (name = g_dir_read_name(dir));) {
    g_autofree char *path = g_build_filename(self->output, name, NULL);
    GStatBuf info;
    g_assert_cmpint(g_stat(path, &info), ==, 0);
    g_hash_table_insert(results, g_strdup(name), g_strdup_printf("%" G_GUINT64_FORMAT, (guint64)info.st_ino));
  }
  g_clear_pointer(&dir, g_dir_close);
  return results;
}

static void
check_unchanged(GHashTable *before, GHashTable *after)
{
  GHashTableIter iter;
  gpointer name, inode;

  g_hash_table_iter_init(&iter, before);
  while (g_hash_table_iter_next(&iter, &name, &inode))
    g_assert_cmpstr(g_hash_table_lookup(after, name), ==, inode);
}

/* A run knows what the one before had saved when it was killed, so that nothing fails. */
static void
check_failures(Batch *self, guint n)
{
  for (int row = 0; row < (int)n; row++) {
    g_autofree char *message = message_of(self, row);
    if (message && *message)
      g_assert_cmpstr(message, ==, "done by an earlier run");
  }
}

/* What was done before the program was killed stays done, and the next run does the rest. */
static void
test_batch(void)
{
  const guint n = 32;
  Batch batch;

  SET_UP_PANEL(f, MS_TYPE_BATCH_PAGE);
  set_up_batch(&batch, &f, n);
  add_folder(&batch);
  for (guint i = 0; i < G_N_ELEMENTS(numbers); i++) {
    const guint before = count_rows(&batch, MS_ITEM_DONE);
    click(&batch, "_Start");
    wait_for(120, count_rows(&batch, MS_ITEM_DONE) > before + 1);
    end_program(batch.page, numbers[i], "Cance_l");
    wait_for(60, is_resting(&batch));
    if (numbers[i] != SIGSTOP)
      check_sentence(batch.page, numbers[i]);
    g_assert_cmpuint(count_rows(&batch, MS_ITEM_DONE), >, before + 1);
    g_assert_cmpuint(count_rows(&batch, MS_ITEM_PENDING), >, 0);
    check_failures(&batch, n);
  }
  g_autoptr(GHashTable) killed = list_results(&batch);
  click(&batch, "_Start");
  wait_for(120, is_resting(&batch));
  check_failures(&batch, n);
  g_assert_cmpuint(count_rows(&batch, MS_ITEM_DONE) + count_rows(&batch, MS_ITEM_SKIPPED), ==, n);
  g_autoptr(GHashTable) all = list_results(&batch);
  g_assert_cmpuint(g_hash_table_size(all), ==, n);
  check_unchanged(killed, all);
  tear_down_batch(&batch);
}

static void
test_batch_pause(void)
{
  Batch batch;

  SET_UP_PANEL(f, MS_TYPE_BATCH_PAGE);
  set_up_batch(&batch, &f, 16);
  add_folder(&batch);
  click(&batch, "_Start");
  wait_for(120, count_rows(&batch, MS_ITEM_DONE) > 0);
  click(&batch, "_Pause");
  wait_for(60, processes_are_stopped(processes_find_program()));
  panel_fixture_settle();
  const guint paused = count_rows(&batch, MS_ITEM_DONE);
  panel_fixture_settle();
  g_assert_cmpuint(count_rows(&batch, MS_ITEM_DONE), ==, paused);
  g_assert_cmpuint(paused, <, 16);
  click(&batch, "_Continue");
  wait_for(120, is_resting(&batch));
  g_assert_cmpuint(count_rows(&batch, MS_ITEM_DONE), ==, 16);
  tear_down_batch(&batch);
}

/* Before the start, each row names the file that will be written; a button lists the pictures that failed alone. */
static void
test_batch_list(void)
{
  Batch batch;

  SET_UP_PANEL(f, MS_TYPE_BATCH_PAGE);
  set_up_batch(&batch, &f, 3);
  GtkTreeView *tree = GTK_TREE_VIEW(find_named(batch.page, "Pictures of the batch"));
  g_autofree char *bad = g_build_filename(batch.folder, "01.png", NULL), *png = NULL;
  g_autofree char *good = g_build_filename(batch.folder, "00.png", NULL);
  g_autofree char *wanted = g_build_filename(batch.output, "02-flat.png", NULL);
  gsize length;
  g_assert_true(g_file_set_contents(bad, "no picture", -1, NULL));
  gtk_entry_set_text(GTK_ENTRY(find_named(batch.page, "Name of the results")), "{stem}-flat.{ext}");
  add_folder(&batch);
  wait_for(60, count_rows(&batch, MS_ITEM_PENDING) == 3 && is_resting(&batch));
  g_autofree char *result = tree_cell(tree, 2, MS_BATCH_RESULT);
  g_assert_cmpstr(result, ==, wanted);
  g_assert_false(g_file_test(batch.output, G_FILE_TEST_EXISTS));

  click(&batch, "_Start");
  wait_for(120, is_resting(&batch));
  g_assert_cmpuint(count_rows(&batch, MS_ITEM_FAILED), ==, 1);
  g_autofree char *reason = tree_cell(tree, 1, MS_BATCH_REASON);
  g_assert_nonnull(strstr(reason, "01.png"));
  g_assert_null(strstr(reason, batch.folder));
  click(&batch, "1 failed");
  g_assert_cmpint(tree_rows(tree), ==, 1);
  g_assert_cmpuint(count_rows(&batch, MS_ITEM_FAILED), ==, 1);
  click(&batch, "1 failed");
  g_assert_cmpint(tree_rows(tree), ==, 3);

  click(&batch, "1 failed");
  g_assert_cmpint(tree_rows(tree), ==, 1);
  g_assert_true(g_file_get_contents(good, &png, &length, NULL) && g_file_set_contents(bad, png, (gssize)length, NULL));
  click(&batch, "_Retry Failed");
  wait_for(120, count_rows(&batch, MS_ITEM_DONE) == 3 && is_resting(&batch));
  g_assert_cmpint(tree_rows(tree), ==, 3); /* none is hidden when none has failed */
  tear_down_batch(&batch);
}

/* What has become of the pictures stays, whatever settings are chosen then; what these would do stands beside it. */
static void
test_batch_record(void)
{
  Batch batch;

  SET_UP_PANEL(f, MS_TYPE_BATCH_PAGE);
  set_up_batch(&batch, &f, 3);
  g_autofree char *bad = g_build_filename(batch.folder, "01.png", NULL);
  g_assert_true(g_file_set_contents(bad, "no picture", -1, NULL));
  add_folder(&batch);
  click(&batch, "_Start");
  wait_for(120, is_resting(&batch));
  g_assert_cmpuint(count_rows(&batch, MS_ITEM_DONE), ==, 2);
  /* Not the option that the fixture has set, whose changes right after each other are one step. */
  g_assert_true(ms_document_set_option(f.document, "sr", "25", NULL));
  wait_for(60, find_label_with(batch.page, "2 of 3 pictures would conflict"));
  g_assert_cmpuint(count_rows(&batch, MS_ITEM_DONE), ==, 2);
  g_assert_cmpuint(count_rows(&batch, MS_ITEM_FAILED), ==, 1);
  g_assert_nonnull(find_label_with(batch.page, "2 of 3 done"));
  g_assert_true(gtk_widget_get_visible(find_button(batch.page, "1 failed")));
  g_assert_true(gtk_widget_get_sensitive(find_button(batch.page, "_Start")));
  ms_document_undo(f.document); /* of the change, so that nothing is said of it */
  g_assert_null(find_label_with(batch.page, "have changed since"));
  g_assert_false(gtk_widget_get_sensitive(find_button(batch.page, "_Start")));
  g_object_set(batch.page, "document", NULL, NULL); /* as when another tab comes to the front */
  g_assert_nonnull(find_label_with(batch.page, "have changed since"));
  g_assert_cmpuint(count_rows(&batch, MS_ITEM_FAILED), ==, 1);
  g_object_set(batch.page, "document", f.document, NULL);
  panel_fixture_settle();
  g_assert_cmpuint(count_rows(&batch, MS_ITEM_DONE), ==, 2);
  /* A change of the form asks for another batch, whose plan does not call a conflict a failure. */
  gtk_combo_box_set_active_id(GTK_COMBO_BOX(find_named(batch.page, "Format of the results")), "png");
  wait_for(60, is_resting(&batch) && find_button(batch.page, "2 would conflict"));
  g_assert_null(find_label_with(batch.page, "have changed since"));
  g_assert_false(gtk_widget_get_sensitive(find_button(batch.page, "_Retry Failed")));
  tear_down_batch(&batch);
}

/* The form lists the presets that are saved while it is shown, and keeps the chosen one. */
static void
test_batch_presets(void)
{
  const MsSettings settings = ms_settings_default();
  Batch batch;

  SET_UP_PANEL(f, MS_TYPE_BATCH_PAGE);
  set_up_batch(&batch, &f, 1);
  GtkComboBox *box = GTK_COMBO_BOX(find_named(batch.page, "Filter settings"));
  g_autoptr(MsPresets) presets = ms_presets_shared();
  g_assert_true(ms_presets_add(presets, "made meanwhile", &settings, NULL));
  g_assert_true(gtk_combo_box_set_active_id(box, "made meanwhile"));
  g_assert_true(ms_presets_add(presets, "another", &settings, NULL));
  g_assert_cmpstr(gtk_combo_box_get_active_id(box), ==, "made meanwhile");
  g_assert_true(ms_presets_remove(presets, "made meanwhile", NULL));
  g_assert_true(ms_presets_remove(presets, "another", NULL));
  g_assert_cmpstr(gtk_combo_box_get_active_id(box), ==, "[picture]");
  /* No name is that of another row. */
  g_assert_true(ms_presets_add(presets, "picture", &settings, NULL));
  g_assert_cmpstr(gtk_combo_box_get_active_id(box), ==, "[picture]");
  g_assert_true(gtk_combo_box_set_active_id(box, "picture"));
  g_autofree char *chosen = gtk_combo_box_text_get_active_text(GTK_COMBO_BOX_TEXT(box));
  g_assert_cmpstr(chosen, ==, "Preset 'picture'");
  g_assert_true(ms_presets_remove(presets, "picture", NULL));
  tear_down_batch(&batch);
}

/* A picture that failed gets the name that was planned for it, whatever rule names the results. */
static void
check_retry(const char *conflict, const char *template)
{
  Batch batch;

  SET_UP_PANEL(f, MS_TYPE_BATCH_PAGE);
  set_up_batch(&batch, &f, 4);
  g_autofree char *good = g_build_filename(batch.folder, "00.png", NULL);
  g_autofree char *bad = g_build_filename(batch.folder, "02.png", NULL);
  g_autofree char *there = g_build_filename(batch.output, "02.png", NULL);
  g_autofree char *contents = NULL;
  gsize length = 0;
  add_folder(&batch);
  gtk_combo_box_set_active_id(GTK_COMBO_BOX(find_named(batch.page, "If a file exists")), conflict);
  gtk_entry_set_text(GTK_ENTRY(find_named(batch.page, "Name of the results")), template);
  g_assert_true(g_file_set_contents(bad, "no picture", -1, NULL));
  g_assert_cmpint(g_mkdir(batch.output, 0700), ==, 0);
  g_assert_true(g_file_set_contents(there, "an earlier result", -1, NULL));
  click(&batch, "_Dry Run");
  wait_for(60, is_resting(&batch));
  g_autofree char *planned = output_of(&batch, 2);
  g_assert_nonnull(planned);
  click(&batch, "_Start");
  wait_for(120, is_resting(&batch));
  g_assert_cmpuint(count_rows(&batch, MS_ITEM_DONE), ==, 3);
  g_assert_cmpuint(count_rows(&batch, MS_ITEM_FAILED), ==, 1);
  g_autoptr(GHashTable) first = list_results(&batch);
  g_autofree char *name = g_path_get_basename(planned);

  g_assert_true(g_file_get_contents(good, &contents, &length, NULL));
  g_assert_true(g_file_set_contents(bad, contents, (gssize)length, NULL));
  click(&batch, "_Retry Failed");
  wait_for(120, is_resting(&batch));
  g_autofree char *done = output_of(&batch, 2);
  g_assert_cmpstr(done, ==, planned);
  g_assert_cmpuint(count_rows(&batch, MS_ITEM_DONE), ==, 4);
  g_autoptr(GHashTable) second = list_results(&batch);
  g_assert_true(g_hash_table_contains(second, name));
  g_hash_table_remove(first, name); /* which --on-conflict overwrite has replaced */
  check_unchanged(first, second);
  tear_down_batch(&batch);
}

static void
test_retry(void)
{
  check_retry("fail", "{seq}-{stem}.{ext}");
  check_retry("unique", "{stem}.{ext}");
  check_retry("overwrite", "{stem}.{ext}");
}

/* The end of the window */

/* The window of test_orphans(): runs the job until it is killed. */
static int
run_victim(const char *const *arguments)
{
  g_autoptr(MsProgramJob) job = ms_program_job_new();
  g_autoptr(GMainLoop) loop = g_main_loop_new(NULL, FALSE);

  ms_program_job_add_words(job, arguments);
  ms_program_job_start(job, NULL);
  g_main_loop_run(loop);
  return 0;
}

static GPid
start_victim(const char *const *arguments)
{
  g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
  g_autoptr(GError) error = NULL;
  GPid pid = 0;

  g_strv_builder_add_many(builder, self, VICTIM, NULL);
  g_strv_builder_addv(builder, (const char **)arguments);
  g_auto(GStrv) argv = g_strv_builder_end(builder);
  g_spawn_async(NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &pid, &error);
  g_assert_no_error(error);
  return pid;
}

static guint
count_descendants(GPid pid)
{
  g_autoptr(GArray) pids = processes_below(pid);

  return pids->len;
}

/* Whatever the program does when the window is killed, no process of it is left a second later. */
static void
test_orphans(void)
{
  g_autofree char *picture = g_build_filename(g_getenv("MS_SOURCE_ROOT"), "data", "samples", "harbour.png", NULL);
  const char *const commands[][7] = {
    {"--experiment", "ms-unroll", "--budget", "60s", "--device", "cpu", NULL},
    {"--tune", "--budget", "60s", "--fresh", "--device", "cpu", NULL},
    {picture, "--timings", "--repeat", "10000", "--device", "cpu", NULL},
  };
  g_autoptr(MsContext) context = ms_fixture_context();

  for (guint i = 0; context && i < 2 * G_N_ELEMENTS(commands); i++) {
    const GPid victim = start_victim(commands[i / 2]);
    wait_for(30, count_descendants(victim) > 1);
    g_usleep(i % 2 * 700 * 1000); /* while it starts, and while it works */
    g_autoptr(GArray) pids = processes_below(victim);
    if (i == 3)
      kill(g_array_index(pids, GPid, 0), SIGSTOP);
    kill(victim, SIGKILL);
    wait_for(60, processes_count_alive(pids) == 0);
    g_spawn_close_pid(victim);
  }
}

int
main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], VICTIM) == 0)
    return run_victim((const char *const *)argv + 2);
  gtk_test_init(&argc, &argv, NULL);
  g_test_add_func("/program-jobs/experiment", test_experiment);
  g_test_add_func("/program-jobs/tune", test_tune);
  g_test_add_func("/program-jobs/garbage", test_garbage);
  g_test_add_func("/program-jobs/batch", test_batch);
  g_test_add_func("/program-jobs/batch-list", test_batch_list);
  g_test_add_func("/program-jobs/batch-record", test_batch_record);
  g_test_add_func("/program-jobs/batch-presets", test_batch_presets);
  g_test_add_func("/program-jobs/batch-pause", test_batch_pause);
  g_test_add_func("/program-jobs/retry", test_retry);
  g_test_add_func("/program-jobs/orphans", test_orphans);
  return g_test_run();
}
