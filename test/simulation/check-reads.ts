import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ScriptedBlock, ScriptedChain } from '@dexfeed/devnet'
import type { NetworkName } from '@dexfeed/dex'
import {
  type Database,
  type IndexedNetwork,
  type MarketSnapshot,
  openReader,
  type Reader,
  StoreError,
  type SwapRow,
} from '@dexfeed/store'
import { tradesOf } from '../expected/trades/trades.ts'
import { poolsOf, recordedBlock, stateText } from './oracle.ts'

/** Small pages, so that a read is many statements; a short tail makes the second one page reorgable swaps too. */
const PAGES = [
  { pageRows: 7, marketPageRows: 3 },
  { pageRows: 5, marketPageRows: 3, maxTailRows: 10 },
]
/** How far block times may run against block numbers. */
const MARGIN_S = 600

/** Reads a database as the API does, at any moment, and says what belongs to no one head of the chain. */
export interface ReadChecks {
  /** @param seconds of the list of swaps. @throws on a mix; a read that the database refuses for now does not count */
  look(network: NetworkName, seconds: number): Promise<void>
  /** Reads that were compared. */
  looks(): number
}

interface KnownMarket {
  revision: number
  reorgs: number
  covered: IndexedNetwork['covered']
  states: Map<string, string>
  ticks: Map<string, string>
}

export function readChecks(database: Database, chains: readonly ScriptedChain[]): ReadChecks {
  const readers = PAGES.map((options) => openReader(database, options))
  const known = new Map<NetworkName, KnownMarket>()
  const rows = new Map<string, string[]>()
  let looks = 0
  const rowsOf = (chain: ScriptedChain, block: ScriptedBlock): string[] => {
    const found = rows.get(block.hash) ?? tradeRows(chain, block)
    rows.set(block.hash, found)
    return found
  }
  return {
    looks: () => looks,
    async look(network, seconds) {
      const chain = chains.find(({ market }) => market.network === network)
      const reader = readers[looks % readers.length]
      if (chain === undefined || reader === undefined) return
      try {
        await lookAtMarket(reader, chain, known)
        await lookAtSwaps(reader, chain, seconds, (block) => rowsOf(chain, block))
        await lookAtDays(database, chain.chainId)
        looks++
      } catch (error) {
        if (!isLostConnection(error)) throw error
      }
    },
  }
}

/** Connections are cut all the time here. */
function isLostConnection(error: unknown): boolean {
  if (error instanceof StoreError) return error.retryable
  return error instanceof Error && /terminating connection|connection terminated/i.test(error.message)
}

class MixedRead extends Error {
  constructor(what: string, wrong: readonly string[]) {
    super(`${what} is of no one head: ${wrong.slice(0, 6).join('; ')}`)
  }
}

/** The whole market, and one that is kept up to date by its changes, as the API keeps it. */
async function lookAtMarket(reader: Reader, chain: ScriptedChain, known: Map<NetworkName, KnownMarket>): Promise<void> {
  const { network } = chain.market
  const market = await reader.market(network)
  if (market === null) return
  compareMarket(chain, market.network, marketOf(market))
  const before = known.get(network)
  const changes = before === undefined ? null : await reader.marketChanges(network, before)
  if (before === undefined || changes === null) {
    known.set(network, marketOf(market))
    return
  }
  for (const { pool, state } of changes.states) before.states.set(pool, stateText(state))
  for (const { pool, tick, gross, net } of changes.ticks) {
    if (gross === 0n) before.ticks.delete(`${pool} ${tick}`)
    else before.ticks.set(`${pool} ${tick}`, `${gross} ${net}`)
  }
  before.revision = changes.network.revision
  before.covered = changes.network.covered
  compareMarket(chain, changes.network, before)
}

function marketOf({ network: { revision, reorgs, covered }, states, ticks }: MarketSnapshot): KnownMarket {
  return {
    revision,
    reorgs,
    covered,
    states: new Map(states.map(({ pool, state }) => [pool, stateText(state)])),
    ticks: new Map(ticks.map(({ pool, tick, gross, net }) => [`${pool} ${tick}`, `${gross} ${net}`])),
  }
}

function compareMarket(chain: ScriptedChain, { head }: IndexedNetwork, { states, ticks }: KnownMarket): void {
  if (head === null) return
  const block = blockOf(chain, head.hash)
  const wrong: string[] = []
  const expectedTicks = new Map<string, string>()
  for (const [pool, text] of states) {
    const state = block.states.get(pool as `0x${string}`)
    const expected = state === undefined ? 'nothing' : stateText(state)
    if (text !== expected) wrong.push(`${pool} is ${text}, at ${block.number} it is ${expected}`)
    if (state?.kind !== 'concentrated') continue
    for (const [tick, { gross, net }] of state.ticks) expectedTicks.set(`${pool} ${tick}`, `${gross} ${net}`)
  }
  for (const [tick, text] of ticks) if (expectedTicks.get(tick) !== text) wrong.push(`tick ${tick} is ${text}`)
  for (const [tick, text] of expectedTicks) if (ticks.get(tick) !== text) wrong.push(`tick ${tick} is not ${text}`)
  if (wrong.length > 0) throw new MixedRead(`the market of ${chain.market.network}`, wrong)
}

async function lookAtSwaps(
  reader: Reader,
  chain: ScriptedChain,
  seconds: number,
  rowsOf: (block: ScriptedBlock) => string[],
): Promise<void> {
  const { network } = chain.market
  const since = (chain.blocks.at(-1)?.timestamp ?? 0) - seconds
  const { networks, batches } = await reader.swapWindow({ network, since })
  const [indexed] = networks
  const found: { block: number; text: string }[] = []
  for await (const batch of batches) {
    found.push(...batch.map((row) => ({ block: row.blockNumber, text: rowText(row) })))
    await nextTurn()
  }
  if (indexed === undefined || indexed.head === null) return
  const branch = branchSince(chain, blockOf(chain, indexed.head.hash), since)
  const isCovered = (block: number) => indexed.covered.some(({ from, to }) => from <= block && block <= to)
  const expected = branch.flatMap((block) => rowsOf(block).map((text) => ({ block: block.number, text })))
  const wanted = expected.filter(({ block }) => isCovered(block)).map(({ text }) => text)
  const there = found.filter(({ block }) => isCovered(block)).map(({ text }) => text)
  // What was filled in during the read may show, in part; nothing else may.
  const all = new Set(expected.map(({ text }) => text))
  const orphaned = found.filter(({ text }) => !all.has(text)).map(({ text }) => `not of the chain: ${text}`)
  const at = wanted.findIndex((text, i) => text !== there[i])
  const differs = at >= 0 || wanted.length !== there.length
  const story = `row ${at} of ${wanted.length} is ${there[at]}, not ${wanted[at]}`
  if (orphaned.length > 0 || differs) throw new MixedRead(`the list of ${network}`, [...orphaned, story])
}

/** The blocks of the branch that ends with a block and are no older, ascending. */
function branchSince(chain: ScriptedChain, head: ScriptedBlock, since: number): ScriptedBlock[] {
  const branch: ScriptedBlock[] = []
  for (let block: ScriptedBlock | undefined = head; block; block = chain.byHash(block.parentHash)) {
    if (block.timestamp < since - MARGIN_S) break
    branch.push(block)
  }
  return branch.reverse().filter(({ timestamp }) => timestamp >= since)
}

function blockOf(chain: ScriptedChain, hash: `0x${string}`): ScriptedBlock {
  const block = chain.byHash(hash)
  if (block === undefined) throw new MixedRead(`the head ${hash} of ${chain.market.network}`, ['no chain has it'])
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

/** The counters of the days say what the rows say, in one statement and so in one snapshot. */
async function lookAtDays({ pool }: Database, chainId: number): Promise<void> {
  const { rows } = await pool.query<{ line: string }>(
    `WITH counted AS (
       SELECT (block_time AT TIME ZONE 'UTC')::date AS day, count(*) AS swaps,
         count(*) FILTER (WHERE volume_usd IS NULL) AS unpriced, coalesce(sum(volume_usd), 0) AS volume
       FROM swap WHERE chain_id = $1 GROUP BY 1
     )
     SELECT format('%s: %s/%s swaps, %s/%s USD', day, total.swaps, counted.swaps, total.volume_usd, counted.volume) AS line
     FROM counted FULL JOIN (SELECT * FROM day_total WHERE chain_id = $1) AS total USING (day)
     WHERE (total.swaps, total.unpriced, total.volume_usd) IS DISTINCT FROM (counted.swaps, counted.unpriced, counted.volume)
     UNION ALL
     SELECT format('%s: %s/%s addresses', day, count.addresses, counted.addresses)
     FROM (SELECT (block_time AT TIME ZONE 'UTC')::date AS day, count(DISTINCT trader) AS addresses
       FROM swap WHERE trader IS NOT NULL GROUP BY 1) AS counted
     FULL JOIN (SELECT day, sum(addresses)::bigint AS addresses FROM day_address_count GROUP BY day) AS count USING (day)
     WHERE count.addresses IS DISTINCT FROM counted.addresses`,
    [chainId],
  )
  if (rows.length > 0)
    throw new MixedRead(
      `a day's total of ${chainId}`,
      rows.map(({ line }) => line),
    )
}
