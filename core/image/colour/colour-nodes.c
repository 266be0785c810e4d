/* SPDX-License-Identifier: MIT */
#include "core/image/colour/colour-nodes.h"

/* A colour is one word with three fields, of which each holds sixteenths of an 8-bit value, times a weight of 256. */
#define FIELD 21
#define EACH(value) ((guint64)(value) | (guint64)(value) << FIELD | (guint64)(value) << 2 * FIELD)
#define HALF EACH(128)
#define SIXTEENTHS EACH(4095)
#define WEIGHT 256

/* Where an 8-bit value lies on an axis: the node before it, and the weight of the next one. */
typedef struct {
  guint32 node; /* times the step of the axis */
  guint32 weight;
} Place;

struct _MsColourNodes {
  guint n_channels;
  guint step[4]; /* from one node to the next along each axis */
  Place places[4][256];
  guint64 *nodes;
};

static void
fill_places(MsColourNodes *self, guint side)
{
  guint step = 1;

  for (guint axis = self->n_channels; axis-- > 0; step *= side) {
    self->step[axis] = step;
    for (guint value = 0; value < 256; value++) {
      const guint node = MIN(value * (side - 1) / 255, side - 2);
      const guint rest = value * (side - 1) - node * 255;
      self->places[axis][value] = (Place){node * step, (rest * WEIGHT + 127) / 255};
    }
  }
}

static guint64
pack(const guint16 rgb[3])
{
  guint64 word = 0;

  for (int k = 2; k >= 0; k--)
    word = word << FIELD | (rgb[k] * 4080u + 32767) / 65535;
  return word;
}

/* Samples one row of nodes after the other, along the last axis. */
static void
fill_nodes(MsColourNodes *self, guint side, MsColourSampler sampler, gpointer data)
{
  const guint n = self->n_channels, rows = self->step[0];
  g_autofree guint16 *places = g_new(guint16, (gsize)side * n), *rgb = g_new(guint16, (gsize)side * 3);

  for (guint row = 0; row < rows; row++) {
    for (guint i = 0; i < side; i++)
      for (guint axis = 0; axis < n; axis++)
        places[i * n + axis] =
          (guint16)(((row * side + i) / self->step[axis] % side * 65535 + (side - 1) / 2) / (side - 1));
    sampler(places, rgb, side, data);
    for (guint i = 0; i < side; i++)
      self->nodes[(gsize)row * side + i] = pack(rgb + 3 * (gsize)i);
  }
}

/**
 * ms_colour_nodes_new:
 * @n_channels: 3 or 4
 * @side: nodes along each axis
 *
 * Returns: (transfer full): the conversion; the sampler is not used any more
 */
MsColourNodes *
ms_colour_nodes_new(guint n_channels, guint side, MsColourSampler sampler, gpointer data)
{
  MsColourNodes *self = g_new0(MsColourNodes, 1);

  self->n_channels = n_channels;
  fill_places(self, side);
  self->nodes = g_new(guint64, (gsize)self->step[0] * side);
  fill_nodes(self, side, sampler, data);
  return self;
}

void
ms_colour_nodes_free(MsColourNodes *self)
{
  if (!self)
    return;
  g_free(self->nodes);
  g_free(self);
}

/* An axis in a cell, in one word, so that axes are sorted by the weight of their next node. */
static guint32
axis_word(guint32 weight, guint32 step)
{
  return weight << 20 | step;
}

/* The four nodes around a colour, a step along one axis after the other, and their weights. */
typedef struct {
  guint32 offset[4];
  guint32 weight[4];
} Tetrahedron;

static inline Tetrahedron
find_tetrahedron(const MsColourNodes *self, const Place *a, const Place *b, const Place *c, guint first)
{
  const guint32 step = (1 << 20) - 1;
  const guint32 x = axis_word(a->weight, self->step[first]), y = axis_word(b->weight, self->step[first + 1]),
                z = axis_word(c->weight, self->step[first + 2]);
  const guint32 low = MIN(x, y), high = MAX(x, y), most = MAX(high, z), least = MIN(low, z),
                middle = MAX(low, MIN(high, z));
  const guint32 base = a->node + b->node + c->node;

  return (Tetrahedron){
    {base, base + (most & step), base + (most & step) + (middle & step),
     base + (most & step) + (middle & step) + (least & step)},
    {WEIGHT - (most >> 20), (most >> 20) - (middle >> 20), (middle >> 20) - (least >> 20), least >> 20}};
}

/* A weighted sum of the four nodes, in sixteenths of 8-bit values. */
static inline guint64
sum_of(const Tetrahedron *t, const guint64 *nodes)
{
  return t->weight[0] * nodes[t->offset[0]] + t->weight[1] * nodes[t->offset[1]] + t->weight[2] * nodes[t->offset[2]] +
         t->weight[3] * nodes[t->offset[3]];
}

static inline void
store(guint8 *pixel, guint64 sum)
{
  for (int k = 0; k < 3; k++)
    pixel[k] = (guint8)(((guint32)(sum >> k * FIELD & 0x1fffff) + 2048) >> 12);
}

static void
convert_three(const MsColourNodes *self, guint8 *pixel, gsize n)
{
  for (; n > 0; n--, pixel += 4) {
    const Tetrahedron t =
      find_tetrahedron(self, &self->places[0][pixel[0]], &self->places[1][pixel[1]], &self->places[2][pixel[2]], 0);
    store(pixel, sum_of(&t, self->nodes));
  }
}

/* Along the first axis the two sums are interpolated as two nodes are. */
static void
convert_four(const MsColourNodes *self, guint8 *pixel, gsize n)
{
  for (; n > 0; n--, pixel += 4) {
    const Place *first = &self->places[0][pixel[0]];
    const Tetrahedron t =
      find_tetrahedron(self, &self->places[1][pixel[1]], &self->places[2][pixel[2]], &self->places[3][pixel[3]], 1);
    const guint64 *nodes = self->nodes + first->node;
    const guint64 before = (sum_of(&t, nodes) + HALF) >> 8 & SIXTEENTHS,
                  after = (sum_of(&t, nodes + self->step[0]) + HALF) >> 8 & SIXTEENTHS;
    store(pixel, (WEIGHT - first->weight) * before + first->weight * after);
  }
}

/** ms_colour_nodes_convert: converts @n pixels of four bytes in place and leaves the fourth byte of each unchanged. */
void
ms_colour_nodes_convert(const MsColourNodes *self, guint8 *pixels, gsize n)
{
  (self->n_channels == 4 ? convert_four : convert_three)(self, pixels, n);
}
