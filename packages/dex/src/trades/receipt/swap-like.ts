import { topicOf } from '../../abi/fragment.ts'
import type { Log, Transaction } from '../../chain/block.ts'
import type { Address, Hex } from '../../chain/hex.ts'
import { netsOf, type ReceiptFlows, SYSTEM_ADDRESS } from './receipt-flows.ts'

/** What tokens and wrappers emit: no venue is told by these. */
const OF_TOKENS: ReadonlySet<Hex> = new Set([
  topicOf('event Transfer(address indexed from, address indexed to, uint256 value)'),
  topicOf('event Approval(address indexed owner, address indexed spender, uint256 value)'),
  topicOf('event Deposit(address indexed dst, uint256 wad)'),
  topicOf('event Withdrawal(address indexed src, uint256 wad)'),
])

/** An event that stands for a swap somewhere: whose it was, and its first topic. */
export interface VenueEvent {
  emitter: Address
  topic: Hex
}

/**
 * Whether a receipt looks like a swap of its signer: one token out (or coins sent along and no token), another one in,
 * no single items, no liquidity that changed. Where coins are logged they count as a token, both ways.
 */
export function isSwapLike({ from, value }: Transaction, flows: ReceiptFlows, wrappedNative: Address): boolean {
  if (from === null || flows.changesLiquidity || flows.transfers.length === 0) return false
  const { tokens, isUnclear, coins = -value } = netsOf(from, flows, wrappedNative)
  const nets = [...tokens.values(), coins]
  const gave = nets.filter((net) => net < 0n).length
  return !isUnclear && gave === 1 && nets.filter((net) => net > 0n).length === 1
}

/**
 * The event by which the venue of a swap-like receipt would be told: of a contract through which tokens went in and out,
 * else of one that had a part in a transfer, else of any that is no token; of several the last, as contracts between
 * tell what they did behind the pools. Null: nothing but tokens spoke.
 */
export function venueEvent(logs: readonly Log[], { transfers }: ReceiptFlows): VenueEvent | null {
  const [paid, paying] = [new Set(transfers.map(({ to }) => to)), new Set(transfers.map(({ from }) => from))]
  const events = logs.flatMap(({ address: emitter, topics: [topic] }) =>
    topic === undefined || OF_TOKENS.has(topic) || emitter === SYSTEM_ADDRESS ? [] : [{ emitter, topic }],
  )
  return (
    events.find(({ emitter }) => paid.has(emitter) && paying.has(emitter)) ??
    events.findLast(({ emitter }) => paid.has(emitter) || paying.has(emitter)) ??
    events.at(-1) ??
    null
  )
}
