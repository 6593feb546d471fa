import { type Address, type Log, NATIVE_PLACEHOLDER, ZERO_ADDRESS } from '../chain.ts'
import type { DexKind, PoolAddress } from '../pool.ts'
import type { CoinReference, Exchange, PoolEvent } from '../pool-event.ts'

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

export function coinsOf(isFirstSold: boolean): [CoinReference, CoinReference] {
  return isFirstSold ? [{ coin: 0 }, { coin: 1 }] : [{ coin: 1 }, { coin: 0 }]
}

export function tokensNamed(events: readonly PoolEvent[]): Address[] {
  return events.flatMap((event) =>
    event.type === 'exchange'
      ? [event.sold, event.bought].flatMap((coin) => ('token' in coin ? [coin.token] : []))
      : [],
  )
}
