import type { Address, Hex, Log, Transaction } from '../../chain.ts'
import { Ledger } from './ledger.ts'
import {
  APPROVAL,
  DEPOSIT,
  POLYGON_COIN,
  type ReceiptFlows,
  SYSTEM_ADDRESS,
  TRANSFER,
  WITHDRAWAL,
} from './receipt-flows.ts'

/** Token and wrapper events; they never identify a venue. */
const TOKEN_EVENTS: ReadonlySet<Hex> = new Set([TRANSFER, APPROVAL, DEPOSIT, WITHDRAWAL])

export interface VenueEvent {
  emitter: Address
  topic: Hex
}

/**
 * Returns whether a receipt looks like a swap of its signer: one token out (or coins sent), another in, no single
 * items, no liquidity changes.
 */
export function isSwapLike({ from, value }: Transaction, flows: ReceiptFlows, wrappedNative: Address): boolean {
  if (from === null || flows.changesLiquidity || flows.transfers.length === 0) return false
  const { tokens, isUnclear, coins = -value } = new Ledger(flows, wrappedNative).of(from)
  const nets = [...tokens.values(), coins]
  const gave = nets.filter((net) => net < 0n).length
  return !isUnclear && gave === 1 && nets.filter((net) => net > 0n).length === 1
}

/**
 * Returns the event that best identifies the venue of a swap-like receipt, or null if only tokens emitted events.
 * Prefers the first event of a contract that both received and sent tokens (routers emit theirs after the pools), then
 * the last event of a contract that did either, then the last event of all.
 */
export function venueEvent(logs: readonly Log[], { transfers }: ReceiptFlows): VenueEvent | null {
  const paid = new Set(transfers.map(({ to }) => to))
  const paying = new Set(transfers.map(({ from }) => from))
  const isOfCoin = (emitter: Address) => emitter === SYSTEM_ADDRESS || emitter === POLYGON_COIN
  const events = logs.flatMap(({ address: emitter, topics: [topic] }) =>
    topic === undefined || TOKEN_EVENTS.has(topic) || isOfCoin(emitter) ? [] : [{ emitter, topic }],
  )
  return (
    events.find(({ emitter }) => paid.has(emitter) && paying.has(emitter)) ??
    events.findLast(({ emitter }) => paid.has(emitter) || paying.has(emitter)) ??
    events.at(-1) ??
    null
  )
}
