/* SPDX-License-Identifier: MIT */
/*
 * A search in the T4 format, version 1.0.0, in which auto-tuners share their results: a list of configurations with
 * their times and how each failed, and beside it what they were measured on. See "FAIR sharing of data in autotuning
 * research" (Hozzová et al., 2024) and github.com/odgaard/TuningSchema. Times are in milliseconds, as Kernel Tuner
 * writes them.
 */
#include "core/lab/tune/tune-record.h"

#include "core/json.h"
#include "core/lab/report/environment.h"

#define T4_VERSION "1.0.0"

/*
 * How a trial failed, in the words of the format. A trial whose run was interrupted counts as one that failed while it
 * ran, since the format has no word for it.
 */
static const char *const invalidities[] = {
  [MS_OUTCOME_PENDING] = "runtime", [MS_OUTCOME_OK] = "correct",  [MS_OUTCOME_CONSTRAINT] = "constraints",
  [MS_OUTCOME_BUILD] = "compile",   [MS_OUTCOME_RUN] = "runtime", [MS_OUTCOME_WRONG] = "correctness",
  [MS_OUTCOME_TIMEOUT] = "timeout",
};

/* Whole numbers are numbers, so that other tools can plot over them; everything else is a text. */
static void
add_settings(JsonBuilder *builder, const char *name, const MsFactors *factors)
{
  ms_json_begin_object(builder, name);
  for (guint i = 0; factors && i < ms_factors_size(factors); i++) {
    const char *key = ms_factors_key(factors, i), *value = ms_factors_value(factors, i);
    gint64 whole;
    if (g_ascii_string_to_signed(value, 10, G_MININT32, G_MAXINT32, &whole, NULL))
      ms_json_add_integer(builder, key, whole);
    else
      ms_json_add_text(builder, key, value);
  }
  json_builder_end_object(builder);
}

/* A search keeps the median of a trial's runs, which stands for them. */
static void
add_trial(JsonBuilder *builder, const MsTrial *trial)
{
  const gboolean good = trial->outcome == MS_OUTCOME_OK;

  json_builder_begin_object(builder);
  if (trial->date)
    ms_json_add_text(builder, "timestamp", trial->date);
  add_settings(builder, "configuration", trial->factors);
  ms_json_begin_array(builder, "objectives");
  json_builder_add_string_value(builder, "time");
  json_builder_end_array(builder);
  ms_json_begin_object(builder, "times");
  ms_json_begin_array(builder, "runtimes");
  if (good)
    ms_json_add_number_element(builder, trial->ns * 1e-6);
  json_builder_end_array(builder);
  json_builder_end_object(builder);
  ms_json_add_text(builder, "invalidity", invalidities[trial->outcome]);
  ms_json_add_integer(builder, "correctness", good);
  ms_json_begin_array(builder, "measurements");
  if (good) {
    json_builder_begin_object(builder);
    ms_json_add_text(builder, "name", "time");
    ms_json_add_number(builder, "value", trial->ns * 1e-6);
    ms_json_add_text(builder, "unit", "ms");
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
  json_builder_end_object(builder);
}

/** ms_tune_record_to_t4: (transfer full): the trials of a search, in the order tried, as a file of T4 results. */
JsonNode *
ms_tune_record_to_t4(const MsTuneRecord *self)
{
  g_autoptr(JsonBuilder) builder = json_builder_new();

  json_builder_begin_object(builder);
  ms_json_add_text(builder, "schema_version", T4_VERSION);
  ms_json_begin_array(builder, "results");
  for (guint i = 0; i < self->trials->len; i++)
    add_trial(builder, self->trials->pdata[i]);
  json_builder_end_array(builder);
  json_builder_end_object(builder);
  return json_builder_get_root(builder);
}

/* The format leaves room for what only one tuner knows. */
static void
add_search(JsonBuilder *builder, const MsTuneRecord *self)
{
  ms_json_begin_object(builder, "search");
  ms_json_add_text(builder, "problem", self->problem);
  add_settings(builder, "fixed", self->measured);
  ms_json_add_text(builder, "strategy", ms_tune_strategy_names[self->strategy]);
  ms_json_add_integer(builder, "seed", self->seed);
  ms_json_add_integer(builder, "space_size", (gint64)self->space_size);
  ms_json_add_boolean(builder, "complete", self->complete);
  ms_json_add_text(builder, "date", self->date);
  json_builder_end_object(builder);
}

/** ms_tune_record_to_t4_metadata: (transfer full): what the trials were measured on, as a file of T4 metadata. */
JsonNode *
ms_tune_record_to_t4_metadata(const MsTuneRecord *self)
{
  g_autoptr(JsonBuilder) builder = json_builder_new();
  g_autofree char *system = ms_environment_system();
  g_autofree char *program = g_strconcat("meanshift-lab==", self->version, NULL);

  json_builder_begin_object(builder);
  ms_json_add_text(builder, "schema_version", T4_VERSION);
  ms_json_begin_object(builder, "metadata");
  ms_json_begin_object(builder, "hardware");
  ms_json_add_text(builder, "operating_system", system);
  json_builder_end_object(builder);
  ms_json_begin_object(builder, "environment");
  ms_json_begin_object(builder, "device_query");
  ms_json_begin_object(builder, "opencl");
  ms_json_add_text(builder, "device", self->device);
  ms_json_add_text(builder, "driver", self->driver);
  json_builder_end_object(builder);
  json_builder_end_object(builder);
  ms_json_begin_array(builder, "requirements");
  json_builder_add_string_value(builder, program);
  json_builder_end_array(builder);
  json_builder_end_object(builder);
  add_search(builder, self);
  json_builder_end_object(builder);
  json_builder_end_object(builder);
  return json_builder_get_root(builder);
}
