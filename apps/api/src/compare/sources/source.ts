import type { NetworkName } from '@dexfeed/dex'
import type { Figures } from '../explain-difference.ts'

/** A pool, or a token over all its pools, whose figures are compared. */
export interface Subject {
  /** Null means all pools of the token. */
  pool: string | null
  /** The token whose price is shown; null: the pool's base token. */
  token: string | null
}

export interface Question {
  network: NetworkName
  /** YYYY-MM-DD, UTC. */
  day: string
  signal: AbortSignal
}

/** Another source of prices and volumes. */
export interface OtherSource {
  /** True if its figures cover the last 24 hours instead of a calendar day. */
  isOfLastDay: boolean
  /** Returns what to compare; null: the pools with the most volume here. */
  subjects(question: Question): readonly Subject[] | null
  /** Returns the figures of a subject; undefined if it does not have it. @throws with the reason */
  figures(subject: Subject, question: Question): Promise<Figures | undefined>
}
