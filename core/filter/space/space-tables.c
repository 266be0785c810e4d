/* SPDX-License-Identifier: MIT */
/*
 * The tables reproduce those of cv::cvtColor(), which are computed in single precision; tests/app/colours.py compares
 * the conversions of all colours. The order of every sum and product matters.
 */
#include "core/filter/space/space.h"

#include <float.h>
#include <math.h>

/* The unit of the tables with 14 bits. */
#define BASE 16384

/* Linear sRGB to XYZ, and the white of D65. */
static const double to_xyz[3][3] = {
  {0.412453, 0.357580, 0.180423}, {0.212671, 0.715160, 0.072169}, {0.019334, 0.119193, 0.950227}};
static const double white[3] = {0.950456, 1.0, 1.088754};

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

static void
fill_curves(gint32 *tables)
{
  const float step = 1.0f / (255.0f * 8.0f);

  for (int i = 0; i < 256; i++)
    tables[MS_SPACE_LINEAR + i] = (gint32)rintf(2040.0f * linear_of((float)i / 255.0f));
  for (int i = 0; i < MS_SPACE_LIGHT - MS_SPACE_ROOT; i++)
    tables[MS_SPACE_ROOT + i] = (gint32)rintf(32768.0f * lightness_root(step * (float)i));
  for (int i = 0; i < MS_SPACE_U - MS_SPACE_ENCODE; i++)
    tables[MS_SPACE_ENCODE + i] = (gint32)rintf(255.0f * encoded_of((float)i / 4096.0f));
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
white_chromaticity(float *un, float *vn)
{
  const float sum = 1.0f / (float)(white[0] + 15 * white[1] + 3 * white[2]);

  *un = sum * 52.0f * (float)white[0];
  *vn = sum * 117.0f * (float)white[1];
}

static void
fill_node(gint32 *node, const float rgb[3])
{
  float xyz[3], un, vn;

  white_chromaticity(&un, &vn);
  for (int k = 0; k < 3; k++)
    xyz[k] = rgb[2] * (float)to_xyz[k][2] + rgb[1] * (float)to_xyz[k][1] + rgb[0] * (float)to_xyz[k][0];
  float l = lightness_root(xyz[1]) * 116.0f - 16.0f;
  float d = 52.0f / fmaxf(xyz[0] + 15.0f * xyz[1] + 3.0f * xyz[2], FLT_EPSILON);
  float u = l * (xyz[0] * d - un);
  float v = l * (2.25f * xyz[1] * d - vn);
  node[0] = (gint32)rintf((float)BASE * l / 100.0f);
  node[1] = (gint32)rintf((float)BASE * (u - u_low) / u_range);
  node[2] = (gint32)rintf((float)BASE * (v - v_low) / v_range);
  node[3] = 0;
}

static void
fill_nodes(gint32 *node)
{
  float light[MS_SPACE_NODES];

  for (int i = 0; i < MS_SPACE_NODES; i++)
    light[i] = linear_of((float)i / (MS_SPACE_NODES - 1));
  for (int r = 0; r < MS_SPACE_NODES; r++)
    for (int g = 0; g < MS_SPACE_NODES; g++)
      for (int b = 0; b < MS_SPACE_NODES; b++, node += 4)
        fill_node(node, (float[3]){light[r], light[g], light[b]});
}

static void
fill_chromaticity(gint32 *u_table, gint32 *v_table)
{
  float un, vn;

  white_chromaticity(&un, &vn);
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

static gpointer
make_tables(gpointer data)
{
  gint32 *tables = g_new(gint32, MS_SPACE_END);

  fill_nodes(tables + MS_SPACE_LUV_NODES);
  fill_curves(tables);
  fill_light(tables + MS_SPACE_LIGHT);
  fill_chromaticity(tables + MS_SPACE_U, tables + MS_SPACE_V);
  return tables;
}

/** ms_space_tables_get: (transfer none): all tables, %MS_SPACE_END entries, made by the first call. */
const gint32 *
ms_space_tables_get(void)
{
  static GOnce once = G_ONCE_INIT;

  return g_once(&once, make_tables, NULL);
}
