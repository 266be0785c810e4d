/* SPDX-License-Identifier: MIT */
/*
 * Merges small regions by the rule of core/regions/segmentation.h, with the same result as one region after the other.
 *
 * The rule takes regions in the order of (pixels, label), and a region that is joined has more pixels than the one that
 * joins it, so all regions of one size act before any that has grown, in the order of their labels. A work-group takes
 * the next GROUP of them at once. Each decides as if the decisions of those before it in the group were the ones of the
 * round before: which neighbours have joined another region, and which pixels others have gained by then. Rounds are
 * repeated until no decision changes. The first region of the group decides rightly in the first round, and each
 * other one no later than the round after all before it have: so the end is reached, and it is the serial result.
 *
 * roots[label]: the label itself, or a region that it has joined. See regions.cl for the other arrays.
 */

/* Entries of the list of waiting regions that a work-item takes at once. */
#define ENTRIES 4


typedef struct {
  uint labels[GROUP];   /* of the regions in the group, ascending */
  uint targets[GROUP];  /* the region that each joins in this round; 0 for none */
  ushort4 sums[GROUP];  /* of each region's colours */
  uint heads[GROUP];  /* work-items that have joined a region, by the region's label, counted from 1 */
  uint next[GROUP];
  uint changed;         /* the last round in which a decision changed */
} Batch;

/* Sums of the values of the work-items before this one; @total gets that of all. */
static inline uint
sum_before(__local uint *sums, const uint value, uint *total)
{
  const uint self = (uint)get_local_id(0);
  uint sum = value;

  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  sums[self] = value;
  for (uint step = 1; step < GROUP; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint add = self >= step ? sums[self - step] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += add;
    sums[self] = sum;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  *total = sums[GROUP - 1];
  return sum - value;
}

/*
 * Keeps in @waiting the roots that are too small, and lists those of @size pixels in @turn; both stay in order. Regions
 * without a neighbour have fewer pixels than @size when their turn is over, and are dropped. Returns the length of
 * @turn.
 */
static inline uint
choose_turn(__global const uint *roots, __global const uint *sizes, __global uint *waiting, __global uint *turn,
            __global uint *state, __local uint *sums, const int4 merging)
{
  const uint n = state[0], size = (uint)merging.z;
  uint kept = 0, taken = 0;

  for (uint start = 0; start < n; start += GROUP * ENTRIES) {
    const uint from = start + (uint)get_local_id(0) * ENTRIES, end = min(from + ENTRIES, n);
    uint labels[ENTRIES], counts[2] = {0, 0}, totals;

    for (uint i = from; i < end; i++) {
      const uint label = waiting[i], pixels = sizes[label];
      const bool stays = roots[label] == label && pixels >= size && pixels < (uint)merging.y;

      labels[i - from] = stays ? label : 0;
      counts[0] += stays ? 1u : 0u;
      counts[1] += stays && pixels == size ? 1u : 0u;
    }

    const uint before = sum_before(sums, counts[1] << 16 | counts[0], &totals);
    uint keep = kept + (before & 0xffff), take = taken + (before >> 16);
    for (uint i = from; i < end; i++) {
      const uint label = labels[i - from];

      if (label == 0)
        continue;
      waiting[keep++] = label;
      if (sizes[label] == size)
        turn[take++] = label;
    }
    kept += totals & 0xffff;
    taken += totals >> 16;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 0)
    state[0] = kept;
  return taken;
}

static inline uint
find_root(__global uint *roots, uint label)
{
  for (uint root = roots[label]; root != label; root = roots[label]) {
    const uint above = roots[root];

    roots[label] = above;
    label = above;
  }
  return label;
}

/* The work-item of the group that has this region, counted from 1; 0 where none has. */
static inline uint
find_member(__local const Batch *batch, const uint label)
{
  uint low = 0;

  for (uint step = TOP_STEP; step > 0; step /= 2)
    if (low + step < GROUP && batch->labels[low + step] <= label)
      low += step;
  return batch->labels[low] == label ? low + 1 : 0;
}

/* Lists the neighbours of a region, each with its member of the group; some twice. Returns how many. */
static inline uint
list_neighbours(__global const uint *labels, __global const uint *next, __global uint *roots,
                __global const ushort4 *means, __global uint2 *neighbours, __local const Batch *batch, const uint own,
                uint pixel, const int4 image, const uint size)
{
  uint n = 0, recent[4] = {own, own, own, own};

  for (; pixel > 0; pixel = next[pixel - 1]) {
    const int at = (int)pixel - 1, x = at % image.x, y = at / image.x;

    for (int j = max(y - 1, 0); j <= min(y + 1, image.y - 1); j++)
      for (int i = max(x - 1, 0); i <= min(x + 1, image.x - 1); i++) {
        const uint label = find_root(roots, labels[j * image.x + i]);

        if (label == own || label == recent[0] || label == recent[1] || label == recent[2] || label == recent[3])
          continue;
        recent[3] = recent[2];
        recent[2] = recent[1];
        recent[1] = recent[0];
        recent[0] = label;
        neighbours[n++ * GROUP] = (uint2)(label, means[label].w == size ? find_member(batch, label) : 0);
      }
  }
  return n;
}

static inline uint
bucket_of(const uint label)
{
  return label * 2654435769u % GROUP;
}

/* How many members before this one join the region; @sum gets the sum of their colours. */
static inline uint
joined_before(__local const Batch *batch, const uint label, uint3 *sum)
{
  const uint self = (uint)get_local_id(0);
  uint n = 0;

  for (uint member = batch->heads[bucket_of(label)]; member > 0; member = batch->next[member - 1])
    if (member - 1 < self && batch->targets[member - 1] == label) {
      const ushort4 own = batch->sums[member - 1];

      *sum += (uint3)(own.x, own.y, own.z);
      n++;
    }
  return n;
}

static inline ulong
distance_of(const ushort4 a, const ushort4 b)
{
  const uint x = abs_diff(a.x, b.x), y = abs_diff(a.y, b.y), z = abs_diff(a.z, b.z);

  return (ulong)(x * x) + (ulong)(y * y) + (ulong)(z * z);
}

/* The neighbour that is nearest when this member's turn comes, if those before it decide as in the round before. */
static inline uint
decide(__global const uint *sizes, __global const uint *sums, __global const ushort4 *means,
       __global const uint2 *neighbours, __local const Batch *batch, const uint n, const ushort4 own, const uint label,
       const uint size)
{
  const uint self = (uint)get_local_id(0);
  ulong least = ULONG_MAX;
  uint best = 0;
  uint3 none = (uint3)(0);

  if (joined_before(batch, label, &none) > 0)
    return 0;
  for (uint i = 0; i < n; i++) {
    const uint2 neighbour = neighbours[i * GROUP];
    const bool has_joined = neighbour.y > 0 && neighbour.y - 1 < self && batch->targets[neighbour.y - 1] > 0;
    const uint other = has_joined ? batch->targets[neighbour.y - 1] : neighbour.x;
    uint3 sum = (uint3)(0);
    const uint joined = joined_before(batch, other, &sum);
    const ushort4 mean = joined > 0 ? means_with(sizes, sums, other, joined * size, sum) : means[other];
    const ulong distance = distance_of(own, mean);

    if (distance < least || (distance == least && other < best)) {
      least = distance;
      best = other;
    }
  }
  return best;
}

/* Rounds of decisions until none changes; the region that this member joins, or 0. */
static inline uint
decide_all(__global const uint *sizes, __global const uint *sums, __global const ushort4 *means,
           __global const uint2 *neighbours, __local Batch *batch, const uint n, const ushort4 own, const uint label,
           const uint size)
{
  const uint self = (uint)get_local_id(0);
  uint target = 0, last = 1;

  for (uint round = 1; last == round; round++) {
    const uint decision = n > 0 ? decide(sizes, sums, means, neighbours, batch, n, own, label, size) : 0;

    barrier(CLK_LOCAL_MEM_FENCE);
    if (decision != target)
      batch->changed = round + 1;
    target = batch->targets[self] = decision;
    batch->heads[self] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (target > 0)
      batch->next[self] = atomic_xchg(&batch->heads[bucket_of(target)], self + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    last = batch->changed;
  }
  return target;
}

/* Gives the pixels of @label to @target; several regions may join one at once. */
static inline void
join_region(__global uint *roots, __global uint *sizes, __global uint *sums, __global const ushort4 *means,
            __global uint *next, __global const uint *heads, volatile __global uint *tails, const uint label,
            const uint target, const ushort4 sum, const int4 merging)
{
  roots[label] = target;
  add_to_region(sizes, sums, target, (uint)merging.z, (uint3)(sum.x, sum.y, sum.z));
  if (means[target].w < (uint)merging.y)
    next[atomic_xchg(&tails[target], tails[label]) - 1] = heads[label];
}

/* Merges the regions of merging.z pixels; run as one group for each size from 1 on. */
__attribute__((reqd_work_group_size(GROUP, 1, 1))) __kernel void
merge_size(__global const uint *labels, __global uint *next, __global uint *heads, __global uint *tails,
           __global uint *sizes, __global uint *sums, __global ushort4 *means, __global uint *roots,
           __global uint *waiting, __global uint *turn, __global uint2 *neighbours, __global uint *state,
           const int4 image, const int4 merging)
{
  __local Batch batch;
  const uint self = (uint)get_local_id(0), size = (uint)merging.z;
  const uint n_turn = choose_turn(roots, sizes, waiting, turn, state, batch.targets, merging);

  for (uint start = 0; start < n_turn; start += GROUP) {
    const uint label = start + self < n_turn ? turn[start + self] : UINT_MAX;
    /* Regions that others of this size have joined have grown. */
    const bool acts = label != UINT_MAX && sizes[label] == size;
    const ushort4 sum = acts ? convert_ushort4((uint4)(sums[label * 6], sums[label * 6 + 2], sums[label * 6 + 4], 0))
                             : (ushort4)(0);

    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    batch.labels[self] = label;
    batch.targets[self] = batch.heads[self] = 0;
    batch.sums[self] = sum;
    batch.changed = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint n = acts ? list_neighbours(labels, next, roots, means, neighbours + self, &batch, label, heads[label],
                                          image, size)
                        : 0;
    const uint target =
      decide_all(sizes, sums, means, neighbours + self, &batch, n, acts ? means[label] : (ushort4)(0), label, size);

    barrier(CLK_GLOBAL_MEM_FENCE);
    if (target > 0)
      join_region(roots, sizes, sums, means, next, heads, tails, label, target, sum, merging);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (target > 0)
      means[target] = means_with(sizes, sums, target, 0, (uint3)(0));
  }
}

/* Numbers the regions that are left in the order of their first pixels, which are those of the smallest labels. */
__attribute__((reqd_work_group_size(GROUP, 1, 1))) __kernel void
number_regions(__global uint *roots, volatile __global uint *firsts, __global uint *numbers, __global uint *state,
               const int4 image, const int4 merging)
{
  __local uint sums[GROUP];
  const uint n = (uint)merging.x;
  uint count = 0, total;

  for (uint label = (uint)get_local_id(0) + 1; label <= n; label += GROUP)
    atomic_min(&firsts[find_root(roots, label)], label);
  barrier(CLK_GLOBAL_MEM_FENCE);
  for (uint start = 1; start <= n; start += GROUP) {
    const uint label = start + (uint)get_local_id(0);
    const bool is_first = label <= n && firsts[find_root(roots, label)] == label;
    const uint before = sum_before(sums, is_first ? 1 : 0, &total);

    if (is_first)
      numbers[label] = count + before + 1;
    count += total;
  }
  if (get_local_id(0) == 0)
    state[1] = count;
  barrier(CLK_GLOBAL_MEM_FENCE);
  for (uint label = (uint)get_local_id(0) + 1; label <= n; label += GROUP) {
    const uint first = firsts[find_root(roots, label)];

    if (first != label)
      numbers[label] = numbers[first];
  }
}

__kernel void
renumber_labels(__global uint *labels, __global const uint *numbers, const int4 image, const int4 merging)
{
  const int n = image.x * image.y, start = (int)get_global_id(0) * SPAN, end = min(start + SPAN, n);

  for (int i = start; i < end; i++)
    labels[i] = numbers[labels[i]];
}
