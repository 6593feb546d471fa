// Runs simulations, each in a new database of a throw-away Postgres.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ProgramContext, runProgram, startEmbeddedPostgres } from '@dexfeed/service'
import { migrate } from '@dexfeed/store'
import pg from 'pg'
import { checkSimulate, type SimulateSettings } from './settings.ts'
import { simulate } from './simulate.ts'

const PROGRESS_EVERY_MS = 5_000

runProgram('simulate', checkSimulate, async (context: ProgramContext<SimulateSettings>) => {
  const { settings, log, shutdown } = context
  const folder = mkdtempSync(join(tmpdir(), 'dexfeed-simulate-'))
  // Postgres may run as another user, who needs access.
  chmodSync(folder, 0o755)
  shutdown.add('folder', async () => rmSync(folder, { recursive: true, force: true }))
  const postgres = await startEmbeddedPostgres({ home: join(folder, 'postgres'), durable: false, log })
  shutdown.add('database server', () => postgres.release())
  for (let run = 0; run < settings.runs && !shutdown.signal.aborted; run++) {
    await runOne(postgres.url, settings.seed + run, context)
  }
  shutdown.begin('done', 0)
})

/** @throws an error that names the seed, with which the run can be repeated */
async function runOne(
  ownerUrl: string,
  seed: number,
  { settings: { blocks, blooms }, log, shutdown: { signal } }: ProgramContext<SimulateSettings>,
): Promise<void> {
  const databaseUrl = await freshDatabase(ownerUrl, `simulation_${seed}`)
  await migrate(databaseUrl, { log })
  process.stdout.write(`seed ${seed}, ${blocks} blocks per network\n`)
  let shownAt = Date.now()
  const started = Date.now()
  const { faults, ...tally } = await simulate({
    databaseUrl,
    ...{ seed, blocks, blooms, signal },
    onProgress: (text) => {
      if (Date.now() - shownAt < PROGRESS_EVERY_MS) return
      shownAt = Date.now()
      process.stdout.write(`  ${text}\n`)
    },
  })
  const seconds = Math.round((Date.now() - started) / 1000)
  process.stdout.write(`${JSON.stringify({ seed, blocks, seconds, ...tally, faults })}\n`)
}

async function freshDatabase(ownerUrl: string, name: string): Promise<string> {
  const owner = new pg.Client({ connectionString: ownerUrl })
  await owner.connect()
  await owner.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  await owner.query(`CREATE DATABASE ${name}`)
  await owner.end()
  const url = new URL(ownerUrl)
  url.pathname = `/${name}`
  return url.href
}
