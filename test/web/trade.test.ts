import type { ApiFixture } from '@dexfeed/api/test/api-fixture'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Browser, executablePath, expectAccessible, open, openBrowser } from './browser.ts'
import { MOON, openMarketWorld } from './market-world.ts'

let world: ApiFixture
let browser: Browser

const ASKED = '/trade?network=bsc&sell=WBNB&buy=USDT&amount='

describe.skipIf(executablePath === '')('a trade in a browser', () => {
  beforeAll(async () => {
    world = await openMarketWorld()
    browser = await openBrowser(world)
  })

  test.each([
    ['1', 'none', null],
    ['100', 'note', /^It costs [\d.]+ %\.$/],
    ['10000000', 'alert', /^You would lose 9[\d.]+ % to this trade's own price\.$/],
  ] as const)('the impact of %s WBNB is shown as what it is: %s', async (amount, role, title) => {
    const page = await browser.openPage()
    await open(page, world, ASKED + amount, 'Price impact')
    const { price_impact: impact, amount_out_usd: usd } = (
      await world.get(`/v1/quote?network=bsc&sell=WBNB&buy=USDT&amount=${amount}`)
    ).body
    await expect.poll(() => page.title()).toMatch(/^[\d,]+ WBNB → [\d,.]+ USDT · dexfeed$/)
    const row = page.locator('dl.facts div', { hasText: 'Price impact' }).locator('dd')
    expect(Number(((await row.textContent()) ?? '').replace(' %', '')) / 100).toBeCloseTo(Number(impact), 5)
    if (title === null) {
      expect(await page.getByText(/^It costs|^You would lose/).count()).toBe(0)
      return
    }
    const notice = page.getByRole(role === 'alert' ? 'alert' : 'note').first()
    await notice.getByText(title).waitFor()
    expect(await notice.textContent()).toContain(`$${Number(usd).toLocaleString('en', { maximumFractionDigits: 2 })}`)
    // Before the numbers.
    expect(await page.locator('.quote > *').first().getAttribute('class')).toContain('notice')
    await expectAccessible(page)
  })

  test('an emptied amount is no error', async () => {
    const page = await browser.openPage()
    await open(page, world, `${ASKED}1`, 'Price impact')
    const sold = page.getByLabel('Amount to sell')
    await sold.fill('')
    await page.getByText('No amount yet.').waitFor()
    for (const typed of ['0', '0.', '.']) {
      await sold.fill(typed)
      expect(await sold.inputValue()).toBe(typed)
    }
    expect(await page.getByRole('alert').count()).toBe(0)
    await sold.fill('.5')
    await page.getByText('Price impact', { exact: true }).waitFor()
    expect(browser.problems).toEqual([])
  })

  test('dust, taxes and tokens that nobody lists are said in words', async () => {
    const page = await browser.openPage()
    await open(page, world, `${ASKED}0.000001`, 'Price impact')
    await page.getByText('This amount is dust.').waitFor()
    await open(page, world, `/trade?network=bsc&sell=${MOON}&buy=USDT&amount=1000`, 'Price impact')
    await page.getByText('A token of this trade is not on the curated list.').waitFor()
    await page.getByText('MOON may not arrive whole: it may take a tax.').waitFor()
  })

  test('what has no route is said in words', async () => {
    const page = await browser.openPage()
    await open(page, world, `${ASKED}10000000000&side=out`, 'There is no route for this trade.')
    await open(page, world, '/trade?network=bsc&sell=NOTHING', 'There is no quote for this trade.')
    await page.getByText(/^Sell: this symbol is not supported/).waitFor()
    expect(browser.problems.splice(0).filter((text) => !/status of 404/.test(text))).toEqual([])
  })
})
