/* SPDX-License-Identifier: MIT */
/*
 * The differences that a filter leaves of a photograph are small numbers and long runs of zeros: nearly all that can be
 * gained comes from Huffman codes and runs of one byte. zlib's strategy Z_RLE uses the same, at a quarter of the speed
 * and with larger files, because it also takes runs that are shorter than their literals.
 */
#include "core/image/png/png-runs.h"

#include <string.h>

#include "core/image/png/huffman.h"
#include "core/image/png/png-tokens.h"

/*
 * A short run takes more bits than its literals where these have short codes, as zero has in filtered images: the
 * shorter of two ways to divide the first bytes is used for all.
 */
static const MsPngLeastRuns least_runs[] = {{4, 4}, {10, 5}};
#define TRIED_SIZE (24 << 10)

/* Bits of a code at most, so that three runs and the bits that are left of a byte fit 64. */
#define MOST_CODE 12
#define TOKENS_A_FLUSH 3

#define END_OF_BLOCK 256
#define N_LITERALS MS_HUFFMAN_MOST_SYMBOLS
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
  const MsPngLeastRuns *least;
  MsPngTokens tokens;
  guint8 lengths[MOST_LENGTHS];   /* of the literals' codes, then that of the one distance */
  guint32 codes[MS_PNG_N_TOKENS]; /* by token: its bits, and in the upper eight bits how many */
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
  guint above = token - MS_PNG_TOKEN_RUN;

  *extra = *n_extra = 0;
  if (token < MS_PNG_TOKEN_RUN)
    return token;
  if (token == MS_PNG_TOKEN_END)
    return END_OF_BLOCK;
  if (above == MS_PNG_LONGEST_RUN - MS_PNG_SHORTEST_RUN)
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

  for (guint token = 0; token <= MS_PNG_TOKEN_END; token++) {
    for (int i = 1; i < MS_PNG_N_COUNTS; i++)
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
  ms_huffman_lengths(counts, N_LITERALS, MOST_CODE, self->lengths);
  ms_huffman_codes(self->lengths, N_LITERALS, codes);
  self->lengths[N_LITERALS] = 1;
  self->codes[MS_PNG_TOKEN_EMPTY] = 0;
  for (guint token = 0; token <= MS_PNG_TOKEN_END; token++) {
    guint extra, n_extra, symbol = symbol_of(token, &extra, &n_extra), length = self->lengths[symbol];
    gboolean is_run = token >= MS_PNG_TOKEN_RUN && token < MS_PNG_TOKEN_END;
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
  ms_huffman_lengths(counts, N_LENGTHS, 7, lengths);
  ms_huffman_codes(lengths, N_LENGTHS, codes);
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
  ms_png_tokens_find(&self->tokens, data, n, self->least);
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
    ms_png_tokens_find(&self->tokens, data, MIN(n, TRIED_SIZE), &least_runs[i]);
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
  gsize most = n + (n / MS_PNG_BLOCK_SIZE + 2) * SLACK;
  guint8 *out = block ? g_try_malloc(most) : NULL;
  Writer writer = {0, 0, out};

  if (!out)
    return NULL;
  choose_least_runs(block, data, n);
  for (gsize i = 0; i < n; i += MS_PNG_BLOCK_SIZE)
    put_block(block, &writer, data + i, MIN(MS_PNG_BLOCK_SIZE, n - i), is_last && n - i <= MS_PNG_BLOCK_SIZE);
  if (is_last)
    align_to_byte(&writer);
  else
    put_stored(&writer, NULL, 0, FALSE);
  gsize size = writer.out - out;
  return g_bytes_new_take(g_realloc(out, size), size);
}
