/* SPDX-License-Identifier: MIT */
#include "core/image/colour/colour.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include <lcms2.h>

#include "core/image/colour/colour-nodes.h"

/* Every version of Little CMS 2 has this name. */
#define LIBRARY "liblcms2.so.2"

/* Fewer pixels than this are converted sooner than a thread starts. */
#define PART_PIXELS (128 << 10)
#define MOST_PARTS 16

/* Profiles of sRGB differ in the precision of their curves, and in how they adapt its white to D50. */
#define CURVE_TOLERANCE 0.003
#define MATRIX_TOLERANCE 0.003

/* The functions that are taken from the library when it is loaded. */
#define FUNCTIONS(X)                                                                                                   \
  X(cmsCloseProfile)                                                                                                   \
  X(cmsCreateContext)                                                                                                  \
  X(cmsCreateLab4ProfileTHR)                                                                                           \
  X(cmsCreateRGBProfileTHR)                                                                                            \
  X(cmsCreateTransformTHR)                                                                                             \
  X(cmsCreate_sRGBProfileTHR)                                                                                          \
  X(cmsDeleteContext)                                                                                                  \
  X(cmsDeleteTransform)                                                                                                \
  X(cmsDoTransform)                                                                                                    \
  X(cmsEvalToneCurveFloat)                                                                                             \
  X(cmsGetColorSpace)                                                                                                  \
  X(cmsGetEncodedCMMversion)                                                                                           \
  X(cmsGetProfileInfoASCII)                                                                                            \
  X(cmsIsMatrixShaper)                                                                                                 \
  X(cmsIsTag)                                                                                                          \
  X(cmsOpenProfileFromMemTHR)                                                                                          \
  X(cmsReadTag)                                                                                                        \
  X(cmsSaveProfileToMem)

#define MEMBER(name) __typeof__(name) *name;
#define NAME(name) #name,

typedef struct {
  FUNCTIONS(MEMBER)
  char version[32];
} Library;

struct _MsColour {
  cmsContext context;      /* (nullable): with @nodes */
  cmsHTRANSFORM transform; /* (nullable): with @nodes */
  MsColourNodes *nodes;    /* (nullable): where a profile has tables */
  gboolean is_ink;
};

static gpointer
load_library(gpointer data)
{
  static const char *const names[] = {FUNCTIONS(NAME)};
  static Library library;
  void **functions = (void **)&library;
  void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

  if (!handle)
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
    if (!(functions[i] = dlsym(handle, names[i])))
      return NULL;
  const int version = library.cmsGetEncodedCMMversion();
  g_snprintf(library.version, sizeof library.version, "%d.%d", version / 1000, version % 1000 / 10);
  return &library;
}

/* (nullable): %NULL where the library is not installed. */
static const Library *
get_library(void)
{
  static GOnce once = G_ONCE_INIT;

  return g_once(&once, load_library, NULL);
}

/** ms_colour_library_version: (nullable): of Little CMS; %NULL where it is missing, and all pictures count as sRGB. */
const char *
ms_colour_library_version(void)
{
  const Library *cms = get_library();

  return cms ? cms->version : NULL;
}

/* (nullable): the profile @icc, sRGB or L*a*b* itself where it is %NULL; %NULL where it is none of @space. */
static cmsHPROFILE
open_profile(const Library *cms, cmsContext context, GBytes *icc, cmsColorSpaceSignature space)
{
  if (!icc)
    return space == cmsSigLabData ? cms->cmsCreateLab4ProfileTHR(context, NULL)
                                  : cms->cmsCreate_sRGBProfileTHR(context);
  gsize size;
  const void *data = g_bytes_get_data(icc, &size);
  cmsHPROFILE profile =
    size <= G_MAXUINT32 ? cms->cmsOpenProfileFromMemTHR(context, data, (cmsUInt32Number)size) : NULL;
  if (!profile || cms->cmsGetColorSpace(profile) == space)
    return profile;
  cms->cmsCloseProfile(profile);
  return NULL;
}

/* Tables go before curves and a matrix, which some profiles have besides for programs that know no tables. */
static gboolean
has_tables(const Library *cms, cmsHPROFILE profile)
{
  return cms->cmsIsTag(profile, cmsSigAToB0Tag) || cms->cmsIsTag(profile, cmsSigAToB1Tag);
}

/*
 * How colours are converted that are no RGB of curves and a matrix at both ends: in 16 bits at nodes, as many along
 * each axis as Little CMS takes for itself, and for RGB each fifth value, since it bends these first.
 */
static const struct {
  cmsColorSpaceSignature space;
  cmsUInt32Number layout;
  guint n_channels;
  guint side;
} kinds[] = {
  [MS_COLOUR_RGBA] = {cmsSigRgbData, TYPE_RGB_16, 3, 52},
  [MS_COLOUR_CMYK] = {cmsSigCmykData, TYPE_CMYK_16, 4, 17},
  [MS_COLOUR_CMYK_LIGHT] = {cmsSigCmykData, TYPE_CMYK_16_REV, 4, 17},
  [MS_COLOUR_LAB] = {cmsSigLabData, TYPE_Lab_16, 3, 33},
};

/* @by_nodes: (out): whether the result converts three or four channels of 16 bits to RGB of 16 bits, else RGBA of 8 */
static cmsHTRANSFORM
make_transform(const Library *cms, cmsContext context, GBytes *from, MsColourPixels pixels, GBytes *to,
               gboolean *by_nodes)
{
  cmsHPROFILE source = open_profile(cms, context, from, kinds[pixels].space);
  cmsHPROFILE target = open_profile(cms, context, to, cmsSigRgbData);
  cmsHTRANSFORM transform = NULL;

  if (source && target) {
    *by_nodes = pixels != MS_COLOUR_RGBA || has_tables(cms, source) || has_tables(cms, target);
    transform = *by_nodes
                  ? cms->cmsCreateTransformTHR(context, source, kinds[pixels].layout, target, TYPE_RGB_16,
                                               INTENT_PERCEPTUAL, cmsFLAGS_NOOPTIMIZE)
                  : cms->cmsCreateTransformTHR(context, source, TYPE_RGBA_8, target, TYPE_RGBA_8, INTENT_PERCEPTUAL, 0);
  }
  if (source)
    cms->cmsCloseProfile(source);
  if (target)
    cms->cmsCloseProfile(target);
  return transform;
}

static void
sample(const guint16 *places, guint16 *rgb, gsize n, gpointer transform)
{
  get_library()->cmsDoTransform(transform, places, rgb, (cmsUInt32Number)n);
}

/**
 * ms_colour_new:
 * @from: (nullable): the profile of the pixels; %NULL for sRGB, and for L*a*b* itself with %MS_COLOUR_LAB
 * @to: (nullable): the profile of an RGB space; %NULL for sRGB
 *
 * The intent is perceptual, where a profile has tables for it, and else colorimetric, as of jpgicc and tificc.
 *
 * Returns: (transfer full) (nullable): the conversion; %NULL where a profile is damaged or of another kind of colours,
 *   or Little CMS is missing
 */
MsColour *
ms_colour_new(GBytes *from, MsColourPixels pixels, GBytes *to)
{
  const Library *cms = get_library();
  cmsContext context = cms ? cms->cmsCreateContext(NULL, NULL) : NULL;
  gboolean by_nodes = FALSE;
  cmsHTRANSFORM transform = context ? make_transform(cms, context, from, pixels, to, &by_nodes) : NULL;

  if (!transform) {
    if (context)
      cms->cmsDeleteContext(context);
    return NULL;
  }
  MsColour *self = g_new0(MsColour, 1);
  if (by_nodes) {
    self->nodes = ms_colour_nodes_new(kinds[pixels].n_channels, kinds[pixels].side, sample, transform);
    cms->cmsDeleteTransform(transform);
    cms->cmsDeleteContext(context);
  } else {
    self->context = context;
    self->transform = transform;
  }
  self->is_ink = pixels == MS_COLOUR_CMYK || pixels == MS_COLOUR_CMYK_LIGHT;
  return self;
}

void
ms_colour_free(MsColour *self)
{
  if (!self)
    return;
  const Library *cms = get_library();
  ms_colour_nodes_free(self->nodes);
  if (self->transform)
    cms->cmsDeleteTransform(self->transform);
  if (self->context)
    cms->cmsDeleteContext(self->context);
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

  if (self->nodes)
    ms_colour_nodes_convert(self->nodes, part->pixels, part->n);
  for (gsize at = 0; !self->nodes && at < part->n; at += PART_PIXELS)
    get_library()->cmsDoTransform(self->transform, part->pixels + at * 4, part->pixels + at * 4,
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
read_matrix(const Library *cms, cmsHPROFILE profile, MsColourMatrix *matrix)
{
  static const cmsTagSignature curves[] = {cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag};
  static const cmsTagSignature colorants[] = {cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag};

  if (!cms->cmsIsMatrixShaper(profile) || has_tables(cms, profile))
    return FALSE;
  for (int k = 0; k < 3; k++) {
    const cmsToneCurve *curve = cms->cmsReadTag(profile, curves[k]);
    const cmsCIEXYZ *colorant = cms->cmsReadTag(profile, colorants[k]);
    if (!curve || !colorant)
      return FALSE;
    matrix->to_xyz[0][k] = colorant->X;
    matrix->to_xyz[1][k] = colorant->Y;
    matrix->to_xyz[2][k] = colorant->Z;
    for (int i = 0; i < 256; i++)
      matrix->linear[k][i] = (double)cms->cmsEvalToneCurveFloat(curve, (float)i / 255.0f);
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
  const Library *cms = get_library();
  cmsHPROFILE profile = cms ? open_profile(cms, NULL, icc, cmsSigRgbData) : NULL;
  const gboolean good = profile && read_matrix(cms, profile, matrix);

  if (profile)
    cms->cmsCloseProfile(profile);
  return good;
}

/** ms_colour_has_tables: whether @icc is a profile of RGB by tables, such as those of printers and scanners. */
gboolean
ms_colour_has_tables(GBytes *icc)
{
  const Library *cms = get_library();
  cmsHPROFILE profile = cms ? open_profile(cms, NULL, icc, cmsSigRgbData) : NULL;
  const gboolean has = profile && has_tables(cms, profile);

  if (profile)
    cms->cmsCloseProfile(profile);
  return has;
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
  const Library *cms = get_library();
  cmsHPROFILE rgb = cms ? open_profile(cms, NULL, icc, cmsSigRgbData) : NULL;
  cmsHPROFILE lab = cms ? open_profile(cms, NULL, NULL, cmsSigLabData) : NULL;
  cmsHTRANSFORM transform = NULL;

  if (rgb && lab)
    transform =
      to_lab ? cms->cmsCreateTransformTHR(NULL, rgb, TYPE_RGB_DBL, lab, TYPE_Lab_DBL, INTENT_RELATIVE_COLORIMETRIC, 0)
             : cms->cmsCreateTransformTHR(NULL, lab, TYPE_Lab_DBL, rgb, TYPE_RGB_DBL, INTENT_RELATIVE_COLORIMETRIC, 0);
  if (transform) {
    cms->cmsDoTransform(transform, colours, colours, (cmsUInt32Number)n);
    cms->cmsDeleteTransform(transform);
  }
  if (rgb)
    cms->cmsCloseProfile(rgb);
  if (lab)
    cms->cmsCloseProfile(lab);
  return transform != NULL;
}

/** ms_colour_is_srgb: whether @icc is %NULL or a profile of sRGB; without Little CMS no other is recognised. */
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
save_profile(const Library *cms, cmsHPROFILE profile)
{
  cmsUInt32Number size = 0;

  if (!cms->cmsSaveProfileToMem(profile, NULL, &size) || size == 0)
    return NULL;
  g_autofree guint8 *data = g_malloc0(size);
  if (!cms->cmsSaveProfileToMem(profile, data, &size) || size < ICC_DATE + ICC_DATE_SIZE)
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
  const Library *cms = get_library();
  cmsHPROFILE grey = cms ? open_profile(cms, NULL, icc, cmsSigGrayData) : NULL;
  GBytes *result = NULL;

  if (!grey)
    return NULL;
  cmsToneCurve *curve = cms->cmsReadTag(grey, cmsSigGrayTRCTag);
  cmsHPROFILE rgb =
    curve ? cms->cmsCreateRGBProfileTHR(NULL, &white, &primaries, (cmsToneCurve *[3]){curve, curve, curve}) : NULL;
  if (rgb) {
    result = save_profile(cms, rgb);
    cms->cmsCloseProfile(rgb);
  }
  cms->cmsCloseProfile(grey);
  return result;
}

/** ms_colour_dup_name: (transfer full) (nullable): the description in a profile, %NULL where it cannot be read. */
char *
ms_colour_dup_name(GBytes *icc)
{
  char text[256] = "";
  const Library *cms = get_library();
  gsize size;
  const void *data = g_bytes_get_data(icc, &size);
  cmsHPROFILE profile = cms ? cms->cmsOpenProfileFromMemTHR(NULL, data, (cmsUInt32Number)size) : NULL;

  if (!profile)
    return NULL;
  cms->cmsGetProfileInfoASCII(profile, cmsInfoDescription, "en", "US", text, sizeof text);
  cms->cmsCloseProfile(profile);
  text[sizeof text - 1] = '\0';
  return text[0] ? g_utf8_make_valid(text, -1) : NULL;
}
