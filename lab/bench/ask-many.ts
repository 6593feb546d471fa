import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** What a server answered in a while. */
export interface Load {
  answers: number
  /** Of another status than 200. */
  failures: number
  seconds: number
  p50Ms: number
  p99Ms: number
}

const HEAD_END = Buffer.from('\r\n\r\n')
const OK = 'HTTP/1.1 200'

/**
 * Asks a server over so many connections, each for the next path in turn as soon as it has its answer, for a while.
 * Before that each has had an answer: how soon a server takes in many connections at once is not what is measured.
 * Plain sockets, since whoever asks shares the machine with the server: answers must have a Content-Length.
 *
 * @param signal ends it early
 * @throws where the server ends a connection that it has not announced the end of
 */
export async function askMany(
  url: string,
  { paths, connections, ms }: { paths: readonly string[]; connections: number; ms: number },
  signal: AbortSignal,
): Promise<Load> {
  const { hostname, port } = new URL(url)
  const requests = paths.map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`))
  let asked = 0
  const nextRequest = () => requests[asked++ % requests.length] as Buffer
  const opened = await Promise.all(Array.from({ length: connections }, () => openConnection(hostname, Number(port))))
  try {
    await Promise.all(opened.map((connection) => connection.ask(nextRequest())))
    const times: number[] = []
    let failures = 0
    const started = performance.now()
    const askOn = async (connection: Connection, at: number) => {
      for (let now = started; now < started + ms && !signal.aborted; ) {
        const { isOk, isLast } = await connection.ask(nextRequest())
        if (!isOk) failures++
        const answered = performance.now()
        times.push(answered - now)
        now = answered
        if (!isLast) continue
        connection = await openConnection(hostname, Number(port))
        opened[at] = connection
        now = performance.now()
      }
    }
    await Promise.all(opened.map(askOn))
    signal.throwIfAborted()
    const seconds = (performance.now() - started) / 1_000
    times.sort((a, b) => a - b)
    const quantile = (share: number) =>
      times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? Number.NaN
    return { answers: times.length, failures, seconds, p50Ms: quantile(0.5), p99Ms: quantile(0.99) }
  } finally {
    for (const { end } of opened) end()
  }
}

interface Answer {
  /** Of status 200. */
  isOk: boolean
  /** The server takes no further request on the connection. */
  isLast: boolean
}

interface Connection {
  /** Sends a request; how the answer is, once it is there whole. */
  ask(request: Buffer): Promise<Answer>
  end(): void
}

async function openConnection(host: string, port: number): Promise<Connection> {
  const socket = connect(port, host)
  let waiting: { resolve(answer: Answer): void; reject(error: Error): void } | null = null
  const failWith = (error: Error) => waiting?.reject(error)
  const answerWith = (answer: Answer) => waiting?.resolve(answer)
  await once(socket, 'connect')
  socket.setNoDelay(true)
  socket.on('error', failWith)
  socket.on('close', () => failWith(new Error('the server ended a connection')))
  readAnswers(socket, answerWith)
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        socket.write(request)
      }),
    end: () => socket.destroy(),
  }
}

/** Calls back when an answer is there whole. */
function readAnswers(socket: Socket, onAnswer: (answer: Answer) => void): void {
  let pending: Buffer | null = null
  let wanted = 0
  let isLast = false
  socket.on('data', (data: Buffer) => {
    pending = pending === null ? data : Buffer.concat([pending, data])
    if (wanted === 0) {
      const end = pending.indexOf(HEAD_END)
      if (end < 0) return
      const head = pending.toString('latin1', 0, end)
      wanted = end + HEAD_END.length + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN)
      isLast = /\r\nconnection: close/i.test(head)
      if (Number.isNaN(wanted)) return void socket.destroy(new Error(`an answer without length: ${head}`))
    }
    if (pending.length < wanted) return
    const isOk = pending.toString('latin1', 0, OK.length) === OK
    ;[pending, wanted] = [null, 0]
    onAnswer({ isOk, isLast })
  })
}
