/** What a request reads: blocks after the first head, blocks before it, contract states, or anything else. */
export type Purpose = 'head' | 'history' | 'state' | 'other'

export interface PurposeUsage {
  methods: Record<string, number>
  refused: number
  bytes: number
}

export type NodeUsage = Record<Purpose, PurposeUsage>

export function noUsage(): NodeUsage {
  const none = () => ({ methods: {}, refused: 0, bytes: 0 })
  return { head: none(), history: none(), state: none(), other: none() }
}

export function usageBetween(before: NodeUsage, after: NodeUsage): NodeUsage {
  const between = noUsage()
  for (const purpose of Object.keys(between) as Purpose[]) {
    const [earlier, later] = [before[purpose], after[purpose]]
    between[purpose].refused = later.refused - earlier.refused
    between[purpose].bytes = later.bytes - earlier.bytes
    for (const [method, items] of Object.entries(later.methods)) {
      const count = items - (earlier.methods[method] ?? 0)
      if (count > 0) between[purpose].methods[method] = count
    }
  }
  return between
}

export function itemsOf({ methods }: PurposeUsage): number {
  return Object.values(methods).reduce((sum, items) => sum + items, 0)
}

/** Compute units as Alchemy documents them. */
const COMPUTE_UNITS: Readonly<Record<string, number>> = {
  eth_blockNumber: 10,
  eth_chainId: 10,
  eth_getTransactionReceipt: 15,
  eth_getBlockByNumber: 16,
  eth_getCode: 19,
  eth_getBlockByHash: 21,
  eth_getBlockReceipts: 24,
  eth_call: 26,
  eth_getLogs: 75,
}
const OTHER_UNITS = 20

export function computeUnitsOf({ methods }: PurposeUsage): number {
  return Object.entries(methods).reduce(
    (sum, [method, items]) => sum + items * (COMPUTE_UNITS[method] ?? OTHER_UNITS),
    0,
  )
}
