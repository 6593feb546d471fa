-- Why the head cannot be followed at the budget of its RPC endpoints.
ALTER TABLE "network" ADD COLUMN "budget_shortfall" TEXT;
