/* SPDX-License-Identifier: MIT */
#include "ui/batch/batch-spec.h"

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

static void
append_quoted(GString *line, const char *option, const char *value)
{
  g_autofree char *quoted = g_shell_quote(value);

  g_string_append_printf(line, " %s%s%s", option, *option ? " " : "", quoted);
}

/** ms_batch_spec_command_line: (transfer full): the command that writes the same files, byte for byte. */
char *
ms_batch_spec_command_line(const MsBatchSpec *self)
{
  g_autoptr(GString) line = g_string_new("meanshift-lab --headless ");
  g_autofree char *settings = ms_settings_to_arguments(&self->settings);

  g_string_append(line, settings);
  append_quoted(line, "--device", self->device_selector);
  if (self->recursive)
    g_string_append(line, " --recursive");
  if (g_strcmp0(self->name_template, MS_NAMING_DEFAULT) != 0)
    append_quoted(line, "--name", self->name_template);
  if (self->format != MS_IMAGE_FORMAT_AUTO)
    append_quoted(line, "--format", ms_codec_get(self->format)->name);
  if (self->quality != ms_save_options_default().quality)
    g_string_append_printf(line, " --quality %d", self->quality);
  append_quoted(line, "--on-conflict", ms_conflict_names[self->on_conflict]);
  if (self->manifest)
    append_quoted(line, "--manifest", self->manifest);
  for (guint i = 0; self->inputs[i]; i++)
    append_quoted(line, "", self->inputs[i]);
  append_quoted(line, "-o", self->output);
  return g_string_free(g_steal_pointer(&line), FALSE);
}
