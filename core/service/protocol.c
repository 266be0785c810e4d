/* SPDX-License-Identifier: MIT */
#include "core/service/protocol.h"

#include <string.h>

#include "core/opencl/device.h"
#include "core/opencl/program-spec.h"
#include "core/opencl/timing.h"

static const MsMessageType requests[] = {
  [MS_REQUEST_OPEN] = {"open", "(u(s))", 0},
  [MS_REQUEST_FILTER] = {"filter", "(u((ii)(iiii)as))", 3},
  [MS_REQUEST_STATISTICS] = {"statistics", "(u((ii)(ii)u))", 2},
  [MS_REQUEST_REGIONS] = {"regions", "(u((ii)uas))", 1},
  [MS_REQUEST_COMPILE] = {"compile", "(u" MS_PROGRAM_SPEC_TYPE ")", 0},
  [MS_REQUEST_BANDWIDTH] = {"bandwidth", "(u())", 0},
  [MS_REQUEST_CANCEL] = {"cancel", "(u())", 0},
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
};

const MsProtocol ms_service_requests = {requests, G_N_ELEMENTS(requests)};
const MsProtocol ms_service_answers = {answers, G_N_ELEMENTS(answers)};

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
