import {
  type Address,
  type BlockHeader,
  type BlockPoint,
  dayOf,
  type Hex,
  NETWORK_NAMES,
  NETWORKS,
  type NetworkName,
} from '@dexfeed/dex'
import { ADVISORY_LOCKS, type LockMode, rowsLock } from '../database/locks.ts'
import { notification } from '../database/notifications.ts'
import type { Db } from '../database/transaction.ts'
import { type Network, Prisma } from '../generated/client.ts'
import { checkGenesis, LeaseLost } from '../store-error.ts'
import { byteaText, bytesOf, hexOf, readRows, type Stored, secondsOf, timeOf } from '../stored.ts'
import { COPIED_CHAIN, type CopiedRows } from './copied-rows.ts'
import { NEW_VERSION } from './swap/list-cell.ts'

export interface NetworkKey {
  chainId: number
  name: NetworkName
}

/** Sorted, so that locks are always taken in the same order. */
export const NETWORKS_BY_ID: readonly NetworkKey[] = NETWORK_NAMES.map((name) => ({
  name,
  chainId: NETWORKS[name].chainId,
})).sort((a, b) => a.chainId - b.chainId)

/** Times are seconds since 1970. */
export interface NetworkRow {
  network: NetworkName
  chainId: number
  active: boolean
  /** Null if no endpoint keeps block 0. */
  genesisHash: Hex | null
  wrappedNative: Hex
  /** Tokens with a trusted price besides the wrapped coin: stablecoins and other configured tokens. */
  anchors: readonly Address[]
  stablecoins: readonly Address[]
  /** First block to cover; null until the network's nodes have reported it. */
  start: BlockPoint | null
  writerEpoch: number
  /** Increases with every change of pool states. */
  revision: number
  /** Increases with every rollback. */
  reorgs: number
  head: (BlockPoint & { hash: Hex }) | null
  /** The head that the chain had when `head` was committed. */
  chainHead: BlockPoint | null
  finalNumber: number | null
  degraded: string | null
  /** Null while blocks are proven. */
  unprovenSince: number | null
  /** Changes when any of the network's rows may have changed (swap/list-cell.ts). */
  listVersion: string
  budgetShortfall: string | null
}

export function toNetwork(row: Stored<Network>): NetworkRow {
  const head = pointOf(row.head_number, row.head_time)
  return {
    network: row.name as NetworkName,
    chainId: row.chain_id,
    active: row.active,
    genesisHash: row.genesis_hash === null ? null : hexOf(row.genesis_hash),
    wrappedNative: hexOf(row.wrapped_native),
    anchors: row.anchors.map(hexOf),
    stablecoins: row.stablecoins.map(hexOf),
    start: pointOf(row.start_block, row.start_time),
    writerEpoch: Number(row.writer_epoch),
    revision: Number(row.revision),
    reorgs: Number(row.reorgs),
    head: head && row.head_hash !== null ? { ...head, hash: hexOf(row.head_hash) } : null,
    chainHead: pointOf(row.chain_head_number, row.chain_head_time),
    finalNumber: row.final_number === null ? null : Number(row.final_number),
    degraded: row.degraded,
    listVersion: String(row.list_version),
    unprovenSince: row.unproven_since === null ? null : secondsOf(row.unproven_since),
    budgetShortfall: row.budget_shortfall,
  }
}

export const ACTIVE_NETWORKS = Prisma.sql`SELECT * FROM network WHERE active`

export function networkRow(chainId: number): Prisma.Sql {
  return Prisma.sql`SELECT * FROM network WHERE chain_id = ${chainId}`
}

export async function readNetwork(db: Db, chainId: number): Promise<NetworkRow | null> {
  const [row] = await readRows<Stored<Network>>(db, networkRow(chainId))
  return row === undefined ? null : toNetwork(row)
}

export function anchorsOf({ wrappedNative, anchors }: Pick<NetworkRow, 'wrappedNative' | 'anchors'>): Set<Address> {
  return new Set([wrappedNative, ...anchors])
}

export async function readAnchors(db: Db, chainId: number): Promise<Set<Address>> {
  const row = await readNetwork(db, chainId)
  return row === null ? new Set() : anchorsOf(row)
}

/**
 * Inserts the network, or activates it, replaces a later start and fills in an unknown hash of block 0. Throws
 * GenesisMismatch if another hash is stored.
 */
export async function upsertNetwork(
  tx: Db,
  { chainId, name }: NetworkKey,
  { genesisHash, wrappedNative, start }: Pick<NetworkRow, 'genesisHash' | 'wrappedNative'> & { start: BlockPoint },
): Promise<void> {
  const [row] = await tx.$queryRaw<{ genesis: string | null }[]>`
    INSERT INTO network AS stored (chain_id, name, genesis_hash, wrapped_native, start_block, start_time)
    VALUES (${chainId}, ${name}, ${genesisHash && byteaText(genesisHash)}::bytea, ${byteaText(wrappedNative)}::bytea, ${start.number},
      to_timestamp(${start.timestamp}))
    ON CONFLICT (chain_id) DO UPDATE SET active = true, genesis_hash = coalesce(stored.genesis_hash, excluded.genesis_hash),
      start_time = CASE WHEN stored.start_block <= excluded.start_block THEN stored.start_time ELSE excluded.start_time END,
      start_block = least(stored.start_block, excluded.start_block)
    RETURNING genesis_hash::text AS genesis`
  checkGenesis(name, row?.genesis == null ? null : hexOf(row.genesis), genesisHash)
}

/** The caller has locked the network's row. */
export async function setTrusted(
  tx: Db,
  chainId: number,
  { wrappedNative, anchors, stablecoins }: Pick<NetworkRow, 'wrappedNative' | 'anchors' | 'stablecoins'>,
): Promise<void> {
  const data = { anchors: anchors.map(bytesOf), stablecoins: stablecoins.map(bytesOf) }
  await tx.network.update({ where: { chainId }, data: { ...data, wrappedNative: bytesOf(wrappedNative) } })
}

export async function activate(tx: Db, networks: readonly (NetworkKey & { wrappedNative: Hex })[]): Promise<void> {
  const chainIds = networks.map(({ chainId }) => chainId)
  await tx.network.updateMany({ where: { chainId: { in: chainIds }, active: false }, data: { active: true } })
  const data = networks.map((network) => ({ ...network, wrappedNative: bytesOf(network.wrappedNative) }))
  await tx.network.createMany({ data, skipDuplicates: true })
}

/** A process that is about to claim one of the networks waits for this transaction. */
export async function deactivateUnclaimed(tx: Db, of: { in: number[] } | { notIn: number[] }): Promise<void> {
  for (const { chainId } of await tx.network.findMany({ where: { chainId: of, active: true } })) {
    await tx.$executeRaw`UPDATE network SET active = false
      WHERE chain_id = ${chainId} AND pg_try_advisory_xact_lock(${ADVISORY_LOCKS.claim}::int, ${chainId}::int)`
  }
}

/**
 * The note expires after two minutes, so the process must repeat it. A process that reads only proven blocks deletes an
 * expired note.
 */
export async function reportUnproven(db: Db, chainId: number, isUnproven: boolean): Promise<void> {
  await db.$executeRaw`
    UPDATE network SET unproven_since = CASE WHEN unproven_until > now() THEN unproven_since ELSE now() END,
      unproven_until = now() + interval '2 minutes'
    WHERE chain_id = ${chainId} AND ${isUnproven}::boolean AND coalesce(unproven_until < now() + interval '1 minute', true)`
  await db.$executeRaw`UPDATE network SET unproven_since = NULL
    WHERE chain_id = ${chainId} AND unproven_since IS NOT NULL AND coalesce(unproven_until < now(), true)`
}

/** Candles of blocks up to this one may be without `buys`; null if none are (docs/internals/candles.md). */
export async function readFlowUnknownTo(db: Db, chainId: number): Promise<number | null> {
  const row = await db.network.findUnique({ where: { chainId }, select: { flowUnknownTo: true } })
  return row?.flowUnknownTo ?? null
}

export async function setFlowUnknownTo(tx: Db, chainId: number, flowUnknownTo: number | null): Promise<void> {
  await tx.network.update({ where: { chainId }, data: { flowUnknownTo } })
}

export async function lockNetwork(tx: Db, chainId: number): Promise<void> {
  await tx.$queryRaw`SELECT FROM network WHERE chain_id = ${chainId} FOR UPDATE`
}

export async function lockNetworks(tx: Db): Promise<void> {
  await tx.$queryRaw`SELECT FROM network ORDER BY chain_id FOR UPDATE`
}

export type Fenced = Pick<NetworkRow, 'revision' | 'reorgs' | 'head' | 'finalNumber' | 'wrappedNative' | 'anchors'>

/**
 * Locks the network's row, checks `epoch`, and takes the lock of the network's rows in mode `rows`, if any. Throws
 * LeaseLost if `epoch` is outdated.
 */
export async function fence(
  tx: Db,
  { chainId, name }: NetworkKey,
  epoch: number,
  rows: LockMode | null = null,
): Promise<Fenced> {
  // The JSON is built from the locked row, because a query with an aggregate cannot lock rows.
  const [found] = await tx.$queryRaw<{ row: Stored<Network> }[]>`
    WITH locked AS MATERIALIZED (SELECT to_json(network) AS row FROM network WHERE chain_id = ${chainId} FOR UPDATE)
    SELECT row ${rows === null ? Prisma.empty : Prisma.sql`, ${rowsLock(chainId, rows)}::text AS lock`} FROM locked`
  const row = found && toNetwork(found.row)
  if (row?.writerEpoch !== epoch) throw new LeaseLost(name, epoch)
  return row
}

/** Runs on the connection that holds the lease. */
export function raiseEpoch(chainId: number): Prisma.Sql {
  return Prisma.sql`
    UPDATE network SET writer_epoch = writer_epoch + 1 WHERE chain_id = ${chainId} RETURNING writer_epoch AS epoch`
}

interface HeadPosition {
  head: BlockHeader
  chainHead: BlockPoint
  finalNumber: number
  revision: number
  rolledBack: boolean
}

/**
 * Clears `degraded`, because a network whose head moves is healthy.
 *
 * @param along CTEs for the same statement; separate statements would delay a live commit
 */
export async function moveHead(
  tx: Db,
  { chainId, name }: NetworkKey,
  { head, chainHead, finalNumber, revision, rolledBack }: HeadPosition,
  along: readonly Prisma.Sql[],
): Promise<void> {
  await tx.$executeRaw`
    WITH ${Prisma.join(along)}
    UPDATE network SET revision = ${revision}, reorgs = reorgs + ${Number(rolledBack)},
      head_number = ${head.number}, head_hash = ${byteaText(head.hash)}::bytea,
      head_time = to_timestamp(${head.timestamp}), chain_head_number = ${chainHead.number},
      chain_head_time = to_timestamp(${chainHead.timestamp}), final_number = ${finalNumber}, degraded = NULL
    WHERE chain_id = ${chainId} RETURNING ${notification(name)}`
}

export async function moveRevision(
  tx: Db,
  { chainId, name }: NetworkKey,
  revision: number,
  states: Prisma.Sql,
): Promise<void> {
  await tx.$executeRaw`
    WITH ${states} UPDATE network SET revision = ${revision} WHERE chain_id = ${chainId} RETURNING ${notification(name)}`
}

export async function countRollback(tx: Db, chainId: number): Promise<void> {
  await tx.network.updateMany({
    where: { chainId },
    data: { revision: { increment: 1 }, reorgs: { increment: 1 } },
  })
}

export async function touchNetwork(tx: Db, chainId: number): Promise<void> {
  await tx.$executeRaw`UPDATE network SET list_version = ${NEW_VERSION} WHERE chain_id = ${chainId}`
}

/** Only this statement lowers the final block. */
export async function forgetHead(tx: Db, chainId: number, finalNumber: number): Promise<void> {
  const head = { headNumber: null, headHash: null, headTime: null, chainHeadNumber: null, chainHeadTime: null }
  await tx.network.updateMany({ where: { chainId }, data: { ...head, finalNumber, degraded: null } })
}

/** Returns the highest final block noted so far. Throws LeaseLost if `epoch` is outdated. */
export async function noteFinal(db: Db, network: NetworkKey, epoch: number, finalNumber: number): Promise<number> {
  const [noted] = await db.$queryRaw<{ final: bigint }[]>`
    UPDATE network SET final_number = greatest(final_number, ${finalNumber}::bigint)
    WHERE chain_id = ${network.chainId} AND writer_epoch = ${epoch} RETURNING final_number AS final`
  if (noted === undefined) throw new LeaseLost(network.name, epoch)
  return Number(noted.final)
}

export async function lowerStart(db: Db, chainId: number, { number, timestamp }: BlockPoint): Promise<void> {
  await db.network.updateMany({
    where: { chainId, startBlock: { gt: number } },
    data: { startBlock: number, startTime: timeOf(timestamp) },
  })
}

export async function raiseStart(db: Db, chainId: number, { number, timestamp }: BlockPoint): Promise<void> {
  await db.network.updateMany({
    where: { chainId, startBlock: { lt: number } },
    data: { startBlock: number, startTime: timeOf(timestamp) },
  })
}

export async function firstRequiredDay(db: Db): Promise<number | null> {
  const { _min } = await db.network.aggregate({ _min: { startTime: true }, where: { active: true } })
  return _min.startTime === null ? null : dayOf(secondsOf(_min.startTime))
}

/**
 * The writer passes the epoch of its lease. Without an epoch (null), the reason is stored only while no process has the
 * lease: a process that waits for it, or has lost it, must not mark a healthy network.
 */
export async function setDegraded(db: Db, chainId: number, reason: string | null, epoch: number | null): Promise<void> {
  if (epoch === null) {
    await db.$executeRaw`
      UPDATE network SET degraded = ${reason}
      WHERE chain_id = ${chainId} AND pg_try_advisory_xact_lock(${ADVISORY_LOCKS.writer}::int, ${chainId}::int)`
  } else {
    await db.network.updateMany({ where: { chainId, writerEpoch: epoch }, data: { degraded: reason } })
  }
}

export async function setBudgetShortfall(
  db: Db,
  chainId: number,
  shortfall: string | null,
  epoch: number,
): Promise<void> {
  await db.network.updateMany({ where: { chainId, writerEpoch: epoch }, data: { budgetShortfall: shortfall } })
}

function pointOf(number: number | string | null, time: string | null): BlockPoint | null {
  return number === null || time === null ? null : { number: Number(number), timestamp: secondsOf(time) }
}

/** Tokens with a trusted price. */
export const COPIED_ANCHORS: CopiedRows = {
  columns: { token: 'hex' },
  rows: Prisma.sql`SELECT DISTINCT unnest(anchors || wrapped_native) AS token FROM network WHERE chain_id = ${COPIED_CHAIN}`,
}
