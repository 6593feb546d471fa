import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { isServed } from '../connections.ts'
import { type Draw, damaged, drawBy, madeRequest } from './made-requests.ts'
import { readReplies } from './read-replies.ts'

export interface FuzzOptions {
  url: string
  /** Printed with each fault; the same seed repeats the connections. */
  seed: number
  connections: number
  paths: readonly [string, ...string[]]
  witness: string
}

const AT_A_TIME = 32
/** A client leaves after `quietMs` without data, or after `wholeMs`, because a stream never stops sending. */
const PATIENCE = { quietMs: 100, wholeMs: 1_000 }
const CLIENTS = 200

/**
 * Sends generated requests, intact or damaged, in pieces, with half-closes and resets, while other clients must be
 * served.
 *
 * @returns the faults found
 */
export async function fuzzHttp({ url, seed, connections, paths, witness }: FuzzOptions): Promise<string[]> {
  const faults: string[] = []
  const onUncaught = (error: Error) => void faults.push(`uncaught ${error.stack}`)
  process.on('uncaughtException', onUncaught)
  let next = 0
  const work = async () => {
    for (let n = next++; n < connections; n = next++) {
      const fault = await oneConnection(url, drawBy(seed * 1_000_003 + n), paths)
      if (fault !== null) faults.push(`connection ${n} of seed ${seed}: ${fault}`)
      if (n % AT_A_TIME === 0 && !(await isServed(url + witness, `127.0.10.${1 + ((n / AT_A_TIME) % CLIENTS)}`))) {
        faults.push(`another client is not served after connection ${n} of seed ${seed}`)
      }
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, work))
  process.off('uncaughtException', onUncaught)
  return faults
}

export async function arePlacesFree({ url, witness }: Pick<FuzzOptions, 'url' | 'witness'>, places: number) {
  const { hostname, port } = new URL(url)
  const sockets = Array.from({ length: places }, (_, n) => {
    const socket = connect({ host: hostname, port: Number(port), localAddress: `127.0.9.${2 + (n % 2)}` })
    socket.on('error', () => undefined).write(`GET ${witness} HTTP/1.1\r\nHost: a\r\n\r\n`)
    return socket
  })
  const isServed = (socket: Socket) =>
    new Promise<boolean>((resolve) => socket.once('data', () => resolve(true)).once('close', () => resolve(false)))
  const served = await Promise.all(sockets.map(isServed))
  const areOpen = sockets.every((socket) => socket.readable)
  for (const socket of sockets) socket.destroy()
  return areOpen && served.every((isOne) => isOne)
}

async function oneConnection(url: string, draw: Draw, paths: FuzzOptions['paths']): Promise<string | null> {
  const requests = Array.from({ length: 1 + draw.below(4) }, () => madeRequest(draw, paths))
  let bytes: Uint8Array = Buffer.from(requests.map(({ text }) => text).join(''), 'latin1')
  const isWhole = draw.chance(0.6)
  if (!isWhole) bytes = damaged(draw, bytes)
  const { hostname, port } = new URL(url)
  const localAddress = `127.0.8.${1 + draw.below(CLIENTS)}`
  const socket = connect({ host: hostname, port: Number(port), localAddress, allowHalfOpen: true })
  let reply = ''
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => undefined)
  if (draw.chance(0.9)) {
    socket.setEncoding('latin1').on('data', (data: string) => {
      reply += data
    })
  }
  await Promise.race([once(socket, 'connect').catch(() => undefined), closed])
  await send(socket, draw, bytes)
  const tail = draw.chance(0.3) ? 'more' : ''
  if (draw.chance(0.3)) socket.end(tail)
  if (draw.chance(0.3)) {
    await turns(draw.below(20))
    reset(socket)
  } else await leave(socket, closed)
  await closed
  const methods = requests.map(({ method }) => method)
  const { statuses, fault } = readReplies(reply, methods)
  if (fault !== null) return isWhole ? fault : null
  // The server may also refuse the tail, once.
  const most = requests.length + (tail === '' ? 0 : 1)
  if (isWhole && statuses.length > most) return `${statuses.length} responses to ${requests.length} requests`
  return null
}

async function send(socket: Socket, draw: Draw, bytes: Uint8Array): Promise<void> {
  const parts = draw.chance(0.5) ? 1 : 1 + draw.below(6)
  for (let at = 0, n = 1; at < bytes.length && !socket.destroyed; n++) {
    const end = n >= parts ? bytes.length : at + 1 + draw.below(bytes.length - at)
    socket.write(bytes.subarray(at, end))
    at = end
    await turns(draw.below(4))
    if (n < parts && draw.chance(0.05)) reset(socket)
  }
}

/** `resetAndDestroy` neither resets nor closes a connection that is half closed. */
function reset(socket: Socket): void {
  if (socket.writable) socket.resetAndDestroy()
  else socket.destroy()
}

async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await turn()
}

async function leave(socket: Socket, closed: Promise<void>): Promise<void> {
  const end = () => socket.destroy()
  const timer = setTimeout(end, PATIENCE.wholeMs)
  socket.setTimeout(PATIENCE.quietMs, end).once('end', end)
  await closed
  clearTimeout(timer)
}
