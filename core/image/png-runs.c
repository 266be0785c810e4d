/* SPDX-License-Identifier: MIT */
/*
 * The differences that a filter leaves of a photograph are small numbers and long runs of zeros: nearly all that can be
 * gained comes from Huffman codes and runs of one byte. zlib's strategy Z_RLE uses the same, at a quarter of the speed
 * and with larger files, because it also takes runs that are shorter than their literals.
 */
#include "core/image/png-runs.h"

#include <stdlib.h>
#include <string.h>

/* ---- Huffman codes of limited length (RFC 1951, 3.2.2). */

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
  guint16 depths[2 * MS_PNG_MOST_SYMBOLS] = {0};

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
 * ms_png_huffman_lengths:
 * @counts: how often each symbol occurs; at least one does
 * @n: at most %MS_PNG_MOST_SYMBOLS
 * @limit: the most bits of a code, at most 15; 2^limit is at least @n
 * @lengths: (out): bits of each code, 0 where the symbol does not occur
 */
void
ms_png_huffman_lengths(const guint32 *counts, guint n, guint limit, guint8 *lengths)
{
  Node nodes[2 * MS_PNG_MOST_SYMBOLS];
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

/* Makes codes, whose first bit is the lowest, of their lengths of at most 15 bits. */
static void
assign_codes(const guint8 *lengths, guint n, guint16 *codes)
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

/* ---- Filtered rows as literals and runs of equal bytes. */

/* Bytes of a block at most, each of which has its own codes. A stored block has at most 65535. */
#define BLOCK_SIZE (60 << 10)

/* The shortest and the longest run that deflate knows. */
#define SHORTEST_RUN 3
#define LONGEST_RUN 258

/* A token is a literal, a run (TOKEN_RUN for the shortest), the end of the block, or nothing. */
#define TOKEN_RUN 256
#define TOKEN_END 512
#define TOKEN_EMPTY 513
#define N_TOKENS 514

/* Empty tokens behind the end, so that tokens can be read three at a time. */
#define EMPTY_TOKENS 2

/* Tables that one after the other is counted in, since adding to the same number twice must wait for the first. */
#define N_COUNTS 4

/* The shortest runs that are taken, which repeat the byte before them. */
typedef struct {
  guint of_zeros;
  guint of_others;
} LeastRuns;

typedef struct {
  guint16 tokens[BLOCK_SIZE + 1 + EMPTY_TOKENS];
  gsize n;
  guint32 counts[N_COUNTS][N_TOKENS]; /* whose sums, modulo 2^32, say how often each token occurs */
} Tokens;

/* Bytes that are compared at once. */
#define WORD 8

static inline guint64
load(const guint8 *bytes)
{
  guint64 word;

  memcpy(&word, bytes, sizeof word);
  return GUINT64_FROM_LE(word);
}

/* The highest bit of each byte of @word that is zero. */
static inline guint64
zero_bytes(guint64 word)
{
  const guint64 low = G_GUINT64_CONSTANT(0x7f7f7f7f7f7f7f7f);

  return ~(((word & low) + low) | word | low);
}

/* How many bytes come before the first that is not zero. */
static inline guint
leading_zeros(guint64 word)
{
  return word == 0 ? WORD : (guint)__builtin_ctzll(word) / 8;
}

/* How many bytes come before the first four that are zero; WORD where no four follow each other. */
static inline guint
before_four_zeros(guint64 word)
{
  guint64 zeros = zero_bytes(word), pairs = zeros & zeros >> 8;

  return leading_zeros(pairs & pairs >> 16);
}

/* The length of the run that begins at @at with a byte that equals the one before it. */
static inline gsize
measure_run(const guint8 *data, gsize at, gsize n)
{
  gsize end = MIN(n, at + LONGEST_RUN), i = at;

  while (i + 8 <= end && load(data + i) == load(data + i - 1))
    i += 8;
  while (i < end && data[i] == data[i - 1])
    i++;
  return i - at;
}

static inline void
add_token(Tokens *self, guint token)
{
  self->counts[0][token]++;
  self->tokens[self->n++] = (guint16)token;
}

static inline void
add_literals(Tokens *self, const guint8 *data, guint n)
{
  for (guint i = 0; i < n; i++) {
    self->counts[i % N_COUNTS][data[i]]++;
    self->tokens[self->n + i] = data[i];
  }
  self->n += n;
}

/* Adds the run that begins at @at, and returns the byte behind it. */
static inline gsize
add_run(Tokens *self, const guint8 *data, gsize at, gsize n)
{
  gsize length = measure_run(data, at, n);

  add_token(self, TOKEN_RUN + (guint)length - SHORTEST_RUN);
  return at + length;
}

/*
 * Divides 1 to BLOCK_SIZE bytes into tokens. Where @least is fewer than eight bytes, runs of four and more are taken
 * for both.
 *
 * Bytes are compared eight at a time with those before them. All runs of eight bytes or more are found; shorter ones
 * where @least asks for them, or where they reach into the next eight bytes.
 */
static void
find_tokens(Tokens *self, const guint8 *data, gsize n, const LeastRuns *least)
{
  gboolean takes_short = least->of_zeros < WORD;
  /* How many of the bytes before @i equal the one before them. */
  guint equal = 0;
  gsize i = 1;

  memset(self->counts, 0, sizeof self->counts);
  self->n = 0;
  add_token(self, data[0]);
  while (i + WORD <= n) {
    guint64 other = load(data + i) ^ load(data + i - 1);
    guint before;
    if (equal + leading_zeros(other) >= (data[i - 1] == 0 ? least->of_zeros : least->of_others)) {
      /* The literals that belong to the run are taken back. */
      i -= equal;
      self->n -= equal;
      self->counts[0][data[i]] -= equal;
      i = add_run(self, data, i, n);
      equal = 0;
    } else if (takes_short && (before = before_four_zeros(other)) < WORD) {
      add_literals(self, data + i, before);
      i = add_run(self, data, i + before, n);
      equal = 0;
    } else {
      add_literals(self, data + i, WORD);
      i += WORD;
      equal = other == 0 ? equal + WORD : (guint)__builtin_clzll(other) / 8;
    }
  }
  add_literals(self, data + i, (guint)(n - i));
  add_token(self, TOKEN_END);
  for (gsize j = 0; j < EMPTY_TOKENS; j++)
    self->tokens[self->n + j] = TOKEN_EMPTY;
}

/* ---- Deflate blocks. */

/*
 * A short run takes more bits than its literals where these have short codes, as zero has in filtered images: the
 * shorter of two ways to divide the first bytes is used for all.
 */
static const LeastRuns least_runs[] = {{4, 4}, {10, 5}};
#define TRIED_SIZE (24 << 10)

/* Bits of a code at most, so that three runs and the bits that are left of a byte fit 64. */
#define MOST_CODE 12
#define TOKENS_A_FLUSH 3

#define END_OF_BLOCK 256
#define N_LITERALS MS_PNG_MOST_SYMBOLS
#define N_LENGTHS 19
#define MOST_LENGTHS (N_LITERALS + 1)

/* Bytes that a block may take beyond its data: the header takes less than 350, and bits are written in eights. */
#define SLACK 512

#define CODE_BITS(code) ((guint64)((code)&0xffffff))

typedef enum {
  BLOCK_STORED,
  BLOCK_FIXED,
  BLOCK_DYNAMIC,
} BlockType;

/* Bits that are not yet bytes, the first of them the lowest, and where they go. */
typedef struct {
  guint64 bits;
  guint n;
  guint8 *out;
} Writer;

/* A symbol of the lengths of codes, and its argument (RFC 1951, 3.2.7). */
typedef struct {
  guint8 symbol;
  guint8 extra;
} Length;

typedef struct {
  const LeastRuns *least;
  Tokens tokens;
  guint8 lengths[MOST_LENGTHS]; /* of the literals' codes, then that of the one distance */
  guint32 codes[N_TOKENS];      /* by token: its bits, and in the upper eight bits how many */
} Block;

static inline void
put_bits(Writer *self, guint64 bits, guint n)
{
  self->bits |= bits << self->n;
  self->n += n;
}

/* Must be called before 64 bits have gathered. */
static inline void
flush_bits(Writer *self)
{
  guint64 bits = GUINT64_TO_LE(self->bits);

  memcpy(self->out, &bits, sizeof bits);
  self->out += self->n / 8;
  self->bits >>= self->n / 8 * 8;
  self->n %= 8;
}

static void
align_to_byte(Writer *self)
{
  put_bits(self, 0, (8 - self->n % 8) % 8);
  flush_bits(self);
}

/* The symbol of a token, and the bits that follow its code: their value and how many (RFC 1951, 3.2.5). */
static guint
symbol_of(guint token, guint *extra, guint *n_extra)
{
  guint above = token - TOKEN_RUN;

  *extra = *n_extra = 0;
  if (token < TOKEN_RUN)
    return token;
  if (token == TOKEN_END)
    return END_OF_BLOCK;
  if (above == LONGEST_RUN - SHORTEST_RUN)
    return N_LITERALS - 1;
  *n_extra = above < 8 ? 0 : (guint)g_bit_storage(above) - 3;
  *extra = above & ((1u << *n_extra) - 1);
  return END_OF_BLOCK + 1 + 4 * *n_extra + (above >> *n_extra);
}

/* Adds up the tables of counts into the first and counts the symbols. */
static void
count_symbols(Block *self, guint32 *counts)
{
  guint extra, n_extra;

  for (guint token = 0; token <= TOKEN_END; token++) {
    for (int i = 1; i < N_COUNTS; i++)
      self->tokens.counts[0][token] += self->tokens.counts[i][token];
    counts[symbol_of(token, &extra, &n_extra)] += self->tokens.counts[0][token];
  }
}

/* Chooses codes by the counts of the tokens; returns the bits that the tokens take. */
static gsize
choose_codes(Block *self)
{
  guint32 counts[N_LITERALS] = {0};
  guint16 codes[N_LITERALS] = {0};
  gsize bits = 0;

  count_symbols(self, counts);
  ms_png_huffman_lengths(counts, N_LITERALS, MOST_CODE, self->lengths);
  assign_codes(self->lengths, N_LITERALS, codes);
  self->lengths[N_LITERALS] = 1;
  self->codes[TOKEN_EMPTY] = 0;
  for (guint token = 0; token <= TOKEN_END; token++) {
    guint extra, n_extra, symbol = symbol_of(token, &extra, &n_extra), length = self->lengths[symbol];
    gboolean is_run = token >= TOKEN_RUN && token < TOKEN_END;
    /* The distance of a run is one: the first code of its alphabet, which is a bit of zero. */
    guint n = length + n_extra + (is_run ? 1 : 0);
    self->codes[token] = codes[symbol] | extra << length | n << 24;
    bits += (gsize)self->tokens.counts[0][token] * n;
  }
  return bits;
}

/* How many of the lengths from @i on are equal, up to @most. */
static guint
count_equal(const guint8 *lengths, guint i, guint n, guint most)
{
  guint end = MIN(n, i + most), j = i;

  while (j < end && lengths[j] == lengths[i])
    j++;
  return j - i;
}

static guint
list_lengths(const guint8 *lengths, guint n, Length *out)
{
  guint listed = 0, used;

  for (guint i = 0; i < n; i += used) {
    guint zeros = lengths[i] == 0 ? count_equal(lengths, i, n, 138) : 0;
    guint repeats = i > 0 && lengths[i] == lengths[i - 1] ? count_equal(lengths, i, n, 6) : 0;
    used = zeros >= 3 ? zeros : repeats >= 3 ? repeats : 1;
    if (zeros >= 11)
      out[listed++] = (Length){18, (guint8)(zeros - 11)};
    else if (zeros >= 3)
      out[listed++] = (Length){17, (guint8)(zeros - 3)};
    else if (repeats >= 3)
      out[listed++] = (Length){16, (guint8)(repeats - 3)};
    else
      out[listed++] = (Length){lengths[i], 0};
  }
  return listed;
}

/* The header of a dynamic block: the lengths of its codes, themselves in codes. */
static void
put_header(const Block *self, Writer *writer, gboolean is_last)
{
  static const guint8 order[N_LENGTHS] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  static const guint8 n_extra[N_LENGTHS] = {[16] = 2, [17] = 3, [18] = 7};
  Length list[MOST_LENGTHS];
  guint32 counts[N_LENGTHS] = {0};
  guint8 lengths[N_LENGTHS];
  guint16 codes[N_LENGTHS];
  guint n = list_lengths(self->lengths, MOST_LENGTHS, list), n_sent = N_LENGTHS;

  for (guint i = 0; i < n; i++)
    counts[list[i].symbol]++;
  ms_png_huffman_lengths(counts, N_LENGTHS, 7, lengths);
  assign_codes(lengths, N_LENGTHS, codes);
  while (lengths[order[n_sent - 1]] == 0)
    n_sent--;
  put_bits(writer, (is_last ? 1 : 0) | BLOCK_DYNAMIC << 1, 3);
  put_bits(writer, N_LITERALS - 257, 5);
  put_bits(writer, 0, 5);
  put_bits(writer, n_sent - 4, 4);
  for (guint i = 0; i < n_sent; i++) {
    put_bits(writer, lengths[order[i]], 3);
    flush_bits(writer);
  }
  for (guint i = 0; i < n; i++) {
    put_bits(writer, codes[list[i].symbol], lengths[list[i].symbol]);
    put_bits(writer, list[i].extra, n_extra[list[i].symbol]);
    flush_bits(writer);
  }
}

static void
put_tokens(const Block *self, Writer *writer)
{
  const guint16 *tokens = self->tokens.tokens;
  const guint32 *codes = self->codes;
  Writer local = *writer;

  for (gsize i = 0; i < self->tokens.n; i += TOKENS_A_FLUSH) {
    guint32 a = codes[tokens[i]], b = codes[tokens[i + 1]], c = codes[tokens[i + 2]];
    guint first = a >> 24, second = first + (b >> 24);
    put_bits(&local, CODE_BITS(a) | CODE_BITS(b) << first | CODE_BITS(c) << second, second + (c >> 24));
    flush_bits(&local);
  }
  *writer = local;
}

static void
put_stored(Writer *writer, const guint8 *data, gsize n, gboolean is_last)
{
  put_bits(writer, is_last ? 1 : 0, 3);
  align_to_byte(writer);
  put_bits(writer, n | (~n & 0xffff) << 16, 32);
  flush_bits(writer);
  if (n > 0)
    memcpy(writer->out, data, n);
  writer->out += n;
}

static void
put_block(Block *self, Writer *writer, const guint8 *data, gsize n, gboolean is_last)
{
  find_tokens(&self->tokens, data, n, self->least);
  if (choose_codes(self) / 8 >= n) {
    put_stored(writer, data, n, is_last);
  } else {
    put_header(self, writer, is_last);
    put_tokens(self, writer);
  }
}

static void
choose_least_runs(Block *self, const guint8 *data, gsize n)
{
  gsize fewest = G_MAXSIZE;

  for (gsize i = 0; i < G_N_ELEMENTS(least_runs); i++) {
    find_tokens(&self->tokens, data, MIN(n, TRIED_SIZE), &least_runs[i]);
    gsize bits = choose_codes(self);
    if (bits < fewest) {
      fewest = bits;
      self->least = &least_runs[i];
    }
  }
}

/**
 * ms_png_runs_deflate:
 * @n: more than 0
 * @is_last: FALSE when more of the stream follows; the output then ends with an empty block at the end of a byte
 *
 * Returns: (transfer full) (nullable): deflate blocks (RFC 1951); %NULL when there is not enough memory
 */
GBytes *
ms_png_runs_deflate(const guint8 *data, gsize n, gboolean is_last)
{
  g_autofree Block *block = g_try_new(Block, 1);
  gsize most = n + (n / BLOCK_SIZE + 2) * SLACK;
  guint8 *out = block ? g_try_malloc(most) : NULL;
  Writer writer = {0, 0, out};

  if (!out)
    return NULL;
  choose_least_runs(block, data, n);
  for (gsize i = 0; i < n; i += BLOCK_SIZE)
    put_block(block, &writer, data + i, MIN(BLOCK_SIZE, n - i), is_last && n - i <= BLOCK_SIZE);
  if (is_last)
    align_to_byte(&writer);
  else
    put_stored(&writer, NULL, 0, FALSE);
  gsize size = writer.out - out;
  return g_bytes_new_take(g_realloc(out, size), size);
}
