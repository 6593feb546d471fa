import { topicOf } from '../../abi/fragment.ts'
import { addressTopic, addressWord, hasWords, hasWordsAndLists, uintWord, WORD } from '../../abi/words.ts'
import type { Log } from '../../chain/block.ts'
import type { Address, Hex } from '../../chain/hex.ts'
import type { Settlement, SettlementKind } from '../../deployments/deployment.ts'

/** An event that names the account for which a contract acts. */
interface AccountEvent {
  topic: Hex
  /** Returns null if the log has another shape, or reports that nothing was done. */
  account(log: Log): Address | null
  /** Returns whether the account bought the coin itself. */
  buysCoin?(log: Log): boolean
}

/** An account for which a contract acted, by an event. */
export interface NamedAccount {
  account: Address
  /** All that it bought was the coin itself, according to its events. */
  buysCoin: boolean
}

/** The native coin in the events of settlements. */
const COIN: Address = `0x${'ee'.repeat(20)}`

const SWAPPED = eventNaming(
  'event Swapped(address sender, address srcToken, address dstToken, address dstReceiver, uint256 spentAmount, uint256 returnAmount)',
  ofWord(0, 6),
)

const USER_OPERATION_EVENT =
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)'
/** Emitted by an entry point at the end of each operation. */
export const USER_OPERATION = topicOf(USER_OPERATION_EVENT)

const EVENTS: Readonly<Record<SettlementKind, readonly AccountEvent[]>> = {
  // GPv2Settlement
  cow: [
    {
      ...eventNaming(
        'event Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)',
        ofTopic(1, 2),
      ),
      buysCoin: ({ data }) => data.length >= 2 + 6 * WORD && addressWord(data, 1) === COIN,
    },
  ],
  // ExchangeProxy
  zeroex: [
    eventNaming(
      'event TransformedERC20(address indexed taker, address inputToken, address outputToken, uint256 inputTokenAmount, uint256 outputTokenAmount)',
      ofTopic(1, 2),
    ),
  ],
  // Augustus
  'paraswap-v5': [
    eventNaming(
      'event SwappedV3(bytes16 uuid, address partner, uint256 feePercent, address initiator, address indexed beneficiary, address indexed srcToken, address indexed destToken, uint256 srcAmount, uint256 receivedAmount, uint256 expectedAmount)',
      ofTopic(1, 4),
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
    ),
    eventNaming(
      'event SwapMulti(address sender, uint256[] amountsIn, address[] tokensIn, uint256[] amountsOut, address[] tokensOut, uint32 referralCode)',
      ofWordBeforeLists(0, 6, [1, 2, 3, 4]),
    ),
  ],
  // OdosRouterV3
  'odos-v3': [
    eventNaming(
      'event Swap(address sender, uint256 inputAmount, address inputToken, uint256 amountOut, address outputToken, int256 slippage, uint64 referralCode, uint64 referralFee, address referralFeeRecipient)',
      ofWord(0, 9),
    ),
    eventNaming(
      'event SwapMulti(address sender, uint256[] amountsIn, address[] tokensIn, uint256[] amountsOut, address[] tokensOut, int256[] slippage, uint64 referralCode, uint64 referralFee, address referralFeeRecipient)',
      ofWordBeforeLists(0, 9, [1, 2, 3, 4, 5]),
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

function eventNaming(event: string, account: AccountEvent['account']): AccountEvent {
  return { topic: topicOf(event), account }
}

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
    const buysCoin = (event?.buysCoin?.(log) ?? false) && accounts.get(account)?.buysCoin !== false
    accounts.set(account, { account, buysCoin })
  }
  return [...accounts.values()].filter(({ account }) => !settlements.some(({ address }) => address === account))
}
