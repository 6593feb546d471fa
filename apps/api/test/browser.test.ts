import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { closeAfter, connectTo, testDatabase } from '@dexfeed/test-setup'
import { hexNumber, type SeedSwap, seedNetwork, seedSwaps, seedTokens } from '@dexfeed/test-setup/seed'
import { chromium } from 'playwright-core'
import { expect, test } from 'vitest'
import { NOON, openFixture } from './api-fixture.ts'

const executablePath = spawnSync('which', ['chromium'], { encoding: 'utf8' }).stdout.trim()

const [A, B] = [hexNumber(0xa), hexNumber(0xb)]
const HEAD = 500
const FINAL = 450
const ROWS = 300
const timeOf = (block: number) => NOON - (HEAD - block)

/** A day with final rows in files, and rows near the head. */
async function seededDay(): Promise<string> {
  const url = await testDatabase()
  const owner = await connectTo(url)
  for (const network of ['eth', 'bsc'] as const) {
    await seedNetwork(owner, {
      network,
      wrapped: A,
      start: { number: 1, time: timeOf(1) },
      head: { number: HEAD, time: timeOf(HEAD) },
      final: FINAL,
      covered: [[0, HEAD, timeOf(0), timeOf(HEAD)]],
    })
    const tokens = [A, B].map((address) => ({ address, symbol: 'T', name: 'ein Zeichen: é, 金', decimals: 18 }))
    await seedTokens(owner, network, tokens)
    const swaps = Array.from({ length: ROWS }, (_, transaction): SeedSwap => {
      const block = 1 + Math.floor((transaction * HEAD) / ROWS)
      const amounts = { sellAmount: 10n ** 20n + BigInt(transaction), buyAmount: 10n ** 24n, usd: '1.00000000' }
      return { network, block, time: timeOf(block), transaction, sell: A, buy: B, ...amounts }
    })
    await seedSwaps(owner, swaps)
  }
  return url
}

test.skipIf(executablePath === '')(
  'a browser reads the whole list from one gzip member of several pieces',
  async () => {
    const { api } = await openFixture({ ownerUrl: await seededDay() })
    const url = `${api.url}/api/swaps_24h`
    const plain = Buffer.from(await (await fetch(url, { headers: { 'Accept-Encoding': 'identity' } })).arrayBuffer())
    expect(JSON.parse(plain.toString())).toHaveLength(2 * ROWS)

    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
    closeAfter(() => browser.close())
    const page = await browser.newPage()
    // The test's own timeout applies.
    page.setDefaultTimeout(0)
    const response = await page.goto(url)
    expect(response?.headers()).toMatchObject({ 'content-encoding': 'gzip', 'content-type': /json/ })
    expect((await response?.body())?.equals(plain)).toBe(true)
    // The text on the page has passed the browser's decoder, too.
    expect(await page.evaluate('document.querySelector("pre").textContent')).toBe(plain.toString())

    const member = await rawBytes(url)
    expect(gunzipSync(member).equals(plain)).toBe(true)
    expect(member.toString('latin1').split('\x00\x00\xff\xff').length).toBeGreaterThan(2)
  },
)

/** Returns the bytes as they are sent. */
async function rawBytes(url: string): Promise<Buffer> {
  const [response] = (await once(get(url, { headers: { 'accept-encoding': 'gzip' } }), 'response')) as [IncomingMessage]
  return Buffer.concat(await response.toArray())
}
