import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '@dexfeed/dex'

/** What the API answered while the indexer was at work. */
export interface QuoteAnswers {
  asked: number
  /** By HTTP status; 0: no answer. */
  statuses: Record<number, number>
  /** Answers that were marked as perhaps not the best. */
  partial: number
  /** Milliseconds of the slowest. */
  slowest: number
  /** Seconds from the first question until it was ready; null: never. */
  readyAfterS: number | null
}

export interface QuoteQuestion {
  network: string
  sellToken: string
  buyToken: string
}

const TIMEOUT_MS = 5 * SECOND

/** Asks the API for a quote each second, of the questions in turn, and whether it is ready. Ends with the signal. */
export async function askQuotes(
  url: string,
  questions: readonly QuoteQuestion[],
  signal: AbortSignal,
): Promise<QuoteAnswers> {
  const answers: QuoteAnswers = { asked: 0, statuses: {}, partial: 0, slowest: 0, readyAfterS: null }
  const started = performance.now()
  for (let i = 0; !signal.aborted; i++) {
    const question = questions[i % questions.length]
    if (question === undefined) return answers
    if (answers.readyAfterS === null && (await statusOf(`${url}/readyz`)).status === 200) {
      answers.readyAfterS = (performance.now() - started) / SECOND
    }
    const asked = performance.now()
    const { status, partial } = await statusOf(`${url}/api/quote?${new URLSearchParams({ ...question })}`)
    answers.asked++
    answers.statuses[status] = (answers.statuses[status] ?? 0) + 1
    answers.partial += partial ? 1 : 0
    answers.slowest = Math.max(answers.slowest, performance.now() - asked)
    await delay(SECOND, undefined, { signal }).catch(() => undefined)
  }
  return answers
}

async function statusOf(url: string): Promise<{ status: number; partial: boolean }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    await response.arrayBuffer()
    return { status: response.status, partial: response.headers.get('x-quote-partial') === 'true' }
  } catch {
    return { status: 0, partial: false }
  }
}
