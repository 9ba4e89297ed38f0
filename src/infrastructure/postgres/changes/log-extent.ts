// The extent of the log of changes, as columns of `change_position`.

/** Selects what `LogExtent` has; `last` is the column, or an expression in its place. */
export const extentOf = (last: string): string =>
  `${last} AS last, pruned_to AS pruned, coalesce(began_at > pg_postmaster_start_time(), false) AS "isSettled"`
