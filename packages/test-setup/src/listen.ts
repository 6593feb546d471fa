import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { closeAfter } from './close-after.ts'

/** Serves an app on a free loopback port until the test has finished. Returns the port. */
export async function listen(app: RequestListener, server = createServer(app)): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  // A busy test does not lose its idle connections.
  server.keepAliveTimeout = 0
  closeAfter(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}
