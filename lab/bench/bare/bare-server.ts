// A separate process: plain Express, which responds to each path with the bytes and headers that its parent sends. It
// is the floor of the measurement.
import type { AddressInfo } from 'node:net'
import express from 'express'
import type { BareMessage, BareResponse } from './bare-messages.ts'

const responses = new Map<string, { body: string; headers: Record<string, string> }>()
const app = express()
app.disable('x-powered-by')
app.disable('etag')
app.get('/{*path}', (request, response) => {
  const found = responses.get(request.originalUrl)
  if (found === undefined) return void response.status(404).end()
  response.set(found.headers).end(found.body)
})
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  send({ kind: 'listening', url: `http://127.0.0.1:${port}` })
})
process.on('message', (list: readonly BareResponse[]) => {
  for (const { path, body, headers } of list) responses.set(path, { body, headers })
  send({ kind: 'ready' })
})
process.on('disconnect', () => process.exit())

function send(message: BareMessage): void {
  process.send?.(message)
}
