/* SPDX-License-Identifier: MIT */
/* Estimates how long the filter would take with other settings. */
#pragma once

#include "ui/document/document.h"

double ms_document_estimate_ms(MsDocument *self, const MsSettings *settings);
