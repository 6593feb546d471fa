import { type ContractCall, contractCall } from '../abi/contract-call.ts'
import type { Log } from '../chain/block.ts'
import type { Address, Hex } from '../chain/hex.ts'
import type { Dex } from '../pool.ts'
import { asToken, type Exchange, exchangeEvent, tokensNamed } from './exchange.ts'
import { NO_REFERENCES, type PoolCandidate, type PoolProof, type Protocol, type StateReading } from './protocol.ts'

export interface CoinCall {
  data(): Hex
  /** Empty if the result does not fit the pool's kind. */
  read(answer: Hex | null | undefined): readonly Address[]
}

/** Wraps a call for one coin or a list. */
export function coinsBy(call: ContractCall<[Address] | [readonly Address[]]>): CoinCall {
  return { data: () => call.data(), read: (answer) => call.read(answer)?.flat() ?? [] }
}

/** A pair's tokens, by Uniswap's function names. */
export const PAIR_TOKENS = ['function token0() view returns (address)', 'function token1() view returns (address)'].map(
  (token) => coinsBy(contractCall(token)),
)

export interface ListedVenue
  extends Pick<Protocol, 'kind' | 'about' | 'entry' | 'formulas' | 'holdsTokens' | 'liquidityLogs'> {
  /** Exchange readers by human-readable event ABI; null: impossible exchange. */
  events: Readonly<Record<string, (log: Log) => Exchange | null>>
  isListed: ContractCall<[boolean]>
  /** Pool calls that together return its coins in event order. */
  coins: readonly CoinCall[]
  /** Absent: not quoted. */
  state?: StateReading
}

/** A pool's coins are those it returns plus those in its events, because some pools take coins in and out. */
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

/** The factory must list the pool, which returns its coins. */
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
  // A gap would shift later coins.
  const own = coinLists.some((coins) => coins.length === 0) ? [] : coinLists.flat().map(asToken)
  const coins = [...new Set([...own, ...tokensNamed(events)])]
  const [token0, token1] = coins
  if (token0 === undefined || token1 === undefined) return null
  return { address: pool, dex, token0, token1, fee: 0, tickSpacing: null, coins }
}
