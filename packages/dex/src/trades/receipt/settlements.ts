import { topicOf } from '../../abi/fragment.ts'
import { addressTopic, addressWord, hasWords, uintWord } from '../../abi/words.ts'
import type { Log } from '../../chain/block.ts'
import type { Address, Hex } from '../../chain/hex.ts'
import type { Settlement, SettlementKind } from '../../deployments/deployment.ts'

/** An event that names the account that a contract acts for. */
interface AccountEvent {
  topic: Hex
  /** Null: it is not that event after all, or tells of nothing that was done. */
  account(log: Log): Address | null
}

const SWAPPED = told(
  'event Swapped(address sender, address srcToken, address dstToken, address dstReceiver, uint256 spentAmount, uint256 returnAmount)',
  ofWord(0, 6),
)

const EVENTS: Readonly<Record<SettlementKind, AccountEvent>> = {
  // GPv2Settlement
  cow: told(
    'event Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)',
    ofTopic(1, 2),
  ),
  // ExchangeProxy
  zeroex: told(
    'event TransformedERC20(address indexed taker, address inputToken, address outputToken, uint256 inputTokenAmount, uint256 outputTokenAmount)',
    ofTopic(1, 2),
  ),
  // Augustus
  'paraswap-v5': told(
    'event SwappedV3(bytes16 uuid, address partner, uint256 feePercent, address initiator, address indexed beneficiary, address indexed srcToken, address indexed destToken, uint256 srcAmount, uint256 receivedAmount, uint256 expectedAmount)',
    ofTopic(1, 4),
  ),
  // Reactors
  uniswapx: told(
    'event Fill(bytes32 indexed orderHash, address indexed filler, address indexed swapper, uint256 nonce)',
    ofTopic(3, 4),
  ),
  // OdosRouterV2
  'odos-v2': told(
    'event Swap(address sender, uint256 inputAmount, address inputToken, uint256 amountOut, address outputToken, int256 slippage, uint32 referralCode)',
    ofWord(0, 7),
  ),
  kyberswap: SWAPPED,
  '1inch-v3': SWAPPED,
  // EntryPoint; an operation that failed has done nothing
  erc4337: told(
    'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
    (log) => (hasWords(log.data, 4) && uintWord(log.data, 1) === 1n ? ofTopic(2, 4)(log) : null),
  ),
}

function told(event: string, account: AccountEvent['account']): AccountEvent {
  return { topic: topicOf(event), account }
}

/** The account is an indexed field; `count` topics in all. */
function ofTopic(index: number, count: number): AccountEvent['account'] {
  return ({ topics }) => (topics.length === count ? addressTopic(topics, index) : null)
}

/** The account is a word of the data, of so many. */
function ofWord(index: number, count: number): AccountEvent['account'] {
  return ({ data }) => (hasWords(data, count) && uintWord(data, index) < 2n ** 160n ? addressWord(data, index) : null)
}

/**
 * The accounts that configured contracts say they acted for in a transaction, each once. A contract that acts over
 * another one is not who it acts for.
 */
export function accountsBehind(logs: readonly Log[], settlements: readonly Settlement[]): Address[] {
  const accounts = new Set<Address>()
  for (const log of logs) {
    const kind = settlements.find(({ address }) => address === log.address)?.kind
    if (kind === undefined || log.topics[0] !== EVENTS[kind].topic) continue
    const account = EVENTS[kind].account(log)
    if (account !== null) accounts.add(account)
  }
  return [...accounts].filter((account) => !settlements.some(({ address }) => address === account))
}
