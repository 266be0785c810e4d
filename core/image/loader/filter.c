/* SPDX-License-Identifier: MIT */
#include "core/image/loader/filter.h"

#include <errno.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <seccomp.h>

/*
 * What decoders call: memory, threads, time, and the descriptors that are open. Every other call fails as on a kernel
 * that lacks it. A call that this machine's libseccomp or processor does not know is passed over.
 */
static const char *const allowed[] = {
  /* descriptors */
  "read", "pread64", "readv", "write", "writev", "close", "fstat", "fstat64", "lseek", "_llseek", "ftruncate", "dup",
  "fcntl", "fcntl64", "poll", "ppoll", "recvmsg", "sendmsg", "memfd_create",
  /* memory */
  "brk", "munmap", "mremap", "madvise", "mincore", "membarrier",
  /* threads */
  "futex", "futex_time64", "set_robust_list", "rseq", "sched_yield", "sched_getaffinity", "sched_getparam",
  "sched_getscheduler", "gettid", "getpid", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack",
  "restart_syscall", "exit", "exit_group",
  /* time and facts */
  "clock_gettime", "clock_gettime64", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "time",
  "getrandom", "sysinfo", "uname", "getrusage", "getrlimit", "getuid", "geteuid", "getgid", "getegid"};

/* Whether the call was added, or is unknown. */
static gboolean
allow(scmp_filter_ctx filter, const char *name, unsigned n, const struct scmp_arg_cmp *conditions)
{
  const int call = seccomp_syscall_resolve_name(name);

  return call == __NR_SCMP_ERROR || seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, n, conditions) == 0;
}

/* Adds the calls that are allowed with some arguments alone. */
static gboolean
allow_in_part(scmp_filter_ctx filter)
{
  const struct scmp_arg_cmp threads = SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD);
  const struct scmp_arg_cmp data = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
  const struct scmp_arg_cmp itself = SCMP_A0(SCMP_CMP_EQ, 0),
                            own_threads = SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid());
  const struct scmp_arg_cmp name = SCMP_A0(SCMP_CMP_EQ, PR_SET_NAME);
  /* The empty path of a descriptor, by which the C library asks for the size of an open file. */
  const struct scmp_arg_cmp open_file = SCMP_A3(SCMP_CMP_MASKED_EQ, 0x1000, 0x1000);

  return allow(filter, "clone", 1, &threads) && allow(filter, "mmap", 1, &data) && allow(filter, "mmap2", 1, &data) &&
         allow(filter, "mprotect", 1, &data) && allow(filter, "prlimit64", 1, &itself) &&
         allow(filter, "tgkill", 1, &own_threads) && allow(filter, "prctl", 1, &name) &&
         allow(filter, "newfstatat", 1, &open_file);
}

gboolean
ms_filter_is_there(void)
{
  return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
}

/**
 * ms_filter_load: from now on this process can do no more than what decoders need. %FALSE where the kernel has no
 * filter of system calls.
 */
gboolean
ms_filter_load(void)
{
  /* With ENOSYS the C library turns to older calls, as to clone() for clone3(), whose flags cannot be seen. */
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
  gboolean good = filter && allow_in_part(filter);

  for (gsize i = 0; i < G_N_ELEMENTS(allowed) && good; i++)
    good = allow(filter, allowed[i], 0, NULL);
  good = good && seccomp_load(filter) == 0;
  if (filter)
    seccomp_release(filter);
  return good;
}
