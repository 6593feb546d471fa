import type { Result } from 'ethers'
import type { RecordedLog } from '../../chain-record.ts'
import { eventInterface } from '../../event-interface.ts'
import { parseExactly } from './parse-log.ts'

/** A contract that trades for other accounts, as a deployment names it. */
export interface Settlement {
  kind: string
  address: string
}

/** The events of each kind, and the argument that is the account it acted for. */
const EVENTS: Readonly<Record<string, { events: readonly string[]; account: string }>> = {
  cow: {
    events: [
      'Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)',
    ],
    account: 'owner',
  },
  zeroex: {
    events: [
      'TransformedERC20(address indexed taker, address inputToken, address outputToken, uint256 inputTokenAmount, uint256 outputTokenAmount)',
    ],
    account: 'taker',
  },
  'paraswap-v5': {
    events: [
      'SwappedV3(bytes16 uuid, address partner, uint256 feePercent, address initiator, address indexed beneficiary, address indexed srcToken, address indexed destToken, uint256 srcAmount, uint256 receivedAmount, uint256 expectedAmount)',
    ],
    account: 'initiator',
  },
  uniswapx: {
    events: ['Fill(bytes32 indexed orderHash, address indexed filler, address indexed swapper, uint256 nonce)'],
    account: 'swapper',
  },
  'odos-v2': {
    events: [
      'Swap(address sender, uint256 inputAmount, address inputToken, uint256 amountOut, address outputToken, int256 slippage, uint32 referralCode)',
      'SwapMulti(address sender, uint256[] amountsIn, address[] tokensIn, uint256[] amountsOut, address[] tokensOut, uint32 referralCode)',
    ],
    account: 'sender',
  },
  'odos-v3': {
    events: [
      'Swap(address sender, uint256 inputAmount, address inputToken, uint256 amountOut, address outputToken, int256 slippage, uint64 referralCode, uint64 referralFee, address referralFeeRecipient)',
      'SwapMulti(address sender, uint256[] amountsIn, address[] tokensIn, uint256[] amountsOut, address[] tokensOut, int256[] slippage, uint64 referralCode, uint64 referralFee, address referralFeeRecipient)',
    ],
    account: 'sender',
  },
  kyberswap: {
    events: [
      'Swapped(address sender, address srcToken, address dstToken, address dstReceiver, uint256 spentAmount, uint256 returnAmount)',
    ],
    account: 'sender',
  },
  '1inch-v3': {
    events: [
      'Swapped(address sender, address indexed srcToken, address indexed dstToken, address dstReceiver, uint256 spentAmount, uint256 returnAmount)',
    ],
    account: 'sender',
  },
  erc4337: {
    events: [
      'UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
    ],
    account: 'sender',
  },
}
const FACES = new Map(
  Object.entries(EVENTS).map(([kind, { events }]) => [kind, eventInterface(events.map((event) => `event ${event}`))]),
)
const BEGIN = eventInterface(['event BeforeExecution()'])
/** CoW Protocol's address for the coin. */
const COIN = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

/** Returns the accounts that configured settlements acted for, each once, except those that settle for others. */
export function accountsNamed(logs: readonly RecordedLog[], settlements: readonly Settlement[]): Set<string> {
  const named = logs.flatMap((log) => {
    return settlementsOf(log, settlements).flatMap(({ kind }) => {
      const event = read(log, kind)
      if (event === null || (kind === 'erc4337' && !event.getValue('success'))) return []
      return [String(event.getValue(EVENTS[kind]?.account ?? '')).toLowerCase()]
    })
  })
  return new Set(named.filter((account) => !settlements.some(({ address }) => address === account)))
}

/** Returns whether only CoW Protocol trades that bought the coin name an account. */
export function boughtCoins(account: string, logs: readonly RecordedLog[], settlements: readonly Settlement[]) {
  const naming = logs.filter((log) => accountsNamed([log], settlements).has(account))
  return naming.every((log) => {
    const event = settlementsOf(log, settlements).some(({ kind }) => kind === 'cow') ? read(log, 'cow') : null
    return String(event?.getValue('buyToken')).toLowerCase() === COIN
  })
}

/** Returns the event of an entry point: the operations begin, or one of an account has ended. */
export function operationEvent(log: RecordedLog, settlements: readonly Settlement[]) {
  if (!settlementsOf(log, settlements).some(({ kind }) => kind === 'erc4337')) return null
  if (parseExactly(BEGIN, log) !== null) return { begins: true as const }
  const event = read(log, 'erc4337')
  if (event === null) return null
  const account = String(event.getValue('sender')).toLowerCase()
  return { begins: false as const, account, success: Boolean(event.getValue('success')) }
}

function settlementsOf({ address }: RecordedLog, settlements: readonly Settlement[]): Settlement[] {
  return settlements.filter((one) => one.address === address)
}

function read(log: RecordedLog, kind: string): Result | null {
  const face = FACES.get(kind)
  return (face === undefined ? null : parseExactly(face, log))?.args ?? null
}
