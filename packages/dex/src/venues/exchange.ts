import type { Log } from '../chain/block.ts'
import { type Address, NATIVE_PLACEHOLDER, ZERO_ADDRESS } from '../chain/hex.ts'
import type { DexKind, PoolAddress } from '../pool.ts'
import type { CoinReference, ExchangeEvent, PoolEvent } from '../pool-event.ts'

/** What was exchanged, by a venue's log, in base units. */
export type Exchange = Pick<ExchangeEvent, 'sold' | 'soldAmount' | 'bought' | 'boughtAmount' | 'recipient'>

/** Returns an exchange event: of the log's emitter, or of a pool whose address has more than its emitter. */
export function exchangeEvent(kind: DexKind, log: Log, exchange: Exchange, pool: PoolAddress = log.address) {
  const { transactionIndex, logIndex } = log
  return { type: 'exchange', family: kind, pool, transactionIndex, logIndex, ...exchange } as const
}

/** Returns a reference to a token; the placeholder of the native coin becomes the zero address. */
export function tokenNamed(address: Address): { token: Address } {
  return { token: asToken(address) }
}

/** As `tokenNamed`, but returns the address. */
export function asToken(address: Address): Address {
  return address === NATIVE_PLACEHOLDER ? ZERO_ADDRESS : address
}

/** Returns the two coins of a pool, in the order sold, bought. */
export function coinsOf(isFirstSold: boolean): [CoinReference, CoinReference] {
  return isFirstSold ? [{ coin: 0 }, { coin: 1 }] : [{ coin: 1 }, { coin: 0 }]
}

/** Returns the tokens that exchanges contain as addresses. */
export function tokensNamed(events: readonly PoolEvent[]): Address[] {
  return events.flatMap((event) =>
    event.type === 'exchange'
      ? [event.sold, event.bought].flatMap((coin) => ('token' in coin ? [coin.token] : []))
      : [],
  )
}
