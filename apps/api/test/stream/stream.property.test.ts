import { NETWORK_NAMES, NETWORKS, type NetworkName, ROW_RULES } from '@dexfeed/dex'
import { hexNumber } from '@dexfeed/test-setup/seed'
import fc from 'fast-check'
import { expect, inject, it } from 'vitest'
import { type ApiFixture, NOON, openFixture } from '../api-fixture.ts'
import { IndexedWorld, LATE, type Step, step } from '../indexed-world.ts'
import { FollowedList, LIQUIDITY, type StreamedList, SWAPS, sorted, wholeList } from './followed-list.ts'
import { listenBySocket, listenToEvents, type TestListener } from './listener.ts'

// list, read once --- event --- event --- ... equals the current list, after anything that happens to a database.
//
// For each filter and both transports. Also for a listener that disconnects at times and resumes with its last id, at
// the same process or at another one, which has sent other events.

const RUNS = inject('scale')
const TOKEN = `0x${'a'.padStart(40, '0')}`
const TRADER = `0x${'1'.padStart(40, '0')}`
const QUERIES: [StreamedList, string][] = [
  [SWAPS, ''],
  [SWAPS, 'network=bsc'],
  [SWAPS, `token=${TOKEN}`],
  [SWAPS, `min_usd=1.25&trader=${TRADER}`],
  [SWAPS, 'max_usd=1&from=2026-11-21T00:00:00Z'],
  [LIQUIDITY, 'network=bsc'],
  [LIQUIDITY, `network=bsc&pool=${hexNumber(0xf02)}`],
]

/** The steps that a listener of these filters can follow: a network that it names must stay indexed. */
const steps = fc.array(
  step.filter((step) => !(step.kind === 'switch' && step.network === 'bsc') && step.kind !== 'damage'),
  { minLength: 6, maxLength: 8 },
)

class Follower {
  readonly #query: string
  readonly #list: FollowedList
  #listener: TestListener | null = null
  #lastId: string | null = null
  #taken = 0

  constructor(api: ApiFixture, list: StreamedList, query: string) {
    this.#query = `events=${list.event}&${query}`
    this.#list = new FollowedList(api, query, list)
  }

  /** The list is read once, after the stream has begun. */
  async begin(base: string, bySocket: boolean): Promise<void> {
    await this.come(base, bySocket)
    await this.#list.begin()
    // Without an id, a listener that reconnects would have to read the list again.
    await expect.poll(async () => (await this.catchUp()) && this.#lastId).not.toBeNull()
  }

  async come(base: string, bySocket = false): Promise<void> {
    const listen = bySocket ? listenBySocket : listenToEvents
    this.#taken = 0
    this.#listener = await listen(base, { query: this.#query, lastId: this.#lastId })
  }

  /** Drops the connection with all events that are not processed yet. */
  leave(): void {
    this.#listener?.close()
    this.#listener = null
  }

  async catchUp(): Promise<unknown[]> {
    const { received = [] } = this.#listener ?? {}
    while (this.#taken < received.length) {
      const each = received[this.#taken++]
      if (each === undefined) break
      await this.#list.take(each)
      if (each.event === 'head' && each.id !== undefined) this.#lastId = each.id
    }
    return this.#list.rows
  }

  get resets(): readonly string[] {
    return this.#list.resets
  }
}

/** The new pools of a network, of a client that read them once and then only applies the events. */
class PoolFollower {
  readonly #api: ApiFixture
  readonly #pools = new Map<string, string>()
  #listener: TestListener | null = null
  #taken = 0

  constructor(api: ApiFixture) {
    this.#api = api
  }

  async begin(): Promise<void> {
    this.#listener = await listenToEvents(this.#api.api.url, { query: 'network=bsc&events=pool' })
    await this.#read(0, Number.MAX_SAFE_INTEGER)
  }

  leave(): void {
    this.#listener?.close()
  }

  async stored(from: number, to: number): Promise<string[]> {
    const { rows } = await this.#api.owner.query<{ line: string }>(
      `SELECT concat_ws(' ', '0x' || encode(pool, 'hex'), block_number, '0x' || encode(tx_hash, 'hex')) AS line
       FROM pool_creation WHERE chain_id = $1 AND block_number BETWEEN $2 AND $3`,
      [NETWORKS.bsc.chainId, from, to],
    )
    return rows.map(({ line }) => line).sort()
  }

  async followed(): Promise<string[]> {
    const { received = [] } = this.#listener ?? {}
    while (this.#taken < received.length) {
      const each = received[this.#taken++]
      if (each?.event === 'pool') {
        const { address, created_block, created_tx } = each.data
        this.#pools.set(address, `${address} ${created_block} ${created_tx}`)
      }
      if (each?.event === 'removed') this.#drop(Number(each.data.from_block), Number(each.data.to_block))
      if (each?.event !== 'reset') continue
      const [from, to] = [each.data.from_block ?? 0, each.data.to_block ?? Number.MAX_SAFE_INTEGER].map(Number)
      this.#drop(from ?? 0, to ?? 0)
      await this.#read(from ?? 0, to ?? 0)
    }
    return [...this.#pools.values()].sort()
  }

  async #read(from: number, to: number): Promise<void> {
    for (const line of await this.stored(from, to)) this.#pools.set(line.split(' ', 1)[0] ?? '', line)
  }

  #drop(from: number, to: number): void {
    for (const [pool, line] of this.#pools) {
      const block = Number(line.split(' ')[1])
      if (from <= block && block <= to) this.#pools.delete(pool)
    }
  }
}

interface Following {
  list: StreamedList
  query: string
  follower: Follower
}

async function expectList(api: ApiFixture, { list, query, follower }: Following): Promise<void> {
  const expected = lines(sorted(await wholeList(api, query, list)))
  const differ = async () => differenceOf(lines(await follower.catchUp()), expected)
  await expect.poll(differ, { interval: 5, message: query }).toEqual({ missing: [], excess: [] })
}

function lines(rows: readonly unknown[]): string[] {
  return rows.map((row) => JSON.stringify(row))
}

/** Returns the first rows that differ. */
function differenceOf(rows: readonly string[], expected: readonly string[]) {
  const [own, right] = [new Set(rows), new Set(expected)]
  const missing = expected.filter((row) => !own.has(row)).slice(0, 3)
  const excess = rows.filter((row) => !right.has(row)).slice(0, 3)
  return { missing, excess }
}

/** Like `settleAwaitedValues` of the store for trades whose token has a name from now on. */
async function touchCellsOf(api: ApiFixture, network: NetworkName, token: string): Promise<void> {
  await api.owner.query(
    `INSERT INTO list_cell SELECT chain_id, block_number / 32, floor(random() * 1e15), now() FROM (
       SELECT chain_id, block_number FROM swap WHERE $2 IN (sell_token, buy_token)
       UNION ALL SELECT event.chain_id, block_number FROM liquidity_event AS event
       JOIN pool ON pool.chain_id = event.chain_id AND address = event.pool WHERE $2 IN (token0, token1)
     ) AS named WHERE chain_id = $1 GROUP BY 1, 2
     ON CONFLICT (chain_id, cell) DO UPDATE SET version = excluded.version`,
    [NETWORKS[network].chainId, Buffer.from(token.slice(2), 'hex')],
  )
}

async function live(api: ApiFixture, other: ApiFixture, all: readonly Step[]): Promise<void> {
  await api.owner.query(
    'TRUNCATE network, swap, liquidity_event, pool, pool_creation, token, list_cell, covered_range CASCADE',
  )
  const world = new IndexedWorld(api.owner)
  await world.begin()
  for (const network of NETWORK_NAMES) {
    await api.owner.query('INSERT INTO covered_range VALUES ($1, 0, 1000000, to_timestamp($2), to_timestamp($3), $4)', [
      ...[NETWORKS[network].chainId, NOON - 3 * 86_400, NOON + 4 * 86_400, ROW_RULES],
    ])
  }
  await Promise.all([api.committed(), other.committed()])
  const bases = [api.api.url, other.api.url] as const
  // Each stream reads the networks again some time after the change.
  for (const { get } of [api, other]) {
    await expect.poll(async () => (await get('/v1/stream?network=bsc', { method: 'HEAD' })).status).toBe(200)
  }
  const following = (list: StreamedList, query: string) => ({ list, query, follower: new Follower(api, list, query) })
  const followers = QUERIES.map(([list, query]) => following(list, query))
  const bySocket = following(SWAPS, '')
  const wanderers = [following(SWAPS, ''), following(SWAPS, `token=${TOKEN}`), following(LIQUIDITY, 'network=bsc')]
  const present = [...followers, bySocket]
  const pools = new PoolFollower(api)
  for (const { follower } of [...followers, ...wanderers]) await follower.begin(bases[0], false)
  await bySocket.follower.begin(bases[0], true)
  await pools.begin()
  try {
    for (const [at, one] of all.entries()) {
      if (at % 3 === 0) for (const { follower } of wanderers) follower.leave()
      if (one.kind !== 'time' && one.kind !== 'restart') await world.take(one)
      if (one.kind === 'learn') await touchCellsOf(api, one.network, LATE)
      await Promise.all([api.committed(), other.committed()])
      for (const each of present) await expectList(api, each)
      const stored = await pools.stored(0, Number.MAX_SAFE_INTEGER)
      await expect.poll(() => pools.followed(), { interval: 5 }).toEqual(stored)
      if (at % 3 !== 2) continue
      for (const { follower } of wanderers) await follower.come(bases[at % 2] ?? bases[0], at % 4 === 0)
      for (const each of wanderers) await expectList(api, each)
    }
  } finally {
    for (const { follower } of [...present, ...wanderers]) follower.leave()
    pools.leave()
  }
}

it('events applied one by one give the list, after anything that happens to a database, over lost connections', async () => {
  const api = await openFixture()
  const other = await openFixture({ ownerUrl: api.ownerUrl })
  await fc.assert(
    fc.asyncProperty(steps, (all) => live(api, other, all)),
    { numRuns: RUNS, endOnFailure: true },
  )
}, 300_000)
