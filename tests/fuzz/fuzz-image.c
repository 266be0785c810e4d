/* SPDX-License-Identifier: MIT */
/* Any bytes as an image file: they load or are refused with a sentence, and what loads can be saved in every format. */
#include <string.h>

#include "core/error.h"
#include "core/image/codec.h"
#include "core/image/image-save.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/image-files.h"

#define MOST_PIXELS (1 << 20)
#define MOST_METADATA (1 << 20)

static void
check_saves(MsImage *image)
{
  guint n;
  const MsCodec *codecs = ms_codec_table(&n);

  for (guint i = 0; i < n; i++) {
    MsSaveOptions options = ms_save_options_default();
    g_autoptr(GError) error = NULL;
    if (!ms_codec_is_written(&codecs[i]))
      continue;
    options.format = codecs[i].format;
    options.compression = 1;
    g_autoptr(GBytes) file = ms_image_encode(image, &options, NULL, NULL, &error);
    if (!file) {
      g_assert_error(error, MS_ERROR, MS_ERROR_TOO_LARGE);
      continue;
    }
    g_autoptr(MsImage) again = ms_test_decode(file);
    const gboolean loses_alpha = !codecs[i].has_alpha && ms_image_has_transparency(image);
    if (ms_codec_resolve_quality(&codecs[i], options.quality) == 0 && !loses_alpha)
      ms_test_assert_same_image(again, image);
  }
}

static MsImage *
load(GBytes *bytes, gboolean accept_damaged)
{
  MsImageLimits limits = {
    .max_pixels = MOST_PIXELS, .max_scans = 20, .max_metadata = MOST_METADATA, .accept_damaged = accept_damaged};
  g_autoptr(GError) error = NULL;
  MsImage *image = ms_image_load_bytes(bytes, "fuzz", &limits, NULL, &error);

  g_assert_true((image == NULL) == (error != NULL));
  if (!image)
    g_assert_true(error->domain == MS_ERROR && strstr(error->message, "'fuzz'"));
  return image;
}

/* A sound file loads equally where damage is accepted; any other may then load as damaged. */
static void
try_bytes(const uint8_t *data, size_t size)
{
  g_autoptr(GBytes) bytes = g_bytes_new_static(data, size);
  g_autoptr(MsImage) strict = load(bytes, FALSE);
  g_autoptr(MsImage) accepted = load(bytes, TRUE);

  if (strict)
    ms_test_assert_same_image(strict, accepted);
  else if (accepted)
    g_assert_nonnull(ms_image_get_damage(accepted));
  if (accepted)
    check_saves(accepted);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  try_bytes(data, size);
  if (ms_codec_sniff(data, size) == MS_IMAGE_FORMAT_PNG) {
    g_autofree guint8 *repaired = g_memdup2(data, size);
    ms_test_png_repair(repaired, size);
    try_bytes(repaired, size);
  }
  return 0;
}

/* With every kind of metadata, since that is where most of our own parsing is. */
static MsMetadata *
some_metadata(void)
{
  static const guint8 exif[] = {'I', 'I', 42, 0, 8, 0, 0, 0,  2, 0, 0x12, 1, 3, 0, 1, 0,  0, 0, 6, 0, 0, 0, 0x1a,
                                1,   5,   0,  1, 0, 0, 0, 38, 0, 0, 0,    0, 0, 0, 0, 44, 1, 0, 0, 1, 0, 0, 0};
  guint8 profile[600] = "";

  for (gsize i = 0; i < sizeof profile; i++)
    profile[i] = i * i >> 3;
  memcpy(profile + 16, "RGB ", 4);
  memcpy(profile + 36, "acsp", 4);
  g_autoptr(GBytes) exif_bytes = g_bytes_new_static(exif, sizeof exif);
  g_autoptr(GBytes) icc_bytes = g_bytes_new(profile, sizeof profile);
  return ms_metadata_new(icc_bytes, exif_bytes, 11811, 11811);
}

GPtrArray *
ms_fuzz_seeds(void)
{
  GPtrArray *seeds = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
  g_autoptr(MsMetadata) metadata = some_metadata();
  g_autoptr(MsImage) smooth = ms_test_image_smooth(37, 23, metadata);
  g_autoptr(MsImage) noise = ms_test_image_random(9, 11, 6, FALSE, metadata);

  guint n;
  const MsCodec *codecs = ms_codec_table(&n);

  for (guint i = 0; i < n; i++) {
    if (!ms_codec_is_written(&codecs[i]))
      continue;
    g_ptr_array_add(seeds, ms_test_encode(smooth, codecs[i].format));
    g_ptr_array_add(seeds, ms_test_encode(noise, codecs[i].format));
  }
  return seeds;
}
