import { topicOf } from '../../abi/fragment.ts'
import { addressTopic } from '../../abi/words.ts'
import type { Log, Transaction } from '../../chain/block.ts'
import { type Address, ZERO_ADDRESS } from '../../chain/hex.ts'
import { absolute, smaller } from '../../maths/integers.ts'
import { type Pool, tokensOf } from '../../pool.ts'
import { emitterOf, keeperOf } from '../../venues/managed-pool.ts'
import { protocolOf } from '../../venues/registry.ts'
import type { DroppedSwap } from '../hops.ts'
import { TRANSFER } from '../receipt/receipt-flows.ts'
import { ManagedLogs } from './managed-changes.ts'
import type { NetFacts } from './outside-nets.ts'

/** What counting needs of a transaction. */
export interface CountFacts extends NetFacts {
  transaction: Transaction
  /** All of the transaction, in log order. */
  logs: readonly Log[]
  dropped: readonly DroppedSwap[]
  /** Tokens with a price: only their amounts give values. */
  anchors: ReadonlySet<Address>
}

const APPROVAL = topicOf('event Approval(address indexed owner, address indexed spender, uint256 value)')

/** Up to this part (1/100) of an amount may be missing: some pools pay a fee out within the swap. */
const FEE_DIVISOR = 100n

/** What addresses received of a token in total, and what they gave, as far as no pool has used it up. */
interface Moved {
  into: bigint
  outOf: bigint
}

/**
 * How much a transaction really moved of some tokens, as its receipt shows it. Amounts of a pool are signed: what
 * entered it is positive.
 */
export class TransactionMoney {
  readonly #facts: CountFacts
  /** What is left of accounts' own nets, by token and account. */
  readonly #own = new Map<string, bigint>()
  readonly #moved = new Map<Address, Moved | null>()
  // Computed at the first use.
  #managed: ManagedLogs | null = null

  constructor(facts: CountFacts) {
    this.#facts = facts
  }

  /** Returns whether the net of the swaps with a pool counts in full. If so, uses it up. */
  backs(pool: Pool, token: Address, net: bigint): boolean {
    if (this.#backed(pool, token, net, 0n) !== absolute(net)) return false
    this.take(pool, token, net, 0n)
    return true
  }

  /**
   * Returns how much of a net of swaps with a pool counts, and uses it up.
   *
   * @param apart net of the pool's other swaps: accounts' own transfers cover them
   */
  take(pool: Pool, token: Address, net: bigint, apart: bigint): bigint {
    const backed = this.#backed(pool, token, net, apart)
    if (keepsElsewhere(pool, token)) this.#takeMoved(token, net > 0n ? 'into' : 'outOf', backed)
    return backed
  }

  /** Returns how much of the net of an account's swaps its own transfers cover, and uses it up. */
  takeOwn(account: Address | null, token: Address, net: bigint): bigint {
    if (account === null || account === ZERO_ADDRESS || net === 0n) return 0n
    const key = token + account
    const own = this.#own.get(key) ?? this.#facts.ledger.withCoins(token, this.#facts.transaction).of(account)
    // What entered a pool is what the account gave.
    const most = own > 0n === net > 0n ? 0n : smaller(absolute(own), absolute(net))
    const covered = this.#takeMoved(token, net > 0n ? 'outOf' : 'into', most)
    this.#own.set(key, own > 0n ? own - covered : own + covered)
    return covered
  }

  /** Uses up a part of what moved, and returns it. What an account gave cannot also be what a maker gave. */
  #takeMoved(token: Address, side: keyof Moved, most: bigint): bigint {
    const moved = this.#movedOf(token)
    if (moved === null) return most
    const taken = smaller(most, moved[side])
    moved[side] -= taken
    return taken
  }

  #backed(pool: Pool, token: Address, net: bigint, apart: bigint): bigint {
    const { holdsTokens, managed } = protocolOf(pool.dex.kind)
    const { wrappedNative } = this.#facts.ledger
    if (keepsElsewhere(pool, token)) {
      if (token === wrappedNative && hasCoins(pool)) return this.#hasOtherEvents(pool, token) ? 0n : absolute(net)
      const moved = mayMoveCoins(pool, token, wrappedNative) ? null : this.#movedOf(token)
      return moved === null ? absolute(net) : lower(net, net > 0n ? moved.into : moved.outOf)
    }
    if (managed?.balanceChange !== undefined) return lower(net, net + this.#toldChange(pool, token))
    if (holdsTokens !== true) {
      const change = this.#logs.largestChange(pool, token, net > 0n)
      return change === null || change >= absolute(net) ? 0n : lower(net, absolute(net) - change)
    }
    if (mayMoveCoins(pool, token, wrappedNative)) return this.#hasOtherEvents(pool, token) ? 0n : absolute(net)
    const held = this.#facts.ledger.ofToken(token).get(keeperOf(pool))
    return held === undefined ? absolute(net) : lower(net, held - apart)
  }

  /** Returns what is left of all that moved of a token outside of other pools; null if no transfer shows any. */
  #movedOf(token: Address): Moved | null {
    const known = this.#moved.get(token)
    if (known !== undefined) return known
    const moved: Moved = { into: 0n, outOf: 0n }
    const others = new Set(
      this.#facts.hops.flatMap(({ pool }) => (keepsElsewhere(pool, token) ? [] : [keeperOf(pool)])),
    )
    // What lies in the wrapper is its holders'.
    const { ledger, transaction } = this.#facts
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

  /** Returns what a manager's logs say that a pool changed by beside its hops. */
  #toldChange(pool: Pool, token: Address): bigint {
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

  /** Whether a pool's emitter did anything beside its hops, or was part of more transfers than they need. */
  #hasOtherEvents(pool: Pool, token: Address): boolean {
    const { logs, hops } = this.#facts
    const emitter = emitterOf(pool.address)
    const own = hops.filter((hop) => emitterOf(hop.pool.address) === emitter)
    const places = new Set(own.map(({ logIndex }) => logIndex))
    let transfers = own.filter(({ tokenIn, tokenOut }) => tokenIn === token || tokenOut === token).length
    const { isPartOfSwap } = protocolOf(pool.dex.kind)
    return logs.some((log) => {
      const { address, topics, logIndex } = log
      const [topic] = topics
      if (address === token && topic === TRANSFER && topics.length === 3) {
        return (addressTopic(topics, 1) === emitter || addressTopic(topics, 2) === emitter) && transfers-- === 0
      }
      if (address !== emitter || places.has(logIndex) || topic === TRANSFER || topic === APPROVAL) return false
      return isPartOfSwap?.(log) !== true
    })
  }
}

/** Whether other contracts keep a token of a pool: a maker, a lender, or a common contract of many pools. */
function keepsElsewhere(pool: Pool, token: Address): boolean {
  const { holdsTokens, family } = protocolOf(pool.dex.kind)
  if (holdsTokens === true) return pool.coins !== undefined && !pool.coins.includes(token) && !hasCoins(pool)
  // A wrapper's contract keeps what a buffer of Balancer V3 wraps.
  return family !== 'managed' || pool.underlying !== undefined
}

function hasCoins(pool: Pool): boolean {
  return tokensOf(pool).includes(ZERO_ADDRESS)
}

/** Whether a pool may have been paid, or have paid, coins for a token, which leaves no transfer. */
function mayMoveCoins(pool: Pool, token: Address, wrappedNative: Address): boolean {
  const { holdsCoins, amountsReportedBy } = protocolOf(pool.dex.kind)
  return token === wrappedNative && (holdsCoins === true || amountsReportedBy === 'maker' || hasCoins(pool))
}

/** Returns the size of a net of swaps, or what the pool's holdings changed by if that is less. */
function lower(net: bigint, held: bigint): bigint {
  const size = absolute(net)
  const most = absolute(held)
  return most * FEE_DIVISOR >= size * (FEE_DIVISOR - 1n) ? size : most
}
