/* SPDX-License-Identifier: MIT */
/*
 * The two ends of a channel are a pair of sockets that keep the borders of messages, so that half a message cannot
 * arrive. A message is a header and a serialised GVariant. A payload that does not fit into one packet travels in a
 * sealed block of memory instead, whose descriptor the packet carries. The receiver trusts nothing: it checks the
 * kind, the number of descriptors, the seals and the size of the memory, and the form of the payload.
 */
#include "core/process/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"

/* Packets are at most this large, so that some fit into the buffer of a socket. */
#define MOST_PACKET (32 << 10)

/* The payload in memory may be this large: a list of a million images. */
#define MOST_PAYLOAD (1 << 30)

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

typedef struct {
  guint32 kind;
  guint32 in_memory; /* whether the payload is in the last descriptor */
} Header;

/* A packet as it is sent or was received; the descriptor behind those of the message is that of a payload in memory. */
typedef struct {
  Header header;
  gconstpointer data;
  gsize size;
  int fds[MS_CHANNEL_MOST_FDS + 1];
  guint n_fds;
} Packet;

struct _MsChannel {
  int fd;
  const MsProtocol *incoming;
  const MsProtocol *outgoing;
  gboolean waits;
  GMutex lock;    /* guards sending: several threads report */
  guint8 *packet; /* the bytes of the packet that is received, by one thread */
};

/** ms_channel_open_pair: @ends: (out): two connected sockets, which are closed in programs that are started */
gboolean
ms_channel_open_pair(int ends[2], GError **error)
{
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0)
    return TRUE;
  ms_set_error(error, MS_ERROR_IO, "A socket between two processes cannot be opened: %s.", ms_errno_text(errno));
  return FALSE;
}

/**
 * ms_channel_new:
 * @fd: (transfer full): one end of ms_channel_open_pair()
 * @waits: whether sending waits for a receiver that does not read; a parent never waits for its child
 */
MsChannel *
ms_channel_new(int fd, const MsProtocol *incoming, const MsProtocol *outgoing, gboolean waits)
{
  MsChannel *self = g_new0(MsChannel, 1);

  self->fd = fd;
  self->incoming = incoming;
  self->outgoing = outgoing;
  self->waits = waits;
  self->packet = g_malloc(MOST_PACKET);
  g_mutex_init(&self->lock);
  return self;
}

/** ms_channel_free: closes the socket. */
void
ms_channel_free(MsChannel *self)
{
  if (!self)
    return;
  close(self->fd);
  g_free(self->packet);
  g_mutex_clear(&self->lock);
  g_free(self);
}

int
ms_channel_get_fd(const MsChannel *self)
{
  return self->fd;
}

/** ms_message_init: an empty message, which may be cleared. */
void
ms_message_init(MsMessage *self)
{
  *self = (MsMessage){.payload = NULL};
  for (guint i = 0; i < MS_CHANNEL_MOST_FDS; i++)
    self->fds[i] = -1;
}

/** ms_message_clear: frees the payload and closes the descriptors. */
void
ms_message_clear(MsMessage *self)
{
  g_clear_pointer(&self->payload, g_variant_unref);
  for (guint i = 0; i < MS_CHANNEL_MOST_FDS; i++)
    if (self->fds[i] >= 0) {
      close(self->fds[i]);
      self->fds[i] = -1;
    }
}

/**
 * ms_channel_new_memory: a block of shared memory whose size cannot be changed, so that no reader of it can be ended by
 * a signal because another process shortened it.
 *
 * Returns: its descriptor; -1 with #MS_ERROR_MEMORY
 */
int
ms_channel_new_memory(gsize size, GError **error)
{
  int fd = memfd_create("meanshift-lab", MFD_CLOEXEC | MFD_ALLOW_SEALING);

  if (fd >= 0 && ftruncate(fd, (off_t)size) == 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0)
    return fd;
  ms_set_error(error, MS_ERROR_MEMORY, "%g MiB of shared memory cannot be had: %s.", (double)size / (1 << 20),
               ms_errno_text(errno));
  if (fd >= 0)
    close(fd);
  return -1;
}

/**
 * ms_channel_map_memory:
 * @fd: a block of ms_channel_new_memory() that another process may have made
 * @size: bytes that it must have
 *
 * Returns: the mapped block, to be released with munmap(); %NULL with #MS_ERROR_MEMORY if it has another size or may
 *   still be shortened
 */
gpointer
ms_channel_map_memory(int fd, gsize size, gboolean writable, GError **error)
{
  struct stat info;
  const int seals = fcntl(fd, F_GET_SEALS);

  if (size == 0 || fstat(fd, &info) != 0 || (gsize)info.st_size != size || seals < 0 || !(seals & F_SEAL_SHRINK)) {
    ms_set_error_literal(error, MS_ERROR_MEMORY, "A block of shared memory has not the stated size.");
    return NULL;
  }
  gpointer data = mmap(NULL, size, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
  if (data != MAP_FAILED)
    return data;
  ms_set_error(error, MS_ERROR_MEMORY, "%g MiB of shared memory cannot be mapped: %s.", (double)size / (1 << 20),
               ms_errno_text(errno));
  return NULL;
}

static void
unmap(gpointer data)
{
  GBytes *mapping = data;
  gsize size = 0;
  gpointer start = (gpointer)g_bytes_get_data(mapping, &size);

  munmap(start, size);
  g_bytes_unref(mapping);
}

/* (transfer full): bytes that end their mapping. */
static GBytes *
own_mapping(gpointer data, gsize size)
{
  return g_bytes_new_with_free_func(data, size, unmap, g_bytes_new_static(data, size));
}

/** ms_channel_read_memory: (transfer full): a block of exactly @size bytes, to be read; it may be closed meanwhile. */
GBytes *
ms_channel_read_memory(int fd, gsize size, GError **error)
{
  gpointer data = ms_channel_map_memory(fd, size, FALSE, error);

  return data ? own_mapping(data, size) : NULL;
}

/* Writes a payload into memory that nobody can change any more. */
static int
new_payload_memory(gconstpointer data, gsize size, GError **error)
{
  int fd = memfd_create("meanshift-lab-message", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  const char *p = data;

  for (gsize left = size; fd >= 0 && left > 0;) {
    gssize n = write(fd, p, left);
    if (n <= 0)
      break;
    p += n;
    left -= (gsize)n;
  }
  if (fd >= 0 && p == (const char *)data + size && fcntl(fd, F_ADD_SEALS, SEALS) == 0)
    return fd;
  ms_set_error(error, MS_ERROR_MEMORY, "A message of %g bytes cannot be sent: %s.", (double)size, ms_errno_text(errno));
  if (fd >= 0)
    close(fd);
  return -1;
}

static gboolean
send_packet(MsChannel *self, const Packet *packet)
{
  union {
    char bytes[CMSG_SPACE(sizeof packet->fds)];
    struct cmsghdr align;
  } control = {{0}};
  struct iovec parts[] = {{(gpointer)&packet->header, sizeof packet->header}, {(gpointer)packet->data, packet->size}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = G_N_ELEMENTS(parts)};
  const gsize fds_size = sizeof(int) * packet->n_fds;
  gssize n;

  if (packet->n_fds > 0) {
    message.msg_control = control.bytes;
    message.msg_controllen = CMSG_SPACE(fds_size);
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(fds_size);
    memcpy(CMSG_DATA(c), packet->fds, fds_size);
  }
  g_mutex_lock(&self->lock);
  do
    n = sendmsg(self->fd, &message, MSG_NOSIGNAL | (self->waits ? 0 : MSG_DONTWAIT));
  while (n < 0 && errno == EINTR);
  g_mutex_unlock(&self->lock);
  return n >= 0;
}

/**
 * ms_channel_send:
 * @kind: a row of the outgoing protocol
 * @payload: (nullable): consumed when it is floating; %NULL for "()"
 * @fds: (nullable): as many as the row says; they stay open here
 *
 * Returns: %FALSE with #MS_ERROR_IO when the other end is closed or, where this one does not wait, does not read
 */
gboolean
ms_channel_send(MsChannel *self, guint kind, GVariant *payload, const int *fds, GError **error)
{
  const MsMessageType *type = &self->outgoing->types[kind];
  g_autoptr(GVariant) owned = g_variant_ref_sink(payload ? payload : g_variant_new("()"));
  Packet packet = {{kind, 0}, g_variant_get_data(owned), g_variant_get_size(owned), {0}, type->fds};

  g_return_val_if_fail(kind < self->outgoing->n, FALSE);
  g_return_val_if_fail(g_variant_is_of_type(owned, G_VARIANT_TYPE(type->payload)), FALSE);
  for (guint i = 0; i < type->fds; i++)
    packet.fds[i] = fds[i];
  if (packet.size > MOST_PACKET) {
    const int memory = new_payload_memory(packet.data, packet.size, error);
    if (memory < 0)
      return FALSE;
    packet.header.in_memory = 1;
    packet.fds[packet.n_fds++] = memory;
    packet.size = 0;
  }
  gboolean good = send_packet(self, &packet);
  const int code = errno;
  if (packet.header.in_memory)
    close(packet.fds[type->fds]);
  if (!good)
    ms_set_error(error, MS_ERROR_IO, "The other process does not take messages: %s.", ms_errno_text(code));
  return good;
}

/* Takes the descriptors of a received packet; %FALSE if some were lost. */
static gboolean
take_fds(struct msghdr *received, Packet *packet)
{
  for (struct cmsghdr *c = CMSG_FIRSTHDR(received); c; c = CMSG_NXTHDR(received, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
      continue;
    packet->n_fds = (guint)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    memcpy(packet->fds, CMSG_DATA(c), packet->n_fds * sizeof(int));
  }
  return !(received->msg_flags & (MSG_CTRUNC | MSG_TRUNC));
}

/* (transfer full) (nullable): the bytes of a payload in sealed memory. */
static GBytes *
map_payload(int fd)
{
  struct stat info;
  const int seals = fcntl(fd, F_GET_SEALS);

  if (seals < 0 || (seals & SEALS) != SEALS || fstat(fd, &info) != 0 || info.st_size <= 0 ||
      info.st_size > MOST_PAYLOAD)
    return NULL;
  gpointer data = mmap(NULL, (gsize)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED)
    return NULL;
  return own_mapping(data, (gsize)info.st_size);
}

/* Checks a packet against the protocol and completes the message, which takes the descriptors that belong to it. */
static gboolean
parse(const MsChannel *self, Packet *packet, MsMessage *message)
{
  const Header header = packet->header;

  if (header.kind >= self->incoming->n || header.in_memory > 1)
    return FALSE;
  const MsMessageType *type = &self->incoming->types[header.kind];
  if (packet->n_fds != type->fds + header.in_memory)
    return FALSE;
  g_autoptr(GBytes) bytes =
    header.in_memory ? map_payload(packet->fds[type->fds]) : g_bytes_new(packet->data, packet->size);
  if (!bytes)
    return FALSE;
  message->kind = header.kind;
  message->payload = g_variant_ref_sink(g_variant_new_from_bytes(G_VARIANT_TYPE(type->payload), bytes, FALSE));
  if (!g_variant_is_normal_form(message->payload))
    return FALSE;
  for (guint i = 0; i < type->fds; i++) {
    message->fds[i] = packet->fds[i];
    packet->fds[i] = -1;
  }
  return TRUE;
}

/**
 * ms_channel_receive: takes the next message without waiting. One thread receives.
 * @message: (out): to be cleared with ms_message_clear(), whatever is returned
 */
MsReceipt
ms_channel_receive(MsChannel *self, MsMessage *message)
{
  Packet packet = {.n_fds = 0};
  union {
    char bytes[CMSG_SPACE(sizeof packet.fds)];
    struct cmsghdr align;
  } control;
  struct iovec parts[] = {{&packet.header, sizeof packet.header}, {self->packet, MOST_PACKET}};
  struct msghdr received = {.msg_iov = parts,
                            .msg_iovlen = G_N_ELEMENTS(parts),
                            .msg_control = control.bytes,
                            .msg_controllen = sizeof control.bytes};
  gssize n;

  ms_message_init(message);
  do
    n = recvmsg(self->fd, &received, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  while (n < 0 && errno == EINTR);
  if (n < 0)
    return errno == EAGAIN || errno == EWOULDBLOCK ? MS_RECEIPT_NOTHING : MS_RECEIPT_CLOSED;
  if (n == 0 && received.msg_controllen == 0)
    return MS_RECEIPT_CLOSED;
  const gboolean is_whole = take_fds(&received, &packet) && n >= (gssize)sizeof packet.header;
  packet.data = self->packet;
  packet.size = is_whole ? (gsize)n - sizeof packet.header : 0;
  const gboolean good = is_whole && parse(self, &packet, message);
  for (guint i = 0; i < packet.n_fds; i++)
    if (packet.fds[i] >= 0)
      close(packet.fds[i]);
  return good ? MS_RECEIPT_MESSAGE : MS_RECEIPT_BROKEN;
}

/** ms_channel_wait: waits for the next message; for a child, which has nothing to watch but its parent. */
MsReceipt
ms_channel_wait(MsChannel *self, MsMessage *message)
{
  MsReceipt receipt;

  while ((receipt = ms_channel_receive(self, message)) == MS_RECEIPT_NOTHING) {
    struct pollfd fd = {.fd = self->fd, .events = POLLIN};
    poll(&fd, 1, -1);
  }
  return receipt;
}
