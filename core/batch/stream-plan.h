/* SPDX-License-Identifier: MIT */
/* Plans how an image that exceeds the memory is filtered in bands of rows; makes no call but arithmetic. */
#pragma once

#include "core/filter/settings/settings.h"

/**
 * MsStreamRequest:
 * @width: pixels in a row
 * @height: rows
 * @params: of the filter, which determine the halo
 * @codec_bytes: working memory of the decoder and the encoder
 * @copies: further copies of the rows of a band, for comparing and measuring
 * @halo_copies: further copies of the rows of a band with its halo
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
 * @halo: rows above and below a band that can influence it
 * @band_rows: rows of a band; 0 where not even one row fits
 * @bytes: memory of the source rows, the result rows, the levels above and the encoder; of the smallest band where none
 *   fits
 */
typedef struct {
  int halo;
  int band_rows;
  guint64 bytes;
} MsStreamPlan;

MsStreamPlan ms_stream_plan(const MsStreamRequest *request);
