/* SPDX-License-Identifier: MIT */
#include "core/batch/run/stage-decode.h"

#include "core/image/image-io.h"

static MsImage *
load(MsBatchImage *work, GError **error)
{
  if (!work->content)
    return ms_image_load(work->item->input, &work->options->limits, work->cancellable, error);
  return ms_image_load_bytes(work->content, work->name, &work->options->limits, work->cancellable, error);
}

/** ms_stage_decode: loads the image of the item, or inspects the file of one that is streamed. */
gboolean
ms_stage_decode(MsBatchImage *work, GError **error)
{
  MsBatchItem *item = work->item;
  gint64 start = g_get_monotonic_time();

  if (work->is_streamed) {
    g_clear_object(&item->log);
    item->log = ms_timing_log_new();
    if (!ms_streamed_file_inspect(&work->file, work->cancellable, error))
      return FALSE;
    item->width = work->file.width;
    item->height = work->file.height;
    if (work->file.image)
      ms_batch_item_note_damage(item, work->name, ms_image_get_damage(work->file.image));
    if (work->file.image)
      ms_timing_log_add_host(item->log, MS_STAGE_DECODE, NULL, ms_image_get_byte_size(work->file.image), start);
    return TRUE;
  }
  work->source = load(work, error);
  g_clear_pointer(&work->content, g_bytes_unref);
  if (!work->source)
    return FALSE;
  ms_batch_item_note_damage(item, work->name, ms_image_get_damage(work->source));
  item->width = ms_image_get_width(work->source);
  item->height = ms_image_get_height(work->source);
  item->log = ms_timing_log_new();
  ms_timing_log_add_host(item->log, MS_STAGE_DECODE, NULL, ms_image_get_byte_size(work->source), start);
  return TRUE;
}
