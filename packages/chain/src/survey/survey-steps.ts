import type { Hex } from '@dexfeed/dex'
import { toQuantity } from '../json-rpc/rpc-value.ts'
import {
  blockOf,
  isRateLimited,
  listOf,
  type Outcome,
  type SurveyedBlock,
  type SurveyLine,
  whyNot,
} from './survey-line.ts'

/** How logs near the head are served. `byTopic` and `receipts` are null if all is well, else the problem. */
export interface LogsServed {
  block: number
  byTopic: string | null
  receipts: string | null
}

export interface RangeServed {
  blocks: number
  isLimit: boolean
  refusal: string | null
}

export interface StartServed {
  block: number
  problem: string | null
  /** Roughly the oldest block that the endpoint keeps; null if it keeps the required one, or if none was found. */
  kept: { block: number; ageS: number } | null
}

export type StartPoint = { block: number } | { ageS: number }

/** Blocks less deep than this may change while the survey runs. */
const SETTLED = 3
const RANGES = [1_000, 100, 10, 1]
/** No contract emits this topic, so that a range costs the endpoint little. */
const NO_TOPIC: Hex = `0x${'d0'.repeat(32)}`
const STEPS = 8

export async function surveyLogs(line: SurveyLine, head: SurveyedBlock, topics: readonly Hex[]): Promise<LogsServed> {
  const number = Math.max(0, head.number - SETTLED)
  const header = await headerAt(line, number)
  const block = blockOf(header)
  if (block === null) return { block: number, byTopic: whyNot(header), receipts: whyNot(header) }
  const logs = await line.request('eth_getLogs', { blockHash: block.hash, topics: [topics] })
  const receipts = await line.request('eth_getBlockReceipts', toQuantity(number))
  const byTopic = problemOf(logs) ?? hiddenLogs(listOf(logs) ?? [], listOf(receipts) ?? [], topics)
  return { block: number, byTopic, receipts: problemOf(receipts) }
}

function hiddenLogs(logs: readonly unknown[], receipts: readonly unknown[], topics: readonly Hex[]): string | null {
  const required = new Set<unknown>(topics)
  const inReceipts = receipts.flatMap((receipt) => (receipt as { logs?: unknown } | null)?.logs ?? [])
  const expected = inReceipts.filter((log) => required.has((log as { topics?: unknown[] } | null)?.topics?.[0])).length
  return logs.length < expected ? `${logs.length} of the ${expected} logs in a block's receipts` : null
}

export async function surveyRange(line: SurveyLine, { number: head }: SurveyedBlock): Promise<RangeServed> {
  const to = Math.max(0, head - SETTLED)
  let refusal: string | null = null
  const sizes = [...RANGES]
  for (let size = sizes.shift(); size !== undefined; size = sizes.shift()) {
    const from = Math.max(0, to - size + 1)
    const filter = { fromBlock: toQuantity(from), toBlock: toQuantity(to), topics: [[NO_TOPIC]] }
    const outcome = await line.request('eth_getLogs', filter)
    if (outcome.kind === 'result') return { blocks: size, isLimit: refusal !== null, refusal }
    refusal ??= outcome.what
    const stated = outcome.kind === 'error' && outcome.verdict.kind === 'range' ? outcome.verdict.maxBlocks : null
    if (stated !== null && stated < size && !sizes.includes(stated)) {
      sizes.splice(0, sizes.findLastIndex((each) => each > stated) + 1, stated)
    }
  }
  return { blocks: 0, isLimit: true, refusal }
}

export async function surveyStart(
  line: SurveyLine,
  head: SurveyedBlock,
  { start, topics, hasReceipts }: { start: StartPoint; topics: readonly Hex[]; hasReceipts: boolean },
): Promise<StartServed> {
  const problemAt = async (number: number) => {
    const header = await headerAt(line, number)
    if (blockOf(header) === null) return whyNot(header)
    const quantity = toQuantity(number)
    const logs = await line.request('eth_getLogs', { fromBlock: quantity, toBlock: quantity, topics: [topics] })
    return problemOf(logs) ?? (hasReceipts ? problemOf(await line.request('eth_getBlockReceipts', quantity)) : null)
  }
  const block = 'block' in start ? start.block : await blockOfAge(line, head, start.ageS)
  if (block > head.number) return { block, problem: `the head is block ${head.number}`, kept: null }
  const problem = await problemAt(block)
  if (problem === null) return { block, problem, kept: null }
  let missing = block
  let kept = head.number
  for (let step = 0; step < STEPS && kept - missing > 1; step++) {
    const middle = (missing + kept) >> 1
    if ((await problemAt(middle)) === null) kept = middle
    else missing = middle
  }
  const oldest = kept === head.number ? null : blockOf(await headerAt(line, kept))
  return { block, problem, kept: oldest && { block: kept, ageS: head.timestamp - oldest.timestamp } }
}

async function blockOfAge(line: SurveyLine, head: SurveyedBlock, ageS: number): Promise<number> {
  const earlier = blockOf(await headerAt(line, Math.max(0, head.number - 1_000)))
  const seconds = earlier === null ? 0 : head.timestamp - earlier.timestamp
  if (earlier === null || seconds <= 0) return head.number
  return Math.max(0, head.number - Math.ceil((ageS * (head.number - earlier.number)) / seconds))
}

function headerAt(line: SurveyLine, number: number): Promise<Outcome> {
  return line.request('eth_getBlockByNumber', toQuantity(number), false)
}

function problemOf(outcome: Outcome): string | null {
  return listOf(outcome) === null ? whyNot(outcome) : null
}

const CHEAP = { method: 'eth_chainId', params: [] }
const BATCHES = [20, 5, 2]

/** Finds a batch size that is served. A refusal for the rate shows nothing about the size. */
export async function surveyBatch(line: SurveyLine): Promise<{ maxSize: number; isLimit: boolean }> {
  let isLimit = false
  for (const size of BATCHES) {
    const outcomes = await line.batch(Array.from({ length: size }, () => CHEAP))
    const served = outcomes.filter(({ kind }) => kind === 'result').length
    // Refusals inside a batch are about the rate: a batch that is too large is refused as a whole.
    if (served > 0) return { maxSize: size, isLimit }
    isLimit ||= outcomes.some((outcome) => !isRateLimited(outcome))
  }
  return { maxSize: 1, isLimit }
}

export async function surveyRate(line: SurveyLine, burst: number): Promise<{ perS: number; isLimit: boolean }> {
  await line.rest()
  const sent = await Promise.all(Array.from({ length: burst }, () => line.send([CHEAP])))
  const outcomes = sent.flatMap((each) => each.outcomes)
  const refused = outcomes.filter(isRateLimited).length
  return { perS: outcomes.filter(({ kind }) => kind === 'result').length, isLimit: refused > 0 }
}
