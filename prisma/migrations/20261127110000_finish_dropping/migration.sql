-- Days that were being dropped. Such a partition can be neither altered with its parent nor detached from it afterwards.
DO $$
DECLARE
    day regclass;
BEGIN
    FOR day IN SELECT inhrelid FROM pg_inherits WHERE inhdetachpending AND inhparent IN ('"swap"'::regclass,
        '"swap_hop"'::regclass, '"pool_candle"'::regclass, '"token_candle"'::regclass, '"day_trader"'::regclass) LOOP
        EXECUTE format('DROP TABLE %s', day);
    END LOOP;
END $$;
