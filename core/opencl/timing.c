/* SPDX-License-Identifier: MIT */
#include "core/opencl/timing.h"

#include <math.h>

#include "core/opencl/cl.h"

typedef struct {
  guint row;
  cl_event event;
} PendingEvent;

struct _MsTimingLog {
  GArray *rows;
  GArray *pending;          /* PendingEvent: rows whose event has not been read yet */
  gint64 filter_started_us; /* of the first span; 0 before any */
  gint64 filter_ended_us;
};

static void
release_pending(gpointer data)
{
  clReleaseEvent(((PendingEvent *)data)->event);
}

MsTimingLog *
ms_timing_log_new(void)
{
  MsTimingLog *self = g_atomic_rc_box_new0(MsTimingLog);

  self->rows = g_array_new(FALSE, TRUE, sizeof(MsTiming));
  self->pending = g_array_new(FALSE, TRUE, sizeof(PendingEvent));
  g_array_set_clear_func(self->pending, release_pending);
  return self;
}

MsTimingLog *
ms_timing_log_ref(MsTimingLog *self)
{
  return g_atomic_rc_box_acquire(self);
}

static void
clear_log(gpointer data)
{
  MsTimingLog *self = data;

  g_array_unref(self->rows);
  g_array_unref(self->pending);
}

void
ms_timing_log_unref(MsTimingLog *self)
{
  g_atomic_rc_box_release_full(self, clear_log);
}

/** ms_timing_log_to_variant: (transfer floating): the rows of a resolved log for another process. */
GVariant *
ms_timing_log_to_variant(MsTimingLog *self)
{
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE(MS_TIMING_LOG_TYPE));
  for (guint i = 0; i < self->rows->len; i++) {
    const MsTiming *row = ms_timing_log_get(self, i);
    g_variant_builder_add(&builder, "(umstttttb)", (guint)row->stage, row->kernel, row->queued_ns, row->submitted_ns,
                          row->started_ns, row->ended_ns, row->bytes, row->by_wall_clock);
  }
  return g_variant_builder_end(&builder);
}

/** ms_timing_log_new_from_variant: (transfer full) (nullable): a log with these rows; %NULL if one has no stage. */
MsTimingLog *
ms_timing_log_new_from_variant(GVariant *rows)
{
  g_autoptr(MsTimingLog) self = ms_timing_log_new();
  const char *kernel;
  MsTiming row;
  GVariantIter iter;
  guint stage;

  g_variant_iter_init(&iter, rows);
  while (g_variant_iter_next(&iter, "(um&stttttb)", &stage, &kernel, &row.queued_ns, &row.submitted_ns, &row.started_ns,
                             &row.ended_ns, &row.bytes, &row.by_wall_clock)) {
    if (stage > MS_STAGE_ENCODE)
      return NULL;
    row.stage = (MsStage)stage;
    row.kernel = kernel ? g_intern_string(kernel) : NULL;
    ms_timing_log_add(self, &row);
  }
  return g_steal_pointer(&self);
}

/* An event of the last row. */
static void
add_pending(MsTimingLog *self, cl_event event)
{
  PendingEvent pending = {self->rows->len - 1, event};

  clRetainEvent(event);
  g_array_append_val(self->pending, pending);
}

/**
 * ms_timing_log_add_event:
 * @kernel: (nullable): the kernel's name
 * @bytes: bytes moved
 * @event: (transfer none): an event of a queue with profiling; read by ms_timing_log_resolve() once it has ended
 */
void
ms_timing_log_add_event(MsTimingLog *self, MsStage stage, const char *kernel, guint64 bytes, cl_event event)
{
  MsTiming row = {.stage = stage, .kernel = kernel ? g_intern_string(kernel) : NULL, .bytes = bytes};

  g_array_append_val(self->rows, row);
  add_pending(self, event);
}

/**
 * ms_timing_log_add_events:
 * @events: (array length=n): commands that form one stage, at least one
 *
 * Adds a single row from the first of them to the last.
 */
void
ms_timing_log_add_events(MsTimingLog *self, MsStage stage, guint64 bytes, cl_event *events, gsize n)
{
  g_return_if_fail(n > 0);

  ms_timing_log_add_event(self, stage, NULL, bytes, events[0]);
  for (gsize i = 1; i < n; i++)
    add_pending(self, events[i]);
}

/**
 * ms_timing_log_add_host:
 * @started_us: g_get_monotonic_time() at the start; the end is now
 *
 * Adds a stage that ran on the host (decoding, building, encoding).
 */
void
ms_timing_log_add_host(MsTimingLog *self, MsStage stage, const char *what, guint64 bytes, gint64 started_us)
{
  guint64 start = (guint64)started_us * 1000;
  MsTiming row = {stage, what ? g_intern_string(what) : NULL,    start, start,
                  start, (guint64)g_get_monotonic_time() * 1000, bytes, FALSE};

  g_array_append_val(self->rows, row);
}

static void
widen_filter_span(MsTimingLog *self, gint64 started_us, gint64 ended_us)
{
  if (started_us == 0)
    return;
  self->filter_started_us = self->filter_started_us ? MIN(self->filter_started_us, started_us) : started_us;
  self->filter_ended_us = MAX(self->filter_ended_us, ended_us);
}

/**
 * ms_timing_log_add_filter_span:
 * @started_us: g_get_monotonic_time() when the first upload began; the last download has just ended
 *
 * Spans of tiles and devices are merged into one, since all use the host's clock.
 */
void
ms_timing_log_add_filter_span(MsTimingLog *self, gint64 started_us)
{
  widen_filter_span(self, started_us, g_get_monotonic_time());
}

/** ms_timing_log_get_filter_ms: wall time of the filter, first upload to last download; 0 if nothing was filtered. */
double
ms_timing_log_get_filter_ms(MsTimingLog *self)
{
  return (double)(self->filter_ended_us - self->filter_started_us) / 1e3;
}

/** ms_timing_log_add: adds a copy of a row of another log. */
void
ms_timing_log_add(MsTimingLog *self, const MsTiming *row)
{
  g_array_append_vals(self->rows, row, 1);
}

/* The row starts with the earliest and ends with the latest of its events. */
static gboolean
read_event(MsTiming *row, gboolean first, cl_event event, GError **error)
{
  struct {
    cl_profiling_info what;
    guint64 *into;
    gboolean latest;
  } questions[] = {
    {CL_PROFILING_COMMAND_QUEUED, &row->queued_ns, FALSE},
    {CL_PROFILING_COMMAND_SUBMIT, &row->submitted_ns, FALSE},
    {CL_PROFILING_COMMAND_START, &row->started_ns, FALSE},
    {CL_PROFILING_COMMAND_END, &row->ended_ns, TRUE},
  };

  if (!ms_cl_check(clWaitForEvents(1, &event), error, "waiting for a command"))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS(questions); i++) {
    cl_ulong value = 0;
    if (!ms_cl_check(clGetEventProfilingInfo(event, questions[i].what, sizeof value, &value, NULL), error,
                     "reading a profiling event"))
      return FALSE;
    guint64 *into = questions[i].into;
    *into = first ? value : questions[i].latest ? MAX(*into, value) : MIN(*into, value);
  }
  return TRUE;
}

/** ms_timing_log_resolve: waits for the events added so far and reads their profiling times. */
gboolean
ms_timing_log_resolve(MsTimingLog *self, GError **error)
{
  gboolean good = TRUE;

  for (guint i = 0; i < self->pending->len && good; i++) {
    PendingEvent *pending = &g_array_index(self->pending, PendingEvent, i);
    gboolean first = i == 0 || g_array_index(self->pending, PendingEvent, i - 1).row != pending->row;
    good = read_event(&g_array_index(self->rows, MsTiming, pending->row), first, pending->event, error);
  }
  g_array_set_size(self->pending, 0);
  return good;
}

guint
ms_timing_log_get_length(MsTimingLog *self)
{
  return self->rows->len;
}

const MsTiming *
ms_timing_log_get(MsTimingLog *self, guint index)
{
  return &g_array_index(self->rows, MsTiming, index);
}

/** ms_timing_log_append: adds copies of the rows of @other, which must be resolved. */
void
ms_timing_log_append(MsTimingLog *self, MsTimingLog *other)
{
  g_return_if_fail(other->pending->len == 0);

  widen_filter_span(self, other->filter_started_us, other->filter_ended_us);
  if (other->rows->len > 0)
    g_array_append_vals(self->rows, other->rows->data, other->rows->len);
}

void
ms_timing_log_clear(MsTimingLog *self)
{
  self->filter_started_us = self->filter_ended_us = 0;
  g_array_set_size(self->pending, 0);
  g_array_set_size(self->rows, 0);
}

/**
 * ms_timing_log_has_built: whether a program was built, so that the times say little of a device's speed: neither that
 * of the build nor that of the first launch depends on the pixels.
 */
gboolean
ms_timing_log_has_built(MsTimingLog *self)
{
  for (guint i = 0; i < self->rows->len; i++)
    if (ms_timing_log_get(self, i)->stage == MS_STAGE_BUILD)
      return TRUE;
  return FALSE;
}

/** ms_timing_log_has_wall_clock: whether commands of a device were timed by the host's clock. */
gboolean
ms_timing_log_has_wall_clock(MsTimingLog *self)
{
  for (guint i = 0; i < self->rows->len; i++)
    if (ms_timing_log_get(self, i)->by_wall_clock)
      return TRUE;
  return FALSE;
}

/** ms_timing_log_total_ms: the sum of the rows of a stage; NAN where the time of one is unknown. */
double
ms_timing_log_total_ms(MsTimingLog *self, MsStage stage)
{
  double total = 0;

  for (guint i = 0; i < self->rows->len; i++) {
    const MsTiming *row = ms_timing_log_get(self, i);
    if (row->stage == stage)
      total += ms_timing_ms(row);
  }
  return total;
}

/* No device begins and ends a command in less; drivers without times of their own report 0 or 1 ns, or ends first. */
#define LEAST_COMMAND_NS 10

/** ms_duration_is_known: whether two times of an event say how long its command ran. */
gboolean
ms_duration_is_known(guint64 started_ns, guint64 ended_ns)
{
  return ended_ns > started_ns && ended_ns - started_ns >= LEAST_COMMAND_NS;
}

static gboolean
is_of_host(MsStage stage)
{
  return stage == MS_STAGE_DECODE || stage == MS_STAGE_BUILD || stage == MS_STAGE_ENCODE;
}

/* Whether the row says how long the stage took. */
static gboolean
is_known(const MsTiming *timing)
{
  return is_of_host(timing->stage) ? timing->ended_ns >= timing->started_ns
                                   : ms_duration_is_known(timing->started_ns, timing->ended_ns);
}

/** ms_timing_ms: run time in milliseconds, from start to end; NAN where it is unknown. */
double
ms_timing_ms(const MsTiming *timing)
{
  return is_known(timing) ? (double)(timing->ended_ns - timing->started_ns) * 1e-6 : NAN;
}

/* NAN where the host did the work or its clock was used, the times are unknown or run backwards. */
static double
wait_ms(const MsTiming *timing, guint64 from_ns, guint64 to_ns)
{
  const gboolean known = !is_of_host(timing->stage) && !timing->by_wall_clock && is_known(timing) && to_ns >= from_ns;

  return known ? (double)(to_ns - from_ns) * 1e-6 : NAN;
}

/** ms_timing_queued_ms: how long the command waited on the host; NAN where nothing did or that is unknown. */
double
ms_timing_queued_ms(const MsTiming *timing)
{
  return wait_ms(timing, timing->queued_ns, timing->submitted_ns);
}

/** ms_timing_submitted_ms: how long the command waited on the device; NAN where nothing did or that is unknown. */
double
ms_timing_submitted_ms(const MsTiming *timing)
{
  return wait_ms(timing, timing->submitted_ns, timing->started_ns);
}

/** ms_timing_gb_per_s: 10^9 bytes a second, NAN where bytes or time are unknown. */
double
ms_timing_gb_per_s(const MsTiming *timing)
{
  if (timing->bytes == 0 || !is_known(timing) || timing->ended_ns == timing->started_ns)
    return NAN;
  return (double)timing->bytes / (double)(timing->ended_ns - timing->started_ns);
}

/** ms_stage_name: the stage as reports spell it. */
const char *
ms_stage_name(MsStage stage)
{
  static const char *const names[] = {"decode", "build", "upload", "kernel", "download", "encode"};

  return names[stage];
}
