-- Days that were being dropped. Such a partition can be neither altered with its parent nor detached from it afterwards.
DO $$
DECLARE
    day regclass;
BEGIN
    FOR day IN SELECT inhrelid FROM pg_inherits WHERE inhdetachpending LOOP
        EXECUTE format('DROP TABLE %s', day);
    END LOOP;
END $$;
