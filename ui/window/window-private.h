/* SPDX-License-Identifier: MIT */
/* What the files of MsWindow share: its members and functions. */
#pragma once

#include "ui/common/thumbnails.h"
#include "ui/window/window.h"

/** MsRoom: which sides the window has room for. */
typedef enum {
  MS_ROOM_UNKNOWN,
  MS_ROOM_NONE,
  MS_ROOM_ONE,
  MS_ROOM_BOTH,
} MsRoom;

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
  GtkWidget *menu_button;
  GtkWidget *steps_box; /* undo and redo */
  GtkWidget *undo;
  GtkWidget *redo;
  GtkWidget *recent_popover;
  GtkWidget *recent_box;
  MsThumbnails *recent_thumbnails;
  GtkWidget *device_chooser;
  GtkWidget *pages;
  GtkWidget *notebook;
  GtkWidget *left_panel;
  GtkWidget *left_box;
  GtkWidget *side_panel;
  GtkWidget *details_paned;
  GtkWidget *details;
  GtkWidget *details_stack;
  GtkWidget *folder_strip;
  GtkWidget *folder_box;
  MsThumbnails *folder_thumbnails;
  double folder_place; /* of the open picture in the strip: 0 at the left, 1 at the right */
  GtkWidget *strip;    /* the strip of runs between the buttons of the panels */
  GtkWidget *run_strip;
  GtkWidget *options_panel;
  GtkWidget *status_bar;
  GtkWidget *readout;
  GtkWidget *zoom_box;
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
  GtkWidget *toast;
  GtkWidget *toast_text;
  GtkWidget *toast_button;
  MsToast toast_offer;
  char *toast_path;
  guint toast_timer;
  MsDocument *toast_document;  /* (nullable): the picture whose run was removed */
  MsRun *toast_run;            /* (nullable): that run */
  GPtrArray *messages;         /* of the bar, the newest last */
  GQueue saves;                /* GTask: the one that was asked for first at the head */
  GListStore *saving;          /* GFile: what is being written for the window, also by panels */
  GtkWidget *closing_question; /* (nullable): shown while the window is to close after the last save */
  guint progress_delay;
  GSignalGroup *front;      /* of the picture in front */
  GSignalGroup *front_view; /* of its view */
  GBindingGroup *controls;  /* of its view */
  gboolean maximized;
  gboolean fullscreen;
  gboolean only_picture;
  gboolean details_is_set; /* whether a person dragged the border of the details in this session */
  MsRoom room;
  GtkWidget *opened; /* (nullable): the side that a window without room for both shows */
  int width;         /* that the panels were laid out for, 0 for never */
  int height;
  guint layout_source;
  guint32 space_down; /* time of the key event, 0 while Space is up */
};

/* The window itself. */
void ms_window_show_workspace(MsWindow *self, const char *name);
void ms_window_show_details(MsWindow *self, const char *page);
void ms_window_show_reports(MsWindow *self, const char *const *paths);
void ms_window_update_lab_settings(MsWindow *self);

/* Its size and layout. */
void ms_window_restore_layout(MsWindow *self);
void ms_window_remember_layout(MsWindow *self);
void ms_window_forget_layout(MsWindow *self);
void ms_window_show_side(MsWindow *self, GtkWidget *side, const char *key, gboolean shown);
void ms_window_show_only_picture(MsWindow *self, gboolean only_picture);

/* The actions, and which of them are possible. */
void ms_window_add_actions(MsWindow *self);
void ms_window_update_actions(MsWindow *self);

/* The tabs, and the title, progress and readout of the picture in front. */
void ms_window_add_front(MsWindow *self);
void ms_window_on_tab_switched(MsWindow *self);
void ms_window_tabs_changed(MsWindow *self);
void ms_window_on_tab_removed(MsWindow *self, GtkWidget *view);
void ms_window_cancel_tabs(MsWindow *self);
MsDocument *ms_window_add_in_order(MsWindow *self, MsImage *image, GFile *file, const char *title, guint order);
void ms_window_mark_tab(MsWindow *self, GtkWidget *view, const char *failure);
void ms_window_show_document(MsWindow *self, MsDocument *document);
void ms_window_close_view(GtkWidget *view);
void ms_window_leave_front(MsWindow *self);
void ms_window_update_title(MsWindow *self);
void ms_window_update_progress(MsWindow *self);

/* Opening, and the other pictures of the folder. */
void ms_window_open_in_place(MsWindow *self, GFile *file);
void ms_window_choose_files(MsWindow *self);
void ms_window_paste(MsWindow *self);
void ms_window_accept_drops(MsWindow *self);
void ms_window_open_sample(MsWindow *self);
void ms_window_open_neighbour(MsWindow *self, int step);
void ms_window_replace(GtkWidget *old, MsDocument *document);
void ms_window_add_thumbnails(MsWindow *self);
void ms_window_show_folder(MsWindow *self);
void ms_window_list_recent(MsWindow *self);

/* The bar with a message, and the toast. */
GPtrArray *ms_window_new_messages(void);
void ms_window_update_message(MsWindow *self);
void ms_window_run_succeeded(MsWindow *self, MsDocument *document);
void ms_window_forget(MsWindow *self, MsTopic topic, MsDocument *about);
void ms_window_forget_document(MsWindow *self, MsDocument *document);
void ms_window_toast_removed(MsWindow *self, MsDocument *document, MsRun *run);
void ms_window_on_toast_clicked(MsWindow *self);
void ms_window_hide_toast(MsWindow *self);
void ms_window_on_message_answered(MsWindow *self, int response);

/* Saving, copying and printing. */
void ms_window_copy_picture(MsWindow *self);
void ms_window_copy_command(MsWindow *self);
void ms_window_save(MsWindow *self);
void ms_window_save_as(MsWindow *self);
void ms_window_drop_saves(MsWindow *self);
gboolean ms_window_closes_later(MsWindow *self);
void ms_window_on_saving_changed(MsWindow *self);
void ms_window_print(MsWindow *self);
