import { MAX_UINT256 } from '../../abi/words.ts'
import { type Address, type Hex, type Log, ZERO_ADDRESS } from '../../chain.ts'
import { absolute } from '../../maths/integers.ts'
import { tokensOf } from '../../pool.ts'
import { present } from '../../present.ts'
import { emitterOf, keeperOf } from '../../venues/managed-pool.ts'
import { DEX_KINDS, protocolOf } from '../../venues/registry.ts'
import type { Ledger } from '../receipt/ledger.ts'
import { APPROVAL, type ReceiptFlows, type TokenTransfer, TRANSFER } from '../receipt/receipt-flows.ts'
import { isFeeBetweenHops } from '../routes.ts'
import type { Hop } from '../trade.ts'
import { ArrivedTransfers, firstWhere, TransferAmounts } from '../transfer-index.ts'

/** Topics of swaps in which the pool never uses coins in place of their wrapper. */
const WITHOUT_COINS: ReadonlySet<Hex> = new Set(DEX_KINDS.flatMap((kind) => protocolOf(kind).topicsWithoutCoins ?? []))
/** In base units: tokens with internal shares round. */
const ROUNDING = 2n
/** Up to this fraction (1/100) of the reported amount, transfers from the zero address are interest. */
const INTEREST_DIVISOR = 100n

/** Whether the event is right or cannot be checked; if it is wrong, the actual amount. */
type Verdict = 'confirmed' | 'unknown' | bigint

/**
 * Compares hops with transfers, for protocols whose events do not report the pool's own amounts (`amountsReportedBy`):
 * corrects amounts, marks unconfirmed hops, and drops hops that did not happen (docs/internals/trades.md, "Amounts that
 * an event repeats"). Hops and logs are in log order.
 */
export function withMovedAmounts(hops: readonly Hop[], logs: readonly Log[], ledger: Ledger): readonly Hop[] {
  if (!hops.some(({ pool }) => protocolOf(pool.dex.kind).amountsReportedBy !== undefined)) return hops
  const reader = new MovedAmounts(hops, logs, ledger)
  return hops.flatMap((hop) => reader.asMoved(hop) ?? [])
}

class MovedAmounts {
  readonly #wrappedNative: Address
  readonly #amounts: TransferAmounts
  readonly #into: ArrivedTransfers
  readonly #outOf: ArrivedTransfers
  readonly #marks: EmitterMarks
  readonly #withCoins: ReadonlySet<number>
  readonly #lastSold = new Map<string, number>()
  /**
   * Keeper and token pairs for which another amount arrived than reported; the difference may count for a later event.
   */
  readonly #doubted = new Set<string>()

  constructor(hops: readonly Hop[], logs: readonly Log[], { flows, wrappedNative }: Ledger) {
    const { transfers } = flows
    this.#wrappedNative = wrappedNative
    this.#amounts = new TransferAmounts(withWrappings(flows, wrappedNative))
    this.#into = new ArrivedTransfers(transfers)
    this.#outOf = new ArrivedTransfers(
      transfers.map((tokenTransfer) => ({ ...tokenTransfer, from: tokenTransfer.to, to: tokenTransfer.from })),
    )
    this.#marks = new EmitterMarks(hops, logs)
    const withCoins = logs.filter(({ topics: [topic] }) => topic === undefined || !WITHOUT_COINS.has(topic))
    this.#withCoins = new Set(withCoins.map(({ logIndex }) => logIndex))
  }

  /**
   * Returns the hop with the amounts that moved, or null if one token did not move. Must be called for every hop, in
   * log order.
   */
  asMoved(hop: Hop): Hop | null {
    const reportedBy = protocolOf(hop.pool.dex.kind).amountsReportedBy
    if (reportedBy === undefined) return hop
    if (reportedBy === 'pool-without-fee') return this.#withFee(hop)
    const [sold, bought] =
      reportedBy === 'caller'
        ? [this.#intoPool(hop), this.#outOfPool(hop)]
        : this.#anywhere(hop, reportedBy === 'maker')
    if (sold === 'confirmed' && bought === 'confirmed') return hop
    if (sold === 0n || bought === 0n) return null
    const amountIn = typeof sold === 'bigint' ? sold : hop.amountIn
    const amountOut = typeof bought === 'bigint' ? bought : hop.amountOut
    return { ...hop, amountIn, amountOut, isUnconfirmed: true }
  }

  /**
   * Uses the amount that came in only if it is the reported one plus a fee, because the pool measured the latter
   * itself.
   */
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
   * If the pool did anything else since the last hop that sold it this token, which may have used some, only the exact
   * amount confirms the event.
   */
  #intoPool({ pool, tokenIn, amountIn, nativeIn, logIndex }: Hop): Verdict {
    if (nativeIn) return 'confirmed'
    const keeper = keeperOf(pool)
    const emitter = emitterOf(pool.address)
    const key = keeper + tokenIn
    const isPools = isPoolsCoin(pool, tokenIn)
    const since = isPools ? (this.#lastSold.get(key) ?? -1) : this.#marks.before(emitter, logIndex)
    this.#lastSold.set(key, logIndex)
    const moved = withoutInterest(this.#into.between(tokenIn, keeper, since, logIndex), amountIn)
    if (moved > 0n && isSame(moved, amountIn) && !this.#doubted.has(key)) return 'confirmed'
    if (moved === 0n && this.#mayBeCoins(tokenIn, logIndex)) return 'confirmed'
    this.#doubted.add(key)
    const isMixed = isPools && this.#marks.hasOthers(emitter, since, logIndex)
    return moved === 0n || isSame(moved, amountIn) || moved > MAX_UINT256 || isMixed ? 'unknown' : moved
  }

  /** The lender that keeps an underlying token may pay in place of the pool. */
  #outOfPool({ pool, tokenOut, amountOut, nativeOut, logIndex }: Hop): Verdict {
    if (nativeOut) return 'confirmed'
    const since = this.#marks.before(emitterOf(pool.address), logIndex)
    const paid = this.#outOf.between(tokenOut, keeperOf(pool), since, logIndex)
    const moved = sumOf(paid)
    if ((moved > 0n && isSame(moved, amountOut)) || paid.some(({ amount }) => isSame(amount, amountOut)))
      return 'confirmed'
    if (!isPoolsCoin(pool, tokenOut) && this.#amounts.has(tokenOut, amountOut, since, logIndex)) return 'confirmed'
    if (moved === 0n) return this.#mayBeCoins(tokenOut, logIndex) ? 'confirmed' : 'unknown'
    return moved > MAX_UINT256 ? 'unknown' : moved
  }

  /** Coins leave no transfer. */
  #mayBeCoins(token: Address, logIndex: number): boolean {
    return token === this.#wrappedNative && this.#withCoins.has(logIndex)
  }

  #anywhere({ tokenIn, amountIn, nativeIn, tokenOut, amountOut, nativeOut }: Hop, byMaker: boolean): Verdict[] {
    const verdict = (token: Address, reported: bigint, native: boolean): Verdict => {
      if (native) return 'confirmed'
      const nearest = this.#amounts.nearest(token, reported)
      if (nearest === reported) return 'confirmed'
      return nearest ?? (byMaker && token === this.#wrappedNative ? 'unknown' : 0n)
    }
    return [verdict(tokenIn, amountIn, nativeIn), verdict(tokenOut, amountOut, nativeOut)]
  }
}

function withWrappings({ transfers, deposits, withdrawals }: ReceiptFlows, token: Address): TokenTransfer[] {
  return [
    ...transfers,
    ...deposits.map(({ account: to, ...move }) => ({ token, from: ZERO_ADDRESS, to, ...move })),
    ...withdrawals.map(({ account: from, ...move }) => ({ token, from, to: ZERO_ADDRESS, ...move })),
  ].sort((a, b) => a.logIndex - b.logIndex)
}

/** Underlying tokens only pass through the pool. */
function isPoolsCoin(pool: Hop['pool'], token: Address): boolean {
  return (pool.coins ?? tokensOf(pool)).includes(token)
}

function sumOf(transfers: readonly TokenTransfer[]): bigint {
  return transfers.reduce((sum, { from, to, amount }) => (from === to ? sum : sum + amount), 0n)
}

function withoutInterest(transfers: readonly TokenTransfer[], reported: bigint): bigint {
  const interest = sumOf(transfers.filter(({ from }) => from === ZERO_ADDRESS))
  return sumOf(transfers) - (interest * INTEREST_DIVISOR <= reported ? interest : 0n)
}

function isSame(moved: bigint, reported: bigint): boolean {
  return absolute(moved - reported) <= ROUNDING
}

const TOKEN_TOPICS: ReadonlySet<string> = new Set([TRANSFER, APPROVAL])

class EmitterMarks {
  /** Log indexes by emitter, ascending. */
  readonly #marks = new Map<Address, number[]>()
  /** Like `#marks`, but without hops between coins that the pool itself holds. */
  readonly #others = new Map<Address, number[]>()

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

  /** Returns the log index of the emitter's last event before a log, or -1. */
  before(emitter: Address, logIndex: number): number {
    return lastBefore(this.#marks.get(emitter) ?? [], logIndex)
  }

  hasOthers(emitter: Address, after: number, before: number): boolean {
    return lastBefore(this.#others.get(emitter) ?? [], before) > after
  }
}

function lastBefore(places: readonly number[], logIndex: number): number {
  return places[firstWhere(places.length, (index) => present(places[index]) >= logIndex) - 1] ?? -1
}
