import type { ApiFixture } from '@dexfeed/api/test/api-fixture'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { PAIR, USDT } from '../guide/guide-world.ts'
import { type Browser, cellsOf, executablePath, expectAccessible, open, openBrowser } from './browser.ts'
import { MOON, openMarketWorld } from './market-world.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
type Body = any

const POOL = `/pool/bsc/${PAIR.address}`
const DIGITS = 6

let world: ApiFixture
let browser: Browser

const candlesOf = async (selection: string): Promise<Body[]> =>
  (await world.get(`/v1/candles?network=bsc&fill=true&${selection}`)).body.data

/** Returns the figures of the legend: open, high, low, close. */
async function legendOf(page: Page): Promise<number[]> {
  const texts = await page.locator('.legend span[title]').allTextContents()
  return texts.slice(0, 4).map((text) => Number(text.replaceAll(',', '')))
}

const shown = (value: string | number) => Number(Number(value).toPrecision(DIGITS))

async function countOf(page: Page): Promise<number> {
  const label = await page.getByRole('img', { name: /candles$/ }).getAttribute('aria-label')
  return Number(/(\d+) candles$/.exec(label ?? '')?.[1])
}

describe.skipIf(executablePath === '')('charts in a browser', () => {
  beforeAll(async () => {
    world = await openMarketWorld()
    browser = await openBrowser(world)
  })

  test('the legend has the last candle, which opens where the one before closed', async () => {
    const page = await browser.openPage()
    await open(page, world, POOL, 'WBNB in USD')
    const [last, before] = await candlesOf(`pool=${PAIR.address}&interval=1h`)
    const high = Math.max(Number(last.high), Number(before.close))
    const low = Math.min(Number(last.low), Number(before.close))
    await expect.poll(() => legendOf(page)).toEqual([before.close, high, low, last.close].map(shown))
  })

  test('the legend follows the pointer', async () => {
    const page = await browser.openPage()
    await open(page, world, POOL, 'WBNB in USD')
    await page.locator('.chart canvas').first().waitFor()
    const time = page.locator('.legend time')
    const last = await time.getAttribute('datetime')
    const place = await page.locator('.chart').boundingBox()
    if (place === null) throw new Error('the chart has no place')
    await page.mouse.move(place.x + place.width / 2, place.y + place.height / 2)
    await expect.poll(() => time.getAttribute('datetime')).not.toBe(last)
    const pointed = await time.getAttribute('datetime')
    const candles = await candlesOf(`pool=${PAIR.address}&interval=1h&limit=300`)
    const at = candles.findIndex((candle) => candle.time === pointed)
    const [open_ = 0, , , close = 0] = await legendOf(page)
    expect([open_, close]).toEqual([candles[at + 1]?.close, candles[at]?.close].map(shown))
    await page.mouse.move(0, 0)
    await expect.poll(() => time.getAttribute('datetime')).toBe(last)
  })

  test('a pool is charted in USD or in its other token, and the other way round', async () => {
    const page = await browser.openPage()
    await open(page, world, POOL, 'WBNB in USD')
    await page.getByRole('button', { name: 'USDT', exact: true }).click()
    await page.getByRole('heading', { name: 'WBNB in USDT' }).waitFor()
    await page.getByRole('button', { name: 'Invert' }).click()
    await page.getByRole('heading', { name: 'USDT in WBNB' }).waitFor()
    await page.waitForURL((url) => url.search === '?currency=quote&invert=1')
    const [last] = await candlesOf(`pool=${PAIR.address}&token=${USDT}&currency=quote&interval=1h`)
    await expect.poll(async () => (await legendOf(page))[3]).toBe(shown(last.close))
    await page.reload()
    await page.getByRole('heading', { name: 'USDT in WBNB' }).waitFor()
  })

  test('liquidity that was added and removed is listed, and is below the candles', async () => {
    const page = await browser.openPage()
    await open(page, world, `${POOL}?interval=1d`, 'WBNB in USD')
    const { data } = (await world.get(`/v1/liquidity_events?network=bsc&pool=${PAIR.address}&limit=10`)).body
    expect(data).toHaveLength(10)
    const kinds = data.map(({ kind }: Body) => (kind === 'add' ? '▲ Added' : '▼ Removed'))
    await expect.poll(() => cellsOf(page, 'Liquidity added and removed', 2)).toEqual(kinds)
    const values = (await cellsOf(page, 'Liquidity added and removed', 3)).map((text) => text.replace(/[$,]/g, ''))
    expect(values).toEqual(data.map(({ value_usd: usd }: Body) => (usd === null ? '–' : Number(usd).toFixed(2))))
    const changes = (await world.get(`/v1/pools/bsc/${PAIR.address}/liquidity?interval=1d`)).body.data
    const [today] = changes
    const sign = Number(today.net_usd) > 0 ? '+' : '−'
    const thousands = (usd: string) => `$${(Math.abs(Number(usd)) / 1_000).toPrecision(3)}K`
    expect(today.liquidity_usd).not.toBeNull()
    const text = `Liquidity ${thousands(today.liquidity_usd)} ${sign}${thousands(today.net_usd)}`
    await expect.poll(async () => (await page.locator('.legend').textContent()) ?? '').toContain(text)
  })

  test('older candles are read when the user scrolls back', async () => {
    const page = await browser.openPage()
    await open(page, world, `${POOL}?interval=5m`, 'WBNB in USD')
    await page.locator('.chart canvas').first().waitFor()
    expect(await countOf(page)).toBeLessThanOrEqual(300)
    const place = await page.locator('.chart').boundingBox()
    if (place === null) throw new Error('the chart has no place')
    const middle = place.y + place.height / 3
    const scrollBack = async () => {
      await page.mouse.move(place.x + 50, middle)
      await page.mouse.down()
      await page.mouse.move(place.x + place.width - 100, middle, { steps: 4 })
      await page.mouse.up()
      return countOf(page)
    }
    await expect.poll(scrollBack).toBeGreaterThan(1_000)
    await page.mouse.move(place.x + 30, middle)
    const newest = await candlesOf(`pool=${PAIR.address}&interval=5m&limit=300`)
    const time = page.locator('.legend time')
    await expect
      .poll(async () => (await time.getAttribute('datetime')) ?? '')
      .toSatisfy((text) => text < newest.at(-1).time)
    const from = Date.parse((await time.getAttribute('datetime')) ?? '') / 1_000
    const [pointed] = await candlesOf(`pool=${PAIR.address}&interval=5m&from=${from}&to=${from + 1}`)
    expect((await legendOf(page))[3]).toBe(shown(pointed.close))
  })

  test('a tiny price is not shown as zero, and the page of a pool is accessible', async () => {
    const page = await browser.openPage()
    await open(page, world, `/token/bsc/${MOON}`, 'MOON in USD')
    const [last] = await candlesOf(`token=${MOON}&interval=1h`)
    await expect.poll(async () => (await legendOf(page))[3]).toBe(shown(last.close))
    expect(Number(last.close)).toBeGreaterThan(0)
    await open(page, world, POOL, 'WBNB in USD')
    await expectAccessible(page)
    expect(browser.problems).toEqual([])
  })
})
