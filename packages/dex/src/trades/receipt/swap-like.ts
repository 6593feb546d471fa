import { topicOf } from '../../abi/fragment.ts'
import type { Log, Transaction } from '../../chain/block.ts'
import type { Address, Hex } from '../../chain/hex.ts'
import { POLYGON_COIN, SYSTEM_ADDRESS } from './coin-transfers.ts'
import { Ledger } from './ledger.ts'
import type { ReceiptFlows } from './receipt-flows.ts'

/** Token and wrapper events; they never identify a venue. */
const OF_TOKENS: ReadonlySet<Hex> = new Set([
  topicOf('event Transfer(address indexed from, address indexed to, uint256 value)'),
  topicOf('event Approval(address indexed owner, address indexed spender, uint256 value)'),
  topicOf('event Deposit(address indexed dst, uint256 wad)'),
  topicOf('event Withdrawal(address indexed src, uint256 wad)'),
])

/** An event that probably reports a swap: its emitter and first topic. */
export interface VenueEvent {
  emitter: Address
  topic: Hex
}

/**
 * Returns whether a receipt looks like a swap of its signer: one token out (or coins sent and no token), another one
 * in, no single items, and no changed liquidity. Logged coins count as a token, in both directions.
 */
export function isSwapLike({ from, value }: Transaction, flows: ReceiptFlows, wrappedNative: Address): boolean {
  if (from === null || flows.changesLiquidity || flows.transfers.length === 0) return false
  const { tokens, isUnclear, coins = -value } = new Ledger(flows, wrappedNative).of(from)
  const nets = [...tokens.values(), coins]
  const gave = nets.filter((net) => net < 0n).length
  return !isUnclear && gave === 1 && nets.filter((net) => net > 0n).length === 1
}

/**
 * Returns the event that best identifies the venue of a swap-like receipt. Null if only tokens emitted events.
 * Preferred, in this order:
 *
 * 1. the first event of a contract through which tokens went in and out.
 * 2. the last event of a contract that took part in a transfer.
 * 3. the last event of any contract that is not a token.
 *
 * The last one, because routers emit their events after the pools.
 */
export function venueEvent(logs: readonly Log[], { transfers }: ReceiptFlows): VenueEvent | null {
  const paid = new Set(transfers.map(({ to }) => to))
  const paying = new Set(transfers.map(({ from }) => from))
  const isOfCoin = (emitter: Address) => emitter === SYSTEM_ADDRESS || emitter === POLYGON_COIN
  const events = logs.flatMap(({ address: emitter, topics: [topic] }) =>
    topic === undefined || OF_TOKENS.has(topic) || isOfCoin(emitter) ? [] : [{ emitter, topic }],
  )
  return (
    events.find(({ emitter }) => paid.has(emitter) && paying.has(emitter)) ??
    events.findLast(({ emitter }) => paid.has(emitter) || paying.has(emitter)) ??
    events.at(-1) ??
    null
  )
}
