import { openIndexerStore } from '@dexfeed/store'
import { testDatabase } from '@dexfeed/test-setup'
import { openTcpProxy } from '@dexfeed/test-setup/tcp-proxy'
import { expect, test } from 'vitest'
import { open } from '../rows/sample.ts'

/** The message ReadyForQuery (idle), after which a connection is established. */
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

async function openThroughProxy() {
  const proxy = await openTcpProxy(await testDatabase())
  return { proxy, store: openIndexerStore(await open(proxy.url), 'eth') }
}

// An error event without a listener would end the process, and this test with it.
test('a connection that dies as soon as it is made is a retryable error, not the end of the process', async () => {
  const { proxy, store } = await openThroughProxy()
  proxy.onAnswer = (answer) => (answer.includes(READY) ? Buffer.concat([answer, FATAL]) : null)
  for (let attempt = 0; attempt < 3; attempt++) {
    await expect(store.loadPools()).rejects.toMatchObject({ retryable: true })
    const commit = store.commitPoolStates({ epoch: 0, headHash: '0x', states: [], ticks: [] })
    await expect(commit).rejects.toMatchObject({ retryable: true })
  }
  await proxy.restore()
  expect(await store.loadPools()).toEqual([])
})

test('an unreachable database is a retryable error, whichever proxy Prisma is called', async () => {
  const { proxy, store } = await openThroughProxy()
  await store.networkRow()
  await proxy.cut()
  // The first calls use a connection that breaks, the second ones get no connection.
  for (let attempt = 0; attempt < 2; attempt++) {
    const calls = [store.networkRow(), store.reorgableBlocks(), store.dropPoolStates(0), store.noteFinal(0, 1)]
    for (const call of await Promise.allSettled(calls)) {
      expect(call).toMatchObject({ status: 'rejected', reason: { name: 'StoreError', retryable: true } })
    }
  }
})
