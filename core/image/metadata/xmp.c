/* SPDX-License-Identifier: MIT */
#include "core/image/metadata/xmp.h"

#include <string.h>

/* The name of the property in every packet that is in use, either as an attribute or as an element. */
#define ORIENTATION "tiff:Orientation"

static int
parse_orientation(const char *text, gsize size)
{
  g_autofree char *copy = g_strndup(text, size);
  const char *value = g_strstrip(copy);

  return strlen(value) == 1 && value[0] >= '1' && value[0] <= '8' ? value[0] - '0' : 0;
}

static void
on_start(GMarkupParseContext *context, const char *element, const char **names, const char **values, gpointer data,
         GError **error)
{
  int *orientation = data;

  for (guint i = 0; names[i] && *orientation == 0; i++)
    if (g_str_equal(names[i], ORIENTATION))
      *orientation = parse_orientation(values[i], strlen(values[i]));
}

static void
on_text(GMarkupParseContext *context, const char *text, gsize size, gpointer data, GError **error)
{
  int *orientation = data;

  if (*orientation == 0 && g_str_equal(g_markup_parse_context_get_element(context), ORIENTATION))
    *orientation = parse_orientation(text, size);
}

/**
 * ms_xmp_get_orientation:
 * @packet: an XMP packet, as XML in UTF-8
 *
 * Returns: 1 to 8 as in EXIF; 0 where the packet states none or is damaged before it does
 */
int
ms_xmp_get_orientation(GBytes *packet)
{
  static const GMarkupParser parser = {.start_element = on_start, .text = on_text};
  int orientation = 0;
  gsize size;
  const char *text = g_bytes_get_data(packet, &size);
  g_autoptr(GMarkupParseContext) context = g_markup_parse_context_new(&parser, 0, &orientation, NULL);

  /* Packets may be padded with blanks, and end with a NUL byte in some files. */
  if (size > 0)
    g_markup_parse_context_parse(context, text, (gssize)strnlen(text, size), NULL);
  return orientation;
}
