/* SPDX-License-Identifier: MIT */
#include "core/reduce/element-type.h"

#include <string.h>

const char *const ms_element_type_names[] = {
  [MS_ELEMENT_UCHAR] = "uchar", [MS_ELEMENT_CHAR] = "char",     [MS_ELEMENT_USHORT] = "ushort",
  [MS_ELEMENT_SHORT] = "short", [MS_ELEMENT_INT] = "int",       [MS_ELEMENT_UINT] = "uint",
  [MS_ELEMENT_FLOAT] = "float", [MS_ELEMENT_DOUBLE] = "double", [MS_ELEMENT_N_TYPES] = NULL,
};

/** Row: a type. @lowest and @highest: ends of its range in OpenCL C; those of reals are infinite. */
typedef struct {
  gsize size;
  gboolean is_real;
  gboolean is_signed;
  const char *lowest;
  const char *highest;
} Row;

static const Row rows[MS_ELEMENT_N_TYPES] = {
  [MS_ELEMENT_UCHAR] = {1, FALSE, FALSE, "0", "UCHAR_MAX"},
  [MS_ELEMENT_CHAR] = {1, FALSE, TRUE, "CHAR_MIN", "CHAR_MAX"},
  [MS_ELEMENT_USHORT] = {2, FALSE, FALSE, "0", "USHRT_MAX"},
  [MS_ELEMENT_SHORT] = {2, FALSE, TRUE, "SHRT_MIN", "SHRT_MAX"},
  [MS_ELEMENT_INT] = {4, FALSE, TRUE, "INT_MIN", "INT_MAX"},
  [MS_ELEMENT_UINT] = {4, FALSE, FALSE, "0", "UINT_MAX"},
  [MS_ELEMENT_FLOAT] = {4, TRUE, TRUE, "-INFINITY", "INFINITY"},
  [MS_ELEMENT_DOUBLE] = {8, TRUE, TRUE, "-INFINITY", "INFINITY"},
};

/** ms_element_type_name: the type as OpenCL C and --type spell it. */
const char *
ms_element_type_name(MsElementType type)
{
  return ms_element_type_names[type];
}

/** ms_element_type_parse: reads the argument of --type; %FALSE with #MS_ERROR_USAGE and the accepted names. */
gboolean
ms_element_type_parse(const char *text, MsElementType *type, GError **error)
{
  for (guint i = 0; i < MS_ELEMENT_N_TYPES; i++) {
    if (g_ascii_strcasecmp(ms_element_type_names[i], text) != 0)
      continue;
    *type = (MsElementType)i;
    return TRUE;
  }
  g_autofree char *known = g_strjoinv(", ", (char **)ms_element_type_names);
  ms_set_error(error, MS_ERROR_USAGE, "--type cannot be '%s'; it takes one of: %s.", text, known);
  return FALSE;
}

/** ms_element_type_size: bytes of one element. */
gsize
ms_element_type_size(MsElementType type)
{
  return rows[type].size;
}

gboolean
ms_element_type_is_real(MsElementType type)
{
  return rows[type].is_real;
}

gboolean
ms_element_type_is_signed(MsElementType type)
{
  return rows[type].is_signed;
}

/** ms_element_type_lowest: a constant of OpenCL C that no element lies below. */
const char *
ms_element_type_lowest(MsElementType type)
{
  return rows[type].lowest;
}

/** ms_element_type_highest: a constant of OpenCL C that no element lies above. */
const char *
ms_element_type_highest(MsElementType type)
{
  return rows[type].highest;
}

#define CONVERT(ctype)                                                                                                 \
  for (guint i = 0; i < n; i++) {                                                                                      \
    ctype x;                                                                                                           \
    memcpy(&x, (const guint8 *)from + i * sizeof x, sizeof x);                                                         \
    into[i] = x;                                                                                                       \
  }

/**
 * ms_elements_to_integers:
 * @type: an integer type
 * @from: the first of @n elements, aligned or not
 */
void
ms_elements_to_integers(MsElementType type, const void *from, guint n, gint64 *into)
{
  switch (type) {
  case MS_ELEMENT_UCHAR:
    CONVERT(guint8)
    break;
  case MS_ELEMENT_CHAR:
    CONVERT(gint8) /* NOLINT(bugprone-signed-char-misuse,cert-str34-c): a number, no character */
    break;
  case MS_ELEMENT_USHORT:
    CONVERT(guint16)
    break;
  case MS_ELEMENT_SHORT:
    CONVERT(gint16)
    break;
  case MS_ELEMENT_INT:
    CONVERT(gint32)
    break;
  case MS_ELEMENT_UINT:
    CONVERT(guint32)
    break;
  case MS_ELEMENT_FLOAT:
  case MS_ELEMENT_DOUBLE:
  case MS_ELEMENT_N_TYPES:
    g_assert_not_reached();
  }
}

/** ms_elements_to_doubles: as ms_elements_to_integers(), for a floating-point @type. */
void
ms_elements_to_doubles(MsElementType type, const void *from, guint n, double *into)
{
  if (type == MS_ELEMENT_FLOAT)
    CONVERT(float)
  else
    CONVERT(double)
}
