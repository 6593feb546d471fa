import type { Random } from '@dexfeed/devnet'
import type { Address } from '@dexfeed/dex'
import { addressOf } from '../digest.ts'
import type { Market, Pool } from '../market.ts'

/** A transaction to mine. On another branch it has the same hash but other amounts. */
export interface Intent {
  id: string
  sender: Address | null
  action:
    | {
        kind: 'route'
        pools: readonly Pool[]
        sells: Address
        milliUsd: number
        coin: 'none' | 'sold' | 'bought'
      }
    | { kind: 'liquidity'; pool: Pool; width: number; offset: number; share: number }
    | { kind: 'forgery' }
    | { kind: 'malformed'; pool: Pool }
    | { kind: 'state-sync' }
    | { kind: 'nothing' }
}

const SENDERS = 40

export function makeIntent(market: Market, pools: readonly Pool[], random: Random, id: string): Intent {
  const sender = addressOf(market.network, 'trader', random.integer(SENDERS))
  return { id, sender, action: makeAction(market, pools, random) }
}

function makeAction(market: Market, pools: readonly Pool[], random: Random): Intent['action'] {
  const dice = random.next()
  if (pools.length === 0 || dice < 0.1) return { kind: 'nothing' }
  if (dice < 0.14) return { kind: 'forgery' }
  if (dice < 0.17) return { kind: 'malformed', pool: random.pick(pools) }
  if (dice < 0.25) {
    const ranges = pools.filter(({ tickSpacing }) => tickSpacing !== null)
    if (ranges.length === 0) return { kind: 'nothing' }
    const [width, offset] = [1 + random.integer(6), random.integer(9) - 4]
    return { kind: 'liquidity', pool: random.pick(ranges), width, offset, share: random.integer(100) - 40 }
  }
  return makeRoute(market, pools, random)
}

function makeRoute({ wrapped }: Market, pools: readonly Pool[], random: Random): Intent['action'] {
  const first = random.pick(pools)
  const [sells, between] = random.next() < 0.5 ? [first.token0, first.token1] : [first.token1, first.token0]
  const onward = pools.filter((pool) => pool !== first && (pool.token0 === between || pool.token1 === between))
  const second = random.next() < 0.3 && onward.length > 0 ? random.pick(onward) : null
  const buys = second === null ? between : second.token0 === between ? second.token1 : second.token0
  const coin = random.next() < 0.5 ? 'none' : sells === wrapped ? 'sold' : buys === wrapped ? 'bought' : 'none'
  const milliUsd = 10_000 + random.integer(2_000_000)
  return { kind: 'route', pools: second === null ? [first] : [first, second], sells: sells.address, milliUsd, coin }
}
