import type { Address, Hex, PoolState } from '@dexfeed/dex'
import { dataOf, wordOf } from '../world/events.ts'
import { edgeTick, type WalkingPool, type WorldToken } from '../world/walking-pool.ts'
import type { World } from '../world/world.ts'
import { aggregate3, type Call, MULTICALL3 } from './aggregate3.ts'
import { answerScan, type CodeCall } from './answer-scan.ts'

const WORD = 64

/** Answers calls of the world's contracts; null: reverted. */
export function callAnswerer(world: World) {
  const pools = new Map([...world.pools, ...world.unverified].map((pool) => [pool.address, pool]))
  const tokens = new Map(world.tokens.map((token) => [token.address, token]))
  const byTokens = new Map(world.pools.map((pool) => [keyOf(pool.factory, pool.token0, pool.token1), pool]))

  const call = (asked: Call | CodeCall, stateOf: (pool: WalkingPool) => PoolState): Hex | null => {
    if (!('to' in asked)) return answerScan(asked, (address) => ticksOf(pools.get(address), stateOf))
    const { to, data } = asked
    if (to === MULTICALL3) return aggregate3(data, (inner) => call(inner, stateOf))
    if (to === world.v2Factory || to === world.v3Factory) {
      const [first, second] = [addressArgument(data, 0), addressArgument(data, 1)]
      const pool = byTokens.get(`${to} ${first < second ? `${first} ${second}` : `${second} ${first}`}`)
      const matches = pool !== undefined && (pool.tier === null || pool.tier.fee === intArgument(data, 2))
      return dataOf(matches ? BigInt(pool.address) : 0n)
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
  if (data.startsWith('0x313ce567')) return dataOf(BigInt(decimals))
  if (!data.startsWith('0x95d89b41') && !data.startsWith('0x06fdde03')) return null
  const text = Buffer.from(symbol).toString('hex').padEnd(WORD, '0')
  return `0x${wordOf(32n)}${wordOf(BigInt(symbol.length))}${text}`
}

function poolAnswer(pool: WalkingPool, data: Hex, stateOf: (pool: WalkingPool) => PoolState): Hex | null {
  const { tier } = pool
  switch (data.slice(0, 10)) {
    case '0xc45a0155':
      return dataOf(BigInt(pool.factory))
    case '0x0dfe1681':
      return dataOf(BigInt(pool.token0.address))
    case '0xd21220a7':
      return dataOf(BigInt(pool.token1.address))
  }
  const state = stateOf(pool)
  if (tier === null || state.kind === 'pair') {
    return data.startsWith('0x0902f1ac') && state.kind === 'pair' ? dataOf(state.reserve0, state.reserve1, 0n) : null
  }
  switch (data.slice(0, 10)) {
    case '0xddca3f43':
      return dataOf(BigInt(tier.fee))
    case '0xd0c93a7c':
      return dataOf(BigInt(tier.tickSpacing))
    case '0x3850c7bd':
      return dataOf(state.sqrtPriceX96, BigInt(state.tick), 0n, 1n, 1n, 0n, 1n)
    case '0x1a686502':
      return dataOf(state.liquidity)
    case '0x5339c296':
      return dataOf(bitmapOf(intArgument(data, 0), tier.tickSpacing))
    case '0xf30dba93':
      return tickAnswer(intArgument(data, 0), edgeTick(tier.tickSpacing), state.liquidity)
    default:
      return null
  }
}

/** The one position of every V3 pool has its ticks at both ends of the whole range. */
function bitmapOf(word: number, tickSpacing: number): bigint {
  const edge = edgeTick(tickSpacing)
  return [-edge, edge]
    .map((tick) => tick / tickSpacing)
    .filter((position) => position >> 8 === word)
    .reduce((bits, position) => bits | (1n << BigInt(position & 255)), 0n)
}

function tickAnswer(tick: number, edge: number, liquidity: bigint): Hex {
  const net = tick === -edge ? liquidity : tick === edge ? -liquidity : 0n
  return dataOf(net < 0n ? -net : net, net, 0n, 0n, 0n, 0n, 0n, net === 0n ? 0n : 1n)
}

/** All of them at once; null: a pool without ticks, or none. */
function ticksOf(pool: WalkingPool | undefined, stateOf: (pool: WalkingPool) => PoolState) {
  if (pool === undefined || pool.tier === null) return null
  const state = stateOf(pool)
  if (state.kind === 'pair') return null
  const { liquidity } = state
  const edge = edgeTick(pool.tier.tickSpacing)
  return new Map([
    [-edge, { gross: liquidity, net: liquidity }],
    [edge, { gross: liquidity, net: -liquidity }],
  ])
}

function addressArgument(data: Hex, index: number): Address {
  const start = 10 + index * WORD
  return `0x${data.slice(start + 24, start + WORD)}`
}

function intArgument(data: Hex, index: number): number {
  const end = 10 + (index + 1) * WORD
  return Number.parseInt(data.slice(end - 8, end), 16) | 0
}
