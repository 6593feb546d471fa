import { wordOf } from '../abi/words.ts'
import type { Address, Hex, Log } from '../chain.ts'
import type { Dex, DexKind } from '../pool.ts'
import type { ExchangeEvent } from '../pool-event.ts'
import { asToken, exchangeEvent, exchangeOf } from './exchange.ts'
import { emitterOf, idOf } from './managed-pool.ts'
import {
  type About,
  type EthCall,
  NO_REFERENCES,
  type PoolCandidate,
  type PoolProof,
  type Protocol,
} from './protocol.ts'

export interface LaunchTrade {
  token: Address
  isTokenSold: boolean
  tokenAmount: bigint
  quoteAmount: bigint
}

export interface Launchpad {
  kind: DexKind
  about: About
  events: Readonly<Record<string, (log: Log) => LaunchTrade | null>>
  /** The contract's call for a token's quote token. `read` returns null if the contract did not launch the token. */
  quoteToken: {
    data(token: Address): Hex
    read(answer: Hex | null | undefined, token: Address): Address | null
  }
}

/**
 * The configured contract emits the events. Each token's curve counts as a pool, whose address is the contract's
 * followed by the token as a word.
 */
export function launchpad({ kind, about, events, quoteToken }: Launchpad): Protocol {
  const decoders = Object.entries(events).map(([event, decode]) => {
    return [event, (log: Log) => asEvent(kind, log, decode(log))] as const
  })
  return {
    kind,
    about,
    family: kind,
    entry: { verifying: 'exchange' },
    events: Object.fromEntries(decoders),
    identity: { by: 'proof', prove: (candidate, dex) => proveLaunch(candidate, dex, quoteToken) },
    state: null,
    ...NO_REFERENCES,
  }
}

function asEvent(kind: DexKind, log: Log, trade: LaunchTrade | null): ExchangeEvent | null {
  if (trade === null) return null
  const { token, isTokenSold, tokenAmount, quoteAmount } = trade
  const exchange = isTokenSold
    ? exchangeOf(true, tokenAmount, quoteAmount)
    : exchangeOf(false, quoteAmount, tokenAmount)
  return exchangeEvent(kind, log, exchange, `${log.address}${wordOf(token)}`)
}

function* proveLaunch({ pool }: PoolCandidate, dex: Dex, quoteToken: Launchpad['quoteToken']): PoolProof {
  if (emitterOf(pool) !== dex.factory) return null
  const token: Address = `0x${idOf(pool).slice(-40)}`
  const call: EthCall = { to: dex.factory, data: quoteToken.data(token) }
  const [answer] = yield [call]
  const quote = quoteToken.read(answer, token)
  if (quote === null || asToken(quote) === token) return null
  const coins = [token, asToken(quote)] as const
  return { address: pool, dex, token0: coins[0], token1: coins[1], fee: 0, tickSpacing: null, coins }
}
