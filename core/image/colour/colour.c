/* SPDX-License-Identifier: MIT */
#include "core/image/colour/colour.h"

#include <math.h>
#include <string.h>

#include <lcms2.h>

/* Fewer pixels than this are converted sooner than a thread starts. */
#define PART_PIXELS (128 << 10)
#define MOST_PARTS 16

/* Profiles of sRGB differ in the precision of their curves, and in how they adapt its white to D50. */
#define CURVE_TOLERANCE 0.003
#define MATRIX_TOLERANCE 0.003

struct _MsColour {
  cmsHTRANSFORM transform;
  gboolean is_ink;
};

/* (nullable): the profile @icc, sRGB or L*a*b* itself where it is %NULL; %NULL where it is none of @space. */
static cmsHPROFILE
open_profile(GBytes *icc, cmsColorSpaceSignature space)
{
  if (!icc)
    return space == cmsSigLabData ? cmsCreateLab4Profile(NULL) : cmsCreate_sRGBProfile();
  gsize size;
  const void *data = g_bytes_get_data(icc, &size);
  cmsHPROFILE profile = size <= G_MAXUINT32 ? cmsOpenProfileFromMem(data, (cmsUInt32Number)size) : NULL;
  if (!profile || cmsGetColorSpace(profile) == space)
    return profile;
  cmsCloseProfile(profile);
  return NULL;
}

static void
close_profile(cmsHPROFILE *profile)
{
  if (*profile)
    cmsCloseProfile(*profile);
}

/* A profile that is closed where its name ends. */
#define OwnProfile __attribute__((cleanup(close_profile))) cmsHPROFILE

/* Tables go before curves and a matrix, which some profiles have besides for programs that know no tables. */
static gboolean
has_tables(cmsHPROFILE profile)
{
  return cmsIsTag(profile, cmsSigAToB0Tag) || cmsIsTag(profile, cmsSigAToB1Tag);
}

#define TYPE_LAB_AND_ALPHA (COLORSPACE_SH(PT_Lab) | EXTRA_SH(1) | CHANNELS_SH(3) | BYTES_SH(1))

/* The four bytes of a pixel of each kind. */
static const struct {
  cmsColorSpaceSignature space;
  cmsUInt32Number layout;
} kinds[] = {
  [MS_COLOUR_RGBA] = {cmsSigRgbData, TYPE_RGBA_8},
  [MS_COLOUR_CMYK] = {cmsSigCmykData, TYPE_CMYK_8},
  [MS_COLOUR_CMYK_LIGHT] = {cmsSigCmykData, TYPE_CMYK_8_REV},
  [MS_COLOUR_LAB] = {cmsSigLabData, TYPE_LAB_AND_ALPHA},
};

/**
 * ms_colour_new:
 * @from: (nullable): the profile of the pixels; %NULL for sRGB, and for L*a*b* itself with %MS_COLOUR_LAB
 * @to: (nullable): the profile of an RGB space; %NULL for sRGB
 *
 * The intent is perceptual, where a profile has tables for it, and else colorimetric, as of jpgicc and tificc.
 *
 * Returns: (transfer full) (nullable): the conversion; %NULL where a profile is damaged or of another kind of colours
 */
MsColour *
ms_colour_new(GBytes *from, MsColourPixels pixels, GBytes *to)
{
  OwnProfile source = open_profile(from, kinds[pixels].space);
  OwnProfile target = open_profile(to, cmsSigRgbData);
  MsColour *self = NULL;
  cmsHTRANSFORM transform =
    source && target ? cmsCreateTransform(source, kinds[pixels].layout, target, TYPE_RGBA_8, INTENT_PERCEPTUAL, 0)
                     : NULL;

  if (transform) {
    self = g_new0(MsColour, 1);
    self->transform = transform;
    self->is_ink = kinds[pixels].space == cmsSigCmykData;
  }
  return self;
}

void
ms_colour_free(MsColour *self)
{
  if (!self)
    return;
  cmsDeleteTransform(self->transform);
  g_free(self);
}

/* The pixels of one thread. */
typedef struct {
  const MsColour *colour;
  guint8 *pixels;
  gsize n;
} Part;

/* The fourth byte stays as it is, which is alpha already or an ink. */
static gpointer
convert_part(gpointer data)
{
  const Part *part = data;
  const MsColour *self = part->colour;

  for (gsize at = 0; at < part->n; at += PART_PIXELS)
    cmsDoTransform(self->transform, part->pixels + at * 4, part->pixels + at * 4,
                   (cmsUInt32Number)MIN(part->n - at, PART_PIXELS));
  for (gsize i = 0; self->is_ink && i < part->n; i++)
    part->pixels[4 * i + 3] = 255;
  return NULL;
}

/** ms_colour_convert: converts @n pixels to RGBA in place, on several threads where there are many. */
void
ms_colour_convert(const MsColour *self, guint8 *pixels, gsize n)
{
  const gsize threads = CLAMP(n / PART_PIXELS, 1, MIN(g_get_num_processors(), MOST_PARTS));
  const gsize most = (n + threads - 1) / threads;
  Part parts[MOST_PARTS];
  GThread *running[MOST_PARTS] = {NULL};

  for (gsize i = 0; i < threads; i++) {
    const gsize first = MIN(i * most, n);
    parts[i] = (Part){self, pixels + first * 4, MIN(most, n - first)};
    running[i] = i > 0 ? g_thread_try_new("colours", convert_part, &parts[i], NULL) : NULL;
    if (i > 0 && !running[i])
      convert_part(&parts[i]);
  }
  convert_part(&parts[0]);
  for (gsize i = 1; i < threads; i++)
    if (running[i])
      g_thread_join(running[i]);
}

/* ---- What a profile says. */

static gboolean
read_matrix(cmsHPROFILE profile, MsColourMatrix *matrix)
{
  static const cmsTagSignature curves[] = {cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag};
  static const cmsTagSignature colorants[] = {cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag};

  if (!cmsIsMatrixShaper(profile) || has_tables(profile))
    return FALSE;
  for (int k = 0; k < 3; k++) {
    const cmsToneCurve *curve = cmsReadTag(profile, curves[k]);
    const cmsCIEXYZ *colorant = cmsReadTag(profile, colorants[k]);
    if (!curve || !colorant)
      return FALSE;
    matrix->to_xyz[0][k] = colorant->X;
    matrix->to_xyz[1][k] = colorant->Y;
    matrix->to_xyz[2][k] = colorant->Z;
    for (int i = 0; i < 256; i++)
      matrix->linear[k][i] = (double)cmsEvalToneCurveFloat(curve, (float)i / 255.0f);
  }
  return TRUE;
}

/**
 * ms_colour_get_matrix:
 * @icc: (nullable): %NULL for sRGB
 *
 * Returns: whether @icc is a profile of three curves and a matrix, which @matrix holds then
 */
gboolean
ms_colour_get_matrix(GBytes *icc, MsColourMatrix *matrix)
{
  OwnProfile profile = open_profile(icc, cmsSigRgbData);

  return profile && read_matrix(profile, matrix);
}

/** ms_colour_has_tables: whether @icc is a profile of RGB by tables, such as those of printers and scanners. */
gboolean
ms_colour_has_tables(GBytes *icc)
{
  OwnProfile profile = open_profile(icc, cmsSigRgbData);

  return profile && has_tables(profile);
}

/**
 * ms_colour_by_tables:
 * @icc: a profile of RGB
 * @to_lab: whether the colours become L*a*b*, else they are
 * @colours: (inout): @n of them; red, green and blue are 0 to 1
 *
 * Converts colours in double precision. The intent is colorimetric, for which white is white, as with a matrix.
 *
 * Returns: %FALSE where the profile has nothing that converts this way
 */
gboolean
ms_colour_by_tables(GBytes *icc, gboolean to_lab, double (*colours)[3], gsize n)
{
  OwnProfile rgb = open_profile(icc, cmsSigRgbData);
  OwnProfile lab = open_profile(NULL, cmsSigLabData);
  cmsHTRANSFORM transform = NULL;

  if (rgb && lab)
    transform = to_lab ? cmsCreateTransform(rgb, TYPE_RGB_DBL, lab, TYPE_Lab_DBL, INTENT_RELATIVE_COLORIMETRIC, 0)
                       : cmsCreateTransform(lab, TYPE_Lab_DBL, rgb, TYPE_RGB_DBL, INTENT_RELATIVE_COLORIMETRIC, 0);
  if (transform) {
    cmsDoTransform(transform, colours, colours, (cmsUInt32Number)n);
    cmsDeleteTransform(transform);
  }
  return transform != NULL;
}

/** ms_colour_is_srgb: whether @icc is %NULL or a profile of sRGB. */
gboolean
ms_colour_is_srgb(GBytes *icc)
{
  MsColourMatrix given, srgb;
  double curve = 0, matrix = 0;

  if (!icc)
    return TRUE;
  if (!ms_colour_get_matrix(icc, &given) || !ms_colour_get_matrix(NULL, &srgb))
    return FALSE;
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 256; i++)
      curve = MAX(curve, fabs(given.linear[k][i] - srgb.linear[k][i]));
    for (int i = 0; i < 3; i++)
      matrix = MAX(matrix, fabs(given.to_xyz[k][i] - srgb.to_xyz[k][i]));
  }
  return curve < CURVE_TOLERANCE && matrix < MATRIX_TOLERANCE;
}

/* The date of a profile, which is left out, so that equal pictures give equal files. */
#define ICC_DATE 24
#define ICC_DATE_SIZE 12

static GBytes *
save_profile(cmsHPROFILE profile)
{
  cmsUInt32Number size = 0;

  if (!cmsSaveProfileToMem(profile, NULL, &size) || size == 0)
    return NULL;
  g_autofree guint8 *data = g_malloc0(size);
  if (!cmsSaveProfileToMem(profile, data, &size) || size < ICC_DATE + ICC_DATE_SIZE)
    return NULL;
  memset(data + ICC_DATE, 0, ICC_DATE_SIZE);
  return g_bytes_new_take(g_steal_pointer(&data), size);
}

/**
 * ms_colour_grey_to_rgb:
 * @icc: the profile of a grey picture
 *
 * Returns: (transfer full) (nullable): a profile in which equal values of red, green and blue look as those of grey in
 *   @icc: its curve with the primaries of sRGB; %NULL where @icc is no profile of grey
 */
GBytes *
ms_colour_grey_to_rgb(GBytes *icc)
{
  static const cmsCIExyY white = {0.3127, 0.3290, 1};
  static const cmsCIExyYTRIPLE primaries = {{0.6400, 0.3300, 1}, {0.3000, 0.6000, 1}, {0.1500, 0.0600, 1}};
  OwnProfile grey = open_profile(icc, cmsSigGrayData);
  cmsToneCurve *curve = grey ? cmsReadTag(grey, cmsSigGrayTRCTag) : NULL;
  OwnProfile rgb = curve ? cmsCreateRGBProfile(&white, &primaries, (cmsToneCurve *[3]){curve, curve, curve}) : NULL;

  return rgb ? save_profile(rgb) : NULL;
}

/** ms_colour_dup_name: (transfer full) (nullable): the description in a profile, %NULL where it cannot be read. */
char *
ms_colour_dup_name(GBytes *icc)
{
  char text[256] = "";
  gsize size;
  const void *data = g_bytes_get_data(icc, &size);
  OwnProfile profile = cmsOpenProfileFromMem(data, (cmsUInt32Number)size);

  if (!profile)
    return NULL;
  cmsGetProfileInfoASCII(profile, cmsInfoDescription, "en", "US", text, sizeof text);
  text[sizeof text - 1] = '\0';
  return text[0] ? g_utf8_make_valid(text, -1) : NULL;
}
