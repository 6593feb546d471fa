import { randomBytes } from 'node:crypto'
import { NETWORK_NAMES, SECOND } from '@dexfeed/dex'
import type { Logger } from '@dexfeed/service'
import { quoted } from '../duck.ts'
import type { Manifest } from '../manifest.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { readManifests } from '../read-manifests.ts'
import { TABLE_NAMES, type TableName } from '../tables.ts'
import { countRows, createTables, DAYS_TABLE, insertFile, partitionOf } from './clickhouse-tables.ts'
import { type ClickHouse, isUnknownTable } from './open-clickhouse.ts'

export interface Loader {
  clickHouse: ClickHouse
  objects: Pick<ObjectStore, 'list' | 'getText' | 'read'>
  log: Pick<Logger, 'info' | 'error'>
}

/**
 * Loads the days that ClickHouse lacks, or has as another version. Returns whether it then has all. Throws if another run
 * has begun.
 *
 * The rows of a day are inserted into tables of this run, compared with the manifest, and put in place by one statement
 * for each table. A run first drops the tables of all other runs: without them these can put nothing in place any more,
 * whether they crashed or continue. So a day that has been replaced only in part is due again.
 */
export async function loadDays({ clickHouse, objects, log }: Loader, signal: AbortSignal): Promise<boolean> {
  for (const sql of createTables()) await clickHouse.run(sql)
  const run = randomBytes(4).toString('hex')
  let isComplete = true
  try {
    await makeLoadingTables(clickHouse, run)
    const loaded = await readLoaded(clickHouse)
    for (const network of NETWORK_NAMES) {
      for (const manifest of await readManifests(objects, network)) {
        if (loaded.has(manifest)) continue
        const { date, version, tables } = manifest
        const began = performance.now()
        try {
          await loadDay({ clickHouse, objects, run }, manifest)
          const seconds = Math.round((performance.now() - began) / SECOND)
          log.info({ network, date, version, trades: tables.swaps.rows, seconds }, 'loaded a day into ClickHouse')
        } catch (error) {
          signal.throwIfAborted()
          if (isUnknownTable(error)) throw new Error('another run has begun, and continues', { cause: error })
          isComplete = false
          log.error({ network, date, err: error }, 'a day could not be loaded into ClickHouse: run the command again')
        }
      }
    }
  } finally {
    // After an interruption, the next run drops them.
    if (!signal.aborted)
      await dropTables(
        clickHouse,
        TABLE_NAMES.map((table) => loadingTable(table, run)),
      )
  }
  return isComplete
}

const LOADING = '_loading_'
const loadingTable = (table: TableName, run: string) => `${table}${LOADING}${run}`

/** Of two runs that begin together, at least one finds the tables of the other. */
async function makeLoadingTables(clickHouse: ClickHouse, run: string): Promise<void> {
  for (const table of TABLE_NAMES) await clickHouse.run(`CREATE TABLE ${loadingTable(table, run)} AS ${table}`)
  const found = await clickHouse.rows(`SELECT name FROM system.tables
    WHERE database = currentDatabase() AND match(name, '^(${TABLE_NAMES.join('|')})${LOADING}[0-9a-f]+$') ORDER BY name`)
  const names = found.map(([name = '']) => name)
  await dropTables(
    clickHouse,
    names.filter((name) => !name.endsWith(`${LOADING}${run}`)),
  )
}

/** Waits until no statement uses them. */
async function dropTables(clickHouse: ClickHouse, names: readonly string[]): Promise<void> {
  for (const name of names) await clickHouse.run(`DROP TABLE IF EXISTS ${name} SYNC`)
}

async function readLoaded(clickHouse: ClickHouse): Promise<{ has(manifest: Manifest): boolean }> {
  const days = await clickHouse.rows(`SELECT network, date, version, written_at FROM ${DAYS_TABLE} FINAL`)
  const versions = new Map(days.map(([network, date, ...version]) => [`${network} ${date}`, version.join(' ')]))
  const parts = await clickHouse.rows(`SELECT table, partition, sum(rows) FROM system.parts
    WHERE active AND database = currentDatabase() GROUP BY table, partition`)
  const counts = new Map(parts.map(([table, partition, rows]) => [`${table} ${partition}`, Number(rows)]))
  return {
    has: (manifest) =>
      versions.get(`${manifest.network} ${manifest.date}`) === `${manifest.version} ${manifest.written_at}` &&
      TABLE_NAMES.every(
        (table) => (counts.get(`${table} ${partitionOf(manifest)}`) ?? 0) === manifest.tables[table].rows,
      ),
  }
}

async function loadDay(
  { clickHouse, objects, run }: Omit<Loader, 'log'> & { run: string },
  manifest: Manifest,
): Promise<void> {
  for (const table of TABLE_NAMES) {
    const { file, rows, sums } = manifest.tables[table]
    const loading = loadingTable(table, run)
    await clickHouse.run(`TRUNCATE TABLE ${loading}`)
    if (rows === 0) continue
    await clickHouse.send(insertFile(loading, table, manifest), await objects.read(file))
    const [inserted = []] = await clickHouse.rows(countRows(loading, sums))
    const expected = [String(rows), ...Object.values(sums).map(modulo256Bits)]
    if (expected.join() !== inserted.join()) {
      throw new Error(`${file} has other rows or sums than its manifest: ${inserted.join()}, not ${expected.join()}`)
    }
  }
  for (const table of TABLE_NAMES) {
    const partition = partitionOf(manifest)
    const loading = loadingTable(table, run)
    // Newer servers refuse to replace a partition by an empty one.
    if (manifest.tables[table].rows > 0) {
      await clickHouse.run(`ALTER TABLE ${table} REPLACE PARTITION ${partition} FROM ${loading}`)
    } else await clickHouse.run(`ALTER TABLE ${table} MOVE PARTITION ${partition} TO TABLE ${loading}`)
  }
  const { network, date, version, written_at: writtenAt } = manifest
  const values = [quoted(network), quoted(date), version, quoted(writtenAt)]
  await clickHouse.run(`INSERT INTO ${DAYS_TABLE} (network, date, version, written_at) VALUES (${values.join(', ')})`)
}

/** ClickHouse drops what exceeds 256 bits. */
function modulo256Bits(sum: string): string {
  return /^\d+$/.test(sum) ? String(BigInt.asUintN(256, BigInt(sum))) : sum
}
