/* SPDX-License-Identifier: MIT */
#include "core/lab/experiment/experiment-file.h"

#include <string.h>

#include "core/error.h"
#include "core/factors-json.h"
#include "core/json.h"
#include "core/lab/experiment/ms-experiments.h"
#include "core/option/option.h"

#define RESOURCE_FOLDER "/io/github/meanshift_lab/MeanshiftLab/experiments"
#define PEER_SCRIPT "/io/github/meanshift_lab/MeanshiftLab/peers/peer.py"
#define ENDING ".experiment"
#define LARGEST_FILE (1 << 20)

static const char *const known_groups[] = {"Experiment",  "Axes",     "Quick Axes", "Cases", "Fixed",
                                           "Quick Fixed", "Baseline", "Plot",       NULL};

static const char *const plot_types[] = {"bars", "lines", "stacked", NULL};

static gboolean fail(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

static gboolean
fail(GError **error, const char *format, ...)
{
  va_list args;

  va_start(args, format);
  ms_set_error_va(error, MS_ERROR_FORMAT, format, args);
  va_end(args);
  return FALSE;
}

static char *
get_text(GKeyFile *file, const char *group, const char *key)
{
  char *text = g_key_file_get_string(file, group, key, NULL);

  return text ? g_strstrip(text) : NULL;
}

static char **
get_words(GKeyFile *file, const char *group, const char *key)
{
  char **words = g_key_file_get_string_list(file, group, key, NULL, NULL);

  for (char **word = words; word && *word; word++)
    g_strstrip(*word);
  return words;
}

/* Reads a group of key=value lines, in their order. */
static MsFactors *
get_settings(GKeyFile *file, const char *group)
{
  g_auto(GStrv) keys = g_key_file_get_keys(file, group, NULL, NULL);
  MsFactors *factors = ms_factors_new();

  for (char **key = keys; key && *key; key++) {
    g_autofree char *value = get_text(file, group, *key);
    ms_factors_set(factors, *key, value);
  }
  return factors;
}

static gboolean
read_axes(MsExperiment *self, GKeyFile *file, GError **error)
{
  g_auto(GStrv) keys = g_key_file_get_keys(file, "Axes", NULL, NULL);
  g_auto(GStrv) quick_keys = g_key_file_get_keys(file, "Quick Axes", NULL, NULL);

  for (char **key = keys; key && *key; key++) {
    g_auto(GStrv) values = get_words(file, "Axes", *key);
    g_auto(GStrv) quick = get_words(file, "Quick Axes", *key);
    if (!values || !values[0] || (quick && !quick[0]))
      return fail(error, "The experiment “%s” gives the axis “%s” no values.", self->name, *key);
    ms_experiment_add_axis(self, *key, (const char *const *)values, (const char *const *)quick);
  }
  for (char **key = quick_keys; key && *key; key++)
    if (!ms_experiment_find_axis(self, *key))
      return fail(error, "The experiment “%s” has a quick axis “%s”, not among its axes.", self->name, *key);
  return TRUE;
}

static gboolean
read_cases(MsExperiment *self, GKeyFile *file, GError **error)
{
  g_auto(GStrv) names = g_key_file_get_keys(file, "Cases", NULL, NULL);
  g_auto(GStrv) quick = get_words(file, "Experiment", "QuickCases");

  for (char **name = names; name && *name; name++) {
    g_autofree char *text = get_text(file, "Cases", *name);
    /* A value with a broken escape sequence counts as empty. */
    g_autoptr(MsFactors) factors = ms_factors_parse(text ? text : "", error);
    if (!factors) {
      ms_prefix_error(error, "The experiment “%s”, case “%s”: ", self->name, *name);
      return FALSE;
    }
    MsCase *one = ms_experiment_add_case(self, *name, factors);
    one->quick = !quick || g_strv_contains((const char *const *)quick, *name);
  }
  for (char **name = quick; name && *name; name++)
    if (!names || !g_strv_contains((const char *const *)names, *name))
      return fail(error, "The experiment “%s” has a quick case “%s”, not among its cases.", self->name, *name);
  return TRUE;
}

static gboolean
read_plot(MsExperiment *self, GKeyFile *file, GError **error)
{
  g_autofree char *type = get_text(file, "Plot", "Type");
  g_autofree char *y = get_text(file, "Plot", "Y");
  MsPlot *plot = &self->plot;

  const int index = type ? ms_choice_find(plot_types, type) : MS_PLOT_BARS;
  if (index < 0)
    return fail(error, "Experiment “%s” has no plot type “%s”; use bars, lines or stacked.", self->name, type);
  plot->type = (MsPlotType)index;
  if (y) {
    g_free(plot->y);
    plot->y = g_steal_pointer(&y);
  }
  plot->y2 = get_text(file, "Plot", "Y2");
  plot->x = get_text(file, "Plot", "X");
  plot->x_title = get_text(file, "Plot", "XTitle");
  plot->series = get_text(file, "Plot", "Series");
  plot->log_x = g_key_file_get_boolean(file, "Plot", "LogX", NULL);
  plot->log_y = g_key_file_get_boolean(file, "Plot", "LogY", NULL);
  return TRUE;
}

static gboolean
parse_number(const char *text, double *value, const char **end)
{
  char *stop;

  *value = g_ascii_strtod(text, &stop);
  *end = stop;
  return stop != text;
}

/* "12.5" or "1.25..1.75" */
static gboolean
parse_range(const char *text, double *low, double *high)
{
  const char *end;
  const char *dots = strstr(text, "..");
  g_autofree char *first = g_strndup(text, dots ? (gsize)(dots - text) : strlen(text));

  if (!parse_number(first, low, &end) || *end)
    return FALSE;
  *high = *low;
  return !dots || (parse_number(dots + 2, high, &end) && !*end);
}

/* One value of a published group: "key:value key:value NUMBER". */
static MsPublished *
parse_published(const char *text, GError **error)
{
  g_autofree char *copy = g_strdup(text);
  char *number = strrchr(g_strstrip(copy), ' ');
  MsPublished *published = g_new0(MsPublished, 1);

  published->where = number ? ms_factors_parse((*number = '\0', copy), error) : ms_factors_new();
  if (!published->where) {
    g_free(published);
    return NULL;
  }
  if (!parse_range(number ? number + 1 : copy, &published->low, &published->high)) {
    ms_published_free(published);
    fail(error, "“%s” does not end in a number or a range.", text);
    return NULL;
  }
  return published;
}

static gboolean
read_published_group(MsExperiment *self, GKeyFile *file, const char *group, GError **error)
{
  g_auto(GStrv) values = get_words(file, group, "Values");
  g_auto(GStrv) name = g_strsplit(group + strlen("Published "), " / ", 2);
  g_autofree char *metric = get_text(file, group, "Quantity");
  g_autofree char *unit = get_text(file, group, "Unit");

  if (!values || !metric || !unit)
    return fail(error, "The experiment “%s” lacks Quantity, Unit or Values in [%s].", self->name, group);
  for (char **value = values; *value; value++) {
    if (!**value)
      continue;
    MsPublished *published = parse_published(*value, error);
    if (!published) {
      ms_prefix_error(error, "The experiment “%s”, [%s]: ", self->name, group);
      return FALSE;
    }
    published->device = g_strdup(name[0]);
    published->source = g_strdup(self->study);
    published->metric = g_strdup(metric);
    published->unit = g_strdup(unit);
    g_ptr_array_add(self->published, published);
  }
  return TRUE;
}

static gboolean
read_other_groups(MsExperiment *self, GKeyFile *file, GError **error)
{
  g_auto(GStrv) groups = g_key_file_get_groups(file, NULL);

  for (char **group = groups; *group; group++) {
    if (g_strv_contains(known_groups, *group))
      continue;
    if (!g_str_has_prefix(*group, "Published "))
      return fail(error, "The experiment “%s” has an unknown group [%s].", self->name, *group);
    if (!read_published_group(self, file, *group, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
check_plot(MsExperiment *self, GError **error)
{
  const char *keys[] = {self->plot.x, self->plot.series};

  for (guint i = 0; i < G_N_ELEMENTS(keys); i++) {
    const char *key = keys[i];
    if (!key || !*key || ms_experiment_find_axis(self, key) || (strcmp(key, "case") == 0 && self->cases->len > 0))
      continue;
    return fail(error, "The experiment “%s” plots “%s”, which does not vary in it.", self->name, key);
  }
  return TRUE;
}

static gboolean
read_groups(MsExperiment *self, GKeyFile *file, GError **error)
{
  self->study = get_text(file, "Experiment", "Study");
  self->section = get_text(file, "Experiment", "Section");
  self->description = get_text(file, "Experiment", "Description");
  self->finding = get_text(file, "Experiment", "Finding");
  g_clear_pointer(&self->fixed, ms_factors_free);
  g_clear_pointer(&self->quick_fixed, ms_factors_free);
  self->fixed = get_settings(file, "Fixed");
  self->quick_fixed = get_settings(file, "Quick Fixed");
  if (g_key_file_has_group(file, "Baseline"))
    self->baseline = get_settings(file, "Baseline");
  return read_axes(self, file, error) && read_cases(self, file, error) && read_plot(self, file, error) &&
         read_other_groups(self, file, error) && check_plot(self, error);
}

/**
 * ms_experiment_parse:
 * @name: its name
 * @text: the file's text, UTF-8
 * @length: bytes of @text, or -1 when it ends in a zero
 *
 * Returns: (transfer full): the experiment, or %NULL with #MS_ERROR_FORMAT and a sentence that names the faulty group
 *   or key
 */
MsExperiment *
ms_experiment_parse(const char *name, const char *text, gssize length, GError **error)
{
  g_autoptr(GKeyFile) file = g_key_file_new();
  gsize size = length < 0 ? strlen(text) : (gsize)length;

  if (!g_key_file_load_from_data(file, text, size, G_KEY_FILE_NONE, error)) {
    ms_prefix_error(error, "The experiment “%s” cannot be read: ", name);
    return NULL;
  }
  g_autofree char *title = get_text(file, "Experiment", "Title");
  g_autofree char *kind = get_text(file, "Experiment", "Kind");
  if (!title || !kind) {
    fail(error, "The experiment “%s” lacks Title or Kind in [Experiment].", name);
    return NULL;
  }
  g_autoptr(MsExperiment) self = ms_experiment_new(name, title, kind);
  return read_groups(self, file, error) ? g_steal_pointer(&self) : NULL;
}

/** ms_experiment_peer_script: (transfer full): the Python script that runs OpenCV's filters beside ours. */
char *
ms_experiment_peer_script(void)
{
  g_autoptr(GBytes) bytes = g_resource_lookup_data(ms_experiments_get_resource(), PEER_SCRIPT, 0, NULL);

  return g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
}

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
get_json_words(JsonObject *object, const char *name)
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
    g_auto(GStrv) values = get_json_words(axis, "values");
    g_auto(GStrv) quick = get_json_words(axis, "quick");
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

  if (!plot)
    return;
  e->plot.type = (MsPlotType)MAX(type ? ms_choice_find(plot_types, type) : 0, 0);
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

static MsExperiment *
load_shipped(const char *name, GError **error)
{
  g_autofree char *path = g_strconcat(RESOURCE_FOLDER "/", name, ENDING, NULL);
  g_autoptr(GBytes) bytes = g_resource_lookup_data(ms_experiments_get_resource(), path, 0, NULL);
  gsize size;

  if (!bytes) {
    ms_set_error(error, MS_ERROR_USAGE,
                 "There is no experiment “%s”; --experiment list names them, or give the path of a file.", name);
    return NULL;
  }
  const char *text = g_bytes_get_data(bytes, &size);
  return ms_experiment_parse(name, text, (gssize)size, error);
}

/* The experiment as --experiment list and reports describe it. */
static MsExperiment *
parse_json(const char *text, gsize size, GError **error)
{
  g_autoptr(JsonNode) root = ms_json_parse(text, (gssize)size, error);
  g_autoptr(MsExperiment) self = NULL;

  if (!root)
    return NULL;
  self = ms_json_get_experiment(json_node_get_object(root), error);
  return self && check_plot(self, error) ? g_steal_pointer(&self) : NULL;
}

static MsExperiment *
load_file(const char *path, GError **error)
{
  g_autoptr(GFile) file = g_file_new_for_path(path);
  g_autoptr(GFileInfo) info = g_file_query_info(file, G_FILE_ATTRIBUTE_STANDARD_SIZE, 0, NULL, NULL);
  g_autofree char *base = g_path_get_basename(path);
  g_autofree char *text = NULL;
  gsize size;

  if (info && g_file_info_get_size(info) > LARGEST_FILE) {
    fail(error, "%s is too large for an experiment file.", path);
    return NULL;
  }
  if (!g_file_get_contents(path, &text, &size, error)) {
    ms_prefix_error(error, "The experiment cannot be loaded: ");
    return NULL;
  }
  if (*text == '{')
    return parse_json(text, size, error);
  if (g_str_has_suffix(base, ENDING))
    base[strlen(base) - strlen(ENDING)] = '\0';
  return ms_experiment_parse(base, text, (gssize)size, error);
}

/**
 * ms_experiment_load:
 * @name_or_path: name of a shipped experiment, or the path of a file (anything with a slash or the ending .experiment)
 *
 * Returns: (transfer full): the experiment, or %NULL with an error
 */
MsExperiment *
ms_experiment_load(const char *name_or_path, GError **error)
{
  if (strchr(name_or_path, G_DIR_SEPARATOR) || g_str_has_suffix(name_or_path, ENDING))
    return load_file(name_or_path, error);
  return load_shipped(name_or_path, error);
}

static int
compare_names(gconstpointer a, gconstpointer b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/** ms_experiment_list_names: (transfer full): the shipped experiments, sorted. */
char **
ms_experiment_list_names(void)
{
  char **names = g_resource_enumerate_children(ms_experiments_get_resource(), RESOURCE_FOLDER, 0, NULL);

  for (char **name = names; *name; name++)
    (*name)[strlen(*name) - strlen(ENDING)] = '\0';
  qsort(names, g_strv_length(names), sizeof *names, compare_names);
  return names;
}

/**
 * ms_experiment_list: (transfer full) (element-type MsExperiment): the shipped experiments, in the order of their
 * names.
 */
GPtrArray *
ms_experiment_list(GError **error)
{
  g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func((GDestroyNotify)ms_experiment_unref);
  g_auto(GStrv) names = ms_experiment_list_names();

  for (char **name = names; *name; name++) {
    MsExperiment *one = load_shipped(*name, error);
    if (!one)
      return NULL;
    g_ptr_array_add(all, one);
  }
  return g_steal_pointer(&all);
}
