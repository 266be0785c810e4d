/* SPDX-License-Identifier: MIT */
#include "ui/engine/rates.h"

#include <math.h>

#include "core/filter/plan/plan.h"
#include "core/filter/settings/settings.h"

/* @ms: for each pixel visited; @device: name, %NULL for the serial reference */
typedef struct {
  char *device;
  MsSettings settings;
  double ms;
} Rate;

struct _MsRates {
  GArray *rates; /* Rate; the newest last */
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

  add(self, device ? ms_device_get_name(device) : NULL, settings,
      ms_run_get_kernel_ms(run) / work_of(settings, ms_run_get_width(run), ms_run_get_height(run)));
}

/* (transfer full) (nullable): what ran in @trial */
static MsPlan *
plan_trial(const MsTuneRecord *record, const MsTrial *trial, const MsDeviceLimits *limits)
{
  g_autoptr(MsFactors) factors = ms_factors_copy(record->measured);
  gint64 width = 0, height = 0;
  MsSettings settings;

  ms_factors_merge(factors, trial->factors);
  if (!ms_factors_parse_size(ms_factors_get_or(factors, "size", ""), &width, &height, NULL) ||
      !ms_settings_from_factors(factors, &settings, NULL))
    return NULL;
  MsPlanRequest request = ms_plan_request(&settings, limits, (int)width, (int)height);
  return ms_plan_new(&request, NULL);
}

/**
 * ms_rates_add_record: adds the times of a search on a device with @limits, the winner last. A record without the
 * measured problem adds none.
 */
void
ms_rates_add_record(MsRates *self, const MsTuneRecord *record, const MsDeviceLimits *limits)
{
  for (guint i = 0; record->measured && i <= record->trials->len; i++) {
    const MsTrial *trial = i < record->trials->len ? record->trials->pdata[i] : ms_tune_record_best(record);
    g_autoptr(MsPlan) plan = trial && trial->outcome == MS_OUTCOME_OK ? plan_trial(record, trial, limits) : NULL;
    if (plan)
      add(self, record->device, &plan->settings,
          trial->ns * 1e-6 / work_of(&plan->settings, plan->request.width, plan->request.height));
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
