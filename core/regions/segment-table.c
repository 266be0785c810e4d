/* SPDX-License-Identifier: MIT */
#include "core/regions/segment-table.h"

#include <math.h>
#include <string.h>

#include "core/filter/space/space.h"
#include "core/json.h"
#include "core/regions/region-sums.h"

static const char *const channels[3] = {"red", "green", "blue"};

static MsSegment
finish_segment(const MsRegionSums *sums)
{
  MsSegment self = {.pixels = sums->pixels,
                    .perimeter = sums->perimeter,
                    .left = sums->left,
                    .top = sums->top,
                    .right = sums->right,
                    .bottom = sums->bottom,
                    .x = (double)sums->x / sums->pixels,
                    .y = (double)sums->y / sums->pixels};

  for (int k = 0; k < 3; k++) {
    self.mean[k] = (double)sums->sums[k] / self.pixels;
    double variance = (double)sums->squares[k] / self.pixels - self.mean[k] * self.mean[k];
    self.deviation[k] = sqrt(MAX(variance, 0));
  }
  return self;
}

/* By a device with enough memory, otherwise by serial code. */
static gboolean
find_sums(const MsDeviceRun *run, const MsSegmentation *segmentation, MsImage *original, MsRegionSums *sums,
          MsBorders *borders, GError **error)
{
  if (run && ms_region_sums_fit(run->context, segmentation))
    return ms_region_sums_find_on(run, segmentation, original, sums, borders, error);
  ms_region_sums_find(segmentation, original, sums);
  return (ms_borders_find(borders, segmentation) && ms_borders_order(borders, segmentation->n)) ||
         !ms_memory_budget_fail(borders->budget, error);
}

static MsSegmentTable *
find_table(const MsDeviceRun *run, const MsSegmentation *segmentation, MsImage *original, MsMemoryBudget *budget,
           GError **error)
{
  g_autoptr(MsSegmentTable) self = g_new0(MsSegmentTable, 1);
  g_auto(MsBorders) borders = {.budget = budget};

  self->n = segmentation->n;
  self->segments = g_new(MsSegment, segmentation->n);
  /* Sums are shorter than segments and lie at the end of their memory, where each is read before it is overwritten. */
  G_STATIC_ASSERT(sizeof(MsRegionSums) <= sizeof(MsSegment));
  MsRegionSums *sums = (MsRegionSums *)(self->segments + self->n) - self->n;
  if (!find_sums(run, segmentation, original, sums, &borders, error))
    return NULL;
  for (guint32 i = 0; i < self->n; i++) {
    MsRegionSums own;
    memcpy(&own, &sums[i], sizeof own);
    self->segments[i] = finish_segment(&own);
    self->segments[i].n_neighbours = (guint)(borders.starts[i + 1] - borders.starts[i]);
    self->segments[i].neighbours = borders.neighbours + borders.starts[i];
  }
  self->n_neighbours = borders.starts[self->n];
  self->neighbours = g_steal_pointer(&borders.neighbours);
  return g_steal_pointer(&self);
}

/**
 * ms_segment_table_new_within:
 * @run: (nullable): the device that filtered; %NULL for the host's processors alone
 * @segmentation: that ms_segmentation_check() found sound, since its labels are places of the table
 * @budget: (nullable): for the memory of the table; it holds that of the result afterwards
 *
 * Returns: (transfer full): the table of the regions over the pixels of @original, the same on every device, or %NULL
 *   with #MS_ERROR (_TOO_LARGE where @budget does not suffice) or G_IO_ERROR_CANCELLED, never where both are %NULL
 */
MsSegmentTable *
ms_segment_table_new_within(const MsDeviceRun *run, const MsSegmentation *segmentation, MsImage *original,
                            MsMemoryBudget *budget, GError **error)
{
  const guint64 mark = ms_memory_budget_mark(budget);
  MsSegmentTable *self = NULL;

  if (ms_memory_budget_take(budget, segmentation->n * (guint64)sizeof(MsSegment)))
    self = find_table(run, segmentation, original, budget, error);
  else
    ms_memory_budget_fail(budget, error);
  ms_memory_budget_return(budget, mark);
  if (self)
    ms_memory_budget_take(budget, self->n * (guint64)sizeof(MsSegment) + self->n_neighbours * sizeof(guint32));
  return self;
}

/** ms_segment_table_new_on: ms_segment_table_new_within() without a limit of memory. */
MsSegmentTable *
ms_segment_table_new_on(const MsDeviceRun *run, const MsSegmentation *segmentation, MsImage *original, GError **error)
{
  return ms_segment_table_new_within(run, segmentation, original, NULL, error);
}

void
ms_segment_table_free(MsSegmentTable *self)
{
  if (!self)
    return;
  g_free(self->segments);
  g_free(self->neighbours);
  g_free(self->profile);
  g_free(self);
}

/** ms_segment_table_set_space: names in the JSON by which profile the colours of @original were converted to @space. */
void
ms_segment_table_set_space(MsSegmentTable *self, MsSpace space, MsImage *original)
{
  const MsMetadata *metadata = ms_image_get_metadata(original);

  g_free(self->profile);
  self->profile = ms_space_dup_profile(space, metadata ? metadata->icc : NULL);
}

static void
append_number(GString *text, double value)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf(text, ",%s", g_ascii_formatd(digits, sizeof digits, "%.4f", value));
}

/* The longest line without neighbours has 21 numbers; a neighbour has up to 10 digits. GString doubles its memory. */
#define CSV_LINE_BYTES 256
#define CSV_NEIGHBOUR_BYTES 11
#define GROWTH 2

/** ms_segment_table_csv_bytes: the most that ms_segment_table_to_csv() allocates. */
guint64
ms_segment_table_csv_bytes(const MsSegmentTable *self)
{
  return GROWTH * (CSV_LINE_BYTES * ((guint64)self->n + 1) + CSV_NEIGHBOUR_BYTES * (guint64)self->n_neighbours);
}

/** ms_segment_table_to_csv: (transfer full): a heading and a line for each region, with its neighbours in one field. */
char *
ms_segment_table_to_csv(const MsSegmentTable *self)
{
  GString *text = g_string_new("label,pixels,left,top,right,bottom,x,y,mean_red,mean_green,mean_blue,"
                               "deviation_red,deviation_green,deviation_blue,neighbours,perimeter\r\n");

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
    g_string_append_printf(text, ",%" G_GUINT64_FORMAT "\r\n", s->perimeter);
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
  ms_json_add_integer(builder, "perimeter", (gint64)s->perimeter);
  json_builder_end_object(builder);
}

/* JSON-GLib's objects and the text of a region and of a neighbour, as measured and rounded up. */
#define JSON_REGION_BYTES 8192
#define JSON_NEIGHBOUR_BYTES 192

/** ms_segment_table_json_bytes: the most that ms_segment_table_to_json() allocates. */
guint64
ms_segment_table_json_bytes(const MsSegmentTable *self)
{
  return JSON_REGION_BYTES * ((guint64)self->n + 1) + JSON_NEIGHBOUR_BYTES * (guint64)self->n_neighbours;
}

/**
 * ms_segment_table_to_json: (transfer full): an object whose member "regions" has an object for each region, and whose
 * member "profile" names the colour profile, null where the colours were compared as they are.
 */
char *
ms_segment_table_to_json(const MsSegmentTable *self)
{
  g_autoptr(JsonBuilder) builder = json_builder_new();

  json_builder_begin_object(builder);
  ms_json_begin_array(builder, "regions");
  for (guint32 i = 0; i < self->n; i++)
    add_segment(builder, i + 1, &self->segments[i]);
  json_builder_end_array(builder);
  ms_json_add_text(builder, "profile", self->profile);
  json_builder_end_object(builder);
  g_autoptr(JsonNode) root = json_builder_get_root(builder);
  g_autofree char *json = json_to_string(root, TRUE);
  return g_strconcat(json, "\n", NULL);
}

/**
 * ms_segment_table_paint: (transfer full): each pixel in its region's mean colour, with the alpha of @original; one of
 * label 0 as it is there.
 */
MsImage *
ms_segment_table_paint(const MsSegmentTable *self, const MsSegmentation *segmentation, MsImage *original)
{
  const gsize n = (gsize)segmentation->width * segmentation->height;
  guint8 *pixels = g_malloc(n * 4);
  const guint8 *from = ms_image_get_pixels(original);

  for (gsize i = 0; i < n; i++) {
    const guint32 label = segmentation->labels[i];
    for (int k = 0; k < 3; k++)
      pixels[i * 4 + k] = label > 0 ? (guint8)lround(self->segments[label - 1].mean[k]) : from[i * 4 + k];
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

/* Leaving out pixels without data */

/* For each label, the one that it becomes: 0 for a region of pixels without data. */
static guint32 *
new_labels(const MsNoData *no_data, MsSegmentation *segmentation)
{
  const gsize n = (gsize)segmentation->width * (gsize)segmentation->height;
  guint32 *labels = g_new(guint32, (gsize)segmentation->n + 1);
  guint32 count = 0;

  for (guint32 i = 0; i <= segmentation->n; i++)
    labels[i] = i;
  for (gsize i = 0; i < n; i++)
    if (no_data->absent[i])
      labels[segmentation->labels[i]] = 0;
  for (guint32 i = 1; i <= segmentation->n; i++)
    labels[i] = labels[i] ? ++count : 0;
  segmentation->n = count;
  return labels;
}

/* Renames the neighbours of a region, leaves out those that vanish, and moves the others to @to, which has room. */
static void
rename_neighbours(MsSegment *segment, const guint32 *labels, guint32 *to)
{
  guint kept = 0;

  for (guint i = 0; i < segment->n_neighbours; i++) {
    to[kept] = labels[segment->neighbours[i]];
    kept += to[kept] > 0;
  }
  segment->neighbours = to;
  segment->n_neighbours = kept;
}

/**
 * ms_left_out_drop:
 * @no_data: of the whole picture; @segmentation was made with them
 * @segmentation: (inout): its pixels without data get label 0, its regions follow each other from 1 on
 * @table: (inout): of @segmentation
 */
void
ms_left_out_drop(const MsNoData *no_data, MsSegmentation *segmentation, MsSegmentTable *table)
{
  const gsize n = (gsize)segmentation->width * (gsize)segmentation->height;
  const guint32 before = segmentation->n;
  g_autofree guint32 *labels = new_labels(no_data, segmentation);

  for (gsize i = 0; i < n; i++)
    segmentation->labels[i] = labels[segmentation->labels[i]];
  table->n_neighbours = 0;
  for (guint32 i = 1; i <= before; i++)
    if (labels[i]) {
      rename_neighbours(&table->segments[i - 1], labels, table->neighbours + table->n_neighbours);
      table->segments[labels[i] - 1] = table->segments[i - 1];
      table->n_neighbours += table->segments[i - 1].n_neighbours;
    }
  table->n = segmentation->n;
}
