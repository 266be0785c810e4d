/* SPDX-License-Identifier: MIT */
/* What the files of MsOptionRow share. */
#pragma once

#include "ui/options/option-row.h"
#include "ui/options/slider.h"

/*
 * What differs by the kind of value: @build makes the controls, @update (nullable) shows what the settings cost,
 * @considered finds the value under the pointer or the focus.
 */
typedef struct {
  void (*build)(MsOptionRow *self);
  void (*update)(MsOptionRow *self);
  const char *(*considered)(MsOptionRow *self);
} MsOptionRowKind;

struct _MsOptionRow {
  GtkBox parent_instance;
  const MsOptionInfo *option;
  const MsOptionRowKind *kind;
  MsDocument *document; /* (nullable) */
  GtkWidget *label;
  GtkWidget *line;         /* the label at the left, the control at the right */
  GBindingGroup *bindings; /* of the document's property to the controls */

  /* Of a number */
  GtkWidget *spin;
  GtkWidget *slider;

  /* Of a choice and of a shape */
  GPtrArray *buttons;   /* GtkRadioButton, whose names are values */
  GPtrArray *tags;      /* (nullable): MsPriceTag of each button; parameters of the filter have none */
  GtkLabel *prices;     /* (nullable): below the opener: the prices of the values in its menu */
  GtkLabel *sameness;   /* (nullable): below the label: whether all values give the same pixels */
  GtkWidget *differing; /* in its place where they do not: shows where */
  MsRun *different;     /* (nullable): a run whose pixels differ */
  GtkWidget *opener;    /* opens the menu with the buttons; NULL for linked buttons */
  GtkWidget *shown;     /* (nullable): the text of the opener: the value */

  /* Of a shape */
  GtkWidget *entry;
  GtkWidget *limit;
  GtkWidget *other; /* the active button when the shape is none of the menu's */
};

extern const MsOptionRowKind ms_option_row_shape_kind;
extern const MsOptionRowKind ms_option_row_choice_kind;

MsSettings ms_option_row_settings(MsOptionRow *self);
void ms_option_row_consider(MsOptionRow *self);
GtkWidget *ms_option_row_add_label(MsOptionRow *self, GtkWidget *beside);
void ms_option_row_name_like(GtkWidget *widget, GtkWidget *label);
void ms_option_row_add_sameness(MsOptionRow *self);
