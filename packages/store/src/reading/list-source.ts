import { type Address, NETWORKS, type NetworkName, type Token } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { textRows, withSnapshot } from '../database/reading-session.ts'
import type { Db } from '../database/transaction.ts'
import { readTogether } from '../stored.ts'
import { findWindow } from '../tables/swap/blocks-of-times.ts'
import { CELL_SUMS, type CellSum, readCellVersions } from '../tables/swap/list-cell.ts'
import { type SwapRange, type SwapRow, swapPage, toSwapRow } from '../tables/swap/swap-list.ts'
import { knownTokens, readTokens } from '../tables/token.ts'
import { type IndexedNetwork, NETWORK_QUERIES, type NetworkRows, toIndexedNetworks } from './networks.ts'

// Reads for the rendered list of swaps; stamps show whether a rendering is still valid.

const PAGE_ROWS = 2_000

export interface ListedNetwork extends IndexedNetwork {
  /** Changes whenever rows or the final block may have changed. */
  stamp: string
  /** Changes whenever rows below the head may have changed. */
  history: string
}

export interface ListStamps {
  networks: readonly ListedNetwork[]
  hasNewTokens: boolean
}

export interface ListSnapshot {
  networks: readonly ListedNetwork[]
  /** Leaves out cells without a version. */
  cellVersions(network: ListedNetwork): Promise<Map<number, string>>
  /** Returns the blocks that contain all rows since time `since` (seconds); null if there are no rows. */
  window(network: ListedNetwork, since: number): Promise<{ from: number; to: number } | null>
  rows(network: ListedNetwork, from: number, to: number): AsyncGenerator<SwapRow[], undefined>
  tokens(network: NetworkName, addresses: readonly Address[]): Promise<Token[]>
}

type ListStampRows = NetworkRows & { cells: CellSum; stored: { chain_id: number } }

export async function readListStamps(
  db: Db,
  unknown: ReadonlyMap<NetworkName, Iterable<Address>> = new Map(),
): Promise<ListStamps> {
  const requested = [...unknown].flatMap(([network, addresses]) =>
    [...addresses].map((address) => ({ chainId: NETWORKS[network].chainId, address })),
  )
  const found = await readTogether<ListStampRows>(db, {
    ...NETWORK_QUERIES,
    cells: CELL_SUMS,
    stored: knownTokens(requested),
  })
  const networks = toIndexedNetworks(found).map((network) => ({ ...network, ...stampsOf(network, found.cells) }))
  return { networks, hasNewTokens: found.stored.length > 0 }
}

function stampsOf(
  { chainId, listVersion, reorgs, head, finalNumber }: IndexedNetwork,
  sums: readonly CellSum[],
): { stamp: string; history: string } {
  const sum = sums.find(({ chain_id }) => chain_id === chainId)
  const history = [listVersion, reorgs, head === null, sum?.cells, sum?.versions].join()
  return { history, stamp: [history, head?.number, head?.hash, finalNumber].join() }
}

export async function readListSnapshot<T>(
  database: Database,
  signal: AbortSignal,
  work: (snapshot: ListSnapshot) => Promise<T>,
): Promise<T> {
  return withSnapshot(database, signal, async (tx, client) => {
    const { networks } = await readListStamps(tx)
    const page = async (range: SwapRange) =>
      (await textRows(client, swapPage(range, PAGE_ROWS))).map((row) => toSwapRow(range.network, row))
    return work({
      networks,
      cellVersions: ({ chainId }) => readCellVersions(tx, chainId),
      window: ({ network }, since) => findWindow(tx, network, since),
      rows: ({ network }, from, to) => pagesOf(page, network, from, to),
      tokens: (network, addresses) => readTokens(tx, NETWORKS[network].chainId, addresses),
    })
  })
}

async function* pagesOf(
  read: (range: SwapRange) => Promise<SwapRow[]>,
  network: NetworkName,
  from: number,
  to: number,
): AsyncGenerator<SwapRow[], undefined> {
  let page = await read({ network, after: { blockNumber: from, transactionIndex: -1, position: -1 }, upTo: to })
  for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
    const next = page.length < PAGE_ROWS ? Promise.resolve([]) : read({ network, after: last, upTo: to })
    // If the caller stops reading, nothing awaits the next page.
    next.catch(() => undefined)
    yield page
    page = await next
  }
}
