/* SPDX-License-Identifier: MIT */
#include "core/batch/shard-balance.h"

#include <string.h>

#include "core/image/file/file-path.h"
#include "core/image/image-drain.h"
#include "core/image/image-peek.h"

typedef struct {
  const char *relative;
  guint position; /* in the list */
  guint64 pixels;
} Weight;

typedef struct {
  guint shard;
  guint64 pixels;
} Load;

/* An image whose header cannot be read fails quickly, so it counts as one pixel. */
static guint64
pixels_of(const MsInput *input, const MsImageLimits *limits)
{
  MsImageHeader header;

  if (input->problem || ms_file_path_is_standard(input->path) || ms_image_is_stream(input->path) ||
      !ms_image_peek_size(input->path, limits, &header, NULL))
    return 1;
  return (guint64)header.width * (guint64)header.height;
}

/* Largest first; names decide between equal sizes, so that the order of arguments does not matter. */
static int
compare_weights(gconstpointer a, gconstpointer b)
{
  const Weight *p = a, *q = b;
  int names = strcmp(p->relative, q->relative);

  if (p->pixels != q->pixels)
    return p->pixels > q->pixels ? -1 : 1;
  return names != 0 ? names : (p->position > q->position) - (p->position < q->position);
}

static gboolean
is_lighter(const Load *a, const Load *b)
{
  return a->pixels != b->pixels ? a->pixels < b->pixels : a->shard < b->shard;
}

/* Restores the order of a heap whose lightest shard is at 0, after that has become heavier. */
static void
sink_first(Load *heap, guint n)
{
  for (guint i = 0, child; (child = 2 * i + 1) < n; i = child) {
    if (child + 1 < n && is_lighter(&heap[child + 1], &heap[child]))
      child++;
    if (is_lighter(&heap[i], &heap[child]))
      return;
    Load swapped = heap[i];
    heap[i] = heap[child];
    heap[child] = swapped;
  }
}

/**
 * ms_shard_balance:
 * @inputs: (element-type MsInput): the same for all shards
 * @count: number of shards
 * @limits: (nullable): images beyond them count as one pixel
 *
 * Reads the header of every input and gives each, from the largest to the smallest, to the shard that has the fewest
 * pixels so far (the longest-processing-time rule: no shard has more than 4/3 of the least possible maximum).
 *
 * Returns: (transfer full) (array): the shard of each input, from 1
 */
guint *
ms_shard_balance(GPtrArray *inputs, guint count, const MsImageLimits *limits)
{
  guint *shards = g_new(guint, inputs->len + 1);
  g_autofree Weight *weights = g_new(Weight, inputs->len + 1);
  g_autofree Load *heap = g_new0(Load, count);

  for (guint i = 0; i < inputs->len; i++) {
    const MsInput *input = g_ptr_array_index(inputs, i);
    weights[i] = (Weight){input->relative, i, pixels_of(input, limits)};
  }
  for (guint i = 0; i < count; i++)
    heap[i].shard = i + 1;
  qsort(weights, inputs->len, sizeof *weights, compare_weights);
  for (guint i = 0; i < inputs->len; i++) {
    shards[weights[i].position] = heap[0].shard;
    heap[0].pixels += weights[i].pixels;
    sink_first(heap, count);
  }
  return shards;
}
