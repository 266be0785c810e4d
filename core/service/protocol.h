/* SPDX-License-Identifier: MIT */
/*
 * The messages between a process that loads an OpenCL driver and the one that watches it, for the window, for commands
 * and for batches. Both ends are the same program, so that plain structs travel as bytes. Every payload is a pair: the
 * number of the request, and what is particular to the kind. Requests of the command line have the number 0, and what
 * is said of an item of a batch has its place among the items.
 */
#pragma once

#include "core/process/driver.h"
#include "core/regions/segment-table.h"

/**
 * MS_SERVICE_ROLE: of a child without arguments, for ms_child_get_role()
 * MS_SERVICE_ROLE_COMMAND: of one with the command line of its parent, whose requests need it
 */
#define MS_SERVICE_ROLE "device"
#define MS_SERVICE_ROLE_COMMAND "command"

/**
 * MsRequestKind: what is asked for; one request runs at a time.
 * @MS_REQUEST_OPEN: open the device of a selector and list all
 * @MS_REQUEST_FILTER: filter a source, the visible part first; descriptors of the source, the result, the visible part
 * @MS_REQUEST_STATISTICS: statistics of one or two pictures and their comparison, as #MsWanted says
 * @MS_REQUEST_REGIONS: find the regions of a source
 * @MS_REQUEST_COMPILE: build a program without the cache
 * @MS_REQUEST_BANDWIDTH: the peak bandwidth of the device
 * @MS_REQUEST_CANCEL: of the request of this number, which is answered all the same
 * @MS_REQUEST_COMMAND: carry out the command line and end
 * @MS_REQUEST_DEVICE: open the device of the command line, or the processor in its place
 * @MS_REQUEST_ITEMS: the same, filter items of a batch by it, and end
 */
typedef enum {
  MS_REQUEST_OPEN,
  MS_REQUEST_FILTER,
  MS_REQUEST_STATISTICS,
  MS_REQUEST_REGIONS,
  MS_REQUEST_COMPILE,
  MS_REQUEST_BANDWIDTH,
  MS_REQUEST_CANCEL,
  MS_REQUEST_COMMAND,
  MS_REQUEST_DEVICE,
  MS_REQUEST_ITEMS,
  MS_N_REQUESTS,
} MsRequestKind;

/**
 * MsAnswerKind: what the child sends. To the window, the first two are reports during a request, and every other one
 * ends it; from @MS_ANSWER_OPENED on in the order of the requests. A request of the command line ends with
 * @MS_ANSWER_DONE or @MS_ANSWER_FAILED.
 * @MS_ANSWER_PROGRESS: the finished share, 0 to 1
 * @MS_ANSWER_PIECE: finished rows: whether of the visible part, the first, how many
 * @MS_ANSWER_FAILED: whether it was cancelled, the code of #MsError, the sentence translated and in English, whether
 *   the device is lost
 * @MS_ANSWER_OPENED: all devices, the index of the one in use (-1 for the serial reference), what the user should know
 * @MS_ANSWER_FILTERED: settings used, timings, program, build log, why faster kernels were rejected, digest
 * @MS_ANSWER_STATISTICS: #MsImageStatistics of both pictures and #MsImageComparison, each empty where not wanted
 * @MS_ANSWER_REGIONS: numbers of regions and of neighbours; memory with labels, segments, neighbours
 * @MS_ANSWER_COMPILED: the output of the compiler
 * @MS_ANSWER_BANDWIDTH: read and copy in 10^9 bytes a second
 * @MS_ANSWER_SO_FAR: of a command: a text for people on what is done
 * @MS_ANSWER_RESULTS: of a command: results are written from now on, so that nothing is repeated
 * @MS_ANSWER_EVENT: what happens in a batch: see ms_batch_event_to_message()
 * @MS_ANSWER_DONE: the exit status of a command, else 0
 */
typedef enum {
  MS_ANSWER_PROGRESS,
  MS_ANSWER_PIECE,
  MS_ANSWER_FAILED,
  MS_ANSWER_OPENED,
  MS_ANSWER_FILTERED,
  MS_ANSWER_STATISTICS,
  MS_ANSWER_REGIONS,
  MS_ANSWER_COMPILED,
  MS_ANSWER_BANDWIDTH,
  MS_ANSWER_SO_FAR,
  MS_ANSWER_RESULTS,
  MS_ANSWER_EVENT,
  MS_ANSWER_DONE,
} MsAnswerKind;

/** MsWanted: what a request for statistics computes; flags. */
typedef enum {
  MS_WANTED_BEFORE = 1 << 0,
  MS_WANTED_AFTER = 1 << 1,
  MS_WANTED_COMPARISON = 1 << 2,
} MsWanted;

/** MS_PICTURE_TYPE: a picture whose pixels a descriptor carries: width, height, ICC profile, text of GDAL_NODATA. */
#define MS_PICTURE_TYPE "(iiayay)"

extern const MsProtocol ms_service_requests;
extern const MsProtocol ms_service_answers;

void ms_service_answer(MsChannel *channel, guint32 number, MsAnswerKind kind, GVariant *content, const int *fds);
void ms_service_answer_done(MsChannel *channel, int status);
void ms_service_answer_failure(MsChannel *channel, guint32 number, const GError *error, gboolean is_lost);
GError *ms_service_take_failure(GVariant *content, gboolean *is_lost);

MsChildStart ms_service_start(const char *role);
void ms_service_request(MsDriver *driver, guint32 number, MsRequestKind kind, GVariant *content, const int *fds);

GVariant *ms_service_bytes(gconstpointer data, gsize size);
gboolean ms_service_take_bytes(GVariant *bytes, gpointer data, gsize size);

GVariant *ms_service_picture(MsImage *image);
MsImage *ms_service_take_picture(GVariant *picture, int fd, GError **error);

int ms_regions_answer_new(const MsSegmentation *segmentation, const MsSegmentTable *table, GError **error);
gboolean ms_regions_answer_read(GVariant *content, int fd, MsImage *source, MsSegmentation **segmentation,
                                MsSegmentTable **table);
