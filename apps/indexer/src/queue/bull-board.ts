import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { ExpressAdapter } from '@bull-board/express'
import express from 'express'

const LOOPBACK = '127.0.0.1'

type Queue = ConstructorParameters<typeof BullMQAdapter>[0]

export interface BullBoard {
  port: number
  add(queue: Queue): void
  close(): Promise<void>
}

/** Serves a read-only view of the queues, on loopback only because it has no users. Port 0: any free port. */
export async function serveBullBoard(port: number): Promise<BullBoard> {
  const serverAdapter = new ExpressAdapter()
  const board = createBullBoard({ queues: [], serverAdapter })
  const app = express().disable('x-powered-by')
  // Protects against a foreign web page that uses a name pointing to this machine (DNS rebinding).
  app.use((request, response, next) => {
    if (['127.0.0.1', 'localhost'].includes(request.hostname)) next()
    else response.status(403).end()
  })
  app.use(serverAdapter.getRouter())
  const server = createServer(app)
  await Promise.race([
    once(server.listen(port, LOOPBACK), 'listening'),
    once(server, 'error').then(([cause]) => {
      throw new Error(`BULL_BOARD_PORT: cannot listen on ${LOOPBACK}:${port}`, { cause })
    }),
  ])
  return {
    port: (server.address() as AddressInfo).port,
    add: (queue) => board.addQueue(new BullMQAdapter(queue, { readOnlyMode: true })),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
