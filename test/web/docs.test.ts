import type { ApiFixture } from '@dexfeed/api/test/api-fixture'
import { beforeAll, describe, expect, test } from 'vitest'
import { PAIR } from '../guide/guide-world.ts'
import { type Browser, executablePath, expectAccessible, NARROW, open, openBrowser } from './browser.ts'
import { CAKE, openMarketWorld } from './market-world.ts'

const HTML = { headers: { Accept: 'text/html' } }

let world: ApiFixture
let browser: Browser

describe.skipIf(executablePath === '')('guide and reference in a browser', () => {
  beforeAll(async () => {
    world = await openMarketWorld()
    browser = await openBrowser(world)
  })

  test('are pages of the site, with links both ways', async () => {
    const page = await browser.openPage()
    await open(page, world, '/', 'Top tokens')
    await page.getByRole('link', { name: 'Guide', exact: true }).click()
    await page.getByRole('navigation', { name: 'Guide' }).getByRole('link', { name: 'The page' }).click()
    await page.getByRole('heading', { level: 1, name: 'The page' }).waitFor()
    expect(await page.title()).toBe('The page · dexfeed')
    await page.getByRole('navigation', { name: 'Guide' }).getByRole('link', { name: 'API reference' }).click()
    await page.getByRole('heading', { name: 'GET /v1/candles' }).waitFor()
    await page.getByRole('navigation', { name: 'Operations' }).getByRole('link', { name: '/v1/depth' }).click()
    await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(1_000)
    for (const key of ['/', 'c', 'Enter']) await page.keyboard.press(key)
    await page.getByRole('heading', { level: 1, name: 'CAKE' }).waitFor()
    expect(browser.problems).toEqual([])
  })

  test.each([
    ['/docs/guide', 'Getting started'],
    ['/docs/guide/api', 'API reference'],
    ['/docs', 'Shapes'],
  ])('%s is readable on a phone, and accessible', async (path, shown) => {
    const page = await browser.openPage()
    await page.setViewportSize(NARROW)
    await open(page, world, path, shown)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(NARROW.width)
    await expectAccessible(page)
    expect(browser.problems).toEqual([])
  })

  test('going back between places of a page finds them again', async () => {
    const page = await browser.openPage()
    await open(page, world, '/docs', 'Shapes')
    const links = page.getByRole('navigation', { name: 'Operations' })
    const top = () => page.evaluate('scrollY')
    await links.getByRole('link', { name: '/v1/depth' }).click()
    await expect.poll(top).toBeGreaterThan(1_000)
    const other = links.getByRole('link', { name: '/v1/candles' })
    await other.scrollIntoViewIfNeeded()
    const left = await top()
    await other.click()
    await expect.poll(top).not.toBe(left)
    await page.goBack()
    await expect.poll(top).toBe(left)
    await page.goBack()
    await expect.poll(top).toBe(0)
    await page.goForward()
    await expect.poll(top).toBeGreaterThan(1_000)
    expect(browser.problems).toEqual([])
  })

  test('a search finds a place in the guide', async () => {
    const page = await browser.openPage()
    await open(page, world, '/docs/guide', 'Getting started')
    const search = page.getByRole('textbox', { name: 'Search the guide' })
    await search.fill('BACKFILL_DAYS')
    await search.press('Enter')
    await page.locator('.docs-text a[href^="/docs/guide/settings#"]').first().click()
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
    await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(0)
  })

  test('an unknown address is a page', async () => {
    const page = await browser.openPage()
    const response = await page.goto(`${world.api.url}/nope`)
    expect(response?.status()).toBe(404)
    await page.getByText('There is nothing under this address.').waitFor()
    expect(await page.title()).toBe('Not found · dexfeed')
    await page.getByRole('link', { name: 'Tokens', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Tokens' }).waitFor()
    expect(browser.problems.splice(0).filter((text) => !/status of 404/.test(text))).toEqual([])
  })

  test.each([
    [`/token/bsc/${CAKE}`, 'tokens', 'CAKE'],
    [`/pool/bsc/${PAIR.address}`, 'pools', 'WBNB / USDT'],
  ])('a preview of a link names what it is about, and its price: %s', async (path, list, name) => {
    const { price_usd: price } = (await world.get(`/v1${path.replace(/token|pool/, list)}`)).body
    const shown = `${name} $${Number(Number(price).toPrecision(6))}`
    // A server that is busy sends the page without its subject.
    const read = async () => (await world.get(path, HTML)).text
    let text = ''
    await expect
      .poll(async () => {
        text = await read()
        return text
      })
      .toContain(`<title>${shown} · dexfeed</title>`)
    expect(text).toContain(`<meta property="og:title" content="${shown} · dexfeed" />`)
    expect(text).toMatch(/<meta name="description" content="[^"]+, -?[\d.]+ % in 24 hours, volume of 24 hours \$\d+"/)
    const unknown = await world.get(path.replace(/0x.*/, `0x${'9'.repeat(40)}`), HTML)
    expect([unknown.status, unknown.text.includes('<title>dexfeed</title>')]).toEqual([200, true])
  })
})
