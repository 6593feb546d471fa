import { AsyncLocalStorage } from 'node:async_hooks'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dateOfDay, dayOf, ROW_RULES } from '@dexfeed/dex'
import {
  type AlertChange,
  type JudgeAlerts,
  openIndexerStore,
  openLakeStore,
  openReader,
  type Reader,
  ROWS_OF_DAY,
  type RowsName,
  type SwapFilter,
} from '@dexfeed/store'
import { closeAfter } from '@dexfeed/test-setup'
import { Client } from 'pg'
import { expect, test, vi } from 'vitest'
import {
  address,
  creation,
  deployment,
  filling,
  following,
  hash,
  header,
  MIDNIGHT,
  openTestDatabase,
  POOL,
  TOKEN,
  trade,
} from './rows/sample.ts'

const DAY = dayOf(MIDNIGHT)
const DATE = dateOfDay(DAY)
const FOLDER = fileURLToPath(new URL('../statements', import.meta.url))
/** Statements of transactions and sessions, which are the same for all methods. */
const FRAME = /^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SET|SHOW|START TRANSACTION|LISTEN|UNLISTEN)\b/

const method = new AsyncLocalStorage<Set<string>>()

/** Records each statement that a method sends to the server. */
function listen(): void {
  const query = Client.prototype.query
  vi.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...args: unknown[]) {
    const [config] = args
    const text = typeof config === 'string' ? config : (config as { text?: string; cursor?: { text: string } }).text
    if (text !== undefined && !FRAME.test(text)) method.getStore()?.add(layout(text))
    return Reflect.apply(query, this, args)
  })
}

/** Removes the code's indentation, and gives the partitions of every day one name. */
function layout(text: string): string {
  const lines = text.split('\n')
  const indents = lines.slice(1).flatMap((line) => (line.trim() === '' ? [] : [line.search(/\S/)]))
  const indent = Math.min(...indents, 40)
  const own = lines.map((line, index) => (index === 0 ? line : line.slice(indent)).trimEnd())
  return own
    .filter((line) => line !== '')
    .join('\n')
    .trim()
    .replace(/_20\d{6}\b/g, '_<day>')
}

const THRESHOLDS = {
  minVolumeUsd: 1,
  minSwaps: 1,
  roundTripPercent: 50,
  topTraders: 2,
  topTradersPercent: 90,
  matchedPercent: 50,
}
const FILTERS: SwapFilter[] = [
  {},
  { trader: address(0xb0) },
  { txHash: hash(1, 0x77) },
  { token: TOKEN.address, minUsd: '1', since: MIDNIGHT },
  { sellToken: TOKEN.address },
  { buyToken: POOL.token1 },
  { pool: POOL.address },
  { protocol: 'uniswap-v2' },
]

type Methods<Store> = { [Name in keyof Store]: () => unknown }

const ignore = () => undefined

async function networkOf(reader: Reader) {
  const [network] = await reader.networks()
  if (network === undefined) throw new Error('the network is not active')
  return network
}

/** Calls the methods in turn, and returns those statements of each that are not yet `listed`. */
async function statementsOf(calls: Readonly<Record<string, () => unknown>>, listed: Set<string>) {
  const parts: string[] = []
  for (const [name, call] of Object.entries(calls)) {
    const sent = new Set<string>()
    await method.run(sent, call as () => Promise<unknown>)
    const found = [...sent].filter((text) => !listed.has(text)).sort()
    for (const text of found) listed.add(text)
    parts.push([`-- ${name}`, ...found.map((text) => `${text};`)].join('\n\n'))
  }
  return `${parts.join('\n\n')}\n`
}

/** Makes DAY complete, so that its rows can be read. */
async function completeDay({ pool }: { pool: { query(text: string): Promise<unknown> } }): Promise<void> {
  await pool.query(`
    DELETE FROM covered_range; DELETE FROM awaited_value; DELETE FROM kept_days; DELETE FROM block;
    INSERT INTO covered_range SELECT 1, 0, 1000000000, '2026-01-01', '2027-01-01', ${ROW_RULES};
    INSERT INTO day_total VALUES ('${DATE}', 1, 0, 0, 0, 0) ON CONFLICT DO NOTHING;
    INSERT INTO block VALUES (1, 1000000000, sha256('a'), sha256('b'), '2027-01-01');
    UPDATE network SET active = true, final_number = 1000000000, flow_unknown_to = NULL`)
}

test('statements/ holds every statement of the stores', async () => {
  listen()
  const database = await openTestDatabase(4)
  const store = openIndexerStore(database, 'eth')
  const page = { network: 'eth', ascending: true, from: null, limit: 10 } as const
  const reader = openReader(database, { lake: { rows: async () => [] } })
  const signal = AbortSignal.timeout(60_000)
  const range = { from: 1, to: 2 }
  const start = { number: 1, timestamp: MIDNIGHT }
  const key = { currency0: address(1), currency1: address(2), fee: 500, tickSpacing: 10, hooks: address(0) }
  const manager = address(0xf4)
  const progress = { searched: { from: 1, to: 5 }, floor: 1, inVainAt: null, rounds: 1 }
  const denial = { ...range, emitter: address(0xdd) }
  const state = { pool: POOL.address, blockNumber: 5, state: { kind: 'pair', reserve0: 5n, reserve1: 1n } } as const
  const tick = { pool: POOL.address, blockNumber: 5, tick: 1, gross: 2n, net: 2n }
  const blocks = [header(5, MIDNIGHT + 5), header(6, MIDNIGHT + 6)]
  const late = trade(2, MIDNIGHT + 2, { usdE8: null, hopsUsdE8: [null], source: null })
  const hour = { time: MIDNIGHT, blockNumber: 3, since: MIDNIGHT, pricesE18: new Map([[TOKEN.address, 1n]]) }
  const history = filling(1, 2, [trade(1, MIDNIGHT + 1), late])
  const alert: AlertChange = {
    rule: 'rule',
    condition: '{}',
    id: hash(1),
    status: 'fired',
    blockNumber: 5,
    time: MIDNIGHT + 5,
    details: '{}',
    webhooks: ['hook'],
  }
  const judge: JudgeAlerts = async ({ undone, fired, prices, newLiquidity }) => {
    await undone(4)
    await fired([alert])
    await newLiquidity([POOL.address], MIDNIGHT)
    const { address: pool, token0: token } = POOL
    await prices(
      [
        { token, pool: null },
        { token, pool },
      ],
      { number: 5, timestamp: MIDNIGHT + 5 },
      300,
    )
    return [alert]
  }
  let epoch = 0
  let release = async (): Promise<unknown> => undefined

  // Methods that empty tables come last.
  const ending = {
    dropPoolStates: () => store.dropPoolStates(epoch),
    raiseStart: () => store.raiseStart({ number: 2, timestamp: MIDNIGHT + 2 }),
    rollBackBelowFinal: () => store.rollBackBelowFinal(epoch, start, [POOL.address]),
    dropDaysBefore: () => store.dropDaysBefore(DAY + 1),
    restoreDays: () =>
      store.restoreDays({
        first: DAY - 1,
        networks: new Map([
          [
            'eth',
            {
              start: { number: 1, timestamp: MIDNIGHT - 86_400 },
              before: { number: 0, timestamp: MIDNIGHT - 2 * 86_400 },
            },
          ],
        ]),
      }),
    keptSince: () => store.keptSince(),
  }
  const indexer: Methods<Omit<typeof store, keyof typeof ending>> = {
    register: () => store.register({ genesisHash: hash(0), deployment: deployment('eth'), start }),
    acquireWriter: async () => {
      const lease = await store.acquireWriter(signal)
      epoch = lease.epoch
      release = () => lease.release()
    },
    configure: () => store.configure(epoch, deployment('eth')),
    networkRow: () => store.networkRow(),
    alignFees: () => store.alignFees(epoch, deployment('eth').dexes),
    lowerStart: () => store.lowerStart(start),
    commitHistory: () => store.commitHistory({ ...history, tokens: [TOKEN], denied: [denial], awaiting: [] }),
    coveredRanges: () => store.coveredRanges(),
    oldRanges: () => store.oldRanges(),
    commitHead: () =>
      store.commitHead({
        ...following(epoch, blocks, [trade(5, MIDNIGHT + 5)], { poolStates: [state], tickDeltas: [tick] }),
        covered: [{ from: 5, to: 5, fromTime: MIDNIGHT + 5, toTime: MIDNIGHT + 5 }],
        creations: [creation(5, MIDNIGHT + 5)],
        judge,
      }),
    firedAlerts: () => store.firedAlerts([alert]),
    storeAlerts: () => store.storeAlerts([{ ...alert, rule: 'other' }]),
    lastAlert: () => store.lastAlert(),
    waitingAlerts: () => store.waitingAlerts('hook', 10),
    noteQueued: () => store.noteQueued('hook', [1]),
    reorgableBlocks: () => store.reorgableBlocks(),
    noteFinal: () => store.noteFinal(epoch, 5),
    commitSkipped: () =>
      store.commitSkipped({
        ...filling(6, 6, [trade(6, MIDNIGHT + 6)]),
        skipped: { epoch, hash: hash(6), isProven: true },
      }),
    renew: () => store.renew(history),
    lastHour: () => store.lastHour(),
    saveHour: () => store.saveHour(hour),
    savePoolHours: () => store.savePoolHours(MIDNIGHT, [{ pool: POOL.address, amounts: [1n, 2n] }]),
    deleteInvalidHours: () => store.deleteInvalidHours(),
    poolsAt: () => store.poolsAt(3, [POOL.address]),
    poolsChanged: () => store.poolsChanged({ above: 1, to: 3 }, null, 10),
    replaceRange: () =>
      store.replaceRange({ ...history, ...range, times: new Map(), invalidated: [POOL.address], denied: [denial] }),
    storedTrades: () => store.storedTrades(range),
    storedLiquidity: () => store.storedLiquidity(range),
    poolsOfTrades: () => store.poolsOfTrades(range),
    creationsIn: () => store.creationsIn(range),
    loadPools: () => store.loadPools([POOL.address]),
    loadTokens: () => store.loadTokens([TOKEN.address]),
    foundPools: () => store.foundPools(),
    poolsCreatedAbove: () => store.poolsCreatedAbove(5),
    poolTrades: () => store.poolTrades(),
    changeUnreadPools: () => store.changeUnreadPools(epoch, { unread: [{ pool: POOL.address, place: 1 }], read: null }),
    poolKeys: () => store.poolKeys([hash(7)]),
    keyProgress: () => store.keyProgress(manager),
    saveKeys: async () => {
      const was = await store.keyProgress(manager)
      await store.saveKeys({ manager, was, now: progress, keys: [[hash(7), key]] })
    },
    searchAlone: () => store.searchAlone(async () => undefined),
    invalidate: () => store.invalidate([{ pool: POOL.address, blockNumber: 5 }]),
    invalidatedPools: () => store.invalidatedPools(),
    commitPoolStates: () =>
      store.commitPoolStates({
        epoch,
        headHash: hash(6),
        states: [{ ...state, blockNumber: 6, readAt: 6 }],
        ticks: [{ ...tick, blockNumber: 6 }],
      }),
    loadPoolStates: () => store.loadPoolStates(),
    overdrawnPools: () => store.overdrawnPools(6, [tick]),
    pruneStates: () => store.pruneStates(5),
    poolsWithState: () => store.poolsWithState(null, 10),
    committedStates: () => store.committedStates([POOL.address]),
    setCheckedPool: () => store.setCheckedPool(POOL.address),
    checkedPool: () => store.checkedPool(),
    setAudited: () => store.setAudited(2),
    audited: () => store.audited(),
    unconfirmedDenials: () => store.unconfirmedDenials(6),
    settleDenials: () => store.settleDenials([denial]),
    unreadSupplies: () => store.unreadSupplies(10),
    tokensAfter: () => store.tokensAfter(null, 10),
    saveSupplies: () => store.saveSupplies(new Map([[TOKEN.address, 1n]])),
    awaitedTokens: () => store.awaitedTokens(),
    settleAwaitedValues: () => store.settleAwaitedValues([TOKEN]),
    daysOf: () => store.daysOf(range),
    compareDay: () => store.compareDay(DAY),
    recountDay: () => store.recountDay(DAY),
    fillOrderFlow: async () => {
      await method.exit(() => database.pool.query('UPDATE network SET flow_unknown_to = 6'))
      await method.exit(() => database.pool.query('UPDATE pool_candle SET buys = NULL'))
      await store.fillOrderFlow(10)
    },
    firstUnwrittenDay: () => store.firstUnwrittenDay(),
    lakeDays: () => store.lakeDays(),
    buildSearchIndexes: () => store.buildSearchIndexes(signal),
    judgeWashDay: () => store.judgeWashDay(THRESHOLDS),
    lastWashDay: () => store.lastWashDay(),
    setDegraded: () => store.setDegraded('a reason', epoch),
    setBudgetShortfall: () => store.setBudgetShortfall(null, epoch),
    reportUnproven: () => store.reportUnproven(true),
    noteUnknownHeaders: () => store.noteUnknownHeaders({ from: 1, fields: ['field'] }),
    setVenueCoverage: () =>
      store.setVenueCoverage({ receipts: 2, unread: 1, venues: [{ emitter: manager, topic: hash(8), receipts: 1 }] }),
    venueCoverage: () => store.venueCoverage(),
    setActivity: () => store.setActivity({ endpoints: [], queue: null }),
    setBackfillRate: () => store.setBackfillRate(1.5),
  }
  const api: Methods<typeof reader> = {
    networks: () => reader.networks(),
    awaitedKeys: () => reader.awaitedKeys(),
    activity: () => reader.activity(),
    unindexedDates: () => reader.unindexedDates(),
    venueCoverage: () => reader.venueCoverage(),
    keptSince: () => reader.keptSince(),
    past: () => reader.past('eth'),
    revision: () => reader.revision(),
    listen: async () => closeAfter(await reader.listen({ onCommit: ignore, onLost: ignore })),
    tokens: () => reader.tokens('eth', [TOKEN.address]),
    symbol: () => reader.symbol('eth', 'ONE'),
    findTokens: async () => {
      for (const filter of [{}, { address: TOKEN.address }, { beginning: 'o' }, { among: [TOKEN.address] }]) {
        await reader.findTokens({ ...page, filter })
      }
    },
    findPools: async () => {
      const { address, token0, token1 } = POOL
      for (const filter of [
        {},
        { address },
        { tokens: [token0] },
        { tokens: [token0], others: [token1] },
        { protocol: 'uniswap-v2' },
      ]) {
        await reader.findPools({ ...page, filter })
      }
    },
    tokenCounts: () => reader.tokenCounts(),
    protocols: () => reader.protocols(),
    market: () => reader.market('eth', { begin: ignore, pools: ignore, ticks: ignore }),
    marketChanges: async () => {
      const network = await networkOf(reader)
      await reader.marketChanges('eth', {
        ...network,
        revision: 0,
        idleBelow: 0,
        holds: () => true,
        poolsAbove: () => [POOL.address],
      })
    },
    tokenMoves: async () => {
      await reader.tokenMoves(await networkOf(reader), [], ignore)
    },
    pools: () => reader.pools('eth', [POOL.address]),
    unreadPools: () => reader.unreadPools('eth'),
    dayVolumes: () => reader.dayVolumes(DATE, 7),
    washFlags: () => reader.washFlags(DATE, 7, 10),
    volumeSeries: async () => {
      for (const of of [null, { protocol: 'uniswap-v2' }, { pool: POOL.address }, { token: TOKEN.address }]) {
        await reader.volumeSeries({ network: 'eth', of, interval: 3_600, from: MIDNIGHT, to: MIDNIGHT + 7_200 })
      }
    },
    extent: () => reader.extent(),
    tradersOfAges: async () => {
      const until = { to: MIDNIGHT + 3_600, head: null }
      for (const day of [1, 300_000]) {
        const hops = [1, 1, 1, day]
        await reader.tradersOfAges('eth', [{ token: TOKEN.address, hops }], until)
        await reader.tradersOfAges('eth', [{ pool: POOL.address, token: TOKEN.address, hops }], until)
      }
    },
    candles: async () => {
      for (const within of [null, { pool: POOL.address }, { other: POOL.token1 }]) {
        await reader.candles({
          network: 'eth',
          token: TOKEN.address,
          within,
          interval: 60,
          from: MIDNIGHT,
          to: MIDNIGHT + 600,
        })
      }
      for (const within of [{ pool: POOL.address }, { other: POOL.token1 }]) {
        const span = { from: MIDNIGHT, to: MIDNIGHT + 600 }
        const selection = { token: TOKEN.address, within, quote: POOL.token1, interval: 60, ...span }
        await reader.candles({ network: 'eth', ...selection })
      }
    },
    closeBefore: () =>
      reader.closeBefore(
        { network: 'eth', token: TOKEN.address, within: null, interval: 60, from: MIDNIGHT, to: MIDNIGHT },
        MIDNIGHT - 60,
      ),
    pastPrices: () => reader.pastPrices('eth', [TOKEN.address], MIDNIGHT + 60),
    lastDay: () => reader.lastDay('eth', MIDNIGHT + 3_600, { begin: ignore, takeTokens: ignore, takePools: ignore }),
    listStamps: () => reader.listStamps(new Map()),
    findLiquidity: async () => {
      const { address: pool } = POOL
      const account = address(0xb0)
      const times = { since: MIDNIGHT, until: MIDNIGHT + 60 }
      for (const filter of [{}, { pool }, { account, ...times }, { pool, account, isAdded: true, minUsd: '1' }]) {
        await reader.findLiquidity({ network: 'eth', filter, ascending: false, from: null, limit: 10 })
      }
      const from = { time: MIDNIGHT, blockNumber: 1, logIndex: 1 }
      await reader.findLiquidity({ network: 'eth', filter: {}, ascending: true, from, limit: 10 })
    },
    heldAtEnds: () =>
      reader.heldAtEnds({ network: 'eth', pool: POOL.address, interval: 3_600, from: MIDNIGHT, to: MIDNIGHT + 7_200 }),
    liquiditySums: () =>
      reader.liquiditySums({
        network: 'eth',
        pool: POOL.address,
        coins: 2,
        interval: 3_600,
        from: MIDNIGHT,
        to: MIDNIGHT + 7_200,
      }),
    listSnapshot: () =>
      reader.listSnapshot(signal, async (list) => {
        for (const network of list.networks) {
          await list.cellVersions(network)
          await list.window(network, MIDNIGHT)
          for await (const _ of list.rows(network, 1, 6));
        }
        await list.tokens('eth', [TOKEN.address])
      }),
    edge: () =>
      reader.edge(new Map([['eth', [TOKEN.address]]]), signal, async (edge) => {
        for (const network of edge.networks) {
          await edge.cellVersions(network)
          await edge.lastAlert(network)
          await edge.alertsAfter(network, 0, 10)
          await edge.swaps(network, range, 10)
          await edge.liquidity(network, range, 10)
          await edge.candles(network, [{ token: TOKEN.address, minute: MIDNIGHT }], [TOKEN])
          await edge.prices(network, [TOKEN])
        }
        await edge.times('eth', range)
        await edge.tokens('eth', [TOKEN.address])
      }),
    swapsOfDay: () =>
      reader.swapsOfDay('eth', DAY, signal, async ({ pages, tokens }) => {
        for await (const _ of pages());
        await tokens([TOKEN.address])
      }),
    findSwaps: async () => {
      for (const filter of FILTERS) {
        await reader.findSwaps({ filter, network: 'eth', ascending: false, from: null, limit: 10, signal })
      }
      await reader.findSwaps({ filter: {}, ascending: false, from: null, limit: 10, inLake: true, signal })
    },
  }
  const lake = openLakeStore(database)
  const writing: Methods<typeof lake> = {
    dueDays: () => lake.dueDays('eth'),
    beginDay: () => lake.beginDay('eth', DAY),
    confirmDay: () => lake.confirmDay('eth', DAY, 1),
    forgetDay: () => lake.forgetDay('eth', DAY),
    keptSince: () => lake.keptSince(),
    lakeDays: () => lake.lakeDays('eth'),
    networks: () => lake.networks(),
    lockWriter: async () => void (await (await lake.lockWriter())?.release()),
    rowsOfDay: () =>
      lake.rowsOfDay('eth', DAY, signal, async ({ copy }) => {
        for (const name of Object.keys(ROWS_OF_DAY) as RowsName[]) {
          await copy(name, async (text) => {
            for await (const _ of text);
          })
        }
      }),
  }
  const listed = new Set<string>()
  const indexing = await statementsOf(indexer, listed)
  const reading = await statementsOf(api, new Set())
  const emptying = await statementsOf(ending, listed)
  await completeDay(database)
  const ofLake = await statementsOf(writing, new Set())
  await release()
  await expect(`${indexing}\n${emptying}`).toMatchFileSnapshot(join(FOLDER, 'indexer-store.sql'))
  await expect(reading).toMatchFileSnapshot(join(FOLDER, 'reader.sql'))
  await expect(ofLake).toMatchFileSnapshot(join(FOLDER, 'lake-store.sql'))
})
