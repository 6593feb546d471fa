-- 0: history has found the pool, and the network's writer does not know it yet.
ALTER TABLE "unread_pool" DROP CONSTRAINT "unread_pool_place";
ALTER TABLE "unread_pool" ADD CONSTRAINT "unread_pool_place" CHECK ("place" >= 0);
