/* SPDX-License-Identifier: MIT */
#include "ui/engine/rates.h"

#include <glib/gstdio.h>
#include <math.h>

#include "core/filter/plan/plan.h"
#include "core/filter/settings/settings.h"
#include "core/lab/lab-tune.h"

/* @ms: for each pixel visited; @device: name, %NULL for the serial reference */
typedef struct {
  char *device;
  MsSettings settings;
  double ms;
} Rate;

struct _MsRates {
  GArray *rates;  /* Rate; the newest last */
  MsRates *tuned; /* (nullable): from the search in the file @tuned_path, modified at @tuned_changed */
  char *tuned_path;
  gint64 tuned_changed;
};

static void
rate_clear(gpointer rate)
{
  g_free(((Rate *)rate)->device);
}

MsRates *
ms_rates_new(void)
{
  MsRates *self = g_new0(MsRates, 1);

  self->rates = g_array_new(FALSE, FALSE, sizeof(Rate));
  g_array_set_clear_func(self->rates, rate_clear);
  return self;
}

void
ms_rates_free(MsRates *self)
{
  g_array_unref(self->rates);
  g_clear_pointer(&self->tuned, ms_rates_free);
  g_free(self->tuned_path);
  g_free(self);
}

/* Pixels visited at most: the iterations of every pixel times the pixels of its window. */
static double
work_of(const MsSettings *settings, int width, int height)
{
  double side = 2 * floor(settings->params.sp) + 1;

  return (double)width * height * side * side * settings->params.max_iterations;
}

static gboolean
have_same_toggles(const MsSettings *a, const MsSettings *b)
{
  MsSettings moved = *a;

  moved.params = b->params;
  return ms_settings_equal(&moved, b);
}

/* The newest rate of settings replaces an older one, so that there are no more rates than combinations of toggles. */
static void
add(MsRates *self, const char *device, const MsSettings *settings, double ms)
{
  Rate rate = {g_strdup(device), *settings, ms};

  for (guint i = 0; i < self->rates->len; i++) {
    const Rate *old = &g_array_index(self->rates, Rate, i);
    if (g_strcmp0(old->device, device) == 0 && have_same_toggles(&old->settings, settings)) {
      g_array_remove_index(self->rates, i);
      break;
    }
  }
  g_array_append_val(self->rates, rate);
}

/** ms_rates_add_run: adds the kernel time of a finished run. */
void
ms_rates_add_run(MsRates *self, MsRun *run)
{
  const MsSettings *settings = ms_run_get_settings(run);
  MsDevice *device = ms_run_get_device(run);

  if (!(ms_run_get_kernel_ms(run) > 0))
    return;
  add(self, device ? device->name : NULL, settings,
      ms_run_get_kernel_ms(run) / work_of(settings, ms_run_get_width(run), ms_run_get_height(run)));
}

/* (transfer full) (nullable): what ran in @row */
static MsPlan *
plan_row(const MsReportRow *row, const MsDeviceLimits *limits)
{
  gint64 width = 0, height = 0;
  MsSettings settings;

  if (!ms_factors_parse_size(ms_factors_get_or(row->factors, "size", ""), &width, &height, NULL) ||
      !ms_settings_from_factors(row->factors, &settings, NULL))
    return NULL;
  const MsJob job = {.settings = &settings, .size = {(int)width, (int)height}};
  return ms_plan_new(&job, &(MsDeviceShare){.limits = limits}, NULL);
}

/**
 * ms_rates_add_report: adds the times of a search on a device with @limits, the fastest last. A row without the size of
 * its picture adds none.
 */
void
ms_rates_add_report(MsRates *self, MsReport *report, const MsDeviceLimits *limits)
{
  ms_tune_rank(report);
  for (guint i = report->rows->len; i-- > 0;) {
    const MsReportRow *row = report->rows->pdata[i];
    g_autoptr(MsPlan) plan = row->measurement->outcome == MS_OUTCOME_OK ? plan_row(row, limits) : NULL;
    if (plan)
      add(self, report->device.name, &plan->settings,
          row->summary.median * 1e-6 / work_of(&plan->settings, plan->width, plan->height));
  }
}

static double
find(MsRates *self, const MsRateQuery *query, gboolean all_toggles)
{
  for (guint i = self->rates->len; i-- > 0;) {
    const Rate *rate = &g_array_index(self->rates, Rate, i);
    if (g_strcmp0(rate->device, query->device) == 0 &&
        (all_toggles ? have_same_toggles(&rate->settings, query->settings)
                     : !query->device || rate->settings.options.kernel == query->settings->options.kernel))
      return rate->ms * work_of(query->settings, query->width, query->height);
  }
  return -1;
}

/** ms_rates_find_same: milliseconds by a rate on the same device with the same toggles; negative without one. */
double
ms_rates_find_same(MsRates *self, const MsRateQuery *query)
{
  return find(self, query, TRUE);
}

/** ms_rates_find_kernel: milliseconds by the newest rate on the same device with the same kernel; negative without. */
double
ms_rates_find_kernel(MsRates *self, const MsRateQuery *query)
{
  return find(self, query, FALSE);
}

static gint64
time_of_change(const char *path)
{
  GStatBuf about;

  return g_stat(path, &about) == 0 ? (gint64)about.st_mtim.tv_sec * 1000000000 + about.st_mtim.tv_nsec : 0;
}

/*
 * (transfer none): the rates of the saved search for this device and class of problem; reloaded when its file changes.
 */
static MsRates *
tuned_rates(MsRates *self, MsDevice *device, const MsRateQuery *query)
{
  g_autofree char *problem = ms_problem_class_filter(query->settings->params.sp, query->width, query->height);
  MsWinnerKey key = {device->name, device->driver, problem};
  g_autofree char *path = ms_lab_tune_log_path(NULL, &key);
  gint64 changed = time_of_change(path);

  if (self->tuned && g_strcmp0(path, self->tuned_path) == 0 && changed == self->tuned_changed)
    return self->tuned;
  g_clear_pointer(&self->tuned, ms_rates_free);
  g_free(self->tuned_path);
  self->tuned = ms_rates_new();
  self->tuned_path = g_steal_pointer(&path);
  self->tuned_changed = changed;
  g_autoptr(MsReport) report = changed ? ms_lab_tune_load(NULL, &key) : NULL;
  if (report)
    ms_rates_add_report(self->tuned, report, &device->limits);
  return self->tuned;
}

/**
 * ms_rates_estimate:
 * @device: (nullable): that of @query
 *
 * Estimates the kernel time of a run in proportion to the pixels that it visits at most. The rate is that of the newest
 * run of any picture on the same device with the same toggles, else that of a search for the fastest configuration;
 * where these toggles were never measured, the same with the same kernel.
 *
 * Returns: milliseconds, negative when no such kernel has been measured
 */
double
ms_rates_estimate(MsRates *self, MsDevice *device, const MsRateQuery *query)
{
  MsRates *tuned = device ? tuned_rates(self, device, query) : NULL;
  double ms = ms_rates_find_same(self, query);

  if (ms < 0 && tuned)
    ms = ms_rates_find_same(tuned, query);
  if (ms < 0)
    ms = ms_rates_find_kernel(self, query);
  return ms < 0 && tuned ? ms_rates_find_kernel(tuned, query) : ms;
}
