/* SPDX-License-Identifier: MIT */
/*
 * meanshift-lab-loader: decodes one picture by a module of gdk-pixbuf, and may do nothing else. It is started for each
 * picture by core/image/pixbuf.c, because such modules have had many holes: what one of them breaks ends with this
 * process, which from before the first byte of the picture can open no file, start no program and reach no network.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/image/loader/confine.h"
#include "core/image/loader/decode.h"
#include "core/image/loader/filter.h"
#include "core/image/loader/protocol.h"
#include "core/process/child.h"

#define STACK_SIZE (2 << 20)

/* As the parent sends them. */
typedef struct {
  guint32 seconds;
  guint64 memory;
} Limits;

typedef struct {
  MsChannel *channel;
  const guint8 *bytes;
  gsize size;
  guint8 *pixels; /* NULL until the parent has sent the memory for them */
  gsize n_bytes;
  gboolean is_glycin;
  Limits most;
} Loader;

/* Only a lower limit than @most can be raised later by a process that is not root's. */
static void
limit(int resource, guint64 now, guint64 most)
{
  setrlimit(resource, &(struct rlimit){now, MAX(now, most)});
}

static void
limit_work(const Limits *now, const Limits *most)
{
  limit(RLIMIT_CPU, now->seconds, most->seconds);
  limit(RLIMIT_DATA, now->memory, most->memory);
}

/* Closes what this process was not given on purpose: all but standard error, the channel and the picture. */
static void
close_others(void)
{
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  if (syscall(SYS_close_range, MS_CHILD_FILES_FD + 1, ~0U, 0) == 0)
    return;
  for (int fd = MS_CHILD_FILES_FD + 1; fd < 1024; fd++)
    close(fd);
}

/* Waits for a request; a parent that has closed the channel wants no more of this process. */
static void
wait_for(Loader *self, MsLoaderRequest wanted, MsMessage *message)
{
  if (ms_channel_wait(self->channel, message) != MS_RECEIPT_MESSAGE || message->kind != wanted)
    exit(EXIT_SUCCESS);
}

/* States the size, and waits until the pixels are wanted. */
static gboolean
on_size(int width, int height, guint n_images, gpointer data)
{
  Loader *self = data;
  g_auto(MsMessage) message;

  ms_message_init(&message);
  ms_channel_send(self->channel, MS_LOADER_SIZE, g_variant_new("(iiu)", width, height, n_images), NULL, NULL);
  Limits now;
  wait_for(self, MS_LOADER_DECODE, &message);
  g_variant_get(message.payload, "((ut))", &now.seconds, &now.memory);
  self->n_bytes = (gsize)width * (gsize)height * 4;
  self->pixels = ms_channel_map_memory(message.fds[0], self->n_bytes, TRUE, NULL);
  if (!self->is_glycin)
    limit_work(&now, &self->most);
  return self->pixels != NULL;
}

/* What a module has said last beside an error, such as the kind of a file that it does not support. */
static char last_words[200];

static void
on_log(const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
  if (level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING))
    g_strlcpy(last_words, message, sizeof last_words);
}

/* ---- Modules. */

/* Loads now the decoders of libheif, shared libraries that it would load with the first picture. */
static void
load_further_modules(void)
{
  void *heif = dlopen("libheif.so.1", RTLD_LAZY | RTLD_NOLOAD);
  int (*init)(void *) = heif ? (int (*)(void *))dlsym(heif, "heif_init") : NULL;

  if (init)
    init(NULL);
}

/*
 * Whether a module has made a temporary file for glycin, by which gdk-pixbuf decodes most formats since version 2.44:
 * it starts a confined process itself, which it could not from a confined one.
 */
static gboolean
has_file_of_glycin(void)
{
  g_autoptr(GDir) names = g_dir_open(g_get_tmp_dir(), 0, NULL);
  const char *name;

  while (names && (name = g_dir_read_name(names)))
    if (strstr(name, "glycin"))
      return TRUE;
  return FALSE;
}

/*
 * Whether bubblewrap can start a program in new namespaces. Without it glycin reads no picture, and where the system
 * forbids namespaces to it, glycin decodes in a process that is not confined. Inside Flatpak glycin asks that instead.
 */
static gboolean
can_glycin_confine(void)
{
  char *arguments[] = {"bwrap", "--unshare-all", "--ro-bind", "/", "/", "true", NULL};
  int status = 0;

  return g_file_test("/.flatpak-info", G_FILE_TEST_EXISTS) ||
         (g_spawn_sync(NULL, arguments, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL, NULL,
                       &status, NULL) &&
          status == 0);
}

/* Modules that keep the picture in a temporary file until they decode it open it here. */
static MsDecoder *
load_module(Loader *self, const char *mime_type, GError **error)
{
  MsDecoder *decoder = ms_decoder_new(mime_type, on_size, self, error);

  self->is_glycin = has_file_of_glycin();
  if (!self->is_glycin)
    load_further_modules();
  return decoder;
}

/* ---- One picture. */

static void
answer_failed(Loader *self, MsLoaderFailure failure, const char *message)
{
  ms_channel_send(self->channel, MS_LOADER_FAILED, g_variant_new("(us)", failure, message), NULL, NULL);
}

/* @usual: for an error that is none of the memory */
static void
answer_error(Loader *self, MsLoaderFailure usual, const GError *error)
{
  const gboolean is_memory = g_error_matches(error, GDK_PIXBUF_ERROR, GDK_PIXBUF_ERROR_INSUFFICIENT_MEMORY);
  g_autofree char *words = last_words[0] ? g_strconcat(error->message, ": ", last_words, NULL) : NULL;
  g_autofree char *message = g_utf8_make_valid(words ? words : error->message, -1);

  answer_failed(self, is_memory ? MS_LOADER_NO_MEMORY : usual, message);
}

static void
answer_pixels(Loader *self, GdkPixbuf *pixbuf, const char *damage, guint64 most_profile)
{
  g_autoptr(GBytes) icc = ms_decode_get_profile(pixbuf, most_profile);
  g_autofree char *words = g_utf8_make_valid(damage ? damage : "", -1);

  ms_decode_copy(pixbuf, self->pixels);
  ms_channel_send(self->channel, MS_LOADER_DONE,
                  g_variant_new("(u@ays)", ms_decode_get_orientation(pixbuf),
                                g_variant_new_from_bytes(G_VARIANT_TYPE_BYTESTRING, icc, TRUE), words),
                  NULL, NULL);
}

/* Reads the picture and answers; before this call no byte of it was read. */
static void
decode(Loader *self, MsDecoder *decoder, guint64 most_profile)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *damage = NULL;
  g_autoptr(GdkPixbuf) pixbuf = ms_decoder_run(decoder, self->bytes, self->size, &damage, &error);

  if (pixbuf)
    answer_pixels(self, pixbuf, damage, most_profile);
  else
    answer_error(self, MS_LOADER_DAMAGED, error);
}

static gboolean
map_picture(Loader *self)
{
  struct stat info;

  if (fstat(MS_CHILD_FILES_FD, &info) != 0 || info.st_size <= 0)
    return FALSE;
  self->size = (gsize)info.st_size;
  void *bytes = mmap(NULL, self->size, PROT_READ, MAP_PRIVATE, MS_CHILD_FILES_FD, 0);
  self->bytes = bytes != MAP_FAILED ? bytes : NULL;
  return self->bytes != NULL;
}

static void
set_limits(const Loader *self, const Limits *now, guint64 most_profile)
{
  pthread_attr_t threads;

  pthread_attr_init(&threads);
  pthread_attr_setstacksize(&threads, STACK_SIZE);
  pthread_setattr_default_np(&threads);
  limit(RLIMIT_CORE, 0, 0);
  /* The processes of glycin would inherit these, and take more for less. */
  if (self->is_glycin)
    return;
  /* Of a temporary file, which holds the picture, and of the message with the profile. */
  limit(RLIMIT_FSIZE, MAX((guint64)self->size, most_profile) + (1 << 20), 0);
  limit_work(now, &self->most);
}

static int
serve(void)
{
  Loader self = {NULL};
  g_auto(MsMessage) message;
  g_autoptr(GError) error = NULL;
  const char *mime_type;
  Limits now;
  guint64 most_profile;

  close_others();
  g_log_set_always_fatal(G_LOG_FATAL_MASK);
  g_log_set_default_handler(on_log, NULL);
  self.channel = ms_channel_new(MS_CHILD_CHANNEL_FD, &ms_loader_requests, &ms_loader_answers, TRUE);
  ms_message_init(&message);
  wait_for(&self, MS_LOADER_LOAD, &message);
  g_variant_get(message.payload, "(&st(ut)(ut))", &mime_type, &most_profile, &now.seconds, &now.memory,
                &self.most.seconds, &self.most.memory);
  g_autoptr(MsDecoder) decoder = load_module(&self, mime_type, &error);
  if (self.is_glycin && !can_glycin_confine()) {
    answer_failed(&self, MS_LOADER_NOT_CONFINED, "");
  } else if (decoder && map_picture(&self)) {
    set_limits(&self, &now, most_profile);
    if (!self.is_glycin)
      ms_confine(MS_CONFINE_PATHS | MS_CONFINE_CALLS);
    decode(&self, decoder, most_profile);
  } else if (decoder) {
    answer_failed(&self, MS_LOADER_NO_MEMORY, "");
  } else {
    answer_error(&self, MS_LOADER_NO_MODULE, error);
  }
  /* No destructor of a library is needed, and some would open files. */
  _exit(EXIT_SUCCESS);
}

static gboolean
links_glycin(void)
{
  g_autofree char *maps = NULL;

  return g_file_get_contents("/proc/self/maps", &maps, NULL, NULL) && strstr(maps, "/libglycin-");
}

/* Prints the version, the confinement and the MIME types of the modules as lines of KEY=VALUE. */
static int
describe(void)
{
  GSList *formats = gdk_pixbuf_get_formats();

  printf("version=%s\nglycin=%d\nlandlock=%d\nfilter=%d\n", gdk_pixbuf_version, links_glycin(),
         ms_confine_get_landlock(), ms_filter_is_there());
  if (links_glycin())
    printf("bubblewrap=%d\n", can_glycin_confine());
  for (GSList *l = formats; l; l = l->next) {
    g_auto(GStrv) types = gdk_pixbuf_format_get_mime_types(l->data);
    for (char **type = types; *type; type++)
      printf("type=%s\n", *type);
  }
  g_slist_free(formats);
  return EXIT_SUCCESS;
}

int
main(int argc, char **argv)
{
  if (argc == 2 && strcmp(argv[1], MS_LOADER_DESCRIBE) == 0)
    return describe();
  return serve();
}
