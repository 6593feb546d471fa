import type { StreamData } from '@dexfeed/contract'
import {
  type Address,
  type BlockRange,
  Groups,
  type NetworkName,
  type PoolAddress,
  type Token,
  usdText,
  ZERO_ADDRESS,
} from '@dexfeed/dex'
import type { CreatedPool, EdgeSnapshot, FoundLiquidity, ListedNetwork, SwapWithHops } from '@dexfeed/store'
import { creationFields, poolTokenFields } from '../catalog/pool-fields.ts'
import { liquidityEventOf } from '../liquidity-events.ts'
import { poolTokens } from '../one-pool.ts'
import { swapOf } from '../swaps.ts'
import { type EdgeEvent, edgeEvent } from './edge-event.ts'

/** A trade with its row of `/v1/swaps`. */
export interface EdgeTrade extends SwapWithHops {
  row: ReturnType<typeof swapOf>
}

/** A new pool, a trade or a liquidity event. */
interface EdgeRow {
  /** Of its block, in seconds. */
  time: number
  /** Null unless it is a trade. */
  swap: EdgeTrade | null
  /** Null unless it is a new pool. */
  pool: (StreamData['pool'] & { address: PoolAddress }) | null
  event: EdgeEvent
  unknown: readonly Address[]
}

/** Rows by block: new pools, trades, liquidity events, each in order. Blocks without rows are left out. */
export type EdgeBlocks = ReadonlyMap<number, readonly EdgeRow[]>

/** Known values of new pools, in USD times 10^8. */
export type PoolValues = ReadonlyMap<PoolAddress, bigint>

interface Difference {
  events: EdgeEvent[]
  /** All trades that were removed or added. */
  rows: SwapWithHops[]
  added: SwapWithHops[]
}

/** Returns the events that turn `before` into `after`, block by block. Equal rows are not sent again. */
export function differenceOf(network: SwapWithHops['network'], before: EdgeBlocks, after: EdgeBlocks): Difference {
  const events: EdgeEvent[] = []
  const rows: SwapWithHops[] = []
  const addedRows: SwapWithHops[] = []
  let run: { removed: BlockRange | null; added: EdgeEvent[] } = { removed: null, added: [] }
  const endRun = () => {
    const { removed, added } = run
    if (removed !== null) {
      events.push(edgeEvent('removed', { network, from_block: String(removed.from), to_block: String(removed.to) }))
    }
    for (const event of added) events.push(event)
    run = { removed: null, added: [] }
  }
  for (const number of [...new Set([...before.keys(), ...after.keys()])].sort((a, b) => a - b)) {
    const [old = [], now = []] = [before.get(number), after.get(number)]
    if (areEqual(old, now)) {
      // A removal covers a range of blocks, which must not contain a row that stays.
      endRun()
      continue
    }
    if (old.length > 0) run.removed = { from: run.removed?.from ?? number, to: number }
    for (const { event, swap } of now) {
      run.added.push(event)
      if (swap !== null) addedRows.push(swap)
    }
    for (const { swap } of [...old, ...now]) if (swap !== null) rows.push(swap)
  }
  endRun()
  return { events, rows, added: addedRows }
}

function areEqual(a: readonly EdgeRow[], b: readonly EdgeRow[]): boolean {
  return a.length === b.length && a.every((row, at) => row.event.json === b[at]?.event.json)
}

export async function readRows(
  snapshot: EdgeSnapshot,
  network: ListedNetwork,
  ranges: readonly BlockRange[],
  limit: number,
): Promise<EdgeBlocks | null> {
  const swaps: SwapWithHops[] = []
  const moves: FoundLiquidity[] = []
  const pools: CreatedPool[] = []
  const left = () => limit + 1 - swaps.length - moves.length - pools.length
  for (const range of ranges) {
    for (const pool of await snapshot.pools(network, range, left())) pools.push(pool)
    if (left() <= 0) return null
    for (const swap of await snapshot.swaps(network, range, left())) swaps.push(swap)
    if (left() <= 0) return null
    for (const move of await snapshot.liquidity(network, range, left())) moves.push(move)
    if (left() <= 0) return null
  }
  const traded = swaps.flatMap(({ sellToken, buyToken }) => [sellToken, buyToken])
  const named = new Set([...traded, ...moves.flatMap(({ coins }) => coins), ...pools.flatMap(poolTokens)])
  const tokens = await snapshot.tokens(network.network, [...named])
  const known = new Map(tokens.map((token) => [token.address, token]))
  const blocks = new Groups<number, EdgeRow>()
  for (const pool of pools) blocks.add(pool.creation.blockNumber, poolRow(network.network, pool, known))
  for (const swap of swaps) blocks.add(swap.blockNumber, tradeRow(swap, known, network))
  for (const move of moves) blocks.add(move.blockNumber, liquidityRow(move, known))
  return blocks
}

function poolRow(network: NetworkName, pool: CreatedPool, known: ReadonlyMap<Address, Token>): EdgeRow {
  const { address, dex: protocol, fee, creation } = pool
  const tokens = poolTokens(pool)
  const data: NonNullable<EdgeRow['pool']> = {
    network,
    address,
    protocol,
    fee_millionths: fee === 0 ? null : fee,
    tokens: tokens.map((token) => poolTokenFields(network, token, known.get(token))),
    ...creationFields(creation),
    liquidity_usd: null,
  }
  return {
    time: creation.timestamp,
    swap: null,
    pool: data,
    event: poolEvent(data, tokens),
    unknown: tokens.filter((token) => token !== ZERO_ADDRESS && !known.has(token)),
  }
}

function poolEvent(data: StreamData['pool'], tokens: readonly Address[]): EdgeEvent {
  const { network, protocol } = data
  return { name: 'pool', json: JSON.stringify(data), pool: { network, protocol, tokens } }
}

/** Returns the blocks with new pools whose values were not known when they were sent, with these values. */
export function valued(blocks: EdgeBlocks, values: PoolValues): Map<number, readonly EdgeRow[]> {
  const changed = new Map<number, readonly EdgeRow[]>()
  for (const [number, rows] of blocks) {
    const now = rows.map((row) => withValue(row, values))
    if (now.some((row, at) => row !== rows[at])) changed.set(number, now)
  }
  return changed
}

function withValue(row: EdgeRow, values: PoolValues): EdgeRow {
  const { pool, event } = row
  const value = pool?.liquidity_usd === null ? values.get(pool.address) : undefined
  if (pool === null || value === undefined) return row
  const data = { ...pool, liquidity_usd: usdText(value) }
  return { ...row, pool: data, event: poolEvent(data, event.pool?.tokens ?? []) }
}

function tradeRow(swap: SwapWithHops, tokens: ReadonlyMap<Address, Token>, network: ListedNetwork): EdgeRow {
  const { sellToken, sellNative, buyToken, buyNative, time } = swap
  const named = [sellNative ? null : sellToken, buyNative ? null : buyToken]
  const row = swapOf(swap, tokens, network)
  const trade = { ...swap, row }
  return {
    time,
    swap: trade,
    pool: null,
    event: { name: 'swap', json: JSON.stringify(row), swap: trade },
    unknown: named.filter((token) => token !== null && !tokens.has(token)) as Address[],
  }
}

function liquidityRow(liquidity: FoundLiquidity, tokens: ReadonlyMap<Address, Token>): EdgeRow {
  const { time, coins } = liquidity
  const json = JSON.stringify(liquidityEventOf(liquidity, tokens))
  return {
    time,
    swap: null,
    pool: null,
    event: { name: 'liquidity', json, liquidity },
    unknown: coins.filter((coin) => coin !== ZERO_ADDRESS && !tokens.has(coin)),
  }
}
