import { writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { run } from '@dexfeed/api/commands/compare'
import { serveHttp } from '@dexfeed/lab/node/rpc/serve'
import { closeAfter, temporaryFolder } from '@dexfeed/test-setup'
import { type CommandResult, runCommand } from '@dexfeed/test-setup/run-command'
import { beforeAll, expect, test } from 'vitest'
import { openGuideWorld, PAIR, WBNB } from './guide-world.ts'

const DAY = '2026-11-18'
const BEGIN = Date.parse(`${DAY}T00:00:00Z`) / 1_000
/** The world has one trade an hour, of 1, 2, 3 ... WBNB at 600 USD. The first is just before 13:00 on the 16th. */
const VOLUME = Array.from({ length: 24 }, (_, hour) => 600 * (37 + hour)).reduce((sum, number) => sum + number, 0)

let api: string

beforeAll(async () => {
  api = (await openGuideWorld()).api.url
})

function compare(...args: string[]): Promise<CommandResult> {
  return runCommand(run, ['--network', 'bsc', '--url', api, ...args], {})
}

async function startSource(respond: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = await serveHttp((_body, request, response) => respond(request, response))
  closeAfter(server.close)
  return server.url
}

function rowsOf(stdout: string) {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test('a day of geckoterminal is laid beside the candles of the pools, after a refusal for its rate', async () => {
  const asked: string[] = []
  const source = await startSource(({ url = '' }, response) => {
    asked.push(url)
    if (asked.length === 1) return response.writeHead(429, { 'Retry-After': '0' }).end()
    const list = [
      [BEGIN + 86_400, 1, 1, 1, 1, 1],
      [BEGIN, 590, 610, 580, 601.5, VOLUME * 1.2],
    ]
    return response.end(JSON.stringify({ data: { attributes: { ohlcv_list: list } } }))
  })
  const { exitCode, stdout } = await compare('--with', 'geckoterminal', '--source-url', source, '--day', DAY, '--json')
  expect(rowsOf(stdout)).toEqual([
    {
      pool: expect.stringMatching(new RegExp(PAIR.address, 'i')),
      token: expect.stringMatching(new RegExp(WBNB, 'i')),
      name: 'USDT/WBNB pancakeswap-v2',
      here: { price_usd: '600', volume_usd: `${VOLUME}.00000000` },
      there: { price_usd: '601.5', volume_usd: String(VOLUME * 1.2) },
      price_difference_e4: 25,
      volume_difference_e4: 2_000,
      reason: 'no known reason: the volume differs',
      explained: false,
    },
  ])
  expect(exitCode).toBe(1)
  expect(asked[1]).toMatch(
    new RegExp(`^/api/v2/networks/bsc/pools/${PAIR.address}/ohlcv/day\\?.*before_timestamp=${BEGIN + 86_400}`, 'i'),
  )
})

test('the last 24 hours of dexscreener are compared with those here', async () => {
  const pair = {
    pairAddress: PAIR.address,
    baseToken: { address: WBNB.toUpperCase().replace('0X', '0x') },
    priceUsd: '600',
  }
  const source = await startSource((_request, response) => {
    response.end(JSON.stringify({ pairs: [{ ...pair, volume: { h24: 1 } }] }))
  })
  const { stdout, exitCode } = await compare('--with', 'dexscreener', '--source-url', source)
  expect(stdout).toMatch(/^USDT\/WBNB pancakeswap-v2 0x16b9/i)
  expect(stdout).toContain('price   here 600, there 600, +0.00 %')
  expect(stdout).toMatch(/the last 24 hours: 1 compared, 1 differ, \d of them for no known reason\n$/)
  expect([0, 1]).toContain(exitCode)
})

test('rows of a file are compared, also those of unknown pools', async () => {
  const file = join(temporaryFolder(), 'rows.csv')
  const lines = [
    `${DAY},bsc,${PAIR.address},,600,${VOLUME}`,
    `${DAY},bsc,,${WBNB},600,`,
    `${DAY},bsc,0x${'9'.repeat(40)},,1,1`,
  ]
  writeFileSync(file, `date,network,pool,token,price_usd,volume_usd\n${lines.join('\n')}\n`)
  const { exitCode, stdout } = await compare('--with', file, '--day', DAY, '--json')
  expect(rowsOf(stdout).map(({ reason }) => reason)).toEqual([null, null, 'is not indexed here'])
  expect(exitCode).toBe(0)
})

test.each<[string, (response: ServerResponse) => void, RegExp]>([
  ['is down', (response) => response.destroy(), /fetch failed|terminated/],
  ['has another form', (response) => response.end('{"data":[]}'), /has no ohlcv_list/],
  ['is not JSON', (response) => response.end('<html>'), /not JSON/],
  ['is endless', (response) => response.end('1'.repeat(5_000_000)), /too large/],
  ['fails', (response) => response.writeHead(500).end(), /HTTP status 500/],
])('a source that %s is one line, and code 1', async (_, respond, message) => {
  const source = await startSource((_request, response) => respond(response))
  const { exitCode, stderr } = await compare('--with', 'geckoterminal', '--source-url', source, '--day', DAY)
  expect(stderr).toMatch(message)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(exitCode).toBe(1)
})

test.each([
  [['--with', 'dexscreener', '--day', DAY], 'has the last 24 hours only'],
  [['--with', '/nowhere/rows.csv'], 'neither geckoterminal, dexscreener nor a file'],
  [['--with', 'geckoterminal', '--day', '2026-02-30'], 'Not a day'],
  [['--with', 'geckoterminal', '--pools', '0'], 'up to 500'],
])('wrong options are named: %j', async (args, message) => {
  const { exitCode, stderr } = await compare(...args)
  expect(stderr).toContain(message)
  expect(exitCode).toBe(1)
})
