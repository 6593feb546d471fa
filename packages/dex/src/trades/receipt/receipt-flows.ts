import { topicOf } from '../../abi/contract-abi.ts'
import { addressTopic, hasWords, hasWordsAndLists, intWord, uintWord, wordText } from '../../abi/words.ts'
import { type Address, type Hex, type Log, ZERO_ADDRESS } from '../../chain.ts'
import type { Settlement } from '../../deployments/deployment.ts'

export const TRANSFER = topicOf('event Transfer(address indexed from, address indexed to, uint256 value)')
export const APPROVAL = topicOf('event Approval(address indexed owner, address indexed spender, uint256 value)')
// Events of WETH9 and its copies.
export const DEPOSIT = topicOf('event Deposit(address indexed dst, uint256 wad)')
export const WITHDRAWAL = topicOf('event Withdrawal(address indexed src, uint256 wad)')
// Lending tokens emit these events, too, but no `Sync`.
const PAIR_MINT = topicOf('event Mint(address indexed sender, uint256 amount0, uint256 amount1)')
const PAIR_BURN = topicOf('event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to)')
const PAIR_RESERVES: ReadonlySet<Hex> = new Set([
  topicOf('event Sync(uint112 reserve0, uint112 reserve1)'),
  topicOf('event Sync(uint256 reserve0, uint256 reserve1)'),
])
const RANGE_MINT = topicOf(
  'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
)
const RANGE_BURN = topicOf(
  'event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
)
const MODIFY_LIQUIDITY = topicOf(
  'event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)',
)
/**
 * Events of lending tokens whose balances grow (Aave V3). The `Transfer` directly before them, from or to the zero
 * address, includes the account's interest since its last move.
 */
const SCALED_MINT = topicOf(
  'event Mint(address indexed caller, address indexed onBehalfOf, uint256 value, uint256 balanceIncrease, uint256 index)',
)
const SCALED_BURN = topicOf(
  'event Burn(address indexed from, address indexed target, uint256 value, uint256 balanceIncrease, uint256 index)',
)

export interface TokenTransfer {
  token: Address
  from: Address
  to: Address
  amount: bigint
  logIndex: number
}

export interface Wrapping {
  account: Address
  amount: bigint
  logIndex: number
}

/** Lists are in log order. */
export interface ReceiptFlows {
  transfers: readonly TokenTransfer[]
  deposits: readonly Wrapping[]
  withdrawals: readonly Wrapping[]
  items: readonly ItemTransfer[]
  /** All coin transfers; absent if they are not logged. */
  coins?: readonly CoinTransfer[]
  changesLiquidity: boolean
  /** An account may then have received more than it bought. */
  withdrawsLiquidity?: true
}

/**
 * Reads the flows from a transaction's logs. Ignores logs that do not have the exact shape of these events.
 *
 * @param logsCoins the block logs coin transfers (EIP-7708), even if these logs hold none. Otherwise logs of the system
 * address are ignored. On Polygon, a single coin transfer shows that they are logged.
 */
export function receiptFlows(logs: readonly Log[], wrappedNative: Address, logsCoins = false): ReceiptFlows {
  const transfers: TokenTransfer[] = []
  const deposits: Wrapping[] = []
  const withdrawals: Wrapping[] = []
  const items = new ItemCollector()
  const coins: CoinTransfer[] = []
  const liquidity = new LiquidityCollector()
  for (const log of logs) {
    const { address, topics, data, logIndex } = log
    const topic = topics[0]
    if (address === SYSTEM_ADDRESS || address === POLYGON_COIN) {
      const coin = address === POLYGON_COIN ? polygonTransferOf(log) : logsCoins ? coinTransferOf(log) : null
      if (coin !== null) coins.push(coin)
      continue
    }
    const transfer = transferIn(log)
    items.add(log, transfer)
    if (transfer !== null) transfers.push(transfer)
    else if (topic === DEPOSIT || topic === WITHDRAWAL) {
      if (address !== wrappedNative || topics.length !== 2 || !hasWords(data, 1)) continue
      const wrapping = { account: addressTopic(topics, 1), amount: uintWord(data, 0), logIndex }
      if (topic === DEPOSIT) deposits.push(wrapping)
      else withdrawals.push(wrapping)
    } else if (topic === SCALED_MINT || topic === SCALED_BURN) leaveOutInterest(transfers, log)
    else liquidity.add(log)
  }
  const { changesLiquidity, withdrawsLiquidity } = liquidity.all()
  const flows: ReceiptFlows = { transfers, deposits, withdrawals, items: items.all(), changesLiquidity }
  if (withdrawsLiquidity) flows.withdrawsLiquidity = true
  if (logsCoins || coins.length > 0) flows.coins = coins
  return flows
}

export function entryPointsOf(settlements: readonly Settlement[]): Address[] {
  return settlements.filter(({ kind }) => kind === 'erc4337').map(({ address }) => address)
}

export function withoutGas(flows: ReceiptFlows, settlements: readonly Settlement[]): ReceiptFlows {
  if (flows.coins === undefined) return flows
  const entryPoints = entryPointsOf(settlements)
  const coins = flows.coins.filter(({ from, to }) => !entryPoints.includes(from) && !entryPoints.includes(to))
  return coins.length === flows.coins.length ? flows : { ...flows, coins }
}

export function totalOf(wrappings: readonly Wrapping[]): bigint {
  return wrappings.reduce((sum, { amount }) => sum + amount, 0n)
}

class LiquidityCollector {
  #isChanged = false
  #isWithdrawn = false
  readonly #minted: Address[] = []
  readonly #burnt: Address[] = []
  readonly #synced = new Set<Address>()

  add({ address, topics: [topic], data }: Log): void {
    if (topic === PAIR_MINT) this.#minted.push(address)
    else if (topic === PAIR_BURN) this.#burnt.push(address)
    else if (topic !== undefined && PAIR_RESERVES.has(topic)) this.#synced.add(address)
    else if (topic === RANGE_MINT || topic === RANGE_BURN || topic === MODIFY_LIQUIDITY) {
      this.#isChanged = true
      this.#isWithdrawn ||= topic === RANGE_BURN
      this.#isWithdrawn ||= topic === MODIFY_LIQUIDITY && hasWords(data, 4) && intWord(data, 2) < 0n
    }
  }

  all(): { changesLiquidity: boolean; withdrawsLiquidity: boolean } {
    const isOfPair = (pair: Address) => this.#synced.has(pair)
    const isWithdrawn = this.#isWithdrawn || this.#burnt.some(isOfPair)
    const changesLiquidity = this.#isChanged || isWithdrawn || this.#minted.some(isOfPair)
    return { changesLiquidity, withdrawsLiquidity: isWithdrawn }
  }
}

function transferIn({ address, topics, data, logIndex }: Log): TokenTransfer | null {
  if (topics[0] !== TRANSFER || topics.length !== 3 || !hasWords(data, 1)) return null
  const from = addressTopic(topics, 1)
  const to = addressTopic(topics, 2)
  return { token: address, from, to, amount: uintWord(data, 0), logIndex }
}

function leaveOutInterest(transfers: TokenTransfer[], { address, topics, data, logIndex }: Log): void {
  const last = transfers.at(-1)
  if (last === undefined || topics.length !== 3 || !hasWords(data, 3)) return
  const { token, from, to, amount } = last
  if (token !== address || last.logIndex !== logIndex - 1 || amount !== uintWord(data, 0)) return
  const interest = uintWord(data, 1)
  if (topics[0] === SCALED_BURN) {
    if (to === ZERO_ADDRESS && from === addressTopic(topics, 1)) {
      transfers[transfers.length - 1] = { ...last, amount: amount + interest }
    }
  } else if (from === ZERO_ADDRESS && to === addressTopic(topics, 2)) {
    transfers.pop()
    if (amount > interest) transfers.push({ ...last, amount: amount - interest })
    // The account burnt less than its interest, which the token logs as a mint of the difference.
    if (amount < interest) transfers.push({ ...last, from: to, to: from, amount: interest - amount })
  }
}

const LOG_TRANSFER = topicOf(
  'event LogTransfer(address indexed token, address indexed from, address indexed to, uint256 amount, uint256 input1, uint256 input2, uint256 output1, uint256 output2)',
)

/** Emits a `Transfer` for every coin transfer between accounts (EIP-7708). It is not a token. */
export const SYSTEM_ADDRESS: Address = `0x${'f'.repeat(39)}e`

/** Contract of Polygon's coin. Nodes log every coin transfer between accounts as its `LogTransfer`. */
export const POLYGON_COIN: Address = `0x${'0'.repeat(36)}1010`

/** In wei, between accounts, without gas. */
type CoinTransfer = Omit<TokenTransfer, 'token'>

/** Ignores the other kinds of logs that drafts of EIP-7708 had. */
function coinTransferOf(log: Log): CoinTransfer | null {
  const transfer = transferIn(log)
  if (transfer === null) return null
  const { token: _, ...coins } = transfer
  return coins
}

/**
 * Ignores a second event that the coin's own function `transfer` emits for coins that pass through the contract. Its
 * balances before and after (`input`, `output`) do not show the amount.
 */
function polygonTransferOf({ topics, data, logIndex }: Log): CoinTransfer | null {
  if (topics[0] !== LOG_TRANSFER || topics.length !== 4 || !hasWords(data, 5)) return null
  const amount = uintWord(data, 0)
  const isPaid = uintWord(data, 1) - amount === uintWord(data, 3) && uintWord(data, 2) + amount === uintWord(data, 4)
  return isPaid ? { from: addressTopic(topics, 2), to: addressTopic(topics, 3), amount, logIndex } : null
}

// ERC-1155. NFTs (ERC-721) use the topic of ERC-20's `Transfer`.
const TRANSFER_SINGLE = topicOf(
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
)
const TRANSFER_BATCH = topicOf(
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
)
/** The first ERC-404 tokens use the topic of ERC-20's `Transfer` for their items, and this event for amounts. */
const ERC20_TRANSFER = topicOf('event ERC20Transfer(address indexed from, address indexed to, uint256 amount)')

export interface ItemTransfer {
  contract: Address
  item: string
  from: Address
  to: Address
  amount: bigint
}

function nftIn({ address, topics }: Log): ItemTransfer {
  return {
    contract: address,
    item: `${address}${topics[3]}`,
    from: addressTopic(topics, 1),
    to: addressTopic(topics, 2),
    amount: 1n,
  }
}

function itemsIn({ address, topics, data }: Log): ItemTransfer[] {
  if ((topics[0] !== TRANSFER_SINGLE && topics[0] !== TRANSFER_BATCH) || topics.length !== 4) return []
  const from = addressTopic(topics, 2)
  const to = addressTopic(topics, 3)
  const itemAt = (idWord: number, amountWord: number) => {
    const item = `${address}${wordText(data, idWord)}`
    return { contract: address, item, from, to, amount: uintWord(data, amountWord) }
  }
  if (topics[0] === TRANSFER_SINGLE) return hasWords(data, 2) ? [itemAt(0, 1)] : []
  if (!hasWordsAndLists(data, 2, [0, 1])) return []
  const ids = Number(uintWord(data, 2))
  const amounts = Number(uintWord(data, 3 + ids))
  return Array.from({ length: Math.min(ids, amounts) }, (_, index) => itemAt(3 + index, 4 + ids + index))
}

/**
 * Collects item transfers, except those that a token emits along with its amounts. For ERC-404, one contract emits
 * both. For DN404, a second contract emits the items directly before the token's transfer between the same accounts;
 * one side may be the zero address.
 */
class ItemCollector {
  readonly #items: ItemTransfer[] = []
  readonly #tokens = new Set<Address>()
  #before: ItemTransfer[] = []

  /** @param transfer the ERC-20 transfer in the log, or null for another event */
  add(log: Log, transfer: { from: Address; to: Address } | null): void {
    if (transfer !== null || log.topics[0] === ERC20_TRANSFER) this.#tokens.add(log.address)
    // All events of items have four topics.
    if (log.topics.length !== 4 && this.#before.length === 0) return
    const isNft = log.topics[0] === TRANSFER && log.topics.length === 4
    const items = transfer === null ? (isNft ? [nftIn(log)] : itemsIn(log)) : []
    const [item] = items
    if (item !== undefined && (this.#before[0]?.contract ?? item.contract) === item.contract) {
      for (const itemTransfer of items) this.#before.push(itemTransfer)
      return
    }
    for (const itemTransfer of this.#before) {
      const isMirror = transfer !== null && isBetween(itemTransfer, transfer)
      if (!isMirror) this.#items.push(itemTransfer)
    }
    this.#before = items
  }

  all(): ItemTransfer[] {
    return [...this.#items, ...this.#before].filter(({ contract }) => !this.#tokens.has(contract))
  }
}

function isBetween(item: ItemTransfer, { from, to }: { from: Address; to: Address }): boolean {
  return (item.from === from || item.from === ZERO_ADDRESS) && (item.to === to || item.to === ZERO_ADDRESS)
}

export const BURN_ADDRESSES: readonly Address[] = [ZERO_ADDRESS, `0x${'0'.repeat(36)}dead`]
