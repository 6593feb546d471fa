import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type ApiFixture, openFixture } from '@dexfeed/api/test/api-fixture'
import { projectRoot } from '@dexfeed/service'
import { hexNumber } from '@dexfeed/test-setup/seed'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { openGuideWorld, openHead, PAIR, WBNB } from '../guide/guide-world.ts'
import {
  type Browser,
  executablePath,
  expectAccessible,
  NARROW,
  openBrowser,
  open as openIn,
  rowsOf,
  WIDE,
} from './browser.ts'

const DIST = join(projectRoot(), 'apps/web/dist')
const SHOTS = join(projectRoot(), '.data/screenshots')
const MOST_BYTES = 120_000
const NETWORKS_REFRESH_MS = 5_000

/** The last element is a text that the page shows when it is loaded. */
const PAGES = [
  ['overview', '/', 'Live trades'],
  ['trade', '/trade?network=bsc&sell=WBNB&buy=USDT&amount=10', 'Price impact'],
  ['token', `/token/bsc/${WBNB}`, 'Depth at 2 %'],
  ['pool', `/pool/bsc/${PAIR.address}`, 'WBNB in USD'],
  ['explain', `/explain?network=bsc&tx=${hexNumber(120, 64)}`, 'Why it is so'],
  ['health', '/health', 'Pool states to read'],
] as const

let world: ApiFixture
/** Shared, so that the browser loads and compiles the page's files only once. */
let browser: Browser

const open = (page: Page, path: string, shown: string) => openIn(page, world, path, shown)

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
type Body = any

const changesOn = (page: Page) =>
  page.getByRole('group', { name: 'Time over which trades are counted' }).locator('button > span').allInnerTexts()
const percentsOf = (body: Body) =>
  ['5m', '1h', '6h', '24h'].map((age) => {
    const percent = body[`price_change_${age}`]
    if (percent === null) return '–'
    return `${Number(percent) > 0 ? '+' : ''}${Number(percent).toFixed(2).replace('-', '−')} %`
  })
const read = async (path: string) => (await world.get(path)).body
const usd = (value: string) =>
  `$${Number(value).toLocaleString('en', { maximumFractionDigits: 2, minimumFractionDigits: 2 })}`

describe.skipIf(executablePath === '')('the page in a browser', () => {
  beforeAll(async () => {
    world = await openGuideWorld()
    browser = await openBrowser(world)
    mkdirSync(SHOTS, { recursive: true })
  })

  const checked = PAGES.filter(([name]) => inject('scale') > 1 || name === 'overview' || name === 'token')
  test.each(checked)('%s has no violation of accessibility and fits, in both themes', async (name, path, shown) => {
    const page = await browser.openPage()
    await open(page, path, shown)
    await expectAccessible(page)
    for (const size of [WIDE, NARROW]) {
      await page.setViewportSize(size)
      for (const colorScheme of inject('scale') > 1 ? (['light', 'dark'] as const) : []) {
        await page.emulateMedia({ colorScheme })
        await page.screenshot({ path: join(SHOTS, `${name}-${size.width}-${colorScheme}.png`), fullPage: true })
      }
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(NARROW.width)
    expect(browser.problems).toEqual([])
  })

  test('shows the numbers of the API', async () => {
    const page = await browser.openPage()
    await open(page, '/', 'Live trades')
    const days = await read('/api/trade_volume_usd_7d')
    const shownDays = await rowsOf(page, 'Volume and addresses by day')
    expect(shownDays.map((row) => row.split('\t').slice(1))).toEqual(
      days.map((day: Body) => [usd(day.trade_volume_usd), day.address_count]),
    )
    const { data: trades } = await read('/v1/swaps?limit=20')
    const shownTrades = await rowsOf(page, 'Live trades')
    expect(shownTrades.map((row) => row.split('\t')[2]?.trim())).toEqual(
      trades.map((trade: Body) => usd(trade.trade_volume_usd)),
    )
    const quote = await read('/v1/quote?network=bsc&sell=WBNB&buy=USDT&amount=10')
    await open(page, '/trade?network=bsc&sell=WBNB&buy=USDT&amount=10', 'Price impact')
    const bought = page.getByLabel('Amount to buy')
    expect(quote.amount_out_decimal).toContain((await bought.inputValue()).slice(0, 8))
    await page.getByText(usd(quote.amount_out_usd)).first().waitFor()
    const token = await read(`/v1/tokens/bsc/${WBNB}`)
    await open(page, `/token/bsc/${WBNB}`, 'Depth at 2 %')
    await page
      .locator('dl.figures div', { hasText: 'Swaps, 24 h' })
      .getByText(String(token.swaps_24h))
      .first()
      .waitFor()
    expect(await changesOn(page)).toEqual(percentsOf(token))
    await open(page, `/pool/bsc/${PAIR.address}`, 'WBNB in USD')
    await page.getByText('0.25 %', { exact: true }).waitFor()
    expect(await changesOn(page)).toEqual(percentsOf(await read(`/v1/pools/bsc/${PAIR.address}`)))
    await open(page, '/health', 'Pool states to read')
    const { networks } = await read('/status')
    for (const { chain_head: head, start_block: start } of networks) {
      await page.getByText(`Blocks ${start} to ${head} are stored without a gap.`).first().waitFor()
    }
    expect(await rowsOf(page, 'Endpoints')).toEqual(['1\t120\t3\t2\t50.0', '3\t7\t0\t0\tno known limit'])
    await page.getByText('5 waiting, 2 taken, 1 failed; 3 workers', { exact: true }).waitFor()
  })

  test('a quote is requested by search, keyboard and either amount, and is kept in the address bar', async () => {
    const page = await browser.openPage()
    await open(page, '/trade?network=bsc', 'What would it bring?')
    const sell = page.getByRole('combobox', { name: 'Token to sell' })
    await sell.fill('wbn')
    await page.getByRole('listbox').getByRole('option').first().waitFor()
    await sell.press('Enter')
    await page.waitForURL((url) => url.searchParams.get('sell')?.toLowerCase() === WBNB)
    await page.getByLabel('Amount to buy').fill('600')
    await page.waitForURL((url) => url.searchParams.get('side') === 'out' && url.searchParams.get('amount') === '600')
    const quote = await read(`/v1/quote?network=bsc&sell=${WBNB}&buy=USDT&amount=600&side=out`)
    const sold = page.getByLabel('Amount to sell')
    await expect.poll(async () => (await sold.inputValue()).slice(0, 8)).toBe(quote.amount_in_decimal.slice(0, 8))
    await sold.fill('x')
    await page.getByText('Write an amount such as 1 or 0.25.').waitFor()
  })

  test('a quote that arrives leaves the amount alone that a user is about to overwrite', async () => {
    const page = await browser.openPage()
    let answer = () => {}
    const asked = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/v1/quote?*', async (route) => {
      await asked
      await route.continue()
    })
    await page.goto(`${world.api.url}/trade?network=bsc&sell=WBNB&buy=USDT&amount=10`)
    const bought = page.getByLabel('Amount to buy')
    await bought.focus()
    answer()
    await page.getByText('Price impact', { exact: true }).waitFor()
    await page.keyboard.type('600')
    expect(new URL(page.url()).searchParams.get('amount')).toBe('600')
  })

  test('the name of a token is text, whatever it contains', async () => {
    const page = await browser.openPage()
    await open(page, '/trade?network=bsc', 'What would it bring?')
    await page.getByRole('combobox', { name: 'Token to buy' }).fill('<img')
    const option = page.getByRole('listbox').getByRole('option').first()
    await option.waitFor()
    const text = await option.textContent()
    expect(text).toContain('<img src=x onerror=alert(1)>')
    expect(text).not.toContain('\u202e')
    expect(await page.locator('img').count()).toBe(0)
  })

  test('what is missing or wrong is reported', async () => {
    const page = await browser.openPage()
    await open(page, '/explain?network=bsc&tx=0x12', 'This is not the hash of a transaction.')
    await open(page, `/explain?network=bsc&tx=${hexNumber(999, 64)}`, 'The transaction could not be read.')
    await open(page, `/token/bsc/${hexNumber(0x999)}`, 'The token could not be read.')
    await open(page, '/trade?network=bsc&sell=NOTHING', 'There is no quote for this trade.')
    const others = browser.problems.splice(0).filter((text) => !/status of 40[04]/.test(text))
    expect(others).toEqual([])
  })

  test.runIf(inject('scale') > 1)('many pages take no more memory', async () => {
    const page = await browser.openPage()
    const session = await browser.context.newCDPSession(page)
    await open(page, '/', 'Live trades')
    const visit = async (times: number) => {
      for (let turn = 0; turn < times; turn++) {
        const label = ['Trade', 'Tokens', 'Pools', 'Explain'][turn % 4] ?? ''
        await page.getByRole('link', { name: label, exact: true }).click()
        await page.getByRole('heading', { level: 1, name: label }).waitFor()
      }
    }
    // Measured on Explain, which loads nothing without a hash, so that its size is always the same.
    const measure = async () => {
      await session.send('HeapProfiler.collectGarbage')
      const { usedSize } = (await session.send('Runtime.getHeapUsage')) as { usedSize: number }
      const { nodes, jsEventListeners: listeners } = await session.send('Memory.getDOMCounters')
      return { usedSize, nodes, listeners }
    }
    await visit(8)
    const before = await measure()
    await visit(120)
    // Compiled code takes a megabyte. Thirty leaked overviews would take three.
    await vi.waitFor(async () => {
      const after = await measure()
      expect(after.usedSize - before.usedSize).toBeLessThan(1_500_000)
      expect(after.nodes).toBeLessThan(before.nodes * 1.5)
      expect(after.listeners).toBeLessThan(before.listeners * 1.5)
    }, 30_000)
    // The trade page starts with Ethereum, which has no tokens here.
    expect(browser.problems.splice(0).filter((text) => !/status of 404/.test(text))).toEqual([])
  })

  test('a new trade appears, is struck out when the chain takes it back, and a restart is survived', async () => {
    const page = await browser.openPage()
    await page.clock.install()
    await open(page, '/', 'Live trades')
    await page.getByText('live', { exact: true }).waitFor()
    const head = await openHead(world.ownerUrl)
    await head.add(0)
    await world.committed()
    const row = page.getByRole('table', { name: 'Live trades' }).locator('tbody tr').first()
    await row.getByText('121 WBNB').waitFor()
    await head.add(1)
    await world.committed()
    await page.locator('tr.removed').getByText('121 WBNB').waitFor()

    const port = Number(new URL(world.api.url).port)
    await world.api.stop()
    await page.getByText('reconnecting').waitFor()
    await page.clock.fastForward(NETWORKS_REFRESH_MS)
    await page
      .getByText(/^Shown as read/)
      .first()
      .waitFor()
    world = await openFixture({ ownerUrl: world.ownerUrl, port })
    await page.clock.fastForward(NETWORKS_REFRESH_MS)
    await page.getByText('live', { exact: true }).waitFor()
    await page.locator('.stale').first().waitFor({ state: 'detached' })
    // The browser itself reports the refused connections.
    const refused = browser.problems
      .splice(0)
      .filter((text) => !/ERR_(CONNECTION_REFUSED|EMPTY_RESPONSE|INCOMPLETE|CONN)|Failed to load/.test(text))
    expect(refused).toEqual([])
  })
})

test('all files of the page are small', () => {
  const files = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.gz'))
  const bytes = files.reduce((sum, name) => sum + statSync(join(DIST, name)).size, 0)
  expect(files.length).toBeGreaterThan(5)
  expect(bytes).toBeLessThan(MOST_BYTES)
})
