/* SPDX-License-Identifier: MIT */
/* MsBatchListing: fills the rows of a batch with the pictures of a request, without planning it or writing anything. */
#pragma once

#include "ui/batch/batch-rows.h"
#include "ui/batch/batch-spec.h"

typedef struct _MsBatchListing MsBatchListing;

MsBatchListing *ms_batch_listing_new(MsBatchRows *rows);
void ms_batch_listing_free(MsBatchListing *self);
void ms_batch_listing_start(MsBatchListing *self, const MsBatchSpec *spec);
void ms_batch_listing_stop(MsBatchListing *self);
