/* SPDX-License-Identifier: MIT */
/*
 * Loaded with LD_PRELOAD into a program under ThreadSanitizer, which cannot see how GLib synchronises threads: the
 * distribution's GLib uses futexes and atomic instructions that are not instrumented. Here its locks are those of POSIX
 * threads, which ThreadSanitizer knows, and its reference counts are annotated.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include <glib-object.h>

extern void __tsan_acquire(void *address);
extern void __tsan_release(void *address);

/* Creates the POSIX object behind a lock of GLib, which may be initialised by zeros alone, at its first use. */
static void *
get(gpointer *place, gsize size, void (*init)(void *object))
{
  void *object = __atomic_load_n(place, __ATOMIC_ACQUIRE), *none = NULL;

  if (object) {
    __tsan_acquire(place);
    return object;
  }
  object = calloc(1, size);
  init(object);
  __tsan_release(place);
  if (__atomic_compare_exchange_n(place, &none, object, FALSE, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return object;
  free(object);
  __tsan_acquire(place);
  return none;
}

/* ---- Mutexes ---- */

static void
init_mutex(void *object)
{
  pthread_mutex_init(object, NULL);
}

static pthread_mutex_t *
mutex_of(GMutex *mutex)
{
  return get(&mutex->p, sizeof(pthread_mutex_t), init_mutex);
}

void
g_mutex_init(GMutex *mutex)
{
  mutex->p = NULL;
}

void
g_mutex_clear(GMutex *mutex)
{
  if (mutex->p)
    pthread_mutex_destroy(mutex->p);
  free(mutex->p);
  mutex->p = NULL;
}

void
g_mutex_lock(GMutex *mutex)
{
  pthread_mutex_lock(mutex_of(mutex));
}

gboolean
g_mutex_trylock(GMutex *mutex)
{
  return pthread_mutex_trylock(mutex_of(mutex)) == 0;
}

void
g_mutex_unlock(GMutex *mutex)
{
  pthread_mutex_unlock(mutex_of(mutex));
}

static void
init_recursive(void *object)
{
  pthread_mutexattr_t attributes;

  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(object, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

static pthread_mutex_t *
recursive_of(GRecMutex *mutex)
{
  return get(&mutex->p, sizeof(pthread_mutex_t), init_recursive);
}

void
g_rec_mutex_init(GRecMutex *mutex)
{
  mutex->p = NULL;
}

void
g_rec_mutex_clear(GRecMutex *mutex)
{
  if (mutex->p)
    pthread_mutex_destroy(mutex->p);
  free(mutex->p);
  mutex->p = NULL;
}

void
g_rec_mutex_lock(GRecMutex *mutex)
{
  pthread_mutex_lock(recursive_of(mutex));
}

gboolean
g_rec_mutex_trylock(GRecMutex *mutex)
{
  return pthread_mutex_trylock(recursive_of(mutex)) == 0;
}

void
g_rec_mutex_unlock(GRecMutex *mutex)
{
  pthread_mutex_unlock(recursive_of(mutex));
}

/* ---- Locks for readers and writers ---- */

static void
init_rw_lock(void *object)
{
  pthread_rwlock_init(object, NULL);
}

static pthread_rwlock_t *
rw_lock_of(GRWLock *lock)
{
  return get(&lock->p, sizeof(pthread_rwlock_t), init_rw_lock);
}

void
g_rw_lock_init(GRWLock *lock)
{
  lock->p = NULL;
}

void
g_rw_lock_clear(GRWLock *lock)
{
  if (lock->p)
    pthread_rwlock_destroy(lock->p);
  free(lock->p);
  lock->p = NULL;
}

void
g_rw_lock_reader_lock(GRWLock *lock)
{
  pthread_rwlock_rdlock(rw_lock_of(lock));
}

gboolean
g_rw_lock_reader_trylock(GRWLock *lock)
{
  return pthread_rwlock_tryrdlock(rw_lock_of(lock)) == 0;
}

void
g_rw_lock_reader_unlock(GRWLock *lock)
{
  pthread_rwlock_unlock(rw_lock_of(lock));
}

void
g_rw_lock_writer_lock(GRWLock *lock)
{
  pthread_rwlock_wrlock(rw_lock_of(lock));
}

gboolean
g_rw_lock_writer_trylock(GRWLock *lock)
{
  return pthread_rwlock_trywrlock(rw_lock_of(lock)) == 0;
}

void
g_rw_lock_writer_unlock(GRWLock *lock)
{
  pthread_rwlock_unlock(rw_lock_of(lock));
}

/* ---- Conditions ---- */

static void
init_condition(void *object)
{
  pthread_condattr_t attributes;

  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(object, &attributes);
  pthread_condattr_destroy(&attributes);
}

static pthread_cond_t *
condition_of(GCond *condition)
{
  return get(&condition->p, sizeof(pthread_cond_t), init_condition);
}

void
g_cond_init(GCond *condition)
{
  condition->p = NULL;
}

void
g_cond_clear(GCond *condition)
{
  if (condition->p)
    pthread_cond_destroy(condition->p);
  free(condition->p);
  condition->p = NULL;
}

void
g_cond_wait(GCond *condition, GMutex *mutex)
{
  pthread_cond_wait(condition_of(condition), mutex_of(mutex));
}

gboolean
g_cond_wait_until(GCond *condition, GMutex *mutex, gint64 end_us)
{
  struct timespec end = {end_us / G_USEC_PER_SEC, end_us % G_USEC_PER_SEC * 1000};

  return pthread_cond_timedwait(condition_of(condition), mutex_of(mutex), &end) != ETIMEDOUT;
}

void
g_cond_signal(GCond *condition)
{
  pthread_cond_signal(condition_of(condition));
}

void
g_cond_broadcast(GCond *condition)
{
  pthread_cond_broadcast(condition_of(condition));
}

/* ---- Reference counts: dropping a reference happens before the last drop frees. ---- */

static void
order(gpointer object)
{
  __tsan_release(object);
  __tsan_acquire(object);
}

static void *
next(void **function, const char *name)
{
  if (!*function)
    *function = dlsym(RTLD_NEXT, name);
  return *function;
}

/* GLib's headers define some of these as macros. */
#undef g_object_ref

void
g_object_unref(gpointer object)
{
  static void *function;

  order(object);
  ((void (*)(gpointer))next(&function, "g_object_unref"))(object);
}

gpointer
g_object_ref(gpointer object)
{
  static void *function;

  order(object);
  return ((gpointer(*)(gpointer))next(&function, "g_object_ref"))(object);
}

void
g_bytes_unref(GBytes *bytes)
{
  static void *function;

  if (bytes)
    order(bytes);
  ((void (*)(GBytes *))next(&function, "g_bytes_unref"))(bytes);
}

void
g_atomic_rc_box_release_full(gpointer box, GDestroyNotify clear)
{
  static void *function;

  order(box);
  ((void (*)(gpointer, GDestroyNotify))next(&function, "g_atomic_rc_box_release_full"))(box, clear);
}

/* ---- Interned strings: GLib compares and stores them under a lock of its own. ---- */

const gchar *
g_intern_string(const gchar *text)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static void *function;

  pthread_mutex_lock(&lock);
  const gchar *interned = ((const gchar *(*)(const gchar *))next(&function, "g_intern_string"))(text);
  pthread_mutex_unlock(&lock);
  return interned;
}

/* ---- Queues of threads: a push happens before the pop of the same item. ---- */

typedef struct {
  GFunc function;
  gpointer data;
} Job;

static void
run_job(gpointer item, gpointer data)
{
  Job *job = data;

  __tsan_acquire(item);
  job->function(item, job->data);
  __tsan_release(item);
  __tsan_release(job);
}

GThreadPool *
g_thread_pool_new(GFunc run, gpointer data, gint most, gboolean exclusive, GError **error)
{
  static void *function;
  Job *job = malloc(sizeof *job);

  *job = (Job){run, data};
  return ((GThreadPool * (*)(GFunc, gpointer, gint, gboolean, GError **))
            next(&function, "g_thread_pool_new"))(run_job, job, most, exclusive, error);
}

gboolean
g_thread_pool_push(GThreadPool *pool, gpointer item, GError **error)
{
  static void *function;

  __tsan_release(item);
  return ((gboolean(*)(GThreadPool *, gpointer, GError **))next(&function, "g_thread_pool_push"))(pool, item, error);
}

/* The work of the threads happens before what follows a wait for them. */
void
g_thread_pool_free(GThreadPool *pool, gboolean at_once, gboolean wait)
{
  static void *function;
  Job *job = pool->user_data;

  ((void (*)(GThreadPool *, gboolean, gboolean))next(&function, "g_thread_pool_free"))(pool, at_once, wait);
  if (wait)
    __tsan_acquire(job);
}
