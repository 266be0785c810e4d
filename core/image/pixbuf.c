/* SPDX-License-Identifier: MIT */
#include "core/image/pixbuf.h"

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/error.h"
#include "core/image/codec.h"
#include "core/image/loader/protocol.h"
#include "core/image/pixbuf-look.h"
#include "core/text.h"
#include "core/process/follow.h"

#define LOADER_ROLE "loader"

/*
 * How long a decoder may be silent, and how long it may compute on all processors together: the second is less, since
 * no other program takes from it. A module may decode the whole picture before it states the size.
 */
#define SILENT_SECONDS 30
#define SILENT_SECONDS_PER_MEBIBYTE 3
#define WORK_SECONDS 10
#define PIXELS_PER_SECOND 1000000

/* Pictures that memory suffices for. */
#define SMALL_PIXELS (16 << 20)

/*
 * Memory beside that for the pixels and the file, besides stacks: the libraries of modules, and where no header says
 * the size beforehand also a picture that is decoded before it is known.
 */
#define BASE_MEMORY (G_GUINT64_CONSTANT(256) << 20)
#define UNKNOWN_MEMORY (G_GUINT64_CONSTANT(1) << 30)

/* What modules may take for a byte of the file and for a pixel, of which some keep several copies in 32-bit numbers. */
#define MEMORY_PER_BYTE 8
#define MEMORY_PER_PIXEL 64

/* The same for plans, where 12 megapixels of HEIC take 98 MiB; limits also allow stacks of two threads a processor. */
#define USUAL_BASE_MEMORY (24 << 20)
#define USUAL_PER_PIXEL 32
#define STACKS (2 * 2 << 20)

/* Seconds after its last message in which a loader that has closed its channel must have ended. */
#define PATIENCE_S 5

/* What a loader says is shown up to this length, in bytes. */
#define MOST_WORDS 200

/*
 * @look: what the header says
 * @folder: (nullable): of the temporary files of a module, which cannot remove them itself
 * @failure: (nullable): what the loader says, of @failed
 */
typedef struct {
  MsImageFile *file;
  MsPixbufLook look;
  MsChild *child;
  char *folder;
  gint32 width;
  gint32 height;
  guint32 n_images;
  guint32 orientation;
  GBytes *icc;
  char *damage;
  char *failure;
  guint32 failed;
} PixbufReader;

/* (transfer full): the loader's file, in libexec or, in the build folder, beside this program. */
static char *
find_loader(void)
{
  const char *named = g_getenv(MS_PIXBUF_LOADER_VARIABLE);
  g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
  g_autofree char *folder = self ? g_path_get_dirname(self) : NULL;
  g_autofree char *beside = folder ? g_build_filename(folder, MS_LOADER_PROGRAM, NULL) : NULL;

  if (named)
    return g_strdup(named);
  if (beside && g_file_test(beside, G_FILE_TEST_IS_EXECUTABLE))
    return g_steal_pointer(&beside);
  return g_build_filename(MS_LIBEXEC_FOLDER, MS_LOADER_PROGRAM, NULL);
}

/* @usual: unless the environment says otherwise */
static guint32
most_seconds(guint64 usual)
{
  const char *text = g_getenv(MS_PIXBUF_SECONDS_VARIABLE);
  const guint64 named = text ? g_ascii_strtoull(text, NULL, 10) : 0;

  return named > 0 && named < G_MAXINT ? (guint32)named : (guint32)MIN(usual, G_MAXINT);
}

/* @pixels: of the picture, like those of the following; 0 before its size is known */
static guint32
most_silence(const MsImageFile *file, guint64 pixels)
{
  return most_seconds(SILENT_SECONDS + SILENT_SECONDS_PER_MEBIBYTE * (file->size >> 20) + pixels / PIXELS_PER_SECOND);
}

/* Any limit leaves the memory for reading the header, because a refusal states what the picture needs. */
static guint64
most_memory(const MsImageFile *file, guint64 pixels)
{
  const guint64 stacks = g_get_num_processors() * STACKS, base = pixels > 0 ? BASE_MEMORY + stacks : UNKNOWN_MEMORY;
  const guint64 usual = base + MEMORY_PER_BYTE * file->size + MEMORY_PER_PIXEL * pixels;
  const guint64 limited = MAX(file->limits.decoder_memory, USUAL_BASE_MEMORY + file->size);

  return file->limits.decoder_memory > 0 ? MIN(usual, limited + stacks) : usual;
}

/* (transfer none): as MsLoaderRequest has them. */
static GVariant *
make_limits(const MsImageFile *file, guint64 pixels)
{
  const guint32 seconds = most_seconds(WORK_SECONDS + (file->size >> 20) + pixels / PIXELS_PER_SECOND);

  return g_variant_new("(ut)", seconds, most_memory(file, pixels));
}

/* ---- The process of a picture. */

/* A descriptor of the file's bytes, which @is_new says whether to close; -1 with the error in the file. */
static int
open_content(PixbufReader *self, gboolean *is_new)
{
  MsImageFile *file = self->file;
  GBytes *bytes = self->look.content ? self->look.content : file->bytes;

  *is_new = bytes != NULL;
  if (!bytes)
    return file->fd;
  const gsize size = g_bytes_get_size(bytes);
  const int fd = ms_channel_new_memory(size, &file->error);
  guint8 *memory = fd >= 0 ? ms_channel_map_memory(fd, size, TRUE, &file->error) : NULL;
  if (memory) {
    memcpy(memory, g_bytes_get_data(bytes, NULL), size);
    munmap(memory, size);
    return fd;
  }
  if (fd >= 0)
    close(fd);
  return -1;
}

static gboolean
start_loader(PixbufReader *self)
{
  MsImageFile *file = self->file;
  g_autofree char *program = find_loader();
  g_autoptr(GArray) files = g_array_new(FALSE, FALSE, sizeof(int));
  g_autoptr(GError) reason = NULL;
  gboolean is_new = FALSE;
  const int fd = open_content(self, &is_new);

  if (fd < 0)
    return FALSE;
  self->folder = g_dir_make_tmp("meanshift-lab-XXXXXX", NULL);
  g_array_append_val(files, fd);
  self->child = ms_child_spawn(
    &(MsChildStart){.role = LOADER_ROLE,
                    .arguments = (const char *const[]){program, NULL},
                    .from_child = &ms_loader_answers,
                    .to_child = &ms_loader_requests,
                    .files = files,
                    .captures_stderr = TRUE,
                    .variables = (const char *const[]){"TMPDIR", self->folder ? self->folder : "/nonexistent", NULL},
                    .library = "loader"},
    &reason);
  if (is_new)
    close(fd);
  if (!self->child)
    ms_set_error(&file->error, MS_ERROR_UNSUPPORTED,
                 "'%s' has the format %s, and the program that reads it cannot be started: %s; install it again.",
                 file->name, file->codec->title, reason->message);
  return self->child != NULL;
}

static void
take_icc(PixbufReader *self, GVariant *bytes)
{
  if (g_variant_get_size(bytes) > 0 && g_variant_get_size(bytes) <= self->file->limits.max_metadata) {
    g_clear_pointer(&self->icc, g_bytes_unref);
    self->icc = g_variant_get_data_as_bytes(bytes);
  }
  if (self->icc && !ms_icc_is_sound(self->icc))
    g_clear_pointer(&self->icc, g_bytes_unref);
}

/* Each request has one answer, which ends the wait. */
static gboolean
take_answer(MsMessage *message, gpointer data)
{
  PixbufReader *self = data;
  g_autoptr(GVariant) icc = NULL;

  switch ((MsLoaderAnswer)message->kind) {
  case MS_LOADER_SIZE:
    g_variant_get(message->payload, "(iiu)", &self->width, &self->height, &self->n_images);
    break;
  case MS_LOADER_DONE:
    g_clear_pointer(&self->damage, g_free);
    g_variant_get(message->payload, "(u@ays)", &self->orientation, &icc, &self->damage);
    take_icc(self, icc);
    break;
  case MS_LOADER_FAILED:
    g_clear_pointer(&self->failure, g_free);
    g_variant_get(message->payload, "(us)", &self->failed, &self->failure);
    break;
  }
  return TRUE;
}

/* (transfer full): untrusted words, for a message. */
static char *
printable_words(const char *words)
{
  g_autofree char *start = g_strndup(words, MOST_WORDS), *valid = g_utf8_make_valid(start, -1);

  return ms_printable(g_strstrip(valid), "");
}

/*
 * Says that a module does not read the file, which may be damaged or of a kind that is new to the module. @words:
 * (nullable): a phrase of this program, or what a loader says; %FALSE
 */
static gboolean
not_read(const PixbufReader *self, const char *words)
{
  g_autofree char *what = printable_words(words && words[0] ? words : N_("its pixels cannot be decoded"));

  return MS_CODEC_FAIL(
    self->file,
    N_("'%s' cannot be read by gdk-pixbuf's module for %s (%s); if another program shows it, convert "
       "it: 'magick FILE -auto-orient pam:- | meanshift-lab --headless - -o OUTPUT', else get a "
       "fresh copy of it."),
    what);
}

/* Whether what a decoder says of its failure speaks of memory, where that is limited. */
static gboolean
ran_short(const MsImageFile *file, const char *how)
{
  return file->limits.decoder_memory > 0 && (strstr(how, "alloc") || strstr(how, "emory"));
}

/* Says that the limit on memory is too low; %FALSE. @how: how the decoder failed */
static gboolean
needs_memory(MsImageFile *file, const char *how)
{
  g_autofree char *what = printable_words(how);

  ms_set_error(
    &file->error, MS_ERROR_TOO_LARGE,
    "'%s' cannot be read with the %" PRIu64
    " MiB that --memory-limit leaves to the process that decodes it (%s); convert it, or leave out the limit.",
    file->name, file->limits.decoder_memory >> 20, what);
  return FALSE;
}

/* As the loader has stated the size, or the header, or, where nothing is known, 0. */
static guint64
known_pixels(const PixbufReader *self)
{
  const guint64 claimed = self->look.width * self->look.height;

  return self->width > 0 && self->height > 0 ? MAX((guint64)self->width * (guint64)self->height, claimed) : claimed;
}

static gboolean
set_failure(const PixbufReader *self)
{
  MsImageFile *file = self->file;

  if (self->failed == MS_LOADER_NO_MEMORY && file->limits.decoder_memory > 0)
    return needs_memory(file, self->failure);
  /* Modules say so of widths of 0, too. */
  if (self->failed == MS_LOADER_NO_MEMORY)
    return known_pixels(self) < SMALL_PIXELS && self->failure[0] ? not_read(self, NULL)
                                                                 : ms_image_file_fail_memory(file);
  if (self->failed == MS_LOADER_DAMAGED && ran_short(file, self->failure))
    return needs_memory(file, self->failure);
  if (self->failed == MS_LOADER_DAMAGED)
    return not_read(self, self->failure);
  if (self->failed == MS_LOADER_NOT_CONFINED) {
    ms_set_error(&file->error, MS_ERROR_UNSUPPORTED,
                 "'%s' has the format %s, which glycin decodes here, and glycin cannot confine its process, because "
                 "bubblewrap (bwrap) is missing or may make no namespaces; install or allow it.",
                 file->name, file->codec->title);
    return FALSE;
  }
  ms_set_error(&file->error, MS_ERROR_UNSUPPORTED,
               "'%s' has the format %s, for which gdk-pixbuf has no module here; install one, or convert the file.",
               file->name, file->codec->title);
  return FALSE;
}

/* Waits for the answer to a request; %FALSE with the error in the file. */
static gboolean
follow(PixbufReader *self)
{
  MsImageFile *file = self->file;
  const MsChildWatch watch = {.silence_s = most_silence(file, known_pixels(self))};
  const MsChildEnd end = ms_child_follow(self->child, &watch, take_answer, self, file->cancellable);

  if (end == MS_CHILD_END_FINISHED)
    return self->failure ? set_failure(self) : TRUE;
  ms_child_end(self->child, end == MS_CHILD_END_DIED ? PATIENCE_S : 0);
  if (g_cancellable_set_error_if_cancelled(file->cancellable, &file->error))
    return FALSE;
  g_autofree char *how = ms_child_describe_end(self->child, end, &watch);
  /* Most modules end their process where an allocation fails. */
  if (end == MS_CHILD_END_DIED && ran_short(file, how))
    return needs_memory(file, how);
  g_autofree char *what = printable_words(how);
  ms_set_error(&file->error, MS_ERROR_FORMAT,
               "'%s' cannot be read, because the process that decoded it failed: %s; get a fresh copy of it.",
               file->name, what);
  return FALSE;
}

/* ---- The functions of the codec. */

/* Replaces an icon by the PNG file that it holds, which needs no module. */
static void
open_inside(MsImageFile *file, const MsPixbufLook *look)
{
  g_clear_pointer(&file->bytes, g_bytes_unref);
  file->bytes = g_bytes_ref(look->content);
  file->size = g_bytes_get_size(look->content);
  file->block_size = 0;
  file->at = 0;
  file->codec = ms_codec_get(MS_IMAGE_FORMAT_PNG);
  file->header.format = MS_IMAGE_FORMAT_PNG;
  if (ms_image_file_fill_block(file))
    file->codec->decoder->open(file);
  if (look->n_images == 1)
    return;
  file->header.has_more_images = TRUE;
  file->header.n_images = look->n_images;
}

/**
 * ms_pixbuf_open: looks at the header, and starts a loader, which reads the size of the picture and waits; or opens the
 * PNG file that is inside.
 */
static void
ms_pixbuf_open(MsImageFile *file)
{
  MsPixbufLook look;

  if (ms_pixbuf_look(file, &look) && look.is_png) {
    open_inside(file, &look);
    g_bytes_unref(look.content);
    return;
  }
  PixbufReader *self = file->decoder = g_new0(PixbufReader, 1);
  self->file = file;
  self->look = look;
  self->icc = look.icc;
  if (ms_image_file_is_cancelled(file) || !start_loader(self))
    return;
  /* A loader that is dead takes no message; follow() says how it ended. */
  ms_child_send(self->child, MS_LOADER_LOAD,
                g_variant_new("(st@(ut)@(ut))", file->codec->mime_types[0], (guint64)file->limits.max_metadata,
                              make_limits(file, known_pixels(self)), make_limits(file, file->limits.max_pixels)),
                NULL, NULL);
  if (!follow(self))
    return;
  if (self->width <= 0 || self->height <= 0) {
    not_read(self, N_("its header is not valid"));
    return;
  }
  const guint64 least = look.most_per_byte > 0 ? (guint64)self->width * (guint64)self->height / look.most_per_byte : 0;
  if (!ms_image_file_check_size(file, (guint64)self->width, (guint64)self->height, least))
    return;
  ms_image_file_set_header(file, self->width, self->height, 1, (int)look.bits);
  file->process_memory =
    USUAL_BASE_MEMORY + file->size + USUAL_PER_PIXEL * (guint64)self->width * (guint64)self->height;
  file->header.has_unread_exif = look.has_exif;
  if (look.content)
    file->process_memory += 2 * g_bytes_get_size(look.content);
  file->header.n_images = look.n_images == 1 ? self->n_images : look.n_images;
  file->header.has_more_images = file->header.n_images != 1;
}

static void
remove_folder(const char *folder)
{
  g_autoptr(GDir) names = g_dir_open(folder, 0, NULL);

  for (const char *name; names && (name = g_dir_read_name(names));) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_unlink(path);
  }
  g_rmdir(folder);
}

static void
ms_pixbuf_close(MsImageFile *file)
{
  PixbufReader *self = file->decoder;

  ms_child_free(self->child);
  if (self->folder)
    remove_folder(self->folder);
  g_free(self->folder);
  g_clear_pointer(&self->icc, g_bytes_unref);
  g_clear_pointer(&self->look.content, g_bytes_unref);
  g_free(self->damage);
  g_free(self->failure);
  g_free(self);
}

/* Asks for the pixels, which the loader writes to @memory; %FALSE with the error in the file. */
static gboolean
decode(PixbufReader *self, int memory)
{
  const int fds[] = {memory};
  ms_child_send(self->child, MS_LOADER_DECODE, g_variant_new("(@(ut))", make_limits(self->file, known_pixels(self))),
                fds, NULL);
  if (!follow(self))
    return FALSE;
  /* Nobody else writes to the memory from here on. */
  ms_child_end(self->child, 0);
  if (self->damage && !self->damage[0])
    return TRUE;
  if (!self->damage)
    return not_read(self, NULL);
  g_autofree char *what = printable_words(self->damage);
  return ms_image_file_accepts(self->file, what) || not_read(self, what);
}

/* With a profile and an orientation where the loader has told them. */
static void
set_stored(const PixbufReader *self)
{
  g_autoptr(MsMetadata) raw = ms_metadata_new(self->icc, NULL, 0, 0);
  const int orientation = self->orientation >= 1 && self->orientation <= 8 ? (int)self->orientation : 1;

  ms_image_file_set_stored(self->file, self->width, self->height, orientation, raw);
}

static gboolean
start_pixbuf(MsImageFile *file, MsDecoding how)
{
  set_stored(file->decoder);
  return TRUE;
}

/* Lets the loader decode, and copies the pixels. */
static void
read_pixbuf(MsImageFile *file, guint8 *into, int n)
{
  PixbufReader *self = file->decoder;
  const gsize size = (gsize)self->width * (gsize)n * 4;
  const int memory = ms_channel_new_memory(size, &file->error);
  g_autoptr(GBytes) shared =
    memory >= 0 && decode(self, memory) ? ms_channel_read_memory(memory, size, &file->error) : NULL;

  if (memory >= 0)
    close(memory);
  if (shared)
    memcpy(into, g_bytes_get_data(shared, NULL), size);
  set_stored(self);
}

const MsImageDecoder ms_pixbuf_decoder = {FALSE, FALSE, ms_pixbuf_open, start_pixbuf, read_pixbuf, ms_pixbuf_close};

/* ---- What is there. */

static gpointer
ask_loader(gpointer data)
{
  g_autofree char *program = find_loader(), *text = NULL;
  char *arguments[] = {program, MS_LOADER_DESCRIBE, NULL};
  int status = 0;
  const gboolean answered =
    g_spawn_sync(NULL, arguments, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &text, NULL, &status, NULL);

  return g_strsplit(answered && status == 0 ? text : "", "\n", -1);
}

/* (nullable): the value of a line KEY=VALUE of the loader, from line *@at on, which is moved behind it. */
static const char *
next_fact(const char *key, guint *at)
{
  static GOnce once = G_ONCE_INIT;
  char **lines = g_once(&once, ask_loader, NULL);
  const gsize length = strlen(key);

  for (; lines[*at]; (*at)++)
    if (strncmp(lines[*at], key, length) == 0 && lines[*at][length] == '=')
      return lines[(*at)++] + length + 1;
  return NULL;
}

static gboolean
is_true(const char *key)
{
  guint at = 0;
  const char *value = next_fact(key, &at);

  return value && !g_str_equal(value, "0");
}

/** ms_pixbuf_has_module: whether gdk-pixbuf has a module for the format; asks a loader the first time. */
gboolean
ms_pixbuf_has_module(const MsCodec *codec)
{
  guint at = 0;

  for (const char *type; (type = next_fact("type", &at));)
    if (g_strv_contains(codec->mime_types, type))
      return TRUE;
  return FALSE;
}

static void
append_titles(GString *text)
{
  guint n, found = 0;
  const MsCodec *codecs = ms_codec_table(&n);

  for (guint i = 0; i < n; i++)
    if (codecs[i].decoder == &ms_pixbuf_decoder && ms_pixbuf_has_module(&codecs[i]))
      g_string_append_printf(text, "%s%s", found++ > 0 ? ", " : ": ", codecs[i].title);
}

/**
 * ms_pixbuf_describe: (transfer full): the version of gdk-pixbuf, the formats of its modules, and what confines them or
 * is missing for that.
 */
char *
ms_pixbuf_describe(void)
{
  guint at = 0;
  const char *version = next_fact("version", &at);
  GString *text = g_string_new(version);

  if (!version) {
    g_autofree char *program = find_loader();
    g_string_printf(text, "missing: %s does not run", program);
    return g_string_free(text, FALSE);
  }
  append_titles(text);
  g_string_append_printf(text, "; confined by %s and %s%s",
                         is_true("landlock") ? "Landlock" : "no Landlock, which this kernel lacks,",
                         is_true("filter") ? "seccomp" : "no filter of system calls, for which libseccomp is missing",
                         !is_true("glycin")      ? ""
                         : is_true("bubblewrap") ? ", or by glycin where that decodes"
                                                 : "; glycin reads nothing, because bubblewrap does not work here");
  return g_string_free(text, FALSE);
}
