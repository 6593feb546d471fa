import { topicOf } from '../../abi/fragment.ts'
import { addressTopic, hasWords, intWord, MAX_UINT256, uintWord } from '../../abi/words.ts'
import type { Log } from '../../chain/block.ts'
import { type Address, type Hex, ZERO_ADDRESS } from '../../chain/hex.ts'
import type { Settlement } from '../../deployments/deployment.ts'
import { type CoinTransfer, coinTransferOf, POLYGON_COIN, polygonTransferOf, SYSTEM_ADDRESS } from './coin-transfers.ts'
import { ItemCollector, type ItemTransfer } from './items.ts'

export const TRANSFER = topicOf('event Transfer(address indexed from, address indexed to, uint256 value)')
// Of WETH9 and its copies.
const DEPOSIT = topicOf('event Deposit(address indexed dst, uint256 wad)')
const WITHDRAWAL = topicOf('event Withdrawal(address indexed src, uint256 wad)')
// Liquidity of pairs. Lending tokens emit such events, too. A pair emits its reserves before each of them.
const PAIR_MINT = topicOf('event Mint(address indexed sender, uint256 amount0, uint256 amount1)')
const PAIR_BURN = topicOf('event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to)')
const PAIR_RESERVES: ReadonlySet<Hex> = new Set([
  topicOf('event Sync(uint112 reserve0, uint112 reserve1)'),
  topicOf('event Sync(uint256 reserve0, uint256 reserve1)'),
])
// Liquidity of concentrated pools, and of pools of a manager.
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
 * Of lending tokens whose balances grow (Aave V3 and its forks). Directly before, the token emits a `Transfer` from or to
 * the zero address in which the account's interest since its last move is included.
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

/** Coins that one account wrapped or unwrapped, in wei. */
export interface Wrapping {
  account: Address
  amount: bigint
  logIndex: number
}

/** What a transaction's receipt shows of tokens and coins given and received. Lists are in log order. */
export interface ReceiptFlows {
  /** Of ERC-20 tokens. */
  transfers: readonly TokenTransfer[]
  deposits: readonly Wrapping[]
  withdrawals: readonly Wrapping[]
  /** Without those that a token moves with its amounts. */
  items: readonly ItemTransfer[]
  /** All coin transfers, if they are logged (EIP-7708, and on Polygon); otherwise absent: unknown. */
  coins?: readonly CoinTransfer[]
  /** Some pool's liquidity changed. */
  changesLiquidity: boolean
  /** Some pool's liquidity was withdrawn, so an account may have received more than it bought. */
  withdrawsLiquidity?: true
}

/**
 * Reads a transaction's logs; ignores logs that do not have the exact shape of these events. A log of the system
 * address is a coin transfer if the block logs these, and is otherwise ignored.
 *
 * @param logsCoins coin transfers are logged, even if these logs hold none. One of Polygon's shows it, too.
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
  return {
    transfers,
    deposits,
    withdrawals,
    items: items.all(),
    ...liquidity.all(),
    ...(logsCoins || coins.length > 0 ? { coins } : {}),
  }
}

/** Collects the changes of pools' liquidity in a receipt, log by log. */
class LiquidityCollector {
  #isChanged = false
  #isWithdrawn = false
  readonly #pairs = { minted: new Set<Address>(), burnt: new Set<Address>(), synced: new Set<Address>() }

  add({ address, topics: [topic], data }: Log): void {
    if (topic === PAIR_MINT) this.#pairs.minted.add(address)
    else if (topic === PAIR_BURN) this.#pairs.burnt.add(address)
    else if (topic !== undefined && PAIR_RESERVES.has(topic)) this.#pairs.synced.add(address)
    else if (topic === RANGE_MINT || topic === RANGE_BURN || topic === MODIFY_LIQUIDITY) {
      this.#isChanged = true
      this.#isWithdrawn ||= topic === RANGE_BURN
      this.#isWithdrawn ||= topic === MODIFY_LIQUIDITY && hasWords(data, 4) && intWord(data, 2) < 0n
    }
  }

  all(): Pick<ReceiptFlows, 'changesLiquidity' | 'withdrawsLiquidity'> {
    const { minted, burnt, synced } = this.#pairs
    const isOfPair = (changed: ReadonlySet<Address>) => [...changed].some((pair) => synced.has(pair))
    const isWithdrawn = this.#isWithdrawn || isOfPair(burnt)
    const changesLiquidity = this.#isChanged || isWithdrawn || isOfPair(minted)
    return { changesLiquidity, ...(isWithdrawn && { withdrawsLiquidity: true }) }
  }
}

/** Returns the ERC-20 transfer in a log, else null. */
function transferIn({ address, topics, data, logIndex }: Log): TokenTransfer | null {
  if (topics[0] !== TRANSFER || topics.length !== 3 || !hasWords(data, 1)) return null
  const from = addressTopic(topics, 1)
  const to = addressTopic(topics, 2)
  return { token: address, from, to, amount: uintWord(data, 0), logIndex }
}

/** Replaces the last transfer, if this event is about it, by what moved without the interest. */
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
    // Less was burnt than the interest that came to it.
    if (amount < interest) transfers.push({ ...last, from: to, to: from, amount: interest - amount })
  }
}

/** Returns the flows without the coins that accounts pay to an entry point (ERC-4337) and bundlers receive: gas. */
export function withoutGas(flows: ReceiptFlows, settlements: readonly Settlement[]): ReceiptFlows {
  const entryPoints = settlements.filter(({ kind }) => kind === 'erc4337').map(({ address }) => address)
  if (flows.coins === undefined || entryPoints.length === 0) return flows
  const coins = flows.coins.filter(({ from, to }) => !entryPoints.includes(from) && !entryPoints.includes(to))
  return coins.length === flows.coins.length ? flows : { ...flows, coins }
}

/** Returns what was wrapped, or unwrapped, in total. */
export function totalOf(wrappings: readonly Wrapping[]): bigint {
  return wrappings.reduce((sum, { amount }) => sum + amount, 0n)
}

/** An end of a trade in the coin or its wrapper. */
export interface CoinEnd {
  amount: bigint
  /** The coin, not the wrapper. */
  native: boolean
}

/**
 * Returns what an account gave or received of the coin and its wrapper for a trade, out of its nets of both. Null if
 * neither has the sign of the end.
 *
 * If it netted both, one may be unrelated to the trade (a fee in coins). Of the coin, the wrapper and their sum, uses
 * the nearest to the pools' amount.
 *
 * @param coins net of the coin in the direction of the end, negative in the other one
 * @param wrapped the same for the wrapper
 */
export function coinEnd(coins: bigint, wrapped: bigint, pools: bigint): CoinEnd | null {
  const both = coins + wrapped
  let nearest: CoinEnd | null = null
  for (const amount of [coins, wrapped, both]) {
    if (amount <= 0n || amount > MAX_UINT256) continue
    if (nearest !== null && distance(amount, pools) >= distance(nearest.amount, pools)) continue
    const native = amount === both ? coins >= wrapped : amount === coins
    nearest = { amount, native }
  }
  return nearest
}

function distance(a: bigint, b: bigint): bigint {
  return a < b ? b - a : a - b
}

/** Addresses whose tokens are permanently lost. */
export const BURN_ADDRESSES: readonly Address[] = [ZERO_ADDRESS, `0x${'0'.repeat(36)}dead`]
