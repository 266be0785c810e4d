/* SPDX-License-Identifier: MIT */
/*
 * The messages between this program and meanshift-lab-loader, which decodes one picture by gdk-pixbuf and ends: the
 * picture's size first, its pixels when they are asked for.
 */
#pragma once

#include "core/process/channel.h"

/** MS_LOADER_PROGRAM: the name of its file. */
#define MS_LOADER_PROGRAM "meanshift-lab-loader"

/** MS_LOADER_DESCRIBE: the argument with which it prints version, confinement and formats as lines of KEY=VALUE. */
#define MS_LOADER_DESCRIBE "--describe"

/**
 * MsLoaderRequest: what the loader is sent. The picture's file is open as its descriptor MS_CHILD_FILES_FD.
 * @MS_LOADER_LOAD: MIME type, bytes that a colour profile may have, limits for now, and the limits of the largest
 *   picture; limits are seconds of processor time and bytes of memory
 * @MS_LOADER_DECODE: limits from now on; shared memory for the pixels, RGBA, of the size that it has stated
 */
typedef enum {
  MS_LOADER_LOAD,
  MS_LOADER_DECODE,
} MsLoaderRequest;

/**
 * MsLoaderAnswer: the messages that the loader sends.
 * @MS_LOADER_SIZE: width, height, number of images in the file: 0 where there are several, but not how many is known
 * @MS_LOADER_DONE: the picture is decoded, and its pixels are in the shared memory: its orientation from 1 to 8, its
 *   colour profile, and a text that says what is damaged, which is empty for a whole file
 * @MS_LOADER_FAILED: an #MsLoaderFailure and what gdk-pixbuf says
 */
typedef enum {
  MS_LOADER_SIZE,
  MS_LOADER_DONE,
  MS_LOADER_FAILED,
} MsLoaderAnswer;

/**
 * MsLoaderFailure:
 * @MS_LOADER_DAMAGED: the file cannot be decoded
 * @MS_LOADER_NO_MODULE: gdk-pixbuf has no module for its format
 * @MS_LOADER_NO_MEMORY: there is not enough memory
 * @MS_LOADER_NOT_CONFINED: glycin decodes the format, and cannot confine its process
 */
typedef enum {
  MS_LOADER_DAMAGED,
  MS_LOADER_NO_MODULE,
  MS_LOADER_NO_MEMORY,
  MS_LOADER_NOT_CONFINED,
} MsLoaderFailure;

extern const MsProtocol ms_loader_requests;
extern const MsProtocol ms_loader_answers;
