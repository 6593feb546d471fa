import type { Address } from '../chain/hex.ts'
import { DAY_S, HOUR_S } from '../time.ts'

/** So many traders must have moved a token whole for routes to lead through it, in so many seconds up to now. */
const TRADERS = 3
const WINDOW_S = 7 * DAY_S

/** A move with its place on the chain. */
export interface TokenMoveAt {
  token: Address
  /** It arrived as it left: nothing was kept on the way. */
  isWhole: boolean
  blockNumber: number
  transactionIndex: number
  /** Seconds since 1970. */
  timestamp: number
  trader: Address | null
}

type Known = Pick<TokenMoveAt, 'blockNumber' | 'transactionIndex' | 'timestamp' | 'trader'>

interface MovedToken {
  /** The newest whole move of each of the traders who moved it last, newest first. */
  whole: Known[]
  /** The newest that arrived short. */
  short: Known | null
}

/** So long what is too old is kept all the same: a rollback takes the time of the head back a little. */
const MARGIN_S = HOUR_S

/**
 * Tokens that a quote's route may lead through because at least three traders moved them whole from one pool into
 * another within a week, and since they last arrived short: who taxes transfers or lets nobody sell gets no such route.
 * The order in which moves are told makes no difference. Moves of reorgable blocks can be rolled back.
 */
export class PassableTokens {
  /** By the moves of final blocks. */
  readonly #settled = new Map<Address, MovedToken>()
  /** The moves of reorgable blocks, and the tokens that have such by all of their moves. */
  #recent: TokenMoveAt[] = []
  readonly #unsettled = new Map<Address, MovedToken>()

  /** The first second that counts at a time, in seconds since 1970. */
  static since(now: number): number {
    return now - WINDOW_S
  }

  /** @param finalNumber moves above this block may be rolled back; without one, none */
  add(moves: Iterable<TokenMoveAt>, finalNumber = Number.POSITIVE_INFINITY): void {
    for (const move of moves) {
      if (move.blockNumber > finalNumber) {
        this.#recent.push(move)
        addMove(this.#unsettledOf(move.token), move)
      } else {
        const settled = this.#settled.get(move.token) ?? { whole: [], short: null }
        this.#settled.set(move.token, settled)
        addMove(settled, move)
        const unsettled = this.#unsettled.get(move.token)
        if (unsettled !== undefined) addMove(unsettled, move)
      }
    }
  }

  /** From now on moves up to this block cannot be rolled back. */
  settle(finalNumber: number): void {
    if (this.#recent.every(({ blockNumber }) => blockNumber > finalNumber)) return
    this.#addRecentAgain(this.#recent, finalNumber)
  }

  /** Forgets the moves above a block, which is final or reorgable. */
  rollBack(ancestor: number): void {
    this.#addRecentAgain(
      this.#recent.filter(({ blockNumber }) => blockNumber <= ancestor),
      Number.NEGATIVE_INFINITY,
    )
  }

  /** As of a time in seconds since 1970; what is older than a week then is forgotten soon. */
  at(now: number): Set<Address> {
    const since = PassableTokens.since(now)
    const passable = new Set<Address>()
    for (const [token, moved] of this.#settled) {
      if (!this.#unsettled.has(token) && isPassable(moved, since)) passable.add(token)
      if (isOlder(moved, since - MARGIN_S)) this.#settled.delete(token)
    }
    for (const [token, moved] of this.#unsettled) if (isPassable(moved, since)) passable.add(token)
    return passable
  }

  #addRecentAgain(moves: readonly TokenMoveAt[], finalNumber: number): void {
    this.#recent = []
    this.#unsettled.clear()
    this.add(moves, finalNumber)
  }

  #unsettledOf(token: Address): MovedToken {
    let moved = this.#unsettled.get(token)
    if (moved === undefined) {
      const settled = this.#settled.get(token)
      moved = { whole: [...(settled?.whole ?? [])], short: settled?.short ?? null }
      this.#unsettled.set(token, moved)
    }
    return moved
  }
}

function isPassable({ whole, short }: MovedToken, since: number): boolean {
  const oldest = whole[TRADERS - 1]
  if (oldest === undefined || whole.some(({ timestamp }) => timestamp <= since)) return false
  return short === null || short.timestamp <= since || isNewer(oldest, short)
}

function isOlder({ whole, short }: MovedToken, since: number): boolean {
  return whole.every(({ timestamp }) => timestamp <= since) && (short === null || short.timestamp <= since)
}

function addMove(moved: MovedToken, { isWhole, blockNumber, transactionIndex, timestamp, trader }: TokenMoveAt): void {
  const move = { blockNumber, transactionIndex, timestamp, trader }
  if (isWhole) addWhole(moved.whole, move)
  else if (moved.short === null || isNewer(move, moved.short)) moved.short = move
}

function addWhole(whole: Known[], move: Known): void {
  if (move.trader === null) return
  const own = whole.findIndex(({ trader }) => trader === move.trader)
  if (own >= 0) {
    if (!isNewer(move, whole[own] as Known)) return
    whole.splice(own, 1)
  }
  const at = whole.findIndex((other) => isNewer(move, other))
  whole.splice(at < 0 ? whole.length : at, 0, move)
  whole.length = Math.min(whole.length, TRADERS)
}

function isNewer(a: Known, b: Known): boolean {
  return a.blockNumber === b.blockNumber ? a.transactionIndex > b.transactionIndex : a.blockNumber > b.blockNumber
}
