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

/** Serves a read-only view, on loopback because it has no login. */
export async function serveBullBoard(port: number): Promise<BullBoard> {
  const serverAdapter = new ExpressAdapter()
  const board = createBullBoard({ queues: [], serverAdapter })
  const app = express().disable('x-powered-by')
  // Prevents DNS rebinding: a foreign page's name may point to this machine.
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
