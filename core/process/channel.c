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

/* Packets are at most this large, so that some fit into the buffer of a socket. */
#define MOST_PACKET (32 << 10)

/* The payload in memory may be this large: a list of a million images. */
#define MOST_PAYLOAD (1 << 30)

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

typedef struct {
  guint32 kind;
  guint32 in_memory; /* whether the payload is in the last descriptor */
} Header;

struct _MsChannel {
  int fd;
  const MsProtocol *incoming;
  const MsProtocol *outgoing;
  GMutex lock; /* guards sending: several threads report */
};

/** ms_channel_open_pair: @ends: (out): two connected sockets, which are closed in programs that are started */
gboolean
ms_channel_open_pair(int ends[2], GError **error)
{
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0)
    return TRUE;
  ms_set_error(error, MS_ERROR_IO, "A socket between two processes cannot be opened: %s.", g_strerror(errno));
  return FALSE;
}

/** ms_channel_new: (transfer full): @fd: (transfer full): one end of ms_channel_open_pair() */
MsChannel *
ms_channel_new(int fd, const MsProtocol *incoming, const MsProtocol *outgoing)
{
  MsChannel *self = g_new0(MsChannel, 1);

  self->fd = fd;
  self->incoming = incoming;
  self->outgoing = outgoing;
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
  ms_set_error(error, MS_ERROR_MEMORY, "%" G_GSIZE_FORMAT " MiB of shared memory cannot be had: %s.", size >> 20,
               g_strerror(errno));
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
  ms_set_error(error, MS_ERROR_MEMORY, "%" G_GSIZE_FORMAT " MiB of shared memory cannot be mapped: %s.", size >> 20,
               g_strerror(errno));
  return NULL;
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
  ms_set_error(error, MS_ERROR_MEMORY, "A message of %" G_GSIZE_FORMAT " bytes cannot be sent: %s.", size,
               g_strerror(errno));
  if (fd >= 0)
    close(fd);
  return -1;
}

static gboolean
send_packet(int socket, const struct msghdr *packet, gboolean waits)
{
  gssize n;

  do
    n = sendmsg(socket, packet, MSG_NOSIGNAL | (waits ? 0 : MSG_DONTWAIT));
  while (n < 0 && errno == EINTR);
  return n >= 0;
}

static gboolean
send_parts(MsChannel *self, const Header *header, gconstpointer data, gsize size, const int *fds, guint n_fds,
           gboolean waits)
{
  union {
    char bytes[CMSG_SPACE(sizeof(int) * (MS_CHANNEL_MOST_FDS + 1))];
    struct cmsghdr align;
  } control = {{0}};
  struct iovec parts[2] = {{(gpointer)header, sizeof *header}, {(gpointer)data, size}};
  struct msghdr packet = {.msg_iov = parts, .msg_iovlen = 2};

  if (n_fds > 0) {
    packet.msg_control = control.bytes;
    packet.msg_controllen = CMSG_SPACE(sizeof(int) * n_fds);
    struct cmsghdr *c = CMSG_FIRSTHDR(&packet);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int) * n_fds);
    memcpy(CMSG_DATA(c), fds, sizeof(int) * n_fds);
  }
  g_mutex_lock(&self->lock);
  gboolean good = send_packet(self->fd, &packet, waits);
  g_mutex_unlock(&self->lock);
  return good;
}

/**
 * ms_channel_send:
 * @kind: a row of the outgoing protocol
 * @payload: (nullable): consumed when it is floating; %NULL for "()"
 * @fds: (nullable): as many as the row says; they stay open here
 * @waits: whether to wait for a receiver that does not read; a parent never waits for its child
 *
 * Returns: %FALSE with #MS_ERROR_IO when the other end is closed or, without @waits, does not read
 */
gboolean
ms_channel_send(MsChannel *self, guint kind, GVariant *payload, const int *fds, gboolean waits, GError **error)
{
  const MsMessageType *type = &self->outgoing->types[kind];
  g_autoptr(GVariant) owned = g_variant_ref_sink(payload ? payload : g_variant_new("()"));
  Header header = {kind, 0};
  int all[MS_CHANNEL_MOST_FDS + 1];
  gsize size = g_variant_get_size(owned);
  guint n = type->fds;

  g_return_val_if_fail(kind < self->outgoing->n, FALSE);
  g_return_val_if_fail(g_variant_is_of_type(owned, G_VARIANT_TYPE(type->payload)), FALSE);
  for (guint i = 0; i < n; i++)
    all[i] = fds[i];
  if (size > MOST_PACKET) {
    header.in_memory = 1;
    if ((all[n] = new_payload_memory(g_variant_get_data(owned), size, error)) < 0)
      return FALSE;
  }
  gboolean good = send_parts(self, &header, header.in_memory ? NULL : g_variant_get_data(owned),
                             header.in_memory ? 0 : size, all, n + header.in_memory, waits);
  const int code = errno;
  if (header.in_memory)
    close(all[n]);
  if (!good)
    ms_set_error(error, MS_ERROR_IO, "The other process does not take messages: %s.", g_strerror(code));
  return good;
}

/* Takes the descriptors of a packet into the message; the number of them, or -1 if some were lost. */
static int
take_fds(struct msghdr *packet, MsMessage *message, int *memory)
{
  int all[MS_CHANNEL_MOST_FDS + 1];
  guint n = 0;

  for (struct cmsghdr *c = CMSG_FIRSTHDR(packet); c; c = CMSG_NXTHDR(packet, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
      continue;
    n = (guint)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    memcpy(all, CMSG_DATA(c), n * sizeof(int));
  }
  for (guint i = 0; i < n && i < MS_CHANNEL_MOST_FDS; i++)
    message->fds[i] = all[i];
  *memory = n > MS_CHANNEL_MOST_FDS ? all[MS_CHANNEL_MOST_FDS] : -1;
  return packet->msg_flags & MSG_CTRUNC ? -1 : (int)n;
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
  return g_bytes_new_with_free_func(data, (gsize)info.st_size, unmap, g_bytes_new_static(data, (gsize)info.st_size));
}

/* Checks a packet against the protocol and completes the message. */
static gboolean
parse(const MsChannel *self, const char *data, gsize size, int n_fds, int memory, MsMessage *message)
{
  Header header;

  if (size < sizeof header || n_fds < 0)
    return FALSE;
  memcpy(&header, data, sizeof header);
  if (header.kind >= self->incoming->n || header.in_memory > 1)
    return FALSE;
  const MsMessageType *type = &self->incoming->types[header.kind];
  if ((guint)n_fds != type->fds + header.in_memory)
    return FALSE;
  message->kind = header.kind;
  g_autoptr(GBytes) bytes = NULL;
  if (header.in_memory) {
    int *last = type->fds < MS_CHANNEL_MOST_FDS ? &message->fds[type->fds] : NULL;
    bytes = map_payload(last ? *last : memory);
    if (last) {
      close(*last);
      *last = -1;
    }
  } else {
    bytes = g_bytes_new(data + sizeof header, size - sizeof header);
  }
  if (!bytes)
    return FALSE;
  message->payload = g_variant_ref_sink(g_variant_new_from_bytes(G_VARIANT_TYPE(type->payload), bytes, FALSE));
  return g_variant_is_normal_form(message->payload);
}

/**
 * ms_channel_receive: takes the next message without waiting.
 * @message: (out): to be cleared with ms_message_clear(), whatever is returned
 */
MsReceipt
ms_channel_receive(MsChannel *self, MsMessage *message)
{
  union {
    char bytes[CMSG_SPACE(sizeof(int) * (MS_CHANNEL_MOST_FDS + 1))];
    struct cmsghdr align;
  } control;
  g_autofree char *data = g_malloc(sizeof(Header) + MOST_PACKET);
  struct iovec part = {data, sizeof(Header) + MOST_PACKET};
  struct msghdr packet = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  int memory = -1;
  gssize n;

  ms_message_init(message);
  do
    n = recvmsg(self->fd, &packet, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  while (n < 0 && errno == EINTR);
  if (n < 0)
    return errno == EAGAIN || errno == EWOULDBLOCK ? MS_RECEIPT_NOTHING : MS_RECEIPT_CLOSED;
  if (n == 0 && packet.msg_controllen == 0)
    return MS_RECEIPT_CLOSED;
  const int n_fds = take_fds(&packet, message, &memory);
  const gboolean good = !(packet.msg_flags & MSG_TRUNC) && parse(self, data, (gsize)n, n_fds, memory, message);
  if (memory >= 0)
    close(memory);
  return good ? MS_RECEIPT_MESSAGE : MS_RECEIPT_BROKEN;
}

/**
 * ms_channel_wait: waits for the next message; for a child, which has nothing to watch but its parent.
 * @cancellable: (nullable): ends the wait with %MS_RECEIPT_NOTHING
 */
MsReceipt
ms_channel_wait(MsChannel *self, MsMessage *message, GCancellable *cancellable)
{
  MsReceipt receipt = ms_channel_receive(self, message);

  while (receipt == MS_RECEIPT_NOTHING) {
    GPollFD fds[2] = {{.fd = self->fd, .events = G_IO_IN}, {.fd = -1}};
    gboolean has_fd = cancellable && g_cancellable_make_pollfd(cancellable, &fds[1]);
    g_poll(fds, has_fd ? 2 : 1, -1);
    if (has_fd)
      g_cancellable_release_fd(cancellable);
    if (g_cancellable_is_cancelled(cancellable))
      return MS_RECEIPT_NOTHING;
    receipt = ms_channel_receive(self, message);
  }
  return receipt;
}
