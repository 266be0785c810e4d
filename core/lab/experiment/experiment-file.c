/* SPDX-License-Identifier: MIT */
#include "core/lab/experiment/experiment-file.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/factors.h"
#include "core/file.h"
#include "core/json.h"
#include "core/lab/experiment/ms-experiments.h"
#include "core/option/option.h"

#define RESOURCE_FOLDER "/io/github/meanshift_lab/MeanshiftLab/experiments"
#define PEER_SCRIPT "/io/github/meanshift_lab/MeanshiftLab/peers/peer.py"
#define ENDING ".experiment"
#define LARGEST_FILE (1 << 20)

/* Each configuration is measured for a quarter of a second at least, so that more would take hours. */
#define MOST_CONFIGURATIONS 10000

static const char *const known_groups[] = {"Experiment",  "Axes",     "Quick Axes", "Cases", "Fixed",
                                           "Quick Fixed", "Baseline", "Plot",       NULL};

static const char *const relations[] = {"faster", "slower", "more", "less", "equal", NULL};

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
      return fail(error, "The experiment '%s' gives the axis '%s' no values.", self->name, *key);
    ms_experiment_add_axis(self, *key, (const char *const *)values, (const char *const *)quick);
  }
  for (char **key = quick_keys; key && *key; key++)
    if (!ms_experiment_find_axis(self, *key))
      return fail(error, "The experiment '%s' has a quick axis '%s', not among its axes.", self->name, *key);
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
      ms_prefix_error(error, "The experiment '%s', case '%s': ", self->name, *name);
      return FALSE;
    }
    MsCase *one = ms_experiment_add_case(self, *name, factors);
    one->quick = !quick || g_strv_contains((const char *const *)quick, *name);
  }
  for (char **name = quick; name && *name; name++)
    if (!names || !g_strv_contains((const char *const *)names, *name))
      return fail(error, "The experiment '%s' has a quick case '%s', not among its cases.", self->name, *name);
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
    return fail(error, "Experiment '%s' has no plot type '%s'; use bars, lines or stacked.", self->name, type);
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
    fail(error, "'%s' does not end in a number or a range.", text);
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
    return fail(error, "The experiment '%s' lacks Quantity, Unit or Values in [%s].", self->name, group);
  for (char **value = values; *value; value++) {
    if (!**value)
      continue;
    MsPublished *published = parse_published(*value, error);
    if (!published) {
      ms_prefix_error(error, "The experiment '%s', [%s]: ", self->name, group);
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

/* "faster", "slower 0.96", "more 1.1..1.3" */
static gboolean
parse_relation(MsExpect *self, const char *text)
{
  g_auto(GStrv) words = g_strsplit(text, " ", 2);
  const int index = words[0] ? ms_choice_find(relations, words[0]) : -1;

  if (index < 0)
    return FALSE;
  self->relation = (MsExpectRelation)index;
  self->low = self->high = NAN;
  return !words[1] || parse_range(g_strstrip(words[1]), &self->low, &self->high);
}

/* [Expect], [Expect 2] and so on: one rule each. */
static gboolean
read_expect_group(MsExperiment *self, GKeyFile *file, const char *group, GError **error)
{
  g_autofree char *where = get_text(file, group, "Where"), *over = get_text(file, group, "Over");
  g_autofree char *study = get_text(file, group, "Study");
  MsExpect *expect = g_new0(MsExpect, 1);

  g_ptr_array_add(self->expects, expect);
  expect->claim = get_text(file, group, "Claim");
  expect->metric = get_text(file, group, "Metric");
  expect->metric = expect->metric ? expect->metric : g_strdup("time");
  expect->where = ms_factors_parse(where ? where : "", error);
  expect->over = over && expect->where ? ms_factors_parse(over, error) : NULL;
  if (!expect->where || (over && !expect->over)) {
    ms_prefix_error(error, "The experiment '%s', [%s]: ", self->name, group);
    return FALSE;
  }
  if (!expect->claim || !study || !parse_relation(expect, study))
    return fail(error,
                "The experiment '%s' needs a Claim in [%s], and Study=faster, slower, more, less or equal, with a "
                "number or none.",
                self->name, group);
  if (!over && !isfinite(expect->low))
    return fail(error, "The experiment '%s' needs Over or a number of Study in [%s].", self->name, group);
  return TRUE;
}

static gboolean
read_other_groups(MsExperiment *self, GKeyFile *file, GError **error)
{
  g_auto(GStrv) groups = g_key_file_get_groups(file, NULL);

  for (char **group = groups; *group; group++) {
    if (g_strv_contains(known_groups, *group))
      continue;
    if (strcmp(*group, "Expect") == 0 || g_str_has_prefix(*group, "Expect ")) {
      if (!read_expect_group(self, file, *group, error))
        return FALSE;
      continue;
    }
    if (!g_str_has_prefix(*group, "Published "))
      return fail(error, "The experiment '%s' has an unknown group [%s].", self->name, *group);
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
    return fail(error, "The experiment '%s' plots '%s', which does not vary in it.", self->name, key);
  }
  return TRUE;
}

/* The number of configurations is known before any of them takes memory. */
static gboolean
check_size(MsExperiment *self, GError **error)
{
  const guint64 n = MAX(ms_experiment_count(self, FALSE), ms_experiment_count(self, TRUE));

  if (n <= MOST_CONFIGURATIONS)
    return TRUE;
  return fail(error,
              "The experiment '%s' has %" PRIu64 " configurations, more than the %u that are run; give its "
              "axes fewer values.",
              self->name, n, MOST_CONFIGURATIONS);
}

static gboolean
check_experiment(MsExperiment *self, GError **error)
{
  return check_plot(self, error) && check_size(self, error);
}

static gboolean
read_columns(MsExperiment *self, GKeyFile *file, GError **error)
{
  g_auto(GStrv) words = get_words(file, "Experiment", "Columns");

  for (char **word = words; word && *word; word++) {
    const int index = ms_choice_find(ms_columns_names, *word);
    if (index < 0) {
      g_autofree char *known = g_strjoinv(", ", (char **)ms_columns_names);
      return fail(error, "The experiment '%s' asks for the columns '%s', which can be %s.", self->name, *word, known);
    }
    self->columns |= (MsColumns)index;
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
  self->lesson = get_text(file, "Experiment", "Lesson");
  g_clear_pointer(&self->fixed, ms_factors_free);
  g_clear_pointer(&self->quick_fixed, ms_factors_free);
  self->fixed = get_settings(file, "Fixed");
  self->quick_fixed = get_settings(file, "Quick Fixed");
  if (g_key_file_has_group(file, "Baseline"))
    self->baseline = get_settings(file, "Baseline");
  return read_columns(self, file, error) && read_axes(self, file, error) && read_cases(self, file, error) &&
         read_plot(self, file, error) && read_other_groups(self, file, error) && check_experiment(self, error);
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
    ms_prefix_error(error, "The experiment '%s' cannot be read: ", name);
    return NULL;
  }
  g_autofree char *title = get_text(file, "Experiment", "Title");
  g_autofree char *kind = get_text(file, "Experiment", "Kind");
  if (!title || !kind) {
    fail(error, "The experiment '%s' lacks Title or Kind in [Experiment].", name);
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
add_words(const MsField *field, gconstpointer member, JsonBuilder *builder)
{
  ms_json_begin_array(builder, field->name);
  for (char *const *word = *(char *const *const *)member; *word; word++)
    json_builder_add_string_value(builder, *word);
  json_builder_end_array(builder);
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

static const MsField axis_fields[] = {
  MS_FIELD(MsAxis, key, TEXT, "key"),
  MS_FIELD(MsAxis, values, OWN, "values", .add = add_words),
  MS_FIELD(MsAxis, quick, OWN, "quick", .add = add_words),
};
static const MsRecord axis_record = MS_RECORD(axis_fields);

/* The axis is complete then, and nothing is left to be read. */
static gpointer
make_axis(gpointer experiment, JsonObject *object)
{
  const char *key = ms_json_get_text(object, "key");
  g_auto(GStrv) values = get_json_words(object, "values");
  g_auto(GStrv) quick = get_json_words(object, "quick");

  if (key && values)
    ms_experiment_add_axis(experiment, key, (const char *const *)values, (const char *const *)quick);
  return NULL;
}

static const MsField case_fields[] = {
  MS_FIELD(MsCase, name, TEXT, "name"),
  MS_FIELD(MsCase, factors, FACTORS, "settings"),
  MS_FIELD(MsCase, quick, BOOLEAN, "quick"),
};
static const MsRecord case_record = MS_RECORD(case_fields);

static gpointer
make_case(gpointer experiment, JsonObject *object)
{
  g_autoptr(MsFactors) factors = ms_json_get_factors(object, "settings");
  const char *name = ms_json_get_text(object, "name");

  return name && factors ? ms_experiment_add_case(experiment, name, factors) : NULL;
}

#define PLOT(member, form) MS_FIELD(MsPlot, member, form, #member)
static const MsField plot_fields[] = {
  MS_FIELD(MsPlot, type, CHOICE, "type", .names = plot_types),
  PLOT(x, TEXT),
  PLOT(x_title, TEXT),
  PLOT(series, TEXT),
  PLOT(y, TEXT),
  PLOT(y2, TEXT),
  PLOT(log_x, BOOLEAN),
  PLOT(log_y, BOOLEAN),
};
static const MsRecord plot_record = MS_RECORD(plot_fields);

#define PUBLISHED(member, form, name) MS_FIELD(MsPublished, member, form, name)
static const MsField published_fields[] = {
  PUBLISHED(device, TEXT, "device"), PUBLISHED(source, TEXT, "source"),  PUBLISHED(metric, TEXT, "quantity"),
  PUBLISHED(unit, TEXT, "unit"),     PUBLISHED(where, FACTORS, "where"), PUBLISHED(low, NUMBER, "low"),
  PUBLISHED(high, NUMBER, "high"),
};
static const MsRecord published_record = MS_RECORD(published_fields);

static gpointer
make_published(gpointer experiment, JsonObject *object)
{
  MsFactors *where = ms_json_get_factors(object, "where");

  if (!where)
    return NULL;
  MsPublished *self = g_new0(MsPublished, 1);
  *self = (MsPublished){g_strdup(""), g_strdup(""), g_strdup(""), g_strdup(""), where, 0, 0};
  g_ptr_array_add(((MsExperiment *)experiment)->published, self);
  return self;
}

#define EXPECT(member, form, name, ...) MS_FIELD(MsExpect, member, form, name, __VA_ARGS__)
static const MsField expect_fields[] = {
  EXPECT(claim, TEXT, "claim"),   EXPECT(where, FACTORS, "where"),
  EXPECT(over, FACTORS, "over"),  EXPECT(relation, CHOICE, "study", .names = relations),
  EXPECT(metric, TEXT, "metric"), EXPECT(low, NUMBER, "low"),
  EXPECT(high, NUMBER, "high"),
};
static const MsRecord expect_record = MS_RECORD(expect_fields);

static gpointer
make_expect(gpointer experiment, JsonObject *object)
{
  MsFactors *where = ms_json_get_factors(object, "where");

  if (!where)
    return NULL;
  MsExpect *self = g_new0(MsExpect, 1);
  *self = (MsExpect){g_strdup(""), where, NULL, MS_EXPECT_EQUAL, g_strdup("time"), NAN, NAN};
  g_ptr_array_add(((MsExperiment *)experiment)->expects, self);
  return self;
}

static gboolean
asks_for_columns(gconstpointer experiment)
{
  return ((const MsExperiment *)experiment)->columns != MS_COLUMNS_NONE;
}

#define EXPERIMENT(member, form, ...) MS_FIELD(MsExperiment, member, form, __VA_ARGS__)
static const MsField experiment_fields[] = {
  EXPERIMENT(name, TEXT, "name"),
  EXPERIMENT(title, TEXT, "title"),
  EXPERIMENT(kind, TEXT, "kind"),
  EXPERIMENT(study, TEXT, "study"),
  EXPERIMENT(section, TEXT, "section"),
  EXPERIMENT(description, TEXT, "description"),
  EXPERIMENT(finding, TEXT, "finding"),
  EXPERIMENT(lesson, TEXT, "lesson"),
  EXPERIMENT(columns, CHOICE, "columns", .names = ms_columns_names, .has = asks_for_columns),
  EXPERIMENT(axes, RECORDS, "axes", .record = &axis_record, .make = make_axis),
  EXPERIMENT(cases, RECORDS, "cases", .record = &case_record, .make = make_case),
  EXPERIMENT(fixed, FACTORS, "fixed"),
  EXPERIMENT(quick_fixed, FACTORS, "quick_fixed"),
  EXPERIMENT(baseline, FACTORS, "baseline"),
  EXPERIMENT(plot, RECORD, "plot", .record = &plot_record),
  EXPERIMENT(published, RECORDS, "published", .record = &published_record, .make = make_published),
  EXPERIMENT(expects, RECORDS, "expects", .record = &expect_record, .make = make_expect),
};

/** ms_experiment_record: the members of an #MsExperiment. */
const MsRecord ms_experiment_record = MS_RECORD(experiment_fields);

/** ms_json_get_experiment: (transfer full): the experiment of a report. */
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
  MsExperiment *self = ms_experiment_new(name, title, kind);
  ms_record_get(&ms_experiment_record, self, object);
  return self;
}

static MsExperiment *
load_shipped(const char *name, GError **error)
{
  g_autofree char *path = g_strconcat(RESOURCE_FOLDER "/", name, ENDING, NULL);
  g_autoptr(GBytes) bytes = g_resource_lookup_data(ms_experiments_get_resource(), path, 0, NULL);
  gsize size;

  if (!bytes) {
    ms_set_error(error, MS_ERROR_USAGE,
                 "There is no experiment '%s'; --experiment list names them, or give the path of a file.", name);
    return NULL;
  }
  const char *text = g_bytes_get_data(bytes, &size);
  return ms_experiment_parse(name, text, (gssize)size, error);
}

/** ms_experiment_template: (transfer full): a file of data/experiments/own, from which a person's own one is made. */
GBytes *
ms_experiment_template(const char *name, GError **error)
{
  g_autofree char *path = g_strconcat("/io/github/meanshift_lab/MeanshiftLab/own/", name, NULL);

  return g_resource_lookup_data(ms_experiments_get_resource(), path, G_RESOURCE_LOOKUP_FLAGS_NONE, error);
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
  return self && check_experiment(self, error) ? g_steal_pointer(&self) : NULL;
}

/* A kernel of one's own lies beside the experiment's file. */
static void
find_source_beside(MsFactors *factors, const char *folder)
{
  const char *source = ms_factors_get(factors, "source");

  if (!source || g_path_is_absolute(source))
    return;
  g_autofree char *path = g_build_filename(folder, source, NULL);
  ms_factors_set(factors, "source", path);
}

static MsExperiment *
find_sources(MsExperiment *self, const char *path)
{
  g_autofree char *folder = g_path_get_dirname(path);
  g_autofree char *absolute = g_canonicalize_filename(folder, NULL);

  for (guint i = 0; self && i < self->cases->len; i++)
    find_source_beside(((MsCase *)self->cases->pdata[i])->factors, absolute);
  if (self)
    find_source_beside(self->fixed, absolute);
  return self;
}

static MsExperiment *
load_file(const char *path, GError **error)
{
  g_autofree char *base = g_path_get_basename(path);
  gsize size;
  g_autofree char *text = ms_file_text_load_named(path, LARGEST_FILE, &size, error);

  if (!text) {
    ms_prefix_error(error, "The experiment cannot be loaded: ");
    return NULL;
  }
  if (*text == '{')
    return find_sources(parse_json(text, size, error), path);
  if (g_str_has_suffix(base, ENDING))
    base[strlen(base) - strlen(ENDING)] = '\0';
  return find_sources(ms_experiment_parse(base, text, (gssize)size, error), path);
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
