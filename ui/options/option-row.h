/* SPDX-License-Identifier: MIT */
/* MsOptionRow: the controls for one option of the table; they differ by the kind of value. */
#pragma once

#include <gtk/gtk.h>

#include "ui/document/document.h"

#define MS_TYPE_OPTION_ROW (ms_option_row_get_type())
/* Signal: "considered" (): ms_option_row_get_considered() may be another value */
G_DECLARE_FINAL_TYPE(MsOptionRow, ms_option_row, MS, OPTION_ROW, GtkBox)

GtkWidget *ms_option_row_new(const MsOptionInfo *option);
const MsOptionInfo *ms_option_row_get_option(MsOptionRow *self);
void ms_option_row_set_document(MsOptionRow *self, MsDocument *document);
void ms_option_row_add_beside(MsOptionRow *self, GtkWidget *widget);
void ms_option_row_update(MsOptionRow *self);
const char *ms_option_row_get_considered(MsOptionRow *self);
