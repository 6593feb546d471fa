-- A finding is kept until the snapshot that made the pool valid again is final: a rollback of it ends its trust.
ALTER TABLE "invalidated_pool" ADD COLUMN "trusted_from" BIGINT;
