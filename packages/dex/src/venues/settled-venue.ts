import { keccak256 } from 'ethers'
import type { ContractCall } from '../abi/contract-abi.ts'
import type { Address, Hex, Log } from '../chain.ts'
import type { Dex, DexKind, PoolAddress } from '../pool.ts'
import type { Exchange, ExchangeEvent } from '../pool-event.ts'
import { asToken, exchangeEvent, tokensNamed } from './exchange.ts'
import { emitterOf, idOf } from './managed-pool.ts'
import {
  type About,
  type EntryFields,
  NO_REFERENCES,
  type PoolCandidate,
  type PoolProof,
  type Protocol,
} from './protocol.ts'

export interface SettledTrade {
  sold: Address
  soldAmount: bigint
  bought: Address
  boughtAmount: bigint
}

export interface SettledVenue {
  kind: DexKind
  about: About
  /** Defaults to a field `exchange` that names the contract. */
  entry?: EntryFields
  events: Readonly<Record<string, (log: Log) => SettledTrade | null>>
  /** Asks the configured contract whether an emitter belongs to it. Absent if that contract emits the events itself. */
  isListed?: ContractCall<[boolean]>
  amountsReportedBy?: NonNullable<Protocol['amountsReportedBy']>
  isPartOfSwap?: NonNullable<Protocol['isPartOfSwap']>
}

/**
 * Trades use no pools, so each pair of tokens counts as a pool, whose address is the contract's followed by `pairId`.
 * The event contains the tokens, so a verified emitter proves the pool.
 */
export function settledVenue({ events, isListed, ...fields }: SettledVenue): Protocol {
  const { kind } = fields
  const decoders = Object.entries(events).map(([event, decode]) => {
    return [event, (log: Log) => asEvent(kind, log, decode(log))] as const
  })
  return {
    entry: { verifying: 'exchange' },
    ...fields,
    family: kind,
    events: Object.fromEntries(decoders),
    identity: { by: 'proof', prove: (candidate, dex) => proveSettled(candidate, dex, isListed) },
    state: null,
    ...NO_REFERENCES,
  }
}

/** Returns the hash of both addresses, the lower one first. */
export function pairId(tokenA: Address, tokenB: Address): Hex {
  const [lower, upper] = tokenA < tokenB ? [tokenA, tokenB] : [tokenB, tokenA]
  return keccak256(`${lower}${upper.slice(2)}`) as Hex
}

function asEvent(kind: DexKind, log: Log, trade: SettledTrade | null): ExchangeEvent | null {
  if (trade === null) return null
  const sold = asToken(trade.sold)
  const bought = asToken(trade.bought)
  const pool: PoolAddress = `${log.address}${pairId(sold, bought).slice(2)}`
  const { soldAmount, boughtAmount } = trade
  const exchange: Exchange = { sold: { token: sold }, soldAmount, bought: { token: bought }, boughtAmount }
  return exchangeEvent(kind, log, exchange, pool)
}

function* proveSettled(
  { pool, events }: PoolCandidate,
  dex: Dex,
  isListed: ContractCall<[boolean]> | undefined,
): PoolProof {
  const [token0, token1] = [...new Set(tokensNamed(events))].sort()
  if (token0 === undefined || token1 === undefined || pairId(token0, token1) !== idOf(pool)) return null
  const emitter = emitterOf(pool)
  if (isListed === undefined) {
    if (emitter !== dex.factory) return null
  } else {
    const [answer] = yield [{ to: dex.factory, data: isListed.data(emitter) }]
    if (isListed.read(answer)?.[0] !== true) return null
  }
  return { address: pool, dex, token0, token1, fee: 0, tickSpacing: null }
}
