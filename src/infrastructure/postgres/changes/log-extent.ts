// SQL for the first and the last position that the log of changes has.

/** Selects a `LogExtent` from `change_position`. `last` is that column, or an expression in its place. */
export const extentOf = (last: string): string =>
  `${last} AS last, pruned_to AS pruned, coalesce(began_at > pg_postmaster_start_time(), false) AS "isSettled"`
