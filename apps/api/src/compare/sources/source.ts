import type { NetworkName } from '@dexfeed/dex'
import type { Figures } from '../explain-difference.ts'

export interface Subject {
  pool: string | null
  token: string | null
}

export interface Question {
  network: NetworkName
  day: string
  signal: AbortSignal
}

export interface OtherSource {
  isOfLastDay: boolean
  /** Returns what to compare; null for the pools with the most volume here. */
  subjects(question: Question): readonly Subject[] | null
  /** Returns undefined if the source does not have the subject. @throws Error with the reason */
  figures(subject: Subject, question: Question): Promise<Figures | undefined>
}
