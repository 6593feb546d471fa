import { setImmediate as nextTurn } from 'node:timers/promises'
import { NetworkRenderer, RowStore, selectedRows } from '@dexfeed/api/rendered-day'
import type { Address, Hex, NetworkName, PoolAddress } from '@dexfeed/dex'
import {
  type Database,
  type MarketChanges,
  type MarketFrame,
  openReader,
  type Reader,
  StoreError,
  type SwapRow,
} from '@dexfeed/store'
import { compareLines } from '@dexfeed/test/expected/rows'
import { tradesOf } from '@dexfeed/test/expected/trades/trades'
import { readMarket } from '@dexfeed/test-setup/read-market'
import { poolsOf, recordedBlock, stateText, tickTexts } from '../expected.ts'
import type { ScriptedBlock, ScriptedChain } from '../index.ts'
import { checkCounters } from './check-database.ts'

/** Small pages, so that a read takes many statements. */
const PAGES = { marketPageRows: 3 }
const NEVER = new AbortController().signal
const MARGIN_S = 600

export interface ReadChecks {
  /**
   * A read that loses its connection does not count.
   *
   * @param seconds length of the list
   * @throws if the read mixes heads
   */
  read(network: NetworkName, seconds: number): Promise<void>
  count(): number
  close(): Promise<void>
}

interface KnownMarket {
  revision: number
  reorgs: number
  states: Map<Address, string>
  ticks: Map<string, string>
}

/** @param folder must exist until the last read */
export function readChecks(database: Database, chains: readonly ScriptedChain[], folder: string): ReadChecks {
  const reader = openReader(database, PAGES)
  const rendering = openRendering(folder)
  const known = new Map<NetworkName, KnownMarket>()
  const rows = new Map<string, string[]>()
  let reads = 0
  const rowsOf = (chain: ScriptedChain, block: ScriptedBlock): string[] => {
    const found = rows.get(block.hash) ?? tradeRows(chain, block)
    rows.set(block.hash, found)
    return found
  }
  return {
    count: () => reads,
    close: async () => (await rendering.store).close(),
    async read(network, seconds) {
      const chain = chains.find(({ market }) => market.network === network)
      if (chain === undefined) return
      try {
        await checkMarket(reader, chain, known)
        await checkSwaps(reader, chain, { seconds, rendering }, (block) => rowsOf(chain, block))
        assertSame(await checkCounters(database))
        reads++
      } catch (error) {
        if (!isLostConnection(error)) throw error
      }
    },
  }
}

/** The simulation cuts connections all the time. */
function isLostConnection(error: unknown): boolean {
  if (error instanceof StoreError) return error.retryable
  return error instanceof Error && /terminating connection|connection terminated/i.test(error.message)
}

/** @throws if a read differs, because it mixes heads */
function assertSame(differences: readonly string[]): void {
  if (differences.length > 0) throw new Error(differences.join('\n'))
}

async function checkMarket(reader: Reader, chain: ScriptedChain, known: Map<NetworkName, KnownMarket>): Promise<void> {
  const { network } = chain.market
  const market = await readMarket(reader, network)
  if (market === null) return
  compareMarket(chain, market, marketOf(market))
  const before = known.get(network)
  // Forget one pool before each read, as if it were idle. The read must return all of it.
  if (before !== undefined) forget([...before.states.keys()].slice(0, 1), before)
  const knownPools = {
    poolsAbove: () => [...(before?.states.keys() ?? [])],
    holds: (pool: PoolAddress) => before?.states.has(pool) ?? false,
  }
  const changes =
    before === undefined ? null : await reader.marketChanges(network, { ...before, idleBelow: 0, ...knownPools })
  if (before === undefined || changes === null) {
    known.set(network, marketOf(market))
    return
  }
  if (changes.rollback !== null) {
    forget(changes.rollback.pools, before)
    take(changes.rollback, before)
  }
  take(changes.entering, before)
  take(changes, before)
  before.revision = changes.network.revision
  before.reorgs = changes.network.reorgs
  compareMarket(chain, changes, before)
}

function forget(pools: readonly PoolAddress[], known: KnownMarket): void {
  const gone = new Set<string>(pools)
  for (const pool of pools) known.states.delete(pool)
  for (const key of known.ticks.keys()) if (gone.has(key.split(' ')[0] ?? '')) known.ticks.delete(key)
}

type Versions = Pick<MarketChanges, 'network' | 'states' | 'ticks'>

function marketOf({ network: { revision, reorgs }, ...versions }: Versions): KnownMarket {
  const market: KnownMarket = { revision, reorgs, states: new Map(), ticks: new Map() }
  take(versions, market)
  return market
}

function take({ states, ticks }: Omit<Versions, 'network'>, known: KnownMarket): void {
  for (const { pool, state } of states) if (state.kind !== 'formula') known.states.set(pool, stateText(state))
  for (const { pool, tick, gross, net } of ticks) {
    if (gross === 0n) known.ticks.delete(`${pool} ${tick}`)
    else known.ticks.set(`${pool} ${tick}`, `${gross} ${net}`)
  }
}

/** Skips invalidated pools, which keep an old state until they are read again. */
function compareMarket(chain: ScriptedChain, frame: MarketFrame, { states, ticks }: KnownMarket): void {
  const { head } = frame.network
  if (head === null) return
  const invalidated = new Set<string>(frame.invalidated)
  const isValid = (key: string) => !invalidated.has(key.split(' ')[0] ?? '')
  const found = [...states, ...ticks].filter(([key]) => isValid(key)).map((entry) => entry.join(' '))
  const block = blockOf(chain, head.hash)
  const expected = [...states.keys()].filter(isValid).flatMap((pool) => {
    const state = block.states.get(pool)
    return state === undefined ? [] : [stateText(state), ...tickTexts(state)].map((text) => `${pool} ${text}`)
  })
  assertSame(compareLines(`the market of ${chain.market.network} at ${block.number}`, found, expected))
}

/**
 * Compares the rows with the chain, and the API's list with the rows. The API renders only changed parts of the list
 * again.
 */
async function checkSwaps(
  reader: Reader,
  chain: ScriptedChain,
  { seconds, rendering }: { seconds: number; rendering: Rendering },
  rowsOf: (block: ScriptedBlock) => string[],
): Promise<void> {
  const { network } = chain.market
  const since = (chain.blocks.at(-1)?.timestamp ?? 0) - seconds
  await reader.listSnapshot(NEVER, async (snapshot) => {
    const indexed = snapshot.networks.find((one) => one.network === network)
    if (indexed === undefined || indexed.head === null) return
    const found: SwapRow[] = []
    const window = await snapshot.window(indexed, since)
    if (window !== null) {
      for await (const page of snapshot.rows(indexed, window.from, window.to)) {
        found.push(...page.filter(({ time }) => time >= since))
        await nextTurn()
      }
    }
    const branch = branchSince(chain, blockOf(chain, indexed.head.hash), since)
    const isCovered = (block: number) => indexed.covered.some(({ from, to }) => from <= block && block <= to)
    const expected = branch.filter(({ number }) => isCovered(number)).flatMap(rowsOf)
    const there = found.filter(({ blockNumber }) => isCovered(blockNumber)).map(rowText)
    compareLists(`the rows of ${network}`, there, expected)
    const store = await rendering.store
    const listed: string[] = []
    for (const cell of await rendering.rendererOf(network, store).render(snapshot, indexed, since, NEVER)) {
      for (const { json } of await selectedRows(cell, { since }, store)) listed.push(listedJson(JSON.parse(json)))
    }
    const tokens = await snapshot.tokens(network, [...new Set(found.flatMap((row) => [row.sellToken, row.buyToken]))])
    const known = new Set(tokens.filter(({ decimals }) => decimals !== null).map(({ address }) => address))
    const isListed = (row: SwapRow) =>
      (row.sellNative || known.has(row.sellToken)) && (row.buyNative || known.has(row.buyToken))
    compareLists(`the rendered list of ${network}`, listed, found.filter(isListed).map(listedText))
  })
}

function compareLists(what: string, there: readonly string[], expected: readonly string[]): void {
  const [found, wanted] = [there, expected].map((list) => list.map((line, i) => `${i}: ${line}`)) as [
    string[],
    string[],
  ]
  assertSame(compareLines(what, found, wanted))
}

function listedText(row: SwapRow): string {
  return [row.blockNumber, row.txHash, row.sellAmount, row.buyAmount, row.volumeUsd ?? '0.00000000'].join(' ')
}

function listedJson({ block_number, tx_hash, sell_token, buy_token, trade_volume_usd }: ListedRow): string {
  return [block_number, tx_hash, sell_token.amount, buy_token.amount, trade_volume_usd].join(' ')
}

interface ListedRow {
  block_number: string
  tx_hash: string
  sell_token: { amount: string }
  buy_token: { amount: string }
  trade_volume_usd: string
}

interface Rendering {
  store: Promise<RowStore>
  rendererOf(network: NetworkName, store: RowStore): NetworkRenderer
}

function openRendering(folder: string): Rendering {
  const renderers = new Map<NetworkName, NetworkRenderer>()
  return {
    store: RowStore.open(folder),
    rendererOf(network, store) {
      const known = renderers.get(network) ?? new NetworkRenderer(store)
      renderers.set(network, known)
      return known
    },
  }
}

function branchSince(chain: ScriptedChain, head: ScriptedBlock, since: number): ScriptedBlock[] {
  const branch: ScriptedBlock[] = []
  for (let block: ScriptedBlock | undefined = head; block; block = chain.byHash(block.parentHash)) {
    if (block.timestamp < since - MARGIN_S) break
    branch.push(block)
  }
  return branch.reverse().filter(({ timestamp }) => timestamp >= since)
}

function blockOf(chain: ScriptedChain, hash: Hex): ScriptedBlock {
  const block = chain.byHash(hash)
  if (block === undefined) throw new Error(`no chain of ${chain.market.network} has the head ${hash}`)
  return block
}

function tradeRows(chain: ScriptedChain, block: ScriptedBlock): string[] {
  let [last, position] = [-1, 0]
  return tradesOf(recordedBlock(block), poolsOf(chain.market), chain.market.deployment).map(
    ({ transaction: { index, hash }, sell, buy }) => {
      position = index === last ? position + 1 : 0
      last = index
      return `${block.number} ${index} ${position} ${hash} ${sell.token} ${sell.amount} ${buy.token} ${buy.amount}`
    },
  )
}

function rowText(row: SwapRow): string {
  const { blockNumber, transactionIndex, position, txHash, sellToken, sellAmount, buyToken, buyAmount } = row
  return [blockNumber, transactionIndex, position, txHash, sellToken, sellAmount, buyToken, buyAmount].join(' ')
}
