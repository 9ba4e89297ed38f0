-- A part over 10 GiB uncompressed was wide: a file for each column, in blocks that hold the column of many marks. A
-- whole block is decompressed to read one row. At 5 million trades 50 rows of `transaction_lists` took 16 ms so, and 7
-- in a compact part. A wide part stays wide, also when it is merged; a rebuild writes new tables.
ALTER TABLE trades MODIFY SETTING min_bytes_for_wide_part = 1099511627776;
ALTER TABLE transaction_lists MODIFY SETTING min_bytes_for_wide_part = 1099511627776;
ALTER TABLE filing_lists MODIFY SETTING min_bytes_for_wide_part = 1099511627776;
ALTER TABLE filing_details MODIFY SETTING min_bytes_for_wide_part = 1099511627776;
ALTER TABLE directory MODIFY SETTING min_bytes_for_wide_part = 1099511627776;
ALTER TABLE signals MODIFY SETTING min_bytes_for_wide_part = 1099511627776;
ALTER TABLE signal_list MODIFY SETTING min_bytes_for_wide_part = 1099511627776;
ALTER TABLE signal_states MODIFY SETTING min_bytes_for_wide_part = 1099511627776;
