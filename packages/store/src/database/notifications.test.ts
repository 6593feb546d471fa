import { closeAfter, testDatabase } from '@dexfeed/test-setup'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { listen } from './notifications.ts'

test('connections that end one after the other leave no listener, and the next one receives commits', async () => {
  const warnings: string[] = []
  const note = ({ name }: Error) => void warnings.push(name)
  process.on('warning', note)
  closeAfter(() => process.off('warning', note))
  const url = await testDatabase()
  let [connections, losses] = [0, 0]
  const received: (string | null)[] = []
  const connect = async () => {
    const client = new Client({ connectionString: url })
    await client.connect()
    connections++
    return client
  }
  const stop = listen(connect, {
    onCommit: (network) => void received.push(network),
    onLost: () => losses++,
  })
  closeAfter(stop)
  const owner = await connect()
  closeAfter(() => owner.end())
  for (let lost = 1; lost <= 12; lost++) {
    await expect.poll(() => received.filter((each) => each === null).length, { interval: 10 }).toBe(lost)
    await owner.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE 'LISTEN%'`,
    )
  }
  await expect.poll(() => received.filter((each) => each === null).length, { interval: 10 }).toBe(13)
  await owner.query(`SELECT pg_notify('dexfeed', 'eth')`)
  await expect.poll(() => received.at(-1)).toBe('eth')
  expect([connections, losses]).toEqual([14, 12])
  expect(warnings).toEqual([])
})
