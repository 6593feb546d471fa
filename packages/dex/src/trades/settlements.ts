import { addressTopic, addressWord, uintWord, WORD } from '../abi-words.ts'
import type { Block, Log } from '../block.ts'
import { type Address, type Hex, ZERO_ADDRESS } from '../hex.ts'
import type { NetSwap } from './routes.ts'

/** Every kind of settlement contract whose own event names the account that it trades for. */
export const SETTLEMENT_KINDS = ['cow', 'zeroex', 'paraswap-v5', 'uniswapx'] as const
export type SettlementKind = (typeof SETTLEMENT_KINDS)[number]

/** A settlement contract of a network. Its events count only from this address. */
export interface Settlement {
  kind: SettlementKind
  address: Address
}

/** What these events call the native coin. */
const COIN_ADDRESSES: readonly Address[] = [`0x${'ee'.repeat(20)}`, ZERO_ADDRESS]

/** What a settlement's event says of one order. */
export interface SettledOrder {
  account: Address
  /** Null where the event does not tell the tokens. */
  tokens: { sold: Address; bought: Address } | null
}

interface SettlementEvent {
  topic: Hex
  read(log: Log): SettledOrder | null
}

const EVENTS: Readonly<Record<SettlementKind, SettlementEvent>> = {
  // GPv2Settlement: Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)
  cow: {
    topic: '0xa07a543ab8a018198e99ca0184c93fe9050a79400a0a723441f84de1d972cc17',
    read: (log) => orderOf(log, { account: 1 }, 2),
  },
  // ExchangeProxy: TransformedERC20(address indexed taker, address inputToken, address outputToken, uint256 inputTokenAmount, uint256 outputTokenAmount)
  zeroex: {
    topic: '0x0f6672f78a59ba8e5e5b5d38df3ebc67f3c792e2c9259b8d97d7f00dd78ba1b3',
    read: (log) => orderOf(log, { account: 1 }, 2),
  },
  // Augustus: SwappedV3(bytes16 uuid, address partner, uint256 feePercent, address initiator, address indexed beneficiary, address indexed srcToken, address indexed destToken, uint256 srcAmount, uint256 receivedAmount, uint256 expectedAmount)
  'paraswap-v5': {
    topic: '0xe00361d207b252a464323eb23d45d42583e391f2031acdd2e9fa36efddd43cb0',
    read: (log) => orderOf(log, { account: 1, sold: 2, bought: 3 }, 0),
  },
  // Reactors: Fill(bytes32 indexed orderHash, address indexed filler, address indexed swapper, uint256 nonce)
  uniswapx: {
    topic: '0x78ad7ec0e9f89e74012afa58738b6b661c024cb0fd185ee2f616c0a28924bd66',
    read: (log) => orderOf(log, { account: 3 }, 0),
  },
}

/** First topics of the events of these settlement contracts. */
export function settlementTopics(settlements: readonly Settlement[]): Hex[] {
  return [...new Set(settlements.map(({ kind }) => EVENTS[kind].topic))]
}

/** The orders that the settlement contracts report, by transaction index. */
export function settledOrders(block: Block, settlements: readonly Settlement[]): Map<number, SettledOrder[]> {
  const orders = new Map<number, SettledOrder[]>()
  if (settlements.length === 0) return orders
  for (const log of block.logs) {
    const kind = settlements.find(({ address }) => address === log.address)?.kind
    if (kind === undefined || log.topics[0] !== EVENTS[kind].topic) continue
    const order = EVENTS[kind].read(log)
    if (order === null) continue
    const known = orders.get(log.transactionIndex)
    if (known === undefined) orders.set(log.transactionIndex, [order])
    else known.push(order)
  }
  return orders
}

/**
 * The account that a swap was settled for: that of the order over the same tokens, or of all the transaction's orders
 * where no order is over them; null where that leaves several.
 */
export function settledFor(
  { sold, bought }: Pick<NetSwap, 'sold' | 'bought'>,
  orders: readonly SettledOrder[],
  wrappedNative: Address,
): Address | null {
  const same = (token: Address, other: Address) =>
    token === other || (token === wrappedNative && COIN_ADDRESSES.includes(other))
  const fitting = orders.filter(({ tokens }) => tokens && same(sold, tokens.sold) && same(bought, tokens.bought))
  const accounts = new Set((fitting.length > 0 ? fitting : orders).map(({ account }) => account))
  const [only] = accounts
  return accounts.size === 1 && only !== undefined ? only : null
}

/** @param topics places of the indexed fields; tokens that are not indexed are the first two words */
function orderOf(
  { topics, data }: Log,
  places: { account: number; sold?: number; bought?: number },
  tokenWords: 0 | 2,
): SettledOrder | null {
  const account = topics[places.account]
  const [sold, bought] = [topics[places.sold ?? -1], topics[places.bought ?? -1]]
  if (account === undefined || data.length < 2 + 2 * WORD * (tokenWords / 2)) return null
  if (tokenWords === 2) {
    return isAddressWord(data, 0) && isAddressWord(data, 1)
      ? { account: addressTopic(account), tokens: { sold: addressWord(data, 0), bought: addressWord(data, 1) } }
      : null
  }
  const tokens = sold && bought ? { sold: addressTopic(sold), bought: addressTopic(bought) } : null
  return { account: addressTopic(account), tokens }
}

function isAddressWord(data: Hex, index: number): boolean {
  return data.length >= 2 + (index + 1) * WORD && uintWord(data, index) < 2n ** 160n
}
