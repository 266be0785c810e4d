/* SPDX-License-Identifier: MIT */
/*
 * MsManifest: a file with JSON lines about images, from which an interrupted batch is resumed, and further ones of
 * other processes, which are only read. The first line about an image is written before its output gets its name, the
 * second when it is done; where the run was killed in between, the file itself shows whether it got its name.
 */
#pragma once

#include "core/batch/item.h"
#include "core/batch/manifest-entry.h"

typedef struct _MsManifest MsManifest;

MsManifest *ms_manifest_load(const char *path, GError **error);
gboolean ms_manifest_read_more(MsManifest *self, const char *name, GError **error);
void ms_manifest_free(MsManifest *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsManifest, ms_manifest_free)
MsManifest *ms_manifest_open(const char *path, GError **error);
char *ms_manifest_describe_ignored(MsManifest *self);
gboolean ms_manifest_begin(MsManifest *self, GError **error);
gboolean ms_manifest_complete(MsManifest *self, GPtrArray *items, GError **error);
const MsManifestEntry *ms_manifest_find(MsManifest *self, const char *input);
const MsManifestEntry *ms_manifest_find_done(MsManifest *self, const MsBatchItem *item, const MsBatchRequest *request);
const char *ms_manifest_find_owner(MsManifest *self, const char *path);
gboolean ms_manifest_announce(MsManifest *self, const MsBatchItem *item, const MsBatchRequest *request, GError **error);
gboolean ms_manifest_append(MsManifest *self, const MsBatchItem *item, const MsBatchRequest *request, GError **error);
