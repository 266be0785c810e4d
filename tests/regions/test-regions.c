/* SPDX-License-Identifier: MIT */
/* Regions against a direct implementation of the rule of the manual page, and their table, pictures and files. */
#include <math.h>
#include <glib/gstdio.h>
#include <string.h>

#include "core/image/image-io.h"
#include "core/regions/array-file.h"
#include "core/regions/segment-table.h"
#include "tests/support/fixture.h"

#define WIDTH 33
#define HEIGHT 27
#define PIXELS (WIDTH * HEIGHT)

/* A filtered picture with its modes. */
typedef struct {
  MsImage *source;
  MsImage *filtered;
  MsParams params;
  guint16 modes[PIXELS][2];
} Filtered;

static void
set_up(Filtered *self, gconstpointer seed)
{
  MsSettings settings = ms_settings_default();
  g_autoptr(GError) error = NULL;

  self->params = settings.params;
  self->params.sp = 3;
  self->params.sr = 24;
  self->source = ms_fixture_scene(WIDTH, HEIGHT, GPOINTER_TO_UINT(seed));
  self->filtered = ms_fixture_reference_modes(self->source, &self->params, &self->modes[0][0], &error);
  g_assert_no_error(error);
}

static void
tear_down(Filtered *self, gconstpointer seed)
{
  g_clear_object(&self->source);
  g_clear_object(&self->filtered);
}

static gboolean
touch(int a, int b)
{
  return a != b && ABS(a % WIDTH - b % WIDTH) <= 1 && ABS(a / WIDTH - b / WIDTH) <= 1;
}

static gboolean
belong_together(const Filtered *f, int a, int b)
{
  const guint8 *p = ms_image_get_pixels(f->filtered) + a * 4, *q = ms_image_get_pixels(f->filtered) + b * 4;
  int distance = 0;

  for (int k = 0; k < 3; k++)
    distance += (p[k] - q[k]) * (p[k] - q[k]);
  return touch(a, b) && abs(f->modes[a][0] - f->modes[b][0]) <= 3 && abs(f->modes[a][1] - f->modes[b][1]) <= 3 &&
         4 * distance <= 24 * 24;
}

/* Propagates smaller labels to neighbours until nothing changes. */
static void
connect_pixels(const Filtered *f, guint32 *labels)
{
  gboolean changed = TRUE;

  for (int i = 0; i < PIXELS; i++)
    labels[i] = i;
  while (changed) {
    changed = FALSE;
    for (int a = 0; a < PIXELS; a++)
      for (int b = 0; b < PIXELS; b++)
        if (labels[b] < labels[a] && belong_together(f, a, b)) {
          labels[a] = labels[b];
          changed = TRUE;
        }
  }
}

static guint
count_of(const guint32 *labels, guint32 label)
{
  guint n = 0;

  for (int i = 0; i < PIXELS; i++)
    n += labels[i] == label;
  return n;
}

static void
mean_of(const Filtered *f, const guint32 *labels, guint32 label, gint64 mean[3])
{
  gint64 sums[3] = {0}, n = count_of(labels, label);

  for (int i = 0; i < PIXELS; i++)
    for (int k = 0; k < 3 && labels[i] == label; k++)
      sums[k] += ms_image_get_pixels(f->filtered)[i * 4 + k];
  for (int k = 0; k < 3; k++)
    mean[k] = (256 * sums[k] + n / 2) / n;
}

/* The region around @label whose mean is nearest, of equally near ones that with the smallest label. */
static guint32
nearest(const Filtered *f, const guint32 *labels, guint32 label)
{
  guint32 into = G_MAXUINT32;
  gint64 best = G_MAXINT64, own[3], other[3];

  mean_of(f, labels, label, own);
  for (int a = 0; a < PIXELS; a++)
    for (int b = 0; b < PIXELS; b++) {
      if (labels[a] != label || labels[b] == label || !touch(a, b))
        continue;
      gint64 d = 0;
      mean_of(f, labels, labels[b], other);
      for (int k = 0; k < 3; k++)
        d += (own[k] - other[k]) * (own[k] - other[k]);
      if (d < best || (d == best && labels[b] < into)) {
        best = d;
        into = labels[b];
      }
    }
  return into;
}

/*
 * All regions below `least` choose, then those that choices connect become one, with the label of the first; whether
 * there were any.
 */
static gboolean
merge_round(const Filtered *f, guint32 *labels, guint least)
{
  guint32 choices[PIXELS], names[PIXELS], n_small = 0;

  for (guint32 label = 0; label < PIXELS; label++) {
    const guint n = count_of(labels, label);
    choices[label] = n > 0 && n < least && n < PIXELS ? nearest(f, labels, label) : G_MAXUINT32;
    n_small += choices[label] != G_MAXUINT32;
  }
  for (guint32 label = 0; label < PIXELS; label++)
    names[label] = label;
  for (guint32 label = 0; label < PIXELS; label++) {
    const guint32 from = names[label], to = choices[label] == G_MAXUINT32 ? from : names[choices[label]];
    for (guint32 other = 0; other < PIXELS; other++)
      if (names[other] == from || names[other] == to)
        names[other] = MIN(from, to);
  }
  for (int i = 0; i < PIXELS; i++)
    labels[i] = names[labels[i]];
  return n_small > 0;
}

static guint32
number(guint32 *labels)
{
  guint32 numbers[PIXELS] = {0}, n = 0;

  for (int i = 0; i < PIXELS; i++) {
    if (numbers[labels[i]] == 0)
      numbers[labels[i]] = ++n;
    labels[i] = numbers[labels[i]];
  }
  return n;
}

static MsSegmentation *
segment(const Filtered *f, guint least)
{
  g_autoptr(GError) error = NULL;
  const MsFiltered filtered = {.image = f->filtered, .modes = &f->modes[0][0], .params = &f->params};
  MsSegmentation *s = ms_segmentation_new(&filtered, least, NULL, &error);

  g_assert_no_error(error);
  return s;
}

static void
test_rule(Filtered *f, gconstpointer seed)
{
  static const guint sizes[] = {0, 4, 40, 2000};
  guint32 expected[PIXELS], first = 0;

  for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
    g_autoptr(MsSegmentation) s = segment(f, sizes[i]);
    connect_pixels(f, expected);
    while (merge_round(f, expected, sizes[i]))
      continue;
    g_assert_cmpuint(s->n, ==, number(expected));
    g_assert_cmpmem(s->labels, sizeof expected, expected, sizeof expected);
    if (i == 0)
      first = s->n;
    g_assert_true(i != 2 || s->n < first || first == 1);
    g_assert_true(i != 3 || s->n == 1);
  }
}

static void
test_table(Filtered *f, gconstpointer seed)
{
  g_autoptr(MsSegmentation) s = segment(f, 30);
  g_autoptr(MsSegmentTable) table = ms_segment_table_new_on(NULL, s, f->source, NULL);
  g_autoptr(MsImage) painted = ms_segment_table_paint(table, s, f->source);
  g_autoptr(MsImage) outlined = ms_segmentation_outline(s, f->source);
  g_autofree char *csv = ms_segment_table_to_csv(table), *json = ms_segment_table_to_json(table);
  guint pixels = 0;

  for (guint32 i = 0; i < s->n; i++) {
    const MsSegment *segment_i = &table->segments[i];
    pixels += segment_i->pixels;
    g_assert_cmpuint(segment_i->pixels, >=, 30);
    g_assert_cmpfloat(segment_i->x, >=, segment_i->left);
    g_assert_cmpfloat(segment_i->x, <=, segment_i->right);
    g_assert_cmpfloat(segment_i->y, >=, segment_i->top);
    g_assert_cmpfloat(segment_i->y, <=, segment_i->bottom);
    g_assert_cmpuint(segment_i->n_neighbours, >, 0);
  }
  g_assert_cmpuint(pixels, ==, PIXELS);
  const MsSegment *first = &table->segments[s->labels[0] - 1];
  g_assert_cmpint(ms_image_get_pixels(painted)[0], ==, (int)floor(first->mean[0] + 0.5));
  g_assert_cmpint(ms_image_get_pixels(painted)[3], ==, ms_image_get_pixels(f->source)[3]);
  g_assert_false(memcmp(ms_image_get_pixels(outlined), ms_image_get_pixels(f->source), PIXELS * 4) == 0);
  g_auto(GStrv) lines = g_strsplit(csv, "\r\n", -1);
  g_assert_cmpuint(g_strv_length(lines), ==, s->n + 2);
  g_assert_nonnull(strstr(json, "\"neighbours\""));
}

static void
test_files(Filtered *f, gconstpointer seed)
{
  g_autoptr(MsSegmentation) s = segment(f, 30);
  g_autoptr(GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp("regions-XXXXXX", &error);
  g_autofree char *npy = g_build_filename(folder, "labels.npy", NULL), *png = g_build_filename(folder, "l.png", NULL);
  g_autofree char *bytes = NULL;
  gsize length;
  const MsPixelArray labels = {s->labels, WIDTH, HEIGHT, 1, s->n}, large = {s->labels, WIDTH, HEIGHT, 1, 65536};

  g_assert_true(ms_array_file_save(npy, &labels, FALSE, NULL, &error));
  g_assert_no_error(error);
  g_assert_true(g_file_get_contents(npy, &bytes, &length, NULL));
  g_assert_cmpuint((length - PIXELS * 4) % 64, ==, 0);
  g_assert_nonnull(strstr(bytes + 10, "'shape': (27, 33)"));
  g_assert_cmpmem(bytes + length - PIXELS * 4, PIXELS * 4, s->labels, PIXELS * 4);
  g_assert_true(ms_array_file_save(png, &labels, FALSE, NULL, &error));
  g_assert_no_error(error);
  g_assert_false(ms_array_file_save(png, &labels, FALSE, NULL, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_EXISTS);
  g_clear_error(&error);
  g_assert_false(ms_array_file_save(png, &large, TRUE, NULL, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_UNSUPPORTED);
  g_clear_error(&error);
  g_assert_false(ms_array_file_save(folder, &labels, TRUE, NULL, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
  g_remove(npy);
  g_remove(png);
  g_rmdir(folder);
}

/* Five pixels of a row, each grey a region that is small with one pixel, become regions 1 1 1 2 2 in one round. */
static void
check_row(const guint8 *greys)
{
  static const guint32 expected[5] = {1, 1, 1, 2, 2};
  guint8 *pixels = g_malloc(20);
  guint16 modes[5][2];
  MsSettings settings = ms_settings_default();
  g_autoptr(GError) error = NULL;

  for (int i = 0; i < 5; i++) {
    memset(pixels + 4 * i, greys[i], 4);
    modes[i][0] = (guint16)i;
    modes[i][1] = 0;
  }
  g_autoptr(MsImage) image = ms_image_new_take(5, 1, pixels, NULL);
  g_autoptr(MsSegmentation) s = ms_segmentation_new(
    &(MsFiltered){.image = image, .modes = &modes[0][0], .params = &settings.params}, 2, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpmem(s->labels, sizeof expected, expected, sizeof expected);
  g_assert_cmpuint(s->rounds, ==, 1);
}

/* A grey pixel between two regions that are equally far from it joins the first. */
static void
test_tie(void)
{
  check_row((const guint8[]){100, 100, 150, 200, 200});
}

/* The third pixel chooses the second one, which is nearer than the last two, before this joins the first one. */
static void
test_at_once(void)
{
  check_row((const guint8[]){0, 60, 114, 175, 175});
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add("/regions/rule/1", Filtered, GUINT_TO_POINTER(1), set_up, test_rule, tear_down);
  g_test_add("/regions/rule/2", Filtered, GUINT_TO_POINTER(2), set_up, test_rule, tear_down);
  g_test_add("/regions/table", Filtered, GUINT_TO_POINTER(3), set_up, test_table, tear_down);
  g_test_add("/regions/files", Filtered, GUINT_TO_POINTER(4), set_up, test_files, tear_down);
  g_test_add_func("/regions/tie", test_tie);
  g_test_add_func("/regions/at-once", test_at_once);
  return g_test_run();
}
