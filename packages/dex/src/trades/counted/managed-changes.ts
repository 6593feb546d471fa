import { topicOf } from '../../abi/fragment.ts'
import { addressTopic, hasWords, intWord, uintWord, WORD, wordText } from '../../abi/words.ts'
import type { Log } from '../../chain/block.ts'
import type { Address, Hex } from '../../chain/hex.ts'
import { getSqrtRatioAtTick } from '../../maths/tick-math.ts'
import type { Pool, PoolAddress } from '../../pool.ts'
import { LIQUIDITY_ADDED, LIQUIDITY_REMOVED } from '../../venues/balancer/balancer-v3.ts'
import { BURN, DONATE, MINT } from '../../venues/infinity/bin.ts'
import { SWAP as INFINITY_SWAP } from '../../venues/infinity/cl.ts'
import { emitterOf, idOf } from '../../venues/managed-pool.ts'
import { decodeModifyLiquidity, MODIFY_LIQUIDITY, SWAP as UNISWAP_SWAP } from '../../venues/uniswap-v4/venue.ts'
import type { Hop } from '../trade.ts'

const MODIFY = topicOf(MODIFY_LIQUIDITY)
const DONATIONS: ReadonlySet<Hex> = new Set(
  [
    'event Donate(bytes32 indexed id, address indexed sender, uint256 amount0, uint256 amount1)',
    'event Donate(bytes32 indexed id, address indexed sender, uint256 amount0, uint256 amount1, int24 tick)',
  ].map(topicOf),
)
/** Their sixth word is the fee in millionths, the seventh Infinity's protocol fee. */
const SWAPS: ReadonlySet<Hex> = new Set([UNISWAP_SWAP, INFINITY_SWAP].map(topicOf))
/** Changes whose amounts are not read: bins of Infinity, Balancer V3. */
const OTHERS: ReadonlySet<Hex> = new Set([DONATE, MINT, BURN, LIQUIDITY_ADDED, LIQUIDITY_REMOVED].map(topicOf))
const MILLION = 1_000_000n
/** Of Balancer V3's fee controller: what the vault paid out of the fees of a pool's swaps, and of its rates. */
const COLLECTED: ReadonlySet<Hex> = new Set(
  [
    'event ProtocolSwapFeeCollected(address indexed pool, address indexed token, uint256 amount)',
    'event ProtocolYieldFeeCollected(address indexed pool, address indexed token, uint256 amount)',
  ].map(topicOf),
)
const Q96_BITS = 96n

/** Finds the logs of managers and vaults about one of their pools. Indexed, because a block may be full of either. */
export class ManagedLogs {
  readonly #byEmitterAndWord = new Map<string, Log[]>()
  readonly #collected: readonly Log[]

  /** @param hops tell which contracts are managers */
  constructor(logs: readonly Log[], hops: readonly Hop[]) {
    this.#collected = logs.filter(({ topics: [topic = '0x'], data }) => COLLECTED.has(topic) && hasWords(data, 1))
    const emitters = new Map<Address, Pool>()
    for (const { pool } of hops)
      if (emitterOf(pool.address) !== pool.address) emitters.set(emitterOf(pool.address), pool)
    for (const log of logs) {
      const pool = emitters.get(log.address)
      if (pool === undefined) continue
      // The id is the first indexed field; Ekubo's events have it among their data.
      if (log.topics[1] !== undefined && pool.dex.kind !== 'ekubo') this.#note(log, log.topics[1])
      else if (pool.dex.kind === 'ekubo') for (const word of new Set(wordsOf(log.data))) this.#note(log, word)
    }
  }

  of({ address }: Pool): readonly Log[] {
    return this.#byEmitterAndWord.get(emitterOf(address) + wordOf(address)) ?? []
  }

  /**
   * Returns the fees that were collected from a pool of Balancer V3. Any contract may emit these events: that lowers
   * what counts of its own transaction alone.
   */
  collectedFrom({ address }: Pool, token: Address): bigint {
    const word = wordOf(address)
    let sum = 0n
    for (const { topics, data } of this.#collected)
      if (topics[1] === word && addressTopic(topics, 2) === token) sum += uintWord(data, 0)
    return sum
  }

  #note(log: Log, word: string): void {
    const key = log.address + word
    const known = this.#byEmitterAndWord.get(key)
    if (known === undefined) this.#byEmitterAndWord.set(key, [log])
    else known.push(log)
  }
}

function wordOf(pool: PoolAddress): string {
  return `0x${idOf(pool).slice(2).padStart(WORD, '0')}`
}

function wordsOf(data: Hex): Hex[] {
  return Array.from({ length: Math.floor((data.length - 2) / WORD) }, (_, at) => wordText(data, at))
}

/**
 * Returns the most that liquidity, fees and donations of a transaction can have brought into a pool of a manager before
 * swaps that paid a token out, or taken out after swaps that it was paid into. Null if the events do not bound it.
 *
 * Uniswap V4 and Infinity report liquidity without amounts. But no price gives a range more of a token than all of it,
 * and the fees that a transaction's swaps paid are in their events. What was earned before is not lent.
 *
 */
export function largestChange(pool: Pool, token: Address, wasPaidIn: boolean, logs: ManagedLogs): bigint | null {
  const ofPool = logs.of(pool)
  if (pool.dex.kind === 'ekubo') return ofPool.some(({ topics }) => topics.length > 0) ? null : 0n
  if (ofPool.some(({ topics: [topic = '0x'] }) => OTHERS.has(topic))) return null
  if (pool.dex.kind === 'balancer-v3') return wasPaidIn ? logs.collectedFrom(pool, token) : 0n
  // The native coin comes first, and counts as its wrapper.
  const side = pool.token1 === token ? 1 : 0
  let change = 0n
  let fees = 0n
  let areFeesCollected = false
  for (const log of ofPool) {
    const [topic = '0x'] = log.topics
    if (topic === MODIFY) {
      areFeesCollected = true
      const { tickLower, tickUpper, delta } = decodeModifyLiquidity(log)
      if (delta !== 0n && delta < 0n === wasPaidIn)
        change += largestAmount(delta < 0n ? -delta : delta, [tickLower, tickUpper], side)
    } else if (DONATIONS.has(topic)) change += uintWord(log.data, side)
    else if (SWAPS.has(topic)) fees += feeOf(log, side)
  }
  return wasPaidIn && areFeesCollected ? change + fees : change
}

/** Returns what liquidity holds of a token at the price at which it holds nothing of the other, rounded up. */
function largestAmount(liquidity: bigint, [lower, upper]: readonly [number, number], side: 0 | 1): bigint {
  const low = getSqrtRatioAtTick(lower)
  const high = getSqrtRatioAtTick(upper)
  const product = liquidity * (high - low)
  return (side === 1 ? product >> Q96_BITS : (product << Q96_BITS) / (low * high)) + 1n
}

/** Returns the most that a swap paid as fees in a token. The manager reports what the swapper pays as negative. */
function feeOf({ data }: Log, side: 0 | 1): bigint {
  const paid = -intWord(data, side)
  if (paid <= 0n) return 0n
  const millionths = uintWord(data, 5) + (hasWords(data, 7) ? uintWord(data, 6) : 0n)
  return (paid * millionths) / MILLION + 1n
}
