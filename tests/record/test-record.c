/* SPDX-License-Identifier: MIT */
/* Records by their tables: JSON, CSV and messages there and back, and the tables of reports against their schemas. */
#include "core/record/record.h"

#include <math.h>
#include <string.h>

#include "app/report/image-report.h"
#include "core/csv.h"
#include "core/filter/settings/settings.h"
#include "core/json.h"
#include "core/lab/report/report.h"

typedef enum { RED, GREEN, BLUE } Colour;

static const char *const colours[] = {"red", "green", "blue", NULL};

typedef struct {
  int width;
  double share;
} Inner;

typedef struct {
  char *text;
  char *path;
  Colour colour;
  gboolean flag;
  int whole;
  gint64 large;
  guint count;
  guint64 amount;
  double number;
  GArray *numbers;
  Inner inner;
  Inner *away;
} Outer;

static const MsField inner_fields[] = {
  MS_FIELD(Inner, width, WHOLE, "width"),
  MS_FIELD(Inner, share, NUMBER, "share", .format = "%.2f"),
};
static const MsRecord inner_record = MS_RECORD(inner_fields);

static double
twice(gconstpointer owner, const MsField *field)
{
  return 2 * ((const Outer *)owner)->number;
}

#define OUTER(member, form, ...) MS_FIELD(Outer, member, form, __VA_ARGS__)
static const MsField outer_fields[] = {
  OUTER(text, TEXT, "text"),
  OUTER(path, PATH, "path"),
  OUTER(colour, CHOICE, "colour", .names = colours),
  OUTER(flag, BOOLEAN, "flag"),
  OUTER(whole, WHOLE, "whole"),
  OUTER(large, WHOLE, "large"),
  OUTER(count, COUNT, "count"),
  OUTER(amount, AMOUNT, "amount"),
  OUTER(number, NUMBER, "number"),
  OUTER(numbers, NUMBERS, "numbers"),
  OUTER(inner, RECORD, "inner", .record = &inner_record),
  MS_FIELD_VIA(Outer, away, Inner, width, WHOLE, "width_away"),
  MS_FIELD_OF(COMPUTED, "twice", .number = twice),
  MS_FIELD_AT(Outer, away, INLINE, "away", .record = &inner_record),
};
static const MsRecord outer_record = MS_RECORD(outer_fields);

/* The members that a message can carry. */
static const MsField sent_fields[] = {
  OUTER(text, TEXT, "text"),       OUTER(path, PATH, "path"),          OUTER(large, WHOLE, "large"),
  OUTER(number, NUMBER, "number"), OUTER(numbers, NUMBERS, "numbers"), OUTER(inner, OWN, "inner"),
};
static const MsRecord sent_record = MS_RECORD(sent_fields);

static void
outer_init(Outer *self, Inner *away)
{
  *self = (Outer){.numbers = g_array_new(FALSE, FALSE, sizeof(double)), .away = away};
}

static void
outer_clear(Outer *self)
{
  g_free(self->text);
  g_free(self->path);
  g_array_unref(self->numbers);
}

static void
outer_fill(Outer *self)
{
  const double numbers[] = {0, NAN, 0.1, 1048576.5}; /* json-glib alone writes "nan", which no reader takes */

  self->text = g_strdup("a \"text\", or two");
  self->path = g_strdup("/tmp/\xff\\b.png");
  self->colour = BLUE;
  self->flag = TRUE;
  self->whole = -7;
  self->large = -(G_GINT64_CONSTANT(1) << 50);
  self->count = G_MAXUINT32;
  self->amount = G_GUINT64_CONSTANT(1) << 53;
  self->number = 1 / 3.0;
  g_array_append_vals(self->numbers, numbers, G_N_ELEMENTS(numbers));
  self->inner = (Inner){3, NAN};
  self->away->width = 9;
}

static char *
to_text(const Outer *self)
{
  g_autoptr(JsonNode) node = ms_record_to_node(&outer_record, self);

  return json_to_string(node, FALSE);
}

static void
test_json(void)
{
  Inner away = {0}, other_away = {0};
  Outer outer, other;

  outer_init(&outer, &away);
  outer_init(&other, &other_away);
  outer_fill(&outer);
  g_autofree char *text = to_text(&outer);
  g_assert_cmpstr(text, ==,
                  "{\"text\":\"a \\\"text\\\", or two\",\"path\":\"/tmp/\\\\377\\\\\\\\b.png\",\"colour\":\"blue\","
                  "\"flag\":true,\"whole\":-7,\"large\":-1125899906842624,\"count\":4294967295,"
                  "\"amount\":9007199254740992.0,\"number\":0.33333333333333331,\"numbers\":[0.0,null,"
                  "0.10000000000000001,1048576.5],\"inner\":{\"width\":3,\"share\":null},\"width_away\":9,"
                  "\"twice\":0.66666666666666663,\"width\":9,\"share\":0.0}");
  g_autoptr(JsonNode) root = ms_json_parse(text, -1, NULL);
  g_assert_true(ms_record_fits(&outer_record, json_node_get_object(root)));
  ms_record_get(&outer_record, &other, json_node_get_object(root));
  g_autofree char *again = to_text(&other);
  g_assert_cmpstr(again, ==, text);
  g_assert_cmpstr(other.path, ==, outer.path);
  outer_clear(&outer);
  outer_clear(&other);
}

/* Members that are absent, null or of another type. */
static void
test_damaged_json(void)
{
  static const char *const damaged[] = {
    "{}",
    "{\"text\":3,\"path\":[],\"colour\":\"mauve\",\"flag\":1,\"whole\":\"x\",\"count\":4294967297,\"amount\":1e300,"
    "\"number\":\"1\",\"numbers\":[-1,\"2\",[]],\"inner\":7,\"width_away\":{},\"twice\":5}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS(damaged); i++) {
    g_autoptr(JsonNode) root = ms_json_parse(damaged[i], -1, NULL);
    Inner away = {0};
    Outer outer;
    outer_init(&outer, &away);
    outer.text = g_strdup("kept");
    outer.colour = GREEN;
    outer.number = 4;
    ms_record_get(&outer_record, &outer, json_node_get_object(root));
    g_assert_cmpstr(outer.text, ==, "kept");
    g_assert_null(outer.path);
    g_assert_cmpint(outer.colour, ==, GREEN);
    g_assert_cmpint(outer.whole, ==, 0);
    g_assert_cmpuint(outer.count, ==, 0);
    g_assert_cmpuint(outer.amount, ==, 0);
    g_assert_true(isnan(outer.number));
    g_assert_cmpuint(outer.numbers->len, ==, 0);
    g_assert_cmpint(ms_record_fits(&outer_record, json_node_get_object(root)), ==, i == 0);
    outer_clear(&outer);
  }
}

static void
test_csv(void)
{
  static const MsField columns[] = {
    OUTER(text, TEXT, "text"),       OUTER(colour, CHOICE, "colour", .names = colours),
    OUTER(whole, WHOLE, "whole"),    OUTER(inner.share, NUMBER, "share", .format = "%.2f"),
    OUTER(number, NUMBER, "number"), MS_FIELD_OF(COMPUTED, "twice", .number = twice),
  };
  static const MsRecord record = MS_RECORD(columns);
  g_autoptr(GString) line = g_string_new(NULL);
  Inner away = {0};
  Outer outer;

  outer_init(&outer, &away);
  outer_fill(&outer);
  ms_record_append_names(&record, line);
  g_string_append_c(line, '\n');
  ms_record_append_cells(&record, &outer, line);
  g_assert_cmpstr(line->str, ==,
                  "text,colour,whole,share,number,twice\n"
                  "\"a \"\"text\"\", or two\",blue,-7,,0.33333333333333331,0.66666666666666663");
  outer_clear(&outer);
}

static void
test_message(void)
{
  Inner away = {0};
  Outer outer, other;

  outer_init(&outer, &away);
  outer_init(&other, &away);
  outer_fill(&outer);
  other.text = g_strdup("replaced");
  g_autoptr(GVariant) message = g_variant_ref_sink(ms_record_to_message(&sent_record, &outer));
  g_assert_cmpstr(g_variant_get_type_string(message), ==, MS_RECORD_MESSAGE);
  ms_record_from_message(&sent_record, &other, message);
  g_assert_cmpstr(other.text, ==, outer.text);
  g_assert_cmpstr(other.path, ==, outer.path);
  g_assert_cmpint(other.large, ==, outer.large);
  g_assert_cmpfloat(other.number, ==, outer.number);
  g_assert_cmpuint(other.numbers->len, ==, outer.numbers->len);
  g_assert_cmpint(other.inner.width, ==, 3);
  /* A member of another size, and one that is not told, keeps its value. */
  g_autoptr(GVariant) odd = g_variant_ref_sink(g_variant_new_parsed("@amay [nothing, @ay [], [byte 1, 2], [byte 3]]"));
  ms_record_from_message(&sent_record, &other, odd);
  g_assert_cmpint(other.large, ==, outer.large);
  g_assert_null(other.path);
  g_assert_cmpstr(other.text, ==, outer.text);
  outer_clear(&outer);
  outer_clear(&other);
}

/* Schemas */

static JsonObject *
load_schema(const char *name, JsonNode **root)
{
  g_autofree char *path = g_build_filename(g_getenv("MS_SOURCE_ROOT"), "data", name, NULL);
  g_autofree char *text = NULL;
  g_autoptr(GError) error = NULL;

  g_file_get_contents(path, &text, NULL, &error);
  g_assert_no_error(error);
  *root = ms_json_parse(text, -1, &error);
  g_assert_no_error(error);
  return json_node_get_object(*root);
}

static const char *
type_name(MsFieldKind kind)
{
  switch (kind) {
  case MS_FIELD_TEXT:
  case MS_FIELD_PATH:
  case MS_FIELD_WORD:
  case MS_FIELD_CHOICE:
  case MS_FIELD_COMPUTED_TEXT:
    return "string";
  case MS_FIELD_BOOLEAN:
    return "boolean";
  case MS_FIELD_WHOLE:
  case MS_FIELD_COUNT:
  case MS_FIELD_COMPUTED_WHOLE:
    return "integer";
  case MS_FIELD_AMOUNT:
  case MS_FIELD_NUMBER:
  case MS_FIELD_COMPUTED:
    return "number";
  case MS_FIELD_NUMBERS:
  case MS_FIELD_RECORDS:
    return "array";
  case MS_FIELD_FACTORS:
  case MS_FIELD_RECORD:
  case MS_FIELD_SHOWN:
    return "object";
  case MS_FIELD_INLINE:
  case MS_FIELD_OWN:
    return NULL;
  }
  g_assert_not_reached();
}

static gboolean
has_word(JsonNode *words, const char *word)
{
  if (JSON_NODE_HOLDS_VALUE(words))
    return strcmp(json_node_get_string(words), word) == 0;
  JsonArray *array = json_node_get_array(words);
  for (guint i = 0; i < json_array_get_length(array); i++)
    if (g_strcmp0(json_array_get_string_element(array, i), word) == 0)
      return TRUE;
  return FALSE;
}

/* The values of a choice are those that the schema lists, and no more. */
static void
assert_lists(JsonObject *schema, const char *const *names, const char *what)
{
  JsonArray *values = ms_json_get_array(schema, "enum");

  if (!values || json_array_get_length(values) != g_strv_length((char **)names))
    g_error("%s: the schema lists other values", what);
  for (const char *const *name = names; *name; name++)
    if (!has_word(json_object_get_member(schema, "enum"), *name))
      g_error("%s: the schema does not list %s", what, *name);
}

static void assert_describes(JsonObject *schema, const MsRecord *record, const char *const *others);

static void
assert_describes_field(JsonObject *schema, const MsField *field)
{
  const char *type = type_name(field->kind);
  JsonNode *types = json_object_get_member(schema, "type");

  if (field->kind == MS_FIELD_CHOICE)
    assert_lists(schema, field->names, field->name);
  else if (type && types && !has_word(types, type))
    g_error("%s: the schema does not say that it is of type %s", field->name, type);
  if (field->kind == MS_FIELD_RECORDS)
    assert_describes(ms_json_get_object(schema, "items"), field->record, NULL);
  else if (field->record)
    assert_describes(schema, field->record, NULL);
}

/* How many members a struct has; those of a struct within it stand among them. */
static guint
assert_describes_fields(JsonObject *properties, const MsRecord *record)
{
  guint n = 0;

  for (guint i = 0; i < record->n; i++) {
    const MsField *field = &record->fields[i];
    JsonObject *property = ms_json_get_object(properties, field->name);
    if (field->kind == MS_FIELD_INLINE) {
      n += assert_describes_fields(properties, field->record);
      continue;
    }
    if (!property)
      g_error("the schema has no %s", field->name);
    assert_describes_field(property, field);
    n++;
  }
  return n;
}

/* The properties of the schema are the members of @record and @others. */
static void
assert_describes(JsonObject *schema, const MsRecord *record, const char *const *others)
{
  JsonObject *properties = ms_json_get_object(schema, "properties");
  guint n = others ? g_strv_length((char **)others) : 0;

  if (!properties)
    g_error("%s: the schema names no members", record->fields[0].name);
  n += assert_describes_fields(properties, record);
  for (const char *const *other = others; other && *other; other++)
    g_assert_true(json_object_has_member(properties, *other));
  g_assert_cmpuint(json_object_get_size(properties), ==, n);
}

static void
test_experiment_schema(void)
{
  static const char *const heads[] = {"format", "format_version", "program", NULL};
  g_autoptr(JsonNode) root = NULL;

  assert_describes(load_schema("report.schema.json", &root), &ms_report_record, heads);
}

static JsonObject *
find_property(JsonObject *schema, const char *path)
{
  g_auto(GStrv) names = g_strsplit(path, "/", -1);

  for (char **name = names; *name; name++) {
    schema = ms_json_get_object(schema, *name);
    g_assert_nonnull(schema);
  }
  return schema;
}

static void
test_images_schema(void)
{
  static const char *const summary[] = {"statistics", "source_statistics", "change", "histogram", NULL};
  g_autoptr(JsonNode) root = NULL;
  JsonObject *schema = load_schema("headless-report.schema.json", &root);

  assert_describes(find_property(schema, "properties/images/items"), &ms_image_report_record, summary);
}

/* The settings of an image: each row of the options' table, with the values of its choice. */
static void
test_options_schema(void)
{
  g_autoptr(JsonNode) root = NULL;
  JsonObject *image = find_property(load_schema("headless-report.schema.json", &root), "properties/images/items");
  JsonObject *parameters = find_property(image, "properties/parameters/properties");
  JsonObject *toggles = find_property(image, "properties/options/properties");

  for (guint i = 0; i < ms_options.n_rows; i++) {
    const MsOptionInfo *row = &ms_options.rows[i];
    JsonObject *schema = ms_json_get_object(row->group == MS_OPTION_GROUP_FILTER ? parameters : toggles, row->json);
    if (!schema)
      g_error("the schema has no %s", row->json);
    if (row->kind == MS_OPTION_CHOICE && !row->numeric_values && json_object_has_member(schema, "enum"))
      assert_lists(schema, row->values, row->json);
    if (row->numeric_values) {
      JsonArray *values = ms_json_get_array(schema, "enum");
      g_assert_cmpuint(json_array_get_length(values), ==, g_strv_length((char **)row->values));
      for (guint k = 0; row->values[k]; k++)
        g_assert_cmpint(json_array_get_int_element(values, k), ==, g_ascii_strtoll(row->values[k], NULL, 10));
    }
  }
  g_assert_cmpuint(json_object_get_size(parameters) + json_object_get_size(toggles), ==, ms_options.n_rows);
}

/* Cells are quoted as RFC 4180 has it, and what a spreadsheet would compute is text. */
static void
test_csv_cells(void)
{
  static const char *const cases[][2] = {
    {"a", "a"},    {"a,b", "\"a,b\""}, {"a\"b", "\"a\"\"b\""}, {"a\nb", "\"a\nb\""},
    {NULL, ""},    {"=1+1", "'=1+1"},  {"+x", "'+x"},          {"-x", "'-x"},
    {"@x", "'@x"}, {"\tx", "'\tx"},    {"-1.5", "-1.5"},       {"\rx", "\"'\rx\""},
  };
  g_autoptr(GString) line = g_string_new(NULL), expected = g_string_new(NULL);

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    ms_csv_append(line, cases[i][0]);
    g_string_append_printf(expected, "%s%s", i ? "," : "", cases[i][1]);
  }
  g_assert_cmpstr(line->str, ==, expected->str);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/record/json", test_json);
  g_test_add_func("/record/damaged-json", test_damaged_json);
  g_test_add_func("/record/csv", test_csv);
  g_test_add_func("/record/csv-cells", test_csv_cells);
  g_test_add_func("/record/message", test_message);
  g_test_add_func("/record/schema-of-experiments", test_experiment_schema);
  g_test_add_func("/record/schema-of-images", test_images_schema);
  g_test_add_func("/record/schema-of-options", test_options_schema);
  return g_test_run();
}
