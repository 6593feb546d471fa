// The baselines of the API benchmarks: Express that sends a file, what its parent process has set, or the result of one
// statement, with the middleware that a careful engineer would add.
import { once, setMaxListeners } from 'node:events'
import { createReadStream } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import compression from 'compression'
import express from 'express'
import { rateLimit } from 'express-rate-limit'
import helmet from 'helmet'
import { Pool } from 'pg'
import { pino } from 'pino'
import { request } from 'undici'
import { serveParent } from './remote.ts'

export interface BareResponse {
  path: string
  body: string
  headers: Record<string, string>
}

const responses = new Map<string, BareResponse>()
let file = ''
const app = express()
app.disable('x-powered-by')
app.disable('etag')
app.get('/list.json', (_request, response) => response.sendFile(file))
app.get('/list.json.gz', (_request, response) => {
  response.set({ 'Content-Type': 'application/json; charset=utf-8', 'Content-Encoding': 'gzip' })
  createReadStream(`${file}.gz`).pipe(response)
})
const log = pino(pino.destination({ dest: '/dev/null', sync: false }))
app.use(helmet(), rateLimit({ windowMs: 1_000, limit: 1_000_000, standardHeaders: 'draft-8' }))
app.use((request, response, next) => {
  const { method, url } = request
  response.on('finish', () => log.info({ method, url, status: response.statusCode }, 'request completed'))
  next()
})
app.use(compression({ level: 1 }))

let pool: Pool | undefined
const SWAPS = `
  SELECT swap.block_number, swap.transaction_index, swap.position, swap.block_time, encode(swap.tx_hash, 'hex') AS tx_hash,
    encode(swap.trader, 'hex') AS trader, sell_amount::text, buy_amount::text, volume_usd::text, flags,
    json_build_object('address', encode(sold.address, 'hex'), 'symbol', sold.symbol, 'name', sold.name) AS sell_token,
    json_build_object('address', encode(bought.address, 'hex'), 'symbol', bought.symbol, 'name', bought.name) AS buy_token,
    (SELECT json_agg(json_build_object('log', hop.log_index, 'pool', encode(pool.address, 'hex'), 'dex', pool.dex,
        'in', hop.amount_in::text, 'out', hop.amount_out::text, 'usd', hop.volume_usd::text) ORDER BY hop.log_index)
      FROM swap_hop AS hop LEFT JOIN pool ON pool.chain_id = hop.chain_id
        AND ('x' || right(encode(pool.address, 'hex'), 16))::bit(64)::bigint = hop.pool_key
      WHERE hop.chain_id = swap.chain_id AND hop.block_number = swap.block_number
        AND hop.transaction_index = swap.transaction_index AND hop.block_time = swap.block_time) AS hops
  FROM (
    SELECT * FROM swap WHERE chain_id = $1 AND volume_usd >= $2
    ORDER BY block_number DESC, transaction_index DESC, position DESC LIMIT $3
  ) AS swap
  LEFT JOIN token AS sold ON sold.chain_id = swap.chain_id AND sold.address = swap.sell_token
  LEFT JOIN token AS bought ON bought.chain_id = swap.chain_id AND bought.address = swap.buy_token`
app.get('/floor/swaps', async ({ query }, response) => {
  const { chain_id, min_usd, limit } = query
  const values = [chain_id, min_usd, limit]
  if (pool === undefined) throw new Error('no database is set')
  const { rows } = await pool.query({ name: 'swaps', text: SWAPS, values })
  response.json({ data: rows })
})
app.get('/{*path}', (request, response) => {
  const found = responses.get(request.originalUrl)
  if (found === undefined) return void response.status(404).end()
  response.set(found.headers).end(found.body)
})

const reading = new AbortController()

async function readSlowly(url: string, bytesPerS: number): Promise<void> {
  const { signal } = reading
  try {
    const { body } = await request(url, { signal, bodyTimeout: 0 })
    for await (const chunk of body) await delay((1_000 * chunk.length) / bytesPerS, undefined, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

const functions = {
  async listen(): Promise<string> {
    const server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  },
  setResponse(response: BareResponse): void {
    responses.set(response.path, response)
  },
  setDatabase(connectionString: string): void {
    pool = new Pool({ connectionString, max: 12 })
  },
  setFile(path: string): void {
    file = path
  },
  /** Reads over many connections until `stopReading`, each at a limited speed. */
  readSlowly({ url, connections, bytesPerS }: { url: string; connections: number; bytesPerS: number }): void {
    setMaxListeners(2 * connections, reading.signal)
    for (let n = 0; n < connections; n++) void readSlowly(url, bytesPerS)
  },
  stopReading(): void {
    reading.abort()
  },
}
export type BareFunctions = typeof functions

serveParent(functions)
process.on('disconnect', () => process.exit())
