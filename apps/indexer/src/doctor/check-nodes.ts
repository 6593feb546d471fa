import { type Chain, headNeed, openChain, surveyEndpoint, WrongChainId } from '@dexfeed/chain'
import { DAY_S, emittersOf, NETWORKS, type NetworkName, SECOND } from '@dexfeed/dex'
import { maskUrls, type NetworkSettings } from '@dexfeed/service'
import { watchedTopics } from '../blocks/process-blocks.ts'
import { type IndexerLog, reasonOf } from '../loops/loop.ts'
import type { Finding } from './finding.ts'
import { judgeClock } from './judge-clock.ts'
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
