import type { EndpointSurvey } from '@dexfeed/chain'
import { DAY_S, NETWORK_NAMES, NETWORKS, type NetworkName, SECOND } from '@dexfeed/dex'
import { durationText } from '../status/status-text.ts'
import type { Finding } from './finding.ts'

export interface EndpointNeed {
  network: NetworkName
  /** Requests per second that following the head takes. */
  headPerS: number
  /** The configured budget in requests per second. */
  perS: number | null
  days: number
  hasArchive: boolean
  startIsElsewhere: boolean
  /** Milliseconds since 1970. */
  now: number
}

/** A node that lags more than this cannot be followed. */
const OLD_HEAD_S = 120
/** With fewer blocks per eth_getLogs, history takes too many requests. */
const MIN_RANGE = 20
const GOOD_RANGE = 100

/** Returns an endpoint's faults. Unless one is a failure, a line on what the endpoint serves comes first. */
export function judgeEndpoint(survey: EndpointSurvey, need: EndpointNeed): Finding[] {
  const about = `${need.network} ${survey.url}`
  const broken = judgeAccess(survey, need)
  const faults = broken !== null ? [broken] : FAULTS.flatMap((judge) => judge(survey, need) ?? [])
  const findings = faults.map((fault): Finding => ({ about, ...fault }))
  if (findings.some(({ verdict }) => verdict === 'fail')) return findings
  return [{ verdict: 'ok', about, message: served(survey) }, ...findings]
}

type Fault = Omit<Finding, 'about'>
type Judge = (survey: EndpointSurvey, need: EndpointNeed) => Fault | null

function judgeAccess({ failure, chainId }: EndpointSurvey, { network }: EndpointNeed): Fault | null {
  if (failure !== null) {
    const advice = /HTML page/.test(failure)
      ? 'the URL leads to a web page or to a gateway in front of the node: copy the RPC URL with its key from the provider'
      : 'check the URL and key, and whether the node runs and can be reached from here'
    return { verdict: 'fail', message: `does not serve RPC: ${failure}`, meaning: 'nothing is read from it', advice }
  }
  if (chainId === NETWORKS[network].chainId) return null
  const other = NETWORK_NAMES.find((name) => NETWORKS[name].chainId === chainId)
  const message = `serves chain ${chainId}${other ? ` (${other})` : ''}, expected ${NETWORKS[network].chainId}`
  const advice = other ? `move it to ${other.toUpperCase()}_RPC_URL` : `remove it from ${network.toUpperCase()}_RPC_URL`
  return { verdict: 'fail', message, meaning: 'the indexer refuses to start', advice }
}

const judgeHead: Judge = ({ head, clockOffsetMs }, { now }) => {
  if (head === null) return null
  // Without a date in the responses, trust this machine's clock.
  const age = (now - (clockOffsetMs ?? 0)) / SECOND - head.timestamp
  if (age <= OLD_HEAD_S) return null
  return {
    verdict: 'fail',
    message: `its newest block ${head.number} is ${durationText(age)} old`,
    meaning: 'prices and lists would be as old, and quotes fail with 503',
    advice: 'wait until the node has caught up with its chain, or use another endpoint',
  }
}

const judgeLogs: Judge = ({ logs }) => {
  if (logs === null || logs.byTopic === null) return null
  return {
    verdict: 'fail',
    message: `serves no logs by topic: ${logs.byTopic}`,
    meaning: 'no past swaps can be found with it',
    advice: 'use a node that serves eth_getLogs without addresses; most free BNB Chain endpoints do not',
  }
}

const judgeReceipts: Judge = ({ logs }) => {
  if (logs === null || logs.receipts === null) return null
  return {
    verdict: 'warn',
    message: `serves no receipts of whole blocks: ${logs.receipts}`,
    meaning: 'logs are not proven, only compared with another endpoint',
    advice: 'use a node that serves eth_getBlockReceipts',
  }
}

const judgeRange: Judge = ({ range, logs }, { network, days, hasArchive }) => {
  if (range === null || logs?.byTopic !== null || range.blocks >= GOOD_RANGE || !range.isLimit || hasArchive)
    return null
  const requests = Math.ceil((days * DAY_S) / NETWORKS[network].minBlockTimeS / Math.max(1, range.blocks))
  const archive = `${network.toUpperCase()}_HISTORY_URL`
  return {
    verdict: range.blocks < MIN_RANGE ? 'fail' : 'warn',
    message: `serves logs of ${range.blocks} blocks per request, and not of more: ${range.refusal}`,
    meaning: `the logs of ${days} days take about ${requests.toLocaleString('en')} requests`,
    advice: `use a plan or an endpoint with ranges of at least ${GOOD_RANGE} blocks, or an archive (${archive})`,
  }
}

const judgeBatch: Judge = ({ batch }, { headPerS }) => {
  if (batch === null || batch.maxSize > 1 || !batch.isLimit) return null
  return {
    verdict: 'warn',
    message: 'serves one request per HTTP message, no batches',
    meaning: `each request is a separate message: about ${Math.ceil(headPerS)} per second at the head, and slower history`,
    advice: 'enable batches at the provider or in the node (geth: --rpc.batch-request-limit), or use another endpoint',
  }
}

const judgeRate: Judge = ({ rate }, { network, headPerS, perS }) => {
  if (rate === null || !rate.isLimit) return null
  const setting = `${network.toUpperCase()}_RPC_RATE=${Math.max(1, rate.perS)}`
  const message = `refuses more than about ${rate.perS} requests per second`
  if (rate.perS < headPerS) {
    const meaning = `it cannot follow the head, which needs about ${Math.ceil(headPerS)} per second`
    const advice = `use a larger plan, or another endpoint; a ws(s):// URL saves polls. With this one: ${setting}`
    return { verdict: 'fail', message, meaning, advice }
  }
  if (perS !== null && perS <= rate.perS) return null
  const meaning = 'the indexer learns the limit from refused requests, which some providers penalise'
  return { verdict: 'warn', message, meaning, advice: `set ${setting}` }
}

const judgeFinality: Judge = ({ finalized }) => {
  if (finalized !== null) return null
  return {
    verdict: 'warn',
    message: 'does not know the tag `finalized`',
    meaning: 'blocks count as final only after a fixed number of blocks (finalityDepth), later than necessary',
    advice: 'update the node, or use an endpoint that serves eth_getBlockByNumber with `finalized`',
  }
}

const judgeStart: Judge = ({ start, logs }, { network, days, hasArchive, startIsElsewhere }) => {
  if (start === null || logs?.byTopic !== null || start.problem === null || hasArchive) return null
  const { kept } = start
  const keeps = kept === null ? '' : `; it keeps blocks from about ${kept.block} on (${durationText(kept.ageS)})`
  const less = kept === null ? '' : `, or set BACKFILL_DAYS=${Math.floor(kept.ageS / DAY_S)}`
  return {
    verdict: startIsElsewhere ? 'warn' : 'fail',
    message: `does not keep the start, block ${start.block}: ${start.problem}${keeps}`,
    meaning: startIsElsewhere
      ? 'other endpoints must serve the history'
      : `lists and volumes of the last ${days} days would be incomplete`,
    advice: `use a node that keeps ${days} days, or an archive (${network.toUpperCase()}_HISTORY_URL)${less}`,
  }
}

const FAULTS = [judgeHead, judgeLogs, judgeReceipts, judgeRange, judgeBatch, judgeRate, judgeFinality, judgeStart]

function served({ head, range, batch, rate, start }: EndpointSurvey): string {
  const parts = [
    head && `block ${head.number}`,
    range && `logs of ${range.blocks} blocks per request`,
    batch && `batches of ${batch.maxSize}`,
    rate && `${rate.perS} requests together`,
    start?.problem === null && `history from block ${start.block} on`,
  ]
  return `serves ${parts.filter(Boolean).join(', ')}`
}
