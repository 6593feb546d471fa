import { hexNumber } from '@dexfeed/test-setup/seed'
import { expect, it, onTestFinished } from 'vitest'
import { follow, openFiguredWorld } from '../figures/figured-world.ts'
import { listenToEvents, type TestListener } from './listener.ts'

const DETAILS = {
  rule: 'behind',
  kind: 'behind',
  network: 'bsc',
  block_number: '401',
  block_hash: hexNumber(401, 64),
  time: '2026-11-21T12:00:00.000Z',
  token: null,
  pool: null,
  window: null,
  price_usd: null,
  change_percent: null,
  volume_usd: null,
  liquidity_usd: null,
  seconds_behind: 61,
  tx_hash: null,
}

it('alerts are sent once, in order, with a block or without one, to those who ask for them', async () => {
  const world = await openFiguredWorld()
  const { api } = world
  const insert = (number: number, status: string) =>
    api.owner.query(
      `INSERT INTO alert SELECT chain_id, $1, '\\xab', 'behind', '{}', $2, NULL, now(), $3, false, '{}', '{}'
       FROM network WHERE name = 'bsc'`,
      [number, status, JSON.stringify(DETAILS)],
    )
  const listen = async (query: string) => {
    const listener = await listenToEvents(api.api.url, { query })
    onTestFinished(() => listener.close())
    return listener
  }
  const alertsOf = ({ received }: TestListener) =>
    received.flatMap((each) => (each.event === 'alert' ? [each.data] : []))
  await follow(world, [401, 401], 1, null)
  await insert(1, 'fired')
  await api.committed()
  const all = await listen('events=alert')
  const others = await Promise.all([listen('network=bsc'), listen('events=price')])
  await insert(2, 'fired')
  await insert(3, 'cleared')
  await api.owner.query("SELECT pg_notify('dexfeed', 'bsc')")
  await expect.poll(() => alertsOf(all)).toEqual([{ ...DETAILS, id: '0xab', sequence: 2, status: 'fired' }])
  await insert(4, 'retracted')
  await follow(world, [402, 402], 1, null)
  await api.committed()
  await expect.poll(() => alertsOf(all).map(({ sequence }) => sequence)).toEqual([2, 4])
  await expect.poll(() => all.received.at(-1)).toMatchObject({ event: 'head', data: { block_number: '402' } })
  expect(others.flatMap(alertsOf)).toEqual([])
  // More than are read at once.
  const before = all.received.length
  await api.owner.query(
    `INSERT INTO alert SELECT chain_id, 4 + n, '\\xab', 'behind', '{}', 'fired', NULL, now(), $1, false, '{}', '{}'
     FROM network CROSS JOIN generate_series(1, 5001) AS n WHERE name = 'bsc'`,
    [JSON.stringify(DETAILS)],
  )
  await follow(world, [403, 403], 1, null)
  await api.committed()
  await expect.poll(() => all.received.slice(before).map(({ event }) => event)).toContain('reset')
  await insert(5006, 'fired')
  await follow(world, [404, 404], 1, null)
  await api.committed()
  await expect.poll(() => alertsOf(all).map(({ sequence }) => sequence)).toEqual([2, 4, 5006])
})
