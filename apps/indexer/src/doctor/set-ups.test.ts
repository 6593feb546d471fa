import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { NETWORKS } from '@dexfeed/dex'
import { scriptedChain, scriptedMarket } from '@dexfeed/lab'
import { scriptedView } from '@dexfeed/lab/node/hostile/scripted-view'
import { type NodeLimits, startLimitedNode } from '@dexfeed/lab/node/rpc/limited-node'
import { checkIndexerEnvironment } from '@dexfeed/service'
import { closeAfter, connectTo, emptyDatabase, queryOnce, temporaryFolder, testDatabase } from '@dexfeed/test-setup'
import { hasRedis, runRedis, startRedis } from '@dexfeed/test-setup/redis-server'
import { hexNumber, seedNetwork } from '@dexfeed/test-setup/seed'
import { describe, expect, test } from 'vitest'
import { quiet as log } from '../../test/scene/made-values.ts'
import { checkDisk, isNearlyFull } from './check-disk.ts'
import { checkNodes } from './check-nodes.ts'
import { checkDatabase, checkQueue, type Login } from './check-places.ts'
import { type Finding, findingsText, summaryText } from './finding.ts'

//   one block a second:  0 ... 500 .......... 1000 .......... 1500
//                               the start     an old head     the head, now
const [START, OLD_HEAD, HEAD] = [500, 1_000, 1_500]
/** Seconds from the first block to the head. With this seed the blocks are not evenly spaced. */
const DURATION_S = 1_343
const KEY = 'a-key-of-the-provider'
const UNREACHABLE = '127.0.0.1:1'
const chain = chainUntilNow()

function chainUntilNow() {
  const market = scriptedMarket('bsc', 3)
  const { chainId } = NETWORKS.bsc
  const now = Math.floor(Date.now() / 1_000)
  const made = scriptedChain({ market, chainId, seed: 1, startTime: now - DURATION_S, blockTimeS: 1 })
  made.mine(HEAD)
  if (made.blocks[HEAD]?.timestamp !== now) throw new Error('the blocks do not last DURATION_S')
  return made
}

interface Made extends NodeLimits {
  chainId?: number
  head?: number
  /** Whether its headers have a field of a later fork, which their hashes cover. */
  isOfLaterFork?: boolean
}

type AtEnd = (close: () => Promise<void>) => void

/** Starts a bsc node, and returns its URL with a key. */
async function startNode(atEnd: AtEnd, made: Made): Promise<string> {
  const { chainId = NETWORKS.bsc.chainId, head = HEAD, isOfLaterFork = false, ...limits } = made
  const blocks = chain.blocks.slice(0, head + 1)
  const shown = { showsStateSync: true, proofs: 'block-receipts' as const }
  const view = scriptedView({ chain, blocks, finalized: head - 3, ...shown })
  const later = isOfLaterFork ? { stateRoot: hexNumber(7, 64), laterRoot: '0x1' } : {}
  const block: typeof view.block = (...asked) => ({ ...(view.block(...asked) as object), ...later })
  const node = await startLimitedNode({ ...view, chainId, block }, limits)
  atEnd(() => node.close())
  return `${node.url}/${KEY}`
}

async function findNodes(atEnd: AtEnd, made: Made, clockOffsetMs = 0, socketUrl?: string): Promise<Finding[]> {
  const url = await startNode(atEnd, made)
  const urls = `${url},${socketUrl ?? url.replace('http', 'ws')}`
  const environment = { BSC_RPC_URL: urls, START_BLOCK: `bsc:${START}` }
  const { settings, problems } = checkIndexerEnvironment(environment, () => '')
  if (settings === undefined) throw new Error(problems.join())
  return checkNodes(settings.networks, settings, log, () => Date.now() + clockOffsetMs)
}

const NODES: readonly [name: string, made: Made, verdict: 'warn' | 'fail', message: RegExp, advice: RegExp][] = [
  ['wrong chain', { chainId: 137 }, 'fail', /serves chain 137 \(polygon\), expected 56/, /move it to POLYGON_RPC_URL/],
  ['old head', { head: OLD_HEAD }, 'fail', /newest block 1000 is \d+ min old/, /caught up with its chain/],
  ['no logs by topic', { logsByTopic: 'refused' }, 'fail', /no logs by topic: Please specify/, /without addresses/],
  ['logs hidden', { logsByTopic: 'hidden' }, 'fail', /no logs by topic: 0 of the \d+ logs/, /without addresses/],
  ['range limited to 10', { logRange: 10 }, 'fail', /logs of 10 blocks per request/, /BSC_HISTORY_URL/],
  ['a range limit in data', { logRange: 7, limitInData: true }, 'fail', /logs of 7 blocks per request/, /HISTORY_URL/],
  ['batch 1', { batch: 1 }, 'warn', /one request per HTTP message/, /enable batches/],
  ['429 at 5 a second', { perS: 5 }, 'fail', /refuses more than about [5-7] requests/, /BSC_RPC_RATE=[5-7]$/],
  ['no finalized tag', { noFinalized: true }, 'warn', /does not know the tag `finalized`/, /update the node/],
  ['pruned', { keepsFrom: 1_000 }, 'fail', /not keep the start, block 500.* from about 10\d\d on/, /BACKFILL_DAYS/],
  [
    'a later fork',
    { isOfLaterFork: true },
    'fail',
    /unknown fields \(laterRoot\)$/,
    /^update dexfeed before block 1501;/,
  ],
  ['HTML', { page: true }, 'fail', /HTTP 200, an HTML page instead of JSON/, /copy the RPC URL/],
]

describe('a broken node', () => {
  test.concurrent.for(NODES)(
    '%s is named with its cure, without the key',
    async ([, made, verdict, message, advice], { onTestFinished }) => {
      const found = (await findNodes(onTestFinished, made)).filter((finding) => finding.verdict !== 'ok')
      expect(found).toEqual([
        {
          verdict,
          about: expect.stringMatching(/^bsc http:\/\/127\.0\.0\.1:\d+\/\*\*\*$/),
          meaning: expect.any(String),
          message: expect.stringMatching(message),
          advice: expect.stringMatching(advice),
        },
      ])
      expect(findingsText(found)).not.toContain(KEY)
    },
  )

  test('one that does not respond is named with its cure, without the key', async ({ onTestFinished }) => {
    const away = `http://${UNREACHABLE}/v3/${KEY},ws://${UNREACHABLE}/${KEY}`
    const found = (await findNodes(onTestFinished, {}, 0, away)).filter(({ verdict }) => verdict !== 'ok')
    expect(found).toMatchObject([
      {
        verdict: 'fail',
        about: 'bsc http://127.0.0.1:1/***',
        message: expect.stringMatching(/the connection was refused$/),
      },
      { verdict: 'warn', about: 'bsc heads', message: expect.stringMatching(/^no response from ws:/) },
    ])
    expect(found.filter(({ advice }) => !advice?.startsWith('check the URL and key'))).toEqual([])
    expect(findingsText(found)).not.toContain(KEY)
  })

  test('one that serves everything has nothing to change', async ({ onTestFinished }) => {
    const found = await findNodes(onTestFinished, {})
    expect(found.map(({ verdict, message }) => [verdict, message])).toEqual([
      [
        'ok',
        expect.stringMatching(
          /^serves block 1500, logs of 1000 blocks per request, batches of 20, 12 requests together/,
        ),
      ],
      ['ok', 'are announced by WebSocket'],
      ['ok', 'agrees with the endpoints'],
    ])
  })
})

describe('a clock that is off by a minute', () => {
  test.concurrent.for<[number, RegExp]>([
    [60_000, /is (1 min|59 s) fast/],
    [-60_000, /is (1 min|59 s) slow/],
  ])('by %i ms is named with its cure, and no node is blamed', async ([offset, message], { onTestFinished }) => {
    const found = (await findNodes(onTestFinished, {}, offset)).filter(({ verdict }) => verdict !== 'ok')
    expect(found).toMatchObject([
      {
        verdict: 'fail',
        about: 'clock',
        message: expect.stringMatching(message),
        advice: expect.stringContaining('NTP'),
      },
    ])
  })
})

describe('a database', () => {
  const owner = (url: string | null): Login => ({ about: 'database', url, variable: 'DATABASE_URL', isApi: false })
  const api = (url: string): Login => ({ ...owner(url), about: "the API's login", isApi: true })
  const away = `postgres://owner:${KEY}@${UNREACHABLE}/dexfeed`
  const day = `swap FOR VALUES FROM ('2026-11-20') TO ('2026-11-21')`
  const setting = (change: string) =>
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET ${change}', current_database()); END $$`

  /** Returns the URL of the same database with a login that may read. */
  async function readerOf(url: string): Promise<string> {
    const login = new URL(url)
    login.username = `login_${randomBytes(4).toString('hex')}`
    login.password = KEY
    await queryOnce(url, `CREATE ROLE ${login.username} LOGIN PASSWORD '${KEY}'`)
    closeAfter(() => queryOnce(url, `DROP OWNED BY ${login.username}; DROP ROLE ${login.username}`))
    await queryOnce(url, `GRANT pg_read_all_data TO ${login.username}`)
    return login.href
  }

  test.for<[statement: string, verdict: Finding['verdict'], message: RegExp, advice?: RegExp]>([
    ['SELECT', 'ok', /is up to date$/],
    ['CREATE INDEX ours ON token (name)', 'ok', /is up to date$/],
    [setting("statement_timeout = ''2min''"), 'ok', /statement_timeout \(2min\); dexfeed's sessions set their own/],
    [setting('default_transaction_read_only = on'), 'fail', /refuses writes/, /RESET default_transaction_read_only/],
    [
      'ALTER TABLE token ALTER decimals TYPE int',
      'fail',
      /lacks token column decimals smallint; instead it has token column decimals integer$/,
      /undo/,
    ],
    [
      'ALTER TABLE token DROP CONSTRAINT token_decimals_range',
      'fail',
      /lacks token constraint token_decimals_range CHECK/,
      /undo/,
    ],
    [`CREATE TABLE swap_20261120 PARTITION OF ${day}`, 'fail', /lacks swap primary key of swap_20261120$/, /undo/],
  ])('after %s is judged, with its cure', async ([statement, verdict, message, advice]) => {
    const url = await testDatabase()
    await queryOnce(url, statement)
    expect(await checkDatabase(owner(url))).toEqual({
      verdict,
      about: 'database',
      message: expect.stringMatching(message),
      ...(advice && { advice: expect.stringMatching(advice), meaning: expect.any(String) }),
    })
  })

  test('without an index is cured by the advice, also when days are stored', async () => {
    const url = await testDatabase()
    const partition = `CREATE TABLE swap_20261120 PARTITION OF ${day}; ALTER TABLE swap_20261120 ADD PRIMARY KEY (position)`
    await queryOnce(url, `${partition}; DROP INDEX swap_buy_token_idx`)
    const found = await checkDatabase(owner(url))
    expect(found).toMatchObject({ verdict: 'warn', message: expect.stringContaining('INDEX swap_buy_token_idx') })
    await queryOnce(url, found.advice ?? '')
    expect(await checkDatabase(owner(url))).toMatchObject({ verdict: 'ok' })
  })

  test('with rows that older rules made is named with the number of their blocks', async () => {
    const url = await testDatabase()
    const start = { number: 10, time: 1_700_000_000 }
    const head = { number: 100, time: 1_700_000_900 }
    const covered = [[0, 100, 1_700_000_000, 1_700_000_900]] as const
    await seedNetwork(await connectTo(url), { network: 'bsc', wrapped: hexNumber(0), start, head, final: 90, covered })
    expect(await checkDatabase(owner(url))).toMatchObject({ verdict: 'ok' })
    await queryOnce(url, 'UPDATE covered_range SET rules = 0')
    expect(await checkDatabase(owner(url))).toMatchObject({
      verdict: 'warn',
      message: expect.stringContaining('81 of bsc'),
    })
  })

  test.for<[name: string, login: () => Promise<Login>, verdict: Finding['verdict'], message: RegExp, advice: RegExp]>([
    ['that is not migrated', async () => owner(await emptyDatabase()), 'warn', /./, /^npm run migrate$/],
    ['that does not run', async () => owner(away), 'fail', /./, /^check DATABASE_URL/],
    ['that does not run, for the API', async () => api(away), 'fail', /./, /^check DATABASE_URL/],
    [
      'without the role of the API',
      async () => api(await readerOf(await testDatabase())),
      'warn',
      /no role dexfeed_api/,
      /^npm run migrate/,
    ],
    [
      'that refuses the password of the API',
      async () => {
        const login = new URL(await readerOf(await testDatabase()))
        login.username = 'nobody'
        return { ...api(login.href), variable: 'API_DATABASE_URL' }
      },
      'fail',
      /./,
      /npm run migrate creates this user/,
    ],
  ])('%s is named with its cure, without the password', async ([, loginOf, verdict, message, advice]) => {
    const login = await loginOf()
    const found = await checkDatabase(login)
    const texts = { message: expect.stringMatching(message), advice: expect.stringMatching(advice) }
    expect(found).toMatchObject({ verdict, about: login.about, ...texts })
    expect(findingsText([found])).not.toContain(KEY)
  })

  test('that is embedded needs no change', async () => {
    expect(await checkDatabase(owner(null))).toMatchObject({ verdict: 'ok' })
  })
})

test('a queue in Postgres needs no change, and one in a Redis that does not respond is named', async () => {
  expect(await checkQueue(null)).toMatchObject({ verdict: 'ok' })
  expect(await checkQueue(`redis://${UNREACHABLE}`)).toMatchObject({ verdict: 'fail' })
})

test.skipIf(!hasRedis())('a Redis that evicts is named with its cure', async () => {
  const { url } = await startRedis()
  expect(await checkQueue(url)).toMatchObject({ verdict: 'ok' })
  await runRedis(url, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
  expect(await checkQueue(url)).toMatchObject({
    verdict: 'fail',
    message: expect.stringContaining('allkeys-lru'),
    advice: 'set maxmemory-policy noeviction',
  })
})

test('the last line counts what must and what may be changed', () => {
  const found = (...verdicts: Finding['verdict'][]) =>
    summaryText(verdicts.map((verdict) => ({ verdict, about: 'a', message: 'b' })))
  expect(found('ok')).toBe('nothing needs to be changed')
  expect(found('ok', 'warn', 'warn')).toBe('0 must be fixed, 2 could be improved')
  expect(found('fail', 'warn')).toBe('1 must be fixed, 1 could be improved')
})

test('a disk that is nearly full is named with its cure', async () => {
  const GB = 1_000_000_000
  const folder = temporaryFolder()
  const used = { about: 'disk', folder, day: 4 * GB, total: 120 * GB, stored: folder, advice: 'make room' }
  const withFree = (gb: number, total = used.total) =>
    checkDisk({ ...used, total }, async () => ({ bavail: gb * 1_000_000, bsize: 1_000 }))
  expect(await withFree(3)).toMatchObject({
    verdict: 'fail',
    message: expect.stringContaining('3.0 GB are free'),
    advice: 'make room',
    meaning: expect.stringContaining('nearly full'),
  })
  expect(await withFree(50)).toMatchObject({ verdict: 'warn', meaning: 'about 120 GB more will be needed' })
  expect(await withFree(500)).toMatchObject({ verdict: 'ok' })
  const isFull = (gb: number) => isNearlyFull(folder, used.day, async () => ({ bavail: gb * 1_000_000, bsize: 1_000 }))
  expect([await isFull(3), await isFull(4)]).toEqual([true, false])
  // What the folder already holds counts towards what is needed.
  expect(await withFree(50, 50.003 * GB)).toMatchObject({ verdict: 'warn' })
  await mkdir(join(folder, 'rows'))
  await writeFile(join(folder, 'rows', 'day'), Buffer.alloc(0.004 * GB, 1))
  expect(await withFree(50, 50.003 * GB)).toMatchObject({ verdict: 'ok' })
})

test('a folder that cannot be written to is named', async () => {
  const folder = join(temporaryFolder(), 'lists')
  const used = { about: 'lists', day: 0, total: 0, stored: folder, advice: 'set LIST_CACHE_DIR' }
  expect(await checkDisk({ ...used, folder })).toMatchObject({ message: expect.stringContaining(`${folder} can be`) })
  for (const missing of ['/dev/null/lists', '/proc/none/lists']) {
    expect(await checkDisk({ ...used, folder: missing })).toMatchObject({ verdict: 'fail' })
  }
})

test('each finding is one line, with what to change below', () => {
  const text = findingsText([
    { verdict: 'ok', about: 'queue', message: 'is kept in Postgres' },
    { verdict: 'fail', about: 'database', message: 'is away', advice: 'start it' },
  ])
  expect(text).toBe('ok    queue     is kept in Postgres\nfail  database  is away\n                -> start it\n')
})
