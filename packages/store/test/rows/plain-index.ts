import {
  type BlockHeader,
  NETWORK_NAMES,
  NETWORKS,
  type NetworkName,
  type PoolStateAt,
  type PricedTrade,
  type TickLiquidityAt,
} from '@dexfeed/dex'

/** One block and everything that it changes. */
export interface PlainBlock {
  header: BlockHeader
  trades: PricedTrade[]
  states: PoolStateAt[]
  deltas: TickLiquidityAt[]
}

/** The indexed data in its plainest form: blocks by network and number. */
export type PlainIndex = Map<NetworkName, Map<number, PlainBlock>>

/** Computes the counters from all trades. */
export function plainCounters(index: PlainIndex) {
  const totals = new Map<string, { swaps: number; unpriced: number; flagged: number; volume: bigint }>()
  const traders = new Map<string, number>()
  for (const [network, blocks] of index) {
    for (const trade of [...blocks.values()].flatMap(({ trades }) => trades)) {
      const day = new Date(trade.timestamp * 1000).toISOString().slice(0, 10)
      const key = `${day} ${NETWORKS[network].chainId}`
      const total = totals.get(key) ?? { swaps: 0, unpriced: 0, flagged: 0, volume: 0n }
      totals.set(key, {
        swaps: total.swaps + 1,
        unpriced: total.unpriced + (trade.usdE8 === null ? 1 : 0),
        flagged: total.flagged + (trade.flags ? 1 : 0),
        volume: total.volume + (trade.usdE8 ?? 0n),
      })
      if (!trade.trader) continue
      const ofDay = `${day} ${trade.trader}`
      traders.set(ofDay, (traders.get(ofDay) ?? 0) | (2 ** NETWORK_NAMES.indexOf(network)))
    }
  }
  const addresses = new Map<string, number>()
  for (const [key, networks] of traders) {
    const set = `${key.slice(0, 10)} ${networks}`
    addresses.set(set, (addresses.get(set) ?? 0) + 1)
  }
  return {
    totals: [...totals].map(([key, t]) => `${key} ${t.swaps} ${t.unpriced} ${t.flagged} ${t.volume}`).sort(),
    traders: [...traders].map(([key, networks]) => `${key} ${networks}`).sort(),
    addresses: [...addresses].map(([set, count]) => `${set} ${count}`).sort(),
  }
}

/** Returns the numbers of the blocks that have rows, as ranges. */
export function plainRanges(index: PlainIndex): string[] {
  return [...index].flatMap(([network, blocks]) => {
    const ranges: { from: number; to: number }[] = []
    for (const number of [...blocks.keys()].sort((a, b) => a - b)) {
      const last = ranges.at(-1)
      if (last?.to === number - 1) last.to = number
      else ranges.push({ from: number, to: number })
    }
    return ranges.map(({ from, to }) => `${NETWORKS[network].chainId} ${from} ${to}`)
  })
}

/** Returns the versions of pool states and ticks in the followed blocks, one per block that touched them. */
export function plainVersions(index: PlainIndex) {
  const states: string[] = []
  const ticks: string[] = []
  for (const [network, blocks] of index) {
    const { chainId } = NETWORKS[network]
    const sums = new Map<string, { gross: bigint; net: bigint }>()
    for (const [number, { states: changed, deltas }] of [...blocks].sort(([a], [b]) => a - b)) {
      for (const { pool, state } of changed) {
        states.push(
          `${chainId} ${pool} ${number} ${state.kind === 'pair' ? `${state.reserve0} ${state.reserve1}` : ''}`,
        )
      }
      const touched = new Set<string>()
      for (const { pool, tick, gross, net } of deltas) {
        const key = `${chainId} ${pool} ${tick}`
        const sum = sums.get(key) ?? { gross: 0n, net: 0n }
        sums.set(key, { gross: sum.gross + gross, net: sum.net + net })
        touched.add(key)
      }
      for (const key of touched) ticks.push(`${key} ${number} ${sums.get(key)?.gross} ${sums.get(key)?.net}`)
    }
  }
  return { states: states.sort(), ticks: ticks.sort() }
}
