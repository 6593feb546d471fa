import { type ContractCall, contractCall } from '../abi/contract-abi.ts'
import type { Address, Hex, Log } from '../chain.ts'
import type { Dex } from '../pool.ts'
import type { Exchange } from '../pool-event.ts'
import { asToken, exchangeEvent, tokensNamed } from './exchange.ts'
import { NO_REFERENCES, type PoolCandidate, type PoolProof, type Protocol, type StateReading } from './protocol.ts'

export interface CoinCall {
  data(): Hex
  read(answer: Hex | null | undefined): readonly Address[]
}

export function coinsBy(call: ContractCall<[Address] | [readonly Address[]]>): CoinCall {
  return { data: () => call.data(), read: (answer) => call.read(answer)?.flat() ?? [] }
}

export const PAIR_TOKENS = ['function token0() view returns (address)', 'function token1() view returns (address)'].map(
  (token) => coinsBy(contractCall(token)),
)

export interface ListedVenue
  extends Pick<Protocol, 'kind' | 'about' | 'entry' | 'formulas' | 'holdsTokens' | 'liquidityLogs'> {
  events: Readonly<Record<string, (log: Log) => Exchange | null>>
  isListed: ContractCall<[boolean]>
  /** Calls to a pool that together return its coins, in the order that its events use. */
  coins: readonly CoinCall[]
  state?: StateReading
}

/** A pool's coins are those that it returns plus those in its events, because some pools add and remove coins. */
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
  // If one call returned no coins, later coins would get wrong indices.
  const ownCoins = coinLists.some((coins) => coins.length === 0) ? [] : coinLists.flat().map(asToken)
  const coins = [...new Set([...ownCoins, ...tokensNamed(events)])]
  const [token0, token1] = coins
  if (token0 === undefined || token1 === undefined) return null
  return { address: pool, dex, token0, token1, fee: 0, tickSpacing: null, coins }
}
