import { existsSync } from 'node:fs'
import { defineConfig } from 'prisma/config'

// As in our own commands, the environment has priority over the file.
if (existsSync('.env')) process.loadEnvFile('.env')
const url = process.env.DATABASE_URL

/**
 * For Prisma's own commands: `npx prisma studio`, `migrate status`, `db pull`. `npm run generate` of packages/store
 * makes the client. Prisma's `generate` requires a schema engine, downloads a missing one, and never runs it. So that
 * script names any executable as the engine. Our migrations (`npm run migrate`) need no engine either.
 */
export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  ...(url ? { datasource: { url } } : {}),
})
