import { type Address, type BlockPoint, MINUTE_S, type PoolAddress, type Token } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { notify } from '../database/notifications.ts'
import { type Db, inTransaction, type Reads } from '../database/transaction.ts'
import { PRICE_LIFE_S, readLastPrices } from '../reading/candles.ts'
import { readRows } from '../stored.ts'
import { type AlertChange, type AlertKey, insertAlerts, readFired, readUndoneRules } from '../tables/alert.ts'
import { readNewLiquidity } from '../tables/liquidity-event.ts'
import { lockNetwork, type NetworkKey } from '../tables/network.ts'
import { lastSidePrices, type SidePriceRow } from '../tables/rollups/pool-candle.ts'
import { storedPriceText } from '../tables/rollups/price-rule.ts'
import { poolKey } from '../tables/swap/pool-key.ts'
import { readTokens } from '../tables/token.ts'

/** A token; in one of its pools, or over all of them (`pool` is null). */
interface PricedSubject {
  token: Address
  pool: PoolAddress | null
}

/** What alerts are judged by: the rows of a commit, read in its transaction. */
export interface AlertReads {
  /** Returns the rules of which a change was undone because its block, above this one, is gone. */
  undone(block: number): Promise<readonly string[]>
  fired(keys: readonly AlertKey[]): Promise<(key: AlertKey) => boolean>
  /**
   * Returns the prices at the end of a block's minute less `age` (seconds), in USD per whole token, in the order of the
   * subjects: those of `/v1/tokens`, or of the pool's candles. A price is null if it is unknown.
   */
  prices(subjects: readonly PricedSubject[], block: BlockPoint, age: number): Promise<(string | null)[]>
  /**
   * Returns what was added to pools less what was removed, in USD times 10^8, of those that were created after `since`
   * (seconds).
   */
  newLiquidity(pools: readonly PoolAddress[], since: number): Promise<ReadonlyMap<PoolAddress, bigint>>
}

/** Returns the changes that a commit causes. It may be called again if the transaction is repeated. */
export type JudgeAlerts = (reads: AlertReads) => Promise<readonly AlertChange[]>

/** Judges and stores alerts in the transaction of the rows that cause them. The caller has locked the network's row. */
export async function judgeAlerts(tx: Db, { chainId }: NetworkKey, judge: JudgeAlerts): Promise<void> {
  // A kept plan that was made when a day had few rows would read all its rows until the next ANALYZE.
  await tx.$executeRaw`SET LOCAL plan_cache_mode = force_custom_plan`
  const changes = await judge({
    undone: (block) => readUndoneRules(tx, chainId, block),
    fired: (keys) => readFired(tx, chainId, keys),
    prices: (subjects, block, age) => readPrices(tx, chainId, subjects, block.timestamp - age),
    newLiquidity: (pools, since) => readNewLiquidity(tx, chainId, pools, since),
  })
  await insertAlerts(tx, chainId, changes)
  await tx.$executeRaw`SET LOCAL plan_cache_mode = DEFAULT`
}

/** Stores changes that no block causes. Leaves out those that another process has stored. */
export async function storeChanges(
  database: Database,
  { chainId, name }: NetworkKey,
  changes: readonly AlertChange[],
): Promise<void> {
  await inTransaction(database, async (tx) => {
    await lockNetwork(tx, chainId)
    const isFired = await readFired(tx, chainId, changes)
    const news = changes.filter((change) => isFired(change) !== (change.status === 'fired'))
    await insertAlerts(tx, chainId, news)
    if (news.length > 0) await notify(tx, name)
  })
}

async function readPrices(
  db: Reads & Db,
  chainId: number,
  subjects: readonly PricedSubject[],
  time: number,
): Promise<(string | null)[]> {
  if (subjects.length === 0) return []
  const to = (Math.floor(time / MINUTE_S) + 1) * MINUTE_S
  const tokens = await readTokens(db, chainId, [...new Set(subjects.map(({ token }) => token))])
  const decimals = new Map(tokens.map((token) => [token.address, token.decimals]))
  const whole = new Set(subjects.flatMap(({ token, pool }) => (pool === null ? [token] : [])))
  const ofTokens = await readTokenPrices(
    db,
    chainId,
    tokens.filter(({ address }) => whole.has(address)),
    to,
  )
  const inPools = subjects.flatMap(({ token, pool }) => (pool === null ? [] : [{ token, pool }]))
  const ofPools = await readPoolPrices(db, chainId, inPools, to)
  return subjects.map(({ token, pool }) =>
    pool === null ? (ofTokens.get(token) ?? null) : storedPriceText(ofPools.shift() ?? null, decimals.get(token)),
  )
}

async function readTokenPrices(
  db: Reads,
  chainId: number,
  tokens: readonly Token[],
  to: number,
): Promise<Map<Address, string | null>> {
  if (tokens.length === 0) return new Map()
  // Coverage only tells whether prices are weighted.
  const prices = await readLastPrices(db, { chainId, covered: [], since: null }, tokens, to)
  return new Map([...prices].map(([token, { priceUsd }]) => [token, priceUsd]))
}

async function readPoolPrices(
  db: Reads,
  chainId: number,
  subjects: readonly { token: Address; pool: PoolAddress }[],
  to: number,
): Promise<(string | null)[]> {
  if (subjects.length === 0) return []
  const sides = subjects.map(({ token, pool }) => ({
    token: poolKey(token),
    pool: poolKey(pool),
    from: to - PRICE_LIFE_S,
    to,
  }))
  const rows = await readRows<SidePriceRow>(db, lastSidePrices(chainId, sides))
  const prices = new Map(rows.map(({ n, price }) => [n, price]))
  return subjects.map((_, n) => prices.get(n) ?? null)
}
