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
 * Plain sockets, since whoever asks shares the machine with the server: answers must have a Content-Length.
 *
 * @param signal ends it early
 */
export async function askMany(
  url: string,
  { paths, connections, ms }: { paths: readonly string[]; connections: number; ms: number },
  signal: AbortSignal,
): Promise<Load> {
  const { hostname, port } = new URL(url)
  const requests = paths.map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`))
  const times: number[] = []
  let failures = 0
  let next = 0
  const started = performance.now()
  const until = started + ms
  const ask = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname)
      let asked = 0
      const send = () => {
        if (signal.aborted || performance.now() >= until) return void socket.end()
        asked = performance.now()
        socket.write(requests[next++ % requests.length] as Buffer)
      }
      readAnswers(socket, (isOk) => {
        times.push(performance.now() - asked)
        if (!isOk) failures++
        send()
      })
      socket.setNoDelay(true)
      socket.on('connect', send)
      socket.on('error', reject)
      socket.on('close', () => resolve())
    })
  await Promise.all(Array.from({ length: connections }, ask))
  signal.throwIfAborted()
  const seconds = (performance.now() - started) / 1_000
  times.sort((a, b) => a - b)
  const quantile = (share: number) => times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? Number.NaN
  return { answers: times.length, failures, seconds, p50Ms: quantile(0.5), p99Ms: quantile(0.99) }
}

/** Calls back when an answer is there whole. */
function readAnswers(socket: Socket, onAnswer: (isOk: boolean) => void): void {
  let pending: Buffer | null = null
  let wanted = 0
  socket.on('data', (data: Buffer) => {
    pending = pending === null ? data : Buffer.concat([pending, data])
    if (wanted === 0) {
      const end = pending.indexOf(HEAD_END)
      if (end < 0) return
      const head = pending.toString('latin1', 0, end)
      wanted = end + HEAD_END.length + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN)
      if (Number.isNaN(wanted)) return void socket.destroy(new Error(`an answer without length: ${head}`))
    }
    if (pending.length < wanted) return
    const isOk = pending.toString('latin1', 0, OK.length) === OK
    ;[pending, wanted] = [null, 0]
    onAnswer(isOk)
  })
}
