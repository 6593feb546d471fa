import WebSocket from 'ws'

/** One question over a WebSocket of its own; rejects with a plain Error when no answer came in time. */
export async function askSocket(url: string, method: string, timeoutMs: number): Promise<unknown> {
  const socket = new WebSocket(url, { handshakeTimeout: timeoutMs, followRedirects: false, perMessageDeflate: false })
  const timer = setTimeout(() => socket.terminate(), timeoutMs)
  try {
    return await new Promise<unknown>((resolve, reject) => {
      let reason = new Error('closed without an answer')
      socket.on('error', (error) => {
        reason = error
      })
      socket.on('close', () => reject(reason))
      socket.on('open', () => socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })))
      socket.on('message', (data) => {
        try {
          const answer: unknown = JSON.parse(String(data))
          if (typeof answer === 'object' && answer !== null && 'result' in answer) resolve(answer.result)
        } catch {
          reason = new Error('an answer that is not JSON')
          socket.terminate()
        }
      })
    })
  } finally {
    clearTimeout(timer)
    socket.terminate()
  }
}
