import { NETWORK_NAMES, NETWORKS, type NetworkName } from '@dexfeed/dex'
import { claimNetworks, type Database, type NetworksClaim, openIndexerStore } from '@dexfeed/store'
import { closeAfter } from '@dexfeed/test-setup'
import { beforeEach, describe, expect, it } from 'vitest'
import { ADVISORY_LOCKS } from '../../src/database/locks.ts'
import { deployment, hash, MIDNIGHT, openTestDatabase } from '../rows/sample.ts'

let database: Database

beforeEach(async () => {
  database = await openTestDatabase(6)
})

const registration = { genesisHash: hash(0, 0x99), start: { number: 100, timestamp: MIDNIGHT } }

/** Starts a process with these networks, which ends with the test at the latest. */
async function start(...networks: NetworkName[]): Promise<NetworksClaim> {
  const claim = await claimNetworks(database, networks.map(deployment))
  const release = closeAfter(() => claim.release())
  return { ...claim, release }
}

async function indexed(): Promise<NetworkName[]> {
  const rows = await Promise.all(NETWORK_NAMES.map((name) => openIndexerStore(database, name).networkRow()))
  return rows.flatMap((row) => (row?.active ? [row.network] : []))
}

/** Counts the processes that claim a network, and evaluates `what` for their sessions. */
async function claims(network: NetworkName, what = 'pid'): Promise<number | null> {
  const found = await database.pool.query(
    `SELECT ${what} FROM pg_locks
     WHERE locktype = 'advisory' AND classid = $1::int::oid AND objid = $2::int::oid AND granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [ADVISORY_LOCKS.claim, NETWORKS[network].chainId],
  )
  return found.rowCount
}

/** Ends the only connection that claims a network. */
async function loseClaim(network: NetworkName): Promise<void> {
  expect(await claims(network, 'pg_terminate_backend(pid, 10000)')).toBe(1)
}

describe('a process that starts', () => {
  it('inserts a row for each of its networks, before its nodes have reported the start', async () => {
    const polygon = openIndexerStore(database, 'polygon')
    await polygon.register({ ...registration, deployment: deployment('polygon') })
    await start('polygon', 'eth')
    const eth = openIndexerStore(database, 'eth')
    expect(await eth.networkRow()).toMatchObject({ network: 'eth', active: true, start: null, head: null })
    expect(await polygon.networkRow()).toMatchObject({ active: true, start: registration.start })
    await eth.setDegraded('no endpoint responds', null)
    expect(await eth.networkRow()).toMatchObject({ degraded: 'no endpoint responds' })
    const started = await eth.register({ ...registration, deployment: deployment('eth') })
    expect(started).toMatchObject(registration)
  })

  it('deactivates what no process claims, and the next process that claims it activates it', async () => {
    const both = await start('eth', 'bsc')
    await both.release()
    expect(await indexed()).toEqual(['eth', 'bsc'])
    const eth = await start('eth')
    expect(await indexed()).toEqual(['eth'])
    await eth.release()
    await start('eth', 'bsc')
    expect(await indexed()).toEqual(['eth', 'bsc'])
  })

  //  one    eth  |-------------------------|
  //  other  bsc     |-----|   |------------|
  it('leaves active what another process claims, and each may start again', async () => {
    const eth = await start('eth')
    const bsc = await start('bsc')
    expect(await indexed()).toEqual(['eth', 'bsc'])
    await bsc.release()
    await eth.keep()
    expect(await indexed()).toEqual(['eth', 'bsc'])
    await start('bsc')
    expect(await indexed()).toEqual(['eth', 'bsc'])
  })

  it('leaves active what another process claims that starts at the same time', async () => {
    for (let round = 0; round < 20; round++) {
      const claims = await Promise.all(NETWORK_NAMES.map((network) => start(network)))
      expect(await indexed()).toEqual([...NETWORK_NAMES])
      await Promise.all(claims.map((claim) => claim.release()))
    }
  })
})

describe('a process that replaces another', () => {
  //  old  eth, bsc  |-------|
  //  new  eth          |---------
  it('deactivates what only its predecessor claimed, once that has ended', async () => {
    const old = await start('eth', 'bsc')
    const next = await start('eth')
    await next.keep()
    expect(await indexed()).toEqual(['eth', 'bsc'])
    await old.release()
    await next.keep()
    expect(await indexed()).toEqual(['eth'])
  })

  //  old  eth, bsc  |---------|
  //  new  eth          |-------------------------
  //  new  bsc             |---------|
  it('leaves what a third process claims by then active permanently', async () => {
    const old = await start('eth', 'bsc')
    const eth = await start('eth')
    const bsc = await start('bsc')
    await old.release()
    await eth.keep()
    await bsc.keep()
    expect(await indexed()).toEqual(['eth', 'bsc'])
    await bsc.release()
    await eth.keep()
    expect(await indexed()).toEqual(['eth', 'bsc'])
  })

  it('with the same networks deactivates nothing', async () => {
    const first = await start('eth', 'bsc')
    const standby = await start('eth', 'bsc')
    const third = await start('polygon')
    await Promise.all([first.release(), third.release()])
    await standby.keep()
    expect(await indexed()).toEqual(['eth', 'bsc', 'polygon'])
  })
})

describe('a process whose connection was lost', () => {
  it('claims its networks again, and activates what was deactivated meanwhile', async () => {
    const bsc = await start('bsc')
    await loseClaim('bsc')
    const eth = await start('eth')
    expect(await indexed()).toEqual(['eth'])
    await expect.poll(() => bsc.keep().then(indexed)).toEqual(['eth', 'bsc'])
    await eth.release()
    await start('eth')
    expect(await indexed()).toEqual(['eth', 'bsc'])
  })

  it('does not affect processes that have lost their connections, too', async () => {
    const eth = await start('eth')
    await start('bsc')
    await loseClaim('bsc')
    await loseClaim('eth')
    await expect.poll(() => eth.keep().then(() => claims('eth'))).toBe(1)
    expect(await indexed()).toEqual(['eth', 'bsc'])
  })
})
