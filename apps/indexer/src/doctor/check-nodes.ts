import { type Chain, type EndpointSurvey, headNeed, openChain, surveyEndpoint, WrongChainId } from '@dexfeed/chain'
import { DAY_S, emittersOf, NETWORKS, type NetworkName, SECOND } from '@dexfeed/dex'
import { type IndexerSettings, maskUrls, type NetworkSettings } from '@dexfeed/service'
import { watchedTopics } from '../blocks/process-blocks.ts'
import { type IndexerLog, reasonOf } from '../loops/loop.ts'
import type { Finding } from './finding.ts'
import { judgeClock } from './judge-clock.ts'
import { judgeEndpoint } from './judge-endpoint.ts'

type NodeSettings = Pick<IndexerSettings, 'backfillDays' | 'pollMs'>

/** The usual price of a request where budgets are in compute units. */
const COMPUTE_UNITS = 20
/** How often the finalized block is requested, as `openChain` does by default. */
const FINALITY_MS = 6 * SECOND

/**
 * Surveys every endpoint of the networks at the same time, and says what each lacks. Also compares this machine's clock
 * with theirs.
 */
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
  const surveys = await Promise.all(http.map((url, at) => survey(url, at, network, settings, now)))
  const findings = surveys.flatMap((endpointSurvey, at) =>
    judgeEndpoint(endpointSurvey, needOf(surveys, at, network, settings, now())),
  )
  const whole = http.filter((_, at) => surveys[at]?.head != null && surveys[at]?.logs?.byTopic === null)
  const proofs = whole.map((url) => atEndpoint({ ...network, rpcUrls: [url] }, settings, log, checkBlocks))
  const heads = atEndpoint(network, settings, log, (chain) => checkSockets(chain, network.network, sockets))
  return { surveys, findings: [...findings, ...(await Promise.all(proofs)).flat(), ...(await heads)] }
}

function survey(
  url: string,
  at: number,
  { network, deployment, startBlock, rates }: NetworkSettings,
  { backfillDays }: NodeSettings,
  now: () => number,
): Promise<EndpointSurvey> {
  const start = startBlock === null ? { ageS: backfillDays * DAY_S } : { block: startBlock }
  return surveyEndpoint({ network, url, topics: watchedTopics(deployment), start, perS: perSecond(rates[at]), now })
}

function needOf(
  surveys: readonly EndpointSurvey[],
  at: number,
  { network, rpcUrls, rates, archive }: NetworkSettings,
  { backfillDays: days, pollMs }: NodeSettings,
  now: number,
) {
  const hasSocket = rpcUrls.some((url) => /^wss?:/i.test(url))
  const blockTimeMs = NETWORKS[network].leastBlockTimeS * SECOND
  const heads = { blockTimeMs, pollMs, finalityMs: FINALITY_MS, hasSocket }
  return {
    network,
    days,
    now,
    perS: perSecond(rates[at]),
    hasArchive: archive !== null,
    headPerS: headNeed(heads, (requests) => requests.length),
    startIsElsewhere: surveys.some(({ start }, other) => other !== at && start?.problem === null),
  }
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

/** Reads and proves the newest block as the indexer does. */
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
    // The survey of an http(s) URL reports a wrong chain itself.
    if (error instanceof WrongChainId && error.endpoint.startsWith('http')) return []
    const advice = 'move each URL to the variable of its network'
    return [{ verdict: 'fail', about, message: reasonOf(error), advice }]
  }
}
