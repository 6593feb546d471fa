import { type Chain, type EndpointSurvey, headNeed, openChain, surveyEndpoint, WrongChainId } from '@dexfeed/chain'
import { COMING_FORKS, DAY_S, emittersOf, FORKS_AS_OF, NETWORKS, type NetworkName, SECOND } from '@dexfeed/dex'
import { maskUrls, type NetworkSettings } from '@dexfeed/service'
import { watchedTopics } from '../blocks/process-blocks.ts'
import { type IndexerLog, reasonOf } from '../loops/loop.ts'
import { durationText } from '../status/status-text.ts'
import type { Finding } from './finding.ts'
import { judgeEndpoint } from './judge-endpoint.ts'

interface NodeSettings {
  backfillDays: number
  pollMs: number
}

/** The usual price of a request in compute units. */
const COMPUTE_UNITS = 20
/** The same as in `openChain`. */
const FINALITY_MS = 6 * SECOND

export async function checkNodes(
  networks: readonly NetworkSettings[],
  settings: NodeSettings,
  log: IndexerLog,
  now: () => number = Date.now,
): Promise<Finding[]> {
  const checked = await Promise.all(networks.map((network) => checkNetwork(network, settings, log, now)))
  const surveys = checked.flatMap((each) => each.surveys)
  return [...checked.flatMap((each) => each.findings), ...judgeClock(surveys, now())]
}

async function checkNetwork(network: NetworkSettings, settings: NodeSettings, log: IndexerLog, now: () => number) {
  const isSocket = (url: string) => /^wss?:/i.test(url)
  const sockets = network.rpcUrls.filter(isSocket)
  const http = network.rpcUrls.filter((url) => !isSocket(url))
  const { network: name, rates, archive, startBlock } = network
  const { backfillDays: days, pollMs } = settings
  const topics = watchedTopics(network.deployment)
  const start = startBlock === null ? { ageS: days * DAY_S } : { block: startBlock }
  const surveys = await Promise.all(
    http.map((url, at) => surveyEndpoint({ network: name, url, topics, start, perS: perSecond(rates[at]), now })),
  )
  const blockTimeMs = NETWORKS[name].minBlockTimeS * SECOND
  const needs = { blockTimeMs, pollMs, finalityMs: FINALITY_MS, hasSocket: sockets.length > 0 }
  const need = { network: name, days, hasArchive: archive !== null, headPerS: headNeed(needs, ({ length }) => length) }
  const findings = surveys.flatMap((survey, at) => {
    const startIsElsewhere = surveys.some((other) => other !== survey && other.start?.problem === null)
    return judgeEndpoint(survey, { ...need, now: now(), perS: perSecond(rates[at]), startIsElsewhere })
  })
  const whole = http.filter((_, at) => surveys[at]?.head != null && surveys[at]?.logs?.byTopic === null)
  const proofs = whole.map((url) => atEndpoint({ ...network, rpcUrls: [url] }, settings, log, checkBlocks))
  const heads = atEndpoint(network, settings, log, (chain) => checkSockets(chain, network.network, sockets))
  return { surveys, findings: [...findings, ...(await Promise.all(proofs)).flat(), ...(await heads)] }
}

function perSecond(rate: NetworkSettings['rates'][number] | undefined): number | null {
  if (rate == null) return null
  return rate.unit === 'items' ? rate.perS : rate.perS / COMPUTE_UNITS
}

async function atEndpoint(
  { network, rpcUrls, rates, computeUnits, deployment }: NetworkSettings,
  { pollMs }: NodeSettings,
  log: IndexerLog,
  check: (chain: Chain, about: string) => Promise<Finding[]>,
): Promise<Finding[]> {
  const topics = watchedTopics(deployment)
  const emitters = emittersOf(deployment.dexes)
  const chain = openChain({ network, urls: rpcUrls, rates, computeUnits, topics, emitters, pollMs, log })
  try {
    return await check(chain, `${network} ${maskUrls(rpcUrls[0] ?? '')}`)
  } finally {
    await chain.close()
  }
}

async function checkBlocks(chain: Chain, about: string): Promise<Finding[]> {
  try {
    const { number } = await chain.head()
    await chain.readBlocks(number, number)
    const alert = chain.headerAlert()
    if (alert === null) return []
    const fields = alert.fields.join(', ')
    return [
      {
        verdict: 'fail',
        about,
        message: `has headers with unknown fields (${fields})`,
        meaning: `its blocks from ${alert.from} on are read without proof`,
        advice: `update dexfeed before block ${number + 1}; if other endpoints have no such headers, remove this one`,
      },
    ]
  } catch (error) {
    const advice = 'use a node that serves eth_getLogs and blocks by their hashes'
    return [{ verdict: 'fail', about, message: reasonOf(error), advice }]
  }
}

async function checkSockets(chain: Chain, network: NetworkName, sockets: readonly string[]): Promise<Finding[]> {
  const about = `${network} heads`
  if (sockets.length === 0) {
    const meaning = 'a block takes three or more requests instead of two'
    return [{ verdict: 'warn', about, message: 'are polled', meaning, advice: 'add a ws(s):// URL' }]
  }
  try {
    const { down } = await chain.verifyChainId()
    const missing = sockets.map(maskUrls).filter((url) => down.includes(url))
    if (missing.length === 0) return [{ verdict: 'ok', about, message: 'are announced by WebSocket' }]
    const message = `no response from ${missing.join(', ')}`
    const meaning = 'heads are polled'
    return [{ verdict: 'warn', about, message, meaning, advice: 'check the URL and key' }]
  } catch (error) {
    // The survey already reports a wrong chain at an http(s) URL.
    if (error instanceof WrongChainId && error.endpoint.startsWith('http')) return []
    const advice = 'move each URL to the variable of its network'
    return [{ verdict: 'fail', about, message: reasonOf(error), advice }]
  }
}

const SMALL_S = 5
const LARGE_S = 20

/** Compares this machine's clock with the dates of responses or, without any, with the newest blocks. */
function judgeClock(surveys: readonly EndpointSurvey[], now: number): Finding[] {
  const dated = surveys.flatMap(({ clockOffsetMs }) => (clockOffsetMs === null ? [] : [clockOffsetMs / SECOND]))
  // A block from the future shows that this clock is slow; an old block shows nothing.
  const ages = surveys.flatMap(({ head }) => (head === null ? [] : [now / SECOND - head.timestamp]))
  const early = ages.length > 0 ? Math.min(0, ...ages) : null
  const offset = medianOf(dated) ?? early
  const about = 'clock'
  if (offset === null) return []
  const size = Math.abs(offset)
  if (size <= SMALL_S) return [{ verdict: 'ok', about, message: 'agrees with the endpoints' }]
  return [
    {
      verdict: size >= LARGE_S ? 'fail' : 'warn',
      about,
      message: `is ${durationText(size)} ${offset > 0 ? 'fast' : 'slow'} by the clocks of the endpoints`,
      meaning: 'the last 24 hours and the age of prices are off by as much',
      advice: 'synchronise it: enable NTP (timedatectl set-ntp true), and check the clock of the virtual machine',
    },
  ]
}

function medianOf(values: readonly number[]): number | null {
  return values.toSorted((number, other) => number - other)[values.length >> 1] ?? null
}

/** Forks are announced months ahead, so an older calendar may lack one. */
const CALENDAR_S = 120 * DAY_S

/** @param now milliseconds since 1970 */
export function checkForks(networks: readonly NetworkName[], now: number): Finding[] {
  const seconds = now / SECOND
  const coming = COMING_FORKS.filter(({ network, at }) => networks.includes(network) && (at === null || at > seconds))
  const findings = coming.map(({ network, name, at }): Finding => {
    const date = at === null ? 'without a date yet' : `on ${new Date(at * SECOND).toISOString().slice(0, 16)} UTC`
    const message = `${name} is announced ${date}; this version supports it. Update the node before the fork`
    return { verdict: 'ok', about: `${network} forks`, message }
  })
  const age = seconds - FORKS_AS_OF
  if (age < CALENDAR_S) return findings
  return [
    ...findings,
    {
      verdict: 'warn',
      about: 'forks',
      message: `the calendar of this version is ${durationText(age)} old`,
      meaning: 'blocks could not be proven after a fork that this version does not know',
      advice: 'update dexfeed, and read docs/internals/forks.md',
    },
  ]
}
