import { Interface } from 'ethers'
import type { RecordedLog } from '../chain-record.ts'
import { parseExactly } from './parse-log.ts'

/** A contract that trades for others, as a deployment names it. */
export interface Settlement {
  kind: string
  address: string
}

/** What each kind says of a trade, and which of it is the account that it acted for. */
const SAYS: Readonly<Record<string, readonly [event: string, account: string]>> = {
  cow: [
    'Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)',
    'owner',
  ],
  zeroex: [
    'TransformedERC20(address indexed taker, address inputToken, address outputToken, uint256 inputTokenAmount, uint256 outputTokenAmount)',
    'taker',
  ],
  'paraswap-v5': [
    'SwappedV3(bytes16 uuid, address partner, uint256 feePercent, address initiator, address indexed beneficiary, address indexed srcToken, address indexed destToken, uint256 srcAmount, uint256 receivedAmount, uint256 expectedAmount)',
    'initiator',
  ],
  uniswapx: [
    'Fill(bytes32 indexed orderHash, address indexed filler, address indexed swapper, uint256 nonce)',
    'swapper',
  ],
  'odos-v2': [
    'Swap(address sender, uint256 inputAmount, address inputToken, uint256 amountOut, address outputToken, int256 slippage, uint32 referralCode)',
    'sender',
  ],
  kyberswap: [
    'Swapped(address sender, address srcToken, address dstToken, address dstReceiver, uint256 spentAmount, uint256 returnAmount)',
    'sender',
  ],
  '1inch-v3': [
    'Swapped(address sender, address indexed srcToken, address indexed dstToken, address dstReceiver, uint256 spentAmount, uint256 returnAmount)',
    'sender',
  ],
  erc4337: [
    'UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
    'sender',
  ],
}

const FACES = new Map(Object.entries(SAYS).map(([kind, [event]]) => [kind, new Interface([`event ${event}`])]))

/** The accounts for which configured settlements say that they acted, each once; not those that settle for others. */
export function accountsNamed(logs: readonly RecordedLog[], settlements: readonly Settlement[]): Set<string> {
  const named = logs.flatMap((log) =>
    settlements.filter(({ address }) => address === log.address).flatMap(({ kind }) => accountIn(log, kind)),
  )
  return new Set(named.filter((account) => !settlements.some(({ address }) => address === account)))
}

function accountIn(log: RecordedLog, kind: string): string[] {
  const face = FACES.get(kind)
  const told = face === undefined ? null : parseExactly(face, log)
  if (told === null || (kind === 'erc4337' && !told.args.getValue('success'))) return []
  return [String(told.args.getValue(SAYS[kind]?.[1] ?? '')).toLowerCase()]
}
