import type { Result } from 'ethers'
import type { RecordedLog } from '../../chain-record.ts'
import { eventInterface } from '../../event-interface.ts'
import { parseExactly } from './parse-log.ts'

export interface Settlement {
  kind: string
  address: string
}

interface EventsOfKind {
  events: readonly string[]
  account: string
  tokens?: readonly [sold: string, bought: string][]
  /** The event's amount fields. A function computes what was bought, or null if that is unknown. */
  amounts?: readonly [sold: string, bought: string | ((event: Record<string, unknown>) => bigint | null)]
  tells?(event: Record<string, unknown>): boolean
}

/** Returns what ParaSwap paid, or null if it may have kept another part. */
function paidByAugustus({ partner, feePercent, receivedAmount, expectedAmount }: Record<string, unknown>) {
  const [code, received] = [BigInt(String(feePercent)), BigInt(String(receivedAmount))]
  const isFirst = code >> 248n === 1n
  const rate = BigInt(String(partner)) === 0n ? 0n : isFirst ? code % 2n ** 14n : code
  if (rate === 0n) return received <= BigInt(String(expectedAmount)) ? received : null
  const isOther = (code >> 15n) % 2n === 1n || (code >> 16n) % 2n === 1n
  return isFirst && !isOther && rate <= 100n ? received - (received * rate) / 10_000n : null
}

const EVENTS: Readonly<Record<string, EventsOfKind>> = {
  cow: {
    events: [
      'Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)',
    ],
    account: 'owner',
    tokens: [['sellToken', 'buyToken']],
    amounts: ['sellAmount', 'buyAmount'],
  },
  zeroex: {
    events: [
      'TransformedERC20(address indexed taker, address inputToken, address outputToken, uint256 inputTokenAmount, uint256 outputTokenAmount)',
    ],
    account: 'taker',
    tokens: [['inputToken', 'outputToken']],
    amounts: ['inputTokenAmount', 'outputTokenAmount'],
  },
  'paraswap-v5': {
    events: [
      'SwappedV3(bytes16 uuid, address partner, uint256 feePercent, address initiator, address indexed beneficiary, address indexed srcToken, address indexed destToken, uint256 srcAmount, uint256 receivedAmount, uint256 expectedAmount)',
      'SwappedDirect(bytes16 uuid, address partner, uint256 feePercent, address initiator, uint8 kind, address indexed beneficiary, address indexed srcToken, address indexed destToken, uint256 srcAmount, uint256 receivedAmount, uint256 expectedAmount)',
    ],
    account: 'beneficiary',
    tokens: [['srcToken', 'destToken']],
    amounts: ['srcAmount', paidByAugustus],
    tells: ({ kind = 0n }) => kind !== 1n && kind !== 5n,
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
    tokens: [
      ['inputToken', 'outputToken'],
      ['tokensIn', 'tokensOut'],
    ],
    amounts: ['inputAmount', 'amountOut'],
  },
  'odos-v3': {
    events: [
      'Swap(address sender, uint256 inputAmount, address inputToken, uint256 amountOut, address outputToken, int256 slippage, uint64 referralCode, uint64 referralFee, address referralFeeRecipient)',
      'SwapMulti(address sender, uint256[] amountsIn, address[] tokensIn, uint256[] amountsOut, address[] tokensOut, int256[] slippage, uint64 referralCode, uint64 referralFee, address referralFeeRecipient)',
    ],
    account: 'sender',
    tokens: [
      ['inputToken', 'outputToken'],
      ['tokensIn', 'tokensOut'],
    ],
    amounts: ['inputAmount', 'amountOut'],
  },
  kyberswap: {
    events: [
      'Swapped(address sender, address srcToken, address dstToken, address dstReceiver, uint256 spentAmount, uint256 returnAmount)',
    ],
    account: 'sender',
    tokens: [['srcToken', 'dstToken']],
    amounts: ['spentAmount', 'returnAmount'],
  },
  '1inch-v3': {
    events: [
      'Swapped(address sender, address srcToken, address dstToken, address dstReceiver, uint256 spentAmount, uint256 returnAmount)',
    ],
    account: 'sender',
    tokens: [['srcToken', 'dstToken']],
    amounts: ['spentAmount', 'returnAmount'],
  },
  '1inch-v5': {
    events: ['OrderFilled(address indexed maker, bytes32 orderHash, uint256 remaining)'],
    account: 'maker',
  },
  '1inch-v6': { events: ['OrderFilled(bytes32 orderHash, uint256 remainingAmount)'], account: '' },
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
const COIN = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

/** Returns the accounts that settlements name, except contracts that settle for others. */
export function accountsNamed(logs: readonly RecordedLog[], settlements: readonly Settlement[]): Set<string> {
  const named = logs.flatMap((log) => {
    return settlementsOf(log, settlements).flatMap(({ kind }) => {
      const event = read(log, kind)
      if (event === null || kind === '1inch-v6' || (kind === 'erc4337' && !event.getValue('success'))) return []
      return [String(event.getValue(EVENTS[kind]?.account ?? '')).toLowerCase()]
    })
  })
  return new Set(named.filter((account) => !settlements.some(({ address }) => address === account)))
}

/** Returns a limit order's maker, null if it names none, or undefined if the log is not a limit order. */
export function limitOrderIn(log: RecordedLog, settlements: readonly Settlement[]): string | null | undefined {
  const kinds = settlementsOf(log, settlements).map(({ kind }) => kind)
  if (kinds.includes('1inch-v6') && read(log, '1inch-v6') !== null) return null
  return kinds.includes('1inch-v5') ? [...accountsNamed([log], settlements)][0] : undefined
}

/** Tokens that events name, with the wrapper for the coin. */
export interface ToldTokens {
  sell: ReadonlySet<string>
  buy: ReadonlySet<string>
}

export function tokensTold(
  accounts: ReadonlySet<string>,
  logs: readonly RecordedLog[],
  settlements: readonly Settlement[],
  wrappedNative: string,
): ToldTokens {
  const [sell, buy] = [new Set<string>(), new Set<string>()]
  for (const log of logs) {
    if (![...accountsNamed([log], settlements)].some((account) => accounts.has(account))) continue
    for (const { kind } of settlementsOf(log, settlements)) {
      const event = read(log, kind)?.toObject() ?? {}
      for (const [sold, bought] of EVENTS[kind]?.tokens ?? []) {
        for (const [into, argument] of [
          [sell, sold],
          [buy, bought],
        ] as const) {
          if (!(argument in event)) continue
          for (const token of [event[argument]].flat()) into.add(coinAsWrapper(String(token), wrappedNative))
        }
      }
    }
  }
  return { sell, buy }
}

function coinAsWrapper(token: string, wrappedNative: string): string {
  const address = token.toLowerCase()
  return address === COIN || BigInt(address) === 0n ? wrappedNative : address
}

export interface OrderTold {
  owner: string
  isOfBatch: boolean
  sold: { token: string; amount: bigint; native: boolean }
  bought: { token: string; amount: bigint | null; native: boolean }
}

/**
 * Returns the orders that events show. Orders of settlement contracts count only if the contract sells users' coins.
 */
export function ordersTold(
  logs: readonly RecordedLog[],
  settlements: readonly Settlement[],
  wrappedNative: string,
): OrderTold[] {
  const kindOf = (address: string) =>
    settlements.find((settlement) => settlement.address === address)?.kind ?? 'cow-eth-flow'
  return logs.flatMap((log) =>
    settlementsOf(log, settlements).flatMap(({ kind }): OrderTold[] => {
      const { tokens: [names] = [], amounts, account, tells = () => true } = EVENTS[kind] ?? {}
      const event = read(log, kind)?.toObject() ?? {}
      if (names === undefined || amounts === undefined || account === undefined || !(names[0] in event)) return []
      if (!tells(event)) return []
      const owner = String(event[account]).toLowerCase()
      const end = (name: string, amount: bigint | null) => {
        const token = String(event[name]).toLowerCase()
        return { token: coinAsWrapper(token, wrappedNative), amount, native: token === COIN || BigInt(token) === 0n }
      }
      const amount = BigInt(event[amounts[0]])
      const got = amounts[1]
      const bought = end(names[1], typeof got === 'string' ? BigInt(event[got]) : got(event))
      const sold = { ...end(names[0], amount), amount }
      const isNone = amount === 0n || bought.amount === 0n || sold.token === bought.token
      return isNone || kindOf(owner) !== 'cow-eth-flow' ? [] : [{ owner, isOfBatch: kind === 'cow', sold, bought }]
    }),
  )
}

export function mayBeOrder(log: RecordedLog, settlements: readonly Settlement[]): boolean {
  return settlementsOf(log, settlements).some(
    ({ kind }) => !['erc4337', '1inch-v6'].includes(kind) && read(log, kind) !== null,
  )
}

export function operationEvent(log: RecordedLog, settlements: readonly Settlement[]) {
  if (!settlementsOf(log, settlements).some(({ kind }) => kind === 'erc4337')) return null
  if (parseExactly(BEGIN, log) !== null) return { begins: true as const }
  const event = read(log, 'erc4337')
  if (event === null) return null
  const account = String(event.getValue('sender')).toLowerCase()
  return { begins: false as const, account, success: Boolean(event.getValue('success')) }
}

function settlementsOf({ address }: RecordedLog, settlements: readonly Settlement[]): Settlement[] {
  return settlements.filter((settlement) => settlement.address === address)
}

function read(log: RecordedLog, kind: string): Result | null {
  const face = FACES.get(kind)
  return (face === undefined ? null : parseExactly(face, log))?.args ?? null
}
