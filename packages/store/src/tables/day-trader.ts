import { dateOfDay, NETWORK_NAMES, NETWORKS } from '@dexfeed/dex'
import type { Db } from '../database/transaction.ts'
import { Prisma } from '../generated/client.ts'
import type { DayTraderCount } from './day-counts.ts'
import type { NetworkKey } from './network.ts'
import { swapsOfDay } from './swap/swap.ts'

/*
 * Traders of a day. A row of day_trader counts an address's trades per network, in the order of NETWORK_NAMES; networks
 * are only ever appended there.
 *
 * A row of day_address_count counts the addresses of a day that traded on exactly the networks of a set, in which the
 * n-th network is bit 2^n. So the distinct addresses of any networks are a sum over sets.
 *
 * Every statement here uses day_trader_pkey and day_address_count_pkey.
 */

/** Computes the set of a row's networks from its column with this name. */
function setOf(swaps: string): Prisma.Sql {
  return Prisma.raw(NETWORK_NAMES.map((_, n) => `${2 ** n} * (coalesce(${swaps}[${n + 1}], 0) > 0)::int`).join(' + '))
}

/** An array for `swaps` with a single network's count. */
function onlyOf(place: number, count: string): Prisma.Sql {
  return Prisma.raw(`ARRAY[${NETWORK_NAMES.map((_, n) => (n + 1 === place ? count : '0')).join()}]::int[]`)
}

function placeOf({ name }: Pick<NetworkKey, 'name'>): { place: number; bit: number; count: Prisma.Sql } {
  const place = NETWORK_NAMES.indexOf(name) + 1
  return { place, bit: 2 ** (place - 1), count: Prisma.raw(`stored.swaps[${place}]`) }
}

/** The counts as rows. Arrays are passed as Postgres text: Prisma would convert each of thousands of elements. */
function asRows(counts: readonly DayTraderCount[]): Prisma.Sql {
  const dates = new Map([...new Set(counts.map(({ day }) => day))].map((day) => [day, dateOfDay(day)]))
  const days = `{${counts.map(({ day }) => dates.get(day)).join()}}`
  const traders = `{${counts.map(({ trader }) => trader.slice(2)).join()}}`
  const swaps = `{${counts.map((count) => count.swaps).join()}}`
  return Prisma.sql`SELECT day, decode(trader, 'hex') AS trader, swaps
    FROM unnest(${days}::date[], ${traders}::text[], ${swaps}::int[]) AS counted (day, trader, swaps)`
}

/**
 * Adds the numbers of the CTE `moved` (day, networks, addresses), which `made` defines. They may be negative, and are
 * added in one fixed order. Sets of networks without addresses are deleted, as if they had never existed.
 */
async function moveAddresses(tx: Db, made: Prisma.Sql): Promise<void> {
  const left = await tx.$queryRaw<{ day: Date; addresses: bigint }[]>`${made} ${MOVE} RETURNING day, addresses`
  const days = left.filter(({ addresses }) => addresses === 0n).map(({ day }) => day)
  if (days.length > 0) await tx.dayAddressCount.deleteMany({ where: { day: { in: days }, addresses: 0 } })
}

const MOVE = Prisma.sql`
  INSERT INTO day_address_count AS stored (day, networks, addresses)
  SELECT day, networks, greatest(addresses, 0) FROM moved WHERE networks > 0 AND addresses <> 0 ORDER BY day, networks
  ON CONFLICT (day, networks) DO UPDATE SET addresses = stored.addresses + (
    SELECT moved.addresses FROM moved WHERE moved.day = stored.day AND moved.networks = stored.networks)`

/**
 * Adds trades to their traders' days, in one order for all commits. A trader that is new to the network on a day moves
 * from the old set of networks to the next. The trader is new if the count equals what was just added.
 */
export async function addDayTraders(tx: Db, network: NetworkKey, counts: readonly DayTraderCount[]): Promise<void> {
  if (counts.length === 0) return
  const { place, bit, count } = placeOf(network)
  const made = Prisma.sql`
    WITH counted AS MATERIALIZED (${asRows(counts)}), written AS (
      INSERT INTO day_trader AS stored (day, trader, swaps)
      SELECT day, trader, ${onlyOf(place, 'swaps')} FROM counted ORDER BY day, trader
      ON CONFLICT (day, trader)
        DO UPDATE SET ${Prisma.raw(`swaps[${place}]`)} = coalesce(${count}, 0) + excluded.${Prisma.raw(`swaps[${place}]`)}
      RETURNING day, trader, ${count} AS swaps, ${setOf('stored.swaps')} AS networks
    ), new AS (
      SELECT day, networks, count(*) AS addresses FROM written JOIN counted USING (day, trader, swaps) GROUP BY 1, 2
    ), moved AS MATERIALIZED (
      SELECT day, networks, sum(addresses) AS addresses FROM (
        SELECT day, networks, addresses FROM new UNION ALL SELECT day, networks - ${bit}::int, -addresses FROM new
      ) AS both_sides GROUP BY 1, 2
    )`
  await moveAddresses(tx, made)
}

/** Subtracts trades from their traders' days and deletes empty rows; the caller holds the days exclusively. */
export async function subtractDayTraders(
  tx: Db,
  network: NetworkKey,
  counts: readonly DayTraderCount[],
): Promise<void> {
  if (counts.length === 0) return
  const { place, bit, count } = placeOf(network)
  const rest = Prisma.sql`${setOf('stored.swaps')} - (${count} = counted.swaps)::int * ${bit}::int`
  const made = Prisma.sql`
    WITH counted AS MATERIALIZED (${asRows(counts)}), fewer AS (
      UPDATE day_trader AS stored SET ${Prisma.raw(`swaps[${place}]`)} = ${count} - counted.swaps FROM counted
      WHERE stored.day = counted.day AND stored.trader = counted.trader AND ${rest} > 0
      RETURNING stored.day, ${count} AS left_over, ${setOf('stored.swaps')} AS networks
    ), gone AS (
      DELETE FROM day_trader AS stored USING counted
      WHERE stored.day = counted.day AND stored.trader = counted.trader AND ${rest} = 0
      RETURNING stored.day
    ), moved AS MATERIALIZED (
      SELECT day, networks, sum(addresses) AS addresses FROM (
        SELECT day, networks, 1 AS addresses FROM fewer WHERE left_over = 0
        UNION ALL SELECT day, networks + ${bit}::int, -1 FROM fewer WHERE left_over = 0
        UNION ALL SELECT day, ${bit}::int, -1 FROM gone
      ) AS both_sides GROUP BY 1, 2
    )`
  await moveAddresses(tx, made)
}

/** Computes the rows of a day's traders from the rows of its trades (YYYY-MM-DD). */
function countedTraders(date: string): Prisma.Sql {
  const byNetwork = NETWORK_NAMES.map((name) => `count(*) FILTER (WHERE chain_id = ${NETWORKS[name].chainId})`)
  return Prisma.sql`
    SELECT ${date}::date AS day, trader, ARRAY[${Prisma.raw(byNetwork.join())}]::int[] AS swaps
    FROM ${swapsOfDay(date)} AS of_day WHERE trader IS NOT NULL GROUP BY trader`
}

function countedAddresses(date: string): Prisma.Sql {
  return Prisma.sql`
    SELECT day, ${setOf('swaps')} AS networks, count(*) AS addresses FROM (${countedTraders(date)}) AS traders GROUP BY 1, 2`
}

/** Selects the traders of a day whose rows differ from their trades, at most `limit`, as `key`, `stored`, `counted`. */
export function differingTraders(date: string, limit: number): Prisma.Sql {
  // Rows from before a network was appended are shorter.
  const text = Prisma.sql`array_to_string(array_remove(swaps, NULL) || array_fill(0, ARRAY[
    greatest(${NETWORK_NAMES.length}::int - cardinality(array_remove(swaps, NULL)), 0)]), ' ') AS line`
  return Prisma.sql`
    SELECT '0x' || encode(trader, 'hex') AS key, stored.line AS stored, counted.line AS counted
    FROM (SELECT trader, ${text} FROM day_trader WHERE day = ${date}::date) AS stored
    FULL JOIN (SELECT trader, ${text} FROM (${countedTraders(date)}) AS traders) AS counted USING (trader)
    WHERE stored.line IS DISTINCT FROM counted.line ORDER BY 1 LIMIT ${limit}`
}

/** Selects the sets of networks of a day whose counts differ from its trades, as `key`, `stored`, `counted`. */
export function differingAddressCounts(date: string): Prisma.Sql {
  return Prisma.sql`
    SELECT networks::text AS key, stored.addresses::text AS stored, counted.addresses::text AS counted
    FROM (SELECT networks, addresses FROM day_address_count WHERE day = ${date}::date) AS stored
    FULL JOIN (${countedAddresses(date)}) AS counted USING (networks)
    WHERE stored.addresses IS DISTINCT FROM counted.addresses ORDER BY 1`
}

/** Recomputes the traders of a day, and their numbers, from its rows. */
export async function recountDayTraders(tx: Db, date: string): Promise<void> {
  const day = new Date(date)
  await tx.dayTrader.deleteMany({ where: { day } })
  await tx.$executeRaw`INSERT INTO day_trader (day, trader, swaps) ${countedTraders(date)}`
  await tx.dayAddressCount.deleteMany({ where: { day } })
  await tx.$executeRaw`INSERT INTO day_address_count (day, networks, addresses) ${countedAddresses(date)}`
}

/** The bit of each network in day_address_count.networks. */
const NETWORK_BITS = Prisma.sql`(VALUES ${Prisma.join(
  Object.values(NETWORKS).map(({ chainId }, position) => Prisma.raw(`(${chainId}, ${2 ** position})`)),
)}) AS bits (chain_id, bit)`

/** Counts distinct traders over the active networks, for the `count` days that end with `last` (YYYY-MM-DD). */
export function dayAddresses(last: string, count: number): Prisma.Sql {
  return Prisma.sql`
    SELECT day, sum(addresses)::float8 AS addresses FROM day_address_count
    WHERE day BETWEEN ${last}::date - (${count}::int - 1) AND ${last}::date
      AND networks & (SELECT coalesce(sum(bit), 0)::int FROM network JOIN ${NETWORK_BITS} USING (chain_id) WHERE active) <> 0
    GROUP BY day`
}

/** Counts distinct traders of a network by day, from `first` to `last` (since 1970, UTC), by its first second. */
export function networkTraders(network: NetworkKey, first: number, last: number): Prisma.Sql {
  return Prisma.sql`
    SELECT (day - DATE '1970-01-01')::float8 * 86400 AS time, sum(addresses)::float8 AS traders FROM day_address_count
    WHERE day BETWEEN ${dateOfDay(first)}::date AND ${dateOfDay(last)}::date AND networks & ${placeOf(network).bit}::int <> 0
    GROUP BY 1`
}
