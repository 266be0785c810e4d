/* SPDX-License-Identifier: MIT */
#include "core/lab/tune/tune-store.h"

#include <math.h>
#include <string.h>

#include "core/factors-json.h"
#include "core/folder.h"
#include "core/json.h"

/** ms_tune_store_default_directory: (transfer full): the folder in the user's data folder. */
char *
ms_tune_store_default_directory(void)
{
  return g_build_filename(g_get_user_data_dir(), "meanshift-lab", "tuning", NULL);
}

/**
 * ms_tune_store_path:
 * @directory: (nullable): where records are kept; without it the user's
 *
 * Returns: (transfer full): the file of this device, driver and class of problem; a new driver has a file of
 * its own
 */
char *
ms_tune_store_path(const char *directory, const char *device, const char *driver, const char *problem)
{
  g_autofree char *folder = directory ? g_strdup(directory) : ms_tune_store_default_directory();
  g_autofree char *key = g_strjoin("\n", device, driver, problem, NULL);
  g_autofree char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, key, -1);
  g_autofree char *name = g_strdup_printf("%.32s.json", hash);

  return g_build_filename(folder, name, NULL);
}

/**
 * ms_tune_store_load:
 *
 * Returns: (transfer full): the record of exactly this device, driver and problem; %NULL without @error when
 * there is none,
 *   with @error when there is one that cannot be read
 */
MsTuneRecord *
ms_tune_store_load(const char *directory, const char *device, const char *driver, const char *problem, GError **error)
{
  g_autofree char *path = ms_tune_store_path(directory, device, driver, problem);
  g_autoptr(JsonParser) parser = json_parser_new();

  if (!g_file_test(path, G_FILE_TEST_EXISTS))
    return NULL;
  if (!json_parser_load_from_file(parser, path, error)) {
    g_prefix_error(error, "The tuning in %s is damaged: ", path);
    return NULL;
  }
  g_autoptr(MsTuneRecord) record = ms_tune_record_from_json_node(json_parser_get_root(parser), error);
  if (!record) {
    g_prefix_error(error, "%s: ", path);
    return NULL;
  }
  if (g_strcmp0(record->device, device) != 0 || g_strcmp0(record->driver, driver) != 0 ||
      g_strcmp0(record->problem, problem) != 0)
    return NULL;
  return g_steal_pointer(&record);
}

/* Beside the whole search a file with nothing but its winner, which every run with `auto` reads. */
static char *
winner_path(const char *path)
{
  g_autofree char *stem = g_strndup(path, strlen(path) - strlen(".json"));

  return g_strconcat(stem, ".winner.json", NULL);
}

static char *
winner_text(const MsTuneRecord *record)
{
  const MsTrial *best = ms_tune_record_best(record);
  g_autoptr(JsonBuilder) builder = json_builder_new();

  json_builder_begin_object(builder);
  ms_json_add_text(builder, "device", record->device);
  ms_json_add_text(builder, "driver", record->driver);
  ms_json_add_text(builder, "problem", record->problem);
  ms_json_add_text(builder, "version", record->version);
  ms_json_add_factors(builder, "winner", best ? best->factors : NULL);
  json_builder_end_object(builder);
  g_autoptr(JsonNode) node = json_builder_get_root(builder);
  return json_to_string(node, TRUE);
}

/**
 * ms_tune_store_load_winner:
 * @version: (nullable): version of the program; times of another one are of other kernels
 *
 * Returns: (transfer full) (nullable): the winner of exactly this device, driver, problem and version; %NULL
 * when there is none
 *   or its file is damaged
 */
MsFactors *
ms_tune_store_load_winner(const char *directory, const char *device, const char *driver, const char *problem,
                          const char *version)
{
  g_autofree char *path = ms_tune_store_path(directory, device, driver, problem);
  g_autofree char *file = winner_path(path);
  g_autoptr(JsonParser) parser = json_parser_new();
  JsonNode *root;
  JsonObject *object;

  if (!g_file_test(file, G_FILE_TEST_EXISTS) || !json_parser_load_from_file(parser, file, NULL))
    return NULL;
  root = json_parser_get_root(parser);
  object = root && JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
  if (!object || g_strcmp0(ms_json_get_text(object, "device"), device) != 0 ||
      g_strcmp0(ms_json_get_text(object, "driver"), driver) != 0 ||
      g_strcmp0(ms_json_get_text(object, "problem"), problem) != 0 ||
      g_strcmp0(ms_json_get_text(object, "version"), version) != 0)
    return NULL;
  return ms_json_get_factors(object, "winner");
}

/**
 * ms_tune_store_save: writes the record and its winner, each replacing an older one only when it is complete.
 */
gboolean
ms_tune_store_save(const char *directory, const MsTuneRecord *record, GError **error)
{
  g_autofree char *path = ms_tune_store_path(directory, record->device, record->driver, record->problem);
  g_autoptr(JsonNode) node = ms_tune_record_to_json_node(record);
  g_autofree char *text = json_to_string(node, TRUE);

  if (!ms_folder_make_parent(path, MS_FOLDER_PRIVATE, error))
    return FALSE;
  g_autofree char *winner = winner_text(record);
  g_autofree char *winner_file = winner_path(path);
  return g_file_set_contents(path, text, -1, error) && g_file_set_contents(winner_file, winner, -1, error);
}

static const char *
radius_class(double sp)
{
  return sp <= 3 ? "sp 1-3" : sp <= 7 ? "sp 4-7" : sp <= 12 ? "sp 8-12" : sp <= 24 ? "sp 13-24" : "sp 25-64";
}

static const char *
size_class(double pixels)
{
  return pixels < 0.3e6   ? "up to 0.3 megapixels"
         : pixels < 1.5e6 ? "0.3 to 1.5 megapixels"
         : pixels < 10e6  ? "1.5 to 10 megapixels"
                          : "10 megapixels and more";
}

/** ms_tune_problem_class: (transfer full): problems of one class have the same winner, as far as is known. */
char *
ms_tune_problem_class(double sp, gint64 width, gint64 height)
{
  return g_strdup_printf("mean-shift, %s, %s", radius_class(sp), size_class((double)width * (double)height));
}

/*
 * From what starting a kernel costs to what no cache holds; the usual lengths stand amid a class and not at its edge.
 */
static const char *
length_class(guint64 bytes)
{
  return bytes < 128 << 10    ? "below 128 KiB"
         : bytes < 2 << 20    ? "128 KiB to 2 MiB"
         : bytes < 24 << 20   ? "2 to 24 MiB"
         : bytes < 384u << 20 ? "24 to 384 MiB"
                              : "384 MiB and more";
}

/** ms_tune_reduce_class: (transfer full): as ms_tune_problem_class(), for reductions of plain arrays. */
char *
ms_tune_reduce_class(const MsReduceSpec *spec, guint64 n)
{
  return g_strdup_printf("reduce, %s of %s, %s", ms_reduce_op_name(spec->op), ms_element_type_name(spec->type),
                         length_class(n * ms_element_type_size(spec->type)));
}
