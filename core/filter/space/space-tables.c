/* SPDX-License-Identifier: MIT */
/*
 * The tables for sRGB reproduce those of cv::cvtColor(), which are computed in single precision; tests/app/colours.py
 * compares the conversions of all colours. The order of every sum and product matters. Those of another profile have
 * its curves and matrix in the same places; those of a profile of tables are made by space-nodes.c.
 */
#include "core/filter/space/space.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/filter/space/space-nodes.h"
#include "core/image/colour/colour.h"

/* The unit of the tables with 14 bits. */
#define BASE 16384

/* The unit of the matrices. */
#define MATRIX_BASE 4096

/* What differs between profiles. icc: (nullable): %NULL for sRGB */
typedef struct {
  GBytes *icc;
  double to_xyz[3][3]; /* from linear light */
  double from_xyz[3][3];
  double white[3];
  double linear[3][256]; /* not for sRGB, whose curve has a formula */
} Primaries;

/* The white is that of D65, and the inverse the rounded one of cv::cvtColor(). */
static const Primaries srgb = {
  .to_xyz = {{0.412453, 0.357580, 0.180423}, {0.212671, 0.715160, 0.072169}, {0.019334, 0.119193, 0.950227}},
  .from_xyz = {{3.240479, -1.53715, -0.498535}, {-0.969256, 1.875991, 0.041556}, {0.055648, -0.204043, 1.057311}},
  .white = {0.950456, 1.0, 1.088754},
};

/* The ranges of u* and v* that 8 bits stand for. */
static const float u_low = -134, u_range = 354, v_low = -140, v_range = 262;

static float
linear_of(float encoded)
{
  double x = encoded;

  return (float)(x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4));
}

static float
encoded_of(float linear)
{
  double x = linear;

  return (float)(x <= 0.0031308 ? x * 12.92 : pow(x, 1 / 2.4) * 1.055 - 0.055);
}

/*
 * The cube root by the rational polynomial of K. Turkowski, "Computing the Cube Root" (Apple, 1998), between 1/8 and 1,
 * truncated to 24 bits as in cv::cvtColor().
 */
static float
cube_root(float x)
{
  int exponent, third;
  double m = frexp((double)x, &exponent);

  if (x == 0)
    return 0;
  third = (int)ceil(exponent / 3.0);
  m = ldexp(m, exponent - 3 * third);
  m = ((((45.2548339756803022511987494 * m + 192.2798368355061050458134625) * m + 119.1654824285581628956914143) * m +
        13.43250139086239872172837314) *
         m +
       0.1636161226585754240958355063) /
      ((((14.80884093219134573786480845 * m + 151.9714051044435648658557668) * m + 168.5254414101568283957668343) * m +
        33.9905941350215598754191872) *
         m +
       1);
  m = frexp(m, &exponent);
  return (float)ldexp(floor(ldexp(m, FLT_MANT_DIG)), exponent - FLT_MANT_DIG + third);
}

/* The cube root of the standard, with its straight line for dark colours. */
static float
lightness_root(float x)
{
  return x < 216.0f / 24389.0f ? fmaf(x, 841.0f / 108.0f, 16.0f / 116.0f) : cube_root(x);
}

/* The light of a value of @channel, 0 to 1, which may lie between two of 8 bits. */
static float
light_of_value(const Primaries *self, int channel, float value)
{
  const double place = (double)value * 255;
  const int i = MIN((int)place, 254);

  if (!self->icc)
    return linear_of(value);
  return (float)(self->linear[channel][i] + (place - i) * (self->linear[channel][i + 1] - self->linear[channel][i]));
}

/* The value of @channel, 0 to 255, that has this light. */
static float
value_of_light(const Primaries *self, int channel, float light)
{
  const double *linear = self->linear[channel];
  int i = 0;

  if (!self->icc)
    return 255.0f * encoded_of(light);
  while (i < 254 && linear[i + 1] < (double)light)
    i++;
  const double step = linear[i + 1] - linear[i];
  return (float)(i + (step > 0 ? CLAMP(((double)light - linear[i]) / step, 0, 1) : 0));
}

static void
fill_curves(gint32 *tables, const Primaries *primaries)
{
  const float step = 1.0f / (255.0f * 8.0f);

  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 256; i++)
      tables[MS_SPACE_LINEAR + 256 * k + i] = (gint32)rintf(2040.0f * light_of_value(primaries, k, (float)i / 255.0f));
    for (int i = 0; i < 4096; i++)
      tables[MS_SPACE_ENCODE + 4096 * k + i] = (gint32)rintf(value_of_light(primaries, k, (float)i / 4096.0f));
  }
  for (int i = 0; i < MS_SPACE_LIGHT - MS_SPACE_ROOT; i++)
    tables[MS_SPACE_ROOT + i] = (gint32)rintf(32768.0f * lightness_root(step * (float)i));
}

static void
fill_matrices(gint32 *tables, const Primaries *p)
{
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      tables[MS_SPACE_TO_XYZ + 3 * i + k] = (gint32)rint(MATRIX_BASE * p->to_xyz[i][k] / p->white[i]);
      tables[MS_SPACE_FROM_PARTS + 3 * i + k] = (gint32)rint(MATRIX_BASE * p->from_xyz[i][k] * p->white[k]);
      tables[MS_SPACE_FROM_XYZ + 3 * i + k] = (gint32)rint(MATRIX_BASE * p->from_xyz[i][k]);
    }
}

/* Below L* = 8, which is 20.4 in 8 bits, light is proportional to L*. */
static void
fill_light(gint32 *light)
{
  const float base = BASE;

  for (int i = 0; i < 256; i++) {
    float root = (float)(i * 100 * BASE) / (255.0f * 116.0f) + (float)(16 * BASE) / 116.0f;
    float y = root * root * root / (base * base);
    if (i <= 20) {
      y = (float)(i * BASE * 20 * 9) / (float)(17 * 29 * 29 * 29);
      root = base * (16.0f / 116.0f + (float)(i * 5) / (float)(3 * 17 * 29));
    }
    light[2 * i] = (gint32)rintf(y);
    light[2 * i + 1] = (gint32)rintf(root);
  }
}

/* u'n and v'n of the white, times 13. */
static void
white_chromaticity(const double white[3], float *un, float *vn)
{
  const float sum = 1.0f / (float)(white[0] + 15 * white[1] + 3 * white[2]);

  *un = sum * 52.0f * (float)white[0];
  *vn = sum * 117.0f * (float)white[1];
}

/*
 * The sum of eight nodes, with weights of 4096 in all, stays in 32 bits also where the primaries of a profile are no
 * colours that exist.
 */
static gint32
node_of(float value)
{
  const float most = 16.0f * BASE;

  return (gint32)rintf(CLAMP(value, -most, most));
}

static void
fill_node(gint32 *node, const Primaries *p, const float rgb[3])
{
  float xyz[3], un, vn;

  white_chromaticity(p->white, &un, &vn);
  for (int k = 0; k < 3; k++)
    xyz[k] = rgb[2] * (float)p->to_xyz[k][2] + rgb[1] * (float)p->to_xyz[k][1] + rgb[0] * (float)p->to_xyz[k][0];
  float l = lightness_root(xyz[1]) * 116.0f - 16.0f;
  float d = 52.0f / fmaxf(xyz[0] + 15.0f * xyz[1] + 3.0f * xyz[2], FLT_EPSILON);
  float u = l * (xyz[0] * d - un);
  float v = l * (2.25f * xyz[1] * d - vn);
  node[0] = node_of((float)BASE * l / 100.0f);
  node[1] = node_of((float)BASE * (u - u_low) / u_range);
  node[2] = node_of((float)BASE * (v - v_low) / v_range);
  node[3] = 0;
}

static void
fill_nodes(gint32 *node, const Primaries *p)
{
  float light[3][MS_SPACE_NODES];

  for (int i = 0; i < MS_SPACE_NODES; i++)
    for (int k = 0; k < 3; k++)
      light[k][i] = light_of_value(p, k, (float)i / (MS_SPACE_NODES - 1));
  for (int r = 0; r < MS_SPACE_NODES; r++)
    for (int g = 0; g < MS_SPACE_NODES; g++)
      for (int b = 0; b < MS_SPACE_NODES; b++, node += 4)
        fill_node(node, p, (float[3]){light[0][r], light[1][g], light[2][b]});
}

static void
fill_chromaticity(gint32 *u_table, gint32 *v_table, const double white[3])
{
  float un, vn;

  white_chromaticity(white, &un, &vn);
  for (int i = 0; i < 256; i++) {
    const float l = (float)(i * 100) / 255.0f;
    for (int j = 0; j < 256; j++) {
      float u = (float)j * u_range / 255.0f + u_low, v = (float)j * v_range / 255.0f + v_low;
      float quarter = 0.25f / (v + l * vn);
      u_table[i * 256 + j] = (gint32)rintf(9.0f * (u + l * un) * 16.0f);
      v_table[i * 256 + j] = (gint32)rintf(CLAMP(quarter, -0.25f, 0.25f) * (float)(1 << 24));
    }
  }
}

static GBytes *
make_tables(const Primaries *primaries)
{
  gint32 *tables = g_new0(gint32, MS_SPACE_END);

  fill_nodes(tables + MS_SPACE_LUV_NODES, primaries);
  fill_curves(tables, primaries);
  fill_light(tables + MS_SPACE_LIGHT);
  fill_chromaticity(tables + MS_SPACE_U, tables + MS_SPACE_V, primaries->white);
  fill_matrices(tables, primaries);
  return g_bytes_new_take(tables, MS_SPACE_TABLES_BYTES);
}

/* ---- Other profiles. */

/* The cofactor of an element, by which the determinant and the inverse are made. */
static double
cofactor(const double m[3][3], int i, int k)
{
  const int a = (i + 1) % 3, b = (i + 2) % 3, c = (k + 1) % 3, d = (k + 2) % 3;

  return m[a][c] * m[b][d] - m[a][d] * m[b][c];
}

static gboolean
invert(const double m[3][3], double inverse[3][3])
{
  const double determinant = m[0][0] * cofactor(m, 0, 0) + m[0][1] * cofactor(m, 0, 1) + m[0][2] * cofactor(m, 0, 2);

  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      inverse[i][k] = cofactor(m, k, i) / determinant;
  return fabs(determinant) > 1e-6;
}

/* Of X, Y and Z as parts of white, what 8-bit L*a*b* and L*u*v* can lead to. */
static const double most_parts[3] = {2.0, 1.0, 4.5};

/* Whether no sum of 32 bits overflows, and the curves rise from 0 to 1. */
static gboolean
can_be_computed(const Primaries *p)
{
  for (int k = 0; k < 3; k++) {
    double forwards = 0, backwards = 0;
    for (int i = 0; i < 3; i++) {
      forwards += fabs(p->to_xyz[k][i] / p->white[k]);
      backwards += fabs(p->from_xyz[k][i]) * MAX(p->white[i], 1) * most_parts[i];
    }
    if (!(p->white[k] > 0.1) || !(forwards * MATRIX_BASE * 2040 < G_MAXINT32) ||
        !(backwards * MATRIX_BASE * BASE < G_MAXINT32))
      return FALSE;
    for (int i = 0; i < 256; i++)
      if (!(p->linear[k][i] >= (i > 0 ? p->linear[k][i - 1] : 0)) || p->linear[k][i] > 1)
        return FALSE;
  }
  return TRUE;
}

/* The white of a profile is the sum of its primaries. */
static gboolean
read_primaries(GBytes *icc, Primaries *self)
{
  MsColourMatrix matrix;

  if (!ms_colour_get_matrix(icc, &matrix))
    return FALSE;
  memcpy(self->to_xyz, matrix.to_xyz, sizeof self->to_xyz);
  memcpy(self->linear, matrix.linear, sizeof self->linear);
  self->icc = icc;
  for (int k = 0; k < 3; k++)
    self->white[k] = self->to_xyz[k][0] + self->to_xyz[k][1] + self->to_xyz[k][2];
  return invert(self->to_xyz, self->from_xyz) && can_be_computed(self);
}

static gpointer
make_srgb_tables(gpointer data)
{
  return make_tables(&srgb);
}

/* (transfer full): the tables of a profile; those of sRGB where it is that or cannot be used. */
static GBytes *
make_tables_of_profile(MsSpace space, GBytes *icc, GBytes *srgb_tables)
{
  Primaries primaries;

  if (ms_colour_is_srgb(icc))
    return g_bytes_ref(srgb_tables);
  if (read_primaries(icc, &primaries))
    return make_tables(&primaries);
  g_autofree gint32 *tables = g_new0(gint32, MS_SPACE_END);
  return ms_space_nodes_fill(tables, space, icc) ? g_bytes_new_take(g_steal_pointer(&tables), MS_SPACE_TABLES_BYTES)
                                                 : g_bytes_ref(srgb_tables);
}

/* The tables of the profile that was used last, since the images and bands of a batch mostly have the same. */
static GMutex last_lock;
static MsSpace last_space;
static GBytes *last_icc, *last_tables;

static GBytes *
tables_of_profile(MsSpace space, GBytes *icc, GBytes *srgb_tables)
{
  g_mutex_lock(&last_lock);
  if (!last_icc || last_space != space || !g_bytes_equal(last_icc, icc)) {
    g_clear_pointer(&last_icc, g_bytes_unref);
    g_clear_pointer(&last_tables, g_bytes_unref);
    last_icc = g_bytes_ref(icc);
    last_space = space;
    last_tables = make_tables_of_profile(space, icc, srgb_tables);
  }
  GBytes *tables = g_bytes_ref(last_tables);
  g_mutex_unlock(&last_lock);
  return tables;
}

/**
 * ms_space_tables_get:
 * @space: for which the tables are used; only those of a profile of tables differ by it
 * @icc: (nullable): the profile of the colours
 *
 * Returns: (transfer full): all tables, %MS_SPACE_END integers of 32 bits: those of sRGB where @icc is %NULL, a profile
 *   of sRGB, or none that ms_space_knows_profile()
 */
GBytes *
ms_space_tables_get(MsSpace space, GBytes *icc)
{
  static GOnce once = G_ONCE_INIT;
  GBytes *srgb_tables = g_once(&once, make_srgb_tables, NULL);

  return icc ? tables_of_profile(space, icc, srgb_tables) : g_bytes_ref(srgb_tables);
}

/** ms_space_tables_of: (transfer full): ms_space_tables_get() for the profile of @image. */
GBytes *
ms_space_tables_of(MsSpace space, MsImage *image)
{
  const MsMetadata *metadata = ms_image_get_metadata(image);

  return ms_space_tables_get(space, metadata ? metadata->icc : NULL);
}

/** ms_space_knows_profile: whether colours of this profile, or of sRGB for %NULL, are converted by it. */
gboolean
ms_space_knows_profile(GBytes *icc)
{
  Primaries primaries;

  return ms_colour_is_srgb(icc) || read_primaries(icc, &primaries) || ms_space_nodes_are_usable(icc);
}

/**
 * ms_space_dup_profile:
 * @icc: (nullable): the profile of a picture
 *
 * Returns: (transfer full) (nullable): the name of the profile by which its colours are converted to @space, "sRGB"
 *   where it has none that can be used; %NULL in its own colours, which are not converted
 */
char *
ms_space_dup_profile(MsSpace space, GBytes *icc)
{
  if (space == MS_SPACE_RGB)
    return NULL;
  char *name = icc && ms_space_knows_profile(icc) ? ms_colour_dup_name(icc) : g_strdup("sRGB");
  return name ? name : g_strdup("unnamed");
}
