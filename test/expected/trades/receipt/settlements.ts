import { Interface, type Result } from 'ethers'
import type { RecordedLog } from '../../chain-record.ts'
import { parseExactly } from './parse-log.ts'

/** A contract that trades for others, as a deployment names it. */
export interface Settlement {
  kind: string
  address: string
}

/** What each kind says of a trade, and which of it is the account that it acted for. */
const SAYS: Readonly<Record<string, { events: readonly string[]; account: string }>> = {
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
  Object.entries(SAYS).map(([kind, { events }]) => [kind, new Interface(events.map((event) => `event ${event}`))]),
)
const BEGIN = new Interface(['event BeforeExecution()'])
/** CoW Protocol's word for the coin. */
const COIN = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

/** The accounts for which configured settlements say that they acted, each once; not those that settle for others. */
export function accountsNamed(logs: readonly RecordedLog[], settlements: readonly Settlement[]): Set<string> {
  const named = logs.flatMap((log) => {
    return settlementsOf(log, settlements).flatMap(({ kind }) => {
      const told = read(log, kind)
      if (told === null || (kind === 'erc4337' && !told.getValue('success'))) return []
      return [String(told.getValue(SAYS[kind]?.account ?? '')).toLowerCase()]
    })
  })
  return new Set(named.filter((account) => !settlements.some(({ address }) => address === account)))
}

/** Whether all that names an account are trades of CoW Protocol in which it bought the coin. */
export function boughtCoins(account: string, logs: readonly RecordedLog[], settlements: readonly Settlement[]) {
  const naming = logs.filter((log) => accountsNamed([log], settlements).has(account))
  return naming.every((log) => {
    const told = settlementsOf(log, settlements).some(({ kind }) => kind === 'cow') ? read(log, 'cow') : null
    return String(told?.getValue('buyToken')).toLowerCase() === COIN
  })
}

/** What an entry point says of its operations: that they begin, or that one of an account ended. */
export function operationEvent(log: RecordedLog, settlements: readonly Settlement[]) {
  if (!settlementsOf(log, settlements).some(({ kind }) => kind === 'erc4337')) return null
  if (parseExactly(BEGIN, log) !== null) return { begins: true as const }
  const told = read(log, 'erc4337')
  if (told === null) return null
  const account = String(told.getValue('sender')).toLowerCase()
  return { begins: false as const, account, success: Boolean(told.getValue('success')) }
}

function settlementsOf({ address }: RecordedLog, settlements: readonly Settlement[]): Settlement[] {
  return settlements.filter((one) => one.address === address)
}

function read(log: RecordedLog, kind: string): Result | null {
  const face = FACES.get(kind)
  return (face === undefined ? null : parseExactly(face, log))?.args ?? null
}
