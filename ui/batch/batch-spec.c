/* SPDX-License-Identifier: MIT */
#include "ui/batch/batch-spec.h"

#include <string.h>

#include "core/batch/naming.h"
#include "core/image/codec.h"

/** ms_batch_spec_copy: (transfer full) */
MsBatchSpec *
ms_batch_spec_copy(const MsBatchSpec *self)
{
  MsBatchSpec *copy = g_memdup2(self, sizeof *self);

  copy->inputs = g_strdupv(self->inputs);
  copy->output = g_strdup(self->output);
  copy->name_template = g_strdup(self->name_template);
  copy->manifest = g_strdup(self->manifest);
  copy->device_selector = g_strdup(self->device_selector);
  return copy;
}

void
ms_batch_spec_free(MsBatchSpec *self)
{
  g_strfreev(self->inputs);
  g_free(self->output);
  g_free(self->name_template);
  g_free(self->manifest);
  g_free(self->device_selector);
  g_free(self);
}

/**
 * ms_batch_spec_to_arguments:
 * @manifest: (nullable): the manifest to write
 *
 * Returns: (transfer full): the options and inputs of the command that writes the same files, byte for byte
 */
GStrv
ms_batch_spec_to_arguments(const MsBatchSpec *self, const char *manifest)
{
  g_autofree char *settings = ms_settings_to_arguments(&self->settings);
  g_auto(GStrv) words = g_strsplit(settings, " ", -1);
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new();

  g_strv_builder_addv(builder, (const char **)words);
  g_strv_builder_add_many(builder, "--device", self->device_selector, NULL);
  if (self->recursive)
    g_strv_builder_add(builder, "--recursive");
  if (g_strcmp0(self->name_template, MS_NAMING_DEFAULT) != 0)
    g_strv_builder_add_many(builder, "--name", self->name_template, NULL);
  if (self->format != MS_IMAGE_FORMAT_AUTO)
    g_strv_builder_add_many(builder, "--format", ms_codec_get(self->format)->name, NULL);
  if (self->quality != ms_save_options_default().quality) {
    g_autofree char *quality = g_strdup_printf("%d", self->quality);
    g_strv_builder_add_many(builder, "--quality", quality, NULL);
  }
  g_strv_builder_add_many(builder, "--on-conflict", ms_conflict_names[self->on_conflict], NULL);
  if (manifest)
    g_strv_builder_add_many(builder, "--manifest", manifest, NULL);
  g_strv_builder_addv(builder, (const char **)self->inputs);
  g_strv_builder_add_many(builder, "-o", self->output, NULL);
  return g_strv_builder_end(builder);
}

static gboolean
is_plain(const char *word)
{
  return *word && strspn(word, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-_=+./,:@") == strlen(word);
}

/** ms_batch_spec_command_line: (transfer full): the command that writes the same files, byte for byte, for a shell */
char *
ms_batch_spec_command_line(const MsBatchSpec *self)
{
  g_autoptr(GString) line = g_string_new("meanshift-lab --headless");
  g_auto(GStrv) words = ms_batch_spec_to_arguments(self, self->manifest);

  for (char **word = words; *word; word++) {
    g_autofree char *quoted = is_plain(*word) ? g_strdup(*word) : g_shell_quote(*word);
    g_string_append_printf(line, " %s", quoted);
  }
  return g_string_free(g_steal_pointer(&line), FALSE);
}
