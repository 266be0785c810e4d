/* SPDX-License-Identifier: MIT */
/* Any packet from another process: it is refused, or it is a message that can be read to its end. */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/batch/worker.h"
#include "tests/fuzz/fuzz.h"

#define MOST_PACKET 60000

static void
read_result(GVariant *payload, guint member)
{
  g_autoptr(MsBatchItem) item = ms_batch_item_new(1, "a.png", "a.png");
  g_autoptr(GVariant) result = g_variant_get_child_value(payload, member);
  gsize length = 0;

  ms_worker_message_take_result(result, item);
  for (guint i = 0; item->log && i < ms_timing_log_get_length(item->log); i++)
    length += strlen(ms_stage_name(ms_timing_log_get(item->log, i)->stage));
  g_assert_cmpuint(length, <, G_MAXSIZE);
}

static void
receive(int end, const MsProtocol *protocol)
{
  g_autoptr(MsChannel) channel = ms_channel_new(end, protocol, protocol, FALSE);
  g_auto(MsMessage) message;

  if (ms_channel_receive(channel, &message) != MS_RECEIPT_MESSAGE)
    return;
  g_assert_cmpuint(message.kind, <, protocol->n);
  if (protocol == &ms_worker_requests)
    g_ptr_array_unref(ms_worker_message_get_jobs(message.payload));
  else if (message.kind == MS_WORKER_SAVING || message.kind == MS_WORKER_FINISHED)
    read_result(message.payload, message.kind == MS_WORKER_SAVING ? 3 : 2);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const MsProtocol *const protocols[] = {&ms_worker_results, &ms_worker_requests};

  for (gsize i = 0; i < G_N_ELEMENTS(protocols); i++) {
    int ends[2];
    g_assert_true(ms_channel_open_pair(ends, NULL));
    g_assert_cmpint(send(ends[1], data, MIN(size, MOST_PACKET), MSG_DONTWAIT), >=, 0);
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
  add_seed(seeds, MS_WORKER_JOBS, ms_worker_message_new_jobs(items));
  add_seed(seeds, MS_WORKER_DEVICE, g_variant_new("(ssss)", "name", "platform", "1", "cpu"));
  add_seed(seeds, MS_WORKER_PROGRESS, g_variant_new("(uii)", 0, 1, 2));
  add_seed(seeds, MS_WORKER_FINISHED, g_variant_new("(ui@aay)", 0, 1, ms_worker_message_new_result(item)));
  add_seed(seeds, MS_WORKER_SAVING,
           g_variant_new("(utt@aay)", 0, (guint64)1, (guint64)2, ms_worker_message_new_result(item)));
  add_seed(seeds, MS_WORKER_ENDED, g_variant_new("(bi^ay^ay)", FALSE, 1, "sentence", "sentence"));
  return seeds;
}
