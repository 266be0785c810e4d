/* SPDX-License-Identifier: MIT */
/* The line of a manifest that records one image; manifest.c reads it. */
#pragma once

#include "core/batch/item.h"
#include "core/image/image-save.h"

char *ms_manifest_line(const MsBatchItem *item, const MsSettings *settings, const MsSaveOptions *save);
