import { addressTopic, WORD, wordText } from '../../abi/words.ts'
import { type Address, type Hex, type Log, type Transaction, ZERO_ADDRESS } from '../../chain.ts'
import { absolute, larger, smaller } from '../../maths/integers.ts'
import { type Pool, type PoolAddress, tokensOf } from '../../pool.ts'
import { Groups, type ReadonlyTotals } from '../../totals.ts'
import { emitterOf, idOf, keeperOf } from '../../venues/managed-pool.ts'
import { protocolOf } from '../../venues/registry.ts'
import type { DroppedSwap } from '../hops.ts'
import type { Ledger } from '../receipt/ledger.ts'
import { APPROVAL, TRANSFER } from '../receipt/receipt-flows.ts'
import type { Hop } from '../trade.ts'

export interface CountFacts {
  transaction: Transaction
  logs: readonly Log[]
  ledger: Ledger
  hops: readonly Hop[]
  dropped: readonly DroppedSwap[]
  anchors: ReadonlySet<Address>
}

/** Up to this fraction (1/100) of a swap may be missing, because some pools pay out a fee within the swap. */
const MISSING_DIVISOR = 100n

/** What addresses received and gave in total, minus what pools have used up. */
interface Moved {
  into: bigint
  outOf: bigint
}

/**
 * Determines how much of a token a transaction really moved, according to its receipt (docs/internals/usd.md, "Money
 * that goes round"). Amounts that entered a pool are positive.
 */
export class TransactionMoney {
  readonly #facts: CountFacts
  readonly #own = new Map<string, bigint>()
  readonly #moved = new Map<Address, Moved | null>()
  #managed: ManagedLogs | null = null

  constructor(facts: CountFacts) {
    this.#facts = facts
  }

  /** Returns whether the net of a pool's swaps counts in full; if so, uses it up. */
  backs(pool: Pool, token: Address, net: bigint): boolean {
    const backed = this.#backed(pool, token, net, 0n)
    if (backed !== absolute(net)) return false
    this.#use(pool, token, net, backed)
    return true
  }

  /**
   * Returns how much of the net of a pool's swaps counts, and uses it up.
   *
   * @param apart net of the pool's other swaps, which accounts' own transfers cover
   */
  take(pool: Pool, token: Address, net: bigint, apart: bigint): bigint {
    const backed = this.#backed(pool, token, net, apart)
    this.#use(pool, token, net, backed)
    return backed
  }

  #use(pool: Pool, token: Address, net: bigint, backed: bigint): void {
    if (keepsElsewhere(pool, token)) this.#takeMoved(token, net > 0n ? 'into' : 'outOf', backed)
  }

  /** Returns how much of the net of an account's swaps its own transfers cover, and uses it up. */
  takeOwn(account: Address | null, token: Address, net: bigint): bigint {
    if (account === null || account === ZERO_ADDRESS || net === 0n) return 0n
    const key = token + account
    const ownNet = this.#own.get(key) ?? this.#facts.ledger.withCoins(token, this.#facts.transaction).of(account)
    // What enters a pool is what the account gives, so the signs differ.
    const max = ownNet > 0n === net > 0n ? 0n : smaller(absolute(ownNet), absolute(net))
    const covered = this.#takeMoved(token, net > 0n ? 'outOf' : 'into', max)
    this.#own.set(key, ownNet > 0n ? ownNet - covered : ownNet + covered)
    return covered
  }

  /** Uses up part of what all addresses moved: what an account gave cannot also be what a maker gave. */
  #takeMoved(token: Address, side: keyof Moved, max: bigint): bigint {
    const moved = this.#movedOf(token)
    if (moved === null) return max
    const taken = smaller(max, moved[side])
    moved[side] -= taken
    return taken
  }

  /**
   * Returns how much of a net the receipt backs. The rule depends on the kind of pool (see the table in
   * docs/internals/usd.md).
   */
  #backed(pool: Pool, token: Address, net: bigint, apart: bigint): bigint {
    const { holdsTokens, managed } = protocolOf(pool.dex.kind)
    const { ledger } = this.#facts
    const isCoin = token === ledger.wrappedNative
    // Coins leave no transfer, so the pool's events decide.
    const byEvents = () => (this.#hasOtherEvents(pool, token) ? 0n : absolute(net))
    if (keepsElsewhere(pool, token)) {
      if (isCoin && hasCoins(pool)) return byEvents()
      const moved = isCoin && mayMoveCoins(pool) ? null : this.#movedOf(token)
      return moved === null ? absolute(net) : lower(net, net > 0n ? moved.into : moved.outOf)
    }
    if (managed?.balanceChange !== undefined) return lower(net, net + this.#reportedChange(pool, token))
    if (holdsTokens !== true) {
      const change = this.#logs.largestChange(pool, token, net > 0n)
      return change === null || change >= absolute(net) ? 0n : lower(net, absolute(net) - change)
    }
    if (isCoin && mayMoveCoins(pool)) return byEvents()
    const held = ledger.ofToken(token).get(keeperOf(pool))
    return held === undefined ? absolute(net) : lower(net, held - apart)
  }

  #movedOf(token: Address): Moved | null {
    const cached = this.#moved.get(token)
    if (cached !== undefined) return cached
    const { ledger, transaction, hops } = this.#facts
    const moved: Moved = { into: 0n, outOf: 0n }
    const others = new Set(hops.flatMap(({ pool }) => (keepsElsewhere(pool, token) ? [] : [keeperOf(pool)])))
    // The wrapper's contract holds coins for others.
    for (const [address, net] of ledger.withCoins(token, transaction)) {
      if (address === ZERO_ADDRESS || address === ledger.wrappedNative || others.has(address)) continue
      if (net > 0n) moved.into += net
      else moved.outOf -= net
    }
    const found = ledger.ofToken(token).size === 0 ? null : moved
    this.#moved.set(token, found)
    return found
  }

  get #logs(): ManagedLogs {
    this.#managed ??= new ManagedLogs(this.#facts.logs, this.#facts.hops)
    return this.#managed
  }

  #reportedChange(pool: Pool, token: Address): bigint {
    let change = 0n
    const balanceChange = protocolOf(pool.dex.kind).managed?.balanceChange
    if (balanceChange !== undefined) {
      for (const log of this.#logs.of(pool)) change += balanceChange(log, token)
    }
    for (const { event, reason } of this.#facts.dropped) {
      if (reason !== 'liquidity' || event.type !== 'exchange' || event.pool !== pool.address) continue
      if ('token' in event.sold && event.sold.token === token) change += event.soldAmount
      if ('token' in event.bought && event.bought.token === token) change -= event.boughtAmount
    }
    return change
  }

  #hasOtherEvents(pool: Pool, token: Address): boolean {
    const { logs, hops } = this.#facts
    const emitter = emitterOf(pool.address)
    const ofEmitter = hops.filter((hop) => emitterOf(hop.pool.address) === emitter)
    const places = new Set(ofEmitter.map(({ logIndex }) => logIndex))
    const needed = ofEmitter.filter(({ tokenIn, tokenOut }) => tokenIn === token || tokenOut === token).length
    const { isPartOfSwap } = protocolOf(pool.dex.kind)
    let transfers = 0
    return logs.some((log) => {
      const { address, topics, logIndex } = log
      const [topic] = topics
      if (address === token && topic === TRANSFER && topics.length === 3) {
        if (addressTopic(topics, 1) !== emitter && addressTopic(topics, 2) !== emitter) return false
        transfers += 1
        return transfers > needed
      }
      if (address !== emitter || places.has(logIndex) || topic === TRANSFER || topic === APPROVAL) return false
      return isPartOfSwap?.(log) !== true
    })
  }
}

function keepsElsewhere(pool: Pool, token: Address): boolean {
  const { holdsTokens, family } = protocolOf(pool.dex.kind)
  if (holdsTokens === true) return pool.coins !== undefined && !pool.coins.includes(token) && !hasCoins(pool)
  // A wrapper's contract keeps what a Balancer V3 buffer wraps.
  return family !== 'managed' || pool.underlying !== undefined
}

function hasCoins(pool: Pool): boolean {
  return tokensOf(pool).includes(ZERO_ADDRESS)
}

function mayMoveCoins(pool: Pool): boolean {
  const { holdsCoins, amountsReportedBy } = protocolOf(pool.dex.kind)
  return holdsCoins === true || amountsReportedBy === 'maker' || hasCoins(pool)
}

/** Returns the size of a net of swaps, or the change in the pool's holdings if that is smaller by more than a fee. */
function lower(net: bigint, held: bigint): bigint {
  const size = absolute(net)
  const max = absolute(held)
  return max * MISSING_DIVISOR >= size * (MISSING_DIVISOR - 1n) ? size : max
}

/** Indexes the logs about managed pools, because a block may be full of such pools and logs. */
class ManagedLogs {
  readonly #byEmitterAndWord = new Groups<string, Log>()
  readonly #byTopicAndWord = new Groups<string, Log>()

  constructor(logs: readonly Log[], hops: readonly Hop[]) {
    const emitters = new Map<Address, Pool>()
    const foreign = new Set<Hex>()
    for (const { pool } of hops) {
      if (emitterOf(pool.address) === pool.address) continue
      emitters.set(emitterOf(pool.address), pool)
      for (const topic of protocolOf(pool.dex.kind).managed?.foreignTopics ?? []) foreign.add(topic)
    }
    for (const log of logs) {
      const [topic, word] = log.topics
      if (topic !== undefined && word !== undefined && foreign.has(topic)) this.#byTopicAndWord.add(topic + word, log)
      const pool = emitters.get(log.address)
      if (pool === undefined) continue
      const isIdInData = protocolOf(pool.dex.kind).managed?.isIdInData === true
      const ids = isIdInData ? new Set(wordsOf(log.data)) : word === undefined ? [] : [word]
      for (const id of ids) this.#byEmitterAndWord.add(log.address + id, log)
    }
  }

  of({ address }: Pool): readonly Log[] {
    return this.#byEmitterAndWord.of(emitterOf(address) + idWordOf(address))
  }

  /** See `ManagedChanges.largestChange`. Returns 0 for a protocol whose pools change by swaps alone. */
  largestChange(pool: Pool, token: Address, wasPaidIn: boolean): bigint | null {
    const { managed } = protocolOf(pool.dex.kind)
    if (managed?.largestChange === undefined) return 0n
    const id = idWordOf(pool.address)
    const foreign = (managed.foreignTopics ?? []).flatMap((topic) => this.#byTopicAndWord.of(topic + id))
    return managed.largestChange({ pool, token, wasPaidIn, ofPool: this.of(pool), foreign })
  }
}

function idWordOf(pool: PoolAddress): string {
  return `0x${idOf(pool).slice(2).padStart(WORD, '0')}`
}

function wordsOf(data: Hex): Hex[] {
  return Array.from({ length: Math.floor((data.length - 2) / WORD) }, (_, place) => wordText(data, place))
}

/**
 * Returns the size of each token's largest net outside the pools (docs/internals/usd.md, "Closed loops"). Leaves out
 * tokens that must have moved without a log.
 */
export function outsideNets(hops: readonly Hop[], ledger: Ledger, transaction: Transaction): Map<Address, bigint> {
  const venues = new Set<Address>()
  const tokens = new Set<Address>()
  for (const { pool, tokenIn, tokenOut } of hops) {
    venues.add(keeperOf(pool))
    tokens.add(tokenIn).add(tokenOut)
  }
  const { wrappedNative, flows } = ledger
  const largest = new Map<Address, bigint>()
  for (const token of tokens) {
    const nets = ledger.ofToken(token)
    if (nets.size === 0 && mustMove(token, hops)) continue
    const isUnlogged = token === wrappedNative && flows.coins === undefined
    let size = isUnlogged ? absolute(unseenCoins(nets, hops)) : 0n
    for (const [account, net] of isUnlogged ? nets : ledger.withCoins(token, transaction)) {
      if (account !== ZERO_ADDRESS && !venues.has(account)) size = larger(size, absolute(net))
    }
    largest.set(token, size)
  }
  return largest
}

/** Returns whether hops must have moved a token. Only managers can settle several swaps without a transfer. */
function mustMove(token: Address, hops: readonly Hop[]): boolean {
  return hops.some(({ pool, tokenIn, nativeIn, tokenOut, nativeOut }) => {
    const isMoved = (tokenIn === token && !nativeIn) || (tokenOut === token && !nativeOut)
    return isMoved && protocolOf(pool.dex.kind).family !== 'managed'
  })
}

/** Transfers add up to zero, so the wrapper's nets add up to what was wrapped minus what was unwrapped. */
function unseenCoins(wrapped: ReadonlyTotals<Address>, hops: readonly Hop[]): bigint {
  let unseen = 0n
  for (const { nativeIn, amountIn, nativeOut, amountOut } of hops) {
    if (nativeIn) unseen -= amountIn
    if (nativeOut) unseen += amountOut
  }
  for (const net of wrapped.values()) unseen -= net
  return unseen
}
