/* SPDX-License-Identifier: MIT */
/*
 * Merging of many small regions against a direct implementation of the rule over all pixels; runs, borders, pixels of
 * regions, and rows divided among threads.
 */
#include <string.h>

#include "core/regions/borders.h"
#include "core/regions/merging.h"
#include "core/regions/region-pixels.h"
#include "core/regions/row-threads.h"
#include "tests/support/fixture.h"

/* Labels of pixels, numbered in the order of first pixels, and a picture. */
typedef struct {
  int width;
  int height;
  guint32 n;
  guint32 *labels;
  MsImage *image;
} Scene;

static void
scene_clear(Scene *self)
{
  g_clear_pointer(&self->labels, g_free);
  g_clear_object(&self->image);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Scene, scene_clear)

/* A pixel continues the region on its left or above it, or begins one, each as often as the other. */
static Scene
make_scene(int width, int height, int n_levels)
{
  g_autoptr(GRand) random = g_rand_new_with_seed((guint32)(width * 7 + height));
  Scene self = {width, height, 0, g_new(guint32, (gsize)width * height), NULL};
  guint8 *pixels = g_malloc((gsize)width * height * 4);

  for (int i = 0; i < width * height; i++) {
    const int choice = g_rand_int_range(random, 0, 3);
    if (choice == 0 && i % width > 0)
      self.labels[i] = self.labels[i - 1];
    else if (choice == 1 && i >= width)
      self.labels[i] = self.labels[i - width];
    else
      self.labels[i] = ++self.n;
    for (int k = 0; k < 4; k++)
      pixels[4 * i + k] = (guint8)(20 * g_rand_int_range(random, 0, n_levels));
  }
  self.image = ms_image_new_take(width, height, pixels, NULL);
  return self;
}

static gboolean
touch(const Scene *self, int a, int b)
{
  return ABS(a % self->width - b % self->width) <= 1 && ABS(a / self->width - b / self->width) <= 1;
}

typedef struct {
  gint64 pixels;
  gint64 sums[3];
} Sums;

static Sums *
add_up(const Scene *self, const guint32 *labels)
{
  Sums *sums = g_new0(Sums, self->n + 1);

  for (int i = 0; i < self->width * self->height; i++) {
    sums[labels[i]].pixels++;
    for (int k = 0; k < 3; k++)
      sums[labels[i]].sums[k] += ms_image_get_pixels(self->image)[4 * i + k];
  }
  return sums;
}

static gint64
distance(const Sums *a, const Sums *b)
{
  gint64 sum = 0;

  for (int k = 0; k < 3; k++) {
    const gint64 d = (256 * a->sums[k] + a->pixels / 2) / a->pixels - (256 * b->sums[k] + b->pixels / 2) / b->pixels;
    sum += d * d;
  }
  return sum;
}

/* The neighbour of a region that is nearest in colour; 0 where there is none. */
static guint32
nearest(const Scene *self, const guint32 *labels, const Sums *sums, guint32 label)
{
  guint32 best = 0;

  for (int a = 0; a < self->width * self->height; a++)
    for (int step = 0; step < 9 && labels[a] == label; step++) {
      const int b = a + (step / 3 - 1) * self->width + step % 3 - 1;
      if (b < 0 || b >= self->width * self->height || !touch(self, a, b) || labels[b] == label)
        continue;
      const gint64 d = distance(&sums[label], &sums[labels[b]]);
      const gint64 least = best ? distance(&sums[label], &sums[best]) : G_MAXINT64;
      if (d < least || (d == least && labels[b] < best))
        best = labels[b];
    }
  return best;
}

/* Merges one region; whether there was one to merge. */
static gboolean
merge_one(const Scene *self, guint32 *labels, Sums *sums, guint least)
{
  guint32 small = 0;

  for (guint32 i = 1; i <= self->n; i++)
    if (sums[i].pixels > 0 && sums[i].pixels < least && (small == 0 || sums[i].pixels < sums[small].pixels))
      small = i;
  const guint32 into = small ? nearest(self, labels, sums, small) : 0;
  for (int i = 0; into && i < self->width * self->height; i++)
    if (labels[i] == small)
      labels[i] = into;
  for (int k = 0; into && k < 3; k++)
    sums[into].sums[k] += sums[small].sums[k];
  sums[into].pixels += sums[small].pixels;
  sums[small] = (Sums){0};
  return into != 0;
}

static guint32
number(const Scene *self, guint32 *labels)
{
  g_autofree guint32 *numbers = g_new0(guint32, self->n + 1);
  guint32 n = 0;

  for (int i = 0; i < self->width * self->height; i++) {
    if (numbers[labels[i]] == 0)
      numbers[labels[i]] = ++n;
    labels[i] = numbers[labels[i]];
  }
  return n;
}

/* The request and the labels that begin to merge. */
static MsLabelRequest
request_of(const Scene *self, guint least)
{
  return (MsLabelRequest){
    .closeness = {.colours = ms_image_get_pixels(self->image), .width = self->width, .height = self->height},
    .min_pixels = least};
}

static void
check_merging(const Scene *self, guint least)
{
  const gsize bytes = (gsize)self->width * self->height * sizeof *self->labels;
  g_autofree guint32 *expected = g_memdup2(self->labels, bytes), *actual = g_memdup2(self->labels, bytes);
  g_autofree Sums *sums = add_up(self, expected);
  g_autoptr(GError) error = NULL;
  const MsLabelRequest request = request_of(self, least);
  MsLabels labels = {actual, self->n};

  while (merge_one(self, expected, sums, least))
    continue;
  ms_merge_small_regions(&request, &labels, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(labels.count, ==, number(self, expected));
  g_assert_cmpmem(actual, bytes, expected, bytes);
}

static void
test_rule(void)
{
  static const int sizes[][2] = {{1, 1}, {40, 1}, {1, 40}, {23, 19}, {60, 40}, {90, 80}};

  for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++)
    for (int n_levels = 2; n_levels <= 13; n_levels += 11) {
      g_auto(Scene) scene = make_scene(sizes[i][0], sizes[i][1], n_levels);
      check_merging(&scene, 2);
      check_merging(&scene, 9);
      check_merging(&scene, 100);
      check_merging(&scene, 100000);
    }
}

static void
test_cancelling(void)
{
  g_auto(Scene) scene = make_scene(30, 20, 5);
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_autoptr(GError) error = NULL;
  MsLabelRequest request = request_of(&scene, 5);
  MsLabels labels = {scene.labels, scene.n};

  request.cancellable = cancellable;
  g_cancellable_cancel(cancellable);
  g_assert_false(ms_merge_small_regions(&request, &labels, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* Large enough for several threads where there are several processors. */
static void
test_runs(void)
{
  g_auto(Scene) scene = make_scene(401, 300, 2);
  g_autoptr(MsRuns) runs = ms_runs_new(scene.labels, scene.width, scene.height);

  for (int y = 0; y < scene.height; y++)
    for (gsize i = runs->starts[y]; i < runs->starts[y + 1]; i++) {
      const MsRun *run = &runs->runs[i];
      g_assert_true(i == runs->starts[y] ? run->x == 0 : run->label != run[-1].label);
      for (int x = run->x; x < ms_runs_end(runs, y, i); x++)
        g_assert_cmpuint(scene.labels[y * scene.width + x], ==, run->label);
    }
}

static void
test_borders(void)
{
  g_auto(Scene) scene = make_scene(31, 23, 2);
  g_autoptr(MsRuns) runs = ms_runs_new(scene.labels, scene.width, scene.height);
  g_autoptr(MsBorders) borders = ms_borders_new(runs, scene.n, NULL);
  g_autoptr(GHashTable) pairs = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  const int n = scene.width * scene.height;

  ms_borders_sort(borders, scene.n);
  for (int a = 0; a < n; a++)
    for (int b = a + 1; b < n; b++)
      if (touch(&scene, a, b) && scene.labels[a] != scene.labels[b]) {
        const guint32 p = scene.labels[a], q = scene.labels[b];
        const guint64 pair = (guint64)MIN(p, q) << 32 | MAX(p, q);
        g_hash_table_add(pairs, g_memdup2(&pair, sizeof pair));
      }
  g_assert_cmpuint(borders->n, ==, g_hash_table_size(pairs));
  for (gsize i = 0; i < borders->n; i++) {
    g_assert_true(g_hash_table_contains(pairs, &borders->pairs[i]));
    g_assert_true(i == 0 || borders->pairs[i - 1] < borders->pairs[i]);
  }
}

/* Any number of threads counts, adds up and lists the same pixels. */
static void
test_pixels(void)
{
  g_auto(Scene) scene = make_scene(23, 37, 9);
  g_autofree Sums *sums = add_up(&scene, scene.labels);
  const MsLabelRequest request = request_of(&scene, 4);

  for (int n_parts = 1; n_parts <= MS_ROW_THREADS_MAX; n_parts++) {
    MsRegionPixels pixels;
    g_assert_true(ms_region_pixels_find(&pixels, &request, &(MsLabels){scene.labels, scene.n}, n_parts));
    for (guint32 label = 1; label <= scene.n; label++) {
      const MsRegionEntry *region = &pixels.regions[label];
      g_assert_cmpuint(pixels.counts[label], ==, sums[label].pixels);
      g_assert_cmpmem(region->sums, sizeof region->sums, sums[label].sums, sizeof sums->sums);
      g_assert_cmpuint(region->capacity, ==, sums[label].pixels < 4 ? sums[label].pixels : 0);
      for (guint32 i = 0; i < region->capacity; i++) {
        const guint32 place = pixels.places[region->start + i], at = place & ~MS_PIXEL_AT_SIDE;
        g_assert_cmpuint(scene.labels[at], ==, label);
        g_assert_cmpint((place & MS_PIXEL_AT_SIDE) != 0, ==, at % 23 == 0 || at % 23 == 22);
        g_assert_true(i == 0 || place != pixels.places[region->start + i - 1]);
      }
    }
    ms_region_pixels_clear(&pixels);
  }
}

static void
mark_rows(int from, int to, int part, gpointer data)
{
  int *rows = data;

  for (int y = from; y < to; y++)
    rows[y] += part + 1;
}

/* Every row once, by its part. */
static void
test_threads(void)
{
  for (int n_parts = 1; n_parts <= MS_ROW_THREADS_MAX; n_parts++) {
    int rows[37] = {0}, from = 0;
    ms_row_threads_run(37, n_parts, mark_rows, rows);
    for (int part = 0; part < n_parts; part++) {
      const int to = ms_row_threads_first_row(37, n_parts, part + 1);
      for (int y = from; y < to; y++)
        g_assert_cmpint(rows[y], ==, part + 1);
      from = to;
    }
    g_assert_cmpint(from, ==, 37);
  }
  g_assert_cmpint(ms_row_threads_count(1, 1), ==, 1);
  g_assert_cmpint(ms_row_threads_count(1000000, 1), ==, 1);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/merging/rule", test_rule);
  g_test_add_func("/merging/cancelling", test_cancelling);
  g_test_add_func("/merging/runs", test_runs);
  g_test_add_func("/merging/borders", test_borders);
  g_test_add_func("/merging/pixels", test_pixels);
  g_test_add_func("/merging/threads", test_threads);
  return g_test_run();
}
