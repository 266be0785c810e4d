/* SPDX-License-Identifier: MIT */
#include "core/file-text.h"

#include "core/error.h"

#define PIECE (64 * 1024)

/* Appends what @stream holds, and stops at the first piece beyond @limit. */
static gboolean
read_up_to(GInputStream *stream, gsize limit, GByteArray *bytes, GError **error)
{
  for (;;) {
    const guint had = bytes->len;
    gsize n;
    g_byte_array_set_size(bytes, had + PIECE);
    const gboolean good = g_input_stream_read_all(stream, bytes->data + had, PIECE, &n, NULL, error);
    g_byte_array_set_size(bytes, had + (guint)n);
    if (!good || n < PIECE || bytes->len > limit)
      return good;
  }
}

/**
 * ms_file_text_load:
 * @path: a file, a pipe or a device
 * @limit: the most bytes that are accepted, below 2 GiB
 * @length: (out): bytes of the text, without the zero behind it
 *
 * Reads no more than @limit and a piece, so that a file without an end costs no more memory than that.
 *
 * Returns: (transfer full): the text, or %NULL with an error that names the file
 */
char *
ms_file_text_load(const char *path, gsize limit, gsize *length, GError **error)
{
  g_autoptr(GFile) file = g_file_new_for_path(path);
  g_autoptr(GFileInputStream) stream = g_file_read(file, NULL, error);
  g_autoptr(GByteArray) bytes = g_byte_array_new();

  if (!stream || !read_up_to(G_INPUT_STREAM(stream), limit, bytes, error))
    return NULL;
  if (bytes->len > limit) {
    ms_set_error(error, MS_ERROR_TOO_LARGE, "'%s' is too large; %zu bytes are read at most.", path, limit);
    return NULL;
  }
  *length = bytes->len;
  g_byte_array_append(bytes, (const guint8 *)"", 1);
  return (char *)g_byte_array_free(g_steal_pointer(&bytes), FALSE);
}
