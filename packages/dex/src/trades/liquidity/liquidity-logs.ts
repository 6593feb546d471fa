import { id } from 'ethers'
import { topicOf } from '../../abi/fragment.ts'
import { addressTopic, hasWords, intWord, uintWord, WORD } from '../../abi/words.ts'
import type { Log } from '../../chain/block.ts'
import { type Hex, ZERO_ADDRESS } from '../../chain/hex.ts'

/** Liquidity that entered or left a pool, read from one log. */
export interface LiquidityChange {
  /** The contract that emitted the log, followed by the id of a pool inside it if the log contains one. */
  of: Hex
  /** The bin; null if the pool has no bins. */
  bin: bigint | null
  isAdded: boolean
  /** In shares; null if the log contains other amounts. */
  shares: bigint | null
}

type Reader = (log: Log) => LiquidityChange[]

const ADDRESS_DIGITS = 40
const WORD_BYTES = 32n
/** BinDelta[] of Maverick V1. */
const MAVERICK_BINS = '(uint128,uint128,uint256,uint128,uint8,int32,bool)[]'
/** Possible numbers of coins in a Curve pool. */
const COIN_COUNTS = [2, 3, 4, 5, 6, 7, 8]

const TRANSFER = topicOf('event Transfer(address indexed from, address indexed to, uint256 value)')
/** The zero address as a topic. */
const ZERO_TOPIC: Hex = `0x${'0'.repeat(64)}`

/** Readers of liquidity logs, by first topic. Nothing proves that the emitter is a pool. */
const READERS: ReadonlyMap<Hex, Reader> = new Map([
  // Shares of pairs, of Balancer, and of most pools of Curve, minted and burnt.
  [TRANSFER, readShares],
  // Shares of Liquidity Book: one token id per bin.
  [
    topicOf(
      'event TransferBatch(address indexed sender, address indexed from, address indexed to, uint256[] ids, uint256[] amounts)',
    ),
    readBinShares,
  ],
  ...both(
    'event Mint(address indexed sender, uint256 amount0, uint256 amount1)',
    'event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to)',
  ),
  ...curveReaders(),
  // Balancer V2: an exit takes tokens out of the vault.
  [
    topicOf(
      'event PoolBalanceChanged(bytes32 indexed poolId, address indexed liquidityProvider, address[] tokens, int256[] deltas, uint256[] protocolFeeAmounts)',
    ),
    readBalances,
  ],
  // Balancer V3.
  ...both(
    'event LiquidityAdded(address indexed pool, address indexed liquidityProvider, uint8 indexed kind, uint256 totalSupply, uint256[] amountsAddedRaw, uint256[] swapFeeAmountsRaw)',
    'event LiquidityRemoved(address indexed pool, address indexed liquidityProvider, uint8 indexed kind, uint256 totalSupply, uint256[] amountsRemovedRaw, uint256[] swapFeeAmountsRaw)',
    ({ address, topics }) => `${address}${topics[1]?.slice(-ADDRESS_DIGITS) ?? ''}`,
  ),
  ...bins(
    'event DepositedToBins(address indexed sender, address indexed to, uint256[] ids, bytes32[] amounts)',
    'event WithdrawnFromBins(address indexed sender, address indexed to, uint256[] ids, bytes32[] amounts)',
    ({ address }) => address,
  ),
  // Maverick V1 and V2. Ranges are not compared.
  [id(`AddLiquidity(address,uint256,${MAVERICK_BINS})`) as Hex, change(true)],
  [id(`RemoveLiquidity(address,address,uint256,${MAVERICK_BINS})`) as Hex, change(false)],
  ...both(
    'event PoolAddLiquidity(address sender, address recipient, uint256 subaccount, tuple(uint8 kind, int32[] ticks, uint128[] amounts) params, uint256 tokenAAmount, uint256 tokenBAmount, uint32[] binIds)',
    'event PoolRemoveLiquidity(address sender, address recipient, uint256 subaccount, tuple(uint32[] binIds, uint128[] amounts) params, uint256 tokenAOut, uint256 tokenBOut)',
  ),
  // PancakeSwap Infinity.
  ...bins(
    'event Mint(bytes32 indexed id, address indexed sender, uint256[] ids, bytes32 salt, bytes32[] amounts, bytes32 compositionFeeAmount, bytes32 feeAmountToProtocol)',
    'event Burn(bytes32 indexed id, address indexed sender, uint256[] ids, bytes32 salt, bytes32[] amounts)',
    inManager,
  ),
])

/** Returns whether a log may remove liquidity. Cheap, because it runs for every log of a transaction with hops. */
export function mayTakeLiquidity({ topics }: Log): boolean {
  const topic = topics[0]
  // Nearly all logs with this topic are transfers between accounts.
  if (topic === TRANSFER) return topics[2] === ZERO_TOPIC
  return topic !== undefined && READERS.has(topic)
}

/** Returns the liquidity changes in a log; empty for other logs. */
export function liquidityChanges(log: Log): LiquidityChange[] {
  return READERS.get(log.topics[0] ?? '0x')?.(log) ?? []
}

function change(isAdded: boolean, of: (log: Log) => Hex = ({ address }) => address): Reader {
  return (log) => [{ of: of(log), bin: null, isAdded, shares: null }]
}

function both(added: string, removed: string, of?: (log: Log) => Hex): [Hex, Reader][] {
  return [
    [topicOf(added), change(true, of)],
    [topicOf(removed), change(false, of)],
  ]
}

function bins(added: string, removed: string, of: (log: Log) => Hex): [Hex, Reader][] {
  const reader = (isAdded: boolean) => (log: Log) =>
    (wordsAt(log.data, 0) ?? []).map((bin) => ({ of: of(log), bin, isAdded, shares: null }))
  return [
    [topicOf(added), reader(true)],
    [topicOf(removed), reader(false)],
  ]
}

/** Curve's generations and their forks: with a list of fees or one fee, with fixed-size or dynamic arrays. */
function curveReaders(): [Hex, Reader][] {
  const perCount = (count: number | '') => [
    ...both(
      `event AddLiquidity(address provider, uint256[${count}] amounts, uint256[${count}] fees, uint256 invariant, uint256 supply)`,
      `event RemoveLiquidity(address provider, uint256[${count}] amounts, uint256[${count}] fees, uint256 supply)`,
    ),
    ...both(
      `event AddLiquidity(address provider, uint256[${count}] amounts, uint256 fee, uint256 supply)`,
      `event RemoveLiquidity(address provider, uint256[${count}] amounts, uint256 supply)`,
    ),
    ...both(
      `event AddLiquidity(address provider, uint256[${count}] amounts, uint256 fee, uint256 supply, uint256 price_scale)`,
      `event RemoveLiquidityImbalance(address provider, uint256[${count}] amounts, uint256[${count}] fees, uint256 invariant, uint256 supply)`,
    ),
  ]
  const one = [
    'event RemoveLiquidityOne(address provider, uint256 shares, uint256 amount)',
    'event RemoveLiquidityOne(address provider, uint256 shares, uint256 amount, uint256 supply)',
    'event RemoveLiquidityOne(address provider, int128 coin, uint256 shares, uint256 amount, uint256 supply)',
    'event RemoveLiquidityOne(address provider, uint256 shares, uint256 coin, uint256 amount, uint256 fee, uint256 price_scale)',
    'event RemoveLiquidityImbalance(address provider, uint256 shares, uint256[2] amounts, uint256 fee, uint256 price_scale)',
  ]
  return [
    ...COIN_COUNTS.flatMap(perCount),
    ...perCount(''),
    ...one.map((event): [Hex, Reader] => [topicOf(event), change(false)]),
  ]
}

function readShares({ address, topics, data }: Log): LiquidityChange[] {
  if (topics.length !== 3 || !hasWords(data, 1)) return []
  const isAdded = isMade(topics, 1)
  return isAdded === null ? [] : [{ of: address, bin: null, isAdded, shares: uintWord(data, 0) }]
}

function readBinShares({ address, topics, data }: Log): LiquidityChange[] {
  const isAdded = topics.length === 4 ? isMade(topics, 2) : null
  const [ids, amounts] = [wordsAt(data, 0), wordsAt(data, 1)]
  if (isAdded === null || ids === null || amounts?.length !== ids.length) return []
  return ids.map((bin, at) => ({ of: address, bin, isAdded, shares: amounts[at] ?? 0n }))
}

/** Returns whether shares were minted (from zero) or burnt; null: transferred. `from` is the index of its topic. */
function isMade(topics: readonly Hex[], from: number): boolean | null {
  const [isOutOfNothing, isIntoNothing] = [from, from + 1].map((place) => addressTopic(topics, place) === ZERO_ADDRESS)
  return isOutOfNothing === isIntoNothing ? null : (isOutOfNothing ?? null)
}

function readBalances(log: Log): LiquidityChange[] {
  const deltas = placesAt(log.data, 1)?.map((place) => intWord(log.data, place)) ?? []
  const isAdded = deltas.some((delta) => delta > 0n)
  if (!isAdded && !deltas.some((delta) => delta < 0n)) return []
  return [{ of: inManager(log), bin: null, isAdded, shares: null }]
}

function inManager({ address, topics }: Log): Hex {
  return `${address}${topics[1]?.slice(2) ?? ''}`
}

/** Returns the words of a list whose offset is in the given word; null if the data does not have this shape. */
function wordsAt(data: Hex, pointer: number): bigint[] | null {
  return placesAt(data, pointer)?.map((place) => uintWord(data, place)) ?? null
}

/** Returns the positions of the words of such a list. */
function placesAt(data: Hex, pointer: number): number[] | null {
  const words = BigInt(Math.floor((data.length - 2) / WORD))
  if (words <= pointer) return null
  const offset = uintWord(data, pointer)
  if (offset % WORD_BYTES !== 0n || offset / WORD_BYTES >= words) return null
  const first = Number(offset / WORD_BYTES)
  const count = uintWord(data, first)
  if (count > words - BigInt(first) - 1n) return null
  return Array.from({ length: Number(count) }, (_, at) => first + 1 + at)
}
