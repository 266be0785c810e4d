/* SPDX-License-Identifier: MIT */
/*
 * MsTimingLog: the time of every stage of a run, from OpenCL profiling events and, for host stages, the monotonic
 * clock.
 */
#pragma once

#include <CL/cl.h>
#include <glib.h>

typedef enum {
  MS_STAGE_DECODE,
  MS_STAGE_BUILD,
  MS_STAGE_UPLOAD,
  MS_STAGE_KERNEL,
  MS_STAGE_DOWNLOAD,
  MS_STAGE_ENCODE,
} MsStage;

/**
 * MsTiming: one stage. Times are nanoseconds of one clock per row (the device's for events, the host's otherwise).
 * @kernel: (nullable): the kernel's function name, or the name of the program that was built
 * @bytes: bytes that the stage moved, 0 where GB/s are not reported
 * @by_wall_clock: whether the host's clock timed a command of the device, since its driver's events give no times
 */
typedef struct {
  MsStage stage;
  const char *kernel;
  guint64 queued_ns;
  guint64 submitted_ns;
  guint64 started_ns;
  guint64 ended_ns;
  guint64 bytes;
  gboolean by_wall_clock;
} MsTiming;

typedef struct _MsTimingLog MsTimingLog;

/** MS_TIMING_LOG_TYPE: the GVariant type of ms_timing_log_to_variant(): a row has the members of #MsTiming. */
#define MS_TIMING_LOG_TYPE "a(umstttttb)"

MsTimingLog *ms_timing_log_new(void);
MsTimingLog *ms_timing_log_ref(MsTimingLog *self);
void ms_timing_log_unref(MsTimingLog *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsTimingLog, ms_timing_log_unref)

GVariant *ms_timing_log_to_variant(MsTimingLog *self);
MsTimingLog *ms_timing_log_new_from_variant(GVariant *rows);
void ms_timing_log_add(MsTimingLog *self, const MsTiming *row);
void ms_timing_log_add_event(MsTimingLog *self, MsStage stage, const char *kernel, guint64 bytes, cl_event event);
void ms_timing_log_add_events(MsTimingLog *self, MsStage stage, guint64 bytes, cl_event *events, gsize n);
void ms_timing_log_add_host(MsTimingLog *self, MsStage stage, const char *what, guint64 bytes, gint64 started_us);
gboolean ms_timing_log_resolve(MsTimingLog *self, GError **error);
guint ms_timing_log_get_length(MsTimingLog *self);
const MsTiming *ms_timing_log_get(MsTimingLog *self, guint index);
void ms_timing_log_append(MsTimingLog *self, MsTimingLog *other);
void ms_timing_log_clear(MsTimingLog *self);
void ms_timing_log_add_filter_span(MsTimingLog *self, gint64 started_us);
double ms_timing_log_get_filter_ms(MsTimingLog *self);
gboolean ms_timing_log_has_wall_clock(MsTimingLog *self);
gboolean ms_timing_log_has_built(MsTimingLog *self);
double ms_timing_log_total_ms(MsTimingLog *self, MsStage stage);

double ms_timing_ms(const MsTiming *timing);
double ms_timing_queued_ms(const MsTiming *timing);
double ms_timing_submitted_ms(const MsTiming *timing);
double ms_timing_gb_per_s(const MsTiming *timing);
gboolean ms_duration_is_known(guint64 started_ns, guint64 ended_ns);
const char *ms_stage_name(MsStage stage);
