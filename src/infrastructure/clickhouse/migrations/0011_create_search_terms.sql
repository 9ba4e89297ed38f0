-- Names and symbols as the search finds them, made of the lists every night and exchanged whole; what is new in between is
-- added with the entry of the directory.
CREATE TABLE IF NOT EXISTS search_terms (
  -- `word`: a row for each word. `letters`: what words begin with, all of 1 to 3 letters and more where over 500 words begin
  -- so, with the 20 results of each kind that come first. `party`: one row for each company and insider, in their order.
  list  Enum8('letters' = 0, 'word' = 1, 'party' = 2),
  -- A word, letters, or the kind of a party.
  term  String,
  -- Orders results: buys and sells of three years, then all transactions, then whether there are filings. Of letters the two
  -- highest bits say whether a symbol is these letters (2) or begins with them (1).
  rank  UInt64,
  kind  Enum8('company' = 0, 'insider' = 1),
  cik   UInt64,
  -- The words of all names and symbols, each after a space, then each symbol between equals signs; of letters how many words
  -- begin with them.
  words String,
  -- The contract's SearchResult without `matched`.
  shown String
) ENGINE = MergeTree
ORDER BY (list, term, rank DESC, kind, cik)
SETTINGS index_granularity = 256, min_bytes_for_wide_part = 10737418240, allow_experimental_reverse_key = 1;
