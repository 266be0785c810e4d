/* SPDX-License-Identifier: MIT */
#include "tests/support/json-schema.h"

#include <gio/gio.h>

/* Debian's own interpreter has Debian's jsonschema. */
#define PYTHON "/usr/bin/python3"

static const char script[] = "import json, sys\n"
                             "from jsonschema import Draft202012Validator as Validator\n"
                             "schema = json.load(open(sys.argv[1]))\n"
                             "Validator.check_schema(schema)\n"
                             "errors = Validator(schema).iter_errors(json.load(sys.stdin))\n"
                             "print(*(f'{error.json_path}: {error.message}' for error in errors), sep='\\n', end='')\n";

/**
 * ms_test_schema_violation:
 * @path: of a schema, from the root of the project
 *
 * Returns: (transfer full) (nullable): what the schema does not allow in @node, a line each
 */
char *
ms_test_schema_violation(const char *path, JsonNode *node)
{
  g_autofree char *schema = g_build_filename(g_getenv("MS_SOURCE_ROOT"), path, NULL);
  g_autofree char *text = json_to_string(node, FALSE);
  g_autofree char *violations = NULL;
  g_autoptr(GError) error = NULL;
  const GSubprocessFlags flags = G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE;
  g_autoptr(GSubprocess) python = g_subprocess_new(flags, &error, PYTHON, "-c", script, schema, NULL);

  g_assert_no_error(error);
  g_subprocess_communicate_utf8(python, text, NULL, &violations, NULL, &error);
  g_assert_no_error(error);
  g_assert_true(g_subprocess_get_successful(python));
  return violations[0] ? g_steal_pointer(&violations) : NULL;
}
