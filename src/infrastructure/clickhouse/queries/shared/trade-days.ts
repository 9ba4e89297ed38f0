// How far the time of a filing is from its trades' days, so that lists by filing time are read in part.

/** Trade dates that lie more years before the filing count as mistakes. */
export const LATEST_YEARS = 3
/** A filing at night or on a weekend gets the next business day as its date, so trades may be later than its time. */
export const EARLIER_DAYS = 7
