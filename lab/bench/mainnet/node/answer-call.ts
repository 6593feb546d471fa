import type { Address, Hex } from '@dexfeed/dex'
import { aggregate3, type Call, MULTICALL3 } from '../../node/aggregate3.ts'
import { answerScan, type CodeCall } from '../../node/answer-scan.ts'
import type { MadeNetwork } from '../made/made-network.ts'
import { keyOf, lookupKey } from '../made/world/market.ts'
import { type MadePool, type MadeToken, word } from '../made/world/pool.ts'
import { dataOf, type MadeState } from '../made/world/pool-states.ts'

const WORD = 64
const TICKS_PER_WORD = 256
const SELECTORS = {
  factory: '0xc45a0155',
  token0: '0x0dfe1681',
  token1: '0xd21220a7',
  fee: '0xddca3f43',
  tickSpacing: '0xd0c93a7c',
  slot0: '0x3850c7bd',
  liquidity: '0x1a686502',
  tickBitmap: '0x5339c296',
  ticks: '0xf30dba93',
  getReserves: '0x0902f1ac',
  decimals: '0x313ce567',
  symbol: '0x95d89b41',
  name: '0x06fdde03',
  getPair: '0xe6a43905',
  getPool: '0x1698ee82',
} as const

/** What the contracts of a made chain answer at any of its blocks. */
export class Contracts {
  readonly #network: MadeNetwork
  readonly #pools = new Map<Address, { pool: MadePool; born: number }>()
  readonly #tokens = new Map<Address, MadeToken>()
  readonly #lookups = new Map<string, Address>()
  /** Later pools that are taken in. */
  #later = 0

  constructor(network: MadeNetwork) {
    this.#network = network
    const { wrappedNative, stablecoins, pools } = network.market
    for (const token of [wrappedNative, ...stablecoins]) this.#tokens.set(token.address, token)
    for (const pool of pools) this.#add(pool, 0)
  }

  /** The answer at the end of a block; null: reverted, '0x': no contract. */
  call(call: Call, block: number): Hex | null {
    this.#takeInLater()
    return this.#answer(call, block)
  }

  /** The answer of code that is run at the end of a block, where it is that of a scan of ticks. */
  run(code: CodeCall, block: number): Hex {
    this.#takeInLater()
    return answerScan(code, (address) => {
      const found = this.#pools.get(address)
      return found === undefined || found.born > block || found.pool.tickSpacing === 0 ? null : found.pool.ticks
    })
  }

  #takeInLater(): void {
    const later = this.#network.world.later.until(this.#network.head)
    for (; this.#later < later.length; this.#later++) {
      const made = later[this.#later]
      if (made !== undefined) this.#add(made.pool, made.born)
    }
  }

  #add(pool: MadePool, born: number): void {
    const { address, token0, token1 } = pool
    this.#pools.set(address, { pool, born })
    for (const token of [token0, token1]) this.#tokens.set(token.address, token)
    this.#lookups.set(keyOf(pool), address)
  }

  #answer({ to, data }: Call, block: number): Hex | null {
    if (to === MULTICALL3) return aggregate3(data, (inner) => this.#answer(inner, block))
    const token = this.#tokens.get(to)
    if (token !== undefined) return tokenAnswer(token, data)
    const found = this.#pools.get(to)
    if (found !== undefined) return found.born > block ? '0x' : this.#poolAnswer(found.pool, data, block)
    return Object.values(this.#network.market.factories).includes(to) ? this.#factoryAnswer(to, data, block) : '0x'
  }

  #factoryAnswer(factory: Address, data: Hex, block: number): Hex | null {
    const selector = data.slice(0, 10)
    if (selector !== SELECTORS.getPair && selector !== SELECTORS.getPool) return null
    const fee = selector === SELECTORS.getPool ? intArgument(data, 2) : 0
    const address = this.#lookups.get(lookupKey(factory, addressArgument(data, 0), addressArgument(data, 1), fee))
    const isThere = address !== undefined && (this.#pools.get(address)?.born ?? 0) <= block
    return dataOf(isThere ? BigInt(address) : 0n)
  }

  #poolAnswer(pool: MadePool, data: Hex, block: number): Hex | null {
    switch (data.slice(0, 10)) {
      case SELECTORS.factory:
        return dataOf(BigInt(pool.factory))
      case SELECTORS.token0:
        return dataOf(BigInt(pool.token0.address))
      case SELECTORS.token1:
        return dataOf(BigInt(pool.token1.address))
    }
    const state = this.#network.world.stateAt(pool, block)
    return state.kind === 'pair' ? pairAnswer(state, data) : concentratedAnswer(pool, state, data)
  }
}

function tokenAnswer({ symbol, decimals }: MadeToken, data: Hex): Hex | null {
  const selector = data.slice(0, 10)
  if (selector === SELECTORS.decimals) return dataOf(BigInt(decimals))
  if (selector !== SELECTORS.symbol && selector !== SELECTORS.name) return null
  return `0x${word(32)}${word(symbol.length)}${Buffer.from(symbol).toString('hex').padEnd(WORD, '0')}`
}

function pairAnswer({ reserve0, reserve1 }: Extract<MadeState, { kind: 'pair' }>, data: Hex): Hex | null {
  return data.startsWith(SELECTORS.getReserves) ? dataOf(reserve0, reserve1, 0n) : null
}

function concentratedAnswer(
  { fee, tickSpacing, ticks }: MadePool,
  { sqrtPriceX96, tick, liquidity }: Extract<MadeState, { kind: 'concentrated' }>,
  data: Hex,
): Hex | null {
  switch (data.slice(0, 10)) {
    case SELECTORS.fee:
      return dataOf(BigInt(fee))
    case SELECTORS.tickSpacing:
      return dataOf(BigInt(tickSpacing))
    case SELECTORS.slot0:
      return dataOf(sqrtPriceX96, BigInt(tick), 0n, 1n, 1n, 0n, 1n)
    case SELECTORS.liquidity:
      return dataOf(liquidity)
    case SELECTORS.tickBitmap:
      return dataOf(bitmapOf(ticks.keys(), tickSpacing, intArgument(data, 0)))
    case SELECTORS.ticks: {
      const { gross = 0n, net = 0n } = ticks.get(intArgument(data, 0)) ?? {}
      return dataOf(gross, net, 0n, 0n, 0n, 0n, 0n, gross === 0n ? 0n : 1n)
    }
    default:
      return null
  }
}

/** A word of the bitmap of initialised ticks (Uniswap V3 `TickBitmap.position`). */
function bitmapOf(ticks: Iterable<number>, tickSpacing: number, wanted: number): bigint {
  let bits = 0n
  for (const tick of ticks) {
    const position = tick / tickSpacing
    if (Math.floor(position / TICKS_PER_WORD) === wanted) bits |= 1n << BigInt(position & (TICKS_PER_WORD - 1))
  }
  return bits
}

function addressArgument(data: Hex, index: number): Address {
  const start = 10 + index * WORD
  return `0x${data.slice(start + 24, start + WORD).toLowerCase()}`
}

function intArgument(data: Hex, index: number): number {
  const end = 10 + (index + 1) * WORD
  return Number.parseInt(data.slice(end - 8, end), 16) | 0
}
