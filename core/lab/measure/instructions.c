/* SPDX-License-Identifier: MIT */
#include "core/lab/measure/instructions.h"

#include <string.h>

/* What an instruction does, as bits. */
enum {
  COMPUTES = 1 << 0,
  LOADS = 1 << 1,
  STORES = 1 << 2,
  BRANCHES = 1 << 3,
  IS_PACKED = 1 << 4,
};

static void
add(MsInstructionCounts *counts, guint what)
{
  counts->total++;
  counts->arithmetic += (what & COMPUTES) != 0;
  counts->packed += (what & IS_PACKED) != 0;
  counts->loads += (what & LOADS) != 0;
  counts->stores += (what & STORES) != 0;
  counts->branches += (what & BRANCHES) != 0;
  counts->other += (what & (COMPUTES | LOADS | STORES | BRANCHES)) == 0;
}

static gboolean
is_of(const char *const *words, const char *word)
{
  return g_strv_contains(words, word);
}

static gboolean
begins_with_one_of(const char *text, const char *const *beginnings)
{
  for (; *beginnings; beginnings++)
    if (g_str_has_prefix(text, *beginnings))
      return TRUE;
  return FALSE;
}

/* PTX */

/* Operations on pairs and fours of numbers in one register, beside those whose type says so. */
static const char *const ptx_packed[] = {"dp2a", "dp4a", "mma", "wmma", "wgmma", NULL};
static const char *const ptx_vectors[] = {"v2", "v4", "v8", "f16x2", "bf16x2", "s16x2", "u16x2", NULL};
static const char *const ptx_branches[] = {"bra", "brx", "call", "ret", "exit", "trap", NULL};
static const char *const ptx_loads[] = {"ld", "ldu", "tex", "tld4", "suld", "ldmatrix", "atom", NULL};
static const char *const ptx_stores[] = {"st", "sust", "red", "atom", NULL};
static const char *const ptx_others[] = {"mov",      "selp",     "slct",    "prmt",  "shfl",       "cvta",  "bar",
                                         "barrier",  "membar",   "fence",   "vote",  "activemask", "match", "nanosleep",
                                         "prefetch", "isspacep", "pmevent", "elect", "mbarrier",   NULL};

/* The video instructions, as vabsdiff4. */
static gboolean
is_of_bytes(const char *operation)
{
  const gsize length = strlen(operation);

  return length > 2 && operation[0] == 'v' && (operation[length - 1] == '2' || operation[length - 1] == '4');
}

/* @name: an operation with its modifiers, as in "ld.global.v4.u32" */
static guint
what_ptx_does(const char *name)
{
  g_auto(GStrv) parts = g_strsplit(name, ".", -1);
  const char *operation = parts[0];
  guint what = 0;

  if (is_of(ptx_branches, operation))
    return BRANCHES;
  if (parts[1] && strcmp(parts[1], "param") == 0) /* arguments are constants to the machine */
    return 0;
  what |= is_of(ptx_loads, operation) ? LOADS : 0;
  what |= is_of(ptx_stores, operation) ? STORES : 0;
  if (what == 0 && !is_of(ptx_others, operation))
    what = COMPUTES;
  if (what == 0)
    return 0;
  gboolean packed = is_of(ptx_packed, operation) || is_of_bytes(operation);
  for (char **part = parts + 1; *part; part++)
    packed |= is_of(ptx_vectors, *part);
  return what | (packed ? IS_PACKED : 0);
}

/* The body of a kernel, after its opening brace; NULL if the text does not have it. */
static const char *
find_ptx_body(const char *ptx, const char *kernel)
{
  const gsize length = strlen(kernel);

  for (const char *at = ptx; (at = strstr(at, ".entry"));) {
    at += strlen(".entry");
    at += strspn(at, " \t\r\n");
    if (strncmp(at, kernel, length) == 0 && strchr(" \t\r\n({", at[length]) && at[length] != '\0') {
      const char *body = strchr(at, '{');
      return body ? body + 1 : NULL;
    }
  }
  return NULL;
}

/* Whether a label, or a line of debugging information, ends at @at; neither has a semicolon. */
static gboolean
ends_without_semicolon(const char *statement, const char *at)
{
  if (*at == '\n')
    return g_str_has_prefix(statement, ".loc");
  return *at == ':' && at[1] != ':' && at[-1] != ':'; /* a modifier may have two, as L1::no_allocate */
}

static void
count_ptx_statement(const char *statement, MsInstructionCounts *counts)
{
  g_auto(GStrv) words = g_strsplit_set(statement, " \t\r\n", -1);

  for (char **word = words; *word; word++) {
    if (**word == '\0' || **word == '@') /* a guard */
      continue;
    if (**word != '.') /* a directive */
      add(counts, what_ptx_does(*word));
    return;
  }
}

/**
 * ms_instructions_count_ptx:
 * @ptx: what NVIDIA's driver hands out as the binary of a program
 *
 * Counts the instructions of @kernel; those of the functions that it calls are not its own.
 *
 * Returns: %FALSE if @ptx has no such kernel
 */
gboolean
ms_instructions_count_ptx(const char *ptx, const char *kernel, MsInstructionCounts *counts)
{
  const char *at = find_ptx_body(ptx, kernel);
  g_autoptr(GString) statement = g_string_new(NULL);

  *counts = (MsInstructionCounts){0};
  for (int depth = 1; at && *at && depth > 0; at++) {
    if (at[0] == '/' && at[1] == '/') {
      at += strcspn(at, "\n");
      if (!*at)
        break;
    }
    const gboolean is_operand = strchr(statement->str, '{') || (*at == '{' && statement->len > 0);
    if (*at == ';' || (!is_operand && strchr("{}", *at))) {
      depth += *at == '{' ? 1 : *at == '}' ? -1 : 0;
      count_ptx_statement(statement->str, counts);
      g_string_truncate(statement, 0);
    } else if (ends_without_semicolon(statement->str, at)) {
      g_string_truncate(statement, 0);
    } else if (statement->len > 0 || !g_ascii_isspace(*at)) {
      g_string_append_c(statement, *at);
    }
  }
  return counts->total > 0;
}

/* Processors */

static const char *const x86_prefixes[] = {"lock", "rep", "repz", "repnz", "bnd", "notrack", "data16", "addr32",
                                           "cs",   "ds",  "es",   "ss",    "gs",  "fs",      NULL};
static const char *const x86_fill[] = {"nop", "endbr", "int3", NULL};
static const char *const x86_branches[] = {"j", "call", "ret", "loop", NULL};

/* Copies and permutations, whose operand in memory is loaded or stored. */
static const char *const x86_copies[] = {
  "mov",      "cmov",     "stos",      "set",     "push",     "pop",      "xchg",       "leave",       "clt",
  "cqt",      "cwt",      "cbt",       "kmov",    "vmov",     "pmov",     "vpmov",      "shuf",        "vshuf",
  "pshuf",    "vpshuf",   "unpck",     "vunpck",  "punpck",   "vpunpck",  "vperm",      "insert",      "vinsert",
  "extract",  "vextract", "pinsr",     "vpinsr",  "pextr",    "vpextr",   "vbroadcast", "vpbroadcast", "vzero",
  "blend",    "vblend",   "pblend",    "vpblend", "valign",   "palignr",  "vpalignr",   "lddqu",       "vlddqu",
  "maskmov",  "vmaskmov", "vpmaskmov", "vgather", "vpgather", "vscatter", "vpscatter",  "vcompress",   "vexpand",
  "hlt",      "ud2",      "cpuid",     "mfence",  "lfence",   "sfence",   "prefetch",   "stmxcsr",     "ldmxcsr",
  "vstmxcsr", "vldmxcsr", NULL};

/* Comparisons, which write no operand, and products, which write registers that are not named. */
static const char *const x86_readers[] = {"cmp",    "test",  "ucomis", "vucomis", "comis", "vcomis", "ptest",
                                          "vptest", "vtest", "bt",     "mul",     "div",   "idiv",   NULL};

/* Whether it works on all elements of a vector register; "sd" and "ss" end the names of operations on one number. */
static gboolean
is_packed_x86(const char *name, const char *operands)
{
  static const char *const single[] = {"movd", "movq", "pextr", "pinsr", "ucomis", "comis", NULL};
  const char *base = name[0] == 'v' ? name + 1 : name;

  if (!strstr(operands, "%xmm") && !strstr(operands, "%ymm") && !strstr(operands, "%zmm"))
    return FALSE;
  if (begins_with_one_of(base, single))
    return g_str_has_prefix(base, "movdq") || g_str_has_prefix(base, "movddup");
  if (base[0] == 'p' || strstr(base, "broadcast")) /* of integers, or one number for all elements */
    return TRUE;
  return !g_str_has_suffix(base, "ss") && !g_str_has_suffix(base, "sd") && !strstr(base, "ss2") &&
         !strstr(base, "sd2") && !strstr(base, "si2s");
}

/* How the operand in memory is used, if there is one; the last operand is the destination. */
static guint
memory_use(const char *name, const char *operands, gboolean copies)
{
  const char *memory = strchr(operands, '(');
  const char *end = memory ? strchr(memory, ')') : NULL;

  if (g_str_has_prefix(name, "push"))
    return STORES | (memory ? LOADS : 0);
  if (g_str_has_prefix(name, "pop") && !g_str_has_prefix(name, "popcnt"))
    return LOADS | (memory ? STORES : 0);
  if (!end || g_str_has_prefix(name, "lea") || g_str_has_prefix(name, "prefetch"))
    return 0;
  if (end[1] == ',' || g_str_has_prefix(end + 1, "{1to") || begins_with_one_of(name, x86_readers))
    return LOADS;
  if (g_str_has_prefix(name, "xchg"))
    return LOADS | STORES;
  return copies ? STORES : LOADS | STORES;
}

static guint
what_x86_does(const char *name, const char *operands)
{
  const gboolean copies = begins_with_one_of(name, x86_copies) && !g_str_has_prefix(name, "popcnt");

  if (begins_with_one_of(name, x86_branches))
    return BRANCHES | (strchr(operands, '(') ? LOADS : 0);
  const guint what = memory_use(name, operands, copies) | (copies ? 0 : COMPUTES);
  return what | (what != 0 && is_packed_x86(name, operands) ? IS_PACKED : 0);
}

/* One line of a listing: "  4011:\tlock add %eax,(%rbx)   # comment". */
static void
count_x86_line(const char *line, MsInstructionCounts *counts)
{
  const char *tab = strchr(line, '\t');
  g_autofree char *text = tab ? g_strndup(tab + 1, strcspn(tab + 1, "#<\n")) : NULL;
  char *name = text ? g_strstrip(text) : NULL;

  while (name && *name) {
    char *end = name + strcspn(name, " \t"), *operands = end + strspn(end, " \t");
    *end = '\0';
    if (!is_of(x86_prefixes, name)) {
      if (!begins_with_one_of(name, x86_fill) && !(strcmp(name, "xchg") == 0 && strcmp(operands, "%ax,%ax") == 0))
        add(counts, what_x86_does(name, operands));
      return;
    }
    name = operands;
  }
}

/* Whether a function is the kernel or a form of it: a runtime puts words before and after the name. */
static gboolean
is_form_of(const char *symbol, gsize length, const char *kernel)
{
  static const char *const endings[] = {"", "_workgroup", "_workgroup_fast", NULL};
  g_autofree char *name = g_strndup(symbol, length);
  const char *at = g_strrstr(name, kernel);

  return at && (at == name || at[-1] == '_' || at[-1] == '.') && is_of(endings, at + strlen(kernel));
}

/**
 * ms_instructions_count_x86:
 * @listing: of objdump -d, for x86 processors, in AT&T's syntax
 *
 * Counts the instructions of @kernel, in the longest of the forms that the runtime made of it: the others are parts of
 * that one. Those of functions that it calls are not its own.
 *
 * Returns: %FALSE if the listing has no such function
 */
gboolean
ms_instructions_count_x86(const char *listing, const char *kernel, MsInstructionCounts *counts)
{
  g_auto(GStrv) lines = g_strsplit(listing, "\n", -1);
  MsInstructionCounts form = {0};
  gboolean counted = FALSE;

  *counts = (MsInstructionCounts){0};
  for (char **line = lines; *line; line++) {
    const char *symbol = strchr(*line, '<');
    if (!strchr(*line, '\t') && symbol && g_str_has_suffix(*line, ">:")) {
      counted = is_form_of(symbol + 1, strlen(symbol) - strlen("<>:"), kernel);
      form = (MsInstructionCounts){0};
    } else if (counted) {
      count_x86_line(*line, &form);
      if (form.total > counts->total)
        *counts = form;
    }
  }
  return counts->total > 0;
}
