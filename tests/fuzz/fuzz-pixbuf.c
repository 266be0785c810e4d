/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a picture that a module of gdk-pixbuf decodes, by the loader's own functions but in this process: the
 * pixels are of the stated size, and a size that is refused is not decoded. Before that its header is looked at.
 */
#include <string.h>

#include "core/image/codec.h"
#include "core/image/loader/decode.h"
#include "core/image/pixbuf-look.h"
#include "tests/fuzz/fuzz.h"

#define MOST_PIXELS (1 << 16)
#define MOST_PROFILE (1 << 16)

typedef struct {
  int width;
  int height;
  guint n_calls;
} Size;

static gboolean
on_size(int width, int height, guint n_images, gpointer data)
{
  Size *size = data;

  *size = (Size){width, height, size->n_calls + 1};
  return (guint64)width * (guint64)height <= MOST_PIXELS;
}

/* Modules call functions of gdk-pixbuf with what they find in a file, of which it complains. */
static void
ignore(const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
}

static void
allow_complaints(void)
{
  static const char *const others[] = {G_LOG_DOMAIN, "GLib", "GLib-GObject", NULL};

  g_log_set_always_fatal(G_LOG_FATAL_MASK);
  g_log_set_handler("GdkPixbuf", G_LOG_LEVEL_MASK | G_LOG_FLAG_FATAL | G_LOG_FLAG_RECURSION, ignore, NULL);
  for (gsize i = 0; others[i]; i++)
    g_log_set_fatal_mask(others[i], G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING);
}

/* Since version 2.44 most formats may be decoded by glycin, in a process for each picture, of which some never end. */
static gboolean
is_by_glycin(void)
{
  return gdk_pixbuf_minor_version >= 44;
}

/* What the module would get instead has no more bytes than the file, but those of some heads or of a palette. */
static void
look(const MsCodec *codec, const uint8_t *data, size_t size)
{
  g_autoptr(GBytes) bytes = g_bytes_new_static(data, size);
  MsImageFile file = {.name = (char *)"fuzz",
                      .limits = ms_image_limits_default(),
                      .fd = -1,
                      .bytes = bytes,
                      .size = size,
                      .codec = codec};
  MsPixbufLook found;

  g_assert_true(ms_pixbuf_look(&file, &found) == !file.error);
  g_assert_true(!found.content || g_bytes_get_size(found.content) <= 2 * size + 1200);
  g_clear_pointer(&found.content, g_bytes_unref);
  g_clear_pointer(&found.icc, g_bytes_unref);
  g_clear_error(&file.error);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const MsCodec *codec = ms_codec_get(ms_codec_sniff(data, size));
  static gsize prepared = 0;
  Size stated = {0};
  g_autofree char *damage = NULL;
  g_autoptr(GError) error = NULL;

  if (!codec || ms_codec_is_written(codec))
    return 0;
  look(codec, data, size);
  if (is_by_glycin())
    return 0;
  if (g_once_init_enter(&prepared)) {
    allow_complaints();
    g_once_init_leave(&prepared, 1);
  }
  g_autoptr(MsDecoder) decoder = ms_decoder_new(codec->mime_types[0], on_size, &stated, NULL);
  if (!decoder)
    return 0;
  g_autoptr(GdkPixbuf) pixbuf = ms_decoder_run(decoder, data, size, &damage, &error);
  g_assert_true((pixbuf == NULL) == (error != NULL));
  g_assert_cmpuint(stated.n_calls, <=, 1);
  if (!pixbuf)
    return 0;
  g_assert_cmpint(gdk_pixbuf_get_width(pixbuf), ==, stated.width);
  g_assert_cmpint(gdk_pixbuf_get_height(pixbuf), ==, stated.height);
  g_assert_cmpuint((guint64)stated.width * (guint64)stated.height, <=, MOST_PIXELS);
  g_autofree guint8 *rgba = g_malloc((gsize)stated.width * (gsize)stated.height * 4);
  ms_decode_copy(pixbuf, rgba);
  g_autoptr(GBytes) profile = ms_decode_get_profile(pixbuf, MOST_PROFILE);
  g_assert_cmpuint(g_bytes_get_size(profile), <=, MOST_PROFILE);
  g_assert_cmpuint(ms_decode_get_orientation(pixbuf), <=, 8);
  return 0;
}

/* Files of the formats whose bytes the loader itself looks into, or whose modules are part of gdk-pixbuf. */
GPtrArray *
ms_fuzz_seeds(void)
{
  static const char gif[] = "GIF89a\2\0\2\0\x80\0\0\xff\0\0\0\0\xff!\xf9\4\0\0\0\0\0,\0\0\0\0\2\0\2\0\0\2\3\x44\2\5\0"
                            "!\xfe\3abc\0,\0\0\0\0\2\0\2\0\0\2\3\x44\2\5\0;";
  static const char tga[] = "\0\0\2\0\0\0\0\0\0\0\0\0\2\0\2\0\x18\x20"
                            "abcdefghijkl";
  static const char bmp[] = "BM\0\0\0\0\0\0\0\0\x3e\0\0\0\x28\0\0\0\2\0\0\0\2\0\0\0\1\0\x08\0\0\0\0\0\0\0\0\0"
                            "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0abc\0def\0\0\1\0\0\1\0\0\0";
  static const char heic[] = "\0\0\0\x10"
                             "ftypheic\0\0\0\0"
                             "\0\0\0\x79meta\0\0\0\0"
                             "\0\0\0\x23iinf\0\0\0\0\0\1\0\0\0\x15infe\2\0\0\0\0\1\0\0hvc1\0"
                             "\0\0\0\x1airef\0\0\0\0\0\0\0\x0ethmb\0\2\0\1\0\1"
                             "\0\0\0\x10idat\0\0\0\0\0\10\0\6"
                             "\0\0\0\x20iprp\0\0\0\x1cipco\0\0\0\x14ispe\0\0\0\0\0\0\0\x8\0\0\0\6";
  GPtrArray *seeds = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
  g_autoptr(GdkPixbuf) pixbuf = gdk_pixbuf_new(GDK_COLORSPACE_RGB, TRUE, 8, 5, 3);
  char *ico = NULL;
  gsize size = 0;

  gdk_pixbuf_fill(pixbuf, 0x11803fc0);
  if (gdk_pixbuf_save_to_buffer(pixbuf, &ico, &size, "ico", NULL, NULL))
    g_ptr_array_add(seeds, g_bytes_new_take(ico, size));
  g_ptr_array_add(seeds, g_bytes_new_static(gif, sizeof gif - 1));
  g_ptr_array_add(seeds, g_bytes_new_static(bmp, sizeof bmp - 1));
  g_ptr_array_add(seeds, g_bytes_new_static(heic, sizeof heic - 1));
  g_ptr_array_add(seeds, g_bytes_new_static(tga, sizeof tga - 1));
  return seeds;
}
