/* SPDX-License-Identifier: MIT */
#include "app/commands/command.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "app/report/image-summary.h"
#include "app/report/progress-json.h"
#include "app/report/reporter.h"
#include "core/batch/naming.h"
#include "core/batch/output-folder.h"
#include "core/batch/supervisor.h"
#include "core/batch/worker.h"
#include "core/folder.h"
#include "core/image/file/file-path.h"
#include "core/service/protocol.h"
#include "core/text.h"

typedef struct {
  const MsCommandLine *line;
  MsConsole *console;
  MsReporter *reporter;
  MsBatchRequest request; /* of the line, with what was opened for it */
  MsBatchRun run;
  MsSupervisor *supervisor;
  char *made; /* (nullable): the first folder that was made for the outputs */
  GCancellable *cancellable;
  gboolean had_device; /* whether a worker opened the device */
  gboolean has_problem;
} Command;

/* The device stays open until the worker ends, because a driver may end the process when it is closed. */
static MsEngine *
on_open(gpointer data, GError **error)
{
  MsCommandChild *c = data;

  if (!c->engine)
    c->engine = ms_command_open_engine(c->line, c->is_on_processor, c->console, error);
  return c->engine ? ms_engine_ref(c->engine) : NULL;
}

static gboolean
on_inspect(const MsInspection *rows, gpointer data, GError **error)
{
  const MsCommandChild *c = data;
  MsBatchItem *item = rows->item;
  const MsDeviceRun run = {rows->context, item->log, c->cancellable};
  const MsImageSummaryParts parts = {c->line->stats, c->line->histogram};
  g_autoptr(GBytes) above = g_steal_pointer(&item->summary);
  g_autoptr(GBytes) summary = ms_image_summary_new(&run, rows->source, rows->result, parts, error);

  if (!summary)
    return FALSE;
  item->summary = rows->first_row > 0 ? ms_image_summary_join(above, summary) : g_steal_pointer(&summary);
  return TRUE;
}

static void
on_event(MsBatchEvent *event, gpointer data)
{
  Command *c = data;

  c->had_device |= event->kind == MS_BATCH_DEVICE;
  c->has_problem |= event->kind == MS_BATCH_PROBLEM;
  if (event->kind == MS_BATCH_NOTE)
    ms_console_print_note(event->sentence, c->console);
  else
    ms_reporter_take(c->reporter, event);
}

/* The reference converts the colours of the rows before and after the filter. */
static guint
engine_copies(const MsCommandLine *line)
{
  const gboolean is_reference = !line->devices && strcmp(ms_command_line_device(line), MS_ENGINE_REFERENCE) == 0;

  return line->batch.settings.params.space != MS_SPACE_RGB && is_reference ? 2 : 0;
}

/* @request: stays */
static MsBatchRun
batch_run(const MsCommandLine *line, const MsBatchRequest *request)
{
  /* Statistics compare source and result on the device, a histogram is that of the result. */
  const guint inspected_copies = line->stats ? 2 : line->histogram ? 1 : 0;

  return (MsBatchRun){.request = request,
                      .keep_log = line->timings || line->json || line->csv,
                      .memory_runtime = ms_command_runtime_bytes(line),
                      .engine_copies = engine_copies(line),
                      .inspected_copies = inspected_copies};
}

/** ms_batch_command_names_device: whether file names contain the name of the device. */
gboolean
ms_batch_command_names_device(const MsCommandLine *line)
{
  return line->batch.name_template && ms_naming_uses(line->batch.name_template, "device");
}

/* Says which folder was made for the outputs; a dry run makes none. */
static gboolean
make_folder(Command *c, GError **error)
{
  const MsBatchRequest *request = &c->request;

  if (c->line->dry_run || !ms_output_folder_is_meant(request->output, request->inputs, request->recursive))
    return TRUE;
  if (!ms_folder_make_durable(request->output, &c->made, error))
    return FALSE;
  if (c->made) {
    g_autofree char *sentence = g_strdup_printf(_("The folder '%s' was made for the results."), request->output);
    ms_console_print_note(sentence, c->console);
  }
  return TRUE;
}

static GPtrArray *
plan_batch(Command *c, GError **error)
{
  g_autoptr(GPtrArray) items = ms_batch_plan(&c->request, error);

  return items && make_folder(c, error) ? g_steal_pointer(&items) : NULL;
}

static void
show_names(Command *c, const MsBatchItem *item)
{
  g_autofree char *input = ms_printable(item->input, "");
  g_autofree char *output = ms_printable(item->output ? item->output : "(not saved)", "");
  g_autofree char *line = g_strdup_printf("%s -> %s\n", input, output);

  ms_console_print(c->console, line);
}

/* The bytes of both names, each with a NUL byte behind it; the output is empty when nothing is saved. */
static void
write_names(Command *c, const MsBatchItem *item)
{
  const char *output = item->output ? item->output : "";

  ms_console_write(c->console, item->input, strlen(item->input) + 1);
  ms_console_write(c->console, output, strlen(output) + 1);
}

static void
show_item(Command *c, MsBatchItem *item, const MsManifestEntry *failure)
{
  if (failure)
    ms_console_error(c->console, failure->error);
  if (c->line->null)
    write_names(c, item);
  else if (c->line->progress != MS_PROGRESS_JSON)
    show_names(c, item);
  ms_batch_item_skip(item, failure ? N_("dry run; it failed in an earlier run") : N_("dry run"));
}

/* What --resume leaves to do is shown with the reason for which it failed before. */
static void
show_plan(Command *c, GPtrArray *items, MsManifest *manifest)
{
  const MsBatchCounts planned = ms_batch_count(items);
  guint n_failed = 0;

  for (guint i = 0; i < items->len; i++) {
    MsBatchItem *item = g_ptr_array_index(items, i);
    if (item->status != MS_ITEM_PENDING)
      continue;
    const MsManifestEntry *entry = manifest && c->line->batch.resume ? ms_manifest_find(manifest, item->input) : NULL;
    const gboolean has_failed = entry && !entry->done && entry->error;
    show_item(c, item, has_failed ? entry : NULL);
    n_failed += has_failed;
  }
  if (c->line->batch.resume && !c->line->null) {
    g_autofree char *sentence = g_strdup_printf(_("Images: %u; done: %u; to do: %u, of which %u have failed before."),
                                                items->len, planned.skipped, planned.pending, n_failed);
    ms_console_note(c->console, sentence);
  }
}

static MsExitStatus
status_of_items(const Command *c, GPtrArray *items)
{
  MsBatchCounts counts = ms_batch_count(items);

  if (counts.different > 0)
    return MS_EXIT_DIFFERENT;
  return counts.failed > 0 || c->has_problem ? MS_EXIT_SOME_FAILED : MS_EXIT_DONE;
}

/* Whether the processor takes over when the driver of another device fails. */
static gboolean
falls_back(const MsCommandLine *line)
{
  return line->fallback == MS_FALLBACK_CPU ||
         (line->fallback == MS_FALLBACK_DEFAULT && !line->devices && g_str_equal(ms_command_line_device(line), "auto"));
}

/** ms_batch_command_open_device: the work of %MS_REQUEST_DEVICE; @data: (type MsCommandChild) */
gboolean
ms_batch_command_open_device(MsChannel *channel, GVariant *content, gpointer data)
{
  MsCommandChild *c = data;
  g_autoptr(GError) error = NULL;

  g_variant_get(content, "(b)", &c->is_on_processor);
  ms_command_prepare_device(c->line);
  g_autoptr(MsEngine) engine = on_open(c, &error);
  if (engine) {
    ms_worker_answer_device(channel, engine);
    ms_service_answer_done(channel, MS_EXIT_DONE);
  } else {
    ms_service_answer_failure(channel, 0, error, FALSE);
  }
  return engine != NULL;
}

/** ms_batch_command_filter: the work of %MS_REQUEST_ITEMS; @data: (type MsCommandChild) */
gboolean
ms_batch_command_filter(MsChannel *channel, GVariant *content, gpointer data)
{
  MsCommandChild *c = data;
  g_autoptr(GPtrArray) items = ms_worker_take_items(content, &c->is_on_processor);
  g_autoptr(MsManifest) manifest = NULL;
  g_autoptr(GError) error = NULL;
  MsBatchRequest request = c->line->batch;
  MsBatchRun run = batch_run(c->line, &request);

  if (c->line->manifests && !(manifest = ms_manifest_open(c->line->manifests[0], &error))) {
    ms_service_answer_failure(channel, 0, error, FALSE);
    return FALSE;
  }
  request.manifest = manifest;
  ms_command_prepare_device(c->line);
  run.open = on_open;
  run.inspect = c->line->stats || c->line->histogram ? on_inspect : NULL;
  run.data = c;
  run.cancellable = c->cancellable;
  ms_worker_run(channel, items, &run);
  return FALSE;
}

/* A run that could open no device writes no report; a run whose device was lost reports each image. */
static gboolean
has_results(const Command *c, GPtrArray *items, const GError *error)
{
  return ms_batch_count(items).done > 0 || (c->had_device && g_error_matches(error, MS_ERROR, MS_ERROR_NO_DEVICE));
}

static MsExitStatus
run_and_report(Command *c, GPtrArray *items)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GError) report_error = NULL;
  g_autoptr(MsReporter) reporter = ms_reporter_new(c->line, items, c->console, c->cancellable, &error);
  gboolean interrupted = FALSE;

  if (!reporter)
    return ms_command_fail(c->console, error);
  c->reporter = reporter;
  for (guint i = 0; i < items->len; i++)
    on_event(&(MsBatchEvent){.kind = MS_BATCH_PLANNED, .item = items->pdata[i]}, c);
  if (c->line->dry_run)
    show_plan(c, items, c->request.manifest);
  else if (!ms_supervisor_run(c->supervisor, items, &error))
    interrupted = g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  const gboolean failed = error && !interrupted;
  const MsExitStatus status = failed ? ms_command_fail(c->console, error) : MS_EXIT_INTERRUPTED;
  if (failed && !has_results(c, items, error))
    return status;
  if (!ms_reporter_close(reporter, interrupted || failed, &report_error)) {
    ms_console_error(c->console, report_error->message);
    ms_progress_error(c->console, report_error);
    c->has_problem = TRUE;
  }
  return interrupted || failed ? status : status_of_items(c, items);
}

/* Refuses standard output, because the next run reads the manifest, and manifests of which nothing would be read. */
static gboolean
check_manifests(const MsCommandLine *line, GError **error)
{
  if (ms_file_path_is_standard(line->manifests[0]))
    ms_set_error(error, MS_ERROR_USAGE,
                 "--manifest cannot be standard output; name a file, or ask for a report with --json -.");
  else if (line->manifests[1] && !line->batch.resume)
    ms_set_error(error, MS_ERROR_USAGE,
                 "A second --manifest is only read, and only by --resume; add that or leave out %s.",
                 line->manifests[1]);
  else
    return TRUE;
  return FALSE;
}

/* (transfer full): lines are appended to the first manifest; the further ones are only read. */
static MsManifest *
load_manifests(const MsCommandLine *line, GError **error)
{
  g_autoptr(MsManifest) manifest = check_manifests(line, error) ? ms_manifest_load(line->manifests[0], error) : NULL;

  for (char **name = line->manifests + 1; manifest && *name; name++)
    if (!ms_manifest_read_more(manifest, *name, error))
      return NULL;
  return g_steal_pointer(&manifest);
}

static void
note_ignored_lines(MsConsole *console, MsManifest *manifest)
{
  g_autofree char *sentence = manifest ? ms_manifest_describe_ignored(manifest) : NULL;

  if (sentence)
    ms_console_error(console, sentence);
}

/**
 * ms_batch_command_run: filters the images that the command line names, and reports them.
 * @driver: whose first process may wait already
 */
MsExitStatus
ms_batch_command_run(const MsCommandLine *line, MsConsole *console, MsDriver *driver, GCancellable *cancellable)
{
  Command command = {.line = line, .console = console, .cancellable = cancellable, .request = line->batch};
  g_autoptr(GError) error = NULL;
  g_autoptr(MsManifest) manifest = NULL;
  g_autofree char *device = NULL;
  g_autoptr(GPtrArray) items = NULL;
  MsExitStatus status;

  const MsOwnFile own_files[] = {
    {"manifest", line->manifests ? line->manifests[0] : NULL}, {"json", line->json}, {"csv", line->csv}};

  command.request.own_files = own_files;
  command.request.n_own_files = G_N_ELEMENTS(own_files);
  command.run = batch_run(line, &command.request);
  command.run.event = on_event;
  command.run.event_data = &command;
  command.run.cancellable = cancellable;
  g_autoptr(MsSupervisor) supervisor = command.supervisor = ms_supervisor_new(&command.run, driver, falls_back(line));
  /* Everything is checked before the first file is written. */
  if ((line->manifests && !(manifest = load_manifests(line, &error))) ||
      (ms_batch_command_names_device(line) && !(device = ms_supervisor_name_device(supervisor, &error)))) {
    status = ms_command_fail(console, error);
  } else {
    note_ignored_lines(console, manifest);
    command.request.manifest = manifest;
    command.request.device = device;
    items = plan_batch(&command, &error);
    if (!items || (manifest && !line->dry_run &&
                   (!ms_manifest_begin(manifest, &error) || !ms_manifest_complete(manifest, items, &error))))
      status = ms_command_fail(console, error);
    else
      status = run_and_report(&command, items);
    /* Another shard may be about to write into the folder. */
    if (items && command.made && line->batch.shard.count == 1)
      ms_output_folder_remove_empty(line->batch.output, items, command.made);
  }
  g_free(command.made);
  return status;
}
