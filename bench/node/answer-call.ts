import type { Address, Hex, PoolState } from '@dexfeed/dex'
import { type WalkingPool, type WorldToken, wordOf } from '../world/walking-pool.ts'
import type { World } from '../world/world.ts'
import { aggregate3, type Call, MULTICALL3 } from './aggregate3.ts'

const WORD = 64
/** Both ends of the whole range at spacing 60, where the one position of every V3 pool has its ticks. */
const EDGE_TICK = 887_220

/** Answers calls of the world's contracts; null: reverted. */
export function callAnswerer(world: World) {
  const pools = new Map(world.pools.map((pool) => [pool.address, pool]))
  const tokens = new Map(world.tokens.map((token) => [token.address, token]))
  const byTokens = new Map(world.pools.map((pool) => [keyOf(pool.factory, pool.token0, pool.token1), pool]))

  const call = ({ to, data }: Call, stateOf: (pool: WalkingPool) => PoolState): Hex | null => {
    if (to === MULTICALL3) return aggregate3(data, (inner) => call(inner, stateOf))
    if (to === world.v2Factory || to === world.v3Factory) {
      const [first, second] = [addressArgument(data, 0), addressArgument(data, 1)]
      const pool = byTokens.get(`${to} ${first < second ? `${first} ${second}` : `${second} ${first}`}`)
      const matches = pool !== undefined && (pool.tier === null || pool.tier.fee === intArgument(data, 2))
      return words(matches ? BigInt(pool.address) : 0n)
    }
    const token = tokens.get(to)
    if (token !== undefined) return tokenAnswer(token, data)
    const pool = pools.get(to)
    return pool === undefined ? '0x' : poolAnswer(pool, data, stateOf)
  }
  return call
}

function keyOf(factory: Address, { address: a }: WorldToken, { address: b }: WorldToken): string {
  return `${factory} ${a} ${b}`
}

function tokenAnswer({ symbol, decimals }: WorldToken, data: Hex): Hex | null {
  if (data.startsWith('0x313ce567')) return words(BigInt(decimals))
  if (!data.startsWith('0x95d89b41') && !data.startsWith('0x06fdde03')) return null
  const text = Buffer.from(symbol).toString('hex').padEnd(WORD, '0')
  return `0x${wordOf(32n)}${wordOf(BigInt(symbol.length))}${text}`
}

function poolAnswer(pool: WalkingPool, data: Hex, stateOf: (pool: WalkingPool) => PoolState): Hex | null {
  const { tier } = pool
  switch (data.slice(0, 10)) {
    case '0xc45a0155':
      return words(BigInt(pool.factory))
    case '0x0dfe1681':
      return words(BigInt(pool.token0.address))
    case '0xd21220a7':
      return words(BigInt(pool.token1.address))
  }
  const state = stateOf(pool)
  if (tier === null || state.kind === 'pair') {
    return data.startsWith('0x0902f1ac') && state.kind === 'pair' ? words(state.reserve0, state.reserve1, 0n) : null
  }
  switch (data.slice(0, 10)) {
    case '0xddca3f43':
      return words(BigInt(tier.fee))
    case '0xd0c93a7c':
      return words(BigInt(tier.tickSpacing))
    case '0x3850c7bd':
      return words(state.sqrtPriceX96, BigInt(state.tick), 0n, 1n, 1n, 0n, 1n)
    case '0x1a686502':
      return words(state.liquidity)
    case '0x5339c296':
      return words(bitmapOf(intArgument(data, 0), tier.tickSpacing))
    case '0xf30dba93':
      return tickAnswer(intArgument(data, 0), state.liquidity)
    default:
      return null
  }
}

function bitmapOf(word: number, tickSpacing: number): bigint {
  return [-EDGE_TICK, EDGE_TICK]
    .map((tick) => tick / tickSpacing)
    .filter((position) => position >> 8 === word)
    .reduce((bits, position) => bits | (1n << BigInt(position & 255)), 0n)
}

function tickAnswer(tick: number, liquidity: bigint): Hex {
  const net = tick === -EDGE_TICK ? liquidity : tick === EDGE_TICK ? -liquidity : 0n
  return words(net < 0n ? -net : net, net, 0n, 0n, 0n, 0n, 0n, net === 0n ? 0n : 1n)
}

function words(...values: readonly bigint[]): Hex {
  return `0x${values.map(wordOf).join('')}`
}

function addressArgument(data: Hex, index: number): Address {
  const start = 10 + index * WORD
  return `0x${data.slice(start + 24, start + WORD)}`
}

function intArgument(data: Hex, index: number): number {
  const end = 10 + (index + 1) * WORD
  return Number.parseInt(data.slice(end - 8, end), 16) | 0
}
