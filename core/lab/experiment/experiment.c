/* SPDX-License-Identifier: MIT */
#include "core/lab/experiment/experiment.h"

#include <libintl.h>
#include <string.h>

const char *const ms_columns_names[] = {"none", "occupancy", "instructions", "all", NULL};

static void
free_axis(gpointer data)
{
  MsAxis *axis = data;

  g_free(axis->key);
  g_strfreev(axis->values);
  g_strfreev(axis->quick);
  g_free(axis);
}

static void
free_case(gpointer data)
{
  MsCase *one = data;

  g_free(one->name);
  ms_factors_free(one->factors);
  g_free(one);
}

void
ms_published_free(MsPublished *self)
{
  g_free(self->device);
  g_free(self->source);
  g_free(self->metric);
  g_free(self->unit);
  ms_factors_free(self->where);
  g_free(self);
}

static void
free_expect(gpointer data)
{
  MsExpect *self = data;

  g_free(self->claim);
  g_free(self->metric);
  ms_factors_free(self->where);
  ms_factors_free(self->over);
  g_free(self);
}

/**
 * ms_experiment_new:
 * @name: identifier on the command line and in file names
 * @title: heading of its table and chart
 * @kind: the MsLabKind that runs it, by name
 *
 * Returns: (transfer full): an experiment without axes, plotted as bars of time
 */
MsExperiment *
ms_experiment_new(const char *name, const char *title, const char *kind)
{
  MsExperiment *self = g_atomic_rc_box_new0(MsExperiment);

  self->name = g_strdup(name);
  self->title = g_strdup(title);
  self->kind = g_strdup(kind);
  self->axes = g_ptr_array_new_with_free_func(free_axis);
  self->cases = g_ptr_array_new_with_free_func(free_case);
  self->published = g_ptr_array_new_with_free_func((GDestroyNotify)ms_published_free);
  self->expects = g_ptr_array_new_with_free_func(free_expect);
  self->fixed = ms_factors_new();
  self->quick_fixed = ms_factors_new();
  self->plot.y = g_strdup("time");
  return self;
}

MsExperiment *
ms_experiment_ref(MsExperiment *self)
{
  return g_atomic_rc_box_acquire(self);
}

static void
clear_experiment(gpointer data)
{
  MsExperiment *self = data;

  g_free(self->name);
  g_free(self->title);
  g_free(self->kind);
  g_free(self->study);
  g_free(self->section);
  g_free(self->description);
  g_free(self->finding);
  g_free(self->lesson);
  g_ptr_array_unref(self->axes);
  g_ptr_array_unref(self->cases);
  g_ptr_array_unref(self->published);
  g_ptr_array_unref(self->expects);
  ms_factors_free(self->fixed);
  ms_factors_free(self->quick_fixed);
  ms_factors_free(self->baseline);
  g_free(self->plot.x);
  g_free(self->plot.x_title);
  g_free(self->plot.series);
  g_free(self->plot.y);
  g_free(self->plot.y2);
}

void
ms_experiment_unref(MsExperiment *self)
{
  if (self)
    g_atomic_rc_box_release_full(self, clear_experiment);
}

/**
 * ms_experiment_add_axis:
 * @values: the values of @key, in order
 * @quick: (nullable): its values with --quick; %NULL for @values
 */
void
ms_experiment_add_axis(MsExperiment *self, const char *key, const char *const *values, const char *const *quick)
{
  MsAxis *axis = g_new0(MsAxis, 1);

  axis->key = g_strdup(key);
  axis->values = g_strdupv((char **)values);
  axis->quick = g_strdupv((char **)(quick ? quick : values));
  g_ptr_array_add(self->axes, axis);
}

/** ms_experiment_add_case: (transfer none): adds a case that --quick includes. */
MsCase *
ms_experiment_add_case(MsExperiment *self, const char *name, const MsFactors *factors)
{
  MsCase *one = g_new0(MsCase, 1);

  one->name = g_strdup(name);
  one->factors = ms_factors_copy(factors);
  one->quick = TRUE;
  g_ptr_array_add(self->cases, one);
  return one;
}

/** ms_experiment_set_baseline: configurations that contain @baseline become the baseline of their group. */
void
ms_experiment_set_baseline(MsExperiment *self, const MsFactors *baseline)
{
  g_clear_pointer(&self->baseline, ms_factors_free);
  self->baseline = ms_factors_copy(baseline);
}

/** ms_experiment_find_axis: (transfer none) (nullable): the axis of @key. */
const MsAxis *
ms_experiment_find_axis(const MsExperiment *self, const char *key)
{
  for (guint i = 0; i < self->axes->len; i++) {
    const MsAxis *axis = self->axes->pdata[i];
    if (strcmp(axis->key, key) == 0)
      return axis;
  }
  return NULL;
}

static char **
axis_values(const MsAxis *axis, gboolean quick)
{
  return quick ? axis->quick : axis->values;
}

/* Adds fixed factors; a key that varies keeps its value. */
static void
add_missing(MsFactors *factors, const MsFactors *more)
{
  for (guint i = 0; i < ms_factors_size(more); i++)
    if (!ms_factors_get(factors, ms_factors_key(more, i)))
      ms_factors_set(factors, ms_factors_key(more, i), ms_factors_value(more, i));
}

static void
expand_axis(const MsExperiment *self, gboolean quick, guint depth, const MsFactors *so_far, GPtrArray *all)
{
  const MsAxis *axis = depth < self->axes->len ? self->axes->pdata[depth] : NULL;

  if (!axis)
    g_ptr_array_add(all, ms_factors_copy(so_far));
  for (char **value = axis ? axis_values(axis, quick) : NULL; value && *value; value++) {
    g_autoptr(MsFactors) next = ms_factors_copy(so_far);
    ms_factors_set(next, axis->key, *value);
    expand_axis(self, quick, depth + 1, next, all);
  }
}

/** ms_experiment_count: how many configurations ms_experiment_expand() makes; G_MAXUINT64 for more than that. */
guint64
ms_experiment_count(const MsExperiment *self, gboolean quick)
{
  guint64 n = 0;

  for (guint i = 0; i < self->cases->len; i++)
    n += !quick || ((const MsCase *)self->cases->pdata[i])->quick;
  if (self->cases->len == 0)
    n = 1;
  for (guint i = 0; i < self->axes->len; i++)
    if (!g_uint64_checked_mul(&n, n, g_strv_length(axis_values(self->axes->pdata[i], quick))))
      return G_MAXUINT64;
  return n;
}

/**
 * ms_experiment_expand:
 * @quick: whether to use the scaled-down values
 *
 * Every case with every combination of the axes; the first axis varies slowest.
 *
 * Returns: (transfer full) (element-type MsFactors): the configurations, fixed factors included
 */
GPtrArray *
ms_experiment_expand(const MsExperiment *self, gboolean quick)
{
  GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)ms_factors_free);

  for (guint i = 0; i < MAX(self->cases->len, 1); i++) {
    const MsCase *one = i < self->cases->len ? self->cases->pdata[i] : NULL;
    const guint first = all->len;
    g_autoptr(MsFactors) start = ms_factors_new();
    if (one && quick && !one->quick)
      continue;
    if (one)
      ms_factors_set(start, "case", one->name);
    expand_axis(self, quick, 0, start, all);
    for (guint k = first; k < all->len; k++) {
      if (one)
        ms_factors_merge(all->pdata[k], one->factors);
      if (quick)
        add_missing(all->pdata[k], self->quick_fixed);
      add_missing(all->pdata[k], self->fixed);
    }
  }
  return all;
}

static const char *
scale_up(const MsAxis *axis, const char *value)
{
  if (g_strv_length(axis->values) != g_strv_length(axis->quick))
    return value;
  for (guint i = 0; axis->quick[i]; i++)
    if (strcmp(axis->quick[i], value) == 0)
      return axis->values[i];
  return value;
}

/**
 * ms_experiment_published_scale:
 * @factors: a configuration
 * @quick: whether it is scaled down
 *
 * Returns: (transfer full): the configuration at the published sizes that a scaled-down one represents
 */
MsFactors *
ms_experiment_published_scale(const MsExperiment *self, const MsFactors *factors, gboolean quick)
{
  MsFactors *scaled = ms_factors_copy(factors);

  if (!quick)
    return scaled;
  for (guint i = 0; i < ms_factors_size(self->quick_fixed); i++) {
    const char *key = ms_factors_key(self->quick_fixed, i);
    const char *value = ms_factors_get(self->fixed, key);
    if (value && g_strcmp0(ms_factors_get(factors, key), ms_factors_value(self->quick_fixed, i)) == 0)
      ms_factors_set(scaled, key, value);
  }
  for (guint i = 0; i < self->axes->len; i++) {
    const MsAxis *axis = self->axes->pdata[i];
    const char *value = ms_factors_get(factors, axis->key);
    if (value)
      ms_factors_set(scaled, axis->key, scale_up(axis, value));
  }
  return scaled;
}

/**
 * ms_experiment_find_published:
 *
 * Returns: (transfer container) (element-type MsPublished): the published values of the configuration that @factors
 *   scales down
 */
GPtrArray *
ms_experiment_find_published(const MsExperiment *self, const MsFactors *factors, gboolean quick)
{
  g_autoptr(MsFactors) scaled = ms_experiment_published_scale(self, factors, quick);
  GPtrArray *found = g_ptr_array_new();

  for (guint i = 0; i < self->published->len; i++) {
    MsPublished *published = self->published->pdata[i];
    if (ms_factors_contains(scaled, published->where))
      g_ptr_array_add(found, published);
  }
  return found;
}

/**
 * ms_experiment_text:
 * @text: (nullable): the title, description or finding of an experiment, or the title of its x axis
 *
 * Returns: (transfer none) (nullable): the same in @language; reports that are saved are in English
 */
const char *
ms_experiment_text(const char *text, MsLanguage language)
{
  return text && *text && language == MS_LANGUAGE_USER ? dgettext(MS_EXPERIMENT_TEXT_DOMAIN, text) : text;
}

/**
 * ms_experiment_case_title: (transfer full): a case's name with blanks for underscores, as tables and charts show it.
 */
char *
ms_experiment_case_title(const char *name)
{
  return g_strdelimit(g_strdup(name), "_", ' ');
}

/**
 * ms_experiment_label: (transfer full): the case and the values of the axes, which identify @factors within the
 * experiment.
 */
char *
ms_experiment_label(const MsExperiment *self, const MsFactors *factors)
{
  g_autofree char *title = ms_experiment_case_title(ms_factors_get_or(factors, "case", ""));
  g_autoptr(GString) label = g_string_new(title);

  for (guint i = 0; i < self->axes->len; i++) {
    const MsAxis *axis = self->axes->pdata[i];
    if (g_strv_length(axis->values) > 1 || self->axes->len + self->cases->len == 1)
      g_string_append_printf(label, "%s%s %s", label->len ? ", " : "", axis->key,
                             ms_factors_get_or(factors, axis->key, "?"));
  }
  if (label->len == 0)
    g_string_append(label, self->name);
  return g_string_free(g_steal_pointer(&label), FALSE);
}

/** ms_experiment_describe_axes: (transfer full): the axes as text, "memory: buffer, image; unroll: 1, 2, 4". */
char *
ms_experiment_describe_axes(const MsExperiment *self, gboolean quick)
{
  g_autoptr(GString) text = g_string_new(NULL);

  for (guint i = 0; i < self->cases->len; i++) {
    const MsCase *one = self->cases->pdata[i];
    g_autofree char *title = ms_experiment_case_title(one->name);
    if (!quick || one->quick)
      g_string_append_printf(text, "%s%s", text->len ? "; " : "case: ", title);
  }
  for (guint i = 0; i < self->axes->len; i++) {
    const MsAxis *axis = self->axes->pdata[i];
    g_autofree char *values = g_strjoinv(", ", axis_values(axis, quick));
    g_string_append_printf(text, "%s%s: %s", text->len ? "; " : "", axis->key, values);
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}
