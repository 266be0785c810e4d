/* SPDX-License-Identifier: MIT */
/* Private members of MsWindow, for its files on tabs, actions, files, messages and state. */
#pragma once

#include "ui/window/window.h"

G_BEGIN_DECLS

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
  GtkWidget *lab_settings;
  GtkWidget *batch;
  GtkWidget *overview;
  GtkWidget *menu_button;
  GtkWidget *recent_button;
  GtkWidget *device_chooser;
  GtkWidget *pages;
  GtkWidget *notebook;
  GtkWidget *side_paned;
  GtkWidget *bottom_paned;
  GtkWidget *side_panel;
  GtkWidget *bottom_panel;
  GtkWidget *run_strip;
  GtkWidget *bottom_stack;
  GtkWidget *options_panel;
  GtkWidget *status_bar;
  GtkWidget *readout;
  GtkWidget *zoom_label;
  GtkWidget *gain;
  GtkWidget *gain_box;
  GtkWidget *progress_box;
  GtkWidget *progress;
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
  gboolean maximized;
  gboolean fullscreen;
  guint32 space_down; /* time of the key event, 0 while Space is up */
};

/** MsOffer: buttons of a message; flags. */
typedef enum {
  MS_OFFER_NOTHING = 0,
  MS_OFFER_DEVICE = 1 << 0,
  MS_OFFER_CPU = 1 << 1,
  MS_OFFER_LOG = 1 << 2,
} MsOffer;

void ms_window_tab_switched(MsWindow *self);
void ms_window_tabs_changed(MsWindow *self);
void ms_window_cancel_tabs(MsWindow *self);
void ms_window_add_in_order(MsWindow *self, MsImage *image, GFile *file, const char *title, guint order);

void ms_window_set_front(MsWindow *self, MsImageView *view);
void ms_window_leave_front(MsWindow *self);
void ms_window_update_title(MsWindow *self);
void ms_window_update_progress(MsWindow *self);

void ms_window_add_workspaces(MsWindow *self);
void ms_window_show_workspace(MsWindow *self, const char *name);
void ms_window_update_lab_settings(MsWindow *self);

void ms_window_restore_state(MsWindow *self);
void ms_window_remember_state(MsWindow *self);

void ms_window_add_actions(MsWindow *self);
void ms_window_update_actions(MsWindow *self);

void ms_window_report(MsWindow *self, GtkMessageType type, const char *text, MsOffer offers, const char *detail);
void ms_window_report_error(MsWindow *self, const GError *error);
void ms_window_clear_message(MsWindow *self);
void ms_window_show_message_of_tab(MsWindow *self);
void ms_window_message_answered(MsWindow *self, int response);

void ms_window_choose_files(MsWindow *self);
void ms_window_add_recent_menu(MsWindow *self);
void ms_window_paste(MsWindow *self);
void ms_window_copy_picture(MsWindow *self);
void ms_window_copy_command(MsWindow *self);
void ms_window_save(MsWindow *self);
void ms_window_save_as(MsWindow *self);
void ms_window_accept_drops(MsWindow *self);
void ms_window_open_sample(MsWindow *self);

G_END_DECLS
