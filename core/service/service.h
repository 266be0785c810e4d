/* SPDX-License-Identifier: MIT */
/* The process that loads the driver: it carries out requests of protocol.h until its channel is closed. */
#pragma once

#include "core/service/protocol.h"

/** MsServiceWork: carries out a request of this content and answers it; %FALSE where the process is to end then. */
typedef gboolean (*MsServiceWork)(MsChannel *channel, GVariant *content, gpointer data);

gboolean ms_service_is_meant(void);
int ms_service_run(void);
int ms_service_serve(MsChannel *channel, const MsServiceWork further[MS_N_REQUESTS], gpointer data);
