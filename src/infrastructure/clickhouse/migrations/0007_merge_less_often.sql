-- These tables grow with each filing. With a lower merge_selector_base, ClickHouse rewrites the rows of all filings
-- since the last load after every few inserts.

ALTER TABLE transaction_lists MODIFY SETTING merge_selector_base = 10;
ALTER TABLE parties MODIFY SETTING merge_selector_base = 10;
ALTER TABLE signals MODIFY SETTING merge_selector_base = 10;
ALTER TABLE signal_list MODIFY SETTING merge_selector_base = 10;
ALTER TABLE signal_states MODIFY SETTING merge_selector_base = 10;
ALTER TABLE notices MODIFY SETTING merge_selector_base = 10;
ALTER TABLE notice_sales MODIFY SETTING merge_selector_base = 10;
