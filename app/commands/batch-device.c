/* SPDX-License-Identifier: MIT */
#include "app/commands/batch-device.h"

#include <string.h>

#include "app/commands/command.h"
#include "core/process/memory-cap.h"
#include "core/opencl/driver-cache.h"

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

/** ms_batch_device_runtime_bytes: the memory that the program and the driver take before the first image. */
guint64
ms_batch_device_runtime_bytes(const MsCommandLine *line)
{
  return uses_driver(line) ? DRIVER_BYTES : PROGRAM_BYTES;
}

/* Codec threads, as many for one large PNG file, and those of the serial reference. */
static guint
most_threads(const MsCommandLine *line)
{
  guint processors = g_get_num_processors();

  return 2 * (line->jobs > 0 ? (guint)line->jobs : processors) + processors;
}

/*
 * Keeps the process within --memory-limit: the device's buffers get half of what the program and driver leave. The
 * system limits the serial reference alone, because drivers reserve more than they use: PoCL 3 crashes under such a
 * limit when it stores a compiled program.
 */
static void
limit_memory(const MsCommandLine *line, MsEngine *engine)
{
  guint64 limit = line->memory_limit;

  if (limit == 0)
    return;
  ms_engine_set_memory_budget(engine, MAX(ms_memory_cap_share(limit, ms_batch_device_runtime_bytes(line)), 1));
  if (!uses_driver(line))
    ms_memory_cap_hold(limit - MIN(limit, SUPERVISOR_BYTES), most_threads(line));
}

/**
 * ms_batch_device_open:
 * @is_on_processor: whether the processor replaces the requested device, which failed
 * @console: gets notes on the device
 *
 * Returns: (transfer full): the device or devices that the command line names, which keep within --memory-limit
 */
MsEngine *
ms_batch_device_open(const MsCommandLine *line, gboolean is_on_processor, MsConsole *console, GError **error)
{
  const char *device = is_on_processor ? "cpu" : ms_command_line_device(line);
  MsEngine *engine = ms_command_open_engine(line, console, device, error);

  if (engine)
    limit_memory(line, engine);
  return engine;
}

/**
 * ms_batch_device_watched_bytes:
 *
 * Returns: the memory at which a worker is killed; 0 for no limit, if --memory-limit is too small for any image
 */
guint64
ms_batch_device_watched_bytes(const MsCommandLine *line)
{
  return line->memory_limit > ms_batch_device_runtime_bytes(line) ? line->memory_limit : 0;
}

/** ms_batch_device_falls_back: whether the processor takes over when the driver of another device fails. */
gboolean
ms_batch_device_falls_back(const MsCommandLine *line)
{
  return line->fallback == MS_FALLBACK_CPU ||
         (line->fallback == MS_FALLBACK_DEFAULT && !line->devices && g_str_equal(ms_command_line_device(line), "auto"));
}

/**
 * ms_batch_device_prepare: to be called before the threads that read images, since it may set an environment variable
 * and limits of malloc().
 */
void
ms_batch_device_prepare(const MsCommandLine *line)
{
  if (uses_driver(line))
    ms_driver_cache_prepare();
  if (line->memory_limit > 0)
    ms_memory_cap_prepare();
}
