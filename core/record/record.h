/* SPDX-License-Identifier: MIT */
/*
 * MsRecord: a table with a row for each member of a struct. By the table the struct is written as JSON, as a line of
 * CSV and as a message, and read back; tests compare it with the schema of the report.
 *
 * A number that is not finite and a text of %NULL stand for what is unknown: in JSON both are null, in CSV an empty
 * cell.
 *
 * Reading is lenient, since reports of older versions lack members: a number that is absent or of another type becomes
 * NAN; any other member keeps the value that it had.
 */
#pragma once

#include <json-glib/json-glib.h>

typedef struct _MsField MsField;
typedef struct _MsRecord MsRecord;

/**
 * MsFieldKind: the C type of a member and the form of its value in files.
 * @MS_FIELD_TEXT: char *, nullable
 * @MS_FIELD_PATH: char *, nullable: a file name of any bytes
 * @MS_FIELD_WORD: const char *, nullable; not read from JSON, interned where it comes by a message
 * @MS_FIELD_CHOICE: an enumeration from 0 on, as one of @names
 * @MS_FIELD_BOOLEAN: gboolean
 * @MS_FIELD_WHOLE: a signed integer of 32 or 64 bits
 * @MS_FIELD_COUNT: an unsigned integer of 32 or 64 bits; what is negative or too large is read as 0
 * @MS_FIELD_AMOUNT: the same, written with a point
 * @MS_FIELD_NUMBER: double
 * @MS_FIELD_NUMBERS: GArray * of double, finite and not negative; NAN for an unknown one, which is null in a file
 * @MS_FIELD_FACTORS: #MsFactors *, nullable
 * @MS_FIELD_RECORD: a struct with the table @record
 * @MS_FIELD_RECORDS: GPtrArray * of such structs
 * @MS_FIELD_SHOWN: as @MS_FIELD_RECORD, but not read
 * @MS_FIELD_INLINE: as @MS_FIELD_RECORD, but its members stand in the object of the owner
 * @MS_FIELD_OWN: what @add, @get, @pack and @unpack of the row make of it; without @pack its bytes, in which there are
 *   no pointers
 * @MS_FIELD_COMPUTED: what @number finds; not read
 * @MS_FIELD_COMPUTED_WHOLE: the same, a whole number
 * @MS_FIELD_COMPUTED_TEXT: what @text finds; not read
 */
typedef enum {
  MS_FIELD_TEXT,
  MS_FIELD_PATH,
  MS_FIELD_WORD,
  MS_FIELD_CHOICE,
  MS_FIELD_BOOLEAN,
  MS_FIELD_WHOLE,
  MS_FIELD_COUNT,
  MS_FIELD_AMOUNT,
  MS_FIELD_NUMBER,
  MS_FIELD_NUMBERS,
  MS_FIELD_FACTORS,
  MS_FIELD_RECORD,
  MS_FIELD_RECORDS,
  MS_FIELD_SHOWN,
  MS_FIELD_INLINE,
  MS_FIELD_OWN,
  MS_FIELD_COMPUTED,
  MS_FIELD_COMPUTED_WHOLE,
  MS_FIELD_COMPUTED_TEXT,
} MsFieldKind;

/**
 * MsField: a row of a table, which MS_FIELD() begins.
 * @name: (nullable): in files; %NULL for a member of messages alone
 * @via: 0, or one more than the offset of a pointer to the struct that has the member
 * @offset: of the member; 0 where the value is computed from the struct
 * @size: of the member
 * @format: (nullable): of a number in CSV; without it as short as it is exact
 * @names: the names of a choice, %NULL-terminated
 * @record: the table of the member, or of the elements of the array
 * @make: of an array: (nullable): a new element of the owner of the array for what @object describes
 * @number: the value of a computed number
 * @text: (transfer full): the value of a computed text
 * @has: (nullable): whether the member is written at all; without it always
 * @is_lax: whether ms_record_fits() passes over it
 * @add: of a kind of its own: adds the member to the object begun before
 * @get: (nullable): reads it
 * @pack: (nullable): appends its bytes to a message
 * @unpack: the reverse of @pack
 */
struct _MsField {
  const char *name;
  MsFieldKind kind;
  gsize via;
  gsize offset;
  gsize size;
  const char *format;
  const char *const *names;
  const MsRecord *record;
  gpointer (*make)(gpointer owner, JsonObject *object);
  double (*number)(gconstpointer owner, const MsField *field);
  char *(*text)(gconstpointer owner);
  gboolean (*has)(gconstpointer owner);
  gboolean is_lax;
  void (*add)(const MsField *field, gconstpointer member, JsonBuilder *builder);
  void (*get)(const MsField *field, gpointer member, JsonObject *object);
  void (*pack)(gconstpointer member, GByteArray *bytes);
  void (*unpack)(gpointer member, const guint8 *data, gsize size);
};

/**
 * MsRecord: the rows of a struct.
 * @is_known: (nullable): whether an object stands for the struct in JSON; otherwise null does
 * @is_sparse: whether a text of %NULL is left out of the object instead of being null
 */
struct _MsRecord {
  const MsField *fields;
  guint n;
  gboolean (*is_known)(gconstpointer record);
  gboolean is_sparse;
};

/** MS_RECORD: the table of the array @fields. */
#define MS_RECORD(fields, ...)                                                                                         \
  {                                                                                                                    \
    fields, G_N_ELEMENTS(fields), __VA_ARGS__                                                                          \
  }

/** MS_FIELD: the row of a member: its kind, its name in files, and what else its kind needs. */
#define MS_FIELD(Struct, member, form, ...)                                                                            \
  {                                                                                                                    \
    .kind = MS_FIELD_##form, .offset = G_STRUCT_OFFSET(Struct, member), .size = sizeof(((Struct *)NULL)->member),      \
    .name = __VA_ARGS__                                                                                                \
  }

/** MS_FIELD_VIA: the row of a member of the struct @Inner to which the member @pointer points. */
#define MS_FIELD_VIA(Struct, pointer, Inner, member, form, ...)                                                        \
  {                                                                                                                    \
    .kind = MS_FIELD_##form, .via = G_STRUCT_OFFSET(Struct, pointer) + 1, .offset = G_STRUCT_OFFSET(Inner, member),    \
    .size = sizeof(((Inner *)NULL)->member), .name = __VA_ARGS__                                                       \
  }

/** MS_FIELD_AT: the row of a struct to which the member @pointer points. */
#define MS_FIELD_AT(Struct, pointer, form, ...)                                                                        \
  {                                                                                                                    \
    .kind = MS_FIELD_##form, .via = G_STRUCT_OFFSET(Struct, pointer) + 1, .name = __VA_ARGS__                          \
  }

/** MS_FIELD_OF: the row of a value that is found from the struct as a whole. */
#define MS_FIELD_OF(form, ...)                                                                                         \
  {                                                                                                                    \
    .kind = MS_FIELD_##form, .name = __VA_ARGS__                                                                       \
  }

void ms_record_add(const MsRecord *self, gconstpointer record, JsonBuilder *builder);
void ms_record_add_members(const MsRecord *self, gconstpointer record, JsonBuilder *builder);
JsonNode *ms_record_to_node(const MsRecord *self, gconstpointer record);
void ms_record_get(const MsRecord *self, gpointer record, JsonObject *object);
gboolean ms_record_fits(const MsRecord *self, JsonObject *object);

void ms_record_append_names(const MsRecord *self, GString *line);
void ms_record_append_cells(const MsRecord *self, gconstpointer record, GString *line);

/** MS_RECORD_MESSAGE: the type of a struct in a message: the bytes of each member, none where it is not told. */
#define MS_RECORD_MESSAGE "amay"
GVariant *ms_record_to_message(const MsRecord *self, gconstpointer record);
void ms_record_from_message(const MsRecord *self, gpointer record, GVariant *message);
