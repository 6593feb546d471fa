-- The account that a settlement contract (CoW Protocol, 0x, ...) says a trade was made for; null where none does. The
-- trader stays the account that signed.
ALTER TABLE "swap"
    ADD COLUMN "settled_for" BYTEA,
    ADD CONSTRAINT "swap_settled_for_length" CHECK (octet_length("settled_for") = 20);
