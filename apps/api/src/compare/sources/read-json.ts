import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '@dexfeed/dex'

const RESPONSE_MS = 15 * SECOND
const MAX_BYTES = 4_000_000
const ATTEMPTS = 4
const USUAL_PAUSE_S = 20
const MAX_PAUSE_S = 120

/**
 * Reads JSON from a public API, with another try after a rate limit. Returns undefined for 404.
 *
 * @throws Error without the address, which may contain a key
 */
export async function readJson(url: string, signal: AbortSignal): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_MS)])
    const response = await fetch(url, { signal: limit, headers: { Accept: 'application/json' } })
    if (response.status === 404) return undefined
    if (response.status === 429 && attempt < ATTEMPTS) {
      await response.body?.cancel()
      const wished = Number(response.headers.get('retry-after') ?? USUAL_PAUSE_S)
      const seconds = wished >= 0 && wished <= MAX_PAUSE_S ? wished : USUAL_PAUSE_S
      await delay(seconds * SECOND, undefined, { signal })
      continue
    }
    if (!response.ok) throw new Error(`the other source responded with HTTP status ${response.status}`)
    return parse(await boundedText(response))
  }
}

async function boundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw new Error('the response of the other source is too large')
    text += decoder.decode(chunk, { stream: true })
  }
  return text
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('the response of the other source is not JSON')
  }
}

export function memberOf(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Record<string | number, unknown>)[key]
  }
  return found
}

export function decimalText(value: unknown): string | null {
  return (typeof value === 'number' && Number.isFinite(value)) || typeof value === 'string' ? String(value) : null
}

/** Returns the name of a pool at other sources: inside a manager, its id alone. */
export function poolName(pool: string): string {
  return pool.length > 66 ? `0x${pool.slice(-64)}` : pool
}
