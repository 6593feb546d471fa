import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { openIndexerStore } from '@dexfeed/store'
import { testDatabase } from '@dexfeed/test-setup'
import { expect, onTestFinished, test } from 'vitest'
import { open } from '../rows/sample.ts'

/** ReadyForQuery, idle: the connection is established. */
const READY = Buffer.from('Z\0\0\0\x05I', 'latin1')
const FATAL = fatal('57P01', 'terminating connection due to administrator command')

/** The message with which Postgres ends a connection. */
function fatal(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

/** A proxy to the server on which connections end as soon as they are established. */
async function deadlyProxy(port: number): Promise<{ port: number; deadly: boolean; close: () => Promise<void> }> {
  const open = new Set<Socket>()
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of open) socket.destroy()
    })
  const proxy = { port: 0, deadly: false, close }
  const server = createServer((incoming) => {
    const outgoing = connect(port, '127.0.0.1')
    for (const socket of [incoming, outgoing]) {
      open.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => open.delete(socket))
    }
    incoming.on('data', (sent) => outgoing.write(sent))
    incoming.on('close', () => outgoing.destroy())
    outgoing.on('close', () => incoming.destroy())
    outgoing.on('data', (reply) => {
      if (!proxy.deadly || !reply.includes(READY)) incoming.write(reply)
      else incoming.end(Buffer.concat([reply, FATAL]))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(close)
  proxy.port = (server.address() as AddressInfo).port
  return proxy
}

/** Opens a database through such a proxy. */
async function openThroughProxy() {
  const url = new URL(await testDatabase())
  const proxy = await deadlyProxy(Number(url.port))
  url.port = String(proxy.port)
  const database = await open(url.href)
  return { proxy, database }
}

// An error event without a listener would end the process, and so this test.
test('a connection that dies as soon as it is made is a retryable error, not the end of the process', async () => {
  const { proxy, database } = await openThroughProxy()
  const store = openIndexerStore(database, 'eth')
  proxy.deadly = true
  for (let attempt = 0; attempt < 3; attempt++) {
    await expect(store.loadPools()).rejects.toMatchObject({ retryable: true })
    await expect(store.commitPoolStates({ epoch: 0, headHash: '0x', states: [], ticks: [] })).rejects.toMatchObject({
      retryable: true,
    })
  }
  proxy.deadly = false
  expect(await store.loadPools()).toEqual([])
})

test('an unreachable database is a retryable error, whichever proxy Prisma is called', async () => {
  const { proxy, database } = await openThroughProxy()
  const store = openIndexerStore(database, 'eth')
  await store.networkRow()
  await proxy.close()
  // Twice: over a connection that breaks, and when no connection can be acquired.
  for (let attempt = 0; attempt < 2; attempt++) {
    const calls = [store.networkRow(), store.reorgableBlocks(), store.dropPoolStates(0), store.noteFinal(0, 1)]
    const reasons = (await Promise.allSettled(calls)).map((promiseSettledResult) =>
      promiseSettledResult.status === 'rejected' ? promiseSettledResult.reason : null,
    )
    for (const reason of reasons) expect(reason).toMatchObject({ name: 'StoreError', retryable: true })
  }
})
