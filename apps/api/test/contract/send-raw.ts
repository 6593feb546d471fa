import { type Agent, request } from 'node:http'

export interface RawRequest {
  url: string
  path: string
  method: string
  agent: Agent
  body?: string | undefined
}

export interface RawReply {
  status: number
  type: string
  text: string
}

/** Sends a request with exactly this target. A stream ends with its first event. */
export function sendRaw(sent: RawRequest): Promise<RawReply> {
  const { path, method, agent, body } = sent
  const { hostname, port } = new URL(sent.url)
  const headers = body === undefined ? {} : { 'Content-Type': 'application/json' }
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, path, method, agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      const type = response.headers['content-type'] ?? ''
      response.on('data', (chunk) => {
        text += chunk
        if (!type.startsWith('text/event-stream') || !/\ndata: .*\n\n/.test(text)) return
        response.destroy()
        resolve({ status: 200, type, text })
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, type, text }))
      response.on('error', reject)
    })
    outgoing.on('error', (error) => {
      // The server closed the idle connection just as it was reused.
      if (outgoing.reusedSocket && 'code' in error && error.code === 'ECONNRESET') resolve(sendRaw(sent))
      else reject(error)
    })
    outgoing.end(body)
  })
}
