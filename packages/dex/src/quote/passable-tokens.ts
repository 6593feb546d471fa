import type { Address } from '../chain/hex.ts'
import { DAY_S } from '../time.ts'

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

/**
 * Tokens that a quote's route may lead through because at least three traders moved them whole from one pool into
 * another within a week, and since they last arrived short: who taxes transfers or lets nobody sell gets no such route.
 * The order in which moves are told makes no difference.
 */
export class PassableTokens {
  readonly #tokens = new Map<Address, MovedToken>()

  /** The first second that counts at a time, in seconds since 1970. */
  static since(now: number): number {
    return now - WINDOW_S
  }

  add(moves: Iterable<TokenMoveAt>): void {
    for (const { token, isWhole, blockNumber, transactionIndex, timestamp, trader } of moves) {
      const moved = this.#tokens.get(token) ?? { whole: [], short: null }
      this.#tokens.set(token, moved)
      const move = { blockNumber, transactionIndex, timestamp, trader }
      if (isWhole) addWhole(moved.whole, move)
      else if (moved.short === null || isNewer(move, moved.short)) moved.short = move
    }
  }

  /** As of a time in seconds since 1970, which must not go back: what is too old is forgotten. */
  at(now: number): Set<Address> {
    const since = PassableTokens.since(now)
    const passable = new Set<Address>()
    for (const [token, moved] of this.#tokens) {
      moved.whole = moved.whole.filter(({ timestamp }) => timestamp > since)
      if (moved.short !== null && moved.short.timestamp <= since) moved.short = null
      const { whole, short } = moved
      if (whole.length === 0 && short === null) this.#tokens.delete(token)
      const oldest = whole[TRADERS - 1]
      if (oldest !== undefined && (short === null || isNewer(oldest, short))) passable.add(token)
    }
    return passable
  }
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
