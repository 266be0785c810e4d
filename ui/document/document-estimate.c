/* SPDX-License-Identifier: MIT */
#include "ui/document/document-estimate.h"

#include <glib/gstdio.h>

#include "core/engine/tuned.h"
#include "core/filter/plan/plan.h"
#include "core/lab/tune/tune-store.h"
#include "ui/document/document-private.h"
#include "ui/document/document-settings.h"

/* Resolves every `auto` as a run would; %FALSE if the settings cannot run or no device is open. */
static gboolean
resolve(MsDocument *self, const MsSettings *settings, MsSettings *resolved)
{
  MsPlanRequest request;

  *resolved = *settings;
  if (ms_window_engine_is_reference(self->engine))
    return TRUE;
  if (!ms_document_plan_request(self, &request))
    return FALSE;
  request.settings =
    ms_tuned_settings(settings, ms_window_engine_get_device(self->engine), request.width, request.height);
  g_autoptr(MsPlan) plan = ms_plan_new(&request, NULL);
  if (plan)
    *resolved = plan->settings;
  return plan != NULL;
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
tuned_rates(MsDocument *self, MsDevice *device, const MsRateQuery *query)
{
  g_autofree char *problem = ms_problem_class_filter(query->settings->params.sp, query->width, query->height);
  MsWinnerKey key = {ms_device_get_name(device), ms_device_get_driver(device), problem};
  g_autofree char *path = ms_tune_store_path(NULL, &key);
  gint64 changed = time_of_change(path);

  if (self->tuned && g_strcmp0(path, self->tuned_path) == 0 && changed == self->tuned_changed)
    return self->tuned;
  g_clear_pointer(&self->tuned, ms_rates_free);
  g_free(self->tuned_path);
  self->tuned = ms_rates_new();
  self->tuned_path = g_steal_pointer(&path);
  self->tuned_changed = changed;
  g_autoptr(MsTuneRecord) record = changed ? ms_tune_store_load(NULL, &key, NULL) : NULL;
  if (record && g_strcmp0(record->version, MS_VERSION) == 0)
    ms_rates_add_record(self->tuned, record, ms_device_get_limits(device));
  return self->tuned;
}

/**
 * ms_document_estimate_ms:
 *
 * Estimates the kernel time of @settings in proportion to the pixels that they visit at most. The rate is that of the
 * newest run of any picture on the same device with the same toggles, else that of a search for the fastest
 * configuration; where these toggles were never measured, the same with the same kernel.
 *
 * Returns: milliseconds, negative when no such kernel has been measured
 */
double
ms_document_estimate_ms(MsDocument *self, const MsSettings *settings)
{
  MsRates *measured = ms_window_engine_get_rates(self->engine);
  MsDevice *device = ms_window_engine_get_device(self->engine);
  MsSettings resolved;
  MsRateQuery query = {device ? ms_device_get_name(device) : NULL, &resolved, ms_image_get_width(self->source),
                       ms_image_get_height(self->source)};
  double ms;

  if (!resolve(self, settings, &resolved))
    return -1;
  MsRates *tuned = device ? tuned_rates(self, device, &query) : NULL;
  ms = ms_rates_find_same(measured, &query);
  if (ms < 0 && tuned)
    ms = ms_rates_find_same(tuned, &query);
  if (ms < 0)
    ms = ms_rates_find_kernel(measured, &query);
  if (ms < 0 && tuned)
    ms = ms_rates_find_kernel(tuned, &query);
  return ms;
}
