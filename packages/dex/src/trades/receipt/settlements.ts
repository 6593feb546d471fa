import { topicOf } from '../../abi/contract-abi.ts'
import { addressTopic, addressWord, hasWords, hasWordsAndLists, uintWord, WORD } from '../../abi/words.ts'
import { type Address, type Hex, type Log, ZERO_ADDRESS } from '../../chain.ts'
import type { Settlement, SettlementKind } from '../../deployments/deployment.ts'
import type { Leg } from '../trade.ts'

interface AccountEvent {
  topic: Hex
  /** Returns null if the log has another shape, or reports that nothing was done. */
  account(log: Log): Address | null
  tokens?(log: Log): ReportedTokens
  /** Set for events that sell one token for another. Amounts that the log does not state are null. */
  amounts?(log: Log): ReportedAmounts | null
  payer?(log: Log): Address
}

interface ReportedTokens {
  sold: readonly Address[]
  bought: readonly Address[]
}

interface ReportedAmounts {
  sold: bigint | null
  bought: bigint | null
}

/** A sale of one token for another, as an event reports it. An unknown amount is null. */
export interface ReportedOrder {
  /** A user, or the contract that sells users' coins. */
  owner: Address
  /** Who called the settlement and paid, if the event names it apart from the owner. */
  payer?: Address
  /**
   * The order is part of a batch: the settlement takes the sold token from the owner, whose own flows need not show it.
   */
  isOfBatch: boolean
  sell: ReportedLeg
  buy: ReportedLeg
  logIndex: number
}

type ReportedLeg = Omit<Leg, 'amount'> & { amount: bigint | null }

/** An account for which a contract acted, according to its events. */
export interface NamedAccount {
  account: Address
  /** The coin has its own addresses here (see `isReported`). */
  sold: ReadonlySet<Address>
  bought: ReadonlySet<Address>
  /**
   * Some event that names the account is an order. An entry point's event is not, because it runs operations of any
   * kind.
   */
  hasOrder: boolean
  isMaker?: true
  /** Only an entry point's event names the account, and nothing shows that the limit orders were filled for it. */
  isUnproven?: true
  /** The signer, who filled limit orders; no event names it. */
  isTaker?: true
  logIndex: number
}

/** The coin's address in these events; some use the zero address. */
const COIN: Address = `0x${'ee'.repeat(20)}`

/** Returns whether `reported` (the tokens that events name) contains a token. The coin counts as its wrapper. */
export function isReported(token: Address, reported: ReadonlySet<Address>, wrappedNative: Address): boolean {
  if (reported.has(token)) return true
  return token === wrappedNative && (reported.has(COIN) || reported.has(ZERO_ADDRESS))
}

const SWAPPED = eventNaming(
  'event Swapped(address sender, address srcToken, address dstToken, address dstReceiver, uint256 spentAmount, uint256 returnAmount)',
  ofWord(0, 6),
  tokensInWords(1, 2),
  amountsInWords(4, 5),
)

const USER_OPERATION_EVENT =
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)'
/** An entry point emits it at the end of each operation. */
export const USER_OPERATION = topicOf(USER_OPERATION_EVENT)

const EVENTS: Readonly<Record<SettlementKind, readonly AccountEvent[]>> = {
  // GPv2Settlement
  cow: [
    eventNaming(
      'event Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)',
      ofTopic(1, 2),
      tokensInWords(0, 1),
      amountsInWords(2, 3),
    ),
  ],
  // ExchangeProxy
  zeroex: [
    eventNaming(
      'event TransformedERC20(address indexed taker, address inputToken, address outputToken, uint256 inputTokenAmount, uint256 outputTokenAmount)',
      ofTopic(1, 2),
      tokensInWords(0, 1),
      amountsInWords(2, 3),
    ),
  ],
  // Augustus
  'paraswap-v5': [
    eventNaming(
      'event SwappedV3(bytes16 uuid, address partner, uint256 feePercent, address initiator, address indexed beneficiary, address indexed srcToken, address indexed destToken, uint256 srcAmount, uint256 receivedAmount, uint256 expectedAmount)',
      ofTopic(1, 4),
      tokensInTopics(2, 3),
      ({ data }) => (hasWords(data, 7) ? amountsOnAugustus(data, 4, false) : null),
      initiatorOf,
    ),
    eventNaming(
      'event BoughtV3(bytes16 uuid, address partner, uint256 feePercent, address initiator, address indexed beneficiary, address indexed srcToken, address indexed destToken, uint256 srcAmount, uint256 receivedAmount, uint256 expectedAmount)',
      ofTopic(1, 4),
      tokensInTopics(2, 3),
      ({ data }) => (hasWords(data, 7) ? amountsOnAugustus(data, 4, true) : null),
      initiatorOf,
    ),
    eventNaming(
      'event SwappedDirect(bytes16 uuid, address partner, uint256 feePercent, address initiator, uint8 kind, address indexed beneficiary, address indexed srcToken, address indexed destToken, uint256 srcAmount, uint256 receivedAmount, uint256 expectedAmount)',
      ofTopic(1, 4),
      tokensInTopics(2, 3),
      ({ data }) => (hasWords(data, 8) ? amountsOnAugustus(data, 5, DIRECT_BUYS.has(uintWord(data, 4))) : null),
      initiatorOf,
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
      amountsInWords(1, 3),
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
      amountsInWords(1, 3),
    ),
    eventNaming(
      'event SwapMulti(address sender, uint256[] amountsIn, address[] tokensIn, uint256[] amountsOut, address[] tokensOut, int256[] slippage, uint64 referralCode, uint64 referralFee, address referralFeeRecipient)',
      ofWordBeforeLists(0, 9, [1, 2, 3, 4, 5]),
      tokensInLists(2, 4),
    ),
  ],
  kyberswap: [SWAPPED],
  '1inch-v3': [SWAPPED],
  // AggregationRouterV5
  '1inch-v5': [
    eventNaming('event OrderFilled(address indexed maker, bytes32 orderHash, uint256 remaining)', (log) =>
      hasWords(log.data, 2) ? ofTopic(1, 2)(log) : null,
    ),
  ],
  // AggregationRouterV6: its event names no account (`UNNAMED_FILLS`).
  '1inch-v6': [],
  // CoWSwapEthFlow: emits nothing when an order is settled.
  'cow-eth-flow': [],
  // EntryPoint: a failed operation has no effect.
  erc4337: [
    eventNaming(USER_OPERATION_EVENT, (log) =>
      hasWords(log.data, 4) && uintWord(log.data, 1) === 1n ? ofTopic(2, 4)(log) : null,
    ),
  ],
}

export const ORDER_FILLED_V6 = topicOf('event OrderFilled(bytes32 orderHash, uint256 remainingAmount)')
/** Events of filled limit orders that name no account, each with two words of data. */
const UNNAMED_FILLS: Readonly<Partial<Record<SettlementKind, Hex>>> = {
  '1inch-v5': topicOf('event OrderFilledRFQ(bytes32 orderHash, uint256 makingAmount)'),
  '1inch-v6': ORDER_FILLED_V6,
}

const TOPICS: ReadonlySet<Hex> = new Set(Object.values(EVENTS).flatMap((events) => events.map(({ topic }) => topic)))

const UNNAMED_TOPICS: ReadonlySet<Hex> = new Set(Object.values(UNNAMED_FILLS))

function eventNaming(
  event: string,
  account: AccountEvent['account'],
  tokens?: NonNullable<AccountEvent['tokens']>,
  amounts?: NonNullable<AccountEvent['amounts']>,
  payer?: NonNullable<AccountEvent['payer']>,
): AccountEvent {
  return {
    topic: topicOf(event),
    account,
    ...(tokens && { tokens }),
    ...(amounts && { amounts }),
    ...(payer && { payer }),
  }
}

/** Of Augustus' events with amounts. */
function initiatorOf({ data }: Log): Address {
  return addressWord(data, 3)
}

function tokensInTopics(sold: number, bought: number): NonNullable<AccountEvent['tokens']> {
  return ({ topics }) => ({ sold: [addressTopic(topics, sold)], bought: [addressTopic(topics, bought)] })
}

/** Kinds of `SwappedDirect` that are purchases. */
const DIRECT_BUYS: ReadonlySet<bigint> = new Set([1n, 5n])
const BASIS_POINTS = 10_000n
/** In basis points. Augustus caps larger fees (`MAX_FEE_PERCENT` of paraswap/augustus-v5, `config`). */
const MAX_KNOWN_FEE = 500n
/** ParaSwap's part of a surplus that it shares with a referrer, in basis points (`PS_REFERRAL_SHARE`). */
const REFERRAL_SHARE = 5_000n
/** The bits that hold the fee in a code of version 1, in basis points. */
const FEE_BITS = 0x3fffn
const FEE_OF_SOLD = 0x8000n
const FEE_OF_SURPLUS = 0x10000n

/**
 * Returns the amounts of a trade on Augustus V5 (FeeModel.sol). Word `place` is the sold amount; the next two are the
 * received amount before the fee, and the expected one: of a purchase, what it was expected to sell. An amount is null
 * if these and the partner's fee code do not determine it.
 */
function amountsOnAugustus(data: Hex, place: number, isPurchase: boolean): ReportedAmounts {
  const sold = uintWord(data, place)
  const received = uintWord(data, place + 1)
  const expected = uintWord(data, place + 2)
  const code = uintWord(data, 2)
  const hasPartner = uintWord(data, 1) !== 0n
  const isOfVersion1 = code >> 248n === 1n
  if (hasPartner && code !== 0n && !isOfVersion1) return { sold, bought: null }
  const fee = hasPartner ? code & FEE_BITS : 0n
  const isOfSold = isOfVersion1 && (code & FEE_OF_SOLD) !== 0n
  const isOfSurplus = (code & FEE_OF_SURPLUS) !== 0n
  if (fee > 0n && !isOfSold && !isOfSurplus) {
    return { sold, bought: fee <= MAX_KNOWN_FEE ? received - (received * fee) / BASIS_POINTS : null }
  }
  // The event of some sales, but not of all, leaves out such a fee.
  if (fee > 0n && isOfSold) return { sold: null, bought: received }
  const surplus = isPurchase ? expected - sold : received - expected
  if (surplus <= 0n || (isOfSold && !isPurchase)) return { sold, bought: received }
  const isKnownShare = hasPartner && isOfSurplus && fee + REFERRAL_SHARE <= BASIS_POINTS
  const kept = isKnownShare ? (surplus * REFERRAL_SHARE) / BASIS_POINTS + (surplus * fee) / BASIS_POINTS : null
  if (isPurchase) return { sold: kept === null ? null : sold + kept, bought: received }
  return { sold, bought: kept === null ? null : received - kept }
}

function tokensInWords(sold: number, bought: number): NonNullable<AccountEvent['tokens']> {
  return ({ data }) => {
    if (!reaches(data, sold, bought)) return { sold: [], bought: [] }
    return { sold: [addressWord(data, sold)], bought: [addressWord(data, bought)] }
  }
}

function amountsInWords(sold: number, bought: number): NonNullable<AccountEvent['amounts']> {
  return ({ data }) =>
    reaches(data, sold, bought) ? { sold: uintWord(data, sold), bought: uintWord(data, bought) } : null
}

function reaches(data: Hex, ...words: readonly number[]): boolean {
  return data.length >= 2 + (Math.max(...words) + 1) * WORD
}

function tokensInLists(sold: number, bought: number): NonNullable<AccountEvent['tokens']> {
  return ({ data }) => ({ sold: addressesAt(data, sold), bought: addressesAt(data, bought) })
}

function addressesAt(data: Hex, pointer: number): Address[] {
  const start = Number(uintWord(data, pointer)) / BYTES
  return Array.from({ length: Number(uintWord(data, start)) }, (_, index) => addressWord(data, start + 1 + index))
}

const BYTES = 32

function ofTopic(index: number, count: number): AccountEvent['account'] {
  return ({ topics }) => (topics.length === count ? addressTopic(topics, index) : null)
}

function ofWord(index: number, count: number): AccountEvent['account'] {
  return ({ data }) => (hasWords(data, count) && uintWord(data, index) < 2n ** 160n ? addressWord(data, index) : null)
}

function ofWordBeforeLists(index: number, count: number, pointers: readonly number[]): AccountEvent['account'] {
  return ({ data }) => {
    return hasWordsAndLists(data, count, pointers) && uintWord(data, index) < 2n ** 160n
      ? addressWord(data, index)
      : null
  }
}

interface SettlementEvent {
  kind: SettlementKind
  event: AccountEvent
  account: Address
  log: Log
}

export function settlementEvents(logs: readonly Log[], settlements: readonly Settlement[]): SettlementEvent[] {
  return logs.map((log) => eventIn(log, settlements)).filter((event) => event !== null)
}

/** Returns the distinct accounts for which settlements acted, in event order, without the settlements themselves. */
export function namedAccounts(
  events: readonly SettlementEvent[],
  settlements: readonly Settlement[],
): readonly NamedAccount[] {
  const accounts = new Map<Address, NamedAccount>()
  for (const { kind, event, account, log } of events) {
    const { sold, bought } = event.tokens?.(log) ?? { sold: [], bought: [] }
    const before = accounts.get(account)
    const isMaker = kind === '1inch-v5' && (before === undefined || before.isMaker === true)
    accounts.set(account, {
      account,
      sold: new Set([...(before?.sold ?? []), ...sold]),
      bought: new Set([...(before?.bought ?? []), ...bought]),
      hasOrder: kind !== 'erc4337' || before?.hasOrder === true,
      ...(isMaker && { isMaker }),
      logIndex: log.logIndex,
    })
  }
  return [...accounts.values()].filter(({ account }) => !settlements.some(({ address }) => address === account))
}

/**
 * Returns the orders that events report, in log order. Skips orders of settlement contracts, except those that sell
 * users' coins.
 */
export function reportedOrders(
  events: readonly SettlementEvent[],
  settlements: readonly Settlement[],
  wrappedNative: Address,
): ReportedOrder[] {
  return events.flatMap(({ kind, event, account: owner, log }): ReportedOrder[] => {
    const amounts = event.amounts?.(log) ?? null
    if (amounts === null) return []
    const ofOwner = settlements.find(({ address }) => address === owner)
    if (ofOwner !== undefined && ofOwner.kind !== 'cow-eth-flow') return []
    const isOfBatch = kind === 'cow'
    const { sold: [sell] = [], bought: [buy] = [] } = event.tokens?.(log) ?? {}
    if (sell === undefined || buy === undefined) return []
    const { sold, bought } = amounts
    const leg = (token: Address, amount: bigint | null): ReportedLeg => {
      const native = token === COIN || token === ZERO_ADDRESS
      return { token: native ? wrappedNative : token, amount, native }
    }
    const order: ReportedOrder = {
      owner,
      isOfBatch,
      sell: leg(sell, sold),
      buy: leg(buy, bought),
      logIndex: log.logIndex,
      ...(event.payer && { payer: event.payer(log) }),
    }
    return sold === 0n || bought === 0n || order.sell.token === order.buy.token ? [] : [order]
  })
}

export function isOrderLog(log: Log, settlements: readonly Settlement[]): boolean {
  const found = eventIn(log, settlements)
  return found === null ? isUnnamedFill(log, settlements) : found.kind !== 'erc4337'
}

export function isUnnamedFill({ address, topics, data }: Log, settlements: readonly Settlement[]): boolean {
  const [topic] = topics
  // Nearly all logs return here.
  if (topics.length !== 1 || topic === undefined || !UNNAMED_TOPICS.has(topic) || !hasWords(data, 2)) return false
  return settlements.some((settlement) => settlement.address === address && UNNAMED_FILLS[settlement.kind] === topic)
}

export function orderTopics(settlements: readonly Settlement[]): Hex[] {
  const kinds = new Set(settlements.map(({ kind }) => kind))
  return [...kinds].flatMap((kind) => {
    const unnamed = UNNAMED_FILLS[kind]
    const named = kind === 'erc4337' ? [] : EVENTS[kind].map(({ topic }) => topic)
    return unnamed === undefined ? named : [...named, unnamed]
  })
}

function eventIn(log: Log, settlements: readonly Settlement[]): SettlementEvent | null {
  // Nearly all logs return here.
  if (log.topics[0] === undefined || !TOPICS.has(log.topics[0])) return null
  const kind = settlements.find(({ address }) => address === log.address)?.kind
  const event = kind && EVENTS[kind].find(({ topic }) => topic === log.topics[0])
  const account = event?.account(log) ?? null
  return kind === undefined || event === undefined || account === null ? null : { kind, event, account, log }
}
