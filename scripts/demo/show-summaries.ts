import { setTimeout as delay } from 'node:timers/promises'
import {
  readStatus,
  readSwapTotals,
  readToday,
  type Summary,
  type SwapTotals,
  summarize,
  summaryLine,
  summaryTable,
} from './summary.ts'

const REDRAW_MS = 2_000
const LINE_MS = 10_000
/** How often to count swaps, which reads the whole list. */
const COUNT_MS = 10_000

export interface ShowOptions {
  base: string
  signal: AbortSignal
  out: { isTTY?: boolean; write(text: string): unknown }
}

/** Shows the API's figures until the signal aborts: redrawn on a terminal, otherwise line by line. */
export async function showSummaries({ base, signal, out }: ShowOptions): Promise<void> {
  const read = summaryReader(base, signal)
  let drawn = 0
  while (!signal.aborted) {
    try {
      const summary = await read()
      if (out.isTTY) drawn = redraw(out, summaryTable(summary), drawn)
      else out.write(`${new Date().toISOString().slice(11, 19)} ${summaryLine(summary)}\n`)
    } catch {
      // The API is busy or about to end. The next round tries again.
    }
    await delay(out.isTTY ? REDRAW_MS : LINE_MS, undefined, { signal }).catch(() => undefined)
  }
}

function summaryReader(base: string, signal: AbortSignal): () => Promise<Summary> {
  const totals = new Map<string, SwapTotals>()
  let countedAt = Number.NEGATIVE_INFINITY
  return async () => {
    const [status, today] = await Promise.all([readStatus(base, signal), readToday(base, signal)])
    if (Date.now() - countedAt >= COUNT_MS) {
      for (const { network } of status.networks) totals.set(network, await readSwapTotals(base, network, signal))
      countedAt = Date.now()
    }
    return summarize(status, totals, today)
  }
}

function redraw(out: ShowOptions['out'], lines: readonly string[], before: number): number {
  const up = before > 0 ? `\u001b[${before}A\u001b[0J` : ''
  out.write(`${up}${lines.join('\n')}\n`)
  return lines.length
}
