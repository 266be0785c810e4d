/* SPDX-License-Identifier: MIT */
/*
 * MsOptionInfo: one row of an option table, which describes one field of a struct: its name, values, range, default and
 * help. The command line, the window, the lab and the reports read the same rows.
 */
#pragma once

#include "core/error.h"

/** MsOptionGroup: the headings under which --help lists the options; see ms_option_group_title(). */
typedef enum {
  MS_OPTION_GROUP_PROGRAM,
  MS_OPTION_GROUP_FILTER,
  MS_OPTION_GROUP_TOGGLE,
  MS_OPTION_GROUP_DEVICE,
  MS_OPTION_GROUP_OUTPUT,
  MS_OPTION_GROUP_BATCH,
  MS_OPTION_GROUP_REPORT,
  MS_OPTION_GROUP_LAB,
  MS_OPTION_GROUP_VARIANT,
} MsOptionGroup;

/**
 * MsOptionKind: the form of a value and the type of its field.
 * @MS_OPTION_FLAG: no value; gboolean
 * @MS_OPTION_TEXT: any text but the empty one; char *, owned by the struct
 * @MS_OPTION_INT: a whole number from @minimum to @maximum; int
 * @MS_OPTION_REAL: a number from @minimum to @maximum; double
 * @MS_OPTION_AMOUNT: a whole number of at least 1, with an optional K, M, G or T, or as in 2^20; guint64
 * @MS_OPTION_SECONDS: a time with an optional ms, s, m, min or h; double
 * @MS_OPTION_CHOICE: one of @values; int, which holds the index plus @first, or the number where @numeric_values
 * @MS_OPTION_SHAPE: WxH, or auto; int[2], zero for auto
 * @MS_OPTION_PARSED: what @parse reads; it cannot be printed
 */
typedef enum {
  MS_OPTION_FLAG,
  MS_OPTION_TEXT,
  MS_OPTION_INT,
  MS_OPTION_REAL,
  MS_OPTION_AMOUNT,
  MS_OPTION_SECONDS,
  MS_OPTION_CHOICE,
  MS_OPTION_SHAPE,
  MS_OPTION_PARSED,
} MsOptionKind;

/**
 * MsOptionInfo:
 * @name: as on the command line, without the leading dashes
 * @letter: the one-letter form, 0 for none
 * @is_common: whether the short --help lists it
 * @is_key: written name=value after a preset instead of --name value
 * @json: (nullable): the member's name in reports
 * @label: (nullable): the label of the window's control, with a mnemonic
 * @argument: (nullable): the form of the value in --help; %NULL for a flag, and for a choice, whose @values are joined
 * @help: one line without a full stop
 * @tip: (nullable): of a toggle: what it changes in the kernel and when it helps, in sentences; %s stands for @values
 * @values: (nullable): the names of a choice, %NULL-terminated
 * @numeric_values: whether the names are the numbers that are stored
 * @value_is_optional: whether --name alone stands for the first of @values; any other is written --name=value
 * @first: the number stored for the first name
 * @standard: (nullable): the default as text; %NULL where the field begins as 0 and --help states no default
 * @maximum: the largest number that the window's control offers
 * @largest: the largest number accepted as text where that is more than @maximum, else 0
 * @step: the change of one click of the window's control
 * @thousand: what K stands for in an amount: 1024 for bytes, 1000 for pixels and elements
 * @needs: (nullable): the names of options, separated by |, at least one of which must be given as well
 * @without: (nullable): the name of an option beside which this one has no effect
 * @actions: bits of the program's actions to which the option applies; used only by the program's table
 * @parse: (nullable): reads a value of %MS_OPTION_PARSED into the field
 * @unused: (nullable): why the value has no effect beside the struct's other values, or %NULL if it has one; the second
 *   argument is whatever ms_option_check_used() was given
 * @offset: of the field in its struct
 */
typedef struct {
  const char *name;
  char letter;
  gboolean is_common;
  gboolean is_key;
  const char *json;
  const char *label;
  const char *argument;
  const char *help;
  const char *tip;
  MsOptionGroup group;
  MsOptionKind kind;
  const char *const *values;
  gboolean numeric_values;
  gboolean value_is_optional;
  int first;
  const char *standard;
  double minimum;
  double maximum;
  double largest;
  double step;
  guint thousand;
  const char *needs;
  const char *without;
  guint actions;
  gboolean (*parse)(const char *text, gpointer field, GError **error);
  const char *(*unused)(gconstpointer record, gconstpointer context);
  gsize offset;
} MsOptionInfo;

/** MsOptionTable: rows that describe the fields of one struct. */
typedef struct {
  const MsOptionInfo *rows;
  guint n_rows;
} MsOptionTable;

const MsOptionInfo *ms_option_table_find(const MsOptionTable *self, const char *name);
const MsOptionInfo *ms_option_table_find_letter(const MsOptionTable *self, char letter);
void ms_option_table_reset(const MsOptionTable *self, gpointer record);
void ms_option_table_clear(const MsOptionTable *self, gpointer record);

const char *ms_option_group_title(MsOptionGroup group);
guint ms_option_n_values(const MsOptionInfo *self);
char *ms_option_argument(const MsOptionInfo *self);
char *ms_option_usage(const MsOptionInfo *self);
gboolean ms_option_check_needs(const MsOptionInfo *self, GPtrArray *given, GError **error);
gboolean ms_option_check_used(const MsOptionInfo *self, gconstpointer record, gconstpointer context, GError **error);

gboolean ms_option_set_text(const MsOptionInfo *self, gpointer record, const char *text, GError **error);
char *ms_option_get_text(const MsOptionInfo *self, gconstpointer record);
char *ms_option_to_argument(const MsOptionInfo *self, gconstpointer record);
double ms_option_get_number(const MsOptionInfo *self, gconstpointer record);
void ms_option_set_number(const MsOptionInfo *self, gpointer record, double value);
gboolean ms_option_equal(const MsOptionInfo *self, gconstpointer a, gconstpointer b);
gboolean ms_option_is_default(const MsOptionInfo *self, gconstpointer record);
gboolean ms_option_table_set_keys(const MsOptionTable *self, gpointer record, const char *option, const char *text,
                                  GError **error);

int ms_choice_find(const char *const *names, const char *text);
int ms_choice_parse(const char *const *names, const char *option, const char *text, GError **error);

const char *ms_option_tooltip(const MsOptionInfo *option);
char *ms_option_help_text(const MsOptionInfo *option);
void ms_option_help_append_row(GString *text, const char *left, const char *right);
void ms_option_help_append_group(GString *text, const MsOptionTable *table, MsOptionGroup group, gboolean only_common);

/** MsOptionTarget: a table, and the struct into which its options are read. */
typedef struct {
  const MsOptionTable *table;
  gpointer record;
} MsOptionTarget;

/**
 * MsOptionReader:
 * @targets: the tables; their names must differ
 * @given: (element-type utf8): receives the names of the options that were given, in order
 * @inputs: (element-type utf8): receives the other arguments
 */
typedef struct {
  const MsOptionTarget *targets;
  guint n_targets;
  GPtrArray *given;
  GPtrArray *inputs;
} MsOptionReader;

gboolean ms_option_reader_read(const MsOptionReader *self, int argc, char **argv, GError **error);
