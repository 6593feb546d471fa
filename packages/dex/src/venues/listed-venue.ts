import { type ContractCall, contractCall } from '../abi/contract-call.ts'
import type { Log } from '../chain/block.ts'
import type { Address, Hex } from '../chain/hex.ts'
import type { Dex } from '../pool.ts'
import { asToken, type Exchange, exchangeEvent, tokensNamed } from './exchange.ts'
import { NO_REFERENCES, type PoolCandidate, type PoolProof, type Protocol, type StateReading } from './protocol.ts'

/** A call that returns coins of a pool. */
export interface CoinCall {
  data(): Hex
  /** Returns an empty list if the result does not fit the pool's kind. */
  read(answer: Hex | null | undefined): readonly Address[]
}

/** Wraps a call that returns one coin, or a list of coins. */
export function coinsBy(call: ContractCall<[Address] | [readonly Address[]]>): CoinCall {
  return { data: () => call.data(), read: (answer) => call.read(answer)?.flat() ?? [] }
}

/** The two tokens of a pair, by Uniswap's function names. */
export const PAIR_TOKENS = ['function token0() view returns (address)', 'function token1() view returns (address)'].map(
  (token) => coinsBy(contractCall(token)),
)

/** A venue whose factory returns for any address whether that is one of its pools. */
export interface ListedVenue
  extends Pick<Protocol, 'kind' | 'about' | 'entry' | 'formulas' | 'holdsTokens' | 'liquidityLogs'> {
  /** Reads what a pool's log exchanges, by the event's human-readable ABI; null: an impossible exchange. */
  events: Readonly<Record<string, (log: Log) => Exchange | null>>
  isListed: ContractCall<[boolean]>
  /** Calls of the pool that together return its coins, in the order that its events use. */
  coins: readonly CoinCall[]
  /** Absent: trades are read, and the pools are not quoted. */
  state?: StateReading
}

/**
 * Returns the protocol of such a venue. A listed pool's coins are those
 * that it returns and those in its events, because some pools take coins in and out.
 */
export function listedVenue({ events, isListed, coins, state, ...fields }: ListedVenue): Protocol {
  const { kind } = fields
  const decoders = Object.entries(events).map(([event, decode]) => {
    const decodeEvent = (log: Log) => {
      const exchange = decode(log)
      return exchange && exchangeEvent(kind, log, exchange)
    }
    return [event, decodeEvent] as const
  })
  return {
    ...fields,
    family: kind,
    events: Object.fromEntries(decoders),
    identity: { by: 'proof', prove: (candidate, dex) => proveListed(candidate, dex, isListed, coins) },
    state: state ?? null,
    ...NO_REFERENCES,
  }
}

/** A pool is verified if the factory lists it; it returns its coins. */
export function* proveListed(
  { pool, events }: PoolCandidate,
  dex: Dex,
  isListed: ContractCall<[boolean]>,
  calls: readonly CoinCall[],
): PoolProof {
  const [listed, ...results] = yield [
    { to: dex.factory, data: isListed.data(pool) },
    ...calls.map((call) => ({ to: pool, data: call.data() })),
  ]
  if (isListed.read(listed)?.[0] !== true) return null
  const coinLists = calls.map((call, index) => call.read(results[index]))
  // A list with a gap would shift the coins after it.
  const own = coinLists.some((coins) => coins.length === 0) ? [] : coinLists.flat().map(asToken)
  const coins = [...new Set([...own, ...tokensNamed(events)])]
  const [token0, token1] = coins
  if (token0 === undefined || token1 === undefined) return null
  return { address: pool, dex, token0, token1, fee: 0, tickSpacing: null, coins }
}
