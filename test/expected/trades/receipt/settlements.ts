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
  payer?: string
  /** The event's amounts, or the fields that hold them. An unknown amount is null. */
  amounts?: readonly [sold: string, bought: string] | ((event: Record<string, unknown>, name: string) => Amounts)
}

type Amounts = [sold: bigint | null, bought: bigint | null]

function amountsOfAugustus(event: Record<string, unknown>, name: string): Amounts {
  const field = (key: string) => BigInt(String(event[key]))
  const [code, paid, received, expected] = ['feePercent', 'srcAmount', 'receivedAmount', 'expectedAmount'].map(field)
  if (code === undefined || paid === undefined || received === undefined || expected === undefined) return [null, null]
  const isPurchase = name === 'BoughtV3' || event.kind === 1n || event.kind === 5n
  const [isFirst, hasPartner] = [code >> 248n === 1n, field('partner') !== 0n]
  if (hasPartner && code !== 0n && !isFirst) return [paid, null]
  const rate = hasPartner ? code % 2n ** 14n : 0n
  const isOfSold = isFirst && (code >> 15n) % 2n === 1n
  const isShared = (code >> 16n) % 2n === 1n
  if (rate > 0n && !isOfSold && !isShared) return [paid, rate > 500n ? null : received - (received * rate) / 10_000n]
  if (rate > 0n && isOfSold) return [null, received]
  const surplus = isPurchase ? expected - paid : received - expected
  if (surplus <= 0n || (isOfSold && !isPurchase)) return [paid, received]
  const kept = isShared && hasPartner && rate <= 5_000n ? surplus / 2n + (surplus * rate) / 10_000n : null
  if (kept === null) return isPurchase ? [null, received] : [paid, null]
  return isPurchase ? [paid + kept, received] : [paid, received - kept]
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
      'BoughtV3(bytes16 uuid, address partner, uint256 feePercent, address initiator, address indexed beneficiary, address indexed srcToken, address indexed destToken, uint256 srcAmount, uint256 receivedAmount, uint256 expectedAmount)',
      'SwappedDirect(bytes16 uuid, address partner, uint256 feePercent, address initiator, uint8 kind, address indexed beneficiary, address indexed srcToken, address indexed destToken, uint256 srcAmount, uint256 receivedAmount, uint256 expectedAmount)',
    ],
    account: 'beneficiary',
    tokens: [['srcToken', 'destToken']],
    amounts: amountsOfAugustus,
    payer: 'initiator',
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
  rfq: { events: ['OrderFilledRFQ(bytes32 orderHash, uint256 makingAmount)'], account: '' },
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
  payer: string | null
  isOfBatch: boolean
  sold: { token: string; amount: bigint | null; native: boolean }
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
      const { tokens: [names] = [], amounts, account, payer } = EVENTS[kind] ?? {}
      const event = read(log, kind)?.toObject() ?? {}
      if (names === undefined || amounts === undefined || account === undefined || !(names[0] in event)) return []
      const owner = String(event[account]).toLowerCase()
      const end = (name: string, amount: bigint | null) => {
        const token = String(event[name]).toLowerCase()
        return { token: coinAsWrapper(token, wrappedNative), amount, native: token === COIN || BigInt(token) === 0n }
      }
      const [amount, got] =
        typeof amounts === 'function'
          ? amounts(event, nameOf(log, kind))
          : [BigInt(event[amounts[0]]), BigInt(event[amounts[1]])]
      const [sold, bought] = [end(names[0], amount), end(names[1], got)]
      const isNone = amount === 0n || got === 0n || sold.token === bought.token
      const paidBy = payer === undefined ? null : String(event[payer]).toLowerCase()
      const order = { owner, payer: paidBy, isOfBatch: kind === 'cow', sold, bought }
      return isNone || kindOf(owner) !== 'cow-eth-flow' ? [] : [order]
    }),
  )
}

export function mayBeOrder(log: RecordedLog, settlements: readonly Settlement[]): boolean {
  return (
    isUnnamedFill(log, settlements) ||
    settlementsOf(log, settlements).some(({ kind }) => kind !== 'erc4337' && read(log, kind) !== null)
  )
}

/** Returns whether the log fills a limit order and names no maker. */
export function isUnnamedFill(log: RecordedLog, settlements: readonly Settlement[]): boolean {
  return settlementsOf(log, settlements).some(({ kind }) => {
    return (kind === '1inch-v5' && read(log, 'rfq') !== null) || (kind === '1inch-v6' && read(log, kind) !== null)
  })
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

function nameOf(log: RecordedLog, kind: string): string {
  const face = FACES.get(kind)
  return (face === undefined ? null : parseExactly(face, log))?.name ?? ''
}

function read(log: RecordedLog, kind: string): Result | null {
  const face = FACES.get(kind)
  return (face === undefined ? null : parseExactly(face, log))?.args ?? null
}
