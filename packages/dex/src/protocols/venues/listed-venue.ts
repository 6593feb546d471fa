import { type ContractCall, contractCall } from '../../abi/contract-call.ts'
import type { Log } from '../../chain/block.ts'
import type { Address, Hex } from '../../chain/hex.ts'
import type { Dex, DexKind } from '../../pool.ts'
import type { ExchangeEvent } from '../../pool-event.ts'
import { tokensNamed } from '../balancer/balancer-v2.ts'
import { NO_REFERENCES, type PoolCandidate, type PoolProof, type Protocol } from '../protocol.ts'
import { asToken, type Exchange, exchangeEvent } from './exchange.ts'

/** A question for coins of a pool. */
export interface CoinQuestion {
  data(): Hex
  /** Empty where the pool does not answer as its kind should. */
  read(answer: Hex | null | undefined): readonly Address[]
}

/** A call that answers one coin, or a list of coins. */
export function coinsBy(call: ContractCall<[Address] | [readonly Address[]]>): CoinQuestion {
  return { data: () => call.data(), read: (answer) => call.read(answer)?.flat() ?? [] }
}

/** The two tokens of a pair, by the names that Uniswap gave them. */
export const PAIR_TOKENS = ['function token0() view returns (address)', 'function token1() view returns (address)'].map(
  (token) => coinsBy(contractCall(token)),
)

/** A venue whose pools are contracts that a factory lists: it answers for any address whether that is a pool of its. */
export interface ListedVenue {
  kind: DexKind
  /** What a pool's log exchanges, by the event's human-readable ABI; null: nothing that can be. */
  events: Readonly<Record<string, (log: Log) => Exchange | null>>
  /** Asks the factory about a pool. */
  isListed: ContractCall<[boolean]>
  /** Asked of the pool; together they tell its coins, in the order that its events count. */
  coins: readonly CoinQuestion[]
}

/**
 * The protocol of such a venue. Its pools' trades are read, the pools are not quoted. Coins that a listed pool names in
 * its events are its own beside those that it tells: some take coins in and out.
 */
export function listedVenue({ kind, events, isListed, coins }: ListedVenue): Protocol {
  const decoders = Object.entries(events).map(([event, decode]) => {
    return [event, (log: Log) => asEvent(kind, log, decode(log))] as const
  })
  return {
    kind,
    family: kind,
    events: Object.fromEntries(decoders),
    identity: { by: 'proof', prove: (candidate, dex) => proveListed(candidate, dex, isListed, coins) },
    state: null,
    ...NO_REFERENCES,
  }
}

function asEvent(kind: DexKind, log: Log, exchange: Exchange | null): ExchangeEvent | null {
  return exchange && exchangeEvent(kind, log, exchange)
}

/** A pool is one that the factory lists; it tells its coins. */
export function* proveListed(
  { pool, events }: PoolCandidate,
  dex: Dex,
  isListed: ContractCall<[boolean]>,
  questions: readonly CoinQuestion[],
): PoolProof {
  const [listed, ...told] = yield [
    { to: dex.factory, data: isListed.data(pool) },
    ...questions.map((question) => ({ to: pool, data: question.data() })),
  ]
  if (isListed.read(listed)?.[0] !== true) return null
  const answers = questions.map((question, index) => question.read(told[index]))
  // A list with a gap would count the coins behind it wrongly.
  const own = answers.some((answer) => answer.length === 0) ? [] : answers.flat().map(asToken)
  const coins = [...new Set([...own, ...tokensNamed(events)])]
  const [token0, token1] = coins
  if (token0 === undefined || token1 === undefined) return null
  return { address: pool, dex, token0, token1, fee: 0, tickSpacing: null, coins }
}
