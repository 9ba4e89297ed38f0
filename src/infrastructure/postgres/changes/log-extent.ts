// The columns that say from where to where the log of changes reaches.

/** Returns the columns of a `LogExtent`, of `change_position`; `last` is that column, or an expression in its place. */
export const extentOf = (last: string): string =>
  `${last} AS last, pruned_to AS pruned, coalesce(began_at > pg_postmaster_start_time(), false) AS "isSettled"`
