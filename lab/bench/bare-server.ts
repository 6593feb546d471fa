// The baseline of the API benchmarks: plain Express that sends a file, or what its parent process has set.
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import type { AddressInfo } from 'node:net'
import express from 'express'
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
app.get('/{*path}', (request, response) => {
  const found = responses.get(request.originalUrl)
  if (found === undefined) return void response.status(404).end()
  response.set(found.headers).end(found.body)
})

const functions = {
  async listen(): Promise<string> {
    const server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  },
  setResponse(response: BareResponse): void {
    responses.set(response.path, response)
  },
  /** Sets the file of `/list.json`. For `/list.json.gz`, `.gz` is appended. */
  setFile(path: string): void {
    file = path
  },
}
export type BareFunctions = typeof functions

serveParent(functions)
process.on('disconnect', () => process.exit())
