/**
 * For a transaction that looks up a group's names: each is one descent of an index, and stays so. A first plan is made
 * when the tables are empty, where reading all of them looks cheap (measured: 50 ms for a group after some minutes,
 * instead of one); so it is made once, without such plans, and the statements leave it no other way round.
 */
export const PLAN_BY_INDEX = `
  set local enable_seqscan = off;
  set local enable_hashjoin = off;
  set local enable_mergejoin = off;
  set local plan_cache_mode = force_generic_plan`;
