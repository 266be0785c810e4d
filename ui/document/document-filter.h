/* SPDX-License-Identifier: MIT */
/* Filters the source of a document when its settings change. */
#pragma once

#include "ui/document/document.h"

/** MsPiece: a finished part of the next result and its position in the picture. */
typedef struct {
  MsImage *image;
  MsRegion region;
} MsPiece;

void ms_document_set_live(MsDocument *self, gboolean live);
gboolean ms_document_is_live(MsDocument *self);
void ms_document_set_visible(MsDocument *self, const MsRegion *visible);
void ms_document_request_filter(MsDocument *self);
void ms_document_cancel(MsDocument *self);
gboolean ms_document_is_busy(MsDocument *self);
guint ms_document_get_busy_ms(MsDocument *self);
double ms_document_get_progress(MsDocument *self);
GPtrArray *ms_document_get_pieces(MsDocument *self);
