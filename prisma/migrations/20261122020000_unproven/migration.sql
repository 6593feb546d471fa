-- Whether the blocks of the last commit of the follower were believed, as no endpoint served what proves them.
ALTER TABLE "network" ADD COLUMN "unproven" BOOLEAN NOT NULL DEFAULT false;
