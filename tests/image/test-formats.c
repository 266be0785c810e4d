/* SPDX-License-Identifier: MIT */
/* The manual page's FORMATS say what the table of codecs says, and what files of each format keep. */
#include <string.h>

#include "core/image/codec.h"
#include "core/image/image-save.h"
#include "tests/support/cases.h"
#include "tests/support/image-files.h"

#define PER_METRE 11811

/* (transfer full): a profile that every decoder takes, without curves. */
static GBytes *
some_profile(void)
{
  static const guint8 start[] = {0,   0,   2,   88,  0,   0,   0,   0,   2,   16,  0,   0,
                                 'm', 'n', 't', 'r', 'R', 'G', 'B', ' ', 'X', 'Y', 'Z', ' '};
  static const guint8 white[] = {0, 0, 0xf6, 0xd6, 0, 1, 0, 0, 0, 0, 0xd3, 0x2d};
  guint8 profile[600] = "";

  memcpy(profile, start, sizeof start);
  memcpy(profile + 36, "acsp", 4);
  memcpy(profile + 68, white, sizeof white);
  /* libpng takes no profile that compresses to next to nothing. */
  for (guint i = 132; i < sizeof profile; i++)
    profile[i] = (guint8)(i * i * 31 >> 3);
  return g_bytes_new(profile, sizeof profile);
}

/* (transfer full): an EXIF block with an orientation, that of an upright picture, and a resolution. */
static GBytes *
some_exif(void)
{
  static const guint8 block[] = {'I', 'I', 42, 0, 8, 0, 0, 0,  2, 0, 0x12, 1, 3, 0, 1, 0,  0, 0, 1, 0, 0, 0, 0x1a,
                                 1,   5,   0,  1, 0, 0, 0, 38, 0, 0, 0,    0, 0, 0, 0, 44, 1, 0, 0, 1, 0, 0, 0};

  return g_bytes_new_static(block, sizeof block);
}

/* (transfer full): a file of @codec with these metadata */
static GBytes *
encode(const MsCodec *codec, GBytes *icc, GBytes *exif, guint32 per_metre)
{
  g_autoptr(MsMetadata) metadata = ms_metadata_new(icc, exif, per_metre, per_metre);
  g_autoptr(MsImage) image = ms_test_image_smooth(8, 6, metadata);

  return ms_test_encode(image, codec->format);
}

/* Whether a file that says that it is turned by a quarter is turned upright. */
static gboolean
is_turned(const MsCodec *codec)
{
  static const guint8 upright[] = {0x12, 1, 3, 0, 1, 0, 0, 0, 1, 0};
  g_autoptr(GBytes) exif = some_exif();
  g_autoptr(GBytes) file = encode(codec, NULL, exif, 0);
  gsize size;
  const guint8 *data = g_bytes_get_data(file, &size);
  guint8 *copy = g_memdup2(data, size);
  guint8 *found = memmem(copy, size, upright, sizeof upright);

  if (found)
    found[8] = 6;
  if (codec->format == MS_IMAGE_FORMAT_PNG)
    ms_test_png_repair(copy, size);
  g_autoptr(GBytes) turned = g_bytes_new_take(copy, size);
  g_autoptr(MsImage) image = ms_test_decode(turned);
  return ms_image_get_width(image) == 6;
}

/* (transfer full): the metadata that a file of the format gives back. */
static MsMetadata *
keep(const MsCodec *codec, GBytes *icc, GBytes *exif, guint32 per_metre)
{
  g_autoptr(GBytes) file = encode(codec, icc, exif, per_metre);
  g_autoptr(MsImage) again = ms_test_decode(file);

  return ms_metadata_ref(ms_image_get_metadata(again));
}

/* Whether rows of a plain file are read one by one, and rows of a picture are written so. */
static const char *
rows_of(const MsCodec *codec)
{
  if (codec->decoder->gives_rows && codec->encoder->bytes)
    return "read and written";
  return codec->decoder->gives_rows ? "read" : "no";
}

/* (transfer full): the paragraph of a format that is only read; what a file keeps is up to a module. */
static char *
make_read_paragraph(const MsCodec *codec)
{
  g_autofree char *inputs = g_strjoinv(", ", (char **)codec->input_extensions);

  return g_strdup_printf(".B %s\nRead alone; extensions %s. Keeps %swhat the module reads. By rows: %s.\n",
                         codec->title, inputs, codec->has_alpha ? "transparency and " : "", rows_of(codec));
}

/* (transfer full): the paragraph of the manual page. */
static char *
make_paragraph(const MsCodec *codec)
{
  g_autoptr(GBytes) icc = some_profile(), exif = some_exif();
  g_autoptr(MsMetadata) kept = keep(codec, icc, exif, 0), scaled = keep(codec, NULL, NULL, PER_METRE);
  const struct {
    const char *what;
    gboolean is_kept;
  } things[] = {
    {"transparency", codec->has_alpha},
    {"profile", kept->icc != NULL},
    {"EXIF", kept->exif != NULL},
    {"orientation (the picture is turned upright)", is_turned(codec)},
    {"resolution", scaled->x_pixels_per_metre == PER_METRE},
    {"place on the map", codec->has_geo},
  };
  g_autoptr(GString) keeps = g_string_new(NULL);

  for (gsize i = 0; i < G_N_ELEMENTS(things); i++)
    if (things[i].is_kept)
      g_string_append_printf(keeps, "%s%s", keeps->len > 0 ? ", " : "", things[i].what);
  g_autofree char *outputs = g_strjoinv(", ", (char **)codec->extensions);
  g_autofree char *inputs = g_strjoinv(", ", (char **)codec->input_extensions);
  return g_strdup_printf(".B %s\n%s; extensions %s%s%s; quality %s. Keeps %s. By rows: %s.\n", codec->title,
                         codec->name, outputs, *inputs ? "; read: " : "", inputs,
                         codec->has_quality ? "1 to 100" : "lossless",
                         keeps->len > 0 ? keeps->str : "nothing besides colours", rows_of(codec));
}

static void
test_manual(void)
{
  g_autofree char *path = g_build_filename(g_getenv("MS_SOURCE_ROOT"), "data", "meanshift-lab.1", NULL);
  g_autofree char *text = NULL;
  guint n;
  const MsCodec *codecs = ms_codec_table(&n);

  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  for (guint i = 0; i < n; i++) {
    g_autofree char *paragraph =
      ms_codec_is_written(&codecs[i]) ? make_paragraph(&codecs[i]) : make_read_paragraph(&codecs[i]);
    if (!strstr(text, paragraph))
      g_error("FORMATS of the manual page lacks this paragraph:\n%s", paragraph);
  }
}

/* The desktop entry lists each format, so that file managers offer the program for it. */
static void
test_desktop_entry(void)
{
  g_autofree char *path =
    g_build_filename(g_getenv("MS_SOURCE_ROOT"), "data", "io.github.meanshift_lab.MeanshiftLab.desktop", NULL);
  g_autoptr(GKeyFile) entry = g_key_file_new();
  guint n;
  const MsCodec *codecs = ms_codec_table(&n);

  g_assert_true(g_key_file_load_from_file(entry, path, G_KEY_FILE_NONE, NULL));
  g_auto(GStrv) types = g_key_file_get_string_list(entry, "Desktop Entry", "MimeType", NULL, NULL);
  for (guint i = 0; i < n; i++)
    for (const char *const *type = codecs[i].mime_types; *type; type++)
      if (!g_strv_contains((const char *const *)types, *type))
        g_error("The desktop entry lacks %s.", *type);
}

void
ms_test_formats(void)
{
  g_test_add_func("/formats/manual", test_manual);
  g_test_add_func("/formats/desktop-entry", test_desktop_entry);
}
