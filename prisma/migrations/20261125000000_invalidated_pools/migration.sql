ALTER TABLE "distrusted_pool" RENAME TO "invalidated_pool";
ALTER TABLE "invalidated_pool" RENAME CONSTRAINT "distrusted_pool_pkey" TO "invalidated_pool_pkey";
ALTER TABLE "invalidated_pool" RENAME CONSTRAINT "distrusted_pool_block" TO "invalidated_pool_block";
