// Whoever writes alerts holds the lock on the network's row, so their numbers have no gaps.
import { DAY_S, type Hex, isoTime } from '@dexfeed/dex'
import type { Db, Reads } from '../database/transaction.ts'
import { type Alert as Model, Prisma } from '../generated/client.ts'
import { byteaText, hexOf, json, readRows, type Stored } from '../stored.ts'

export interface AlertKey {
  rule: string
  /** The text of the rule, so that a changed rule starts over. */
  condition: string
}

/** A rule's condition has become true (`fired`), or is no longer true (`cleared`). */
export interface AlertChange extends AlertKey {
  id: Hex
  status: 'fired' | 'cleared'
  /** The block with the cause; null if no reorg can remove it. */
  blockNumber: number | null
  /** In seconds since 1970. */
  time: number
  /** A JSON object. */
  details: string
  webhooks: readonly string[]
}

export interface SentAlert {
  /** Counts the rows of the network. */
  number: number
  id: Hex
  status: 'fired' | 'retracted'
  details: string
}

type AlertRow = Stored<Model>

const COLUMNS = Prisma.sql`chain_id, number, id, rule, condition, status, block_number, time, details, is_retracted, webhooks, pending`

function toRow(chainId: number, { id, status, time, webhooks, ...change }: AlertChange, number: number): AlertRow {
  const { rule, condition, blockNumber, details } = change
  const isSent = status === 'fired'
  return {
    chain_id: chainId,
    number,
    id: byteaText(id),
    rule,
    condition,
    status,
    block_number: blockNumber,
    time: isoTime(time),
    details,
    is_retracted: false,
    webhooks: [...webhooks],
    pending: isSent ? [...webhooks] : [],
  }
}

function toSent(row: AlertRow): SentAlert {
  const { number, id, status, details } = row
  return { number: Number(number), id: hexOf(id), status: status === 'fired' ? status : 'retracted', details }
}

/** The caller has locked the network's row. */
export async function insertAlerts(tx: Db, chainId: number, changes: readonly AlertChange[]): Promise<void> {
  if (changes.length === 0) return
  const rows = changes.map((change, index) => toRow(chainId, change, index + 1))
  await tx.$executeRaw`
    INSERT INTO alert (${COLUMNS})
    SELECT chain_id, ${lastNumber(chainId)} + number, id, rule, condition, status, block_number, time, details, is_retracted,
      webhooks, pending
    FROM json_populate_recordset(NULL::alert, ${json(rows)})`
}

/**
 * Undoes the changes that have their cause above a block, with alert_block_idx, and adds a row for each alert that is
 * retracted. The caller has locked the network's row.
 */
export async function retractAlerts(tx: Db, chainId: number, block: number): Promise<void> {
  await tx.$executeRaw`
    WITH gone AS (
      UPDATE alert SET is_retracted = true WHERE chain_id = ${chainId} AND block_number > ${block} AND NOT is_retracted
      RETURNING *
    )
    INSERT INTO alert (${COLUMNS})
    SELECT chain_id, ${lastNumber(chainId)} + row_number() OVER (ORDER BY number), id, rule, condition, 'retracted',
      block_number, time, details, true, webhooks, webhooks
    FROM gone WHERE status = 'fired'`
}

/** Reads the rules that lost a change to a reorg above a block, with alert_block_idx. */
export async function readUndoneRules(db: Reads, chainId: number, block: number): Promise<string[]> {
  const query = Prisma.sql`SELECT DISTINCT rule FROM alert
    WHERE chain_id = ${chainId} AND block_number > ${block} AND is_retracted`
  return (await readRows<{ rule: string }>(db, query)).map(({ rule }) => rule)
}

/** Reads which conditions were true at their last change, one by one with alert_condition_idx. */
export async function readFired(
  db: Reads,
  chainId: number,
  keys: readonly AlertKey[],
): Promise<(key: AlertKey) => boolean> {
  if (keys.length === 0) return () => false
  const query = Prisma.sql`
    SELECT asked.rule, asked.condition
    FROM json_to_recordset(${json(keys)}) AS asked (rule text, condition text) CROSS JOIN LATERAL (
      SELECT status FROM alert
      WHERE chain_id = ${chainId} AND rule = asked.rule AND condition = asked.condition AND NOT is_retracted
      ORDER BY number DESC LIMIT 1
    ) AS last WHERE last.status = 'fired'`
  const fired = new Set((await readRows<AlertKey>(db, query)).map(keyOf))
  return (key) => fired.has(keyOf(key))
}

/** Reads the first alerts after a row that wait for a webhook, with alert_pending_idx. */
export async function readWaitingAlerts(
  db: Reads,
  chainId: number,
  webhook: string,
  limit: number,
  after = 0,
): Promise<SentAlert[]> {
  const query = Prisma.sql`
    SELECT * FROM alert
    WHERE chain_id = ${chainId} AND number > ${after} AND cardinality(pending) > 0 AND ${webhook} = ANY (pending)
    ORDER BY number LIMIT ${limit}`
  return (await readRows<AlertRow>(db, query)).map(toSent)
}

/** Reads the number of a network's last row with alert_pkey; 0 without rows. */
export async function readLastAlert(db: Reads, chainId: number): Promise<number> {
  const [row] = await readRows<{ number: number }>(db, Prisma.sql`SELECT ${lastNumber(chainId)} AS number`)
  return row?.number ?? 0
}

/** Reads what was sent after a row, in order, with alert_pkey. */
export async function readAlertsAfter(db: Reads, chainId: number, number: number, limit: number): Promise<SentAlert[]> {
  const query = Prisma.sql`
    SELECT * FROM alert WHERE chain_id = ${chainId} AND number > ${number} AND status <> 'cleared'
    ORDER BY number LIMIT ${limit}`
  return (await readRows<AlertRow>(db, query)).map(toSent)
}

export async function noteQueued(db: Db, chainId: number, webhook: string, numbers: readonly number[]): Promise<void> {
  await db.$executeRaw`
    UPDATE alert SET pending = array_remove(pending, ${webhook})
    WHERE chain_id = ${chainId} AND number = ANY (${[...numbers]}::bigint[])`
}

/** Deletes changes of earlier days (days since 1970), except the last one of each condition. */
export async function deleteAlertsBefore(db: Db, day: number): Promise<void> {
  const end = Prisma.sql`to_timestamp(${day * DAY_S})`
  await db.$executeRaw`
    DELETE FROM alert AS old WHERE time < ${end} AND EXISTS (
      SELECT FROM alert AS later WHERE later.chain_id = old.chain_id AND later.rule = old.rule
        AND later.condition = old.condition AND later.number > old.number AND NOT later.is_retracted
        AND later.time < ${end}
    )`
}

function lastNumber(chainId: number): Prisma.Sql {
  return Prisma.sql`(SELECT coalesce(max(number), 0) FROM alert WHERE chain_id = ${chainId})`
}

function keyOf({ rule, condition }: AlertKey): string {
  return `${rule} ${condition}`
}
