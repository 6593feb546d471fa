import type { Address, BlockHeader, Hex, PoolState, PoolStateAt, PricedTrade, TickLiquidityAt } from '@dexfeed/dex'
import { madeRow } from '@dexfeed/dex/test/made-hop'
import type { IndexerStore } from '@dexfeed/store'
import { headCommit } from '@dexfeed/store/test/head-commit'
import { hexNumber } from '@dexfeed/test-setup/seed'

/** Four tokens, only the first one trusted, and a pair or a V3 pool between any two of them. */
export const TOKENS = [0, 1, 2, 3].map((at) => hexNumber(0x100 + at))
const ENDS = [0, 1, 2, 3].flatMap((a) => [0, 1, 2, 3].filter((b) => b > a).map((b) => [a, b] as const))
export const POOLS = ENDS.map(([a, b], at) =>
  at % 2 === 0 ? pool(0x900 + at, a, b, null) : pool(0xa00 + at, a, b, 60),
)
const TICKS = [-120, -60, 60, 120]
export const AMOUNT = 10n ** 18n
const START = 1_700_000_000

function pool(n: number, a: number, b: number, tickSpacing: number | null) {
  const dex = {
    name: 'made',
    kind: tickSpacing === null ? 'uniswap-v2' : 'uniswap-v3',
    factory: hexNumber(0xfac),
  } as const
  return {
    address: hexNumber(n),
    dex,
    token0: TOKENS[a] as Address,
    token1: TOKENS[b] as Address,
    fee: 3000,
    tickSpacing,
  }
}

/** The ticks that a draw changes: one of two lower and one of two upper ones, for any pool. */
const lowerOf = (draw: number) => TICKS[Math.floor(draw / POOLS.length) % 2] as number
const upperOf = (draw: number) => TICKS[2 + (Math.floor(draw / POOLS.length) % 2)] as number

function stateOf({ tickSpacing }: { tickSpacing: number | null }, draw: number): PoolState {
  // One in eleven is empty.
  const amount = tickSpacing === null && draw % 11 === 10 ? 0n : AMOUNT * BigInt(1 + (draw % 1_000))
  if (tickSpacing === null) return { kind: 'pair', reserve0: amount, reserve1: 3n * amount }
  return { kind: 'concentrated', sqrtPriceX96: 2n ** 96n + BigInt(draw), tick: 0, liquidity: amount }
}

/** Registers the network that a writer commits to. */
export function registerMarket(store: IndexerStore): Promise<unknown> {
  return store.register({
    genesisHash: hexNumber(0x99, 64),
    deployment: { wrappedNative: TOKENS[0] as Address },
    start: { number: 1, timestamp: START },
  })
}

/** Commits a random chain. */
export class MarketWriter {
  readonly #store: IndexerStore
  readonly #epoch: number
  #headers: BlockHeader[] = []
  #branch = 0
  #final = 0
  #pruned = -1

  constructor(store: IndexerStore, epoch: number) {
    this.#store = store
    this.#epoch = epoch
  }

  get #head(): number {
    return this.#headers.length
  }

  #header(number: number): BlockHeader {
    const hash = (n: number, branch: number): Hex => hexNumber((BigInt(branch) << 64n) + BigInt(n), 64)
    const below = this.#headers[number - 2]
    return {
      number,
      hash: hash(number, this.#branch),
      parentHash: below?.hash ?? hash(0, 0),
      timestamp: START + 60 * number,
    }
  }

  /** Commits a block with some states, ticks and a move, on the head or (with a depth) instead of the last blocks. */
  async commit(draws: readonly number[], depth = 0): Promise<void> {
    const ancestor = Math.max(this.#final, this.#head - depth)
    const rollbackTo = ancestor < this.#head ? ancestor : null
    if (rollbackTo !== null) this.#branch++
    this.#headers.length = ancestor
    const block = this.#header(ancestor + 1)
    this.#headers.push(block)
    const touched = new Map(draws.map((draw) => [POOLS[draw % POOLS.length]?.address, draw]))
    const poolStates: PoolStateAt[] = []
    const tickDeltas: TickLiquidityAt[] = []
    for (const each of POOLS) {
      const draw = touched.get(each.address)
      if (draw === undefined) continue
      const at = { pool: each.address, blockNumber: block.number }
      poolStates.push({ ...at, state: stateOf(each, draw) })
      if (each.tickSpacing === null) continue
      const liquidity = AMOUNT * BigInt(1 + (draw % 7))
      tickDeltas.push({ ...at, tick: lowerOf(draw), gross: liquidity, net: liquidity })
      tickDeltas.push({ ...at, tick: upperOf(draw), gross: liquidity, net: -liquidity })
    }
    const trades = draws.slice(0, 1).map((draw) => moving(block, draw))
    const live = { rollbackTo, finalNumber: this.#final, poolStates, tickDeltas }
    await this.#store.commitHead(headCommit(this.#epoch, [block], { pools: POOLS, trades }, live))
  }

  /** Replaces everything stored about a pool with a new reading of the chain. */
  async snapshot(draw: number): Promise<void> {
    const head = this.#headers.at(-1)
    const each = POOLS[draw % POOLS.length]
    if (head === undefined || each === undefined) return
    const at = { pool: each.address, blockNumber: head.number }
    const isEmpty = each.tickSpacing === null || draw % 5 === 4
    const ticks = isEmpty ? [] : [lowerOf(draw), upperOf(draw)]
    await this.#store.commitPoolStates({
      epoch: this.#epoch,
      headHash: head.hash,
      states: [{ ...at, state: stateOf(each, draw), readAt: head.number }],
      ticks: ticks.map((tick) => ({ ...at, tick, gross: AMOUNT, net: tick < 0 ? AMOUNT : -AMOUNT })),
    })
  }

  invalidate(draw: number): Promise<void> {
    const each = POOLS[draw % POOLS.length] as (typeof POOLS)[number]
    return this.#store.invalidate([{ pool: each.address, blockNumber: Math.max(0, this.#head - 1) }])
  }

  async settle(draw: number): Promise<void> {
    this.#final = Math.min(this.#head, this.#final + (draw % 4))
    await this.#store.noteFinal(this.#epoch, this.#final)
    this.#pruned = await this.#store.pruneStates(this.#pruned)
  }

  async drop(): Promise<void> {
    await this.#store.dropPoolStates(this.#epoch)
  }
}

/** Returns a trade that carries a token from one pool to another. */
function moving({ number, timestamp }: BlockHeader, draw: number): PricedTrade {
  const [token0, token1] = [TOKENS[0] as Address, TOKENS[1] as Address]
  return madeRow([], {
    blockNumber: number,
    timestamp,
    txHash: hexNumber(number, 64),
    trader: hexNumber(0xb0 + (draw % 5)),
    sell: { token: token0, amount: 1n, native: false },
    buy: { token: token1, amount: 1n, native: false },
    moves: [{ token: TOKENS[1 + (draw % 3)] as Address, isWhole: draw % 11 > 0 }],
  })
}
