import { connect } from 'node:net'

export interface RawReply {
  status: number
  /** Length of the raw body, chunk sizes included. */
  bytes: number
  /** Until the first byte of the body, and until the last. */
  firstByteMs: number
  totalMs: number
}

export interface RawRequest {
  path: string
  headers?: Readonly<Record<string, string>>
  /** Maximum of bytes per second that are read; null: no limit. */
  bytesPerS?: number | null
  signal?: AbortSignal
}

/** Reads a response with little work, so that the server is measured. Closes the connection. */
export function readRaw(origin: URL, request: RawRequest): Promise<RawReply> {
  const { path, headers = {}, bytesPerS = null, signal } = request
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(origin.port), host: origin.hostname, signal })
    let [head, bytes, status, firstByteMs] = ['', 0, 0, 0]
    const lines = Object.entries({ Host: origin.host, Connection: 'close', ...headers }).map(([k, v]) => `${k}: ${v}`)
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
    socket.on('data', (chunk) => {
      if (status === 0) {
        head += chunk.toString('latin1')
        const end = head.indexOf('\r\n\r\n')
        if (end < 0) return
        status = Number(head.slice(9, 12))
        bytes = head.length - end - 4
      } else bytes += chunk.length
      if (bytes > 0 && firstByteMs === 0) firstByteMs = performance.now() - startedAt
      if (bytesPerS === null) return
      socket.pause()
      setTimeout(() => socket.resume(), (1_000 * chunk.length) / bytesPerS)
    })
    socket.on('end', () => resolve({ status, bytes, firstByteMs, totalMs: performance.now() - startedAt }))
    socket.on('error', reject)
  })
}
