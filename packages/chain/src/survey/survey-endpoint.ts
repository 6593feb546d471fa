import { type Hex, MINUTE, NETWORKS, type NetworkName, SECOND } from '@dexfeed/dex'
import { maskUrl } from '../transport/mask-url.ts'
import { blockOf, quantityOf, SurveyLine, whyNot } from './survey-line.ts'
import {
  type LogsServed,
  type RangeServed,
  type StartPoint,
  type StartServed,
  surveyBatch,
  surveyLogs,
  surveyRange,
  surveyRate,
  surveyStart,
} from './survey-steps.ts'

/** What one endpoint really serves. A field is null if it is not known, usually because the survey ended early. */
export interface EndpointSurvey {
  url: string
  requests: number
  /** Why the survey ended early; null if it is complete. */
  failure: string | null
  chainId: number | null
  head: { number: number; timestamp: number } | null
  /** This machine's clock minus the endpoint's, in milliseconds; null if its responses have no date. */
  clockOffsetMs: number | null
  finalized: number | null
  logs: LogsServed | null
  range: RangeServed | null
  batch: { maxSize: number; isLimit: boolean } | null
  rate: { perS: number; isLimit: boolean } | null
  start: StartServed | null
}

export interface SurveyOptions {
  network: NetworkName
  url: string
  topics: readonly Hex[]
  start: StartPoint
  perS: number | null
  now?: () => number
  /** Default: 45 s. */
  timeoutMs?: number
}

const TIMEOUT_MS = (3 * MINUTE) / 4
const PAUSE_MS = SECOND / 10
/** As many requests as an indexer sends concurrently. */
const BURST = 12

/**
 * Surveys an endpoint with at most 110 small requests, one after another except for a burst of 12. Never throws because
 * of the endpoint.
 */
export async function surveyEndpoint(options: SurveyOptions): Promise<EndpointSurvey> {
  const { network, url, perS, now = Date.now, timeoutMs = TIMEOUT_MS } = options
  const signal = AbortSignal.timeout(timeoutMs)
  const pauseMs = Math.max(PAUSE_MS, perS === null ? 0 : SECOND / perS)
  const line = new SurveyLine({ url, now, pauseMs, signal })
  const survey: EndpointSurvey = { ...EMPTY, url: maskUrl(url) }
  try {
    survey.failure = await fill(survey, line, NETWORKS[network].chainId, options)
    if (signal.aborted) survey.failure ??= `the survey took longer than ${timeoutMs / SECOND} s`
  } finally {
    await line.close()
  }
  survey.requests = line.sent
  survey.clockOffsetMs = medianOf(line.offsetsMs)
  return survey
}

const EMPTY: EndpointSurvey = {
  url: '',
  requests: 0,
  failure: null,
  chainId: null,
  head: null,
  clockOffsetMs: null,
  finalized: null,
  logs: null,
  range: null,
  batch: null,
  rate: null,
  start: null,
}

async function fill(
  survey: EndpointSurvey,
  line: SurveyLine,
  chainId: number,
  { topics, start, perS }: SurveyOptions,
): Promise<string | null> {
  const first = await line.request('eth_chainId')
  survey.chainId = quantityOf(first)
  if (survey.chainId === null) return whyNot(first)
  if (survey.chainId !== chainId) return null
  const latest = await line.request('eth_getBlockByNumber', 'latest', false)
  const head = blockOf(latest)
  if (head === null) return whyNot(latest)
  survey.head = head
  survey.finalized = blockOf(await line.request('eth_getBlockByNumber', 'finalized', false))?.number ?? null
  survey.logs = await surveyLogs(line, head, topics)
  survey.range = await surveyRange(line, head)
  survey.batch = await surveyBatch(line)
  survey.rate = await surveyRate(line, Math.max(1, Math.min(BURST, perS ?? BURST)))
  survey.start = await surveyStart(line, head, { start, topics, hasReceipts: survey.logs.receipts === null })
  return null
}

function medianOf(values: readonly number[]): number | null {
  return values.toSorted((number, other) => number - other)[values.length >> 1] ?? null
}
