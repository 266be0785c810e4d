/* SPDX-License-Identifier: MIT */
/* MsProgramSpec: describes a kernel program by an ordered list of parts (files of kernels/) and its constants. */
#pragma once

#include "core/opencl/cl.h"
#include "core/opencl/device.h"

typedef struct _MsProgramSpec MsProgramSpec;

/** MS_PROGRAM_SPEC_TYPE: the GVariant type of ms_program_spec_to_variant(): options, then names and texts of parts. */
#define MS_PROGRAM_SPEC_TYPE "(sa(sms))"

MsProgramSpec *ms_program_spec_new(void);
MsProgramSpec *ms_program_spec_ref(MsProgramSpec *self);
void ms_program_spec_unref(MsProgramSpec *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsProgramSpec, ms_program_spec_unref)

GVariant *ms_program_spec_to_variant(MsProgramSpec *self);
MsProgramSpec *ms_program_spec_new_from_variant(GVariant *variant);
void ms_program_spec_add_part(MsProgramSpec *self, const char *part);
void ms_program_spec_add_parts(MsProgramSpec *self, const char *const *parts, guint n_parts);
void ms_program_spec_add_source(MsProgramSpec *self, const char *name, GBytes *source);
gboolean ms_program_spec_replace_part(MsProgramSpec *self, const char *part, GBytes *source);
void ms_program_spec_define_int(MsProgramSpec *self, const char *name, gint64 value);
void ms_program_spec_define_text(MsProgramSpec *self, const char *name, const char *text);
void ms_program_spec_set_standard(MsProgramSpec *self, const char *standard);
void ms_program_spec_require_images(MsProgramSpec *self, guint opencl_version);

guint ms_program_spec_get_n_parts(MsProgramSpec *self);
const char *ms_program_spec_get_part(MsProgramSpec *self, guint index);
const char *ms_program_spec_get_options(MsProgramSpec *self);
char *ms_program_spec_compose(MsProgramSpec *self);
char *ms_program_spec_identify(MsProgramSpec *self);
char *ms_program_spec_hash(MsProgramSpec *self);

char *ms_program_cache_key(MsDevice *device, MsProgramSpec *spec);
char *ms_program_cache_folder(void);
gboolean ms_program_is_cached(MsDevice *device, MsProgramSpec *spec);

/** MsProgram: a kernel program built for one device, from its spec or from the binary cache. */
typedef struct _MsProgram MsProgram;

MsProgramSpec *ms_program_get_spec(MsProgram *self);
GBytes *ms_program_dup_binary(MsProgram *self);
char *ms_program_hash_binary(MsProgram *self);
gboolean ms_program_has_kernel(MsProgram *self, cl_kernel kernel);
void ms_program_split_log(const char *text, char **log, char **usage);
const char *ms_program_find_usage(MsProgram *self, cl_context context);

MsProgram *ms_program_build(cl_context context, MsDevice *device, MsProgramSpec *spec, const char *cache_folder,
                            GError **error);
const char *ms_program_get_log(MsProgram *self);
gboolean ms_program_is_from_cache(MsProgram *self);
cl_kernel ms_program_create_kernel(MsProgram *self, const char *name, GError **error);
void ms_program_free(MsProgram *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsProgram, ms_program_free)
