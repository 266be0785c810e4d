/* SPDX-License-Identifier: MIT */
#include "core/batch/run/batch-image.h"

/** ms_batch_image_new: (transfer full): all arguments must outlive the image. */
MsBatchImage *
ms_batch_image_new(MsBatchItem *item, const MsRunnerOptions *options, const MsRunnerHooks *hooks,
                   GCancellable *cancellable)
{
  MsBatchImage *self = g_new0(MsBatchImage, 1);

  self->item = item;
  self->options = options;
  self->hooks = hooks;
  self->cancellable = cancellable;
  self->name = ms_batch_item_input_name(item);
  return self;
}

/** ms_batch_image_free: frees the image, but not its item. */
void
ms_batch_image_free(MsBatchImage *self)
{
  if (!self)
    return;
  g_clear_pointer(&self->content, g_bytes_unref);
  g_clear_object(&self->source);
  g_clear_object(&self->result);
  ms_streamed_file_clear(&self->file);
  g_free(self->name);
  g_free(self);
}
