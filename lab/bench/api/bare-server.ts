// A process of its own: Express without anything in front, that answers each path with the bytes and headers that it is
// told. The floor of what is measured.
import type { AddressInfo } from 'node:net'
import express from 'express'
import type { BareAnswer, BareMessage } from './bare-messages.ts'

const answers = new Map<string, { body: string; headers: Record<string, string> }>()
const app = express()
app.disable('x-powered-by')
app.disable('etag')
app.get('/{*path}', (request, response) => {
  const answer = answers.get(request.originalUrl)
  if (answer === undefined) return void response.status(404).end()
  response.set(answer.headers).end(answer.body)
})
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  tell({ kind: 'listening', url: `http://127.0.0.1:${port}` })
})
process.on('message', (list: readonly BareAnswer[]) => {
  for (const { path, body, headers } of list) answers.set(path, { body, headers })
  tell({ kind: 'told' })
})
process.on('disconnect', () => process.exit())

function tell(message: BareMessage): void {
  process.send?.(message)
}
