import { dateOfDay, NETWORK_NAMES, NETWORKS, type NetworkName } from '@dexfeed/dex'
import type { Db } from '../database/transaction.ts'
import { Prisma } from '../generated/client.ts'
import type { TraderOfDay } from './day-counts.ts'
import type { NetworkKey } from './network.ts'
import { unindexedDays } from './swap/search-index.ts'
import { swapsOfDay, swapsOfTrader } from './swap/swap.ts'

/*
 * A row of day_trader holds the set of networks on which an address traded that day, a bit per place in NETWORK_NAMES.
 * Further trades on a network change nothing, so most commits write few rows and wait for none. A row of
 * day_address_count counts a day's addresses that traded on exactly the networks of a set.
 */

function bitOf({ name }: { name: NetworkName }): number {
  return 2 ** NETWORK_NAMES.indexOf(name)
}

/** Passes arrays as Postgres text, because Prisma would convert thousands of elements one by one. */
function asRows(traders: readonly TraderOfDay[]): Prisma.Sql {
  const dates = new Map([...new Set(traders.map(({ day }) => day))].map((day) => [day, dateOfDay(day)]))
  const days = `{${traders.map(({ day }) => dates.get(day)).join()}}`
  const addresses = `{${traders.map(({ trader }) => trader.slice(2)).join()}}`
  return Prisma.sql`SELECT day, decode(trader, 'hex') AS trader
    FROM unnest(${days}::date[], ${addresses}::text[]) AS listed (day, trader)`
}

/** Adds the (possibly negative) numbers of the CTE `moved` in a fixed order, and deletes sets without addresses. */
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
 * Writes and locks only rows of traders new to the network, in a fixed order. The caller holds the days' shared lock,
 * so that no trader is subtracted meanwhile.
 */
export async function addDayTraders(tx: Db, network: NetworkKey, traders: readonly TraderOfDay[]): Promise<void> {
  if (traders.length === 0) return
  const bit = bitOf(network)
  // OFFSET 0 makes the planner look up each trader, instead of reading the traders of all days first.
  const made = Prisma.sql`
    WITH listed AS MATERIALIZED (${asRows(traders)}), written AS (
      INSERT INTO day_trader AS stored (day, trader, networks)
      SELECT day, trader, ${bit}::int FROM listed
      WHERE NOT EXISTS (SELECT FROM day_trader AS known WHERE known.day = listed.day AND known.trader = listed.trader
        AND known.networks & ${bit}::int <> 0 OFFSET 0)
      ORDER BY day, trader
      ON CONFLICT (day, trader) DO UPDATE SET networks = stored.networks | excluded.networks
        WHERE stored.networks & excluded.networks = 0
      RETURNING day, networks
    ), new AS (
      SELECT day, networks, count(*) AS addresses FROM written GROUP BY 1, 2
    ), moved AS MATERIALIZED (
      SELECT day, networks, sum(addresses) AS addresses FROM (
        SELECT day, networks, addresses FROM new UNION ALL SELECT day, networks - ${bit}::int, -addresses FROM new
      ) AS both_sides GROUP BY 1, 2
    )`
  await moveAddresses(tx, made)
}

/**
 * The caller holds the network's rows exclusively. It must not hold the days yet: this can take long, and the heads of
 * all networks would wait.
 */
export async function tradersWithoutTrades(
  tx: Db,
  { chainId }: NetworkKey,
  traders: readonly TraderOfDay[],
): Promise<TraderOfDay[]> {
  if (traders.length === 0) return []
  // With the index, look up each trader; without it, read the day's trades once.
  const days = [...new Set(traders.map(({ day }) => day))]
  const unindexed = await unindexedDays(tx)
  const lookUp = days.some((day) => unindexed.includes(day)) ? Prisma.empty : Prisma.sql`OFFSET 0`
  return tx.$queryRaw<TraderOfDay[]>`
    WITH listed AS MATERIALIZED (${asRows(traders)})
    SELECT day - DATE '1970-01-01' AS day, '0x' || encode(trader, 'hex') AS trader FROM listed
    WHERE NOT EXISTS (${swapsOfTrader(chainId, 'listed.trader', 'listed.day', days)} ${lookUp})`
}

/** The caller holds the days exclusively. */
export async function subtractDayTraders(tx: Db, network: NetworkKey, traders: readonly TraderOfDay[]): Promise<void> {
  if (traders.length === 0) return
  const bit = bitOf(network)
  const made = Prisma.sql`
    WITH without AS MATERIALIZED (${asRows(traders)}), fewer AS (
      UPDATE day_trader AS stored SET networks = stored.networks - ${bit}::int FROM without
      WHERE stored.day = without.day AND stored.trader = without.trader
        AND stored.networks & ${bit}::int <> 0 AND stored.networks <> ${bit}::int
      RETURNING stored.day, stored.networks
    ), gone AS (
      DELETE FROM day_trader AS stored USING without
      WHERE stored.day = without.day AND stored.trader = without.trader AND stored.networks = ${bit}::int
      RETURNING stored.day
    ), moved AS MATERIALIZED (
      SELECT day, networks, sum(addresses) AS addresses FROM (
        SELECT day, networks, 1 AS addresses FROM fewer UNION ALL SELECT day, networks + ${bit}::int, -1 FROM fewer
        UNION ALL SELECT day, ${bit}::int, -1 FROM gone
      ) AS both_sides GROUP BY 1, 2
    )`
  await moveAddresses(tx, made)
}

/** Days since 1970 (UTC), without `end`. Their traders are gone, so no addresses can be added to these counts. */
export async function deleteAddressCounts(tx: Db, from: number, end: number): Promise<void> {
  const day = { gte: new Date(dateOfDay(from)), lt: new Date(dateOfDay(end)) }
  await tx.dayAddressCount.deleteMany({ where: { day } })
}

const NETWORK_BITS = Prisma.sql`(VALUES ${Prisma.join(
  NETWORK_NAMES.map((name) => Prisma.raw(`(${NETWORKS[name].chainId}, ${bitOf({ name })})`)),
)}) AS bits (chain_id, bit)`

function countedTraders(date: string): Prisma.Sql {
  return Prisma.sql`
    SELECT ${date}::date AS day, trader, bit_or(bit) AS networks
    FROM ${swapsOfDay(date)} AS of_day JOIN ${NETWORK_BITS} USING (chain_id) WHERE trader IS NOT NULL GROUP BY trader`
}

function countedAddresses(date: string): Prisma.Sql {
  return Prisma.sql`
    SELECT day, networks, count(*) AS addresses FROM (${countedTraders(date)}) AS traders GROUP BY 1, 2`
}

export function differingTraders(date: string, limit: number): Prisma.Sql {
  return Prisma.sql`
    SELECT '0x' || encode(trader, 'hex') AS key, stored.networks::text AS stored, counted.networks::text AS counted
    FROM (SELECT trader, networks FROM day_trader WHERE day = ${date}::date) AS stored
    FULL JOIN (${countedTraders(date)}) AS counted USING (trader)
    WHERE stored.networks IS DISTINCT FROM counted.networks ORDER BY 1 LIMIT ${limit}`
}

export function differingAddressCounts(date: string): Prisma.Sql {
  return Prisma.sql`
    SELECT networks::text AS key, stored.addresses::text AS stored, counted.addresses::text AS counted
    FROM (SELECT networks, addresses FROM day_address_count WHERE day = ${date}::date) AS stored
    FULL JOIN (${countedAddresses(date)}) AS counted USING (networks)
    WHERE stored.addresses IS DISTINCT FROM counted.addresses ORDER BY 1`
}

export async function recountDayTraders(tx: Db, date: string): Promise<void> {
  const day = new Date(date)
  await tx.dayTrader.deleteMany({ where: { day } })
  await tx.$executeRaw`INSERT INTO day_trader (day, trader, networks) ${countedTraders(date)}`
  await tx.dayAddressCount.deleteMany({ where: { day } })
  await tx.$executeRaw`INSERT INTO day_address_count (day, networks, addresses) ${countedAddresses(date)}`
}

export function dayAddresses(last: string, count: number): Prisma.Sql {
  return Prisma.sql`
    SELECT day, sum(addresses)::float8 AS addresses FROM day_address_count
    WHERE day BETWEEN ${last}::date - (${count}::int - 1) AND ${last}::date
      AND networks & (SELECT coalesce(sum(bit), 0)::int FROM network JOIN ${NETWORK_BITS} USING (chain_id) WHERE active) <> 0
    GROUP BY day`
}

/** `first` and `last` are days since 1970 (UTC). */
export function networkTraders(network: NetworkKey, first: number, last: number): Prisma.Sql {
  return Prisma.sql`
    SELECT (day - DATE '1970-01-01')::float8 * 86400 AS time, sum(addresses)::float8 AS traders FROM day_address_count
    WHERE day BETWEEN ${dateOfDay(first)}::date AND ${dateOfDay(last)}::date AND networks & ${bitOf(network)}::int <> 0
    GROUP BY 1`
}
