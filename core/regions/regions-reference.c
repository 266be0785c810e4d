/* SPDX-License-Identifier: MIT */
/* The definition of regions as serial code over all pixels; every other implementation gives the same labels. */
#include "core/regions/regions.h"

#include "core/error.h"

/* Means are compared in steps of 1/256 of a level, so that they are integers on every machine. */
#define MEAN_STEPS 256

/*
 * sums, pixels: of the colours of a region, and their number
 * mean: in steps of 1/MEAN_STEPS
 * distance, choice: of the nearest neighbour found so far; the choice is G_MAXUINT32 before the first
 */
typedef struct {
  guint64 sums[3];
  guint32 pixels;
  guint32 choice;
  gint64 mean[3];
  gint64 distance;
} Region;

/**
 * ms_sets_find:
 * @parents: (inout): of members of sets: each refers to itself or to an earlier one of its set
 *
 * Returns: the first member of the set of @at, to which the path is halved
 */
guint32
ms_sets_find(guint32 *parents, guint32 at)
{
  while (parents[at] != at)
    at = parents[at] = parents[parents[at]];
  return at;
}

/** ms_sets_join: makes the sets of two members one. */
void
ms_sets_join(guint32 *parents, guint32 a, guint32 b)
{
  const guint32 p = ms_sets_find(parents, a), q = ms_sets_find(parents, b);

  parents[MAX(p, q)] = MIN(p, q);
}

/* Replaces each parent by the number of its set, from 0 on in the order of first members; returns that of sets. */
static guint32
number_sets(guint32 *parents, gsize n)
{
  guint32 count = 0;

  for (gsize i = 0; i < n; i++)
    parents[i] = parents[i] == i ? count++ : parents[parents[i]];
  return count;
}

/* The pixels around one, and how many of them come before it in the order of rows. */
static const int steps[8][2] = {{-1, 0}, {-1, -1}, {0, -1}, {1, -1}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}};

#define N_BEFORE 4

static gboolean
step_from(const MsCloseness *picture, gsize at, int step, gsize *other)
{
  const int x = (int)(at % picture->width) + steps[step][0], y = (int)(at / picture->width) + steps[step][1];

  *other = (gsize)y * picture->width + x;
  return x >= 0 && x < picture->width && y >= 0 && y < picture->height;
}

static gboolean
is_absent(const MsLabelRequest *request, gsize at)
{
  return request->absent && request->absent[at];
}

static gboolean
are_close(const MsLabelRequest *request, gsize a, gsize b)
{
  const gboolean one = is_absent(request, a), other = is_absent(request, b);

  return one || other ? one && other : ms_are_close(&request->closeness, a, b);
}

/* Each pixel's parent becomes the first pixel of its set. */
static void
connect_pixels(const MsLabelRequest *request, guint32 *parents, gsize n)
{
  const MsCloseness *picture = &request->closeness;
  gsize other;

  for (gsize i = 0; i < n; i++) {
    parents[i] = (guint32)i;
    for (int k = 0; k < N_BEFORE; k++)
      if (step_from(picture, i, k, &other) && are_close(request, i, other))
        ms_sets_join(parents, (guint32)i, (guint32)other);
  }
  for (gsize i = 0; i < n; i++)
    parents[i] = ms_sets_find(parents, (guint32)i);
}

/* Adds up the pixels of @count regions; returns how many have fewer than @min_pixels. */
static guint32
study_regions(const MsCloseness *picture, const guint32 *labels, Region *regions, guint32 count, guint min_pixels)
{
  guint32 n_small = 0;

  for (guint32 i = 0; i < count; i++)
    regions[i] = (Region){.choice = G_MAXUINT32};
  for (gsize i = 0; i < (gsize)picture->width * picture->height; i++) {
    regions[labels[i]].pixels++;
    for (int k = 0; k < 3; k++)
      regions[labels[i]].sums[k] += picture->colours[4 * i + k];
  }
  for (guint32 i = 0; i < count; i++) {
    Region *region = &regions[i];
    for (int k = 0; k < 3; k++)
      region->mean[k] = (gint64)((MEAN_STEPS * region->sums[k] + region->pixels / 2) / region->pixels);
    n_small += region->pixels < min_pixels;
  }
  return n_small;
}

static void
consider(Region *self, const Region *other, guint32 label)
{
  gint64 distance = 0;

  for (int k = 0; k < 3; k++)
    distance += (self->mean[k] - other->mean[k]) * (self->mean[k] - other->mean[k]);
  if (self->choice == G_MAXUINT32 || distance < self->distance ||
      (distance == self->distance && label < self->choice)) {
    self->distance = distance;
    self->choice = label;
  }
}

/*
 * Each small region chooses the region around it with the nearest mean, of equal ones that with the smallest label.
 * Pixels without data neither choose nor are chosen.
 */
static void
choose(const MsLabelRequest *request, const guint32 *labels, Region *regions)
{
  const MsCloseness *picture = &request->closeness;
  gsize other;

  for (gsize i = 0; i < (gsize)picture->width * picture->height; i++)
    for (int k = 0; k < 8 && regions[labels[i]].pixels < request->min_pixels && !is_absent(request, i); k++)
      if (step_from(picture, i, k, &other) && labels[other] != labels[i] && !is_absent(request, other))
        consider(&regions[labels[i]], &regions[labels[other]], labels[other]);
}

/* Regions that choices connect become one, with new numbers; returns how many are left. */
static guint32
merge(guint32 *labels, gsize n, const Region *regions, guint32 *parents, guint32 count)
{
  for (guint32 i = 0; i < count; i++)
    parents[i] = i;
  for (guint32 i = 0; i < count; i++)
    if (regions[i].choice != G_MAXUINT32)
      ms_sets_join(parents, i, regions[i].choice);
  for (guint32 i = 0; i < count; i++)
    parents[i] = ms_sets_find(parents, i);
  const guint32 left = number_sets(parents, count);
  for (gsize i = 0; i < n; i++)
    labels[i] = parents[labels[i]];
  return left;
}

static gboolean
merge_small_regions(const MsLabelRequest *request, MsLabels *labels, GError **error)
{
  const MsCloseness *picture = &request->closeness;
  const gsize n = (gsize)picture->width * picture->height;
  g_autofree Region *regions = g_try_new(Region, labels->count);
  g_autofree guint32 *parents = g_try_new(guint32, labels->count);

  if (!regions || !parents) {
    ms_set_error(error, MS_ERROR_MEMORY, "There is not enough memory for the regions of %dx%d pixels.", picture->width,
                 picture->height);
    return FALSE;
  }
  while (labels->count > 1 &&
         study_regions(picture, labels->of_pixel, regions, labels->count, request->min_pixels) > 0) {
    if (g_cancellable_set_error_if_cancelled(request->cancellable, error))
      return FALSE;
    choose(request, labels->of_pixel, regions);
    const guint32 left = merge(labels->of_pixel, n, regions, parents, labels->count);
    /* Pixels without data may surround a region. */
    if (left == labels->count)
      break;
    labels->count = left;
    labels->rounds++;
  }
  return TRUE;
}

static gboolean
find_regions(const MsLabelRequest *request, MsLabels *labels, GError **error)
{
  const gsize n = (gsize)request->closeness.width * request->closeness.height;

  if (g_cancellable_set_error_if_cancelled(request->cancellable, error))
    return FALSE;
  connect_pixels(request, labels->of_pixel, n);
  labels->count = number_sets(labels->of_pixel, n);
  if (!ms_memory_budget_take(request->budget, labels->count * (guint64)(sizeof(Region) + sizeof(guint32))))
    return !ms_memory_budget_fail(request->budget, error);
  if (request->min_pixels > 1 && !merge_small_regions(request, labels, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    labels->of_pixel[i]++;
  return TRUE;
}

/**
 * ms_reference_regions_find:
 * @labels: (inout): its memory for the labels is filled
 *
 * The rule is that of ms_segmentation_new_on().
 *
 * Returns: %FALSE with #MS_ERROR_MEMORY, #MS_ERROR_TOO_LARGE or G_IO_ERROR_CANCELLED
 */
gboolean
ms_reference_regions_find(const MsLabelRequest *request, MsLabels *labels, GError **error)
{
  const guint64 mark = ms_memory_budget_mark(request->budget);
  const gboolean found = find_regions(request, labels, error);

  ms_memory_budget_return(request->budget, mark);
  return found;
}
