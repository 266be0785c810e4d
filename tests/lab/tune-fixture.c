/* SPDX-License-Identifier: MIT */
#include "tests/lab/tune-fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"

static int
value_of(const MsFactors *settings, const char *key)
{
  return atoi(ms_factors_get(settings, key));
}

static GError *
refuse(const MsFactors *settings, gpointer data)
{
  return value_of(settings, "width") * value_of(settings, "height") > 256
           ? g_error_new(MS_ERROR, MS_ERROR_UNSUPPORTED, "The group is larger than the device takes.")
           : NULL;
}

/* Smooth towards width 32, height 4, unroll 4, memory image. */
static double
model_ns(const MsFactors *settings)
{
  double w = log2(value_of(settings, "width")) - 5, h = log2(value_of(settings, "height")) - 2;
  double u = log2(value_of(settings, "unroll")) - 2;

  return 1e6 * (1 + 0.1 * w * w + 0.07 * h * h + 0.2 * u * u +
                (strcmp(ms_factors_get(settings, "memory"), "image") ? 0.3 : 0));
}

static gboolean
fail(MsMeasurement *measured, MsOutcome outcome, const char *message)
{
  ms_measurement_fail(measured, outcome, message, message);
  return TRUE;
}

/* Ends after its own time, or when that of the budget is over. */
static gboolean
hang(const TuneDevice *device, double seconds, MsMeasurement *measured)
{
  const double own = device->hang_s > 0 ? device->hang_s : 0.005;

  g_usleep((gulong)((seconds > 0 ? MIN(seconds, own) : own) * G_USEC_PER_SEC));
  return fail(measured, MS_OUTCOME_TIMEOUT, "late");
}

static gboolean
evaluate(const MsFactors *settings, double seconds, MsMeasurement *measured, GCancellable *cancellable, gpointer data,
         GError **error)
{
  TuneDevice *device = data;
  int w = value_of(settings, "width"), h = value_of(settings, "height");
  double ns;

  device->evaluations++;
  device->now_us += device->evaluation_us;
  if (device->cancel_after && device->evaluations >= device->cancel_after)
    g_cancellable_cancel(device->campaign);
  g_assert_cmpint(w * h, <=, 256); /* a refused configuration is never built */
  if (device->everything_fails || (w == 8 && h == 8))
    return fail(measured, MS_OUTCOME_BUILD, "no build");
  if (w == 16 && h == 16)
    return fail(measured, MS_OUTCOME_RUN, "lost");
  if (w == 32 && h == 8)
    return fail(measured, MS_OUTCOME_WRONG, "3 pixels");
  if (w == 64 && h == 4)
    return hang(device, seconds, measured);
  ns = model_ns(settings);
  g_array_append_val(measured->samples, ns);
  measured->outcome = MS_OUTCOME_OK;
  return TRUE;
}

/* Without dimensions. */
MsTuneSpace *
tune_fixture_space_new(TuneDevice *device)
{
  return ms_tune_space_new(refuse, evaluate, device);
}

/* Of 150 configurations, of which 36 are refused. */
MsTuneSpace *
tune_fixture_space(TuneDevice *device)
{
  MsTuneSpace *space = tune_fixture_space_new(device);

  ms_tune_space_add(space, "width", (const char *const[]){"8", "16", "32", "64", "128", NULL});
  ms_tune_space_add(space, "height", (const char *const[]){"1", "2", "4", "8", "16", NULL});
  ms_tune_space_add(space, "unroll", (const char *const[]){"1", "2", "4", NULL});
  ms_tune_space_add(space, "memory", (const char *const[]){"buffer", "image", NULL});
  return space;
}

/* A search that has not begun. */
MsReport *
tune_fixture_new(void)
{
  g_autoptr(MsFactors) fixed = ms_factors_parse("size:640x480 sp:10", NULL);

  return ms_tune_report_new("test", fixed);
}

/* An exhaustive search that ran to its end. */
MsReport *
tune_fixture_search(void)
{
  TuneDevice device = {0};
  g_autoptr(MsTuneSpace) space = tune_fixture_space(&device);
  MsReport *report = tune_fixture_new();
  MsTuneOptions options = {60, FALSE, 1, NULL};

  g_assert_true(ms_tune_search(space, report, &options, NULL, NULL));
  return report;
}

void
tune_fixture_assert_optimum(const MsReport *report)
{
  const MsReportRow *best = ms_tune_best(report);

  g_assert_nonnull(best);
  g_assert_cmpstr(best->label, ==, "width:32 height:4 unroll:4 memory:image");
  g_assert_cmpfloat(best->summary.median, ==, 1e6);
}
