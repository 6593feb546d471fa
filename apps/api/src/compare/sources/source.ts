import type { NetworkName } from '@dexfeed/dex'
import type { Figures } from '../explain-difference.ts'

/** A pool, or a token over all its pools. */
export interface Subject {
  /** Null: all pools of the token. */
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

export interface OtherSource {
  /** True if its figures cover the last 24 hours instead of a calendar day. */
  isOfLastDay: boolean
  /** Returns what to compare; null: the pools with the most volume here. */
  subjects(question: Question): readonly Subject[] | null
  /** Returns undefined if the source does not have the subject. @throws with the reason */
  figures(subject: Subject, question: Question): Promise<Figures | undefined>
}
