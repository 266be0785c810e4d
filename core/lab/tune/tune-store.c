/* SPDX-License-Identifier: MIT */
#include "core/lab/tune/tune-store.h"

#include "core/folder.h"
#include "core/json.h"

/** ms_tune_store_path: (transfer full): the file of the search for @key in @directory (%NULL: the user's folder). */
char *
ms_tune_store_path(const char *directory, const MsWinnerKey *key)
{
  return ms_winner_store_path(directory, key, ".json");
}

static gboolean
has_key(const MsTuneRecord *record, const MsWinnerKey *key)
{
  return g_strcmp0(record->device, key->device) == 0 && g_strcmp0(record->driver, key->driver) == 0 &&
         g_strcmp0(record->problem, key->problem) == 0;
}

/**
 * ms_tune_store_load:
 *
 * Returns: (transfer full): the record of exactly this key; %NULL without @error when there is none, with @error when
 *   there is one that cannot be read
 */
MsTuneRecord *
ms_tune_store_load(const char *directory, const MsWinnerKey *key, GError **error)
{
  g_autofree char *path = ms_tune_store_path(directory, key);
  g_autofree char *text = NULL;
  gsize length = 0;

  if (!g_file_test(path, G_FILE_TEST_EXISTS))
    return NULL;
  g_autoptr(JsonNode) root =
    g_file_get_contents(path, &text, &length, error) ? ms_json_parse(text, (gssize)length, error) : NULL;
  if (!root) {
    ms_prefix_error(error, "The tuning record '%s' is damaged: ", path);
    return NULL;
  }
  g_autoptr(MsTuneRecord) record = ms_tune_record_from_json_node(root, error);
  if (!record)
    g_prefix_error(error, "%s: ", path);
  return record && has_key(record, key) ? g_steal_pointer(&record) : NULL;
}

/** ms_tune_store_save: writes the record and its winner; each file is replaced only by a complete one. */
gboolean
ms_tune_store_save(const char *directory, const MsTuneRecord *record, GError **error)
{
  MsWinnerKey key = {record->device, record->driver, record->problem};
  const MsTrial *best = ms_tune_record_best(record);
  g_autofree char *path = ms_tune_store_path(directory, &key);
  g_autoptr(JsonNode) node = ms_tune_record_to_json_node(record);
  g_autofree char *text = json_to_string(node, TRUE);

  return ms_folder_make_parent(path, MS_FOLDER_PRIVATE, error) && g_file_set_contents(path, text, -1, error) &&
         ms_winner_store_save(directory, &key, record->version, best ? best->factors : NULL, error);
}
