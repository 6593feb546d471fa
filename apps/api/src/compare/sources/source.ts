import type { NetworkName } from '@dexfeed/dex'
import type { Figures } from '../explain-difference.ts'

export interface Subject {
  /** Null: all pools of the token. */
  pool: string | null
  token: string | null
}

export interface Question {
  network: NetworkName
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
