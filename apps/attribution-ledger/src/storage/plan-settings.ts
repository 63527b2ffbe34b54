/**
 * For a transaction that looks up a group's names: each must stay a single index access. A first plan is made
 * when the tables are empty, where full scans look cheap (measured: 50 ms for a group after some minutes,
 * instead of one). So it is planned a single time without scans, and the statements allow no other plan.
 */
export const PLAN_BY_INDEX = `
  set local enable_seqscan = off;
  set local enable_hashjoin = off;
  set local enable_mergejoin = off;
  set local plan_cache_mode = force_generic_plan`;
