/* SPDX-License-Identifier: MIT */
#include "core/lab/experiment/experiment-json.h"

#include <string.h>

#include "core/error.h"
#include "core/factors-json.h"
#include "core/json.h"

static const char *const plot_types[] = {"bars", "lines", "stacked"};

static void
add_words(JsonBuilder *builder, const char *name, char **words)
{
  ms_json_begin_array(builder, name);
  for (char **word = words; *word; word++)
    json_builder_add_string_value(builder, *word);
  json_builder_end_array(builder);
}

static void
add_axes(JsonBuilder *builder, const MsExperiment *e)
{
  ms_json_begin_array(builder, "axes");
  for (guint i = 0; i < e->axes->len; i++) {
    const MsAxis *axis = e->axes->pdata[i];
    json_builder_begin_object(builder);
    ms_json_add_text(builder, "key", axis->key);
    add_words(builder, "values", axis->values);
    add_words(builder, "quick", axis->quick);
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
}

static void
add_cases(JsonBuilder *builder, const MsExperiment *e)
{
  ms_json_begin_array(builder, "cases");
  for (guint i = 0; i < e->cases->len; i++) {
    const MsCase *one = e->cases->pdata[i];
    json_builder_begin_object(builder);
    ms_json_add_text(builder, "name", one->name);
    ms_json_add_factors(builder, "settings", one->factors);
    ms_json_add_boolean(builder, "quick", one->quick);
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
}

static void
add_plot(JsonBuilder *builder, const MsPlot *plot)
{
  ms_json_begin_object(builder, "plot");
  ms_json_add_text(builder, "type", plot_types[plot->type]);
  ms_json_add_text(builder, "x", plot->x);
  ms_json_add_text(builder, "x_title", plot->x_title);
  ms_json_add_text(builder, "series", plot->series);
  ms_json_add_text(builder, "y", plot->y);
  ms_json_add_text(builder, "y2", plot->y2);
  ms_json_add_boolean(builder, "log_x", plot->log_x);
  ms_json_add_boolean(builder, "log_y", plot->log_y);
  json_builder_end_object(builder);
}

static void
add_published(JsonBuilder *builder, const MsExperiment *e)
{
  ms_json_begin_array(builder, "published");
  for (guint i = 0; i < e->published->len; i++) {
    const MsPublished *p = e->published->pdata[i];
    json_builder_begin_object(builder);
    ms_json_add_text(builder, "device", p->device);
    ms_json_add_text(builder, "source", p->source);
    ms_json_add_text(builder, "quantity", p->metric);
    ms_json_add_text(builder, "unit", p->unit);
    ms_json_add_factors(builder, "where", p->where);
    ms_json_add_number(builder, "low", p->low);
    ms_json_add_number(builder, "high", p->high);
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
}

/** ms_json_add_experiment: adds an object. */
void
ms_json_add_experiment(JsonBuilder *builder, const MsExperiment *e)
{
  json_builder_begin_object(builder);
  ms_json_add_text(builder, "name", e->name);
  ms_json_add_text(builder, "title", e->title);
  ms_json_add_text(builder, "kind", e->kind);
  ms_json_add_text(builder, "study", e->study);
  ms_json_add_text(builder, "section", e->section);
  ms_json_add_text(builder, "description", e->description);
  ms_json_add_text(builder, "finding", e->finding);
  add_axes(builder, e);
  add_cases(builder, e);
  ms_json_add_factors(builder, "fixed", e->fixed);
  ms_json_add_factors(builder, "quick_fixed", e->quick_fixed);
  ms_json_add_factors(builder, "baseline", e->baseline);
  add_plot(builder, &e->plot);
  add_published(builder, e);
  json_builder_end_object(builder);
}

/* An array of strings; NULL when it is absent or holds anything else. */
static char **
get_words(JsonObject *object, const char *name)
{
  JsonArray *array = ms_json_get_array(object, name);
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new();

  if (!array)
    return NULL;
  for (guint i = 0; i < json_array_get_length(array); i++) {
    JsonNode *node = json_array_get_element(array, i);
    if (!JSON_NODE_HOLDS_VALUE(node) || json_node_get_value_type(node) != G_TYPE_STRING)
      return NULL;
    g_strv_builder_add(builder, json_node_get_string(node));
  }
  return g_strv_builder_end(builder);
}

static void
get_axes(MsExperiment *e, JsonObject *object)
{
  JsonArray *axes = ms_json_get_array(object, "axes");

  for (guint i = 0; axes && i < json_array_get_length(axes); i++) {
    JsonObject *axis = ms_json_get_element(axes, i);
    if (!axis)
      continue;
    const char *key = ms_json_get_text(axis, "key");
    g_auto(GStrv) values = get_words(axis, "values");
    g_auto(GStrv) quick = get_words(axis, "quick");
    if (key && values)
      ms_experiment_add_axis(e, key, (const char *const *)values, (const char *const *)quick);
  }
}

static void
get_cases(MsExperiment *e, JsonObject *object)
{
  JsonArray *cases = ms_json_get_array(object, "cases");

  for (guint i = 0; cases && i < json_array_get_length(cases); i++) {
    JsonObject *one = ms_json_get_element(cases, i);
    g_autoptr(MsFactors) factors = one ? ms_json_get_factors(one, "settings") : NULL;
    const char *name = one ? ms_json_get_text(one, "name") : NULL;
    if (name && factors)
      ms_experiment_add_case(e, name, factors)->quick = ms_json_get_boolean(one, "quick", TRUE);
  }
}

static void
get_plot(MsExperiment *e, JsonObject *object)
{
  JsonObject *plot = ms_json_get_object(object, "plot");
  const char *type = plot ? ms_json_get_text(plot, "type") : NULL;
  const char *y = plot ? ms_json_get_text(plot, "y") : NULL;

  for (guint i = 0; type && i < G_N_ELEMENTS(plot_types); i++)
    if (strcmp(plot_types[i], type) == 0)
      e->plot.type = i;
  if (!plot)
    return;
  if (y) {
    g_free(e->plot.y);
    e->plot.y = g_strdup(y);
  }
  e->plot.x = g_strdup(ms_json_get_text(plot, "x"));
  e->plot.x_title = g_strdup(ms_json_get_text(plot, "x_title"));
  e->plot.series = g_strdup(ms_json_get_text(plot, "series"));
  e->plot.y2 = g_strdup(ms_json_get_text(plot, "y2"));
  e->plot.log_x = ms_json_get_boolean(plot, "log_x", FALSE);
  e->plot.log_y = ms_json_get_boolean(plot, "log_y", FALSE);
}

static char *
get_text_or_empty(JsonObject *object, const char *name)
{
  const char *text = ms_json_get_text(object, name);

  return g_strdup(text ? text : "");
}

static void
get_published(MsExperiment *e, JsonObject *object)
{
  JsonArray *all = ms_json_get_array(object, "published");

  for (guint i = 0; all && i < json_array_get_length(all); i++) {
    JsonObject *one = ms_json_get_element(all, i);
    MsFactors *where = one ? ms_json_get_factors(one, "where") : NULL;
    if (!where)
      continue;
    MsPublished *p = g_new0(MsPublished, 1);
    *p = (MsPublished){get_text_or_empty(one, "device"),
                       get_text_or_empty(one, "source"),
                       get_text_or_empty(one, "quantity"),
                       get_text_or_empty(one, "unit"),
                       where,
                       ms_json_get_number(one, "low"),
                       ms_json_get_number(one, "high")};
    g_ptr_array_add(e->published, p);
  }
}

static void
replace_factors(MsFactors **place, JsonObject *object, const char *name)
{
  MsFactors *read = ms_json_get_factors(object, name);

  if (!read)
    return;
  ms_factors_free(*place);
  *place = read;
}

/** ms_json_get_experiment: (transfer full): the reverse of ms_json_add_experiment(). */
MsExperiment *
ms_json_get_experiment(JsonObject *object, GError **error)
{
  const char *name = ms_json_get_text(object, "name");
  const char *title = ms_json_get_text(object, "title");
  const char *kind = ms_json_get_text(object, "kind");

  if (!name || !title || !kind) {
    ms_set_error_literal(error, MS_ERROR_FORMAT, "The report does not say which experiment it belongs to.");
    return NULL;
  }
  MsExperiment *e = ms_experiment_new(name, title, kind);
  e->study = g_strdup(ms_json_get_text(object, "study"));
  e->section = g_strdup(ms_json_get_text(object, "section"));
  e->description = g_strdup(ms_json_get_text(object, "description"));
  e->finding = g_strdup(ms_json_get_text(object, "finding"));
  get_axes(e, object);
  get_cases(e, object);
  replace_factors(&e->fixed, object, "fixed");
  replace_factors(&e->quick_fixed, object, "quick_fixed");
  replace_factors(&e->baseline, object, "baseline");
  get_plot(e, object);
  get_published(e, object);
  return e;
}
