import { topicOf } from '../../abi/fragment.ts'
import { addressTopic, addressWord, hasWords, hasWordsAndLists, uintWord, WORD } from '../../abi/words.ts'
import type { Log } from '../../chain/block.ts'
import { type Address, type Hex, ZERO_ADDRESS } from '../../chain/hex.ts'
import type { Settlement, SettlementKind } from '../../deployments/deployment.ts'

/** An event that names the account for which a contract acts. */
interface AccountEvent {
  topic: Hex
  /** Returns null if the log has another shape, or reports that nothing was done. */
  account(log: Log): Address | null
  /** Returns the tokens of the account's trade, in a log that names an account. Absent: the event tells no tokens. */
  tokens?(log: Log): ToldTokens
}

interface ToldTokens {
  sold: readonly Address[]
  bought: readonly Address[]
}

/** An account for which a contract acted, by an event. */
export interface NamedAccount {
  account: Address
  /** What it sold and bought, according to its events. The coin has its own addresses there: `isTold`. */
  sold: ReadonlySet<Address>
  bought: ReadonlySet<Address>
  /** All that it bought was the coin itself, according to its events. */
  buysCoin: boolean
}

/** The native coin in the events of settlements; some use the zero address. */
const COIN: Address = `0x${'ee'.repeat(20)}`

/** Returns whether a token is among those that an event tells. The coin counts as its wrapper. */
export function isTold(token: Address, told: ReadonlySet<Address>, wrappedNative: Address): boolean {
  if (told.has(token)) return true
  return token === wrappedNative && (told.has(COIN) || told.has(ZERO_ADDRESS))
}

const SWAPPED = eventNaming(
  'event Swapped(address sender, address srcToken, address dstToken, address dstReceiver, uint256 spentAmount, uint256 returnAmount)',
  ofWord(0, 6),
  tokensInWords(1, 2),
)

const USER_OPERATION_EVENT =
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)'
/** Emitted by an entry point at the end of each operation. */
export const USER_OPERATION = topicOf(USER_OPERATION_EVENT)

const EVENTS: Readonly<Record<SettlementKind, readonly AccountEvent[]>> = {
  // GPv2Settlement
  cow: [
    eventNaming(
      'event Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)',
      ofTopic(1, 2),
      tokensInWords(0, 1),
    ),
  ],
  // ExchangeProxy
  zeroex: [
    eventNaming(
      'event TransformedERC20(address indexed taker, address inputToken, address outputToken, uint256 inputTokenAmount, uint256 outputTokenAmount)',
      ofTopic(1, 2),
      tokensInWords(0, 1),
    ),
  ],
  // Augustus
  'paraswap-v5': [
    eventNaming(
      'event SwappedV3(bytes16 uuid, address partner, uint256 feePercent, address initiator, address indexed beneficiary, address indexed srcToken, address indexed destToken, uint256 srcAmount, uint256 receivedAmount, uint256 expectedAmount)',
      ofTopic(1, 4),
      ({ topics }) => ({ sold: [addressTopic(topics, 2)], bought: [addressTopic(topics, 3)] }),
    ),
  ],
  // Reactors
  uniswapx: [
    eventNaming(
      'event Fill(bytes32 indexed orderHash, address indexed filler, address indexed swapper, uint256 nonce)',
      ofTopic(3, 4),
    ),
  ],
  // OdosRouterV2
  'odos-v2': [
    eventNaming(
      'event Swap(address sender, uint256 inputAmount, address inputToken, uint256 amountOut, address outputToken, int256 slippage, uint32 referralCode)',
      ofWord(0, 7),
      tokensInWords(2, 4),
    ),
    eventNaming(
      'event SwapMulti(address sender, uint256[] amountsIn, address[] tokensIn, uint256[] amountsOut, address[] tokensOut, uint32 referralCode)',
      ofWordBeforeLists(0, 6, [1, 2, 3, 4]),
      tokensInLists(2, 4),
    ),
  ],
  // OdosRouterV3
  'odos-v3': [
    eventNaming(
      'event Swap(address sender, uint256 inputAmount, address inputToken, uint256 amountOut, address outputToken, int256 slippage, uint64 referralCode, uint64 referralFee, address referralFeeRecipient)',
      ofWord(0, 9),
      tokensInWords(2, 4),
    ),
    eventNaming(
      'event SwapMulti(address sender, uint256[] amountsIn, address[] tokensIn, uint256[] amountsOut, address[] tokensOut, int256[] slippage, uint64 referralCode, uint64 referralFee, address referralFeeRecipient)',
      ofWordBeforeLists(0, 9, [1, 2, 3, 4, 5]),
      tokensInLists(2, 4),
    ),
  ],
  kyberswap: [SWAPPED],
  '1inch-v3': [SWAPPED],
  // EntryPoint; a failed operation has no effect.
  erc4337: [
    eventNaming(USER_OPERATION_EVENT, (log) =>
      hasWords(log.data, 4) && uintWord(log.data, 1) === 1n ? ofTopic(2, 4)(log) : null,
    ),
  ],
}

function eventNaming(
  event: string,
  account: AccountEvent['account'],
  tokens?: NonNullable<AccountEvent['tokens']>,
): AccountEvent {
  return { topic: topicOf(event), account, ...(tokens && { tokens }) }
}

/** The tokens are words of the data, if it is long enough. */
function tokensInWords(sold: number, bought: number): NonNullable<AccountEvent['tokens']> {
  return ({ data }) => {
    if (data.length < 2 + (Math.max(sold, bought) + 1) * WORD) return { sold: [], bought: [] }
    return { sold: [addressWord(data, sold)], bought: [addressWord(data, bought)] }
  }
}

/** The tokens are lists to which words of the data point; `account` has checked that these fit. */
function tokensInLists(sold: number, bought: number): NonNullable<AccountEvent['tokens']> {
  return ({ data }) => ({ sold: addressesAt(data, sold), bought: addressesAt(data, bought) })
}

function addressesAt(data: Hex, pointer: number): Address[] {
  const start = Number(uintWord(data, pointer)) / BYTES
  return Array.from({ length: Number(uintWord(data, start)) }, (_, at) => addressWord(data, start + 1 + at))
}

const BYTES = 32

/** The account is an indexed field of an event with `count` topics. */
function ofTopic(index: number, count: number): AccountEvent['account'] {
  return ({ topics }) => (topics.length === count ? addressTopic(topics, index) : null)
}

/** The account is a word of data with at least `count` words. */
function ofWord(index: number, count: number): AccountEvent['account'] {
  return ({ data }) => (hasWords(data, count) && uintWord(data, index) < 2n ** 160n ? addressWord(data, index) : null)
}

/** The same for data that continues with lists of words, to which some of the words point in that order. */
function ofWordBeforeLists(index: number, count: number, pointers: readonly number[]): AccountEvent['account'] {
  return ({ data }) => {
    return hasWordsAndLists(data, count, pointers) && uintWord(data, index) < 2n ** 160n
      ? addressWord(data, index)
      : null
  }
}

/** Returns the distinct accounts for which configured contracts acted, in event order, except settlement contracts. */
export function namedAccounts(logs: readonly Log[], settlements: readonly Settlement[]): NamedAccount[] {
  const accounts = new Map<Address, NamedAccount>()
  for (const log of logs) {
    const kind = settlements.find(({ address }) => address === log.address)?.kind
    const event = kind && EVENTS[kind].find(({ topic }) => topic === log.topics[0])
    const account = event?.account(log) ?? null
    if (account === null) continue
    const { sold, bought } = event?.tokens?.(log) ?? { sold: [], bought: [] }
    const before = accounts.get(account)
    accounts.set(account, {
      account,
      sold: new Set([...(before?.sold ?? []), ...sold]),
      bought: new Set([...(before?.bought ?? []), ...bought]),
      buysCoin: kind === 'cow' && bought[0] === COIN && before?.buysCoin !== false,
    })
  }
  return [...accounts.values()].filter(({ account }) => !settlements.some(({ address }) => address === account))
}
