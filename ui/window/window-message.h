/* SPDX-License-Identifier: MIT */
/* Shows messages in the bar of a window. */
#pragma once

#include "ui/window/window.h"

/** MsOffer: buttons of a message; flags. */
typedef enum {
  MS_OFFER_NOTHING = 0,
  MS_OFFER_DEVICE = 1 << 0,
  MS_OFFER_CPU = 1 << 1,
  MS_OFFER_LOG = 1 << 2,
} MsOffer;

void ms_window_report(MsWindow *self, GtkMessageType type, const char *text, MsOffer offers, const char *detail);
void ms_window_report_error(MsWindow *self, const GError *error);
void ms_window_clear_message(MsWindow *self);
void ms_window_show_message_of_tab(MsWindow *self);
void ms_window_message_answered(MsWindow *self, int response);
const char *ms_window_get_message(MsWindow *self);
