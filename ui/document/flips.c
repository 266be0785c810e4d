/* SPDX-License-Identifier: MIT */
#include "ui/document/flips.h"

#include <math.h>
#include <string.h>

#include "ui/document/document-private.h"

/* Times from which an interval follows. */
#define FEWEST_TIMES 3

/* A flip that takes less than this share of the budget is measured until it has an interval. */
#define SHORT_SHARE 0.05

/* What is known */

void
ms_flip_clear(MsFlip *self)
{
  g_clear_pointer(&self->refusal, g_free);
  self->run = NULL;
}

/**
 * ms_flip_values: (transfer none) (array zero-terminated=1): the values of a toggle that the window offers: for
 * work-groups those of the published study at 128 work-items, squares, and rows.
 */
const char *const *
ms_flip_values(const MsOptionInfo *option)
{
  static const char *const shapes[] = {"auto", "8x8",  "16x8",  "16x16", "32x4",  "32x8",
                                       "64x1", "64x2", "128x1", "1x128", "256x1", NULL};

  return option->kind == MS_OPTION_SHAPE ? shapes : option->values;
}

/** ms_document_resolve: resolves every `auto` as a run would; %FALSE if they cannot run or no device is open. */
gboolean
ms_document_resolve(MsDocument *self, const MsSettings *settings, MsSettings *resolved)
{
  MsDevice *device = ms_window_engine_get_device(self->engine);

  *resolved = *settings;
  if (ms_window_engine_is_reference(self->engine))
    return TRUE;
  if (!device)
    return FALSE;
  const MsJob job = {.source = self->source, .settings = settings};
  const MsSettings tuned = ms_tuned_settings(&self->winners, &job, device);
  g_autoptr(MsPlan) plan = ms_document_plan(self, &tuned, NULL);
  if (plan)
    *resolved = plan->settings;
  return plan != NULL;
}

static double
estimate(MsDocument *self, const MsSettings *resolved)
{
  MsDevice *device = ms_window_engine_get_device(self->engine);
  const MsRateQuery query = {device ? device->name : NULL, resolved, ms_image_get_width(self->source),
                             ms_image_get_height(self->source)};

  return ms_rates_estimate(ms_window_engine_get_rates(self->engine), device, &query);
}

/**
 * ms_document_estimate_ms:
 *
 * Estimates the kernel time of @settings as ms_rates_estimate() does.
 *
 * Returns: milliseconds, negative when no such kernel has been measured
 */
double
ms_document_estimate_ms(MsDocument *self, const MsSettings *settings)
{
  MsSettings resolved;

  return ms_document_resolve(self, settings, &resolved) ? estimate(self, &resolved) : -1;
}

static gboolean
is_run_of(MsDocument *self, MsRun *run, const MsSettings *resolved)
{
  return ms_run_get_device(run) && ms_run_get_device(run) == ms_window_engine_get_device(self->engine) &&
         ms_settings_equal(ms_run_get_settings(run), resolved);
}

/* (transfer none) (nullable) */
static MsRun *
find_run(MsDocument *self, const MsSettings *resolved)
{
  for (guint i = g_list_model_get_n_items(G_LIST_MODEL(self->runs)); i-- > 0;) {
    g_autoptr(MsRun) run = g_list_model_get_item(G_LIST_MODEL(self->runs), i);
    if (is_run_of(self, run, resolved))
      return run;
  }
  for (guint i = 0; i < self->flips->len; i++)
    if (is_run_of(self, self->flips->pdata[i], resolved))
      return self->flips->pdata[i];
  return NULL;
}

/* The present settings as they would run, which every flip is compared with, are resolved once. */
static gboolean
resolve_present(MsDocument *self, MsSettings *resolved)
{
  MsDevice *device = ms_window_engine_get_device(self->engine);
  const MsSettings *present = ms_document_get_settings(self);

  if (!device)
    return FALSE;
  if (device != self->resolved_for || !ms_settings_equal(present, &self->resolved_from)) {
    self->resolved_for = ms_document_resolve(self, present, &self->resolved_present) ? device : NULL;
    self->resolved_from = *present;
  }
  *resolved = self->resolved_present;
  return self->resolved_for != NULL;
}

/** ms_document_get_present_run: (transfer none) (nullable): the newest run that equals the present settings. */
MsRun *
ms_document_get_present_run(MsDocument *self)
{
  MsSettings resolved;

  return resolve_present(self, &resolved) ? find_run(self, &resolved) : NULL;
}

/** ms_document_look_at: what is known of @value of @option beside the present settings. */
MsFlip
ms_document_look_at(MsDocument *self, const MsOptionInfo *option, const char *value)
{
  MsSettings settings = *ms_document_get_settings(self), now, then;
  MsFlip flip = {ms_document_option_refusal(self, option, value), NULL, -1, NULL};

  if (flip.refusal || !ms_option_set_text(option, &settings, value, NULL) ||
      !ms_document_resolve(self, &settings, &then))
    return flip;
  flip.estimate_ms = estimate(self, &then);
  flip.run = find_run(self, &then);
  if (settings.options.kernel == MS_KERNEL_AUTO && !g_str_equal(option->name, "kernel") &&
      resolve_present(self, &now) && now.options.kernel != then.options.kernel)
    flip.kernel = ms_filter_kernel_name(then.options.kernel);
  return flip;
}

static guint64
count_differences(MsRun *one, MsRun *other)
{
  MsImage *a = ms_run_get_result(one), *b = ms_run_get_result(other);
  guint64 n = 0;

  for (int y = 0; a && b && y < ms_image_get_height(a); y++) {
    const guint8 *p = ms_image_get_pixels(a) + (gsize)y * ms_image_get_stride(a);
    const guint8 *q = ms_image_get_pixels(b) + (gsize)y * ms_image_get_stride(b);
    for (int x = 0; x < ms_image_get_width(a); x++)
      n += memcmp(p + (gsize)x * 4, q + (gsize)x * 4, 4) != 0;
  }
  return n;
}

/**
 * ms_flips_compare: compares the pixels of those of @flips that have run with those of @present.
 * @flips: (array length=n)
 * @present: (nullable)
 */
MsSameness
ms_flips_compare(const MsFlip *flips, guint n, MsRun *present)
{
  MsSameness sameness = {0};

  for (guint i = 0; present && i < n; i++) {
    MsRun *run = flips[i].run;
    sameness.values += flips[i].refusal == NULL;
    sameness.measured += run != NULL;
    if (run && strcmp(ms_run_get_digest(run), ms_run_get_digest(present)) != 0)
      sameness.different = run;
  }
  if (sameness.different)
    sameness.pixels = count_differences(present, sameness.different);
  return sameness;
}

/* Measuring in the background */

/* @estimate_ms: infinite while unknown */
typedef struct {
  MsSettings settings;
  double estimate_ms;
} Waiting;

static void
changed(MsDocument *self)
{
  g_signal_emit_by_name(self, "flips-changed");
}

/** ms_document_is_measuring: whether flips are being measured; @done: (out): of @all: (out), which are 0 otherwise */
gboolean
ms_document_is_measuring(MsDocument *self, guint *done, guint *all)
{
  *all = self->measuring ? self->n_to_measure : 0;
  *done = self->measuring ? self->n_to_measure - self->to_measure->len : 0;
  return self->measuring != NULL;
}

/** ms_document_stop_measuring: ends it after the current band; what was measured is kept. */
void
ms_document_stop_measuring(MsDocument *self)
{
  g_clear_handle_id(&self->measuring_timer, g_source_remove);
  if (!self->measuring)
    return;
  g_cancellable_cancel(self->measuring);
  g_clear_object(&self->measuring);
  g_array_set_size(self->to_measure, 0);
  changed(self);
}

static double
left_ms(MsDocument *self)
{
  return (double)(self->measuring_until_us - g_get_monotonic_time()) * 1e-3;
}

/* Whether an interval is wanted for @run (nullable), which has too few times; not where the driver tells none. */
static gboolean
needs_time(MsDocument *self, MsRun *run)
{
  return !run || (ms_run_summarise(run).n < FEWEST_TIMES &&
                  ms_run_get_kernel_ms(run) <= SHORT_SHARE * self->measuring_budget_ms);
}

/**
 * ms_document_add_flip: keeps a run that was measured beside the runs of the list, or adds its time to the run that it
 * repeats. Its picture is kept only where it differs from that of the present settings.
 */
void
ms_document_add_flip(MsDocument *self, MsRun *run)
{
  MsRun *known = find_run(self, ms_run_get_settings(run)), *present = ms_document_get_present_run(self);

  if (known) {
    ms_run_add_time(known, ms_run_get_kernel_ms(run));
  } else {
    g_ptr_array_add(self->flips, g_object_ref(run));
    if (!present || strcmp(ms_run_get_digest(present), ms_run_get_digest(run)) == 0)
      ms_run_drop_result(run);
  }
  changed(self);
}

static void measure_next(MsDocument *self);

static void
on_measuring(double done, gpointer data)
{
}

static void
on_measured(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(MsDocument) self = data;
  g_autoptr(MsRun) run = ms_window_engine_filter_finish(MS_WINDOW_ENGINE(source), result, NULL);
  GCancellable *cancellable = g_task_get_cancellable(G_TASK(result));

  if (run)
    ms_document_add_flip(self, run);
  if (cancellable != self->measuring || g_cancellable_is_cancelled(cancellable))
    return;
  MsRun *known = run ? find_run(self, ms_run_get_settings(run)) : NULL;
  if (!known || !needs_time(self, known) || left_ms(self) < ms_run_get_kernel_ms(known))
    g_array_remove_index(self->to_measure, 0);
  measure_next(self);
}

static gboolean
on_budget_spent(gpointer data)
{
  MsDocument *self = data;

  self->measuring_timer = 0;
  ms_document_stop_measuring(self);
  return G_SOURCE_REMOVE;
}

/* Those that do not fit into what is left of the budget, or need no further time, are passed over. */
static gboolean
is_worthwhile(MsDocument *self, const Waiting *waiting)
{
  MsSettings resolved;

  return ms_document_resolve(self, &waiting->settings, &resolved) && needs_time(self, find_run(self, &resolved)) &&
         (!isfinite(waiting->estimate_ms) || waiting->estimate_ms < left_ms(self));
}

static void
measure_next(MsDocument *self)
{
  static const MsFilterEvents events = {.progress = on_measuring};

  while (self->to_measure->len > 0 && !is_worthwhile(self, &g_array_index(self->to_measure, Waiting, 0)))
    g_array_remove_index(self->to_measure, 0);
  if (self->to_measure->len == 0) {
    ms_document_stop_measuring(self);
    return;
  }
  MsWindowRequest *request =
    ms_window_request_new_filter(self->source, &g_array_index(self->to_measure, Waiting, 0).settings, NULL, &events);
  ms_window_engine_ask_async(self->engine, request, self->measuring, on_measured, g_object_ref(self));
  changed(self);
}

static int
compare_waiting(gconstpointer one, gconstpointer other)
{
  const double a = ((const Waiting *)one)->estimate_ms, b = ((const Waiting *)other)->estimate_ms;

  return a < b ? -1 : a > b;
}

static void
add_values(MsDocument *self, const MsOptionInfo *option)
{
  const char *const *values = ms_flip_values(option);

  for (guint i = 0; values[i]; i++) {
    Waiting waiting = {*ms_document_get_settings(self), INFINITY};
    g_auto(MsFlip) flip = ms_document_look_at(self, option, values[i]);
    if (flip.refusal || !ms_option_set_text(option, &waiting.settings, values[i], NULL) ||
        ms_settings_equal(&waiting.settings, ms_document_get_settings(self)))
      continue;
    if (flip.estimate_ms >= 0)
      waiting.estimate_ms = flip.estimate_ms;
    g_array_append_val(self->to_measure, waiting);
  }
}

/**
 * ms_document_measure_flips: measures every other value of every toggle, one at a time and the shortest first, in
 * @budget_ms at most. It ends when anything else is asked of the document.
 */
void
ms_document_measure_flips(MsDocument *self, guint budget_ms)
{
  const MsOptionInfo *table = ms_options.rows;
  const Waiting present = {*ms_document_get_settings(self), 0};

  if (self->measuring || self->cancellable || !ms_window_engine_get_device(self->engine))
    return;
  g_array_set_size(self->to_measure, 0);
  for (guint i = 0; i < ms_options.n_rows; i++)
    if (table[i].group == MS_OPTION_GROUP_TOGGLE)
      add_values(self, &table[i]);
  g_array_sort(self->to_measure, compare_waiting);
  g_array_insert_val(self->to_measure, 0, present);
  self->n_to_measure = self->to_measure->len;
  self->measuring = g_cancellable_new();
  self->measuring_budget_ms = budget_ms;
  self->measuring_until_us = g_get_monotonic_time() + (gint64)budget_ms * 1000;
  self->measuring_timer = g_timeout_add(budget_ms, on_budget_spent, self);
  measure_next(self);
}

void
ms_document_init_flips(MsDocument *self)
{
  self->flips = g_ptr_array_new_with_free_func(g_object_unref);
  self->to_measure = g_array_new(FALSE, FALSE, sizeof(Waiting));
}
