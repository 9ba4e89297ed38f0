-- Addresses that asked for a pause.

-- Until then no other delivery is tried, as Retry-After of the last failed attempt asked; NULL if it did not.
ALTER TABLE endpoints ADD COLUMN held_until timestamptz;
