import type { Client } from 'pg'
import { quantileOf } from './load.ts'

export interface HeadLag {
  /** Milliseconds from showing a block to its commit, or to the end of the period if it is not committed. */
  p50: number
  p99: number
  max: number
  blocks: number
  /** Blocks not committed at the end of the period. */
  behind: number
}

interface Head {
  number: number
  /** Milliseconds since 1970. */
  at: number
}

export class HeadWatch {
  readonly #shown = new Map<number, Head[]>()
  readonly #seen = new Map<number, Head[]>()

  shown(chainId: number, head: Head): void {
    this.#shown.set(chainId, [...(this.#shown.get(chainId) ?? []), head])
  }

  seen(chainId: number, head: Head): void {
    const seen = this.#seen.get(chainId) ?? []
    const last = seen.at(-1)
    if (last === undefined || head.number > last.number) this.#seen.set(chainId, [...seen, head])
  }

  delays(chainId: number): number[] {
    const seen = this.#seen.get(chainId) ?? []
    return (this.#shown.get(chainId) ?? []).flatMap((block) => {
      const commit = seen.find(({ number }) => number >= block.number)
      return commit === undefined ? [] : [commit.at - block.at]
    })
  }

  lag(chainId: number, from: number, to: number): HeadLag | null {
    const seen = (this.#seen.get(chainId) ?? []).filter(({ at }) => at <= to)
    const shown = (this.#shown.get(chainId) ?? []).filter(({ at }) => at >= from && at < to)
    const [first, last] = [shown[0], shown.at(-1)]
    if (first === undefined || last === undefined) return null
    const times = shown.map((block) => (seen.find(({ number }) => number >= block.number)?.at ?? to) - block.at)
    const share = (part: number) => quantileOf(times, part)
    const behind = Math.min(shown.length, Math.max(0, last.number - (seen.at(-1)?.number ?? 0)))
    return { p50: share(0.5), p99: share(0.99), max: share(1), blocks: shown.length, behind }
  }
}

export class PoolWatch {
  readonly #shown: { pool: string; at: number }[] = []
  readonly #seen = new Map<string, number>()

  /** @param block that creates the pools */
  shown(block: { pools: readonly string[]; at: number }): void {
    for (const pool of block.pools) this.#shown.push({ pool, at: block.at })
  }

  /** Only the first event of a pool counts: its value comes later, in another one. */
  seen(pool: string, at: number): void {
    const key = pool.toLowerCase()
    if (!this.#seen.has(key)) this.#seen.set(key, at)
  }

  /** Returns the delays of pools shown in the period. A pool without an event lags up to the end of the period. */
  lag(from: number, to: number): { p50: number; p99: number; pools: number } | null {
    const shown = this.#shown.filter(({ at }) => at >= from && at < to)
    if (shown.length === 0) return null
    const times = shown.map(({ pool, at }) => Math.min(this.#seen.get(pool) ?? to, to) - at)
    return { p50: quantileOf(times, 0.5), p99: quantileOf(times, 0.99), pools: shown.length }
  }
}

const INDEXED_HEADS = 'SELECT chain_id, head_number AS number FROM network WHERE head_number IS NOT NULL'

export async function watchHeads(client: Client, watch: HeadWatch, newest = INDEXED_HEADS): Promise<void> {
  let looking = false
  let again = false
  const look = async () => {
    if (looking) {
      again = true
      return
    }
    looking = true
    do {
      again = false
      const { rows } = await client.query<{ chain_id: number; number: string }>(newest)
      const at = performance.timeOrigin + performance.now()
      for (const { chain_id, number } of rows) watch.seen(chain_id, { number: Number(number), at })
    } while (again)
    looking = false
  }
  client.on('notification', () => {
    void look().catch(() => {
      looking = false
    })
  })
  await client.query('LISTEN dexfeed')
}
