import { spawnSync } from 'node:child_process'
import type { ApiFixture } from '@dexfeed/api/test/api-fixture'
import { closeAfter } from '@dexfeed/test-setup'
import axe from 'axe-core'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'

export const executablePath = spawnSync('which', ['chromium'], { encoding: 'utf8' }).stdout.trim()
export const WIDE = { width: 1_440, height: 900 }
export const NARROW = { width: 390, height: 844 }

export interface Browser {
  context: BrowserContext
  /** Errors of the console, refused resources included. */
  problems: string[]
  openPage(): Promise<Page>
}

/** One process for all pages: each would start and end several, and compile all code again. */
const ARGS = ['--no-sandbox', '--process-per-site', '--renderer-process-limit=1']

/** Opens a browser whose pages share files and settings. */
export async function openBrowser({ api }: ApiFixture): Promise<Browser> {
  const browser = await chromium.launch({ executablePath, args: ARGS })
  closeAfter(() => browser.close())
  const context = await browser.newContext({ viewport: WIDE, reducedMotion: 'reduce' })
  const problems: string[] = []
  await context.addInitScript(
    "addEventListener('securitypolicyviolation', (one) => console.error('policy', one.violatedDirective, one.blockedURI))",
  )
  context.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  context.on('weberror', (failure) => problems.push(failure.error().message))
  // Keeps the process while no test has a page.
  await (await context.newPage()).goto(`${api.url}/explain`)
  return {
    context,
    problems,
    async openPage() {
      const page = await context.newPage()
      closeAfter(() => page.close())
      return page
    },
  }
}

/** Opens a path, and waits until it shows a text and has read its data. */
export async function open(page: Page, { api }: ApiFixture, path: string, shown: string): Promise<void> {
  await page.goto(api.url + path)
  await page.getByText(shown, { exact: true }).first().waitFor()
  await isRead(page)
}

export async function isRead(page: Page): Promise<void> {
  await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0)
}

export function rowsOf(page: Page, caption: string): Promise<string[]> {
  return page.getByRole('table', { name: caption, exact: true }).locator('tbody tr').allInnerTexts()
}

/** Returns a column of a table, by its position. */
export function cellsOf(page: Page, caption: string, column: number): Promise<string[]> {
  const table = page.getByRole('table', { name: caption, exact: true })
  return table.locator(`tbody td:nth-child(${column})`).allInnerTexts()
}

/**
 * Runs axe in both themes, which differ only in their colours. It runs through the browser's protocol, to which the
 * page's policy does not apply.
 */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const runOnly = colorScheme === 'dark' ? ['color-contrast'] : undefined
    const options = JSON.stringify({ resultTypes: ['violations'], runOnly })
    const found = await page.evaluate(`axe.run(document, ${options})`)
    const { violations } = found as { violations: { id: string; nodes: { html: string }[] }[] }
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
  }
}
