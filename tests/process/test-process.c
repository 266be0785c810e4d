/* SPDX-License-Identifier: MIT */
/* Children that behave badly in every way that core/process must survive, and what travels between processes. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/opencl/context.h"
#include "core/process/follow.h"
#include "tests/support/fixture.h"

#define ROLE "test"
#define BEHAVIOUR "MS_TEST_BEHAVIOUR"

enum {
  TO_WORK,
};

enum {
  FROM_NUMBER,
  FROM_BYTES,
  FROM_FILE,
  FROM_END,
};

static const MsMessageType to_child_types[] = {[TO_WORK] = {"work", "(s)", 0}};
static const MsMessageType from_child_types[] = {
  [FROM_NUMBER] = {"number", "(u)", 0},
  [FROM_BYTES] = {"bytes", "(ay)", 0},
  [FROM_FILE] = {"file", "(t)", 1},
  [FROM_END] = {"end", "()", 0},
};
static const MsProtocol to_child = {to_child_types, G_N_ELEMENTS(to_child_types)};
static const MsProtocol from_child = {from_child_types, G_N_ELEMENTS(from_child_types)};

/* The child's side */

static void
send_raw(const void *data, gsize size)
{
  g_assert_cmpint(send(MS_CHILD_CHANNEL_FD, data, size, 0), ==, (gssize)size);
  g_usleep(60 * G_USEC_PER_SEC);
}

static void
send_number(MsChannel *channel, guint number)
{
  g_assert_true(ms_channel_send(channel, FROM_NUMBER, g_variant_new("(u)", number), NULL, NULL));
}

static GVariant *
many_bytes(gsize n)
{
  g_autofree guint8 *bytes = g_malloc(n);

  for (gsize i = 0; i < n; i++)
    bytes[i] = (guint8)(i * 7);
  return g_variant_new("(@ay)", g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, bytes, n, 1));
}

/* A payload whose memory can still be changed or shortened. */
static void
send_unsealed(void)
{
  const guint32 header[] = {FROM_BYTES, 1};
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
  } control = {{0}};
  struct iovec part = {(gpointer)header, sizeof header};
  struct msghdr packet = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  struct cmsghdr *c = CMSG_FIRSTHDR(&packet);
  int fd = memfd_create("test", MFD_ALLOW_SEALING);

  g_assert_cmpint(ftruncate(fd, 100), ==, 0);
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(c), &fd, sizeof fd);
  g_assert_cmpint(sendmsg(MS_CHILD_CHANNEL_FD, &packet, 0), ==, (gssize)sizeof header);
  g_usleep(60 * G_USEC_PER_SEC);
}

static void
flood(void)
{
  char line[1000];

  memset(line, 'x', sizeof line);
  while (write(STDERR_FILENO, line, sizeof line) > 0)
    ;
}

static void
send_file(MsChannel *channel)
{
  int fd = ms_channel_new_memory(8, NULL);
  char *data = ms_channel_map_memory(fd, 8, TRUE, NULL);

  memcpy(data, "8 bytes", 8);
  g_assert_true(ms_channel_send(channel, FROM_FILE, g_variant_new("(t)", (guint64)8), &fd, NULL));
}

static int
behave(void)
{
  const char *how = g_getenv(BEHAVIOUR);
  g_autoptr(MsChannel) channel = ms_child_begin(&to_child, &from_child);
  g_auto(MsMessage) message;

  g_assert_nonnull(channel);
  g_assert_cmpint(ms_channel_wait(channel, &message), ==, MS_RECEIPT_MESSAGE);
  if (g_str_equal(how, "works")) {
    const char *text = NULL;
    g_variant_get(message.payload, "(&s)", &text);
    send_number(channel, (guint)strlen(text));
    ms_channel_send(channel, FROM_BYTES, many_bytes(10), NULL, NULL);
    ms_channel_send(channel, FROM_BYTES, many_bytes(300000), NULL, NULL);
    send_file(channel);
    ms_channel_send(channel, FROM_END, NULL, NULL, NULL);
    abort(); /* what a driver does when it is closed */
  }
  if (g_str_equal(how, "lingers")) {
    signal(SIGTERM, SIG_IGN);
    ms_channel_send(channel, FROM_END, NULL, NULL, NULL);
    g_usleep(60 * G_USEC_PER_SEC);
  }
  if (g_str_equal(how, "looks")) {
    send_number(channel, g_getenv(MS_CONTEXT_PROBE_VARIABLE) != NULL);
    ms_channel_send(channel, FROM_END, NULL, NULL, NULL);
  }
  if (g_str_equal(how, "exits"))
    _exit(0);
  if (g_str_equal(how, "aborts")) {
    signal(SIGABRT, SIG_DFL);
    g_assert_cmpint(write(STDERR_FILENO, "it works\nfatal error: no memory\nbye\n", 36), ==, 36);
    kill(getpid(), SIGABRT);
  }
  if (g_str_equal(how, "hangs") || g_str_equal(how, "grows")) {
    signal(SIGTERM, SIG_IGN);
    if (g_str_equal(how, "grows"))
      memset(g_malloc(300 << 20), 1, 300 << 20);
    g_usleep(60 * G_USEC_PER_SEC);
  }
  if (g_str_equal(how, "floods"))
    flood();
  if (g_str_equal(how, "no-header"))
    send_raw("x", 1);
  if (g_str_equal(how, "no-kind"))
    send_raw((const guint32[]){99, 0, 5}, 12);
  if (g_str_equal(how, "short"))
    send_raw((const guint32[]){FROM_NUMBER, 0}, 8);
  if (g_str_equal(how, "garbage"))
    send_raw("\0\0\0\0\0\0\0\0 a text that is no number of four bytes", 48);
  if (g_str_equal(how, "no-file"))
    send_raw((const guint32[]){FROM_FILE, 0, 8, 0}, 16);
  if (g_str_equal(how, "no-memory"))
    send_raw((const guint32[]){FROM_BYTES, 1}, 8);
  if (g_str_equal(how, "unsealed"))
    send_unsealed();
  if (g_str_equal(how, "stops"))
    raise(SIGSTOP);
  return 0;
}

/* The parent's side */

typedef struct {
  GArray *kinds;
  gsize n_bytes;
  int file;
} Taken;

static gboolean
take(MsMessage *message, gpointer data)
{
  Taken *taken = data;
  g_autoptr(GVariant) bytes = NULL;

  g_array_append_val(taken->kinds, message->kind);
  if (message->kind == FROM_BYTES) {
    gsize n = 0;
    bytes = g_variant_get_child_value(message->payload, 0);
    const guint8 *data_of = g_variant_get_fixed_array(bytes, &n, 1);
    taken->n_bytes += n;
    g_assert_cmpuint(data_of[n - 1], ==, (guint8)((n - 1) * 7));
  }
  if (message->kind == FROM_FILE) {
    taken->file = message->fds[0];
    message->fds[0] = -1;
  }
  return message->kind == FROM_END;
}

static MsChild *
start_after(gboolean death, const char *behaviour)
{
  const char *arguments[] = {"/proc/self/exe", NULL};
  g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
  g_autoptr(GError) error = NULL;

  arguments[0] = program;
  g_setenv(BEHAVIOUR, behaviour, TRUE);
  const MsChildStart start = {.role = ROLE,
                              .arguments = arguments,
                              .from_child = &from_child,
                              .to_child = &to_child,
                              .captures_stderr = TRUE,
                              .follows_death = death};
  MsChild *child = ms_child_spawn(&start, &error);
  g_assert_no_error(error);
  g_assert_true(ms_child_send(child, TO_WORK, g_variant_new("(s)", "hello"), NULL, &error));
  return child;
}

static MsChild *
start(const char *behaviour)
{
  return start_after(FALSE, behaviour);
}

static gboolean
take_number(MsMessage *message, gpointer data)
{
  if (message->kind == FROM_NUMBER)
    g_variant_get(message->payload, "(u)", (guint *)data);
  return message->kind == FROM_END;
}

/* Only a child that follows a death is told to try its device. */
static void
test_follows_death(void)
{
  const MsChildWatch watch = {.silence_s = 60};

  for (guint death = 0; death < 2; death++) {
    guint tries = 2;
    g_autoptr(MsChild) child = start_after(death, "looks");
    g_assert_cmpint(ms_child_follow(child, &watch, take_number, &tries, NULL), ==, MS_CHILD_END_FINISHED);
    g_assert_cmpuint(tries, ==, death);
  }
}

/* Everything arrives in order, large messages too, and a crash after the last one is of no consequence. */
static void
test_works(void)
{
  const guint files = ms_fixture_count_descriptors();
  const guint expected[] = {FROM_NUMBER, FROM_BYTES, FROM_BYTES, FROM_FILE, FROM_END};
  g_autoptr(GArray) kinds = g_array_new(FALSE, FALSE, sizeof(guint));
  Taken taken = {kinds, 0, -1};
  const MsChildWatch watch = {.silence_s = 60};
  MsChild *child = start("works");

  g_assert_cmpint(ms_child_follow(child, &watch, take, &taken, NULL), ==, MS_CHILD_END_FINISHED);
  ms_child_end(child, 10);
  g_assert_cmpmem(kinds->data, kinds->len * sizeof(guint), expected, sizeof expected);
  g_assert_cmpuint(taken.n_bytes, ==, 300010);
  g_assert_null(ms_channel_map_memory(taken.file, 9, FALSE, NULL));
  char *data = ms_channel_map_memory(taken.file, 8, FALSE, NULL);
  g_assert_cmpstr(data, ==, "8 bytes");
  munmap(data, 8);
  close(taken.file);
  ms_child_free(child);
  g_assert_cmpuint(ms_fixture_count_descriptors(), ==, files);
}

/* A child that takes long to end after its work is killed, and is left to the system. */
static void
test_leaves(void)
{
  const gint64 began = g_get_monotonic_time();
  const MsChildWatch watch = {.silence_s = 60};
  guint number = 0;
  int status = 0;
  g_autoptr(MsChild) child = start("lingers");

  g_assert_cmpint(ms_child_follow(child, &watch, take_number, &number, NULL), ==, MS_CHILD_END_FINISHED);
  ms_child_leave(child, 0.01);
  g_assert_cmpint(g_get_monotonic_time() - began, <, 30 * G_USEC_PER_SEC);
  g_assert_cmpint(waitpid(ms_child_get_pid(child), &status, 0), ==, ms_child_get_pid(child));
  g_assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

typedef struct {
  const char *behaviour;
  MsChildEnd end;
  MsChildWatch watch;
  const char *sentence;
} Case;

static const Case cases[] = {
  {"exits", MS_CHILD_END_DIED, {.silence_s = 60}, "status 0 before its work was done"},
  {"aborts", MS_CHILD_END_DIED, {.silence_s = 60}, "signal 6 (Aborted); the last error of the driver was 'fatal error"},
  {"hangs", MS_CHILD_END_SILENT, {.silence_s = 1}, "reported nothing for 1 s"},
  {"hangs", MS_CHILD_END_LATE, {.limit_s = 0.5, .grace_s = 0.2}, "longer than 0.5 s"},
  {"stops", MS_CHILD_END_SILENT, {.silence_s = 1}, "reported nothing for 1 s"},
  {"grows", MS_CHILD_END_TOO_LARGE, {.silence_s = 60, .memory = 200 << 20}, "200 MiB of --memory-limit"},
  {"floods", MS_CHILD_END_FLOODED, {.silence_s = 60}, "without end"},
  {"no-header", MS_CHILD_END_BROKEN, {.silence_s = 60}, "not a message"},
  {"no-kind", MS_CHILD_END_BROKEN, {.silence_s = 60}, "not a message"},
  {"short", MS_CHILD_END_BROKEN, {.silence_s = 60}, "not a message"},
  {"garbage", MS_CHILD_END_BROKEN, {.silence_s = 60}, "not a message"},
  {"no-file", MS_CHILD_END_BROKEN, {.silence_s = 60}, "not a message"},
  {"no-memory", MS_CHILD_END_BROKEN, {.silence_s = 60}, "not a message"},
  {"unsealed", MS_CHILD_END_BROKEN, {.silence_s = 60}, "not a message"},
};

static void
test_bad_child(gconstpointer data)
{
  const Case *c = data;
  const guint files = ms_fixture_count_descriptors();
  const gint64 began = g_get_monotonic_time();
  g_autoptr(GArray) kinds = g_array_new(FALSE, FALSE, sizeof(guint));
  Taken taken = {kinds, 0, -1};
  MsChild *child = start(c->behaviour);

  g_assert_cmpint(ms_child_follow(child, &c->watch, take, &taken, NULL), ==, c->end);
  ms_child_end(child, 0);
  g_autofree char *sentence = ms_child_describe_end(child, c->end, &c->watch);
  g_assert_nonnull(strstr(sentence, c->sentence));
  g_assert_cmpuint(kinds->len, ==, 0);
  g_assert_cmpint(kill(ms_child_get_pid(child), 0), ==, -1);
  g_assert_cmpint(errno, ==, ESRCH);
  ms_child_free(child);
  g_assert_cmpuint(ms_fixture_count_descriptors(), ==, files);
  g_assert_cmpint(g_get_monotonic_time() - began, <, 30 * G_USEC_PER_SEC);
}

static gpointer
cancel_soon(gpointer data)
{
  g_usleep(G_USEC_PER_SEC / 5);
  g_cancellable_cancel(data);
  return NULL;
}

/* A child that does not heed SIGTERM is followed for the time of grace, and can then be killed. */
static void
test_cancelled(void)
{
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_autoptr(GArray) kinds = g_array_new(FALSE, FALSE, sizeof(guint));
  Taken taken = {kinds, 0, -1};
  const MsChildWatch watch = {.grace_s = 1};
  g_autoptr(MsChild) child = start("hangs");
  GThread *thread = g_thread_new("cancel", cancel_soon, cancellable);
  const gint64 began = g_get_monotonic_time();

  g_assert_cmpint(ms_child_follow(child, &watch, take, &taken, cancellable), ==, MS_CHILD_END_CANCELLED);
  g_assert_cmpint(g_get_monotonic_time() - began, >=, G_USEC_PER_SEC);
  g_thread_join(thread);
}

/* A parent never waits for a child that does not read. */
static void
test_full_socket(void)
{
  int ends[2];
  g_autoptr(GError) error = NULL;

  g_assert_true(ms_channel_open_pair(ends, NULL));
  g_autoptr(MsChannel) channel = ms_channel_new(ends[0], &from_child, &to_child, FALSE);
  g_autofree char *text = g_strnfill(20000, 'x');
  for (guint i = 0; i < 1000 && !error; i++)
    ms_channel_send(channel, TO_WORK, g_variant_new("(s)", text), NULL, &error);
  g_assert_error(error, MS_ERROR, MS_ERROR_IO);
  close(ends[1]);
}

int
main(int argc, char **argv)
{
  if (ms_child_get_role())
    return behave();
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/process/works", test_works);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strdup_printf("/process/%s-%" G_GSIZE_FORMAT, cases[i].behaviour, i);
    g_test_add_data_func(path, &cases[i], test_bad_child);
  }
  g_test_add_func("/process/leaves", test_leaves);
  g_test_add_func("/process/follows-death", test_follows_death);
  g_test_add_func("/process/cancelled", test_cancelled);
  g_test_add_func("/process/full-socket", test_full_socket);
  return g_test_run();
}
