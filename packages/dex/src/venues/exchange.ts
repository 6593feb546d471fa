import { type Address, type Log, NATIVE_PLACEHOLDER, ZERO_ADDRESS } from '../chain.ts'
import type { DexKind, PoolAddress } from '../pool.ts'
import type { Exchange, PoolEvent } from '../pool-event.ts'

export function exchangeEvent(kind: DexKind, log: Log, exchange: Exchange, pool: PoolAddress = log.address) {
  const { transactionIndex, logIndex } = log
  return { type: 'exchange', family: kind, pool, transactionIndex, logIndex, ...exchange } as const
}

export function tokenNamed(address: Address): { token: Address } {
  return { token: asToken(address) }
}

/** Returns the token's address; the placeholder for the native coin becomes the zero address. */
export function asToken(address: Address): Address {
  return address === NATIVE_PLACEHOLDER ? ZERO_ADDRESS : address
}

/** Returns the exchange of a pool of two coins. */
export function exchangeOf(isFirstSold: boolean, soldAmount: bigint, boughtAmount: bigint): Exchange {
  const [sold, bought] = isFirstSold ? [0, 1] : [1, 0]
  return { sold: { coin: sold }, soldAmount, bought: { coin: bought }, boughtAmount }
}

/** Like `exchangeOf`, from what entered the pool of each coin. Returns null unless one entered and the other left. */
export function exchangeOfDeltas(delta0: bigint, delta1: bigint): Exchange | null {
  if (delta0 === 0n || delta1 === 0n || delta0 > 0n === delta1 > 0n) return null
  return delta0 > 0n ? exchangeOf(true, delta0, -delta1) : exchangeOf(false, delta1, -delta0)
}

export function tokensNamed(events: readonly PoolEvent[]): Address[] {
  return events.flatMap((event) =>
    event.type === 'exchange'
      ? [event.sold, event.bought].flatMap((coin) => ('token' in coin ? [coin.token] : []))
      : [],
  )
}
