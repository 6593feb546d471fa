// A separate process: plain Express, which responds to each path with the bytes and headers that its parent gives. It is
// the floor of the measurement.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { serveParent } from '../remote.ts'

export interface BareResponse {
  /** With its query. */
  path: string
  body: string
  headers: Record<string, string>
}

const responses = new Map<string, BareResponse>()
const app = express()
app.disable('x-powered-by')
app.disable('etag')
app.get('/{*path}', (request, response) => {
  const found = responses.get(request.originalUrl)
  if (found === undefined) return void response.status(404).end()
  response.set(found.headers).end(found.body)
})

const functions = {
  /** Starts it, and returns its URL. */
  async listen(): Promise<string> {
    const server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  },
  setResponses(list: readonly BareResponse[]): void {
    for (const response of list) responses.set(response.path, response)
  },
}
export type BareFunctions = typeof functions

serveParent(functions)
process.on('disconnect', () => process.exit())
