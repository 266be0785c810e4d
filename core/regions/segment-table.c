/* SPDX-License-Identifier: MIT */
#include "core/regions/segment-table.h"

#include <math.h>
#include <string.h>

#include "core/json.h"
#include "core/regions/borders.h"

static const char *const channels[3] = {"red", "green", "blue"};

/* Sums over the pixels of a region. */
typedef struct {
  guint64 x;
  guint64 y;
  guint64 sums[3];
  guint64 squares[3];
} Sums;

/* The pixels @from to @to - 1 of a row; @p is the first of them. */
static void
add_run(MsSegment *segment, Sums *sums, int from, int to, int y, const guint8 *p)
{
  const guint32 n = (guint32)(to - from);

  if (segment->pixels == 0) {
    segment->left = from;
    segment->top = y;
  }
  segment->pixels += n;
  segment->left = MIN(segment->left, from);
  segment->right = MAX(segment->right, to - 1);
  segment->bottom = y;
  sums->x += (guint64)(from + (gint64)to - 1) * n / 2;
  sums->y += (guint64)y * n;
  for (guint32 i = 0; i < n; i++, p += 4)
    for (int k = 0; k < 3; k++) {
      sums->sums[k] += p[k];
      sums->squares[k] += (guint32)p[k] * p[k];
    }
}

static void
finish_segment(MsSegment *self, const Sums *sums)
{
  self->x = (double)sums->x / self->pixels;
  self->y = (double)sums->y / self->pixels;
  for (int k = 0; k < 3; k++) {
    self->mean[k] = (double)sums->sums[k] / self->pixels;
    double variance = (double)sums->squares[k] / self->pixels - self->mean[k] * self->mean[k];
    self->deviation[k] = sqrt(MAX(variance, 0));
  }
}

/* Pairs are sorted by their first label, so that smaller neighbours of a region come before larger ones. */
static void
add_neighbours(MsSegmentTable *self, const MsRuns *runs)
{
  g_autoptr(MsBorders) borders = ms_borders_new(runs, self->n);
  const guint64 *pairs = borders->pairs;
  gsize start = 0;

  ms_borders_sort(borders, self->n);
  const gsize n = borders->n;
  guint32 *at = self->neighbours = g_new(guint32, 2 * n + 1);

  for (gsize i = 0; i < n; i++) {
    self->segments[(pairs[i] >> 32) - 1].n_neighbours++;
    self->segments[(guint32)pairs[i] - 1].n_neighbours++;
  }
  g_autofree gsize *places = g_new(gsize, (gsize)self->n + 1);
  for (guint32 i = 0; i < self->n; start += self->segments[i++].n_neighbours) {
    places[i] = start;
    self->segments[i].neighbours = at + start;
  }
  for (gsize i = 0; i < n; i++)
    at[places[(guint32)pairs[i] - 1]++] = (guint32)(pairs[i] >> 32);
  for (gsize i = 0; i < n; i++)
    at[places[(pairs[i] >> 32) - 1]++] = (guint32)pairs[i];
}

typedef struct {
  const MsRuns *runs;
  const guint8 *pixels;
  MsSegment *segments;
  Sums *sums;
} Summing;

/* Runs in a thread while another finds the neighbours; the two write different members of the segments. */
static gpointer
add_runs(gpointer data)
{
  const Summing *self = data;
  const MsRuns *runs = self->runs;

  for (int y = 0; y < runs->height; y++)
    for (gsize i = runs->starts[y]; i < runs->starts[y + 1]; i++) {
      const MsRun *run = &runs->runs[i];
      const guint8 *p = self->pixels + 4 * ((gsize)y * runs->width + run->x);
      add_run(&self->segments[run->label - 1], &self->sums[run->label - 1], run->x, ms_runs_end(runs, y, i), y, p);
    }
  return NULL;
}

/** ms_segment_table_new: (transfer full): the table of the regions over the pixels of @original. */
MsSegmentTable *
ms_segment_table_new(const MsSegmentation *segmentation, MsImage *original)
{
  MsSegmentTable *self = g_new(MsSegmentTable, 1);
  g_autofree Sums *sums = g_new0(Sums, segmentation->n);
  g_autoptr(MsRuns) runs = ms_runs_new(segmentation->labels, segmentation->width, segmentation->height);

  *self = (MsSegmentTable){segmentation->n, g_new0(MsSegment, segmentation->n), NULL};
  Summing summing = {runs, ms_image_get_pixels(original), self->segments, sums};
  GThread *thread = g_thread_try_new("ms-sums", add_runs, &summing, NULL);
  if (!thread)
    add_runs(&summing);
  add_neighbours(self, runs);
  if (thread)
    g_thread_join(thread);
  for (guint32 i = 0; i < self->n; i++)
    finish_segment(&self->segments[i], &sums[i]);
  return self;
}

void
ms_segment_table_free(MsSegmentTable *self)
{
  if (!self)
    return;
  g_free(self->segments);
  g_free(self->neighbours);
  g_free(self);
}

static void
append_number(GString *text, double value)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf(text, ",%s", g_ascii_formatd(digits, sizeof digits, "%.4f", value));
}

/** ms_segment_table_to_csv: (transfer full): a heading and a line for each region, with its neighbours in one field. */
char *
ms_segment_table_to_csv(const MsSegmentTable *self)
{
  GString *text = g_string_new("label,pixels,left,top,right,bottom,x,y,mean_red,mean_green,mean_blue,"
                               "deviation_red,deviation_green,deviation_blue,neighbours\r\n");

  for (guint32 i = 0; i < self->n; i++) {
    const MsSegment *s = &self->segments[i];
    g_string_append_printf(text, "%u,%u,%d,%d,%d,%d", i + 1, s->pixels, s->left, s->top, s->right, s->bottom);
    append_number(text, s->x);
    append_number(text, s->y);
    for (int k = 0; k < 3; k++)
      append_number(text, s->mean[k]);
    for (int k = 0; k < 3; k++)
      append_number(text, s->deviation[k]);
    g_string_append_c(text, ',');
    for (guint j = 0; j < s->n_neighbours; j++)
      g_string_append_printf(text, "%s%u", j > 0 ? " " : "", s->neighbours[j]);
    g_string_append(text, "\r\n");
  }
  return g_string_free(text, FALSE);
}

static void
add_channels(JsonBuilder *builder, const char *name, const double values[3])
{
  ms_json_begin_object(builder, name);
  for (int k = 0; k < 3; k++)
    ms_json_add_number(builder, channels[k], values[k]);
  json_builder_end_object(builder);
}

static void
add_segment(JsonBuilder *builder, guint32 label, const MsSegment *s)
{
  json_builder_begin_object(builder);
  ms_json_add_integer(builder, "label", label);
  ms_json_add_integer(builder, "pixels", s->pixels);
  ms_json_add_integer(builder, "left", s->left);
  ms_json_add_integer(builder, "top", s->top);
  ms_json_add_integer(builder, "right", s->right);
  ms_json_add_integer(builder, "bottom", s->bottom);
  ms_json_add_number(builder, "x", s->x);
  ms_json_add_number(builder, "y", s->y);
  add_channels(builder, "mean", s->mean);
  add_channels(builder, "deviation", s->deviation);
  ms_json_begin_array(builder, "neighbours");
  for (guint j = 0; j < s->n_neighbours; j++)
    json_builder_add_int_value(builder, s->neighbours[j]);
  json_builder_end_array(builder);
  json_builder_end_object(builder);
}

/** ms_segment_table_to_json: (transfer full): an object whose member "regions" has an object for each region. */
char *
ms_segment_table_to_json(const MsSegmentTable *self)
{
  g_autoptr(JsonBuilder) builder = json_builder_new();

  json_builder_begin_object(builder);
  ms_json_begin_array(builder, "regions");
  for (guint32 i = 0; i < self->n; i++)
    add_segment(builder, i + 1, &self->segments[i]);
  json_builder_end_array(builder);
  json_builder_end_object(builder);
  g_autoptr(JsonNode) root = json_builder_get_root(builder);
  g_autofree char *json = json_to_string(root, TRUE);
  return g_strconcat(json, "\n", NULL);
}

/** ms_segment_table_paint: (transfer full): each pixel in its region's mean colour, with the alpha of @original. */
MsImage *
ms_segment_table_paint(const MsSegmentTable *self, const MsSegmentation *segmentation, MsImage *original)
{
  const gsize n = (gsize)segmentation->width * segmentation->height;
  guint8 *pixels = g_malloc(n * 4);
  const guint8 *from = ms_image_get_pixels(original);

  for (gsize i = 0; i < n; i++) {
    const MsSegment *segment = &self->segments[segmentation->labels[i] - 1];
    for (int k = 0; k < 3; k++)
      pixels[i * 4 + k] = (guint8)(segment->mean[k] + 0.5);
    pixels[i * 4 + 3] = from[i * 4 + 3];
  }
  return ms_image_new_take(segmentation->width, segmentation->height, pixels, ms_image_get_metadata(original));
}

/** ms_segmentation_outline: (transfer full): @original with the pixels red that have another region right or below. */
MsImage *
ms_segmentation_outline(const MsSegmentation *self, MsImage *original)
{
  const gsize bytes = (gsize)self->width * self->height * 4;
  guint8 *pixels = g_memdup2(ms_image_get_pixels(original), bytes), *p = pixels;
  const guint32 *label = self->labels;

  for (int y = 0; y < self->height; y++)
    for (int x = 0; x < self->width; x++, p += 4, label++)
      if ((x + 1 < self->width && label[0] != label[1]) || (y + 1 < self->height && label[0] != label[self->width]))
        memcpy(p, "\xff\x00\x00\xff", 4);
  return ms_image_new_take(self->width, self->height, pixels, ms_image_get_metadata(original));
}
