/* SPDX-License-Identifier: MIT */
#include "core/filter/space/space-nodes.h"

#include <math.h>

#include "core/image/colour/colour.h"

#define NODES MS_SPACE_SIDE
#define N_NODES (NODES * NODES * NODES)

/* Red, green and blue of a sample, 51 values apart, and how far back they may come, in a mean of 255ths. */
#define SAMPLES 6
#define N_SAMPLES (SAMPLES * SAMPLES * SAMPLES)
#define MOST_MEAN 4.0

G_STATIC_ASSERT(MS_SPACE_TO_RGB + N_NODES <= MS_SPACE_BY_NODES);

/* The white of every profile, that of D50, and u'n and v'n of it. */
static const double white_u = 4 * 0.9642 / (0.9642 + 15 + 3 * 0.8249), white_v = 9 / (0.9642 + 15 + 3 * 0.8249);
static const double white_x = 0.9642, white_z = 0.8249;

/* The ranges of u* and v* that 8 bits stand for, as in cv::cvtColor(). */
static const double u_low = -134, u_range = 354, v_low = -140, v_range = 262;

static double
light_of(double root)
{
  return root > 6.0 / 29 ? root * root * root : (root - 16.0 / 116) * 108 / 841;
}

static double
root_of(double light)
{
  return light > 216.0 / 24389 ? cbrt(light) : light * 841 / 108 + 16.0 / 116;
}

static void
lab_to_luv(double colour[3])
{
  const double root = (colour[0] + 16) / 116, y = light_of(root), x = white_x * light_of(root + colour[1] / 500),
               z = white_z * light_of(root - colour[2] / 200), sum = x + 15 * y + 3 * z;

  colour[1] = sum > 0 ? 13 * colour[0] * (4 * x / sum - white_u) : 0;
  colour[2] = sum > 0 ? 13 * colour[0] * (9 * y / sum - white_v) : 0;
}

static void
luv_to_lab(double colour[3])
{
  const double root = (colour[0] + 16) / 116, y = light_of(root), l = 13 * MAX(colour[0], 1e-9),
               u = colour[1] / l + white_u, v = MAX(colour[2] / l + white_v, 1e-3), x = y * 9 * u / (4 * v),
               z = y * (12 - 3 * u - 20 * v) / (4 * v);

  colour[1] = 500 * (root_of(MAX(x / white_x, 0)) - root);
  colour[2] = 200 * (root - root_of(MAX(z / white_z, 0)));
}

/* From 0 to 1, which 8 bits stand for, to the numbers of the space, and back. */
static void
stretch(MsSpace space, double colour[3])
{
  colour[0] = colour[0] * 100;
  colour[1] = space == MS_SPACE_LUV ? colour[1] * u_range + u_low : colour[1] * 255 - 128;
  colour[2] = space == MS_SPACE_LUV ? colour[2] * v_range + v_low : colour[2] * 255 - 128;
}

static void
shrink(MsSpace space, double colour[3])
{
  colour[0] = colour[0] / 100;
  colour[1] = space == MS_SPACE_LUV ? (colour[1] - u_low) / u_range : (colour[1] + 128) / 255;
  colour[2] = space == MS_SPACE_LUV ? (colour[2] - v_low) / v_range : (colour[2] + 128) / 255;
}

/* Three numbers of 10 bits, quarters of 8-bit values; a NaN becomes 0. */
static gint32
pack(const double colour[3])
{
  gint32 node = 0;

  for (int k = 0; k < 3; k++)
    node = node << 10 | (colour[k] >= 1 ? 1020 : colour[k] > 0 ? (gint32)lround(colour[k] * 1020) : 0);
  return node;
}

/* @n values of each of three numbers, from 0 to 1; the last one varies fastest. */
static double (*make_grid(int n))[3]
{
  double(*colours)[3] = g_malloc_n((gsize)n * n * n, sizeof *colours);

  for (int i = 0; i < n * n * n; i++) {
    colours[i][0] = (double)(i / n / n) / (n - 1);
    colours[i][1] = (double)(i / n % n) / (n - 1);
    colours[i][2] = (double)(i % n) / (n - 1);
  }
  return colours;
}

/** ms_space_nodes_are_usable: whether @icc is a profile of tables in both directions, of which one undoes the other. */
gboolean
ms_space_nodes_are_usable(GBytes *icc)
{
  double sum = 0;

  if (!ms_colour_has_tables(icc))
    return FALSE;
  g_autofree double(*colours)[3] = make_grid(SAMPLES);
  g_autofree double(*given)[3] = make_grid(SAMPLES);
  if (!ms_colour_by_tables(icc, TRUE, colours, N_SAMPLES) || !ms_colour_by_tables(icc, FALSE, colours, N_SAMPLES))
    return FALSE;
  for (int i = 0; i < N_SAMPLES; i++)
    for (int k = 0; k < 3; k++)
      sum += fabs(colours[i][k] - given[i][k]) * 255;
  return sum < MOST_MEAN * 3 * N_SAMPLES;
}

/** ms_space_nodes_fill: fills the nodes of both directions; %FALSE where @icc is not usable. */
gboolean
ms_space_nodes_fill(gint32 *tables, MsSpace space, GBytes *icc)
{
  if (!ms_space_nodes_are_usable(icc))
    return FALSE;
  g_autofree double(*colours)[3] = make_grid(NODES);
  ms_colour_by_tables(icc, TRUE, colours, N_NODES);
  for (int i = 0; i < N_NODES; i++) {
    if (space == MS_SPACE_LUV)
      lab_to_luv(colours[i]);
    shrink(space, colours[i]);
    tables[MS_SPACE_FROM_RGB + i] = pack(colours[i]);
  }
  g_autofree double(*back)[3] = make_grid(NODES);
  for (int i = 0; i < N_NODES; i++) {
    stretch(space, back[i]);
    if (space == MS_SPACE_LUV)
      luv_to_lab(back[i]);
  }
  ms_colour_by_tables(icc, FALSE, back, N_NODES);
  for (int i = 0; i < N_NODES; i++)
    tables[MS_SPACE_TO_RGB + i] = pack(back[i]);
  tables[MS_SPACE_BY_NODES] = 1;
  return TRUE;
}
