import { NETWORK_NAMES } from '@dexfeed/dex'
import type { LakeSettings } from '@dexfeed/service'
import { type Duck, quoted } from '../duck.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { readManifests } from '../read-manifests.ts'
import { type LakeTable, PRICES_LIKE_OPEN, TABLE_NAMES, TABLES } from '../tables.ts'

/**
 * Makes a view for each table, with the columns `network` and `date`, over the files that the newest manifests name. So a
 * day is in it once and whole, whatever other files there are.
 */
export async function createViews(duck: Duck, objects: ObjectStore, lake: LakeSettings['lake']): Promise<void> {
  if ('bucket' in lake) await openBucket(duck, lake)
  const root = rootOf(lake)
  const manifests = []
  for (const network of NETWORK_NAMES) manifests.push(...(await readManifests(objects, network)))
  for (const table of TABLE_NAMES) {
    const files = manifests.map(({ tables }) => quoted(`${root}${tables[table].file}`))
    const rows = files.length === 0 ? noRows(TABLES[table]) : rowsOf(files)
    await duck.run(`CREATE VIEW ${table} AS ${table === 'candles' ? withPrices(rows) : rows}`)
  }
}

/** Returns what precedes the keys of files, for DuckDB. */
export function rootOf(lake: LakeSettings['lake']): string {
  return 'bucket' in lake ? `s3://${lake.bucket}/${lake.prefix}` : `${lake.folder.replace(/\/+$/, '')}/`
}

function rowsOf(files: readonly string[]): string {
  const types = `hive_types = {'network': VARCHAR, 'date': DATE}`
  return `SELECT * EXCLUDE ("table") FROM read_parquet([${files.join()}], hive_partitioning = true, ${types}, union_by_name = true)`
}

function withPrices(candles: string): string {
  const prices = PRICES_LIKE_OPEN.map((price) => `coalesce(${price}, open) AS ${price}`)
  return `SELECT * REPLACE (${prices.join()}) FROM (${candles})`
}

function noRows({ columns }: LakeTable): string {
  const list = [...columns, ['network', 'VARCHAR'], ['date', 'DATE']].map(
    ([name, type]) => `NULL::${type} AS "${name}"`,
  )
  return `SELECT ${list.join()} WHERE false`
}

/** DuckDB reads buckets by an extension, which it downloads when it is first used. */
export async function openBucket(
  duck: Pick<Duck, 'run'>,
  lake: Extract<LakeSettings['lake'], { bucket: string }>,
): Promise<void> {
  const { endpoint, region, accessKeyId, secretAccessKey } = lake
  const host = endpoint === null ? null : new URL(endpoint)
  const place =
    host === null ? '' : `, ENDPOINT ${quoted(host.host)}, URL_STYLE 'path', USE_SSL ${host.protocol === 'https:'}`
  try {
    await duck.run('INSTALL httpfs; LOAD httpfs')
  } catch {
    throw new Error("DuckDB's extension httpfs, which reads buckets, could not be loaded: it needs the internet once")
  }
  try {
    await duck.run(`CREATE SECRET (TYPE s3, KEY_ID ${quoted(accessKeyId)}, SECRET ${quoted(secretAccessKey)},
      REGION ${quoted(region)}${place})`)
  } catch {
    // The error may quote the statement.
    throw new Error('DuckDB does not accept the settings of the bucket')
  }
}
