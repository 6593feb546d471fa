import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '@dexfeed/dex'
import type { Logger } from '@dexfeed/service'
import { z } from 'zod'

/** How often processes tell each other what clients take. */
const SETTLE_MS = SECOND / 4

/** What clients take of a limit here, and what they are known to take elsewhere. */
export interface SharedLimit {
  /** By client; those that take little may be left out. */
  taken(): Record<string, number>
  /** From now on this is what the other processes say that they give; empty: nobody knows. */
  takenElsewhere(byClient: ReadonlyMap<string, number>): void
}

/** A place where each process says something, and reads what the others said in the last seconds. */
export interface Exchange {
  /** @throws when the place cannot be reached */
  say(name: string, text: string): Promise<string[]>
  close(): void
}

const USE = z.record(z.string(), z.number().int().min(0))
const SAID = z.object({ rates: USE, lists: USE })
type Name = keyof z.output<typeof SAID>
const NAMES: readonly Name[] = ['rates', 'lists']

/**
 * Holds limits over several processes together: each counts for itself and never waits for the others, and learns a few
 * times a second what they count. Where that does not work, each goes by its own counts, which is told once an outage.
 */
export function shareLimits(
  exchange: Exchange,
  limits: Readonly<Record<Name, SharedLimit>>,
  log: Pick<Logger, 'warn' | 'info'>,
  settleMs = SETTLE_MS,
): { stop(): Promise<void> } {
  const name = randomUUID()
  const stopping = new AbortController()
  let isAlone = false
  const settle = async () => {
    const said = Object.fromEntries(NAMES.map((kind) => [kind, limits[kind].taken()]))
    const others = (await exchange.say(name, JSON.stringify(said))).map((text) => SAID.parse(JSON.parse(text)))
    for (const kind of NAMES) limits[kind].takenElsewhere(sumOf(others.map((one) => one[kind])))
    if (isAlone) log.info('limits are shared with the other processes again')
    isAlone = false
  }
  const alone = (error: unknown) => {
    for (const kind of NAMES) limits[kind].takenElsewhere(new Map())
    if (!isAlone) log.warn({ err: error }, 'limits cannot be shared (REDIS_URL): each process has its own meanwhile')
    isAlone = true
  }
  const loop = async () => {
    while (!stopping.signal.aborted) {
      await settle().catch(alone)
      await delay(settleMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  const looping = loop()
  return {
    async stop() {
      stopping.abort()
      await looping
      exchange.close()
    },
  }
}

function sumOf(all: readonly Record<string, number>[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const one of all) {
    for (const [client, taken] of Object.entries(one)) sums.set(client, (sums.get(client) ?? 0) + taken)
  }
  return sums
}
