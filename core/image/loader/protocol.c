/* SPDX-License-Identifier: MIT */
#include "core/image/loader/protocol.h"

static const MsMessageType requests[] = {
  [MS_LOADER_LOAD] = {"load", "(st(ut)(ut))", 0},
  [MS_LOADER_DECODE] = {"decode", "((ut))", 1},
};

static const MsMessageType answers[] = {
  [MS_LOADER_SIZE] = {"size", "(iiu)", 0},
  [MS_LOADER_DONE] = {"done", "(uays)", 0},
  [MS_LOADER_FAILED] = {"failed", "(us)", 0},
};

const MsProtocol ms_loader_requests = {requests, G_N_ELEMENTS(requests)};
const MsProtocol ms_loader_answers = {answers, G_N_ELEMENTS(answers)};
