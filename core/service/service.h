/* SPDX-License-Identifier: MIT */
/* The process that has the device for the window: it carries out requests of protocol.h until its channel is closed. */
#pragma once

#include <glib.h>

gboolean ms_service_is_meant(void);
int ms_service_run(void);
