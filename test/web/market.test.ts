import type { ApiFixture } from '@dexfeed/api/test/api-fixture'
import type { Page, Route } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { PAIR, WBNB } from '../guide/guide-world.ts'
import {
  type Browser,
  cellsOf,
  executablePath,
  expectAccessible,
  isRead,
  NARROW,
  open,
  openBrowser,
} from './browser.ts'
import { CAKE, openMarketWorld } from './market-world.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
type Body = any

const WATCHED_REFRESH_MS = 10_000

let world: ApiFixture
let browser: Browser

const read = async (path: string): Promise<Body> => (await world.get(path)).body
const symbolOf = (cell: string) => /^\S+/.exec(cell)?.[0]
const dollars = (value: string) => Number(value.replaceAll(/[$,]/g, ''))
const table = (page: Page, name: string) => page.getByRole('table', { name, exact: true })
const allOf = (body: Body): string[] => body.data.map(({ symbol }: { symbol: string }) => symbol)

describe.skipIf(executablePath === '')('the market in a browser', () => {
  beforeAll(async () => {
    world = await openMarketWorld()
    browser = await openBrowser(world)
  })

  test('a token is three keys away from every page', async () => {
    const page = await browser.openPage()
    await open(page, world, '/health', 'Health')
    for (const key of ['/', 'c', 'Enter']) await page.keyboard.press(key)
    await page.waitForURL((url) => url.pathname.toLowerCase() === `/token/bsc/${CAKE}`)
    await expect.poll(() => page.title()).toMatch(/^CAKE \$[\d.]+ · dexfeed$/)
  })

  test('Enter chooses nothing that an earlier text found', async () => {
    const page = await browser.openPage()
    await open(page, world, '/health', 'Health')
    const search = page.getByRole('combobox', { name: /^Search tokens/ })
    await search.fill('cak')
    await page.getByRole('option', { name: 'CAKE' }).first().waitFor()
    let refused = 0
    await page.route('**/v1/search?**', (route) => {
      refused++
      return route.fulfill({ status: 400, json: { error: 'refused' } })
    })
    await search.fill('cakx')
    await search.press('Enter')
    await expect.poll(() => refused).toBe(1)
    await expect.poll(() => search.inputValue()).toBe('')
    expect(new URL(page.url()).pathname).toBe('/health')
    expect(browser.problems.splice(0).filter((text) => !/status of 400/.test(text))).toEqual([])
  })

  test('a quote is fewer than twenty keys away from the overview', async () => {
    const page = await browser.openPage()
    await open(page, world, '/', 'Top tokens')
    const keys = ['/', 'c', 'a', 'k', 'Enter']
    for (const key of keys) await page.keyboard.press(key)
    await page.getByRole('heading', { level: 1, name: 'CAKE' }).waitFor()
    let count = keys.length
    const isOnTrade = () => page.evaluate("document.activeElement?.getAttribute('href')?.startsWith('/trade?')")
    while (!(await isOnTrade())) {
      await page.keyboard.press('Tab')
      count++
      expect(count).toBeLessThan(19)
    }
    await page.keyboard.press('Enter')
    await page.getByText('Price impact', { exact: true }).waitFor()
  })

  test('traders and transactions are found by their address and hash', async () => {
    const page = await browser.openPage()
    const { data } = await read('/v1/swaps?limit=1')
    const [{ trader, tx_hash: hash, network }] = data
    await open(page, world, '/', 'Top tokens')
    const search = page.getByRole('combobox', { name: /^Search/ })
    await search.fill(trader)
    await page.getByRole('option', { name: /^Trades of the account/ }).waitFor()
    await search.press('Enter')
    await page.waitForURL((url) => url.pathname === `/trader/${trader}`)
    await search.fill(hash)
    const name = network === 'bsc' ? /on BNB Chain/ : /on Ethereum/
    await page.getByRole('option', { name }).click()
    await page.getByText('Signed by').waitFor()
  })

  test('the list of tokens shows what its address says', async () => {
    const page = await browser.openPage()
    for (const [shown, asked] of [
      ['sort=liquidity', 'order_by=liquidity&order=desc'],
      ['sort=price_change&order=asc', 'order_by=price_change&order=asc'],
      ['network=eth', 'network=eth&order_by=volume'],
      ['min_volume=100000', 'min_volume=100000&order_by=volume'],
      ['listed=false', 'listed=false&order_by=volume'],
    ]) {
      await open(page, world, `/tokens?${shown}`, 'Diluted value')
      const expected = await read(`/v1/tokens?${asked}`)
      expect((await cellsOf(page, 'Tokens', 2)).map(symbolOf), shown).toEqual(allOf(expected))
    }
  })

  test('sorting, windows and filters change the address, and a link brings them back', async () => {
    const page = await browser.openPage()
    await open(page, world, '/tokens', 'Diluted value')
    await page.getByRole('button', { name: '1 h', exact: true }).click()
    await page.getByRole('button', { name: 'Buys and sells' }).click()
    await page.getByLabel('Network', { exact: true }).selectOption('bsc')
    await page.waitForURL((url) => url.search === '?window=1h&sort=swaps&network=bsc')
    const names = async () => (await cellsOf(page, 'Tokens', 2)).map(symbolOf)
    await expect.poll(names).toEqual(allOf(await read('/v1/tokens?network=bsc&order_by=swaps_1h')))
    await page.getByRole('button', { name: 'Buys and sells' }).click()
    await expect.poll(names).toEqual(allOf(await read('/v1/tokens?network=bsc&order_by=swaps_1h&order=asc')))
    const shown = await cellsOf(page, 'Tokens', 2)
    const other = await browser.openPage()
    await other.goto(page.url())
    await table(other, 'Tokens').waitFor()
    expect(await cellsOf(other, 'Tokens', 2)).toEqual(shown)
    expect(await other.locator('th[aria-sort=ascending]').textContent()).toContain('Buys and sells')
  })

  test('the overview leads to what rose and what fell', async () => {
    const page = await browser.openPage()
    await open(page, world, '/?top=gainers', 'Top tokens')
    await page.getByRole('button', { name: 'BNB Chain' }).click()
    const names = async () => (await cellsOf(page, 'Top tokens', 2)).map(symbolOf)
    const moved = '/v1/tokens?network=bsc&order_by=price_change&limit=10&min_volume=10000&min_liquidity=10000'
    await expect.poll(names).toEqual(allOf(await read(moved)))
    await expect.poll(() => cellsOf(page, 'Top pools', 2).then((cells) => cells.join())).not.toContain('Ethereum')
    await page.getByRole('button', { name: 'Losers' }).click()
    await page.waitForURL((url) => url.search === '?top=losers&network=bsc')
    await expect.poll(names).toEqual(allOf(await read(`${moved}&order=asc`)))
    const losers = await names()
    await page.getByRole('link', { name: 'All tokens' }).click()
    await table(page, 'Tokens').waitFor()
    expect((await cellsOf(page, 'Tokens', 2)).map(symbolOf).slice(0, losers.length)).toEqual(losers)
  })

  test('pools are listed with what is priced first, and by creation', async () => {
    const page = await browser.openPage()
    await open(page, world, '/pools?sort=created', 'Buys and sells')
    const { data } = await read('/v1/pools?order_by=created')
    const names = (await cellsOf(page, 'Pools', 2)).map((cell) => cell.split('\n')[0])
    const expected = data.map(({ tokens, base_token: base }: Body) => {
      const priced = tokens.find(({ address }: Body) => address === base)
      const other = tokens.find(({ address }: Body) => address !== base)
      return `${priced.symbol} / ${other.symbol}`
    })
    expect(names).toEqual(expected)
    const flows = data.map(({ flow }: Body) => `▲ ${flow['24h'].buys}▼ ${flow['24h'].sells}`)
    expect((await cellsOf(page, 'Pools', 6)).map((cell) => cell.replaceAll('\n', ''))).toEqual(flows)
  })

  test('new pools are shown up to ten pages, however long the user takes', async () => {
    const page = await browser.openPage()
    const asked = new Set<string | null>()
    let deepest = 0
    await page.route('**/v1/pools?**', (route) => {
      const { searchParams } = new URL(route.request().url())
      const pages = 1 + Number(searchParams.get('cursor'))
      asked.add(searchParams.get('created_after'))
      deepest = Math.max(deepest, pages)
      return route.fulfill({ json: { data: [], next: String(pages), prev: null } })
    })
    await open(page, world, '/pools?created=86400', 'No pool matches.')
    const more = page.getByRole('button', { name: 'Show more' })
    for (let pages = 1; pages < 10; pages++) {
      await page.clock.setFixedTime(Date.now() + pages * 61_000)
      await more.click()
      await expect.poll(() => deepest).toBe(pages + 1)
      await page.getByRole('button', { name: 'Loading …' }).waitFor({ state: 'detached' })
    }
    await page.locator('.more').waitFor({ state: 'detached' })
    expect(asked.size).toBe(1)
    expect(browser.problems).toEqual([])
  })

  test('the watch list outlives a reload, and is on the overview', async () => {
    const page = await browser.openPage()
    await page.clock.install()
    await open(page, world, '/tokens', 'Diluted value')
    await page.getByRole('button', { name: 'Watch CAKE' }).click()
    await open(page, world, `/pool/bsc/${PAIR.address}`, 'WBNB in USD')
    await page.getByRole('button', { name: /^Watch WBNB/ }).click()
    await page.reload()
    await page.getByRole('button', { name: /^Watch WBNB/, pressed: true }).waitFor()
    await open(page, world, '/', 'Watch list')
    expect((await cellsOf(page, 'Watched tokens', 2)).map(symbolOf)).toEqual(['CAKE'])
    expect((await cellsOf(page, 'Watched pools', 2))[0]).toContain('WBNB / USDT')
    const refuse = (route: Route) => route.fulfill({ status: 503, json: { error: 'not now' } })
    await page.route('**/v1/tokens?**token=**', refuse)
    await page.clock.fastForward(WATCHED_REFRESH_MS)
    await page.getByText(/^Shown as read .* not now\.$/).waitFor()
    expect((await cellsOf(page, 'Watched tokens', 2)).map(symbolOf)).toEqual(['CAKE'])
    await page.unroute('**/v1/tokens?**token=**', refuse)
    expect(browser.problems.splice(0).filter((text) => !/status of 503/.test(text))).toEqual([])
    await table(page, 'Watched tokens').getByRole('button', { name: 'Watch CAKE' }).click()
    await table(page, 'Watched pools').getByRole('button').click()
    await page.getByText('Watch list').waitFor({ state: 'detached' })
  })

  test('sides, values and prices of a pool are those of the API', async () => {
    const page = await browser.openPage()
    await open(page, world, `/pool/bsc/${PAIR.address}`, 'WBNB in USD')
    const { data } = await read(`/v1/pools/bsc/${PAIR.address}/trades?limit=30`)
    const sides = data.map(({ side }: Body) => (side === 'buy' ? '▲ Buy' : '▼ Sell'))
    expect(await cellsOf(page, 'Trades of the pool', 2)).toEqual(sides)
    const values = (await cellsOf(page, 'Trades of the pool', 3)).map(dollars)
    expect(values).toEqual(data.map(({ volume_usd: usd }: Body) => Number(usd)))
    const prices = (await cellsOf(page, 'Trades of the pool', 4)).map(dollars)
    const expected = data.map(({ price_usd: price }: Body) => Number(Number(price).toPrecision(6)))
    expect(prices).toEqual(expected)
    await page.getByRole('button', { name: 'Show more' }).first().click()
    await expect.poll(() => table(page, 'Trades of the pool').locator('tbody tr').count()).toBe(60)
  })

  test('trades of a token are buys and sells of that token', async () => {
    const page = await browser.openPage()
    await open(page, world, `/token/bsc/${WBNB}`, 'Live trades')
    await table(page, 'Live trades').waitFor()
    const { data } = await read(`/v1/swaps?network=bsc&token=${WBNB}&limit=20`)
    const isBought = ({ buy_token: { address } }: Body) => address.toLowerCase() === WBNB
    expect(await cellsOf(page, 'Live trades', 2)).toEqual(
      data.map((swap: Body) => (isBought(swap) ? '▲ Buy' : '▼ Sell')),
    )
    expect((await cellsOf(page, 'Live trades', 5)).every((cell) => cell.endsWith('WBNB'))).toBe(true)
    const [{ trade_volume_usd: usd, buy_token: bought, sell_token: sold }] = data
    const [price = ''] = await cellsOf(page, 'Live trades', 4)
    const amount = isBought(data[0]) ? bought.amount_decimal : sold.amount_decimal
    expect(dollars(price)).toBe(Number((Number(usd) / Number(amount)).toPrecision(6)))
    await browser.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy address' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(String(await page.evaluate('navigator.clipboard.readText()')).toLowerCase()).toBe(WBNB)
  })

  test('a trader leads to all trades of the account', async () => {
    const page = await browser.openPage()
    await open(page, world, '/', 'Live trades')
    await table(page, 'Live trades').waitFor()
    await table(page, 'Live trades').locator('a[href^="/trader/"]').first().click()
    await page.getByRole('heading', { level: 1, name: /^Trader/ }).waitFor()
    const { pathname, searchParams } = new URL(page.url())
    const trader = pathname.split('/').at(-1)
    const { data } = await read(`/v1/swaps?network=${searchParams.get('network')}&trader=${trader}&limit=20`)
    await expect
      .poll(async () => (await cellsOf(page, 'Live trades', 3)).map(dollars))
      .toEqual(data.map(({ trade_volume_usd: usd }: Body) => Number(usd)))
  })

  test('going back finds the place where the user left', async () => {
    const page = await browser.openPage()
    await open(page, world, '/', 'Seven days')
    await table(page, 'Live trades').waitFor()
    const link = table(page, 'New pools').getByRole('link').last()
    await link.scrollIntoViewIfNeeded()
    const left = Number(await page.evaluate('scrollY'))
    expect(left).toBeGreaterThan(300)
    await link.click()
    await page.getByText('Trades', { exact: true }).waitFor()
    await expect.poll(() => page.evaluate('scrollY')).toBe(0)
    await page.goBack()
    await expect.poll(() => page.evaluate('scrollY')).toBe(left)
  })

  test('a phone shows the first table on its first screen, and trades with their values', async () => {
    const page = await browser.openPage()
    await page.setViewportSize(NARROW)
    await open(page, world, '/', 'Live trades')
    const first = await page.locator('tbody tr').nth(2).boundingBox()
    expect((first?.y ?? 0) + (first?.height ?? NARROW.height)).toBeLessThan(NARROW.height)
    await table(page, 'Live trades').waitFor()
    const value = await table(page, 'Live trades').locator('tbody td:nth-child(3)').first().boundingBox()
    expect((value?.x ?? 0) + (value?.width ?? NARROW.width)).toBeLessThan(NARROW.width)
  })

  test.each(['/', '/tokens', '/pools?window=1h', '/trader/0x7ead000000000000000000000000000000000000'])(
    '%s has no violation of accessibility, and fits a phone',
    async (path) => {
      const page = await browser.openPage()
      await page.goto(world.api.url + path)
      await page.locator('tbody tr').first().waitFor()
      await isRead(page)
      await expectAccessible(page)
      await page.setViewportSize(NARROW)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(NARROW.width)
      expect(browser.problems).toEqual([])
    },
  )
})
