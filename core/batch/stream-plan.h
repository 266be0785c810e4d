/* SPDX-License-Identifier: MIT */
/* Plans how many rows of an image that exceeds the memory are in memory at once; makes no call but arithmetic. */
#pragma once

#include "core/filter/settings/settings.h"

/** MS_STREAM_HALVED_ROWS: of the level above that are made at once. */
#define MS_STREAM_HALVED_ROWS 4

/**
 * MsStreamRequest:
 * @width: pixels in a row
 * @height: rows
 * @params: of the filter, which determine the halo
 * @codec_bytes: working memory of the decoder and the encoder
 * @copies: further copies of the rows of the result, for comparing and measuring
 * @halo_copies: further copies of the rows of the source
 * @coarse_copies: results of the level above that are kept, for settings with levels
 * @memory: bytes that the streamed image may take in all
 */
typedef struct {
  int width;
  int height;
  MsParams params;
  guint64 codec_bytes;
  guint copies;
  guint halo_copies;
  guint coarse_copies;
  guint64 memory;
} MsStreamRequest;

/**
 * MsStreamPlan:
 * @halo: rows above and below a row that can influence it
 * @most_rows: of the result; 0 where not even one fits
 * @bytes: memory of the source rows, the result rows, the levels above and the encoder; for one row where none fits
 */
typedef struct {
  int halo;
  int most_rows;
  guint64 bytes;
} MsStreamPlan;

MsStreamPlan ms_stream_plan(const MsStreamRequest *request);
