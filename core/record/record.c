/* SPDX-License-Identifier: MIT */
#include "core/record/record.h"

#include <math.h>
#include <string.h>

#include "core/csv.h"
#include "core/factors.h"
#include "core/json.h"
#include "core/text.h"

static gpointer
find_member(const MsField *field, gconstpointer record)
{
  const guint8 *owner = record;

  if (field->via)
    owner = *(const guint8 *const *)(owner + field->via - 1);
  return (gpointer)(owner + field->offset);
}

static gint64
read_integer(const MsField *field, gconstpointer member)
{
  if (field->size == sizeof(gint64))
    return *(const gint64 *)member;
  return field->kind == MS_FIELD_WHOLE ? *(const gint32 *)member : (gint64) * (const guint32 *)member;
}

static void
store_integer(const MsField *field, gpointer member, guint64 value)
{
  if (field->size == sizeof value)
    *(guint64 *)member = value;
  else
    *(guint32 *)member = (guint32)value;
}

static void
replace_text(gpointer member, char *text)
{
  g_free(*(char **)member);
  *(char **)member = text;
}

/* JSON */

static void
add_path(const char *name, const char *path, JsonBuilder *builder)
{
  g_autofree char *text = path ? ms_path_to_text(path) : NULL;

  ms_json_add_text(builder, name, text);
}

static void
add_computed_text(const MsField *field, gconstpointer owner, JsonBuilder *builder)
{
  g_autofree char *text = field->text(owner);

  ms_json_add_text(builder, field->name, text);
}

static void
add_numbers(const char *name, const GArray *numbers, JsonBuilder *builder)
{
  ms_json_begin_array(builder, name);
  for (guint i = 0; i < numbers->len; i++)
    ms_json_add_number_element(builder, g_array_index(numbers, double, i));
  json_builder_end_array(builder);
}

static void
add_records(const MsField *field, const GPtrArray *records, JsonBuilder *builder)
{
  ms_json_begin_array(builder, field->name);
  for (guint i = 0; i < records->len; i++)
    ms_record_add(field->record, records->pdata[i], builder);
  json_builder_end_array(builder);
}

static void
add_field(const MsField *field, gconstpointer member, JsonBuilder *builder)
{
  switch (field->kind) {
  case MS_FIELD_TEXT:
  case MS_FIELD_WORD:
    ms_json_add_text(builder, field->name, *(const char *const *)member);
    break;
  case MS_FIELD_PATH:
    add_path(field->name, *(char *const *)member, builder);
    break;
  case MS_FIELD_CHOICE:
    ms_json_add_text(builder, field->name, field->names[*(const guint *)member]);
    break;
  case MS_FIELD_BOOLEAN:
    ms_json_add_boolean(builder, field->name, *(const gboolean *)member);
    break;
  case MS_FIELD_WHOLE:
  case MS_FIELD_COUNT:
    ms_json_add_integer(builder, field->name, read_integer(field, member));
    break;
  case MS_FIELD_AMOUNT:
    ms_json_add_number(builder, field->name, (double)read_integer(field, member));
    break;
  case MS_FIELD_NUMBER:
    ms_json_add_number(builder, field->name, *(const double *)member);
    break;
  case MS_FIELD_NUMBERS:
    add_numbers(field->name, *(GArray *const *)member, builder);
    break;
  case MS_FIELD_FACTORS:
    ms_json_add_factors(builder, field->name, *(MsFactors *const *)member);
    break;
  case MS_FIELD_RECORD:
  case MS_FIELD_SHOWN:
    json_builder_set_member_name(builder, field->name);
    ms_record_add(field->record, member, builder);
    break;
  case MS_FIELD_INLINE:
    ms_record_add_members(field->record, member, builder);
    break;
  case MS_FIELD_RECORDS:
    add_records(field, *(GPtrArray *const *)member, builder);
    break;
  case MS_FIELD_OWN:
    field->add(field, member, builder);
    break;
  case MS_FIELD_COMPUTED:
    ms_json_add_number(builder, field->name, field->number(member, field));
    break;
  case MS_FIELD_COMPUTED_WHOLE:
    ms_json_add_integer(builder, field->name, (gint64)field->number(member, field));
    break;
  case MS_FIELD_COMPUTED_TEXT:
    add_computed_text(field, member, builder);
    break;
  }
}

static gboolean
is_written(const MsRecord *self, const MsField *field, gconstpointer record)
{
  const gboolean is_text = field->kind == MS_FIELD_TEXT || field->kind == MS_FIELD_PATH;

  if (!field->name)
    return FALSE;
  if (self->is_sparse && is_text && !*(char *const *)find_member(field, record))
    return FALSE;
  return !field->has || field->has(record);
}

/** ms_record_add_members: adds the members to the object begun before. */
void
ms_record_add_members(const MsRecord *self, gconstpointer record, JsonBuilder *builder)
{
  for (guint i = 0; i < self->n; i++)
    if (is_written(self, &self->fields[i], record))
      add_field(&self->fields[i], find_member(&self->fields[i], record), builder);
}

/** ms_record_add: adds an object, or null where the struct is not known. */
void
ms_record_add(const MsRecord *self, gconstpointer record, JsonBuilder *builder)
{
  if (self->is_known && !self->is_known(record)) {
    json_builder_add_null_value(builder);
    return;
  }
  json_builder_begin_object(builder);
  ms_record_add_members(self, record, builder);
  json_builder_end_object(builder);
}

/** ms_record_to_node: (transfer full): the object as a tree. */
JsonNode *
ms_record_to_node(const MsRecord *self, gconstpointer record)
{
  g_autoptr(JsonBuilder) builder = json_builder_new();

  ms_record_add(self, record, builder);
  return json_builder_get_root(builder);
}

static void
get_choice(const MsField *field, guint *choice, const char *text)
{
  for (guint i = 0; text && field->names[i]; i++)
    if (strcmp(field->names[i], text) == 0)
      *choice = i;
}

static void
get_count(const MsField *field, gpointer member, double value)
{
  const double end = field->size == sizeof(guint64) ? 0x1p64 : 0x1p32;

  if (!isnan(value))
    store_integer(field, member, value > 0 && value < end ? (guint64)value : 0);
}

static void
get_numbers(GArray *numbers, JsonArray *array)
{
  for (guint i = 0; array && i < json_array_get_length(array); i++) {
    JsonNode *node = json_array_get_element(array, i);
    GType type = JSON_NODE_HOLDS_VALUE(node) ? json_node_get_value_type(node) : G_TYPE_NONE;
    double value = type == G_TYPE_DOUBLE || type == G_TYPE_INT64 ? json_node_get_double(node) : NAN;
    if (JSON_NODE_HOLDS_NULL(node) || (isfinite(value) && value >= 0))
      g_array_append_val(numbers, value);
  }
}

static void
get_factors(MsFactors **factors, MsFactors *read)
{
  if (!read)
    return;
  g_clear_pointer(factors, ms_factors_free);
  *factors = read;
}

static void
get_records(const MsField *field, gpointer owner, JsonArray *array)
{
  for (guint i = 0; array && i < json_array_get_length(array); i++) {
    JsonObject *one = ms_json_get_element(array, i);
    gpointer record = one ? field->make(owner, one) : NULL;
    if (record)
      ms_record_get(field->record, record, one);
  }
}

static void
get_field(const MsField *field, gpointer member, JsonObject *object)
{
  const char *text = ms_json_get_text(object, field->name);
  JsonObject *inner = ms_json_get_object(object, field->name);

  switch (field->kind) {
  case MS_FIELD_TEXT:
    if (text)
      replace_text(member, g_strdup(text));
    break;
  case MS_FIELD_PATH:
    if (text)
      replace_text(member, ms_path_from_text(text));
    break;
  case MS_FIELD_CHOICE:
    get_choice(field, member, text);
    break;
  case MS_FIELD_BOOLEAN:
    *(gboolean *)member = ms_json_get_boolean(object, field->name, *(gboolean *)member);
    break;
  case MS_FIELD_WHOLE:
    if (json_object_has_member(object, field->name))
      store_integer(field, member, (guint64)ms_json_get_integer(object, field->name));
    break;
  case MS_FIELD_COUNT:
  case MS_FIELD_AMOUNT:
    get_count(field, member, ms_json_get_number(object, field->name));
    break;
  case MS_FIELD_NUMBER:
    *(double *)member = ms_json_get_number(object, field->name);
    break;
  case MS_FIELD_NUMBERS:
    get_numbers(*(GArray **)member, ms_json_get_array(object, field->name));
    break;
  case MS_FIELD_FACTORS:
    get_factors(member, ms_json_get_factors(object, field->name));
    break;
  case MS_FIELD_RECORD:
    if (inner)
      ms_record_get(field->record, member, inner);
    break;
  case MS_FIELD_INLINE:
    ms_record_get(field->record, member, object);
    break;
  case MS_FIELD_RECORDS:
    get_records(field, (guint8 *)member - field->offset, ms_json_get_array(object, field->name));
    break;
  case MS_FIELD_OWN:
    if (field->get)
      field->get(field, member, object);
    break;
  case MS_FIELD_WORD:
  case MS_FIELD_SHOWN:
  case MS_FIELD_COMPUTED:
  case MS_FIELD_COMPUTED_WHOLE:
  case MS_FIELD_COMPUTED_TEXT:
    break;
  }
}

/** ms_record_get: reads the members of @object; see above for those that are absent or of another type. */
void
ms_record_get(const MsRecord *self, gpointer record, JsonObject *object)
{
  for (guint i = 0; i < self->n; i++)
    if (self->fields[i].name)
      get_field(&self->fields[i], find_member(&self->fields[i], record), object);
}

/** ms_record_fits: whether every text and every whole number of the table that @object has is one. */
gboolean
ms_record_fits(const MsRecord *self, JsonObject *object)
{
  for (guint i = 0; i < self->n; i++) {
    const MsField *field = &self->fields[i];
    const gboolean is_text =
      field->kind == MS_FIELD_TEXT || field->kind == MS_FIELD_PATH || field->kind == MS_FIELD_CHOICE;
    const gboolean is_whole = field->kind == MS_FIELD_WHOLE || field->kind == MS_FIELD_COUNT;
    if (field->is_lax || !field->name || !json_object_has_member(object, field->name))
      continue;
    if ((is_text && !ms_json_get_text(object, field->name)) ||
        (is_whole && isnan(ms_json_get_number(object, field->name))))
      return FALSE;
  }
  return TRUE;
}

/* CSV */

/** ms_record_append_names: the names as cells of the heading of a CSV file. */
void
ms_record_append_names(const MsRecord *self, GString *line)
{
  for (guint i = 0; i < self->n; i++)
    ms_csv_append(line, self->fields[i].name);
}

static void
append_computed_text(const MsField *field, gconstpointer owner, GString *line)
{
  g_autofree char *text = field->text(owner);

  ms_csv_append(line, text);
}

static void
append_cell(const MsField *field, gconstpointer member, GString *line)
{
  if (field->kind == MS_FIELD_TEXT || field->kind == MS_FIELD_WORD)
    ms_csv_append(line, *(char *const *)member);
  else if (field->kind == MS_FIELD_PATH)
    ms_csv_append_path(line, *(char *const *)member);
  else if (field->kind == MS_FIELD_CHOICE)
    ms_csv_append(line, field->names[*(const guint *)member]);
  else if (field->kind == MS_FIELD_COMPUTED_TEXT)
    append_computed_text(field, member, line);
  else if (field->kind == MS_FIELD_WHOLE || field->kind == MS_FIELD_COUNT)
    ms_csv_append_integer(line, read_integer(field, member));
  else
    ms_csv_append_number(line, field->number ? field->number(member, field) : *(const double *)member, field->format);
}

/**
 * ms_record_append_cells: the values as cells of a line of a CSV file, in the order of the names; texts and numbers
 * only.
 */
void
ms_record_append_cells(const MsRecord *self, gconstpointer record, GString *line)
{
  for (guint i = 0; i < self->n; i++)
    append_cell(&self->fields[i], find_member(&self->fields[i], record), line);
}

/* Messages */

/* Whether messages have the member as a text. */
static gboolean
is_text_of_messages(const MsField *field)
{
  return field->kind == MS_FIELD_TEXT || field->kind == MS_FIELD_PATH || field->kind == MS_FIELD_WORD;
}

/* Sends a text as it is, since a file name may not be UTF-8, with its final NUL; no bytes stand for NULL. */
static void
pack_field(const MsField *field, gconstpointer member, GByteArray *bytes)
{
  const char *text = NULL;
  const GArray *numbers = NULL;

  if (is_text_of_messages(field)) {
    if ((text = *(const char *const *)member))
      g_byte_array_append(bytes, (const guint8 *)text, (guint)strlen(text) + 1);
  } else if (field->kind == MS_FIELD_NUMBERS) {
    numbers = *(GArray *const *)member;
    g_byte_array_append(bytes, (const guint8 *)numbers->data, numbers->len * (guint)sizeof(double));
  } else if (field->pack) {
    field->pack(member, bytes);
  } else {
    g_byte_array_append(bytes, member, (guint)field->size);
  }
}

static void
unpack_text(const MsField *field, gpointer member, const guint8 *data, gsize size)
{
  char *text = size > 0 ? g_strndup((const char *)data, size - 1) : NULL;

  if (field->kind != MS_FIELD_WORD) {
    replace_text(member, text);
    return;
  }
  *(const char **)member = g_intern_string(text);
  g_free(text);
}

static void
unpack_field(const MsField *field, gpointer member, const guint8 *data, gsize size)
{
  if (is_text_of_messages(field)) {
    unpack_text(field, member, data, size);
  } else if (field->kind == MS_FIELD_NUMBERS) {
    g_array_set_size(*(GArray **)member, 0);
    if (size > 0)
      g_array_append_vals(*(GArray **)member, data, (guint)(size / sizeof(double)));
  } else if (field->unpack) {
    field->unpack(member, data, size);
  } else if (size == field->size) {
    memcpy(member, data, size);
  }
}

/* (transfer floating): of type "may" */
static GVariant *
pack_told(const MsField *field, gconstpointer record)
{
  g_autoptr(GByteArray) bytes = g_byte_array_new();

  if (field->has && !field->has(record))
    return g_variant_new_maybe(G_VARIANT_TYPE_BYTESTRING, NULL);
  pack_field(field, find_member(field, record), bytes);
  return g_variant_new_maybe(NULL, g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, bytes->data, bytes->len, 1));
}

/** ms_record_to_message: (transfer floating): of type %MS_RECORD_MESSAGE, for the same program in another process. */
GVariant *
ms_record_to_message(const MsRecord *self, gconstpointer record)
{
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE(MS_RECORD_MESSAGE));
  for (guint i = 0; i < self->n; i++)
    g_variant_builder_add_value(&builder, pack_told(&self->fields[i], record));
  return g_variant_builder_end(&builder);
}

/**
 * ms_record_from_message: the reverse of ms_record_to_message(). A member keeps its value that is not told, has another
 * size, or is behind a pointer that is %NULL.
 */
void
ms_record_from_message(const MsRecord *self, gpointer record, GVariant *message)
{
  for (gsize i = 0; i < MIN(self->n, g_variant_n_children(message)); i++) {
    const MsField *field = &self->fields[i];
    g_autoptr(GVariant) maybe = g_variant_get_child_value(message, i);
    g_autoptr(GVariant) told = g_variant_get_maybe(maybe);
    if (!told || (field->via && !*(gpointer *)((guint8 *)record + field->via - 1)))
      continue;
    gsize size = 0;
    const guint8 *data = g_variant_get_fixed_array(told, &size, 1);
    unpack_field(field, find_member(field, record), data, size);
  }
}
