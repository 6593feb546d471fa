import type { PoolUpdate, VerifiedPool } from './pool-events.ts'

const Q96 = 2n ** 96n
const NEAR = 198
const PARTS = 20_000n
const SPACINGS: Readonly<Record<number, number>> = { 100: 1, 500: 10, 2500: 50, 3000: 60, 10000: 200 }
/** If more blocks than this have events before the last hour, only the last hour counts. */
const MANY = 500

export interface Moment {
  block: number
  timestamp: number
  price: readonly [numerator: bigint, denominator: bigint]
  near0: bigint
  near1: bigint
}

/**
 * Returns a pool's price and the money near it after these updates (docs/internals/usd.md, 1 and 2). Null without a
 * price.
 */
export function momentAfter(pool: VerifiedPool, updates: readonly PoolUpdate[], hourBlocks: number): Moment | null {
  const at = updates.findLastIndex(({ type }) => type !== 'liquidity')
  const price = updates[at]
  if (price === undefined || price.type === 'liquidity') return null
  const { block, timestamp } = price
  if (price.type === 'pair') {
    const { reserve0, reserve1 } = price
    const near = (reserve: bigint) => (reserve * BigInt(NEAR)) / PARTS
    return { block, timestamp, price: [reserve1, reserve0], near0: near(reserve0), near1: near(reserve1) }
  }
  const { tick, root } = price
  const since = (length: number) => (Math.floor(price.block / length) - 1) * length
  const long = updates.filter(({ block }) => block >= since(6 * hourBlocks))
  const before = new Set(long.map(({ block }) => block).filter((block) => block < since(hourBlocks)))
  const events = before.size > MANY ? updates.filter(({ block }) => block >= since(hourBlocks)) : long
  const lately = updates.filter(({ type, block }) => type === 'liquidity' && block >= since(hourBlocks))
  const parts = partsNear({ events, lately }, tick, SPACINGS[pool.fee] ?? 1)
  let [above, below, here] = [0n, 0n, 0n]
  for (const { from, to, liquidity } of parts) {
    if (to <= tick) below += liquidity * BigInt(to - from)
    else if (from > tick) above += liquidity * BigInt(to - from)
    else here = liquidity
  }
  const [floor, ceiling] = [rootAt(tick), rootAt(tick + 1)]
  return {
    block,
    timestamp,
    price: [root * root, Q96 * Q96],
    near0: (above * Q96) / (root * PARTS) + (here * Q96 * (ceiling - root)) / (ceiling * root),
    near1: (below * root) / (Q96 * PARTS) + (here * (root - floor)) / Q96,
  }
}

interface Range {
  lower: number
  upper: number
  liquidity?: bigint
  delta?: bigint
}

/** Splits the ticks near the price wherever liquidity may change. Returns the liquidity that counts in each part. */
function partsNear(
  { events, lately }: { events: readonly PoolUpdate[]; lately: readonly PoolUpdate[] },
  tick: number,
  spacing: number,
) {
  const rangesOf = (some: readonly PoolUpdate[]) =>
    some.flatMap((event): Range[] => {
      if (event.type === 'pair') return []
      if (event.type === 'liquidity') return [event]
      const lower = Math.floor(event.tick / spacing) * spacing
      return [{ lower, upper: lower + spacing, liquidity: event.liquidity }]
    })
  const [ranges, added] = [rangesOf(events), rangesOf(lately)]
  const [first, end] = [tick - NEAR, tick + NEAR + 1]
  const bounds = ranges.flatMap(({ lower, upper }) => [lower, upper]).filter((bound) => bound > first && bound < end)
  const cuts = [...new Set([first, tick, tick + 1, end, ...bounds])].toSorted((a, b) => a - b)
  return cuts.slice(1).map((to, index) => {
    const from = cuts[index] ?? to
    const [known, young] = [standingIn(ranges, from, to), standingIn(added, from, to)]
    return { from, to, liquidity: known - ((young < known ? young : known) * 19n) / 20n }
  })
}

function standingIn(ranges: readonly Range[], from: number, to: number): bigint {
  let standing = 0n
  for (const { lower, upper, liquidity, delta = 0n } of ranges) {
    if (lower > from || upper < to) continue
    const next = liquidity ?? standing + delta
    standing = next > 0n ? next : 0n
  }
  return standing
}

/** 2^128 / 1.0001^(2^i / 2), from Uniswap V3's TickMath. */
const ROOTS = [
  0xfffcb933bd6fad37aa2d162d1a594001n,
  0xfff97272373d413259a46990580e213an,
  0xfff2e50f5f656932ef12357cf3c7fdccn,
  0xffe5caca7e10e4e61c3624eaa0941cd0n,
  0xffcb9843d60f6159c9db58835c926644n,
  0xff973b41fa98c081472e6896dfb254c0n,
  0xff2ea16466c96a3843ec78b326b52861n,
  0xfe5dee046a99a2a811c461f1969c3053n,
  0xfcbe86c7900a88aedcffc83b479aa3a4n,
  0xf987a7253ac413176f2b074cf7815e54n,
  0xf3392b0822b70005940c7a398e4b70f3n,
  0xe7159475a2c29b7443b29c7fa6e889d9n,
  0xd097f3bdfd2022b8845ad8f792aa5825n,
  0xa9f746462d870fdf8a65dc1f90e061e5n,
  0x70d869a156d2a1b890bb3df62baf32f7n,
  0x31be135f97d08fd981231505542fcfa6n,
  0x9aa508b5b7a84e1c677de54f3e99bc9n,
  0x5d6af8dedb81196699c329225ee604n,
  0x2216e584f5fa1ea926041bedfe98n,
  0x48a170391f7dc42444e8fa2n,
]

function rootAt(tick: number): bigint {
  const ratio = ROOTS.reduce(
    (product, root, bit) => ((Math.abs(tick) >> bit) & 1 ? (product * root) >> 128n : product),
    1n << 128n,
  )
  const signed = tick > 0 ? (2n ** 256n - 1n) / ratio : ratio
  return (signed + 2n ** 32n - 1n) >> 32n
}
