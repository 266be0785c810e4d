/* SPDX-License-Identifier: MIT */
/* Divides filtered rows into literals and runs of equal bytes. */
#pragma once

#include <glib.h>

/* Bytes of a block at most, each of which has its own codes. A stored block has at most 65535. */
#define MS_PNG_BLOCK_SIZE (60 << 10)

/* The shortest and the longest run that deflate knows. */
#define MS_PNG_SHORTEST_RUN 3
#define MS_PNG_LONGEST_RUN 258

/* A token is a literal, a run (MS_PNG_TOKEN_RUN for the shortest), the end of the block, or nothing. */
#define MS_PNG_TOKEN_RUN 256
#define MS_PNG_TOKEN_END 512
#define MS_PNG_TOKEN_EMPTY 513
#define MS_PNG_N_TOKENS 514

/* Empty tokens behind the end, so that tokens can be read three at a time. */
#define MS_PNG_EMPTY_TOKENS 2

/* Tables that one after the other is counted in, since adding to the same number twice must wait for the first. */
#define MS_PNG_N_COUNTS 4

/* The shortest runs that are taken, which repeat the byte before them. */
typedef struct {
  guint of_zeros;
  guint of_others;
} MsPngLeastRuns;

typedef struct {
  guint16 tokens[MS_PNG_BLOCK_SIZE + 1 + MS_PNG_EMPTY_TOKENS];
  gsize n;
  guint32 counts[MS_PNG_N_COUNTS][MS_PNG_N_TOKENS]; /* whose sums, modulo 2^32, say how often each token occurs */
} MsPngTokens;

void ms_png_tokens_find(MsPngTokens *self, const guint8 *data, gsize n, const MsPngLeastRuns *least);
