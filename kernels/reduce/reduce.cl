/* SPDX-License-Identifier: MIT */
/*
 * The reduction: each work-item folds its loads, each group its work-items, and finish() the groups. The array is the
 * elements `from` to `to`, counted from element `origin` of the source; moments of real numbers are taken about
 * `centre`. Local memory comes as arguments, GROUP partials and one word: some compilers for processors place an array
 * that the kernel declares and reads at a constant index in memory that all threads share. Nothing that work-items
 * share is `restrict`: that would promise that no other work-item changes it, and a load might move across a barrier.
 */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
reduce(SOURCE_ARGUMENT source, const ulong origin, const int from, const int to, const int times, const ELEM centre,
       __global uint *out, __global const ushort *restrict map, __local partial_t *scratch, __local uint *flag)
{
  partial_t mine;
  acc_t result;

  item_fold(OPEN(source, origin), WORK_OF_ITEM(map), from, to, times, centre, &mine);
  group_fold(&mine, scratch, map);
  acc_of_partial(&mine, &result);
  finish(&result, scratch, flag, out, map);
}
