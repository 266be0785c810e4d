/* SPDX-License-Identifier: MIT */
/* MsWindow: the main window: pictures as tabs, settings at the side, timings and charts below. */
#pragma once

#include <gtk/gtk.h>

#include "ui/document/document.h"
#include "ui/image-view/image-view.h"

#define MS_TYPE_WINDOW (ms_window_get_type())
/* Property: "document" (MsDocument or NULL, readable, with notify): the picture in the current tab. */
G_DECLARE_FINAL_TYPE(MsWindow, ms_window, MS, WINDOW, GtkApplicationWindow)

MsWindow *ms_window_new(GtkApplication *application, MsWindowEngine *engine, GSettings *settings);
MsDocument *ms_window_get_document(MsWindow *self);
MsImageView *ms_window_get_view(MsWindow *self);
guint ms_window_get_n_documents(MsWindow *self);

void ms_window_open(MsWindow *self, GFile *file);
gboolean ms_window_is_opening(MsWindow *self);
void ms_window_add_image(MsWindow *self, MsImage *image, GFile *file, const char *title);
void ms_window_close_tab(MsWindow *self);
char *ms_window_get_command_line(MsWindow *self);
GtkPrintOperation *ms_window_new_print_operation(MsWindow *self);

/** MsOffer: buttons of a message; flags. */
typedef enum {
  MS_OFFER_NOTHING = 0,
  MS_OFFER_DEVICE = 1 << 0,
  MS_OFFER_CPU = 1 << 1,
  MS_OFFER_LOG = 1 << 2,
} MsOffer;

/** MsToast: the button of a toast, which says what has happened and leaves by itself. */
typedef enum {
  MS_TOAST_PLAIN,
  MS_TOAST_FOLDER, /* shows the folder of a file */
  MS_TOAST_UNDO,   /* puts the run back that was removed */
  MS_TOAST_LOG,    /* shows a text */
} MsToast;

/** MsTopic: what a message of the bar is about, which decides how long it stays. */
typedef enum {
  MS_TOPIC_RUN,    /* a run of a picture failed: until it is dismissed */
  MS_TOPIC_DEVICE, /* there is no device: until one is open */
  MS_TOPIC_DRIVER, /* the driver died and was started again: until another device is chosen */
  MS_TOPIC_TASK,   /* what was asked for failed, such as saving: until it is dismissed */
  MS_TOPIC_FILE,   /* a file could not be opened: until others are opened */
  MS_TOPIC_LOSSES, /* what a picture lost when it was opened: until it is dismissed */
} MsTopic;

void ms_window_toast(MsWindow *self, const char *text, MsToast offer, const char *detail);
void ms_window_toast_saved(MsWindow *self, const char *path, const char *losses);
void ms_window_report(MsWindow *self, MsTopic topic, MsDocument *about, const char *text, MsOffer offers,
                      const char *detail);
void ms_window_report_error(MsWindow *self, MsTopic topic, MsDocument *about, const GError *error);
void ms_window_dismiss_message(MsWindow *self);
const char *ms_window_get_message(MsWindow *self);
