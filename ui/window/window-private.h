/* SPDX-License-Identifier: MIT */
/* Private members of MsWindow, for its files on tabs, actions, files, messages and state. */
#pragma once

#include "ui/window/window.h"

struct _MsWindow {
  GtkApplicationWindow parent_instance;
  MsWindowEngine *engine;
  GSettings *settings;
  MsDocument *document;
  GCancellable *closing;
  guint n_opening;
  guint next_order;

  GtkWidget *header;
  GtkWidget *title_label;
  GtkWidget *workspaces;
  GtkWidget *lab_stack;
  GtkWidget *lab_button;
  GtkWidget *lab_popover;
  GtkWidget *lab_settings;
  GtkWidget *batch;
  GtkWidget *overview;
  GtkWidget *menu_button;
  GtkWidget *undo;
  GtkWidget *redo;
  GtkWidget *recent_button;
  GtkWidget *device_chooser;
  GtkWidget *pages;
  GtkWidget *notebook;
  GtkWidget *side_paned;
  GtkWidget *bottom_paned;
  GtkWidget *side_panel;
  GtkWidget *bottom_panel;
  GtkWidget *folder_strip;
  GtkWidget *run_strip;
  GtkWidget *bottom_stack;
  GtkWidget *options_panel;
  GtkWidget *status_bar;
  GtkWidget *readout;
  GtkWidget *zoom_label;
  GtkWidget *gain;
  GtkWidget *gain_box;
  GtkWidget *region_picture;
  GtkWidget *progress_box;
  GtkWidget *progress;
  GtkWidget *progress_text;
  GtkWidget *loads; /* rows of pictures that are being loaded */
  GtkWidget *message_revealer;
  GtkWidget *message_bar;
  GtkWidget *message;
  GtkWidget *message_log;
  GtkWidget *message_cpu;
  GtkWidget *message_device;
  char *message_detail;
  guint message_timer;
  gboolean message_is_of_tab;
  char *last_saved;
  guint progress_delay;
  GBinding *gain_binding;
  GBinding *region_picture_binding;
  gboolean maximized;
  gboolean fullscreen;
  gboolean only_picture;
  GtkWidget *replaced; /* (nullable), weak: the view that the picture being opened takes the place of */
  guint32 space_down;  /* time of the key event, 0 while Space is up */
};
