import { DAY_S, NETWORKS, type NetworkName, SECOND } from '@dexfeed/dex'
import { computeUnitsOf, itemsOf, type NodeUsage, type PurposeUsage, usageBetween } from '@dexfeed/fake-node/rpc/usage'
import type { BenchResult } from '../bench-result.ts'
import type { TradeSizes } from '../trade-sizes.ts'
import type { MainnetOptions } from './mainnet-options.ts'
import type { Counts, WatchedNetwork } from './measure/counts.ts'
import type { HeadWatch } from './measure/head-lag.ts'
import { TOP_POOLS } from './measure/progress.ts'
import type { Line, Part } from './measure/report-part.ts'
import { overall } from './overall-figures.ts'
import { kb, ms } from './units.ts'

export interface Findings {
  options: MainnetOptions
  poll: boolean
  watched: readonly WatchedNetwork[]
  heads: HeadWatch
  /** When the events of a block have come over the stream of the API. */
  streamed: HeadWatch
  before: Counts
  after: Counts
  sizes: TradeSizes
  /** MB. */
  memory: { indexer: number; api: number; postgres: number }
}

const WEEK_S = 7 * DAY_S
const HOUR_S = 3_600

/** The table and the figures of a run: those of a network are named after it. */
export function reportMainnet(findings: Findings): BenchResult {
  const parts = [...findings.watched.map((one) => ofNetwork(one, findings)), ofPrograms(findings)]
  return {
    table: [...settingsOf(findings), ...parts.flatMap(({ table }) => table)],
    figures: { ...overall(findings.options, parts), ...Object.assign({}, ...parts.map(({ figures }) => figures)) },
  }
}

function settingsOf({ options: { budget, latencyMs, receipts, history, minutes, warmUpS }, poll }: Findings): Line[] {
  const rate =
    budget.rate === null ? 'no limit' : `${budget.rate} items/s, burst ${budget.burst}, refused by ${budget.refusal}`
  const heads = poll ? 'heads by polling' : 'heads by WebSocket'
  return [
    ['nodes', `${rate}, ${latencyMs} ms, ${receipts ? 'receipts of blocks' : 'no receipts of blocks'}, ${heads}`],
    ['history', history === 'portal' ? 'from a Portal' : 'from the nodes'],
    ['measured', `${minutes} minutes, ${warmUpS} s after the indexer's start`],
  ]
}

function ofNetwork(one: WatchedNetwork, findings: Findings): Part {
  const { network, node } = one
  const parts = [
    ofNode(one),
    ofHead(one, findings),
    ofUsage(one, findings),
    ofHistory(one, findings),
    ofProof(one, findings),
    ofPools(one),
  ]
  const prefixed = parts
    .flatMap(({ figures }) => Object.entries(figures))
    .map(([name, value]) => [`${network}_${name}`, value])
  const chain = `${node.firstHead - node.first} blocks of history, ${one.shape.blockTimeS} s each`
  return {
    table: [[`-- ${network}`, chain], ...parts.flatMap(({ table }) => table)],
    figures: Object.fromEntries(prefixed),
  }
}

function ofNode({ node: { blocksPerS, blockBytes, receiptBytes, bloomFill, madeMs } }: WatchedNetwork): Part {
  const sizes = `block ${kb(blockBytes)}, receipts ${kb(receiptBytes)}, bloom ${(100 * bloomFill).toFixed(0)} % full`
  return {
    table: [
      [
        'the node itself',
        `${blocksPerS.toFixed(0)} whole blocks/s; ${sizes}; made in ${(madeMs / SECOND).toFixed(0)} s`,
      ],
    ],
    figures: { node_blocks_per_s: Math.round(blocksPerS) },
  }
}

function ofHead({ network }: WatchedNetwork, { heads, streamed, before, after }: Findings): Part {
  const lag = heads.lag(NETWORKS[network].chainId, before.at, after.at)
  const proven = difference(before, after, `dexfeed_blocks_proven_total{network="${network}"}`)
  const unproven = difference(before, after, `dexfeed_blocks_unproven_total{network="${network}"}`)
  const pushed = streamed.lag(NETWORKS[network].chainId, before.at, after.at)
  if (lag === null || pushed === null) return { table: [['head', 'no block was shown']], figures: {} }
  const { p50, p99, max, blocks, behind } = lag
  const text = `p50 ${ms(p50)}, p99 ${ms(p99)}, max ${ms(max)} of ${blocks} blocks; ${behind} not indexed at the end`
  return {
    table: [
      ['head lag', text],
      ['  to the event of the stream', `p50 ${ms(pushed.p50)}, p99 ${ms(pushed.p99)}, max ${ms(pushed.max)}`],
      ['  read', `${proven} blocks proven, ${unproven} unproven`],
    ],
    figures: {
      head_lag_p50_ms: Math.round(p50),
      head_lag_p99_ms: Math.round(p99),
      head_lag_max_ms: Math.round(max),
      head_blocks_behind: behind,
      ...{ stream_lag_p50_ms: Math.round(pushed.p50), stream_lag_p99_ms: Math.round(pushed.p99) },
      blocks_proven: proven,
      blocks_unproven: unproven,
    },
  }
}

function ofUsage({ network }: WatchedNetwork, { before, after }: Findings): Part {
  const [earlier, later] = [before.nodes.get(network), after.nodes.get(network)]
  if (earlier === undefined || later === undefined) throw new Error(`the node of ${network} was not counted`)
  const used = usageBetween(earlier.usage, later.usage)
  const blocks = Math.max(1, later.head - earlier.head)
  const days = (after.at - before.at) / SECOND / DAY_S
  const perBlock = itemsOf(used.head) / blocks
  const purposes = Object.entries(used).filter(([, usage]) => itemsOf(usage) + usage.refused > 0)
  return {
    table: [
      ['items a block at the head', `${perBlock.toFixed(2)} (${methodsText(used.head, blocks)})`],
      ...purposes.map(([purpose, usage]): Line => [`  ${purpose}`, purposeText(usage, days)]),
    ],
    figures: {
      head_items_per_block: rounded(perBlock),
      ...Object.fromEntries(Object.entries(used).flatMap(([purpose, usage]) => purposeFigures(purpose, usage, days))),
      items_per_day: Math.round(total(used, itemsOf) / days),
      compute_units_per_day: Math.round(total(used, computeUnitsOf) / days),
      bytes_per_day: Math.round(total(used, ({ bytes }) => bytes) / days),
    },
  }
}

function purposeText(usage: PurposeUsage, days: number): string {
  const [items, units, bytes] = [itemsOf(usage), computeUnitsOf(usage), usage.bytes].map((count) => count / days)
  const perDay = `${millions(items ?? 0)} items, ${millions(units ?? 0)} CU, ${((bytes ?? 0) / 1e9).toFixed(1)} GB a day`
  return `${itemsOf(usage)} items (${methodsText(usage, itemsOf(usage))}), ${usage.refused} refused: ${perDay}`
}

function purposeFigures(purpose: string, usage: PurposeUsage, days: number): [string, number][] {
  return [
    [`${purpose}_items`, itemsOf(usage)],
    [`${purpose}_refused`, usage.refused],
    [`${purpose}_compute_units_per_day`, Math.round(computeUnitsOf(usage) / days)],
    [`${purpose}_bytes_per_day`, Math.round(usage.bytes / days)],
  ]
}

function ofHistory({ network, shape }: WatchedNetwork, { before, after }: Findings): Part {
  const [earlier, later] = [before.progress.get(network), after.progress.get(network)]
  const seconds = (after.at - before.at) / SECOND
  const speed = ((later?.history ?? 0) - (earlier?.history ?? 0)) / seconds
  const etaH = speed > 0 ? WEEK_S / shape.blockTimeS / speed / HOUR_S : null
  const eta = etaH === null ? 'never' : `${etaH.toFixed(1)} h`
  const ofArchive = archivePart(network, before, after)
  return {
    table: [
      ['history', `${speed.toFixed(1)} blocks/s: a week takes ${eta}; ${later?.trades ?? 0} trades stored`],
      ...ofArchive.table,
    ],
    figures: {
      history_blocks_per_s: rounded(speed),
      ...(etaH !== null && { week_hours: rounded(etaH) }),
      ...ofArchive.figures,
    },
  }
}

/** What came out of the network's Portal. */
function archivePart(network: NetworkName, before: Counts, after: Counts): Part {
  const metric = `dexfeed_blocks_archived_total{network="${network}"}`
  const blocks = difference(before, after, metric)
  const inAll = after.metrics.get(metric) ?? 0
  const [earlier, later] = [before.nodes.get(network)?.portal, after.nodes.get(network)?.portal]
  if (!earlier || !later) return { table: [], figures: { blocks_archived: blocks, archived_in_all: inAll } }
  const [served, refused] = [later.served - earlier.served, later.refused - earlier.refused]
  const bytes = (later.bytes - earlier.bytes) / Math.max(1, later.blocks - earlier.blocks)
  return {
    table: [['  archived', `${blocks} blocks; ${served} responses, ${refused} refused; ${kb(bytes)} a block`]],
    figures: { blocks_archived: blocks, archived_in_all: inAll, portal_answers: served, portal_refused: refused },
  }
}

function ofProof({ network }: WatchedNetwork, { before, after }: Findings): Part {
  const of = (name: string) => difference(before, after, `dexfeed_${name}_total{network="${network}"}`)
  const proofs = of('proofs')
  if (proofs === 0) return { table: [['proof', 'none']], figures: {} }
  const msPerBlock = (of('proof_seconds') * SECOND) / proofs
  return {
    table: [['proof', `${msPerBlock.toFixed(2)} ms a block, of ${proofs}`]],
    figures: { proof_ms_per_block: rounded(msPerBlock), proofs },
  }
}

function ofPools({ progress, world }: WatchedNetwork): Part {
  const last = progress.at(-1)?.progress
  const daily = world.market.confirmed.length
  const top = Math.min(TOP_POOLS, daily)
  const allDaily = progress.find((one) => one.progress.dailyWithState === daily)?.afterS
  const allTop = progress.find((one) => one.progress.topWithState === top)?.afterS
  const steps = progress.filter((_, i) => i % Math.ceil(progress.length / 6) === 0 || i === progress.length - 1)
  const over = steps.map(
    ({ afterS, progress: { topWithState, withState } }) => `${afterS} s ${topWithState}/${withState}`,
  )
  return {
    table: [
      [
        'pools with their state',
        `${last?.withState ?? 0} of ${last?.pools ?? 0} known; ${last?.topWithState ?? 0} of the ${top} most traded`,
      ],
      ['  over time, most traded / all', over.join(', ')],
      ['  all of the most traded', allTop === undefined ? 'not yet' : `after ${allTop} s`],
      [
        '  all with trades of the day',
        allDaily === undefined ? `not yet: ${last?.dailyWithState ?? 0} of ${daily}` : `after ${allDaily} s`,
      ],
    ],
    figures: {
      pools: last?.pools ?? 0,
      pools_with_state: last?.withState ?? 0,
      top_pools_with_state: last?.topWithState ?? 0,
      ...(allTop !== undefined && { top_pools_after_s: allTop }),
      ...(allDaily !== undefined && { day_pools_after_s: allDaily }),
    },
  }
}

function ofPrograms({ before, after, sizes, memory }: Findings): Part {
  const seconds = (after.at - before.at) / SECOND
  const cpu = (name: keyof Counts['cpu']) => (after.cpu[name] - before.cpu[name]) / seconds
  const use = (name: 'indexer' | 'api' | 'postgres') =>
    `${(100 * cpu(name)).toFixed(0)} % of a CPU, ${memory[name].toFixed(0)} MB`
  const trades = (counts: Counts) => [...counts.progress.values()].reduce((sum, { trades: own }) => sum + own, 0)
  const walPerTrade = Math.round((after.walBytes - before.walBytes) / Math.max(trades(after) - trades(before), 1))
  return {
    table: [
      ['-- programs', ''],
      ['indexer', `${use('indexer')} at most`],
      ['API', `${use('api')} at most`],
      ['Postgres', `${use('postgres')} unshared`],
      ['nodes', `${(100 * cpu('nodes')).toFixed(0)} % of a CPU`],
      ['on disk', `${sizes.perTrade} bytes for each of ${sizes.rows} trades: ${sizes.text}`],
      ['log of changes (WAL)', `${walPerTrade} bytes per trade that came meanwhile, with states of pools`],
    ],
    figures: {
      indexer_rss_mb: Math.round(memory.indexer),
      indexer_cpu: rounded(cpu('indexer')),
      api_rss_mb: Math.round(memory.api),
      api_cpu: rounded(cpu('api')),
      postgres_own_mb: Math.round(memory.postgres),
      postgres_cpu: rounded(cpu('postgres')),
      nodes_cpu: rounded(cpu('nodes')),
      bytes_per_row: sizes.perTrade,
      wal_bytes_per_row: walPerTrade,
    },
  }
}

function methodsText({ methods }: PurposeUsage, blocks: number): string {
  const parts = Object.entries(methods).sort(([, a], [, b]) => b - a)
  return parts.map(([method, items]) => `${(items / blocks).toFixed(2)} ${method.replace('eth_', '')}`).join(', ')
}

function total(usage: NodeUsage, of: (usage: PurposeUsage) => number): number {
  return Object.values(usage).reduce((sum, one) => sum + of(one), 0)
}

function difference(before: Counts, after: Counts, metric: string): number {
  return (after.metrics.get(metric) ?? 0) - (before.metrics.get(metric) ?? 0)
}

function rounded(value: number): number {
  return Number(value.toFixed(2))
}

function millions(value: number): string {
  return `${(value / 1e6).toFixed(2)} M`
}
