import { existsSync } from 'node:fs'
import { defineConfig } from 'prisma/config'

// As our own commands do: what the environment sets goes first.
if (existsSync('.env')) process.loadEnvFile('.env')
const url = process.env.DATABASE_URL

/**
 * For Prisma's own commands: `npx prisma studio`, `migrate status`, `db pull`. The client is made by `npm run generate`
 * of packages/store, which names some executable as Prisma's schema engine: `generate` asks for one, downloads it where
 * there is none, and never runs it. Our migrations (`npm run migrate`) need no engine either.
 */
export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  ...(url ? { datasource: { url } } : {}),
})
