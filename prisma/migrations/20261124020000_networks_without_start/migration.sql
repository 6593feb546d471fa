-- A network has its row as soon as it is meant to be indexed; where it begins is known once a node has told.
ALTER TABLE "network" ALTER COLUMN "start_block" DROP NOT NULL, ALTER COLUMN "start_time" DROP NOT NULL;
