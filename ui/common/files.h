/* SPDX-License-Identifier: MIT */
/* Files that the user drops on a widget or chooses in a dialog, and those that are being written for a window. */
#pragma once

#include <gtk/gtk.h>

/** MsDropFunc: @uris: (nullable): of the files dropped on @widget, %NULL-terminated */
typedef void (*MsDropFunc)(GtkWidget *widget, char **uris);

/** MsFileFunc: @file: one of those that were chosen */
typedef void (*MsFileFunc)(GtkWidget *widget, GFile *file);

/**
 * MsFileQuestion: what a dialog asks for.
 * @accept: the label of the button
 * @name: (nullable): the suggested name of a file to save
 * @folder: (nullable): the folder that is shown first
 * @several: whether several can be chosen
 * @prepare: (nullable): adds to the dialog of @widget what only one kind of file needs
 */
typedef struct {
  GtkFileChooserAction action;
  const char *title;
  const char *accept;
  const char *name;
  gboolean several;
  const char *folder;
  void (*prepare)(GtkFileChooser *dialog, GtkWidget *widget);
} MsFileQuestion;

void ms_drops_accept(GtkWidget *widget, MsDropFunc dropped);
void ms_files_choose(GtkWidget *widget, const MsFileQuestion *question, MsFileFunc chosen);
GListStore *ms_files_saving(GtkWidget *widget);
void ms_files_end_saving(GListStore *saving, GFile *file);
