/* SPDX-License-Identifier: MIT */
#include "core/batch/manifest-line.h"

#include <json-glib/json-glib.h>

#include "core/image/codec.h"
#include "core/path-text.h"

static void
set_path(JsonObject *object, const char *member, const char *path)
{
  g_autofree char *text = ms_path_to_text(path);

  json_object_set_string_member(object, member, text);
}

static void
set_sentence(JsonObject *object, const char *member, const char *sentence)
{
  g_autofree char *valid = sentence ? g_utf8_make_valid(sentence, -1) : NULL;

  if (valid)
    json_object_set_string_member(object, member, valid);
}

static void
set_format(JsonObject *object, const MsSaveOptions *save)
{
  const MsCodec *codec = ms_codec_get(save->format);

  json_object_set_string_member(object, "format", codec->name);
  if (codec->has_quality)
    json_object_set_int_member(object, "quality", ms_codec_resolve_quality(codec, save->quality));
}

static void
set_stamps(JsonObject *object, const MsBatchItem *item)
{
  if (item->source.known) {
    json_object_set_int_member(object, "size", (gint64)item->source.size);
    json_object_set_int_member(object, "modified", item->source.modified);
    json_object_set_int_member(object, "modified_ns", item->source.modified_ns);
  }
  if (item->source.hash[0])
    json_object_set_string_member(object, "sha256", item->source.hash);
  if (item->status == MS_ITEM_DONE && item->result.known)
    json_object_set_int_member(object, "output_size", (gint64)item->result.size);
  if (item->result.hash[0])
    json_object_set_string_member(object, "output_sha256", item->result.hash);
}

/**
 * ms_manifest_line:
 * @settings: as requested, not as resolved by the plan
 * @save: format (not AUTO) and quality of the output
 *
 * Returns: (transfer full): the record of a finished or failed item as JSON, without a newline
 */
char *
ms_manifest_line(const MsBatchItem *item, const MsSettings *settings, const MsSaveOptions *save)
{
  g_autoptr(JsonObject) object = json_object_new();
  g_autoptr(JsonNode) node = json_node_new(JSON_NODE_OBJECT);
  g_autofree char *input = g_canonicalize_filename(item->input, NULL);
  g_autofree char *output = item->output ? g_canonicalize_filename(item->output, NULL) : NULL;
  g_autofree char *line = ms_settings_to_arguments(settings);

  set_path(object, "input", input);
  if (output) {
    set_path(object, "output", output);
    set_format(object, save);
  }
  json_object_set_string_member(object, "status", ms_item_status_name(item->status));
  set_sentence(object, "error", item->error);
  set_sentence(object, "note", item->notes[MS_LANGUAGE_ENGLISH]);
  json_object_set_string_member(object, "settings", line);
  set_stamps(object, item);
  json_object_set_int_member(object, "width", item->width);
  json_object_set_int_member(object, "height", item->height);
  json_node_set_object(node, object);
  return json_to_string(node, FALSE);
}
