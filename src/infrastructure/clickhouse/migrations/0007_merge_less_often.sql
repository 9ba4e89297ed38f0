-- Tables that grow filing by filing. With a lower base every filing has the engine rewrite what was filed since the last
-- load, while the filing itself is being written.

ALTER TABLE transaction_lists MODIFY SETTING merge_selector_base = 10;
ALTER TABLE parties MODIFY SETTING merge_selector_base = 10;
ALTER TABLE signals MODIFY SETTING merge_selector_base = 10;
ALTER TABLE signal_list MODIFY SETTING merge_selector_base = 10;
ALTER TABLE signal_states MODIFY SETTING merge_selector_base = 10;
