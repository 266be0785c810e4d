/* SPDX-License-Identifier: MIT */
/* MsChannel: one end of a socket between two processes of this program, over which typed messages travel. */
#pragma once

#include <gio/gio.h>

#include "core/error.h"

/** MS_CHANNEL_MOST_FDS: the descriptors that a message may carry. */
#define MS_CHANNEL_MOST_FDS 8

/**
 * MsMessageType: a row of the table of a protocol; the index of the row is the kind of the message.
 * @payload: the GVariant type of the payload, "()" for none
 * @fds: how many descriptors it carries, at most MS_CHANNEL_MOST_FDS
 */
typedef struct {
  const char *name;
  const char *payload;
  guint fds;
} MsMessageType;

/** MsProtocol: the messages that one end may send. */
typedef struct {
  const MsMessageType *types;
  guint n;
} MsProtocol;

/**
 * MsMessage: a received message.
 * @payload: of the type that the table gives for @kind, in normal form
 * @fds: open until ms_message_clear(); a caller that keeps one sets it to -1
 */
typedef struct {
  guint kind;
  GVariant *payload;
  int fds[MS_CHANNEL_MOST_FDS];
} MsMessage;

/**
 * MsReceipt: the result of ms_channel_receive().
 * @MS_RECEIPT_NOTHING: no message is there yet
 * @MS_RECEIPT_CLOSED: the other end is closed
 * @MS_RECEIPT_BROKEN: what arrived is not a message of the protocol
 */
typedef enum {
  MS_RECEIPT_MESSAGE,
  MS_RECEIPT_NOTHING,
  MS_RECEIPT_CLOSED,
  MS_RECEIPT_BROKEN,
} MsReceipt;

typedef struct _MsChannel MsChannel;

gboolean ms_channel_open_pair(int ends[2], GError **error);
MsChannel *ms_channel_new(int fd, const MsProtocol *incoming, const MsProtocol *outgoing, gboolean waits);
void ms_channel_free(MsChannel *self);
int ms_channel_get_fd(const MsChannel *self);
gboolean ms_channel_send(MsChannel *self, guint kind, GVariant *payload, const int *fds, GError **error);
MsReceipt ms_channel_receive(MsChannel *self, MsMessage *message);
MsReceipt ms_channel_wait(MsChannel *self, MsMessage *message);
void ms_message_init(MsMessage *self);
void ms_message_clear(MsMessage *self);

int ms_channel_new_memory(gsize size, GError **error);
gpointer ms_channel_map_memory(int fd, gsize size, gboolean writable, GError **error);
GBytes *ms_channel_read_memory(int fd, gsize size, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsChannel, ms_channel_free)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MsMessage, ms_message_clear)
