import type { Address } from '../chain.ts'
import { DAY_S, HOUR_S } from '../time.ts'

/** This many traders must have moved a token whole within this period. */
const TRADERS = 3
const WINDOW_S = 7 * DAY_S

export interface TokenMoveAt {
  token: Address
  isWhole: boolean
  blockNumber: number
  transactionIndex: number
  /** In seconds since 1970. */
  timestamp: number
  trader: Address | null
}

type Move = Omit<TokenMoveAt, 'token' | 'isWhole'>

interface MovedToken {
  /** The latest move of each of the last three traders, newest first. */
  whole: Move[]
  short: Move | null
  moves: number
  shorts: number
}

/** A rollback can move the head's time back slightly, so expired moves are kept this much longer. */
const MARGIN_S = HOUR_S
/** Tokens whose moves expire within the same span are checked together. */
const SPAN_S = HOUR_S / 6

/**
 * Tokens that routes may use as intermediates: at least three traders moved them whole between pools within a week, and
 * since they last arrived short. So tokens that tax transfers or block sales are not used.
 *
 * Moves may be added in any order; those of reorgable blocks can be rolled back. An update checks only tokens with
 * changed or expired moves: a few of tens of thousands.
 */
export class PassableTokens {
  readonly #settled = new Map<Address, MovedToken>()
  #recent: TokenMoveAt[] = []
  readonly #unsettled = new Map<Address, MovedToken>()
  readonly #passable = new Set<Address>()
  readonly #short = new Set<Address>()
  readonly #changed = new Set<Address>()
  readonly #spanOf = new Map<Address, number>()
  readonly #tokensOf = new Map<number, Set<Address>>()
  #since = Number.NEGATIVE_INFINITY

  /** Returns the time after which moves count; both times are in seconds since 1970. */
  static since(now: number): number {
    return now - WINDOW_S
  }

  /** @param finalNumber moves in later blocks may be rolled back */
  add(moves: Iterable<TokenMoveAt>, finalNumber = Number.POSITIVE_INFINITY): void {
    for (const move of moves) {
      this.#changed.add(move.token)
      if (move.blockNumber > finalNumber) {
        this.#recent.push(move)
        addMove(this.#unsettledOf(move.token), move)
      } else {
        const settled = this.#settled.get(move.token) ?? { whole: [], short: null, moves: 0, shorts: 0 }
        this.#settled.set(move.token, settled)
        addMove(settled, move)
        const unsettled = this.#unsettled.get(move.token)
        if (unsettled !== undefined) addMove(unsettled, move)
      }
    }
  }

  settle(finalNumber: number): void {
    if (this.#recent.every(({ blockNumber }) => blockNumber > finalNumber)) return
    this.#addRecentAgain(this.#recent, finalNumber)
  }

  rollBack(ancestor: number): void {
    this.#addRecentAgain(
      this.#recent.filter(({ blockNumber }) => blockNumber <= ancestor),
      Number.NEGATIVE_INFINITY,
    )
  }

  counts(token: Address): { moves: number; short: number } {
    const { moves = 0, shorts = 0 } = this.#unsettled.get(token) ?? this.#settled.get(token) ?? {}
    return { moves, short: shorts }
  }

  get passable(): ReadonlySet<Address> {
    return this.#passable
  }

  /** Tokens that arrived short within a week, as of the last update. */
  get short(): ReadonlySet<Address> {
    return this.#short
  }

  /**
   * Applies the added moves as of a time in seconds. Returns the tokens whose membership in `passable` or `short`
   * changed.
   */
  update(now: number): Address[] {
    const since = PassableTokens.since(now)
    const isBack = since < this.#since
    const checked = new Set(isBack ? [...this.#settled.keys(), ...this.#unsettled.keys()] : this.#due(since))
    for (const token of this.#changed) checked.add(token)
    this.#changed.clear()
    this.#since = since
    return [...checked].filter((token) => this.#check(token, since))
  }

  *#due(since: number): Generator<Address> {
    for (const [span, tokens] of this.#tokensOf) if (span <= Math.floor(since / SPAN_S)) yield* tokens
  }

  #check(token: Address, since: number): boolean {
    const moved = this.#unsettled.get(token) ?? this.#settled.get(token)
    const isChanged = setMember(this.#passable, token, moved !== undefined && isPassable(moved, since))
    const isShort = moved !== undefined && moved.short !== null && moved.short.timestamp > since
    const isShortChanged = setMember(this.#short, token, isShort)
    const isExpired = moved === undefined || isOlder(moved, since - MARGIN_S)
    if (isExpired) this.#settled.delete(token)
    this.#checkAgainIn(token, isExpired ? null : Math.floor(nextChange(moved, since) / SPAN_S))
    return isChanged || isShortChanged
  }

  #checkAgainIn(token: Address, span: number | null): void {
    const before = this.#spanOf.get(token)
    if (before === span) return
    if (before !== undefined) {
      const tokens = this.#tokensOf.get(before)
      tokens?.delete(token)
      if (tokens?.size === 0) this.#tokensOf.delete(before)
    }
    if (span === null) {
      this.#spanOf.delete(token)
      return
    }
    this.#spanOf.set(token, span)
    const tokens = this.#tokensOf.get(span) ?? new Set()
    this.#tokensOf.set(span, tokens.add(token))
  }

  #addRecentAgain(moves: readonly TokenMoveAt[], finalNumber: number): void {
    this.#recent = []
    for (const token of this.#unsettled.keys()) this.#changed.add(token)
    this.#unsettled.clear()
    this.add(moves, finalNumber)
  }

  #unsettledOf(token: Address): MovedToken {
    let moved = this.#unsettled.get(token)
    if (moved === undefined) {
      const settled = this.#settled.get(token)
      const { short = null, moves = 0, shorts = 0 } = settled ?? {}
      moved = { whole: [...(settled?.whole ?? [])], short, moves, shorts }
      this.#unsettled.set(token, moved)
    }
    return moved
  }
}

function setMember(tokens: Set<Address>, token: Address, isMember: boolean): boolean {
  if (tokens.has(token) === isMember) return false
  if (isMember) tokens.add(token)
  else tokens.delete(token)
  return true
}

function isPassable({ whole, short }: MovedToken, since: number): boolean {
  const oldest = whole[TRADERS - 1]
  if (oldest === undefined || whole.some(({ timestamp }) => timestamp <= since)) return false
  return short === null || short.timestamp <= since || isNewer(oldest, short)
}

/** Returns the value of `since` at which the next move expires, or at which all are dropped. */
function nextChange({ whole, short }: MovedToken, since: number): number {
  const times = [...whole, ...(short === null ? [] : [short])].map(({ timestamp }) => timestamp)
  const later = times.filter((timestamp) => timestamp > since)
  return later.length > 0 ? Math.min(...later) : Math.max(...times) + MARGIN_S
}

function isOlder({ whole, short }: MovedToken, since: number): boolean {
  return whole.every(({ timestamp }) => timestamp <= since) && (short === null || short.timestamp <= since)
}

function addMove(moved: MovedToken, { isWhole, blockNumber, transactionIndex, timestamp, trader }: TokenMoveAt): void {
  const move = { blockNumber, transactionIndex, timestamp, trader }
  moved.moves++
  if (!isWhole) moved.shorts++
  if (isWhole) addWhole(moved.whole, move)
  else if (moved.short === null || isNewer(move, moved.short)) moved.short = move
}

function addWhole(whole: Move[], move: Move): void {
  if (move.trader === null) return
  const earlier = whole.findIndex(({ trader }) => trader === move.trader)
  if (earlier >= 0) {
    if (!isNewer(move, whole[earlier] as Move)) return
    whole.splice(earlier, 1)
  }
  const place = whole.findIndex((other) => isNewer(move, other))
  whole.splice(place < 0 ? whole.length : place, 0, move)
  whole.length = Math.min(whole.length, TRADERS)
}

function isNewer(a: Move, b: Move): boolean {
  return a.blockNumber === b.blockNumber ? a.transactionIndex > b.transactionIndex : a.blockNumber > b.blockNumber
}
