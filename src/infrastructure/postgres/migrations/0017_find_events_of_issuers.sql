-- Deliveries about one company, among the many of a key that watches a thousand.
CREATE INDEX events_issuer ON events (issuer_cik);
