/* SPDX-License-Identifier: MIT */
#include "app/report/report-file.h"

#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/image/file/atomic-file.h"
#include "core/image/file/file-path.h"
#include "core/json.h"

struct _MsReportFile {
  MsAtomicFile *file; /* NULL for standard output */
  GError *error;      /* the first error, reported by ms_report_file_close() */
};

/**
 * ms_report_file_open:
 * @cancellable: (nullable): ends the wait for the reader of a pipe, here and while the report is written
 *
 * Returns: (transfer full): an empty report, or %NULL with #MS_ERROR_IO or %G_IO_ERROR_CANCELLED
 */
MsReportFile *
ms_report_file_open(const char *path, GCancellable *cancellable, GError **error)
{
  g_autoptr(MsReportFile) self = g_new0(MsReportFile, 1);

  if (ms_file_path_is_standard(path))
    return g_steal_pointer(&self);
  self->file = ms_atomic_file_open(path, TRUE, cancellable, error);
  return self->file ? g_steal_pointer(&self) : NULL;
}

/** ms_report_file_free: discards a report that was not closed. */
void
ms_report_file_free(MsReportFile *self)
{
  if (!self)
    return;
  g_clear_pointer(&self->file, ms_atomic_file_free);
  g_clear_error(&self->error);
  g_free(self);
}

/** ms_report_file_write: appends @text. */
void
ms_report_file_write(MsReportFile *self, const char *text)
{
  if (self->error)
    return;
  if (self->file)
    ms_atomic_file_write(self->file, text, strlen(text), &self->error);
  else if (fputs(text, stdout) < 0)
    ms_set_error_literal(&self->error, MS_ERROR_IO, "Standard output cannot be written to.");
}

/** ms_report_file_close: gives the file its name; %FALSE with the first error, and without a file. */
gboolean
ms_report_file_close(MsReportFile *self, GError **error)
{
  if (!self->error && self->file)
    ms_atomic_file_commit(self->file, &self->error);
  g_clear_pointer(&self->file, ms_atomic_file_free);
  if (!self->error)
    return TRUE;
  g_propagate_error(error, g_steal_pointer(&self->error));
  return FALSE;
}

/** ms_report_file_save: writes @text as the whole report. */
gboolean
ms_report_file_save(const char *path, const char *text, GCancellable *cancellable, GError **error)
{
  g_autoptr(MsReportFile) self = ms_report_file_open(path, cancellable, error);

  if (!self)
    return FALSE;
  ms_report_file_write(self, text);
  return ms_report_file_close(self, error);
}

/**
 * ms_report_file_save_nodes: writes { "program", "version", @member: [ … ] } as the whole report.
 * @path: (nullable): %NULL for none
 * @nodes: (element-type JsonNode): taken, the array is not
 */
gboolean
ms_report_file_save_nodes(const char *path, const char *member, GPtrArray *nodes, GCancellable *cancellable,
                          GError **error)
{
  g_autoptr(JsonBuilder) b = json_builder_new();

  json_builder_begin_object(b);
  ms_json_add_text(b, "program", "meanshift-lab");
  ms_json_add_text(b, "version", MS_VERSION);
  ms_json_begin_array(b, member);
  for (guint i = 0; i < nodes->len; i++)
    json_builder_add_value(b, g_ptr_array_index(nodes, i));
  json_builder_end_array(b);
  json_builder_end_object(b);
  g_autofree char *text = ms_json_builder_to_text(b);
  return !path || ms_report_file_save(path, text, cancellable, error);
}
