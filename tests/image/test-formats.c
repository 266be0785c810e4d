/* SPDX-License-Identifier: MIT */
/* The README's table of formats says what the table of codecs says, and what files of each format keep. */
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

static const char *
answer(gboolean yes)
{
  return yes ? "yes" : "no";
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
  if (codec->start_rows && codec->write_bytes)
    return "read and written";
  return codec->start_rows ? "read" : "no";
}

/* (transfer full): the beginning of the row of a format that is only read; what a file keeps is up to a module. */
static char *
make_read_row(const MsCodec *codec)
{
  g_autofree char *inputs = g_strjoinv(", ", (char **)codec->input_extensions);

  return g_strdup_printf("| %s | none | read: %s | none | %s | by the module | no | by the module | no | %s | %s | ",
                         codec->title, inputs, answer(codec->has_alpha), answer(codec->has_geo), rows_of(codec));
}

/* (transfer full): the row of the README up to its last cell, which names tests. */
static char *
make_row(const MsCodec *codec)
{
  g_autoptr(GBytes) icc = some_profile(), exif = some_exif();
  g_autoptr(MsMetadata) kept = keep(codec, icc, exif, 0), scaled = keep(codec, NULL, NULL, PER_METRE);
  g_autoptr(GStrvBuilder) names = g_strv_builder_new();

  for (const char *const *name = codec->extensions; *name; name++)
    g_strv_builder_add(names, *name);
  g_auto(GStrv) written = g_strv_builder_end(names);
  for (const char *const *name = codec->input_extensions; *name; name++)
    g_strv_builder_add(names, *name);
  g_auto(GStrv) only_read = g_strv_builder_end(names);
  g_autofree char *outputs = g_strjoinv(", ", written), *inputs = g_strjoinv(", ", only_read);
  return g_strdup_printf("| %s | `%s` | %s%s%s | %s | %s | %s | %s | %s | %s | %s | %s | ", codec->title, codec->name,
                         outputs, *inputs ? "; read: " : "", inputs, codec->has_quality ? "1 to 100" : "lossless",
                         answer(codec->has_alpha), answer(kept->icc != NULL), answer(kept->exif != NULL),
                         answer(is_turned(codec)), answer(scaled->x_pixels_per_metre == PER_METRE),
                         answer(codec->has_geo), rows_of(codec));
}

static void
test_readme(void)
{
  g_autofree char *path = g_build_filename(g_getenv("MS_SOURCE_ROOT"), "README.md", NULL);
  g_autofree char *text = NULL;
  guint n;
  const MsCodec *codecs = ms_codec_table(&n);

  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  for (guint i = 0; i < n; i++) {
    g_autofree char *row = ms_codec_is_written(&codecs[i]) ? make_row(&codecs[i]) : make_read_row(&codecs[i]);
    const char *found = strstr(text, row);
    if (!found)
      g_error("The table of formats in README.md lacks this row, which ends in the names of tests:\n%s", row);
    g_assert_cmpuint(strcspn(found + strlen(row), "|\n"), >, 4);
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
  g_test_add_func("/formats/readme", test_readme);
  g_test_add_func("/formats/desktop-entry", test_desktop_entry);
}
