/* SPDX-License-Identifier: MIT */
#include "core/image/png/huffman.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BITS 15

/* A leaf, or a node above two others, of a tree that is built from the rarest symbols up. */
typedef struct {
  guint32 count;
  guint16 symbol;
  guint16 parent;
} Node;

static int
compare_counts(gconstpointer a, gconstpointer b)
{
  const Node *first = a, *second = b;

  if (first->count != second->count)
    return first->count < second->count ? -1 : 1;
  return first->symbol < second->symbol ? -1 : 1;
}

/* Lists the symbols that occur, rarest first. */
static guint
list_leaves(const guint32 *counts, guint n, Node *nodes)
{
  guint n_leaves = 0;

  for (guint i = 0; i < n; i++)
    if (counts[i] > 0)
      nodes[n_leaves++] = (Node){counts[i], (guint16)i, 0};
  qsort(nodes, n_leaves, sizeof *nodes, compare_counts);
  return n_leaves;
}

/*
 * Sets the parents of all nodes. New nodes are made in the order of their counts, so that the rarest two are among the
 * next leaves and the next of the new nodes.
 */
static void
build_tree(Node *nodes, guint n_leaves)
{
  guint leaf = 0, inner = n_leaves;

  for (guint next = n_leaves; next < 2 * n_leaves - 1; next++) {
    nodes[next].count = 0;
    for (int side = 0; side < 2; side++) {
      gboolean takes_leaf = leaf < n_leaves && (inner >= next || nodes[leaf].count <= nodes[inner].count);
      Node *child = &nodes[takes_leaf ? leaf++ : inner++];
      nodes[next].count += child->count;
      child->parent = (guint16)next;
    }
  }
}

/* Counts the codes of each length, of which none is longer than @limit. */
static void
count_lengths(const Node *nodes, guint n_leaves, guint limit, guint *n_codes)
{
  guint16 depths[2 * MS_HUFFMAN_MOST_SYMBOLS] = {0};

  for (guint i = 2 * n_leaves - 2; i-- > 0;) {
    depths[i] = (guint16)(depths[nodes[i].parent] + 1);
    if (i < n_leaves)
      n_codes[MIN(depths[i], limit)]++;
  }
}

/*
 * Where longer codes were cut, too many codes have @limit bits: as long as that is so, one of them goes beside a
 * shorter code, whose length grows by one.
 */
static void
shorten_codes(guint limit, guint *n_codes)
{
  guint share = 0;

  for (guint bits = 1; bits <= limit; bits++)
    share += n_codes[bits] << (limit - bits);
  for (; share > 1u << limit; share--) {
    guint bits = limit - 1;
    while (n_codes[bits] == 0)
      bits--;
    n_codes[limit]--;
    n_codes[bits]--;
    n_codes[bits + 1] += 2;
  }
}

/**
 * ms_huffman_lengths:
 * @counts: how often each symbol occurs; at least one does
 * @n: at most %MS_HUFFMAN_MOST_SYMBOLS
 * @limit: the most bits of a code, at most 15; 2^limit is at least @n
 * @lengths: (out): bits of each code, 0 where the symbol does not occur
 */
void
ms_huffman_lengths(const guint32 *counts, guint n, guint limit, guint8 *lengths)
{
  Node nodes[2 * MS_HUFFMAN_MOST_SYMBOLS];
  guint n_codes[MOST_BITS + 1] = {0};
  guint n_leaves = list_leaves(counts, n, nodes);

  memset(lengths, 0, n);
  build_tree(nodes, n_leaves);
  if (n_leaves == 1)
    n_codes[1] = 1;
  else
    count_lengths(nodes, n_leaves, limit, n_codes);
  shorten_codes(limit, n_codes);
  for (guint bits = limit, i = 0; bits > 0; bits--)
    for (; n_codes[bits] > 0; n_codes[bits]--)
      lengths[nodes[i++].symbol] = (guint8)bits;
}

static guint16
reverse_bits(guint code, guint n)
{
  guint reversed = 0;

  for (guint i = 0; i < n; i++)
    reversed |= (code >> i & 1) << (n - 1 - i);
  return (guint16)reversed;
}

/**
 * ms_huffman_codes:
 * @lengths: of @n codes, at most 15 bits each
 * @codes: (out): the codes, whose first bit is the lowest
 */
void
ms_huffman_codes(const guint8 *lengths, guint n, guint16 *codes)
{
  guint next[MOST_BITS + 2] = {0};

  for (guint i = 0; i < n; i++)
    next[lengths[i] + 1] += lengths[i] > 0 ? 1 : 0;
  for (guint bits = 1; bits <= MOST_BITS; bits++)
    next[bits] = (next[bits - 1] + next[bits]) << 1;
  for (guint i = 0; i < n; i++)
    if (lengths[i] > 0)
      codes[i] = reverse_bits(next[lengths[i]]++, lengths[i]);
}
