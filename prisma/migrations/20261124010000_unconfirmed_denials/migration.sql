-- Blocks whose rows lack an emitter that one endpoint alone denied, until another answer settles it.
CREATE TABLE "unconfirmed_denial" (
    "chain_id" INTEGER NOT NULL,
    "emitter" BYTEA NOT NULL,
    "from_block" BIGINT NOT NULL,
    "to_block" BIGINT NOT NULL,

    CONSTRAINT "unconfirmed_denial_pkey" PRIMARY KEY ("chain_id", "emitter", "from_block")
);
