import { type Chain, openChain } from '@dexfeed/chain'
import { type BlockHeader, emittersOf, MINUTE, SECOND } from '@dexfeed/dex'
import { type IndexerSettings, maskUrls, type NetworkSettings } from '@dexfeed/service'
import { watchedTopics } from '../blocks/process-blocks.ts'
import { findStartBlock } from '../days/start-block.ts'
import { type IndexerLog, reasonOf } from '../loops/loop.ts'
import type { Finding } from './finding.ts'

/** A node that lags more than this cannot be followed. */
const OLD_HEAD_S = (2 * MINUTE) / SECOND

type NodeSettings = Pick<IndexerSettings, 'backfillDays' | 'pollMs'>

/**
 * Checks every endpoint of a network: its chain, its head, and whether it serves recent logs and the oldest required.
 */
export async function checkNodes(network: NetworkSettings, settings: NodeSettings, log: IndexerLog) {
  const sockets = network.rpcUrls.filter((url) => /^wss?:/i.test(url))
  const http = network.rpcUrls.filter((url) => !sockets.includes(url))
  const checks = http.map((url, at) => {
    const rates = [network.rates[at] ?? null]
    return atEndpoint({ ...network, rpcUrls: [url], rates }, settings, log, (chain) =>
      checkNode(chain, `${network.network} ${maskUrls(url)}`, { ...network, ...settings }),
    )
  })
  const heads = atEndpoint(network, settings, log, (chain) => checkSockets(chain, network, sockets))
  return [...(await Promise.all(checks)), await heads].flat()
}

async function atEndpoint(
  { network, rpcUrls, rates, computeUnits, deployment }: NetworkSettings,
  { pollMs }: NodeSettings,
  log: IndexerLog,
  check: (chain: Chain) => Promise<Finding[]>,
): Promise<Finding[]> {
  const [topics, emitters] = [watchedTopics(deployment), emittersOf(deployment.dexes)]
  const chain = openChain({ network, urls: rpcUrls, rates, computeUnits, topics, emitters, pollMs, log })
  try {
    return await check(chain)
  } finally {
    await chain.close()
  }
}

async function checkNode(chain: Chain, about: string, start: NodeSettings & Pick<NetworkSettings, 'startBlock'>) {
  const fail = (message: string, advice: string): Finding[] => [{ verdict: 'fail', about, message, advice }]
  try {
    const { responding } = await chain.verifyChainId()
    if (responding === 0) return fail('does not respond', 'check the URL and key, and whether the node runs')
  } catch (error) {
    return fail(reasonOf(error), `move it to the variable of its network, away from that of ${chain.network}`)
  }
  try {
    const head = await chain.head()
    await chain.readBlocks(head.number, head.number)
    return [ofHead(about, head), ...ofHeaders(chain, about, head), await ofHistory(chain, about, start)]
  } catch (error) {
    return fail(reasonOf(error), 'use a node that serves eth_getLogs and blocks by their hashes')
  }
}

function ofHead(about: string, { number, timestamp }: BlockHeader): Finding {
  const age = Math.max(0, Math.floor(Date.now() / SECOND) - timestamp)
  const message = `serves block ${number} with its logs, ${age} s old`
  if (age <= OLD_HEAD_S) return { verdict: 'ok', about, message }
  return { verdict: 'warn', about, message, advice: 'the node lags: wait until it has caught up with its chain' }
}

function ofHeaders(chain: Chain, about: string, { number }: BlockHeader): Finding[] {
  const alert = chain.headerAlert()
  if (alert === null) return []
  const message = `has headers with unknown fields (${alert.fields.join(', ')}): its blocks from ${alert.from} on are read without proof`
  const advice = `update dexfeed before block ${number + 1}; if the network's other endpoints have no such headers, remove this one`
  return [{ verdict: 'fail', about, message, advice }]
}

async function ofHistory(
  chain: Chain,
  about: string,
  start: NodeSettings & Pick<NetworkSettings, 'startBlock'>,
): Promise<Finding> {
  try {
    const { number } = await findStartBlock(chain, start)
    await chain.readRange(number, number)
    return { verdict: 'ok', about, message: `serves logs from the start, block ${number}` }
  } catch (error) {
    const advice = 'lower BACKFILL_DAYS, raise START_BLOCK, or set an archive (*_HISTORY_URL)'
    return { verdict: 'warn', about, message: `does not serve the start: ${reasonOf(error)}`, advice }
  }
}

async function checkSockets(
  chain: Chain,
  { network }: NetworkSettings,
  sockets: readonly string[],
): Promise<Finding[]> {
  const about = `${network} heads`
  if (sockets.length === 0) {
    const advice = `add a ws(s):// URL: a block is then two items of RPC in the place of three or more`
    return [{ verdict: 'warn', about, message: 'are polled', advice }]
  }
  try {
    const { down } = await chain.verifyChainId()
    const missing = sockets.map(maskUrls).filter((url) => down.includes(url))
    if (missing.length === 0) return [{ verdict: 'ok', about, message: 'are announced by WebSocket' }]
    const advice = 'check the URL and key; without it, heads are polled'
    return [{ verdict: 'warn', about, message: `no response from ${missing.join(', ')}`, advice }]
  } catch (error) {
    return [
      { verdict: 'fail', about, message: reasonOf(error), advice: 'move each URL to the variable of its network' },
    ]
  }
}
