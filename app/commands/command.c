/* SPDX-License-Identifier: MIT */
#include "app/commands/command.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "app/report/console.h"
#include "app/report/progress-json.h"
#include "app/report/report-file.h"
#include "core/engine/engine.h"
#include "core/image/file/file-path.h"
#include "core/json.h"
#include "core/opencl/driver-cache.h"
#include "core/process/memory-cap.h"

static const MsCommand commands[] = {
  {MS_COMMAND_WINDOW, N_("the window")},
  {MS_COMMAND_IMAGES, N_("images"), .has_events = TRUE,
   .without_input = N_("--headless needs an image or a folder, as in: meanshift-lab --headless in.png -o out.png.")},
  {MS_COMMAND_LIST_DEVICES, "--list-devices", .uses_driver = TRUE, .reads_nothing = TRUE,
   .run = ms_list_devices_command_run},
  {MS_COMMAND_REDUCE, "--reduce", .uses_driver = TRUE, .has_events = TRUE, .reads_nothing = TRUE,
   .run = ms_lab_command_run},
  {MS_COMMAND_TUNE, "--tune", TRUE, TRUE, TRUE, .run = ms_lab_command_run},
  {MS_COMMAND_EXPERIMENT, "--experiment", TRUE, TRUE, TRUE, .run = ms_lab_command_run},
  {MS_COMMAND_LIST_EXPERIMENTS, "--experiment list", .reads_nothing = TRUE, .run = ms_lab_command_run},
  {MS_COMMAND_DIAGNOSE, "--diagnose", .uses_driver = TRUE, .reads_nothing = TRUE, .run = ms_diagnose_command_run},
  {MS_COMMAND_REGIONS, "--regions", .uses_driver = TRUE, .has_events = TRUE, .run = ms_regions_command_run},
  {MS_COMMAND_MERGE_REPORTS, "--merge-reports", .run = ms_reports_command_run,
   .without_input = N_("--merge-reports needs reports, as in: --merge-reports h200.json cpu.json.")},
};

/** ms_commands: (array length=n): the table. */
const MsCommand *
ms_commands(guint *n)
{
  *n = G_N_ELEMENTS(commands);
  return commands;
}

/** ms_command_find: the row of the action that the command line selects. */
const MsCommand *
ms_command_find(const MsCommandLine *line)
{
  return &commands[g_bit_nth_lsf(ms_command_line_action(line), -1)];
}

/** ms_command_fail: prints the error, unless it is an interruption, and returns its exit status. */
MsExitStatus
ms_command_fail(MsConsole *console, const GError *error)
{
  if (!g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    ms_progress_error(console, error);
  if (g_error_matches(error, MS_ERROR, MS_ERROR_BUILD))
    ms_console_error_log(console, error->message);
  else if (!g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    ms_console_error(console, error->message);
  return ms_exit_status_for_error(error);
}

/* The device of a command */

/*
 * Memory of the program, the OpenCL driver and its compiler, measured as 243 MiB for PoCL with an empty cache; and of
 * the program alone.
 */
#define DRIVER_BYTES (G_GUINT64_CONSTANT(256) << 20)
#define PROGRAM_BYTES (G_GUINT64_CONSTANT(48) << 20)

/* Memory of the process that supervises the worker, a part of the above. */
#define SUPERVISOR_BYTES (G_GUINT64_CONSTANT(16) << 20)

static gboolean
uses_driver(const MsCommandLine *line)
{
  return strcmp(ms_command_line_device(line), MS_ENGINE_REFERENCE) != 0;
}

/** ms_command_runtime_bytes: the memory that the program and the driver take before the first image. */
guint64
ms_command_runtime_bytes(const MsCommandLine *line)
{
  return uses_driver(line) ? DRIVER_BYTES : PROGRAM_BYTES;
}

/* Codec threads, as many for one large PNG file, and those of the serial reference. */
static guint
most_threads(const MsCommandLine *line)
{
  guint processors = g_get_num_processors();

  return 2 * (line->batch.jobs > 0 ? (guint)line->batch.jobs : processors) + processors;
}

/*
 * Keeps the process within --memory-limit: the device's buffers get half of what the program and driver leave. The
 * system limits the serial reference alone, because drivers reserve more than they use: PoCL 3 crashes under such a
 * limit when it stores a compiled program.
 */
static void
limit_memory(const MsCommandLine *line, MsEngine *engine)
{
  guint64 limit = line->batch.memory_limit;

  if (limit == 0)
    return;
  ms_engine_set_memory_budget(engine, MAX(ms_memory_cap_share(limit, ms_command_runtime_bytes(line)), 1));
  if (!uses_driver(line))
    ms_memory_cap_hold(limit - MIN(limit, SUPERVISOR_BYTES), most_threads(line));
}

/**
 * ms_command_open_engine:
 * @is_on_processor: whether the processor replaces the requested device, which failed
 * @console: gets notes on the device
 *
 * Returns: (transfer full): the device or devices that the command line names, which keep within --memory-limit
 */
MsEngine *
ms_command_open_engine(const MsCommandLine *line, gboolean is_on_processor, MsConsole *console, GError **error)
{
  const char *device = is_on_processor ? "cpu" : ms_command_line_device(line);
  MsEngine *engine =
    line->devices
      ? ms_engine_open_several(line->devices, (MsDivision)line->split, ms_console_print_note, console, error)
      : ms_engine_open(device, (MsFallback)line->fallback, ms_console_print_note, console, error);

  if (engine)
    limit_memory(line, engine);
  return engine;
}

/** ms_command_open_context: (transfer full): the device that --device and --fallback select. */
MsContext *
ms_command_open_context(const MsCommandLine *line, MsConsole *console, GError **error)
{
  if (!uses_driver(line)) {
    ms_set_error(error, MS_ERROR_USAGE,
                 "The serial reference has no kernels to measure; choose a device with --device.");
    return NULL;
  }
  MsContext *context = ms_engine_open_context(ms_command_line_device(line), (MsFallback)line->fallback,
                                              ms_console_print_note, console, error);
  /* The device stays open until this process ends, because a driver may end it when it is closed. */
  return context ? ms_context_ref(context) : NULL;
}

/**
 * ms_command_prepare_device: to be called before the threads that read images, since it may set an environment variable
 * and limits of malloc().
 */
void
ms_command_prepare_device(const MsCommandLine *line)
{
  if (uses_driver(line))
    ms_driver_cache_prepare();
  if (line->batch.memory_limit > 0)
    ms_memory_cap_prepare();
}
