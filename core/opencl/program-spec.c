/* SPDX-License-Identifier: MIT */
#include "core/opencl/program-spec.h"

#include <gio/gio.h>
#include <string.h>

#include "ms-kernels.h"

#define STANDARD "-cl-std=CL1.2"
#define KERNEL_PREFIX "/io/github/meanshift_lab/MeanshiftLab/kernels/"

struct _MsProgramSpec {
  GObject parent_instance;
  GPtrArray *parts;    /* interned names */
  GHashTable *sources; /* texts of the parts that are not files of kernels/, by name */
  GString *options;
};

G_DEFINE_FINAL_TYPE(MsProgramSpec, ms_program_spec, G_TYPE_OBJECT)

static void
ms_program_spec_finalize(GObject *object)
{
  MsProgramSpec *self = MS_PROGRAM_SPEC(object);

  g_ptr_array_unref(self->parts);
  g_hash_table_unref(self->sources);
  g_string_free(self->options, TRUE);
  G_OBJECT_CLASS(ms_program_spec_parent_class)->finalize(object);
}

static void
ms_program_spec_class_init(MsProgramSpecClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_program_spec_finalize;
}

static void
ms_program_spec_init(MsProgramSpec *self)
{
  self->parts = g_ptr_array_new();
  self->sources = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_bytes_unref);
  self->options = g_string_new(STANDARD);
}

/** ms_program_spec_new: a spec without parts, for OpenCL C 1.2. */
MsProgramSpec *
ms_program_spec_new(void)
{
  return g_object_new(MS_TYPE_PROGRAM_SPEC, NULL);
}

/**
 * ms_program_spec_add_part:
 * @part: a file of kernels/ by its path there, as in "prelude/types.cl"; parts are compiled in the order they are added
 */
void
ms_program_spec_add_part(MsProgramSpec *self, const char *part)
{
  g_ptr_array_add(self->parts, (gpointer)g_intern_string(part));
}

/** ms_program_spec_add_source: adds a part that is not a file of kernels/; build logs show it as @name. */
void
ms_program_spec_add_source(MsProgramSpec *self, const char *name, GBytes *source)
{
  ms_program_spec_add_part(self, name);
  g_hash_table_replace(self->sources, (gpointer)g_intern_string(name), g_bytes_ref(source));
}

void
ms_program_spec_define_int(MsProgramSpec *self, const char *name, gint64 value)
{
  g_string_append_printf(self->options, " -D%s=%" G_GINT64_FORMAT, name, value);
}

/**
 * ms_program_spec_define_text: adds -DNAME=TEXT; @text must not contain blanks or quotes, which drivers split
 * differently.
 */
void
ms_program_spec_define_text(MsProgramSpec *self, const char *name, const char *text)
{
  g_return_if_fail(strpbrk(text, " \t\"'\\") == NULL);

  g_string_append_printf(self->options, " -D%s=%s", name, text);
}

/** ms_program_spec_set_standard: chooses the version of OpenCL C, as in "CL3.0", instead of 1.2; call it once. */
void
ms_program_spec_set_standard(MsProgramSpec *self, const char *standard)
{
  g_return_if_fail(g_str_has_prefix(self->options->str, STANDARD));

  g_string_erase(self->options, 0, strlen(STANDARD));
  g_string_prepend(self->options, standard);
  g_string_prepend(self->options, "-cl-std=");
}

guint
ms_program_spec_get_n_parts(MsProgramSpec *self)
{
  return self->parts->len;
}

const char *
ms_program_spec_get_part(MsProgramSpec *self, guint index)
{
  return g_ptr_array_index(self->parts, index);
}

/* (transfer full): the text of a part; a part that does not exist is a programming error. */
static GBytes *
part_source(MsProgramSpec *self, guint index)
{
  GBytes *own = g_hash_table_lookup(self->sources, ms_program_spec_get_part(self, index));
  g_autofree char *path = g_strconcat(KERNEL_PREFIX, ms_program_spec_get_part(self, index), NULL);
  g_autoptr(GError) error = NULL;
  GBytes *source = own ? g_bytes_ref(own)
                       : g_resource_lookup_data(ms_kernels_get_resource(), path, G_RESOURCE_LOOKUP_FLAGS_NONE, &error);

  if (error)
    g_error("Kernel part %s is not embedded: %s", path, error->message);
  return source;
}

/** ms_program_spec_to_variant: (transfer floating): for another process of this program. */
GVariant *
ms_program_spec_to_variant(MsProgramSpec *self)
{
  GVariantBuilder parts;

  g_variant_builder_init(&parts, G_VARIANT_TYPE("a(sms)"));
  for (guint i = 0; i < self->parts->len; i++) {
    const char *name = ms_program_spec_get_part(self, i);
    GBytes *own = g_hash_table_lookup(self->sources, name);
    g_autofree char *text = own ? g_strndup(g_bytes_get_data(own, NULL), g_bytes_get_size(own)) : NULL;
    g_variant_builder_add(&parts, "(sms)", name, text);
  }
  return g_variant_new("(sa(sms))", self->options->str, &parts);
}

static gboolean
is_embedded(const char *part)
{
  g_autofree char *path = g_strconcat(KERNEL_PREFIX, part, NULL);

  return g_resource_get_info(ms_kernels_get_resource(), path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL, NULL, NULL);
}

/** ms_program_spec_new_from_variant: (transfer full) (nullable): %NULL if it names a part that does not exist. */
MsProgramSpec *
ms_program_spec_new_from_variant(GVariant *variant)
{
  g_autoptr(MsProgramSpec) self = ms_program_spec_new();
  g_autoptr(GVariantIter) parts = NULL;
  const char *options, *name, *text;

  g_variant_get(variant, "(&sa(sms))", &options, &parts);
  g_string_assign(self->options, options);
  while (g_variant_iter_next(parts, "(&sm&s)", &name, &text)) {
    g_autoptr(GBytes) source = text ? g_bytes_new(text, strlen(text)) : NULL;
    if (source)
      ms_program_spec_add_source(self, name, source);
    else if (is_embedded(name))
      ms_program_spec_add_part(self, name);
    else
      return NULL;
  }
  return g_steal_pointer(&self);
}

/** ms_program_spec_get_options: the options as the compiler gets them. */
const char *
ms_program_spec_get_options(MsProgramSpec *self)
{
  return self->options->str;
}

/**
 * ms_program_spec_compose:
 *
 * Returns: (transfer full): the whole program as the device compiles it. A #line before each part makes the build log
 *   name the part's own file and line.
 */
char *
ms_program_spec_compose(MsProgramSpec *self)
{
  GString *text = g_string_new(NULL);

  for (guint i = 0; i < self->parts->len; i++) {
    g_autoptr(GBytes) source = part_source(self, i);
    g_string_append_printf(text, "#line 1 \"%s\"\n", ms_program_spec_get_part(self, i));
    g_string_append_len(text, g_bytes_get_data(source, NULL), (gssize)g_bytes_get_size(source));
    g_string_append_c(text, '\n');
  }
  return g_string_free(text, FALSE);
}

/** ms_program_spec_hash: (transfer full): SHA-256 in hex over sources and options. */
char *
ms_program_spec_hash(MsProgramSpec *self)
{
  g_autofree char *source = ms_program_spec_compose(self);
  g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);

  g_checksum_update(sum, (const guchar *)source, -1);
  g_checksum_update(sum, (const guchar *)"", 1);
  g_checksum_update(sum, (const guchar *)self->options->str, -1);
  return g_strdup(g_checksum_get_string(sum));
}
