/* SPDX-License-Identifier: MIT */
/* Writing to pipes and devices, which may take bytes slowly or not at all; each wait can be cancelled. */
#pragma once

#include "core/file.h"

int ms_pipe_output_open(int folder, const char *name, const MsStreamWait *wait, GCancellable *cancellable,
                        GError **error);
gboolean ms_pipe_output_write_standard(GBytes *bytes, const MsStreamWait *wait, GCancellable *cancellable,
                                       GError **error);
int ms_pipe_output_write(int fd, const void *data, gsize size, const MsStreamWait *wait, GCancellable *cancellable,
                         GError **error);
