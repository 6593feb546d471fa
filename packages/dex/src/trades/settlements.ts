import { topicOf } from '../abi/fragment.ts'
import { addressTopic, addressWord, hasWords, uintWord, WORD } from '../abi/words.ts'
import type { Block, Log } from '../chain/block.ts'
import { type Address, type Hex, NATIVE_PLACEHOLDER, ZERO_ADDRESS } from '../chain/hex.ts'
import type { Settlement, SettlementKind } from '../deployments/deployment.ts'
import type { NetSwap } from './routes.ts'
import type { Leg } from './trade.ts'

/** What these events call the native coin. */
const COIN_ADDRESSES: readonly Address[] = [NATIVE_PLACEHOLDER, ZERO_ADDRESS]

/** What a settlement's event says of one order. */
export interface SettledOrder {
  account: Address
  /** Null where the event does not tell the tokens. */
  tokens: { sold: Address; bought: Address } | null
  /** Null where the event does not tell what the whole order gave and got. */
  amounts: { sold: bigint; bought: bigint } | null
}

interface SettlementEvent {
  topic: Hex
  read(log: Log): SettledOrder | null
}

const SWAPPED = told(
  'event Swapped(address sender, address srcToken, address dstToken, address dstReceiver, uint256 spentAmount, uint256 returnAmount)',
  (log) => orderOfWords(log, { account: 0, sold: 1, bought: 2, soldAmount: 4, boughtAmount: 5, words: 6 }),
)

const EVENTS: Readonly<Record<SettlementKind, SettlementEvent>> = {
  // GPv2Settlement
  cow: told(
    'event Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)',
    (log) => orderOf(log, { account: 1, words: 2 }),
  ),
  // ExchangeProxy
  zeroex: told(
    'event TransformedERC20(address indexed taker, address inputToken, address outputToken, uint256 inputTokenAmount, uint256 outputTokenAmount)',
    (log) => orderOf(log, { account: 1, words: 2, amounts: [2, 3] }),
  ),
  // Augustus
  'paraswap-v5': told(
    'event SwappedV3(bytes16 uuid, address partner, uint256 feePercent, address initiator, address indexed beneficiary, address indexed srcToken, address indexed destToken, uint256 srcAmount, uint256 receivedAmount, uint256 expectedAmount)',
    (log) => orderOf(log, { account: 1, sold: 2, bought: 3, words: 0, amounts: [4, 5] }),
  ),
  // Reactors
  uniswapx: told(
    'event Fill(bytes32 indexed orderHash, address indexed filler, address indexed swapper, uint256 nonce)',
    (log) => orderOf(log, { account: 3, words: 0 }),
  ),
  // OdosRouterV2
  'odos-v2': told(
    'event Swap(address sender, uint256 inputAmount, address inputToken, uint256 amountOut, address outputToken, int256 slippage, uint32 referralCode)',
    (log) => orderOfWords(log, { account: 0, sold: 2, bought: 4, soldAmount: 1, boughtAmount: 3, words: 7 }),
  ),
  kyberswap: SWAPPED,
  '1inch-v3': SWAPPED,
}

function told(event: string, read: SettlementEvent['read']): SettlementEvent {
  return { topic: topicOf(event), read }
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
    // A settlement that trades over another one is not who it trades for.
    if (order === null || settlements.some(({ address }) => address === order.account)) continue
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

/**
 * The ends of a route that began or ended at an exchange that is not read, as the transaction's only order tells them:
 * the order is over one of the swap's tokens, and the other one is the coin. (A stablecoin there would be the value, which
 * is never taken from what is no pool.) Null: the swap's own ends are right, or nothing says what they were.
 */
export function endsOfOrder(
  { sell, buy }: { sell: Leg; buy: Leg },
  { tokens, amounts }: SettledOrder,
  wrappedNative: Address,
): { sell: Leg; buy: Leg } | null {
  if (tokens === null || amounts === null) return null
  const sold = orderLeg(tokens.sold, amounts.sold, wrappedNative)
  const bought = orderLeg(tokens.bought, amounts.bought, wrappedNative)
  const [isSold, isBought] = [sold.token === sell.token, bought.token === buy.token]
  if (isSold === isBought || sold.token === bought.token) return null
  const other = isSold ? bought : sold
  if (other.token !== wrappedNative || other.amount === 0n) return null
  return isSold ? { sell, buy: bought } : { sell: sold, buy }
}

function orderLeg(token: Address, amount: bigint, wrappedNative: Address): Leg {
  const native = COIN_ADDRESSES.includes(token)
  return { token: native ? wrappedNative : token, amount, native }
}

/** Where an event keeps what it says: indexed fields by their topic, others by their word. */
interface OrderPlaces {
  account: number
  sold?: number
  bought?: number
  /** How many tokens stand at the beginning of the data instead. */
  words: 0 | 2
  /** Words of the amounts sold and bought. */
  amounts?: readonly [number, number]
}

function orderOf({ topics, data }: Log, { account, sold, bought, words, amounts }: OrderPlaces): SettledOrder | null {
  const last = Math.max(words - 1, ...(amounts ?? []))
  if (topics[account] === undefined || data.length < 2 + (last + 1) * WORD) return null
  if (words === 2 && !(isAddressWord(data, 0) && isAddressWord(data, 1))) return null
  const tokens =
    words === 2
      ? { sold: addressWord(data, 0), bought: addressWord(data, 1) }
      : sold && bought && topics[sold] && topics[bought]
        ? { sold: addressTopic(topics, sold), bought: addressTopic(topics, bought) }
        : null
  return {
    account: addressTopic(topics, account),
    tokens,
    amounts: amounts === undefined ? null : { sold: uintWord(data, amounts[0]), bought: uintWord(data, amounts[1]) },
  }
}

/** An order all of whose fields are words of the data. */
function orderOfWords(
  { data }: Log,
  at: { account: number; sold: number; bought: number; soldAmount: number; boughtAmount: number; words: number },
): SettledOrder | null {
  if (!hasWords(data, at.words)) return null
  if (![at.account, at.sold, at.bought].every((place) => isAddressWord(data, place))) return null
  return {
    account: addressWord(data, at.account),
    tokens: { sold: addressWord(data, at.sold), bought: addressWord(data, at.bought) },
    amounts: { sold: uintWord(data, at.soldAmount), bought: uintWord(data, at.boughtAmount) },
  }
}

function isAddressWord(data: Hex, index: number): boolean {
  return uintWord(data, index) < 2n ** 160n
}
