/* SPDX-License-Identifier: MIT */
#include "core/service/protocol.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/opencl/device.h"
#include "core/opencl/program.h"
#include "core/opencl/timing.h"
#include "core/record/record.h"

static const MsMessageType requests[] = {
  [MS_REQUEST_OPEN] = {"open", "(u(s))", 0},
  [MS_REQUEST_FILTER] = {"filter", "(u(" MS_PICTURE_TYPE "(iiii)as))", 3},
  [MS_REQUEST_STATISTICS] = {"statistics", "(u(" MS_PICTURE_TYPE MS_PICTURE_TYPE "u))", 2},
  [MS_REQUEST_REGIONS] = {"regions", "(u(" MS_PICTURE_TYPE "(ud)as))", 1},
  [MS_REQUEST_COMPILE] = {"compile", "(u" MS_PROGRAM_SPEC_TYPE ")", 0},
  [MS_REQUEST_BANDWIDTH] = {"bandwidth", "(u())", 0},
  [MS_REQUEST_CANCEL] = {"cancel", "(u())", 0},
  [MS_REQUEST_COMMAND] = {"command", "(u())", 0},
  [MS_REQUEST_DEVICE] = {"device", "(u(b))", 0},
  [MS_REQUEST_ITEMS] = {"items", "(u(ba" MS_RECORD_MESSAGE "))", 0},
};

static const MsMessageType answers[] = {
  [MS_ANSWER_PROGRESS] = {"progress", "(u(d))", 0},
  [MS_ANSWER_PIECE] = {"piece", "(u(bii))", 0},
  [MS_ANSWER_FAILED] = {"failed", "(u(bussb))", 0},
  [MS_ANSWER_OPENED] = {"opened", "(u(a" MS_DEVICE_SNAPSHOT "ims))", 0},
  [MS_ANSWER_FILTERED] = {"filtered", "(u(as" MS_TIMING_LOG_TYPE "m" MS_PROGRAM_SPEC_TYPE "msmss))", 0},
  [MS_ANSWER_STATISTICS] = {"statistics", "(u(ayayay))", 0},
  [MS_ANSWER_REGIONS] = {"regions", "(u(ut))", 1},
  [MS_ANSWER_COMPILED] = {"compiled", "(u(s))", 0},
  [MS_ANSWER_BANDWIDTH] = {"bandwidth", "(u(dd))", 0},
  [MS_ANSWER_SO_FAR] = {"so far", "(u(s))", 0},
  [MS_ANSWER_RESULTS] = {"results", "(u())", 0},
  [MS_ANSWER_EVENT] = {"event", "(u" MS_RECORD_MESSAGE ")", 0},
  [MS_ANSWER_DONE] = {"done", "(u(i))", 0},
};

const MsProtocol ms_service_requests = {requests, G_N_ELEMENTS(requests)};
const MsProtocol ms_service_answers = {answers, G_N_ELEMENTS(answers)};

/**
 * ms_service_answer: sends an answer to the request @number.
 * @content: (transfer floating)
 *
 * An error means that the process which watches this one has gone, which ends this one.
 */
void
ms_service_answer(MsChannel *channel, guint32 number, MsAnswerKind kind, GVariant *content, const int *fds)
{
  GVariant *members[] = {g_variant_new_uint32(number), content};

  ms_channel_send(channel, kind, g_variant_new_tuple(members, 2), fds, NULL);
}

/** ms_service_answer_done: ends a request of the command line. */
void
ms_service_answer_done(MsChannel *channel, int status)
{
  ms_service_answer(channel, 0, MS_ANSWER_DONE, g_variant_new("(i)", status), NULL);
}

/**
 * ms_service_answer_failure: names of files and devices may not be UTF-8, which texts of messages are.
 * @is_lost: whether the device cannot be used any longer
 */
void
ms_service_answer_failure(MsChannel *channel, guint32 number, const GError *error, gboolean is_lost)
{
  const gboolean is_cancelled = g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  const guint code = error->domain == MS_ERROR ? (guint)error->code : MS_ERROR_IO;
  g_autofree char *english = ms_error_dup_english(error);
  g_autofree char *valid = g_utf8_make_valid(error->message, -1), *valid_english = g_utf8_make_valid(english, -1);

  ms_service_answer(channel, number, MS_ANSWER_FAILED,
                    g_variant_new("(bussb)", is_cancelled, code, valid, valid_english, is_lost), NULL);
}

/** ms_service_take_failure: (transfer full): the error of ms_service_answer_failure(). */
GError *
ms_service_take_failure(GVariant *content, gboolean *is_lost)
{
  const char *translated, *english;
  gboolean is_cancelled;
  GError *error = NULL;
  guint code;

  g_variant_get(content, "(bu&s&sb)", &is_cancelled, &code, &translated, &english, is_lost);
  if (is_cancelled)
    return g_error_new_literal(G_IO_ERROR, G_IO_ERROR_CANCELLED, translated);
  ms_error_take(&error, code <= MS_ERROR_MISMATCH ? (MsError)code : MS_ERROR_DEVICE, g_strdup(translated),
                g_strdup(english));
  return error;
}

/** ms_service_start: how a child of @role is started that answers requests. */
MsChildStart
ms_service_start(const char *role)
{
  return (MsChildStart){.role = role,
                        .is_bare = g_str_equal(role, MS_SERVICE_ROLE),
                        .from_child = &ms_service_answers,
                        .to_child = &ms_service_requests,
                        .captures_stderr = TRUE};
}

/** ms_service_request: sends a request to the process of @driver; @content: (transfer floating) */
void
ms_service_request(MsDriver *driver, guint32 number, MsRequestKind kind, GVariant *content, const int *fds)
{
  GVariant *members[] = {g_variant_new_uint32(number), content};

  ms_driver_send(driver, kind, g_variant_new_tuple(members, 2), fds);
}

/** ms_service_bytes: (transfer floating): a copy of a plain struct as "ay". */
GVariant *
ms_service_bytes(gconstpointer data, gsize size)
{
  return g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, data, size, 1);
}

/** ms_service_take_bytes: copies a plain struct out of an "ay"; %FALSE unless it has this size. */
gboolean
ms_service_take_bytes(GVariant *bytes, gpointer data, gsize size)
{
  if (g_variant_get_size(bytes) != size)
    return FALSE;
  memcpy(data, g_variant_get_data(bytes), size);
  return TRUE;
}

static GVariant *
bytes_or_none(GBytes *bytes)
{
  return bytes ? g_variant_new_from_bytes(G_VARIANT_TYPE_BYTESTRING, bytes, TRUE) : ms_service_bytes(NULL, 0);
}

/* (transfer full) (nullable): the bytes of a member, %NULL where there are none. */
static GBytes *
take_bytes_of(GVariant *picture, gsize member)
{
  g_autoptr(GVariant) bytes = g_variant_get_child_value(picture, member);

  return g_variant_get_size(bytes) > 0 ? g_variant_get_data_as_bytes(bytes) : NULL;
}

/** ms_service_picture: (transfer floating): an %MS_PICTURE_TYPE with what the results depend on besides the pixels. */
GVariant *
ms_service_picture(MsImage *image)
{
  const MsMetadata *metadata = ms_image_get_metadata(image);

  return g_variant_new("(ii@ay@ay)", ms_image_get_width(image), ms_image_get_height(image),
                       bytes_or_none(metadata ? metadata->icc : NULL),
                       bytes_or_none(metadata ? ms_geo_get_no_data_text(metadata->geo) : NULL));
}

/**
 * ms_service_take_picture:
 * @picture: an %MS_PICTURE_TYPE, whose lengths the channel has checked
 * @fd: the memory of its pixels
 *
 * Returns: (transfer full) (nullable): the picture, %NULL with #MS_ERROR_MEMORY where the memory has not its size
 */
MsImage *
ms_service_take_picture(GVariant *picture, int fd, GError **error)
{
  g_autoptr(GBytes) icc = take_bytes_of(picture, 2), no_data = take_bytes_of(picture, 3);
  int width, height;

  g_variant_get_child(picture, 0, "i", &width);
  g_variant_get_child(picture, 1, "i", &height);
  const gsize size = width > 0 && height > 0 ? (gsize)width * (gsize)height * 4 : 0;
  g_autoptr(GBytes) pixels = ms_channel_read_memory(fd, size, error);
  if (!pixels)
    return NULL;
  g_autoptr(MsMetadata) metadata = ms_metadata_new(icc, NULL, 0, 0);
  ms_metadata_take_geo(metadata, ms_geo_new_no_data(no_data));
  return ms_image_new(width, height, pixels, metadata);
}

/* Bytes of the three parts. */
typedef struct {
  gsize labels;
  gsize segments;
  gsize neighbours;
} Sizes;

static Sizes
sizes_of(gsize pixels, guint32 n, gsize n_neighbours)
{
  return (Sizes){pixels * sizeof(guint32), n * sizeof(MsSegment), n_neighbours * sizeof(guint32)};
}

/** ms_regions_answer_new: a descriptor of shared memory with the regions; -1 with #MS_ERROR_MEMORY. */
int
ms_regions_answer_new(const MsSegmentation *segmentation, const MsSegmentTable *table, GError **error)
{
  const Sizes sizes = sizes_of((gsize)segmentation->width * (gsize)segmentation->height, table->n, table->n_neighbours);
  const gsize size = sizes.labels + sizes.segments + sizes.neighbours;
  const int fd = ms_channel_new_memory(size, error);
  guint8 *data = fd >= 0 ? ms_channel_map_memory(fd, size, TRUE, error) : NULL;

  if (!data) {
    if (fd >= 0)
      close(fd);
    return -1;
  }
  memcpy(data, segmentation->labels, sizes.labels);
  memcpy(data + sizes.labels, table->segments, sizes.segments);
  memcpy(data + sizes.labels + sizes.segments, table->neighbours, sizes.neighbours);
  munmap(data, size);
  return fd;
}

/* Checks a segment and points it to its neighbours, which follow those of the segments before it. */
static gboolean
place_segment(MsSegment *segment, const MsSegmentation *of, const MsSegmentTable *table, gsize *place)
{
  if (segment->left < 0 || segment->left > segment->right || segment->right >= of->width || segment->top < 0 ||
      segment->top > segment->bottom || segment->bottom >= of->height ||
      segment->n_neighbours > table->n_neighbours - *place)
    return FALSE;
  segment->neighbours = table->neighbours + *place;
  *place += segment->n_neighbours;
  return TRUE;
}

static gboolean
check_segment_table(const MsSegmentation *segmentation, MsSegmentTable *table, gboolean has_no_data)
{
  gsize place = 0;

  for (guint32 i = 0; i < table->n; i++)
    if (!place_segment(&table->segments[i], segmentation, table, &place))
      return FALSE;
  return ms_labels_are_within(segmentation->labels, (gsize)segmentation->width * (gsize)segmentation->height,
                              has_no_data ? 0 : 1, table->n) &&
         ms_labels_are_within(table->neighbours, table->n_neighbours, 1, table->n);
}

/**
 * ms_regions_answer_read:
 * @content: of %MS_ANSWER_REGIONS
 * @fd: its memory, from a process whose driver may have written anything to it
 * @source: the picture of the request
 *
 * Copies the regions and checks the copies.
 *
 * Returns: whether they make sense; otherwise there is nothing to free
 */
gboolean
ms_regions_answer_read(GVariant *content, int fd, MsImage *source, MsSegmentation **segmentation,
                       MsSegmentTable **table)
{
  const gsize pixels = ms_image_get_byte_size(source) / 4;
  guint8 no_data;
  const gboolean has_no_data = ms_image_get_no_data(source, &no_data);
  guint64 n_neighbours;
  guint32 n;

  g_variant_get(content, "(ut)", &n, &n_neighbours);
  if ((n == 0 && !has_no_data) || n > pixels || n_neighbours > 8 * (guint64)pixels)
    return FALSE;
  const Sizes sizes = sizes_of(pixels, n, n_neighbours);
  g_autoptr(GBytes) mapped = ms_channel_read_memory(fd, sizes.labels + sizes.segments + sizes.neighbours, NULL);
  const guint8 *data = mapped ? g_bytes_get_data(mapped, NULL) : NULL;
  if (!data)
    return FALSE;
  *segmentation = g_new(MsSegmentation, 1);
  **segmentation = (MsSegmentation){.width = ms_image_get_width(source),
                                    .height = ms_image_get_height(source),
                                    .n = n,
                                    .labels = g_memdup2(data, sizes.labels)};
  *table = g_new(MsSegmentTable, 1);
  **table = (MsSegmentTable){n, n_neighbours, g_memdup2(data + sizes.labels, sizes.segments),
                             g_memdup2(data + sizes.labels + sizes.segments, sizes.neighbours)};
  if (check_segment_table(*segmentation, *table, has_no_data))
    return TRUE;
  g_clear_pointer(segmentation, ms_segmentation_free);
  g_clear_pointer(table, ms_segment_table_free);
  return FALSE;
}
