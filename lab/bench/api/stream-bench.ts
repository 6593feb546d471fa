import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Shutdown } from '@dexfeed/service'
import type { Client } from 'pg'
import { type BenchDatabase, withClient } from '../bench-database.ts'
import type { BenchResult } from '../bench-result.ts'
import { fillDay } from '../fill-trades.ts'
import { quantilesOf } from '../load.ts'
import { cpuOf, ownMemoryMb } from '../process-usage.ts'
import { startApi, stopProgram, untilServed } from '../programs.ts'

const LISTENERS = 1_000
const PER_CLIENT = 50
const ROWS = 20_000
const CHAIN_ID = 56
const COMMITS = 60
const WARM_UP = 5
/** BNB Chain's block time. */
const GAP_MS = 450
const TRADES = 40
const WAIT_MS = 30_000

export async function benchStream(database: BenchDatabase, shutdown: Shutdown): Promise<BenchResult> {
  const databaseUrl = await database.create('stream', { migrated: true })
  await fillDay(databaseUrl, ROWS, Math.floor(Date.now() / 1000), shutdown)
  const { child, url } = await startApi(databaseUrl, shutdown)
  const pid = child.pid ?? 0
  await untilServed(`${url}/api/swaps_24h?limit=1`, child, shutdown.signal)
  const listeners = new Listeners()
  await listeners.open(url, 1)
  const restMb = ownMemoryMb(pid)
  await listeners.open(url, LISTENERS - 1)
  const delays: number[] = []
  let cpu = cpuOf(pid)
  await withClient(databaseUrl, shutdown, async (client) => {
    for (let round = 0; round < WARM_UP + COMMITS; round++) {
      if (round === WARM_UP) cpu = cpuOf(pid)
      const delayMs = await commitBlock(client, listeners)
      if (round >= WARM_UP) delays.push(delayMs)
      await delay(Math.max(0, GAP_MS - delayMs), undefined, { signal: shutdown.signal })
    }
  })
  const cpuMs = ((cpuOf(pid) - cpu) * 1000) / COMMITS
  const growthMb = ownMemoryMb(pid) - restMb
  listeners.close()
  await stopProgram(child)
  const { p50Ms, p99Ms } = quantilesOf(delays)
  return {
    figures: {
      stream_listeners: LISTENERS,
      stream_delay_p50_ms: Math.round(p50Ms),
      stream_delay_p99_ms: Math.round(p99Ms),
      stream_cpu_ms_per_commit: Math.round(cpuMs),
      stream_rss_growth_mb: Math.round(growthMb),
    },
  }
}

async function commitBlock(client: Client, listeners: Listeners): Promise<number> {
  await client.query('BEGIN')
  const { rows } = await client.query<{ number: string }>(
    `UPDATE network SET head_number = head_number + 1, head_hash = sha256(int8send(head_number)),
       head_time = head_time + interval '450 ms', final_number = final_number + 1
     WHERE chain_id = $1 RETURNING head_number AS number`,
    [CHAIN_ID],
  )
  const number = rows[0]?.number ?? ''
  await client.query(
    `INSERT INTO swap (chain_id, block_number, transaction_index, position, block_time, tx_hash, trader, sell_token,
       sell_native, sell_amount, buy_token, buy_native, buy_amount, volume_usd, usd_source, flags)
     SELECT chain_id, $2::bigint, i, 0, block_time, sha256(int8send(i + $2::bigint)), trader, sell_token, sell_native, sell_amount,
       buy_token, buy_native, buy_amount, volume_usd, usd_source, flags
     FROM (SELECT *, row_number() OVER () AS i FROM
       (SELECT * FROM swap WHERE chain_id = $1 ORDER BY block_number DESC LIMIT $3) AS last) AS again`,
    [CHAIN_ID, number, TRADES],
  )
  await client.query(`SELECT pg_notify('dexfeed', 'bsc')`)
  const received = listeners.receive(number)
  await client.query('COMMIT')
  const committed = performance.now()
  return Math.max(0, (await received) - committed)
}

class Listeners {
  readonly #responses: IncomingMessage[] = []
  #awaited = ''
  #missing = 0
  #done: (at: number) => void = () => undefined

  async open(url: string, count: number): Promise<void> {
    const first = this.#responses.length
    for (let done = 0; done < count; done += PER_CLIENT) {
      const batch = Array.from({ length: Math.min(PER_CLIENT, count - done) }, async (_, i) => {
        const localAddress = `127.0.0.${2 + Math.floor((first + done + i) / PER_CLIENT)}`
        const opened = once(get(`${url}/v1/stream`, { agent: false, localAddress }), 'response')
        const [response] = (await opened) as [IncomingMessage]
        if (response.statusCode !== 200) throw new Error(`the stream returned ${response.statusCode}`)
        this.#responses.push(response)
        this.#listen(response)
      })
      await Promise.all(batch)
    }
  }

  async receive(block: string): Promise<number> {
    this.#awaited = `event: head\ndata: {"network":"bsc","block_number":"${block}"`
    this.#missing = this.#responses.length
    const heard = new Promise<number>((resolve) => {
      this.#done = resolve
    })
    const late = delay(WAIT_MS, null, { ref: false })
    const at = await Promise.race([heard, late])
    if (at === null) throw new Error(`${this.#missing} listeners did not hear of block ${block}`)
    return at
  }

  close(): void {
    for (const response of this.#responses) response.destroy()
  }

  #listen(response: IncomingMessage): void {
    let rest = ''
    response.on('error', () => undefined)
    response.setEncoding('latin1').on('data', (chunk: string) => {
      const text = rest + chunk
      const end = text.lastIndexOf('\n\n')
      rest = end === -1 ? text : text.slice(end + 2)
      if (!text.includes(this.#awaited)) return
      this.#missing--
      if (this.#missing === 0) this.#done(performance.now())
    })
  }
}
