import { topicOf } from '../../abi/fragment.ts'
import { MAX_UINT256 } from '../../abi/words.ts'
import type { Log } from '../../chain/block.ts'
import { type Address, type Hex, ZERO_ADDRESS } from '../../chain/hex.ts'
import { tokensOf } from '../../pool.ts'
import { present } from '../../present.ts'
import { emitterOf, keeperOf } from '../../venues/managed-pool.ts'
import { DEX_KINDS, protocolOf } from '../../venues/registry.ts'
import { type ReceiptFlows, receiptFlows, type TokenTransfer } from '../receipt/receipt-flows.ts'
import { isFeeBetweenHops } from '../routes.ts'
import type { Hop } from '../trade.ts'
import { ArrivedTransfers, firstWhere, TransferAmounts } from '../transfer-index.ts'

/** Topics of swaps whose pool takes and pays no coins for their wrapper. */
const WITHOUT_COINS: ReadonlySet<Hex> = new Set(DEX_KINDS.flatMap((kind) => protocolOf(kind).topicsWithoutCoins ?? []))
/** Base units: tokens with internal shares round transferred amounts, and pools may report what arrived. */
const ROUNDING = 2n
/** A token may pay up to this part (1/100) of a transferred amount to its holder as interest, from the zero address. */
const INTEREST_DIVISOR = 100n

/** What the transfers show about an amount of an event: it is correct, it cannot be checked, or the actual amount. */
type Verdict = 'confirmed' | 'unknown' | bigint

/**
 * Returns the hops of a transaction with the amounts that its transfers show, for protocols whose events do not contain
 * the pool's own amounts (`amountsReportedBy`). Marks hops that the transfers do not confirm. Drops a hop if one side
 * did not move at all and its event is not the pool's own. Rules: docs/internals/trades.md. Hops and logs (all of the
 * transaction) are in log order.
 */
export function withMovedAmounts(hops: readonly Hop[], logs: readonly Log[], wrappedNative: Address): readonly Hop[] {
  if (!hops.some(({ pool }) => protocolOf(pool.dex.kind).amountsReportedBy !== undefined)) return hops
  const reader = new MovedAmounts(hops, logs, receiptFlows(logs, wrappedNative), wrappedNative)
  return hops.flatMap((hop) => reader.asMoved(hop) ?? [])
}

class MovedAmounts {
  readonly #wrappedNative: Address
  readonly #amounts: TransferAmounts
  readonly #into: ArrivedTransfers
  readonly #outOf: ArrivedTransfers
  readonly #marks: EmitterMarks
  /** Log indexes of exchanges in which coins may have been paid for their wrapper. */
  readonly #withCoins: ReadonlySet<number>
  /** Log index of the last hop that sold a token to a keeper. */
  readonly #lastSold = new Map<string, number>()
  /** Tokens of keepers that received more or less than reported: the difference may count for a later event. */
  readonly #doubted = new Set<string>()

  constructor(hops: readonly Hop[], logs: readonly Log[], flows: ReceiptFlows, wrappedNative: Address) {
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

  /** Returns the hop with its transferred amounts; null if one token did not move. Call it hop by hop, in log order. */
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

  /** Uses what came in if it is the reported amount plus a fee; else the amount that the pool itself measured. */
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
   * Counts everything that came into the pool since it last sold for the token: the pool takes what is there, whatever
   * the event says. If the pool did something else meanwhile that may have used some of it, only the exact amount
   * confirms the event.
   */
  #intoPool({ pool, tokenIn, amountIn, nativeIn, logIndex }: Hop): Verdict {
    if (nativeIn) return 'confirmed'
    const keeper = keeperOf(pool)
    const emitter = emitterOf(pool.address)
    const key = keeper + tokenIn
    const isOwn = isOwnCoin(pool, tokenIn)
    const since = isOwn ? (this.#lastSold.get(key) ?? -1) : this.#marks.before(emitter, logIndex)
    this.#lastSold.set(key, logIndex)
    const moved = withoutInterest(this.#into.between(tokenIn, keeper, since, logIndex), amountIn)
    if (moved > 0n && isSame(moved, amountIn) && !this.#doubted.has(key)) return 'confirmed'
    if (moved === 0n && this.#mayBeCoins(tokenIn, logIndex)) return 'confirmed'
    this.#doubted.add(key)
    const isMixed = isOwn && this.#marks.hasOthers(emitter, since, logIndex)
    return moved === 0n || isSame(moved, amountIn) || moved > MAX_UINT256 || isMixed ? 'unknown' : moved
  }

  /**
   * A pool computes what it pays: one transfer of that amount, or all transfers together, confirm it. An underlying
   * token may be paid by another account: the lender that keeps it.
   */
  #outOfPool({ pool, tokenOut, amountOut, nativeOut, logIndex }: Hop): Verdict {
    if (nativeOut) return 'confirmed'
    const since = this.#marks.before(emitterOf(pool.address), logIndex)
    const paid = this.#outOf.between(tokenOut, keeperOf(pool), since, logIndex)
    const moved = sumOf(paid)
    if ((moved > 0n && isSame(moved, amountOut)) || paid.some(({ amount }) => isSame(amount, amountOut)))
      return 'confirmed'
    if (!isOwnCoin(pool, tokenOut) && this.#amounts.has(tokenOut, amountOut, since, logIndex)) return 'confirmed'
    if (moved === 0n) return this.#mayBeCoins(tokenOut, logIndex) ? 'confirmed' : 'unknown'
    return moved > MAX_UINT256 ? 'unknown' : moved
  }

  /** Whether coins, which leave no transfer, may have been paid instead of a token. */
  #mayBeCoins(token: Address, logIndex: number): boolean {
    return token === this.#wrappedNative && this.#withCoins.has(logIndex)
  }

  /** Checks both sides against all transfers of the transaction. A maker may be paid coins for their wrapper. */
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

/** All transfers in log order, including wrapped and unwrapped coins. */
function withWrappings({ transfers, deposits, withdrawals }: ReceiptFlows, token: Address): TokenTransfer[] {
  return [
    ...transfers,
    ...deposits.map(({ account: to, ...move }) => ({ token, from: ZERO_ADDRESS, to, ...move })),
    ...withdrawals.map(({ account: from, ...move }) => ({ token, from, to: ZERO_ADDRESS, ...move })),
  ].sort((a, b) => a.logIndex - b.logIndex)
}

/** Whether the pool holds the token itself; underlying tokens of its coins only pass through it. */
function isOwnCoin(pool: Hop['pool'], token: Address): boolean {
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
  return distance(moved, reported) <= ROUNDING
}

function distance(a: bigint, b: bigint): bigint {
  return a < b ? b - a : a - b
}

/** What pools emit as the token of their shares. */
const TOKEN_TOPICS: ReadonlySet<string> = new Set([
  topicOf('event Transfer(address indexed from, address indexed to, uint256 value)'),
  topicOf('event Approval(address indexed owner, address indexed spender, uint256 value)'),
])

/** The log indexes at which the contracts that emit hops emitted anything except transfers of their shares. */
class EmitterMarks {
  /** Ascending, as in the other map. */
  readonly #marks = new Map<Address, number[]>()
  /** Without the hops between two coins that the pool holds itself. */
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

  /** Returns the log index of a contract's last event before a log, or -1. */
  before(emitter: Address, logIndex: number): number {
    return lastBefore(this.#marks.get(emitter) ?? [], logIndex)
  }

  /** Returns whether a contract emitted anything except plain hops after one log and before another. */
  hasOthers(emitter: Address, after: number, before: number): boolean {
    return lastBefore(this.#others.get(emitter) ?? [], before) > after
  }
}

function lastBefore(places: readonly number[], logIndex: number): number {
  return places[firstWhere(places.length, (at) => present(places[at]) >= logIndex) - 1] ?? -1
}
