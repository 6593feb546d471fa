import { isRateLimited } from './outcome.ts'
import type { SurveyLine } from './survey-line.ts'

const CHEAP = { method: 'eth_chainId', params: [] }
/** Sizes of batches, tried in this order until one is served. */
const BATCHES = [20, 5, 2]

/** Finds out how many requests one batch may have. A refusal for the rate shows nothing about that. */
export async function surveyBatch(line: SurveyLine): Promise<{ most: number; isLimit: boolean }> {
  let isLimit = false
  for (const size of BATCHES) {
    const outcomes = await line.batch(Array.from({ length: size }, () => CHEAP))
    const served = outcomes.filter(({ kind }) => kind === 'result').length
    // Single refusals inside a batch are about the rate, or nothing would be served.
    if (served > 0) return { most: size, isLimit }
    isLimit ||= outcomes.some((outcome) => !isRateLimited(outcome))
  }
  return { most: 1, isLimit }
}

/** Finds out how many requests are served together, after a rest. */
export async function surveyRate(line: SurveyLine, burst: number): Promise<{ perS: number; isLimit: boolean }> {
  await line.rest()
  const sent = await Promise.all(Array.from({ length: burst }, () => line.send([CHEAP])))
  const outcomes = sent.flatMap((each) => each.outcomes)
  const refused = outcomes.filter(isRateLimited).length
  return { perS: outcomes.filter(({ kind }) => kind === 'result').length, isLimit: refused > 0 }
}
