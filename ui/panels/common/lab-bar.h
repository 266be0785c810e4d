/* SPDX-License-Identifier: MIT */
/* MsLabBar: a button that starts a long job and then cancels it, its progress, and a text on how it ended. */
#pragma once

#include <gtk/gtk.h>

#define MS_TYPE_LAB_BAR (ms_lab_bar_get_type())
/*
 * Signals: "start" (), "cancel" (): the button was clicked. Property: "verb" (string): the label of the button at rest.
 */
G_DECLARE_FINAL_TYPE(MsLabBar, ms_lab_bar, MS, LAB_BAR, GtkBox)

void ms_lab_bar_set_running(MsLabBar *self, gboolean running);
void ms_lab_bar_set_progress(MsLabBar *self, double fraction, const char *message);
void ms_lab_bar_set_note(MsLabBar *self, const char *note);
void ms_lab_bar_set_ready(MsLabBar *self, gboolean ready);
