/* SPDX-License-Identifier: MIT */
#include "core/engine/winner-store.h"

#include "core/factors-json.h"
#include "core/folder.h"
#include "core/json.h"

#define ENDING ".winner.json"

/** ms_winner_store_default_directory: (transfer full): the folder in the user's data folder. */
char *
ms_winner_store_default_directory(void)
{
  return g_build_filename(g_get_user_data_dir(), "meanshift-lab", "tuning", NULL);
}

/**
 * ms_winner_store_path:
 * @directory: (nullable): the folder of the winners; %NULL for the user's folder
 * @ending: end of the file's name, so that other files for the same key can lie beside the winner
 *
 * Returns: (transfer full): the path of a file whose name is a hash of @key
 */
char *
ms_winner_store_path(const char *directory, const MsWinnerKey *key, const char *ending)
{
  g_autofree char *folder = directory ? g_strdup(directory) : ms_winner_store_default_directory();
  g_autofree char *text = g_strjoin("\n", key->device, key->driver, key->problem, NULL);
  g_autofree char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
  g_autofree char *name = g_strdup_printf("%.32s%s", hash, ending);

  return g_build_filename(folder, name, NULL);
}

static gboolean
has_text(JsonObject *object, const char *member, const char *text)
{
  return g_strcmp0(ms_json_get_text(object, member), text) == 0;
}

/**
 * ms_winner_store_load:
 * @version: (nullable): version of the program; a winner of another version is ignored, because its kernels may differ
 *
 * Returns: (transfer full) (nullable): the winner of exactly this key and version; %NULL when there is none or its file
 *   is damaged
 */
MsFactors *
ms_winner_store_load(const char *directory, const MsWinnerKey *key, const char *version)
{
  g_autofree char *path = ms_winner_store_path(directory, key, ENDING);
  g_autofree char *text = NULL;
  gsize length = 0;
  g_autoptr(JsonNode) root =
    g_file_get_contents(path, &text, &length, NULL) ? ms_json_parse(text, (gssize)length, NULL) : NULL;

  JsonObject *object = root && JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
  if (!object || !has_text(object, "device", key->device) || !has_text(object, "driver", key->driver) ||
      !has_text(object, "problem", key->problem) || !has_text(object, "version", version))
    return NULL;
  return ms_json_get_factors(object, "winner");
}

static gboolean
is_damaged(const char *path)
{
  g_autofree char *text = NULL;
  gsize length = 0;

  if (!g_file_get_contents(path, &text, &length, NULL))
    return FALSE;
  g_autoptr(JsonNode) root = ms_json_parse(text, (gssize)length, NULL);
  JsonObject *object = root && JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
  g_autoptr(MsFactors) winner = object ? ms_json_get_factors(object, "winner") : NULL;
  return !object ||
         (json_object_has_member(object, "winner") && !winner && !json_object_get_null_member(object, "winner")) ||
         !ms_json_get_text(object, "device") || !ms_json_get_text(object, "driver") ||
         !ms_json_get_text(object, "problem") || !ms_json_get_text(object, "version");
}

/**
 * ms_winner_store_find_damaged:
 * @directory: (nullable): the folder of the winners; %NULL for the user's folder
 *
 * Returns: (transfer full): the paths of the files that ms_winner_store_load() ignores because they are damaged
 */
GStrv
ms_winner_store_find_damaged(const char *directory)
{
  g_autofree char *folder = directory ? g_strdup(directory) : ms_winner_store_default_directory();
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  g_autoptr(GStrvBuilder) found = g_strv_builder_new();

  for (const char *name = dir ? g_dir_read_name(dir) : NULL; name; name = g_dir_read_name(dir)) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    if (g_str_has_suffix(name, ENDING) && is_damaged(path))
      g_strv_builder_add(found, path);
  }
  return g_strv_builder_end(found);
}

static char *
winner_text(const MsWinnerKey *key, const char *version, const MsFactors *winner)
{
  g_autoptr(JsonBuilder) builder = json_builder_new();

  json_builder_begin_object(builder);
  ms_json_add_text(builder, "device", key->device);
  ms_json_add_text(builder, "driver", key->driver);
  ms_json_add_text(builder, "problem", key->problem);
  ms_json_add_text(builder, "version", version);
  ms_json_add_factors(builder, "winner", winner);
  json_builder_end_object(builder);
  g_autoptr(JsonNode) node = json_builder_get_root(builder);
  return json_to_string(node, TRUE);
}

/**
 * ms_winner_store_save:
 * @winner: (nullable): %NULL when the search found none
 *
 * Writes the winner's file; an older one is replaced only by a complete file.
 */
gboolean
ms_winner_store_save(const char *directory, const MsWinnerKey *key, const char *version, const MsFactors *winner,
                     GError **error)
{
  g_autofree char *path = ms_winner_store_path(directory, key, ENDING);
  g_autofree char *text = winner_text(key, version, winner);

  return ms_folder_make_parent(path, MS_FOLDER_PRIVATE, error) && g_file_set_contents(path, text, -1, error);
}
