/* SPDX-License-Identifier: MIT */
/* Any packet from another process: it is refused, or it is a message that can be read to its end. */
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/batch/worker.h"
#include "core/filter/no-data.h"
#include "core/filter/space/space.h"
#include "core/opencl/device.h"
#include "core/opencl/program.h"
#include "core/service/protocol.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/profiles.h"

#define MOST_PACKET 60000

/* Regions are read for a picture of this size, if there are so few that their memory is small. */
#define SIDE 4
#define MOST_REGIONS 1000

static void
read_event(GVariant *content)
{
  g_autoptr(MsBatchItem) item = ms_batch_item_new(1, "a.png", "a.png");
  gsize length = 0;

  g_auto(MsBatchEvent) event = {.item = item};

  ms_batch_event_take(&event, content);
  g_assert_cmpint(event.kind, <=, MS_BATCH_NOTE);
  g_assert_cmpint(item->status, <=, MS_ITEM_SKIPPED);
  for (guint i = 0; item->log && i < ms_timing_log_get_length(item->log); i++)
    length += strlen(ms_stage_name(ms_timing_log_get(item->log, i)->stage));
  g_assert_cmpuint(length, <, G_MAXSIZE);
}

static void
read_items(GVariant *content)
{
  gboolean on_processor;

  g_ptr_array_unref(ms_worker_take_items(content, &on_processor));
}

/* Reads regions from memory that is filled with bytes of the message. */
static void
read_regions(GVariant *content)
{
  guint32 n = 0;
  guint64 n_neighbours = 0;
  MsSegmentation *segmentation = NULL;
  MsSegmentTable *table = NULL;

  g_variant_get(content, "(ut)", &n, &n_neighbours);
  if (n > MOST_REGIONS || n_neighbours > MOST_REGIONS)
    return;
  g_autoptr(MsImage) image = ms_image_new_take(SIDE, SIDE, g_malloc0(SIDE * SIDE * 4), NULL);
  const gsize size = SIDE * SIDE * 4 + n * sizeof(MsSegment) + n_neighbours * 4;
  const guint8 *bytes = g_variant_get_data(content);
  const int fd = ms_channel_new_memory(size, NULL);
  guint8 *memory = ms_channel_map_memory(fd, size, TRUE, NULL);
  for (gsize i = 0; i < size; i++)
    memory[i] = i % 4 == 0 ? bytes[i / 4 % g_variant_get_size(content)] : 0;
  munmap(memory, size);
  if (ms_regions_answer_read(content, fd, image, &segmentation, &table)) {
    ms_segmentation_free(segmentation);
    ms_segment_table_free(table);
  }
  close(fd);
}

static void
read_settings(GVariant *values)
{
  g_autoptr(GVariant) owned = values;
  MsSettings settings;

  ms_settings_from_variant(owned, &settings);
}

static void
read_filtered(GVariant *content)
{
  g_autoptr(GVariant) values = g_variant_get_child_value(content, 0), log = g_variant_get_child_value(content, 1),
                      maybe = g_variant_get_child_value(content, 2);
  g_autoptr(GVariant) spec = g_variant_get_maybe(maybe);
  g_autoptr(MsTimingLog) timings = ms_timing_log_new_from_variant(log);
  g_autoptr(MsProgramSpec) program = spec ? ms_program_spec_new_from_variant(spec) : NULL;

  read_settings(g_variant_ref(values));
}

static void
read_devices(GVariant *content)
{
  g_autoptr(GVariant) snapshots = g_variant_get_child_value(content, 0);

  for (gsize i = 0; i < g_variant_n_children(snapshots); i++) {
    g_autoptr(GVariant) snapshot = g_variant_get_child_value(snapshots, i);
    g_autoptr(MsDevice) device = ms_device_new_from_snapshot(snapshot);
  }
}

static void
read_answer(const MsMessage *message)
{
  g_autoptr(GVariant) content = g_variant_get_child_value(message->payload, 1);

  if (message->kind == MS_ANSWER_OPENED)
    read_devices(content);
  else if (message->kind == MS_ANSWER_FILTERED)
    read_filtered(content);
  else if (message->kind == MS_ANSWER_REGIONS)
    read_regions(content);
  else if (message->kind == MS_ANSWER_EVENT)
    read_event(content);
}

/* Takes a picture with memory of its size, if that is small. */
static void
read_picture(GVariant *picture)
{
  g_autoptr(GVariant) owned = picture;
  guint32 width, height;

  g_variant_get_child(owned, 0, "i", &width);
  g_variant_get_child(owned, 1, "i", &height);
  if (width > MOST_REGIONS || height > MOST_REGIONS || width * height == 0)
    return;
  const int fd = ms_channel_new_memory(4 * (gsize)width * height, NULL);
  g_autoptr(MsImage) image = ms_service_take_picture(owned, fd, NULL);
  g_autoptr(MsNoData) no_data = ms_no_data_find(image, (MsRows){0, (int)height});
  g_autoptr(GBytes) tables = ms_space_tables_of(MS_SPACE_LAB, image);
  close(fd);
}

static void
read_request(const MsMessage *message)
{
  g_autoptr(GVariant) content = g_variant_get_child_value(message->payload, 1);
  g_autoptr(MsProgramSpec) spec = NULL;

  if (message->kind == MS_REQUEST_ITEMS)
    read_items(content);
  else if (message->kind == MS_REQUEST_COMPILE)
    spec = ms_program_spec_new_from_variant(content);
  else if (message->kind == MS_REQUEST_FILTER || message->kind == MS_REQUEST_REGIONS)
    read_settings(g_variant_get_child_value(content, 2));
  if (message->kind == MS_REQUEST_FILTER || message->kind == MS_REQUEST_REGIONS ||
      message->kind == MS_REQUEST_STATISTICS)
    read_picture(g_variant_get_child_value(content, 0));
}

static void
receive(int end, const MsProtocol *protocol)
{
  g_autoptr(MsChannel) channel = ms_channel_new(end, protocol, protocol, FALSE);
  g_auto(MsMessage) message;

  if (ms_channel_receive(channel, &message) != MS_RECEIPT_MESSAGE)
    return;
  g_assert_cmpuint(message.kind, <, protocol->n);
  if (protocol == &ms_service_requests)
    read_request(&message);
  else
    read_answer(&message);
}

/* Sends the packet with as many descriptors as a message of its kind carries. */
static void
send_packet(int end, const MsProtocol *protocol, const uint8_t *data, size_t size)
{
  union {
    char bytes[CMSG_SPACE(sizeof(int) * MS_CHANNEL_MOST_FDS)];
    struct cmsghdr align;
  } control = {{0}};
  struct iovec part = {(gpointer)data, MIN(size, MOST_PACKET)};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  guint32 kind = G_MAXUINT32;

  memcpy(&kind, data, MIN(size, sizeof kind));
  const guint n = kind < protocol->n ? protocol->types[kind].fds : 0;
  if (n > 0) {
    message.msg_control = control.bytes;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * n);
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int) * n);
    for (guint i = 0; i < n; i++)
      memcpy(CMSG_DATA(c) + i * sizeof(int), &end, sizeof end);
  }
  g_assert_cmpint(sendmsg(end, &message, MSG_DONTWAIT), >=, 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const MsProtocol *const protocols[] = {&ms_service_requests, &ms_service_answers};

  for (gsize i = 0; i < G_N_ELEMENTS(protocols); i++) {
    int ends[2];
    g_assert_true(ms_channel_open_pair(ends, NULL));
    send_packet(ends[1], protocols[i], data, size);
    close(ends[1]);
    receive(ends[0], protocols[i]);
  }
  return 0;
}

static void
add_seed(GPtrArray *seeds, guint32 kind, GVariant *payload)
{
  g_autoptr(GVariant) owned = g_variant_ref_sink(payload);
  g_autoptr(GByteArray) packet = g_byte_array_new();
  const guint32 header[] = {kind, 0};

  g_byte_array_append(packet, (const guint8 *)header, sizeof header);
  g_byte_array_append(packet, g_variant_get_data(owned), (guint)g_variant_get_size(owned));
  g_ptr_array_add(seeds, g_byte_array_free_to_bytes(g_steal_pointer(&packet)));
}

/* (transfer floating): a picture with a profile and a value of pixels without data. */
static GVariant *
some_picture(void)
{
  g_autoptr(GBytes) icc = ms_test_profile_wide(2.2), text = g_bytes_new_static("0", 2);
  g_autoptr(MsMetadata) metadata = ms_metadata_new(icc, NULL, 0, 0);

  ms_metadata_take_geo(metadata, ms_geo_new_no_data(text));
  g_autoptr(MsImage) image = ms_image_new_take(9, 7, g_malloc0(9 * 7 * 4), metadata);
  return ms_service_picture(image);
}

static void
add_service_seeds(GPtrArray *seeds, MsTimingLog *log)
{
  const MsSettings settings = ms_settings_default();
  g_autoptr(GVariant) values = g_variant_ref_sink(ms_settings_to_variant(&settings));
  g_autoptr(GVariant) timings = g_variant_ref_sink(ms_timing_log_to_variant(log));

  add_seed(seeds, MS_REQUEST_OPEN, g_variant_new("(u(s))", 1, "auto"));
  add_seed(seeds, MS_REQUEST_FILTER,
           g_variant_new("(u(@" MS_PICTURE_TYPE "(iiii)@as))", 1, some_picture(), 0, 0, 3, 2, values));
  add_seed(seeds, MS_REQUEST_REGIONS,
           g_variant_new("(u(@" MS_PICTURE_TYPE "(ud)@as))", 1, some_picture(), 5, 0.5, values));
  add_seed(seeds, MS_REQUEST_STATISTICS,
           g_variant_new("(u(@" MS_PICTURE_TYPE "@" MS_PICTURE_TYPE "u))", 1, some_picture(), some_picture(), 7));
  add_seed(seeds, MS_ANSWER_PIECE, g_variant_new("(u(bii))", 1, TRUE, 0, 4));
  add_seed(seeds, MS_ANSWER_FAILED, g_variant_new("(u(bussb))", 1, FALSE, 3, "sentence", "sentence", TRUE));
  add_seed(seeds, MS_ANSWER_FILTERED,
           g_variant_new("(u(@as@" MS_TIMING_LOG_TYPE "m@" MS_PROGRAM_SPEC_TYPE "msmss))", 1, values, timings, NULL,
                         "log", NULL, "digest"));
  add_seed(seeds, MS_ANSWER_SO_FAR, g_variant_new("(u(s))", 0, "a table"));
  add_seed(seeds, MS_ANSWER_DONE, g_variant_new("(u(i))", 0, 4));
  add_seed(seeds, MS_ANSWER_REGIONS, g_variant_new("(u(ut))", 1, 3, (guint64)4));
}

static GVariant *
numbered(GVariant *content)
{
  GVariant *members[] = {g_variant_new_uint32(0), content};

  return g_variant_new_tuple(members, 2);
}

GPtrArray *
ms_fuzz_seeds(void)
{
  GPtrArray *seeds = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
  g_autoptr(GPtrArray) items = g_ptr_array_new_with_free_func((GDestroyNotify)ms_batch_item_free);
  MsBatchItem *item = ms_batch_item_new(7, "in/a.png", "a.png");
  const double time = 1.5;

  g_ptr_array_add(items, item);
  item->output = g_strdup("out/a.png");
  item->log = ms_timing_log_new();
  ms_timing_log_add_host(item->log, MS_STAGE_KERNEL, "kernel", 0, g_get_monotonic_time());
  g_array_append_val(item->kernel_ms, time);
  add_seed(seeds, MS_REQUEST_ITEMS, numbered(ms_worker_new_items(items, FALSE)));
  add_seed(seeds, MS_ANSWER_PROGRESS, g_variant_new("(u(d))", 0, 0.5));
  for (MsBatchEventKind kind = MS_BATCH_PLANNED; kind <= MS_BATCH_NOTE; kind++)
    add_seed(seeds, MS_ANSWER_EVENT, numbered(ms_batch_event_to_message(&(MsBatchEvent){.kind = kind, .item = item})));
  add_service_seeds(seeds, item->log);
  return seeds;
}
