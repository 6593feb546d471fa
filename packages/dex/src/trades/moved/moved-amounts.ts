import { topicOf } from '../../abi/fragment.ts'
import { MAX_UINT256 } from '../../abi/words.ts'
import type { Log } from '../../chain/block.ts'
import { type Address, ZERO_ADDRESS } from '../../chain/hex.ts'
import { tokensOf } from '../../pool.ts'
import { STABLE_TOPICS } from '../../protocols/curve/curve.ts'
import { emitterOf, keeperOf } from '../../protocols/managed-pool.ts'
import { protocolOf } from '../../protocols/registry.ts'
import { type ReceiptFlows, receiptFlows, type TokenTransfer } from '../receipt/receipt-flows.ts'
import { isFeeBetweenHops } from '../routes.ts'
import type { Hop } from '../trade.ts'
import { ArrivedTransfers, firstWhere, TransferAmounts } from '../transfer-index.ts'

/** Base units: tokens that keep shares round what they move, and pools may tell what arrived. */
const ROUNDING = 2n
/** Part (1/100) of an amount that a token may pay its holder as interest, out of the zero address, when it is moved. */
const INTEREST_DIVISOR = 100n

/** What the transfers say of an amount that an event tells: the same, another one, or nothing that could be told. */
type Verdict = 'as-told' | 'unknown' | bigint

/**
 * The hops of a transaction with the amounts that its transfers show, where the amounts of an event are not the pool's
 * own (`amountsToldBy` of its protocol). What is not confirmed by the transfers is marked; a hop of which one side did
 * not move at all is none where others than the pool tell it. docs/internals/trades.md states the rules in full.
 *
 * @param hops in log order
 * @param logs every log of the transaction, in their order
 */
export function withMovedAmounts(hops: readonly Hop[], logs: readonly Log[], wrappedNative: Address): readonly Hop[] {
  // Most transactions.
  if (!hops.some(({ pool }) => protocolOf(pool.dex.kind).amountsToldBy !== undefined)) return hops
  const reader = new MovedAmounts(hops, logs, receiptFlows(logs, wrappedNative), wrappedNative)
  return hops.flatMap((hop) => reader.asMoved(hop) ?? [])
}

class MovedAmounts {
  readonly #wrappedNative: Address
  readonly #amounts: TransferAmounts
  readonly #into: ArrivedTransfers
  readonly #outOf: ArrivedTransfers
  readonly #marks: EmitterMarks
  /** Where pools told of exchanges in which coins may have been paid for their wrapper. */
  readonly #withCoins: ReadonlySet<number>
  /** The place of the last hop that sold a token to a keeper. */
  readonly #lastSold = new Map<string, number>()
  /** Tokens of keepers of which more or less came in than an event said: what is left over may count for a later one. */
  readonly #doubted = new Set<string>()

  constructor(hops: readonly Hop[], logs: readonly Log[], flows: ReceiptFlows, wrappedNative: Address) {
    const { transfers } = flows
    this.#wrappedNative = wrappedNative
    this.#amounts = new TransferAmounts(withWrappings(flows, wrappedNative))
    this.#into = new ArrivedTransfers(transfers)
    this.#outOf = new ArrivedTransfers(transfers.map((one) => ({ ...one, from: one.to, to: one.from })))
    this.#marks = new EmitterMarks(hops, logs)
    const withCoins = logs.filter(({ topics: [topic] }) => topic === undefined || !STABLE_TOPICS.has(topic))
    this.#withCoins = new Set(withCoins.map(({ logIndex }) => logIndex))
  }

  /** The hop as its tokens moved; null where one of them did not. To be asked hop by hop, in log order. */
  asMoved(hop: Hop): Hop | null {
    const toldBy = protocolOf(hop.pool.dex.kind).amountsToldBy
    if (toldBy === undefined) return hop
    if (toldBy === 'pool-without-fee') return this.#withFee(hop)
    const [sold, bought] =
      toldBy === 'caller' ? [this.#intoPool(hop), this.#outOfPool(hop)] : this.#anywhere(hop, toldBy === 'maker')
    if (sold === 'as-told' && bought === 'as-told') return hop
    if (sold === 0n || bought === 0n) return null
    const amountIn = typeof sold === 'bigint' ? sold : hop.amountIn
    const amountOut = typeof bought === 'bigint' ? bought : hop.amountOut
    return { ...hop, amountIn, amountOut, isUnconfirmed: true }
  }

  /** What came into the pool, where that is what it told and a fee; else what it told, which it measured itself. */
  #withFee(hop: Hop): Hop {
    const { pool, tokenIn, amountIn, logIndex } = hop
    const key = keeperOf(pool) + tokenIn
    const since = this.#lastSold.get(key) ?? -1
    this.#lastSold.set(key, logIndex)
    const moved = sumOf(this.#into.between(tokenIn, keeperOf(pool), since, logIndex))
    if (moved === amountIn) return hop
    const isFee = moved > amountIn && moved <= MAX_UINT256 && isFeeBetweenHops(amountIn, moved)
    return isFee ? { ...hop, amountIn: moved } : { ...hop, isUnconfirmed: true }
  }

  /**
   * All that came into the pool since it last sold for the token counts: the pool takes what is there, whatever was
   * said. Where it did something else meanwhile that may have taken of it, only the same amount confirms the event.
   */
  #intoPool({ pool, tokenIn, amountIn, nativeIn, logIndex }: Hop): Verdict {
    if (nativeIn) return 'as-told'
    const [keeper, emitter] = [keeperOf(pool), emitterOf(pool.address)]
    const key = keeper + tokenIn
    const isOwn = isOwnCoin(pool, tokenIn)
    const since = isOwn ? (this.#lastSold.get(key) ?? -1) : this.#marks.before(emitter, logIndex)
    this.#lastSold.set(key, logIndex)
    const moved = withoutInterest(this.#into.between(tokenIn, keeper, since, logIndex), amountIn)
    if (moved > 0n && isSame(moved, amountIn) && !this.#doubted.has(key)) return 'as-told'
    if (moved === 0n && this.#mayBeCoins(tokenIn, logIndex)) return 'as-told'
    this.#doubted.add(key)
    const isMixed = isOwn && this.#marks.hasOthers(emitter, since, logIndex)
    return moved === 0n || isSame(moved, amountIn) || moved > MAX_UINT256 || isMixed ? 'unknown' : moved
  }

  /**
   * What a pool pays it has worked out itself: one transfer of that amount, or all together, confirm it. Of a token
   * behind its coins somebody else may pay it: the lender that keeps it.
   */
  #outOfPool({ pool, tokenOut, amountOut, nativeOut, logIndex }: Hop): Verdict {
    if (nativeOut) return 'as-told'
    const since = this.#marks.before(emitterOf(pool.address), logIndex)
    const paid = this.#outOf.between(tokenOut, keeperOf(pool), since, logIndex)
    const moved = sumOf(paid)
    if ((moved > 0n && isSame(moved, amountOut)) || paid.some(({ amount }) => isSame(amount, amountOut)))
      return 'as-told'
    if (!isOwnCoin(pool, tokenOut) && this.#amounts.has(tokenOut, amountOut, since, logIndex)) return 'as-told'
    if (moved === 0n) return this.#mayBeCoins(tokenOut, logIndex) ? 'as-told' : 'unknown'
    return moved > MAX_UINT256 ? 'unknown' : moved
  }

  /** Whether coins, which leave no transfer, may have been paid in the place of a token. */
  #mayBeCoins(token: Address, logIndex: number): boolean {
    return token === this.#wrappedNative && this.#withCoins.has(logIndex)
  }

  /**
   * What the transfers say of both sides, whoever made them. A maker may be paid coins for their wrapper.
   */
  #anywhere({ tokenIn, amountIn, nativeIn, tokenOut, amountOut, nativeOut }: Hop, byMaker: boolean): Verdict[] {
    const verdict = (token: Address, told: bigint, native: boolean): Verdict => {
      if (native) return 'as-told'
      const nearest = this.#amounts.nearest(token, told)
      if (nearest === told) return 'as-told'
      return nearest ?? (byMaker && token === this.#wrappedNative ? 'unknown' : 0n)
    }
    return [verdict(tokenIn, amountIn, nativeIn), verdict(tokenOut, amountOut, nativeOut)]
  }
}

/** All transfers in log order, those among them that wrapped or unwrapped coins. */
function withWrappings({ transfers, deposits, withdrawals }: ReceiptFlows, token: Address): TokenTransfer[] {
  return [
    ...transfers,
    ...deposits.map(({ account: to, ...move }) => ({ token, from: ZERO_ADDRESS, to, ...move })),
    ...withdrawals.map(({ account: from, ...move }) => ({ token, from, to: ZERO_ADDRESS, ...move })),
  ].sort((a, b) => a.logIndex - b.logIndex)
}

/** Whether the pool keeps the token itself; those behind its coins only pass through it. */
function isOwnCoin(pool: Hop['pool'], token: Address): boolean {
  return (pool.coins ?? tokensOf(pool)).includes(token)
}

function sumOf(transfers: readonly TokenTransfer[]): bigint {
  return transfers.reduce((sum, { from, to, amount }) => (from === to ? sum : sum + amount), 0n)
}

function withoutInterest(transfers: readonly TokenTransfer[], told: bigint): bigint {
  const interest = sumOf(transfers.filter(({ from }) => from === ZERO_ADDRESS))
  return sumOf(transfers) - (interest * INTEREST_DIVISOR <= told ? interest : 0n)
}

function isSame(moved: bigint, told: bigint): boolean {
  return distance(moved, told) <= ROUNDING
}

function distance(a: bigint, b: bigint): bigint {
  return a < b ? b - a : a - b
}

/** What pools emit as tokens of their shares. */
const TOKEN_TOPICS: ReadonlySet<string> = new Set([
  topicOf('event Transfer(address indexed from, address indexed to, uint256 value)'),
  topicOf('event Approval(address indexed owner, address indexed spender, uint256 value)'),
])

/** Where the contracts that emit hops have emitted anything but transfers of their shares. */
class EmitterMarks {
  /** Ascending, as are the others. */
  readonly #marks = new Map<Address, number[]>()
  /** Those that are not hops between two coins that their pool keeps itself. */
  readonly #others = new Map<Address, number[]>()

  /** @param logs of one transaction, in their order */
  constructor(hops: readonly Hop[], logs: readonly Log[]) {
    const plain = new Set<number>()
    for (const { pool, tokenIn, tokenOut, logIndex } of hops) {
      this.#marks.set(emitterOf(pool.address), [])
      this.#others.set(emitterOf(pool.address), [])
      const through = [tokenIn, tokenOut].some(
        (token) => pool.underlying?.includes(token) && !pool.coins?.includes(token),
      )
      if (!through) plain.add(logIndex)
    }
    for (const { address, topics, logIndex } of logs) {
      if (TOKEN_TOPICS.has(topics[0] ?? '')) continue
      this.#marks.get(address)?.push(logIndex)
      if (!plain.has(logIndex)) this.#others.get(address)?.push(logIndex)
    }
  }

  /** The place of a contract's last event before a log; -1 where it had none. */
  before(emitter: Address, logIndex: number): number {
    return lastBefore(this.#marks.get(emitter) ?? [], logIndex)
  }

  /** Whether a contract told of anything but plain hops after one log and before another. */
  hasOthers(emitter: Address, after: number, before: number): boolean {
    return lastBefore(this.#others.get(emitter) ?? [], before) > after
  }
}

function lastBefore(places: readonly number[], logIndex: number): number {
  return places[firstWhere(places.length, (at) => (places[at] ?? 0) >= logIndex) - 1] ?? -1
}
