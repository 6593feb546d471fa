import {
  type Address,
  type FactoryFee,
  type FormulaState,
  formulaKind,
  type MovingFee,
  type PoolAddress,
  type PoolState,
  type PoolStateAt,
  type QuotablePool,
} from '@dexfeed/dex'
import type { Db } from '../database/transaction.ts'
import { type PoolState as Model, Prisma } from '../generated/client.ts'
import { afterAddress, byteaList, byteaText, hexOf, json, readRows, type Stored } from '../stored.ts'
import { type QuotableColumns, quotablePoolAt, toQuotable } from './pool.ts'

export type PoolStateRow = Omit<Stored<Model>, 'chain_id' | 'revision'>

const COLUMNS = Prisma.sql`pool, block_number, reserve0::text, reserve1::text, sqrt_price_x96::text, tick, liquidity::text,
  fee_zero_for_one, fee_one_for_zero, fee_exact, formula, formula_values, fresh_until`

export function toPoolState({ pool, block_number, ...row }: PoolStateRow): PoolStateAt {
  return { pool: hexOf(pool), blockNumber: Number(block_number), state: stateOf(row) }
}

function stateOf(row: Omit<PoolStateRow, 'pool' | 'block_number'>): PoolState {
  const { reserve0, reserve1, sqrt_price_x96: sqrtPriceX96, tick, liquidity } = row
  const { formula, formula_values: values, fresh_until: freshUntil } = row
  if (formula !== null) return formulaStateOf(formula, values, freshUntil)
  if (reserve0 !== null && reserve1 !== null) {
    return { kind: 'pair', reserve0: BigInt(reserve0), reserve1: BigInt(reserve1), ...feeOf(row) }
  }
  if (sqrtPriceX96 === null || tick === null || liquidity === null)
    throw new Error('a stored pool state has neither reserves nor a price')
  const price = { sqrtPriceX96: BigInt(sqrtPriceX96), tick, liquidity: BigInt(liquidity) }
  return { kind: 'concentrated', ...price, ...feeOf(row) }
}

const NO_FORMULA = { kind: 'formula', values: null, freshUntil: null } as const

function formulaStateOf(name: string, values: string | null, freshUntil: number | null): FormulaState {
  if (formulaKind(name) === null) return { ...NO_FORMULA, formula: name }
  return { kind: 'formula', formula: name, values: values?.split(' ').map(BigInt) ?? null, freshUntil }
}

function feeOf(row: Pick<PoolStateRow, 'fee_zero_for_one' | 'fee_one_for_zero' | 'fee_exact'>): { fee?: MovingFee } {
  const { fee_zero_for_one: zeroForOne, fee_one_for_zero: oneForZero, fee_exact: exact } = row
  return zeroForOne === null || oneForZero === null || exact === null ? {} : { fee: { zeroForOne, oneForZero, exact } }
}

function toRow(chainId: number, revision: number, { pool, blockNumber, state }: PoolStateAt): Stored<Model> {
  const pair = state.kind === 'pair' ? state : null
  const curve = state.kind === 'concentrated' ? state : null
  const formula = state.kind === 'formula' ? state : null
  return {
    chain_id: chainId,
    pool: byteaText(pool),
    block_number: blockNumber,
    revision,
    reserve0: textOf(pair?.reserve0),
    reserve1: textOf(pair?.reserve1),
    sqrt_price_x96: textOf(curve?.sqrtPriceX96),
    tick: curve?.tick ?? null,
    liquidity: textOf(curve?.liquidity),
    fee_zero_for_one: state.fee?.zeroForOne ?? null,
    fee_one_for_zero: state.fee?.oneForZero ?? null,
    fee_exact: state.fee?.exact ?? null,
    formula: formula?.formula ?? null,
    formula_values: formula?.values?.join(' ') ?? null,
    fresh_until: formula?.freshUntil ?? null,
  }
}

function textOf(value: bigint | undefined): string | null {
  return value === undefined ? null : String(value)
}

export async function readPoolStates(db: Db, chainId: number, atBlock?: number): Promise<PoolStateAt[]> {
  const query = Prisma.sql`SELECT DISTINCT ON (pool) ${COLUMNS} FROM pool_state WHERE chain_id = ${chainId} ${upTo(atBlock)}
    ORDER BY pool, block_number DESC`
  return (await readRows<PoolStateRow>(db, query)).map(toPoolState)
}

export interface StatedPool extends Pick<PoolStateAt, 'state' | 'blockNumber'> {
  pool: QuotablePool
}

export async function readStatedPools(
  db: Db,
  chainId: number,
  { after, from }: { after: PoolAddress | null; from: number },
  limit: number,
): Promise<StatedPool[]> {
  const query = Prisma.sql`SELECT state.*, stored.* FROM (
      SELECT * FROM (SELECT DISTINCT ON (pool) ${COLUMNS} FROM pool_state
        WHERE chain_id = ${chainId} AND pool > ${afterAddress(after)}
        ORDER BY pool, block_number DESC) AS newest
      WHERE block_number >= ${from} ORDER BY pool LIMIT ${limit}
    ) AS state, LATERAL (${quotablePoolAt(chainId, Prisma.sql`state.pool`)}) AS stored ORDER BY pool`
  return (await readRows<PoolStateRow & QuotableColumns>(db, query)).map((row) => {
    const { pool, ...at } = toPoolState(row)
    return { pool: toQuotable(pool, row), ...at }
  })
}

export async function readPoolsLastTouched(
  db: Db,
  chainId: number,
  { from, below }: { from: number; below: number },
): Promise<PoolAddress[]> {
  const query = Prisma.sql`SELECT DISTINCT pool FROM pool_state AS touched
    WHERE chain_id = ${chainId} AND block_number >= ${from} AND block_number < ${below} AND NOT EXISTS (
      SELECT FROM pool_state AS later
      WHERE later.chain_id = ${chainId} AND later.pool = touched.pool AND later.block_number >= ${below})`
  return (await readRows<{ pool: string }>(db, query)).map(({ pool }) => hexOf(pool))
}

export function poolStatesOf(chainId: number, pools: readonly PoolAddress[], atBlock?: number): Prisma.Sql {
  return Prisma.sql`SELECT DISTINCT ON (pool) ${COLUMNS} FROM pool_state
    WHERE chain_id = ${chainId} AND pool IN (${byteaList(pools)}) ${upTo(atBlock)} ORDER BY pool, block_number DESC`
}

export function upTo(atBlock: number | undefined): Prisma.Sql {
  return atBlock === undefined ? Prisma.empty : Prisma.sql`AND block_number <= ${atBlock}`
}

/** Returns pools that have a version of these blocks, in the order of their addresses. */
export async function readPoolsChanged(
  db: Db,
  chainId: number,
  { above, to }: { above: number; to: number },
  after: PoolAddress | null,
  limit: number,
): Promise<PoolAddress[]> {
  const query = Prisma.sql`SELECT DISTINCT pool FROM pool_state WHERE chain_id = ${chainId} AND block_number > ${above}
    AND block_number <= ${to} AND pool > ${afterAddress(after)} ORDER BY pool LIMIT ${limit}`
  return (await readRows<{ pool: string }>(db, query)).map(({ pool }) => hexOf(pool))
}

export async function readPoolsWithState(
  db: Db,
  chainId: number,
  after: PoolAddress | null,
  limit: number,
): Promise<PoolAddress[]> {
  const query = Prisma.sql`SELECT DISTINCT pool FROM pool_state
    WHERE chain_id = ${chainId} AND pool > ${afterAddress(after)} ORDER BY pool LIMIT ${limit}`
  return (await readRows<{ pool: string }>(db, query)).map(({ pool }) => hexOf(pool))
}

export function changedPoolStates(
  chainId: number,
  revision: number,
  after: PoolStateAt | null,
  limit: number,
): Prisma.Sql {
  // OFFSET 0 keeps the planner from walking the whole table in the order of pools because of the limit.
  return Prisma.sql`SELECT DISTINCT ON (pool) ${COLUMNS}
    FROM (SELECT * FROM pool_state WHERE chain_id = ${chainId} AND revision > ${revision} OFFSET 0) AS changed
    WHERE pool > ${afterAddress(after?.pool ?? null)} ORDER BY pool, block_number DESC LIMIT ${limit}`
}

export function writtenPoolStates(chainId: number, revision: number, states: readonly PoolStateAt[]): Prisma.Sql {
  return Prisma.sql`written_states AS (
      INSERT INTO pool_state (chain_id, pool, block_number, revision, reserve0, reserve1, sqrt_price_x96, tick, liquidity,
        fee_zero_for_one, fee_one_for_zero, fee_exact, formula, formula_values, fresh_until)
      SELECT chain_id, pool, block_number, revision, reserve0, reserve1, sqrt_price_x96, tick, liquidity,
        fee_zero_for_one, fee_one_for_zero, fee_exact, formula, formula_values, fresh_until
      FROM json_populate_recordset(NULL::pool_state, ${json(states.map((state) => toRow(chainId, revision, state)))})
      ON CONFLICT (chain_id, pool, block_number) DO UPDATE SET revision = excluded.revision,
        reserve0 = excluded.reserve0, reserve1 = excluded.reserve1,
        sqrt_price_x96 = excluded.sqrt_price_x96, tick = excluded.tick, liquidity = excluded.liquidity,
        fee_zero_for_one = excluded.fee_zero_for_one, fee_one_for_zero = excluded.fee_one_for_zero,
        fee_exact = excluded.fee_exact, formula = excluded.formula, formula_values = excluded.formula_values,
        fresh_until = excluded.fresh_until)`
}

export async function prunePoolStates(
  db: Db,
  chainId: number,
  { after, final }: { after: number; final: number },
): Promise<void> {
  await db.$executeRaw`
    DELETE FROM pool_state AS old USING (
      SELECT pool, max(block_number) AS block_number FROM pool_state
      WHERE chain_id = ${chainId} AND block_number > ${after} AND block_number <= ${final} GROUP BY pool
    ) AS kept
    WHERE old.chain_id = ${chainId} AND old.pool = kept.pool AND old.block_number < kept.block_number`
}

export async function deletePoolStates(tx: Db, chainId: number, above = -1): Promise<void> {
  await tx.poolState.deleteMany({ where: { chainId, blockNumber: { gt: above } } })
}

export async function deleteOlderStates(tx: Db, chainId: number, states: readonly PoolStateAt[]): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM pool_state AS old USING json_populate_recordset(NULL::pool_state, ${placesOf(states)}) AS kept
    WHERE old.chain_id = ${chainId} AND old.pool = kept.pool AND old.block_number < kept.block_number`
}

export interface StateRules {
  fees: readonly FactoryFee[]
  factories: readonly Address[]
}

/** Selects the pools that the rules affect, and whether their states must have a fee (null if no state may be kept). */
function poolsWithFees(chainId: number, { fees, factories }: StateRules): Prisma.Sql {
  const expected = json(fees.map(({ factory, inStates }) => ({ factory: byteaText(factory), in_states: inStates })))
  return Prisma.sql`
    SELECT address, in_states FROM json_to_recordset(${expected}) AS expected (factory bytea, in_states boolean)
    JOIN pool USING (factory) WHERE chain_id = ${chainId}
    UNION ALL SELECT address, NULL FROM pool WHERE chain_id = ${chainId} AND factory NOT IN (${byteaList(factories)})`
}

const IS_MISREAD = Prisma.sql`(fee_zero_for_one IS NOT NULL) IS DISTINCT FROM in_states`

export async function hasMisreadStates(db: Db, chainId: number, rules: StateRules): Promise<boolean> {
  const rows = await db.$queryRaw<unknown[]>`
    WITH expected AS MATERIALIZED (${poolsWithFees(chainId, rules)})
    (SELECT 1 FROM pool_state JOIN expected ON pool = address WHERE chain_id = ${chainId} AND ${IS_MISREAD} LIMIT 1)
    UNION ALL
    (SELECT 1 FROM invalidated_pool JOIN expected ON pool = address WHERE chain_id = ${chainId} AND in_states IS NULL LIMIT 1)`
  return rows.length > 0
}

/**
 * Deletes states that have a fee but should not, or lack a required one, and all states of pools that are not quoted or
 * not configured. Returns the pools of these states, and whether they are quoted.
 */
export async function deleteMisreadStates(
  tx: Db,
  chainId: number,
  rules: StateRules,
): Promise<{ pool: PoolAddress; isQuoted: boolean }[]> {
  const rows = await tx.$queryRaw<{ pool: string; is_quoted: boolean }[]>`
    WITH expected AS MATERIALIZED (${poolsWithFees(chainId, rules)}), gone AS (
      DELETE FROM pool_state USING expected WHERE chain_id = ${chainId} AND pool = address AND ${IS_MISREAD}
      RETURNING pool, in_states
    ), unquoted AS (
      DELETE FROM invalidated_pool USING expected WHERE chain_id = ${chainId} AND pool = address AND in_states IS NULL
    )
    SELECT DISTINCT pool::text, in_states IS NOT NULL AS is_quoted FROM gone`
  return rows.map(({ pool, is_quoted: isQuoted }) => ({ pool: hexOf(pool), isQuoted }))
}

export function placesOf(states: readonly PoolStateAt[]): Prisma.Sql {
  return json(states.map(({ pool, blockNumber }) => ({ pool: byteaText(pool), block_number: blockNumber })))
}
