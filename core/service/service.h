/* SPDX-License-Identifier: MIT */
/* The process that has the device for the window: it carries out requests of protocol.h until its channel is closed. */
#pragma once

int ms_service_run(void);
