/* SPDX-License-Identifier: MIT */
/* MsDeviceChild: the process that has the device for the window, watched by the main loop, which never waits for it. */
#pragma once

#include "core/process/child.h"
#include "core/service/protocol.h"

typedef struct _MsDeviceChild MsDeviceChild;

/**
 * MsDeviceChildEvents: called on the main loop.
 * @message: a message of ms_service_answers; it stays the caller's, except for descriptors that are set to -1
 * @ended: once, after the process has ended and was reaped; the last event
 */
typedef struct {
  void (*message)(MsMessage *message, gpointer data);
  void (*ended)(MsChildEnd end, gpointer data);
} MsDeviceChildEvents;

MsDeviceChild *ms_device_child_start(const char *cache, gboolean follows_death, const MsDeviceChildEvents *events,
                                     gpointer data, GError **error);
gboolean ms_device_child_send(MsDeviceChild *self, guint32 number, MsRequestKind kind, GVariant *content,
                              const int *fds);
void ms_device_child_stop(MsDeviceChild *self, MsChildEnd end);
gboolean ms_device_child_is_over(MsDeviceChild *self);
gint64 ms_device_child_get_heard(MsDeviceChild *self);
MsChild *ms_device_child_get(MsDeviceChild *self);
void ms_device_child_close(MsDeviceChild *self, double patience_s);
