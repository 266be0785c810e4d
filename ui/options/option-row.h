/* SPDX-License-Identifier: MIT */
/* MsOptionRow: base class of the controls for one option of the table; subclasses differ by the kind of value. */
#pragma once

#include <gtk/gtk.h>

#include "ui/document/document.h"

#define MS_TYPE_OPTION_ROW (ms_option_row_get_type())
/* Signal: "considered" (string, nullable): the value under the pointer or the focus, before it is chosen */
G_DECLARE_DERIVABLE_TYPE(MsOptionRow, ms_option_row, MS, OPTION_ROW, GtkBox)

/**
 * MsOptionRowClass:
 * @build: makes the controls; the option is set
 * @update: shows the settings of the document, or the defaults without a document
 */
struct _MsOptionRowClass {
  GtkBoxClass parent_class;
  void (*build)(MsOptionRow *self);
  void (*update)(MsOptionRow *self);
};

#define MS_TYPE_NUMBER_ROW (ms_number_row_get_type())
G_DECLARE_FINAL_TYPE(MsNumberRow, ms_number_row, MS, NUMBER_ROW, MsOptionRow)
#define MS_TYPE_CHOICE_ROW (ms_choice_row_get_type())
G_DECLARE_FINAL_TYPE(MsChoiceRow, ms_choice_row, MS, CHOICE_ROW, MsOptionRow)
#define MS_TYPE_SHAPE_ROW (ms_shape_row_get_type())
G_DECLARE_FINAL_TYPE(MsShapeRow, ms_shape_row, MS, SHAPE_ROW, MsOptionRow)

GtkWidget *ms_option_row_new(const MsOptionInfo *option);
const MsOptionInfo *ms_option_row_get_option(MsOptionRow *self);
MsDocument *ms_option_row_get_document(MsOptionRow *self);
void ms_option_row_set_document(MsOptionRow *self, MsDocument *document);
void ms_option_row_update(MsOptionRow *self);

gboolean ms_option_row_is_updating(MsOptionRow *self);
MsSettings ms_option_row_get_settings(MsOptionRow *self);
void ms_option_row_choose(MsOptionRow *self, const char *value);
void ms_option_row_reset(MsOptionRow *self);
void ms_option_row_consider(MsOptionRow *self, const char *value);
void ms_option_row_watch(MsOptionRow *self, GtkWidget *button);
void ms_option_row_offer(MsOptionRow *self, GtkWidget *widget, const char *value);
GtkWidget *ms_option_row_add_label(MsOptionRow *self, GtkWidget *beside);
