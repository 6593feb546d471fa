import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface Load {
  responses: number
  /** Of another status than 200. */
  failures: number
  seconds: number
  p50Ms: number
  p99Ms: number
}

const HEAD_END = Buffer.from('\r\n\r\n')
const OK = 'HTTP/1.1 200'

/**
 * Sends requests to a server over many connections for some time. Each connection requests the next path as soon as it
 * has its response. The first response of each does not count: accepting connections is not measured. Plain sockets
 * save CPU time, which the server needs on the same machine; responses must have a Content-Length.
 *
 * @param signal ends it early
 * @throws if the server closes a connection without announcing it
 */
export async function loadServer(
  url: string,
  { paths, connections, ms }: { paths: readonly string[]; connections: number; ms: number },
  signal: AbortSignal,
): Promise<Load> {
  const { hostname, port } = new URL(url)
  const requests = paths.map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`))
  let sent = 0
  const nextRequest = () => requests[sent++ % requests.length] as Buffer
  const opened = await Promise.all(Array.from({ length: connections }, () => openConnection(hostname, Number(port))))
  try {
    await Promise.all(opened.map((connection) => connection.request(nextRequest())))
    const times: number[] = []
    let failures = 0
    const started = performance.now()
    const run = async (connection: Connection, at: number) => {
      for (let now = started; now < started + ms && !signal.aborted; ) {
        const { isOk, isLast } = await connection.request(nextRequest())
        if (!isOk) failures++
        const finished = performance.now()
        times.push(finished - now)
        now = finished
        if (!isLast) continue
        connection = await openConnection(hostname, Number(port))
        opened[at] = connection
        now = performance.now()
      }
    }
    await Promise.all(opened.map(run))
    signal.throwIfAborted()
    const seconds = (performance.now() - started) / 1_000
    times.sort((a, b) => a - b)
    const quantile = (share: number) =>
      times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? Number.NaN
    return { responses: times.length, failures, seconds, p50Ms: quantile(0.5), p99Ms: quantile(0.99) }
  } finally {
    for (const { end } of opened) end()
  }
}

interface Response {
  /** Of status 200. */
  isOk: boolean
  /** Whether the server closes the connection after it. */
  isLast: boolean
}

interface Connection {
  /** Sends a request. Resolves when the response is complete. */
  request(request: Buffer): Promise<Response>
  end(): void
}

async function openConnection(host: string, port: number): Promise<Connection> {
  const socket = connect(port, host)
  let waiting: { resolve(response: Response): void; reject(error: Error): void } | null = null
  const failWith = (error: Error) => waiting?.reject(error)
  const respondWith = (response: Response) => waiting?.resolve(response)
  await once(socket, 'connect')
  socket.setNoDelay(true)
  socket.on('error', failWith)
  socket.on('close', () => failWith(new Error('the server ended a connection')))
  readResponses(socket, respondWith)
  return {
    request: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        socket.write(request)
      }),
    end: () => socket.destroy(),
  }
}

function readResponses(socket: Socket, onResponse: (response: Response) => void): void {
  let pending: Buffer | null = null
  let length = 0
  let isLast = false
  socket.on('data', (data: Buffer) => {
    pending = pending === null ? data : Buffer.concat([pending, data])
    if (length === 0) {
      const end = pending.indexOf(HEAD_END)
      if (end < 0) return
      const head = pending.toString('latin1', 0, end)
      length = end + HEAD_END.length + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN)
      isLast = /\r\nconnection: close/i.test(head)
      if (Number.isNaN(length)) return void socket.destroy(new Error(`a response without Content-Length: ${head}`))
    }
    if (pending.length < length) return
    const isOk = pending.toString('latin1', 0, OK.length) === OK
    ;[pending, length] = [null, 0]
    onResponse({ isOk, isLast })
  })
}
